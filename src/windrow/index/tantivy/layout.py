"""The Tantivy schema: fields, tokenizers, the terms of values, and the stored summaries.

`rows` fills these fields, `rendering` queries them. Words are folded and split by `model.text.folding` before
they come here, so that the index has the same notion of a word as the other modules; Tantivy only splits at
spaces.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from typing import Any

import msgspec
import tantivy

from windrow import __version__
from windrow.index.protocol import TALLIED, HitSummary
from windrow.model.document_dates import ISSUED
from windrow.model.query import (
    DEFAULT_FIELDS,
    EVENT_FIELDS,
    FIELDS,
    LONG_FIELDS,
    MAX_SLOP,
    MAX_SLOP_IN_SHORT_FIELDS,
    STEMMED_FIELDS,
    FieldKind,
    max_slop,
)
from windrow.model.text.collation import collation_languages, title_sort_key
from windrow.model.text.folding import fold

FIELDS_REVISION = 14  # of the fields below and of the stored summaries
ROWS_REVISION = 22  # of what `rows`, folding and stemming make of a document

NUMBERS = ("year", "pages")  # counted as numbers; all other facts are texts
SIZE = "size"
MEASURED = (SIZE, ISSUED)  # numbers too, but counted in classes
FACTS = tuple(name for name in TALLIED if name not in NUMBERS)
# Fields with so many values that their first letters are indexed as well.
INITIALED = ("creator", "subject", "keyword")
POSITIONED = tuple(
    name for name, field in FIELDS.items() if field.kind is FieldKind.WORDS and not field.is_of_event
)
DEFAULT_WORDS = tuple(name for name in DEFAULT_FIELDS if name in POSITIONED)  # searched for a phrase

CORE = "core"  # the words of all default fields except long ones, weighted by repetition
DESCRIPTION = "description"
STEMS = "stems"  # each with the letter of its field as prefix, and those of `core` with a shared one
DESCRIPTION_STEMS = "description_stems"
TEXT, TEXT_STEMS = "text", "text_stems"  # of files
LONG_STEMS = dict(zip(LONG_FIELDS, (DESCRIPTION_STEMS, TEXT_STEMS), strict=True))
# How often a word is repeated in `core`: titles and names indicate what a document is about.
WEIGHTS = {"title": 4, "creator": 4, "subject": 2}
NOTES = "notes"  # all text without a field of its own, ranked after everything else
CORE_FIELDS = tuple(name for name in DEFAULT_WORDS if name not in (*LONG_FIELDS, NOTES))
CORE_LETTER = "*"
STEM_LETTERS = {
    name: chr(ord("a") + place) for place, name in enumerate(STEMMED_FIELDS) if name not in LONG_FIELDS
}
# The letters for the stems of a field: keywords are subjects too, and are indexed only once.
STEM_PLACES = STEM_LETTERS | {"subject": STEM_LETTERS["subject"] + STEM_LETTERS["keyword"]}

SLOTS = (*EVENT_FIELDS, "language")  # parts of an event, each one term
SLOT_LETTERS = {name: chr(ord("a") + place) for place, name in enumerate(SLOTS)}

FILLER = "."  # not a word, so it is dropped during indexing but takes up a position

NUMBER, CARD, EVENTS, SET = "number", "card", "events", "set"
IDENTIFIER, DATE, DAY, TITLE_KEY = "identifier", "date", "day", "title_key"
TITLE_START = "title_start"  # the first letters of a title, as a number
TITLE_PLACE = "title_place"  # title keys that some language sorts differently; see `place_field`
TITLE_SIGN = "title_sign"  # all words of a title, as a number
NEWEST, OLDEST = "newest", "oldest"  # year and record number in one
LONGEST = "longest"  # number of pages and record number in one
PERSON = "person"  # keys of people, see `model.text.proper_names`; those of contributors have a prefix
CONTRIBUTOR_SIGN = "~"
# Fields with single values need no fillers: Tantivy's own whitespace tokenizer suffices.
_WORDS_TOKENIZER, _UNBROKEN_TOKENIZER, _PLAIN_TOKENIZER = "words", "whitespace", "raw"


def place_field(language: str) -> str:
    """Return the field with the title keys that a language sorts differently from their folded letters."""
    return f"{TITLE_PLACE}_{language}"


def place_flag(language: str) -> str:
    """Return the field that is 1 for documents with such a title."""
    return f"{TITLE_PLACE}_is_{language}"


def fact_field(name: str) -> str:
    return name if name in NUMBERS else f"fact_{name}"


def initial_field(name: str) -> str:
    return f"initial_{name}"


def gap(field: str) -> str:
    """Return the gap between two values of a field, which is wider than any phrase slop."""
    return " " + f"{FILLER} " * (max_slop(field) + 1)


@cache
def schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in POSITIONED:
        builder.add_text_field(name, tokenizer_name=_WORDS_TOKENIZER)
    builder.add_text_field(CORE, tokenizer_name=_UNBROKEN_TOKENIZER, index_option="freq")
    for name in (STEMS, *LONG_STEMS.values()):
        builder.add_text_field(name, tokenizer_name=_UNBROKEN_TOKENIZER, index_option="basic")
    builder.add_text_field(EVENTS, tokenizer_name=_UNBROKEN_TOKENIZER)
    for name in FACTS:
        builder.add_text_field(
            fact_field(name), fast=True, tokenizer_name=_PLAIN_TOKENIZER, index_option="basic"
        )
    for name in (*NUMBERS, *MEASURED):
        builder.add_integer_field(name, indexed=True, fast=True)
    for name in (IDENTIFIER, DATE, PERSON):
        builder.add_text_field(name, tokenizer_name=_PLAIN_TOKENIZER, index_option="basic")
    builder.add_text_field(TITLE_KEY, fast=True, tokenizer_name=_PLAIN_TOKENIZER, index_option="basic")
    for language in collation_languages():
        builder.add_text_field(
            place_field(language), fast=True, tokenizer_name=_PLAIN_TOKENIZER, index_option="basic"
        )
        builder.add_integer_field(place_flag(language), indexed=True)
    for name in (DAY, NEWEST, OLDEST, LONGEST, TITLE_START, *map(initial_field, INITIALED)):
        builder.add_integer_field(name, fast=True)
    builder.add_integer_field(NUMBER, indexed=True, fast=True)
    builder.add_integer_field(TITLE_SIGN, indexed=True)
    builder.add_bytes_field(CARD, stored=True)
    return builder.build()


@cache
def shape() -> str:
    """A digest that changes whenever this version cannot read an existing index."""
    return _digest(
        FIELDS_REVISION,
        version("tantivy"),
        POSITIONED,
        FACTS,
        INITIALED,
        NUMBERS,
        MEASURED,
        STEM_PLACES,
        SLOTS,
    )


@cache
def mark(settings: str = "") -> str:
    """Return a digest that changes whenever documents become other rows, so that indexes must be rebuilt.

    `settings` is a digest of the library's settings that rows depend on; "" for none.
    """
    parts = (
        shape(),
        __version__,
        ROWS_REVISION,
        WEIGHTS,
        MAX_SLOP,
        MAX_SLOP_IN_SHORT_FIELDS,
        version("pystemmer"),
    )
    return _digest(*parts, *filter(None, (settings,)))


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def register(index: tantivy.Index) -> tantivy.Index:
    """Register the tokenizers, which an index does not store, and return the index."""
    words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    index.register_tokenizer(_WORDS_TOKENIZER, words.filter(tantivy.Filter.custom_stopword([FILLER])).build())
    return index


# Values as terms: sorted by their folded letters, with the original recoverable.

APART = "\x1f"  # between the compared and the displayed form
LONGEST_TOKEN = 1000  # longer ones are truncated, in documents and in queries alike
_DIGITS, _START_BYTES = 12, 7
_SERIAL = re.compile(r"[0-9][0-9 -]{6,15}[0-9xX]")  # ISBN, ISSN: hyphens are ignored


def fact_token(value: str) -> str:
    folded = fold(value)
    return value if folded == value else f"{folded}{APART}{value}"


def fact_value(token: str) -> str:
    return token.rpartition(APART)[2]


def title_token(title: str, number: int) -> str:
    """Return the unique term that sorts a document by title."""
    return place_token(title_sort_key(title), number)


def place_token(key: str, number: int) -> str:
    """Return the same for a title key in the alphabet of a language."""
    return f"{key[:LONGEST_TOKEN]}{APART}{number:0{_DIGITS}d}"


def title_sign(words: Sequence[str]) -> int:
    """Return a number shared by titles with the same words; each word counts once, as in a query."""
    letters = " ".join(dict.fromkeys(words)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(letters, digest_size=7).digest(), "big")


def title_start(token: str) -> int:
    """Return the beginning of a title term as a number that sorts like it."""
    start = token[:_START_BYTES].encode(errors="replace")[:_START_BYTES]
    return int.from_bytes(start.ljust(_START_BYTES, b"\0"), "big")


def event_token(letter: str, value: str) -> str:
    return letter + "=" + APART.join(value.split())[:LONGEST_TOKEN] if value else letter


def event_value(token: str) -> str:
    return token[2:].replace(APART, " ")


def identifier_token(value: str) -> str:
    folded = fold(value)
    if folded[:1].isdecimal() and _SERIAL.fullmatch(folded):
        folded = folded.replace(" ", "").replace("-", "")
    return folded[:LONGEST_TOKEN]


# Summaries and rows as JSON: stored in the index, and passed to it. A hot path. Values from plug-ins may be
# subclasses of text or numbers, and texts may contain lone surrogates, which cannot be encoded: only those
# take the slow path.


class DamagedCard(ValueError):
    """Bytes that `encode` did not write."""


def encode(value: object) -> bytes:
    """Return JSON with bytes in base64, as Tantivy expects."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return _encode(_mended(value))


def encode_ascii(value: object) -> str:
    """Return JSON in ASCII, for text that is written once and copied often.

    A single non-Latin-1 character, such as the separator of institution and department, would double the size
    of the string that it is inserted into.
    """
    return json.dumps(msgspec.json.decode(encode(value)), separators=(",", ":"))


def unpack(packed: bytes) -> HitSummary:
    """Decode a summary; raise DamagedCard if it is invalid."""
    try:
        return _decode(packed)
    except (msgspec.DecodeError, ValueError) as exc:  # ValueError: invalid characters
        raise DamagedCard(f"a card in it is damaged: {exc}") from exc


def _plain(value: object) -> object:
    """Convert a subclass of text or number (lxml has one) to the plain type."""
    for kind in (str, int):
        if isinstance(value, kind):
            return kind(value)
    raise TypeError(f"{type(value).__name__} cannot be indexed")


def _mended(value: Any) -> Any:
    """Replace lone surrogates."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list | tuple):
        return [_mended(each) for each in value]
    if isinstance(value, dict):
        return {name: _mended(each) for name, each in value.items()}
    return value


_encode = msgspec.json.Encoder(enc_hook=_plain).encode
_decode = msgspec.json.Decoder(HitSummary).decode
