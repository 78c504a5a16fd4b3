"""Words as they are compared: without case and without diacritics. Documents and queries both pass here."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

# The scripts of South and South-East Asia whole: their vowel signs are no letters to Python, but no word
# ends at one.
_SIGNS = r"[\u0900-\u0963\u0966-\u0e7f\u0f00-\u0f0a\u0f18-\u109f\u1780-\u17d3]"
# Chinese and Japanese have no spaces between words: each letter is one word, and what people write a phrase.
_HAN = r"\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
SINGLE = re.compile(rf"[{_HAN}]")
_WORD = re.compile(rf"[{_HAN}]|(?:[^\W_{_HAN}]++|{_SIGNS}++)++")
_ASCII_WORD = re.compile("[0-9A-Za-z]++")  # the same where there is nothing else, in a third of the time
_PIECE = re.compile(rf"[{_HAN}]|(?:[^\W_{_HAN}]++|{_SIGNS}++|[*?])++")
_IDLE_WILDCARDS = re.compile(rf"(?<=[{_HAN}])[*?]+|[*?]+(?=[{_HAN}])")  # whatever follows is another word
# What is put into words for the eye: soft hyphens, and spaces and joints without width.
_UNSEEN = "\u00ad\u200b\u2060\ufeff"
_JOINTS = re.compile(f"[{_UNSEEN}]+")
_SPACE = "\u200b"  # of no width: the scripts of Asia that have no other one end their words with it
_PARTING = re.compile(rf"(?<={_SIGNS}){_SPACE}|{_SPACE}(?={_SIGNS})")
# Accents; and the points of Hebrew and Arabic, which some write and most do not.
_MARKS = (
    "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f"
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670"
    f"{_UNSEEN}"
)
_MARK = re.compile(f"[{_MARKS}]+")
# Letters with a stroke or of two, which do not fall apart by themselves.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŧ": "t"}
)


# Names of languages and tools in which a sign makes the difference; each becomes a word of its own.
_SIGNED_SOURCE = (
    rf"(?<![^\W_])(?<![{_MARKS}])[A-Za-z]\+\+(?![^\W\d_]|\+)"  # C++, and C++11
    rf"|(?<![^\W_])(?<![{_MARKS}])[A-Za-z]\#(?![^\W_]|\#)"  # C#
    rf"|(?<![\w.])\.[Nn][Ee][Tt](?![^\W_]|[{_MARKS}])"
)
# Without IGNORECASE: to Python, the Turkish İ and the Kelvin sign are letters of ASCII in another case.
_SIGNED = re.compile(_SIGNED_SOURCE)
_SIGNED_OR_WORD = re.compile(f"{_SIGNED_SOURCE}|{_WORD.pattern}")


# Other forms of these signs: of full width, and the sharp of music.
_SIGN_FORMS = {"\uff0b": "+", "\uff03": "#", "\u266f": "#", "\uff0e": "."}
_TO_PLAIN_SIGNS = str.maketrans(_SIGN_FORMS)


def _plain_signs(text: str) -> str:
    """The text with each such sign in its plain form; every letter stays in its place."""
    if text.isascii() or not any(map(text.__contains__, _SIGN_FORMS)):
        return text
    return text.translate(_TO_PLAIN_SIGNS)


def signed_words(text: str) -> list[tuple[str, int, int]]:
    """Return the words of a text that have a sign in them, folded, each with its place: C++, C#, .NET."""
    text = _plain_signs(text)
    if "+" not in text and "#" not in text and ".n" not in text and ".N" not in text:
        return []
    return [(_spoken(found[0]), *found.span()) for found in _SIGNED.finditer(text)]


def _spoken(signed: str) -> str:
    if signed[0] == ".":
        return "dotnet"
    return signed[0].lower() + ("sharp" if signed[1] == "#" else "plusplus")


def _speakable(text: str) -> str:
    """The text with words for those that have a sign in them."""
    return _SIGNED.sub(lambda found: f"{_spoken(found[0])} ", text) if signed_words(text) else text


def fold(text: str) -> str:
    """The text in small letters without diacritics; what is told apart only by them becomes the same."""
    if text.isascii():
        return text.lower()
    quick = _western(text, _FOLDED)
    return _fold(text) if quick is None else quick.decode("latin-1")


