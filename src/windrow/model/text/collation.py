"""The order of lists in the reader's language: Å, Ä and Ö after Z for Swedish and Finnish readers.

A key is the folded text, in which each letter that the language lists after z is a sign of its own, between z
and all other alphabets. Which letters these are is in `collations.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from windrow.model.text.folding import fold

# Where something is listed from A to Z: the letter, and the place of a title.

OTHER = "#"  # the letter of all that begins with none
_LOOKED_AT = 200  # letters of a title, for the first that is one


def initial_letter(folded: str) -> str:
    """The letter of a text that is folded already, or the key of a title: its first sign, in upper case."""
    letter = folded[:1].upper()[:1]
    return letter if letter.isalpha() else OTHER


def title_sort_key(title: str) -> str:
    """What puts titles in order: folded, without the quotation marks and brackets before the first letter."""
    folded = fold(title)
    if folded[:1].isalnum():
        return folded
    start = next((place for place, sign in enumerate(folded[:_LOOKED_AT]) if sign.isalnum()), 0)
    return folded[start:]


_FIRST_SIGN = 0x80  # control characters behind ASCII, which no text has


@dataclass(frozen=True, slots=True)
class Collation:
    """How a language lists texts. `signs` are the letters after z by their signs, in their order."""

    signs: Mapping[str, str]
    _table: Mapping[int, str]

    def key(self, text: str) -> str:
        """Return what puts a text in its place."""
        return fold(text) if text.isascii() or not self.signs else fold(text.translate(self._table))

    def title_key(self, title: str) -> str:
        """Return what puts a title in its place: without the signs before its first letter."""
        key = self.key(title)
        if key[:1].isalnum() or key[:1] in self.signs:
            return key
        start = next((place for place, sign in enumerate(key) if sign.isalnum() or sign in self.signs), 0)
        return key[start:]

    def folded(self, key: str) -> str:
        """Return the folded text of a key: what an index calls it."""
        return "".join(fold(self.signs[sign]) if sign in self.signs else sign for sign in key)

    def initial(self, text: str) -> str:
        """Return the letter that a text is listed under."""
        key = self.key(text)
        own = self.signs.get(key[:1])
        return own.upper() if own else initial_letter(key)

    def letter(self, text: str) -> str:
        """Return the first sign of a text as lists show it."""
        sign = self.prefix(text)
        return self.signs.get(sign, sign).upper()[:1]

    def prefix(self, letter: str) -> str:
        """Return how the keys of all texts begin that are listed under a letter."""
        return self.key(letter.strip())[:1]

    def spellings(self, letter: str) -> tuple[str, str]:
        """Return what a text that is listed under this letter begins with, where it is one after z; and what
        is folded to this letter and listed elsewhere. Both in capital and small letters.
        """
        sign = self.prefix(letter)
        if sign in self.signs:
            return self._written(sign), ""
        elsewhere = (each for each, own in self.signs.items() if fold(own) == sign)
        return "", "".join(map(self._written, elsewhere))

    def place(self, letter: str) -> tuple[bool, str]:
        """Return what puts letters in their order; what begins with none comes last."""
        return letter == OTHER, self.key(letter)

    def _written(self, sign: str) -> str:
        return "".join(chr(code) for code, own in self._table.items() if own == sign)


@cache
def collation(language: str) -> Collation:
    """Return the order of a language; that of the folded letters where it has no letters of its own."""
    letters = _tables().get(language, ())
    signs: dict[str, str] = {}
    table: dict[int, str] = {}
    for place, spelled in enumerate(letters):
        sign = chr(_FIRST_SIGN + place)
        signs[sign] = spelled[0]
        table |= {ord(written): sign for letter in spelled for written in (letter, letter.upper())}
    return Collation(signs, table)


@cache
def collation_languages() -> tuple[str, ...]:
    """Return one language for each order of letters that there is beside that of the folded ones."""
    found: dict[tuple[str, ...], str] = {}
    for language, letters in _tables().items():
        found.setdefault(tuple(letters), language)
    return tuple(found.values())


@cache
def collation_language(language: str) -> str:
    """Return the language of `languages` with the same order as this one; "" for that of folded letters."""
    own = _tables().get(language)
    return next((each for each in collation_languages() if _tables()[each] == own), "") if own else ""


@cache
def _tables() -> dict[str, list[str]]:
    text = (files("windrow.model") / "collations.toml").read_text(encoding="utf-8")
    return {language: table["after_z"] for language, table in tomllib.loads(text).items()}
