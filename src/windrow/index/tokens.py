"""Values as the terms of an index: sorted by their folded letters, and yet to be had back as they were."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b

from windrow.model.folding import fold
from windrow.model.initials import title_key

APART = "\x1f"  # between what is compared and what is shown
LONGEST_TOKEN = 1000  # letters; what is longer is cut, in documents and in queries alike
_DIGITS, _START_BYTES = 12, 7
_SERIAL = re.compile(r"[0-9][0-9 -]{6,15}[0-9xX]")  # ISBN, ISSN: hyphens in them mean nothing


def fact_token(value: str) -> str:
    """The term for a value that is counted."""
    folded = fold(value)
    return value if folded == value else f"{folded}{APART}{value}"


def fact_value(token: str) -> str:
    """The value that a term stands for."""
    return token.rpartition(APART)[2]


def title_token(title: str, number: int) -> str:
    """The term that puts documents in the order of their titles; no two have the same."""
    return place_token(title_key(title), number)


def place_token(key: str, number: int) -> str:
    """The same for a key of a title in the order of a language."""
    return f"{key[:LONGEST_TOKEN]}{APART}{number:0{_DIGITS}d}"


def title_sign(words: Sequence[str]) -> int:
    """A number that titles of just these words have in common; each word counts once, as in a query."""
    letters = " ".join(dict.fromkeys(words)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(letters, digest_size=7).digest(), "big")


def title_start(token: str) -> int:
    """The beginning of such a term as a number that sorts as it does."""
    start = token[:_START_BYTES].encode(errors="replace")[:_START_BYTES]
    return int.from_bytes(start.ljust(_START_BYTES, b"\0"), "big")


def event_token(letter: str, value: str) -> str:
    """The term for what one slot of an event holds; of an empty one, only the letter."""
    return letter + "=" + APART.join(value.split())[:LONGEST_TOKEN] if value else letter


def event_value(token: str) -> str:
    """What the slot holds."""
    return token[2:].replace(APART, " ")


def identifier_token(value: str) -> str:
    """The term for an identifier."""
    folded = fold(value)
    if folded[:1].isdecimal() and _SERIAL.fullmatch(folded):
        folded = folded.replace(" ", "").replace("-", "")
    return folded[:LONGEST_TOKEN]
