"""How documents lie in Tantivy: its fields, how their text is cut into words, and the mark of all that.

`rows` fills these fields, `rendering` asks them. Words are folded and split by `model.folding` before they
come here, so that an index means the same words as everybody else; Tantivy only cuts at spaces.
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

FIELDS_REVISION = 14  # of the fields below, and of cards
ROWS_REVISION = 22  # of what `rows`, folding and stems make of a document

NUMBERS = ("year", "pages")  # tallied as numbers; all other facts are texts
SIZE = "size"
MEASURED = (SIZE, ISSUED)  # numbers, too, but tallied in classes
FACTS = tuple(name for name in TALLIED if name not in NUMBERS)
INITIALED = ("creator", "subject", "keyword")  # so many values that their first letters are kept, too
POSITIONED = tuple(
    name for name, field in FIELDS.items() if field.kind is FieldKind.WORDS and not field.is_of_event
)
DEFAULT_WORDS = tuple(name for name in DEFAULT_FIELDS if name in POSITIONED)  # looked through for a phrase

CORE = "core"  # the words of all default fields but the long ones, the weightier ones several times
DESCRIPTION = "description"
STEMS = "stems"  # each with the letter of its field before it, and those of `core` with one they share
DESCRIPTION_STEMS = "description_stems"
TEXT, TEXT_STEMS = "text", "text_stems"  # of files
LONG_STEMS = dict(zip(LONG_FIELDS, (DESCRIPTION_STEMS, TEXT_STEMS), strict=True))
# How often a word counts in `core`: what is in a title or a name is what a document is about.
WEIGHTS = {"title": 4, "creator": 4, "subject": 2}
NOTES = "notes"  # all text without a field of its own, found behind everything else
CORE_FIELDS = tuple(name for name in DEFAULT_WORDS if name not in (*LONG_FIELDS, NOTES))
CORE_LETTER = "*"
STEM_LETTERS = {
    name: chr(ord("a") + place) for place, name in enumerate(STEMMED_FIELDS) if name not in LONG_FIELDS
}
# Under which letters the stems of a field are: keywords are subjects, too, and have theirs only once.
STEM_PLACES = STEM_LETTERS | {"subject": STEM_LETTERS["subject"] + STEM_LETTERS["keyword"]}

SLOTS = (*EVENT_FIELDS, "language")  # of an event, each one term
SLOT_LETTERS = {name: chr(ord("a") + place) for place, name in enumerate(SLOTS)}

FILLER = "."  # no word, so left out when it is indexed; and yet it takes its place

NUMBER, CARD, EVENTS, SET = "number", "card", "events", "set"
IDENTIFIER, DATE, DAY, TITLE_KEY = "identifier", "date", "day", "title_key"
TITLE_START = "title_start"  # the first letters of a title as a number
TITLE_PLACE = "title_place"  # keys of titles that some language lists elsewhere; see `place_field`
TITLE_SIGN = "title_sign"  # all of its words as a number
NEWEST, OLDEST = "newest", "oldest"  # a year and the record's number in one
LONGEST = "longest"  # the number of pages and the record's number in one
PERSON = "person"  # keys of people, see `model.person_names`; those of contributors have a sign before them
CONTRIBUTOR_SIGN = "~"
# What has no values apart has no fillers between them: Tantivy's own way to cut at spaces is enough there.
_WORDS_TOKENIZER, _UNBROKEN_TOKENIZER, _PLAIN_TOKENIZER = "words", "whitespace", "raw"


def place_field(language: str) -> str:
    """Where the keys of titles are that a language lists elsewhere than their folded letters."""
    return f"{TITLE_PLACE}_{language}"


def place_flag(language: str) -> str:
    """What is 1 of documents with such a title."""
    return f"{TITLE_PLACE}_is_{language}"


def fact_field(name: str) -> str:
    """Where the values of a tallied field lie."""
    return name if name in NUMBERS else f"fact_{name}"


def initial_field(name: str) -> str:
    """Where the first letters of a field's values lie."""
    return f"initial_{name}"


def gap(field: str) -> str:
    """What is put between two values of a field, so that they lie further apart than any phrase is loose."""
    return " " + f"{FILLER} " * (max_slop(field) + 1)


@cache
def schema() -> tantivy.Schema:
    """All fields."""
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
    """Another one whenever an index that is there cannot be read by this program."""
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
    """Another one whenever documents become other rows: then an index that is there is built anew.

    `settings` is a digest of those settings of the library that rows depend on; "" for none.
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
    """Teach an index how text is cut, which it does not remember itself; give it back."""
    words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    index.register_tokenizer(_WORDS_TOKENIZER, words.filter(tantivy.Filter.custom_stopword([FILLER])).build())
    return index


# Values as the terms of an index: sorted by their folded letters, and yet to be had back as they were.

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
    return place_token(title_sort_key(title), number)


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


# Cards and rows as JSON: what lies in the index beside the words of a document, and what goes into it.
# A hot path. Values from plug-ins may be any kind of text or number, and texts may have halves of letters
# in them that cannot be written down: those cost their own time only.


class DamagedCard(ValueError):
    """Bytes that `encode` did not make so."""


def encode(value: object) -> bytes:
    """JSON, in which bytes are base64, as Tantivy wants them."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return _encode(_mended(value))


def encode_ascii(value: object) -> str:
    """Return JSON in ASCII, for what is written once and copied often.

    One other letter, such as the sign between an institution and its department, doubles the size of the
    text that it is put into.
    """
    return json.dumps(msgspec.json.decode(encode(value)), separators=(",", ":"))


def unpack(packed: bytes) -> HitSummary:
    """The card in JSON; DamagedCard for what is none."""
    try:
        return _decode(packed)
    except (msgspec.DecodeError, ValueError) as exc:  # the latter of letters that are none
        raise DamagedCard(f"a card in it is damaged: {exc}") from exc


def _plain(value: object) -> object:
    """Text or a number of a class of its own (lxml has one) as what it is."""
    for kind in (str, int):
        if isinstance(value, kind):
            return kind(value)
    raise TypeError(f"{type(value).__name__} cannot be indexed")


def _mended(value: Any) -> Any:
    """The same without halves of surrogate pairs."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list | tuple):
        return [_mended(each) for each in value]
    if isinstance(value, dict):
        return {name: _mended(each) for name, each in value.items()}
    return value


_encode = msgspec.json.Encoder(enc_hook=_plain).encode
_decode = msgspec.json.Decoder(HitSummary).decode
