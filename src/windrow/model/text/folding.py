"""Folding: words without case and diacritics, applied to documents and queries alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

# All of the scripts of South and South-East Asia: Python does not count their vowel signs as letters, but no
# word ends at one.
_SIGNS = r"[\u0900-\u0963\u0966-\u0e7f\u0f00-\u0f0a\u0f18-\u109f\u1780-\u17d3]"
# Chinese and Japanese have no spaces between words: each character is one word, and a query of several is a
# phrase.
_HAN = r"\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
SINGLE = re.compile(rf"[{_HAN}]")
_WORD = re.compile(rf"[{_HAN}]|(?:[^\W_{_HAN}]++|{_SIGNS}++)++")
_ASCII_WORD = re.compile("[0-9A-Za-z]++")  # the same for ASCII, in a third of the time
# Invisible characters: soft hyphens, zero-width spaces and joiners.
_UNSEEN = "\u00ad\u200b\u2060\ufeff"
_JOINTS = re.compile(f"[{_UNSEEN}]+")
_SPACE = "\u200b"  # zero-width: separates words in Asian scripts that have no other space
_PARTING = re.compile(rf"(?<={_SIGNS}){_SPACE}|{_SPACE}(?={_SIGNS})")
# Accents, and the points of Hebrew and Arabic, which are optional.
_MARKS = (
    "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f"
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670"
    f"{_UNSEEN}"
)
_MARK = re.compile(f"[{_MARKS}]+")
# Letters with a stroke and ligatures, which Unicode does not decompose.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŧ": "t"}
)


# Names of languages and tools that differ only in a sign; each becomes a word of its own.
_SIGNED_SOURCE = (
    rf"(?<![^\W_])(?<![{_MARKS}])[A-Za-z]\+\+(?![^\W\d_]|\+)"  # C++, and C++11
    rf"|(?<![^\W_])(?<![{_MARKS}])[A-Za-z]\#(?![^\W_]|\#)"  # C#
    rf"|(?<![\w.])\.[Nn][Ee][Tt](?![^\W_]|[{_MARKS}])"
)
# Without IGNORECASE, with which Python would match the Turkish İ and the Kelvin sign as ASCII letters.
_SIGNED = re.compile(_SIGNED_SOURCE)


# Compiled when they are needed: together they take 6 ms, which is much for a command that folds nothing.
@cache
def _signed_or_word() -> re.Pattern[str]:
    return re.compile(f"{_SIGNED_SOURCE}|{_WORD.pattern}")


@cache
def _piece() -> re.Pattern[str]:
    return re.compile(rf"[{_HAN}]|(?:[^\W_{_HAN}]++|{_SIGNS}++|[*?])++")


@cache
def _idle_wildcards() -> re.Pattern[str]:
    return re.compile(rf"(?<=[{_HAN}])[*?]+|[*?]+(?=[{_HAN}])")  # the next character is another word


# Other forms of these signs: full-width, and the musical sharp.
_SIGN_FORMS = {"\uff0b": "+", "\uff03": "#", "\u266f": "#", "\uff0e": "."}
_TO_PLAIN_SIGNS = str.maketrans(_SIGN_FORMS)


def _plain_signs(text: str) -> str:
    """Replace such signs by their plain forms; letters keep their positions."""
    if text.isascii() or not any(map(text.__contains__, _SIGN_FORMS)):
        return text
    return text.translate(_TO_PLAIN_SIGNS)


def signed_words(text: str) -> list[tuple[str, int, int]]:
    """Return the folded words with a sign, each with its position: C++, C#, .NET."""
    text = _plain_signs(text)
    if "+" not in text and "#" not in text and ".n" not in text and ".N" not in text:
        return []
    return [(_spoken(found[0]), *found.span()) for found in _SIGNED.finditer(text)]


def _spoken(signed: str) -> str:
    if signed[0] == ".":
        return "dotnet"
    return signed[0].lower() + ("sharp" if signed[1] == "#" else "plusplus")


def _speakable(text: str) -> str:
    """Replace words that contain a sign by words of letters."""
    return _SIGNED.sub(lambda found: f"{_spoken(found[0])} ", text) if signed_words(text) else text


