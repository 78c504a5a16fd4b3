"""The letter under which something is listed from A to Z."""

from __future__ import annotations

OTHER = "#"  # the letter of all that begins with none
_LOOKED_AT = 200  # letters of a title, for the first that is one


def initial_of(folded: str) -> str:
    """The letter of a text that is folded already: its first sign, in upper case."""
    letter = folded[:1].upper()[:1]
    return letter if letter.isalpha() else OTHER


def title_initial(folded: str) -> str:
    """The letter of a title, folded: its first letter or digit, whatever quotation marks stand before it."""
    return initial_of(next(filter(str.isalnum, folded[:_LOOKED_AT]), ""))
