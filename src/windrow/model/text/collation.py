"""The alphabetical order of a language: Å, Ä and Ö after Z for Swedish and Finnish readers.

A sort key is the folded text, in which each letter that the language sorts after z is a character of its own,
between z and all other alphabets. `collations.toml` lists these letters.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from windrow.model.text.folding import fold

# Lists from A to Z: initial letters and the order of titles.

OTHER = "#"  # the initial of texts that do not begin with a letter
_LOOKED_AT = 200  # letters of a title that are searched for the first letter


def initial_letter(folded: str) -> str:
    """Return the initial of a folded text or of a title's sort key, in upper case."""
    letter = folded[:1].upper()[:1]
    return letter if letter.isalpha() else OTHER


def title_sort_key(title: str) -> str:
    """Return a title's sort key: folded, without leading quotation marks and brackets."""
    folded = fold(title)
    if folded[:1].isalnum():
        return folded
    start = next((place for place, sign in enumerate(folded[:_LOOKED_AT]) if sign.isalnum()), 0)
    return folded[start:]


_FIRST_SIGN = 0x80  # control characters after ASCII, which do not occur in texts


@dataclass(frozen=True, slots=True)
class Collation:
    """The alphabetical order of a language. `signs` are the letters after z by their characters, in order."""

    signs: Mapping[str, str]
    _table: Mapping[int, str]

    def key(self, text: str) -> str:
        return fold(text) if text.isascii() or not self.signs else fold(text.translate(self._table))

    def title_key(self, title: str) -> str:
        key = self.key(title)
        if key[:1].isalnum() or key[:1] in self.signs:
            return key
        start = next((place for place, sign in enumerate(key) if sign.isalnum() or sign in self.signs), 0)
        return key[start:]

    def folded(self, key: str) -> str:
        return "".join(fold(self.signs[sign]) if sign in self.signs else sign for sign in key)

    def initial(self, text: str) -> str:
        key = self.key(text)
        own = self.signs.get(key[:1])
        return own.upper() if own else initial_letter(key)

    def letter(self, text: str) -> str:
        sign = self.prefix(text)
        return self.signs.get(sign, sign).upper()[:1]

    def prefix(self, letter: str) -> str:
        return self.key(letter.strip())[:1]

    def spellings(self, letter: str) -> tuple[str, str]:
        """Return the first letters of texts under this initial, and those that fold to it but sort elsewhere.

        The first is set only for a letter after z, the second only for others; both in upper and lower case.
        """
        sign = self.prefix(letter)
        if sign in self.signs:
            return self._written(sign), ""
        elsewhere = (each for each, own in self.signs.items() if fold(own) == sign)
        return "", "".join(map(self._written, elsewhere))

    def place(self, letter: str) -> tuple[bool, str]:
        return letter == OTHER, self.key(letter)

    def _written(self, sign: str) -> str:
        return "".join(chr(code) for code, own in self._table.items() if own == sign)


@cache
def collation(language: str) -> Collation:
    """Return the alphabetical order of a language; without letters of its own, that of the folded letters."""
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
    """Return one language for each order that differs from that of the folded letters."""
    found: dict[tuple[str, ...], str] = {}
    for language, letters in _tables().items():
        found.setdefault(tuple(letters), language)
    return tuple(found.values())


@cache
def collation_language(language: str) -> str:
    """Return the language of `collation_languages` with the same order; "" for that of folded letters."""
    own = _tables().get(language)
    return next((each for each in collation_languages() if _tables()[each] == own), "") if own else ""


@cache
def _tables() -> dict[str, list[str]]:
    text = (files("windrow.model") / "collations.toml").read_text(encoding="utf-8")
    return {language: table["after_z"] for language, table in tomllib.loads(text).items()}