def fold(text: str) -> str:
    """Return a text in lower case and without diacritics."""
    if text.isascii():
        return text.lower()
    quick = _western(text, _FOLDED)
    return _fold(text) if quick is None else quick.decode("latin-1")


def _fold(text: str) -> str:
    apart = unicodedata.normalize("NFKD", separate_parts(text).casefold())
    bare = _MARK.sub("", apart).casefold()  # again: decomposition may yield a capital
    return unicodedata.normalize("NFC", bare).translate(_LETTERS)


def separate_parts(text: str) -> str:
    """Replace zero-width word separators by spaces; letters keep their positions."""
    return _PARTING.sub(" ", text) if _SPACE in text else text


def split_words(text: str) -> list[str]:
    text = _plain_signs(text)
    if signed_words(text):
        return [found[0] for found in _signed_or_word().finditer(_composed(text))]
    return _plain_words(text)


def _plain_words(text: str) -> list[str]:
    return _ASCII_WORD.findall(text) if text.isascii() else _WORD.findall(_composed(text))


def _composed(text: str) -> str:
    """Compose accents with their letters and drop the remaining ones, so that no word ends at one."""
    return _MARK.sub("", unicodedata.normalize("NFC", separate_parts(text)))


def find_words(text: str) -> Iterator[re.Match[str]]:
    return (_ASCII_WORD if text.isascii() else _WORD).finditer(text)


def fold_in_place(text: str) -> str | None:
    """Fold a text without changing positions; return None if that is not possible.

    Characters between words may be replaced by others.
    """
    if signed_words(text):
        return None
    if text.isascii():
        return text.lower()
    quick = _western(_unquoted(text), _PLACED)
    return None if quick is None else quick.decode("ascii")


def folded_words(text: str) -> list[str]:
    return folded_text(text).split()


def folded_text(text: str) -> str:
    text = _plain_signs(text)
    if "+" in text or "#" in text or ".n" in text or ".N" in text:
        text = _speakable(text)
    quick = _western(text if text.isascii() else _unquoted(text), _SPACED)
    return " ".join(_plain_words(_fold(text))) if quick is None else quick.decode("ascii")


def pattern_pieces(pattern: str) -> list[str]:
    """Return the folded words of a pattern, with their wildcards.

    A lone star at either end is dropped, as it would require another word: `node.*` is the same as `node`.
    """
    found = _piece().findall(_idle_wildcards().sub("", fold(pattern)))
    start, end = 0, len(found)
    while end - start > 1 and not found[end - 1].strip("*"):
        end -= 1
    while end - start > 1 and not found[start].strip("*"):
        start += 1
    return found[start:end]


# Nearly all texts use Western European letters, which are one byte each: a table folds them in a tenth of the
# time. The tables have 0 for letters that fold to two, or belong to another script.
_QUOTES = "–—’‘”“…"


def _unquoted(text: str) -> str:
    for sign in _QUOTES:
        text = text.replace(sign, " ")
    return text


def _western(text: str, table: bytes) -> bytes | None:
    """Fold a text by a table; return None if that is not possible."""
    try:
        found = text.encode("latin-1").translate(table)
    except UnicodeEncodeError:
        return None
    return None if 0 in found else found


def _code(letters: str, most: int) -> int:
    return ord(letters) if len(letters) == 1 and ord(letters) < most else 0


def _placed(letters: str) -> int:
    """Return the code of a folded ASCII letter, a space for punctuation, 0 if it cannot be replaced."""
    if not letters:
        return 0
    return _code(letters, 128) or (0 if _WORD.search(letters) else ord(" "))


_FOLDED_ONE_BY_ONE = [_fold(chr(code)) for code in range(256)]
_FOLDED = bytes(_code(letters, 256) for letters in _FOLDED_ONE_BY_ONE)
_PLACED = bytes(map(_placed, _FOLDED_ONE_BY_ONE))
_SPACED = bytes(code if code == 0 or chr(code).isalnum() else ord(" ") for code in _PLACED)