def _fold(text: str) -> str:
    apart = unicodedata.normalize("NFKD", separate_parts(text).casefold())
    bare = _MARK.sub("", apart).casefold()  # again: what fell apart may be a capital
    return unicodedata.normalize("NFC", bare).translate(_LETTERS)


def separate_parts(text: str) -> str:
    """The text with a space for each without width that ends a word; every letter stays in its place."""
    return _PARTING.sub(" ", text) if _SPACE in text else text


def split_words(text: str) -> list[str]:
    """The words of a text as they stand there, without what cannot be seen in them."""
    text = _plain_signs(text)
    if signed_words(text):
        return [found[0] for found in _SIGNED_OR_WORD.finditer(_composed(text))]
    return _plain_words(text)


def _plain_words(text: str) -> list[str]:
    """Return the words of a text, signs such as those of C# and C++ left out."""
    return _ASCII_WORD.findall(text) if text.isascii() else _WORD.findall(_composed(text))


def _composed(text: str) -> str:
    """The text with every accent on its letter, and without those that stay apart: no word ends at one."""
    return _MARK.sub("", unicodedata.normalize("NFC", separate_parts(text)))


def find_words(text: str) -> Iterator[re.Match[str]]:
    """The words of a text, each with its place."""
    return (_ASCII_WORD if text.isascii() else _WORD).finditer(text)


def fold_in_place(text: str) -> str | None:
    """The text folded so that every letter stays in its place; None of one where that takes more.

    What is no part of a word may be another such sign.
    """
    if signed_words(text):
        return None
    if text.isascii():
        return text.lower()
    quick = _western(_unquoted(text), _PLACED)
    return None if quick is None else quick.decode("ascii")


def folded_words(text: str) -> list[str]:
    """The words of a text, folded, in their order."""
    return folded_text(text).split()


def folded_text(text: str) -> str:
    """The same as one text, with spaces between them: one or several."""
    text = _plain_signs(text)
    if "+" in text or "#" in text or ".n" in text or ".N" in text:
        text = _speakable(text)
    quick = _western(text if text.isascii() else _unquoted(text), _SPACED)
    return " ".join(_plain_words(_fold(text))) if quick is None else quick.decode("ascii")


def pattern_pieces(pattern: str) -> list[str]:
    """The words of a pattern, folded, their wildcards left in.

    A star alone at either end would stand for a whole word, whichever: `node.*` asks for no more than `node`.
    """
    found = _PIECE.findall(_IDLE_WILDCARDS.sub("", fold(pattern)))
    start, end = 0, len(found)
    while end - start > 1 and not found[end - 1].strip("*"):
        end -= 1
    while end - start > 1 and not found[start].strip("*"):
        start += 1
    return found[start:end]


# Nearly all texts are in the letters of western Europe, which are one byte each: a table folds those in a
# tenth of the time. Tables have a nought for what becomes two letters, or one of another script.
_QUOTES = "–—’‘”“…"


def _unquoted(text: str) -> str:
    """The text with spaces for the signs that printers add to those letters."""
    for sign in _QUOTES:
        text = text.replace(sign, " ")
    return text


def _western(text: str, table: bytes) -> bytes | None:
    """The text by a table; None where that does not do."""
    try:
        found = text.encode("latin-1").translate(table)
    except UnicodeEncodeError:
        return None
    return None if 0 in found else found


def _code(letters: str, most: int) -> int:
    return ord(letters) if len(letters) == 1 and ord(letters) < most else 0


def _placed(letters: str) -> int:
    """ASCII, in which all that is no part of a word may be a space; a nought, too, for what is taken out."""
    if not letters:
        return 0
    return _code(letters, 128) or (0 if _WORD.search(letters) else ord(" "))


_FOLDED_ONE_BY_ONE = [_fold(chr(code)) for code in range(256)]
_FOLDED = bytes(_code(letters, 256) for letters in _FOLDED_ONE_BY_ONE)
_PLACED = bytes(map(_placed, _FOLDED_ONE_BY_ONE))
_SPACED = bytes(code if code == 0 or chr(code).isalnum() else ord(" ") for code in _PLACED)
