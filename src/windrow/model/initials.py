"""Where something is listed from A to Z: the letter, and the place of a title."""

from __future__ import annotations

from windrow.model.folding import fold

OTHER = "#"  # the letter of all that begins with none
_LOOKED_AT = 200  # letters of a title, for the first that is one


def initial_of(folded: str) -> str:
    """The letter of a text that is folded already, or the key of a title: its first sign, in upper case."""
    letter = folded[:1].upper()[:1]
    return letter if letter.isalpha() else OTHER


def title_key(title: str) -> str:
    """What puts titles in order: folded, without the quotation marks and brackets before the first letter."""
    folded = fold(title)
    if folded[:1].isalnum():
        return folded
    start = next((place for place, sign in enumerate(folded[:_LOOKED_AT]) if sign.isalnum()), 0)
    return folded[start:]
