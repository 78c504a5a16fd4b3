"""How documents lie in Tantivy: its fields, how their text is cut into words, and the mark of all that.

`rows` fills these fields, `rendering` asks them. Words are folded and split by `model.folding` before they
come here, so that an index means the same words as everybody else; Tantivy only cuts at spaces.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version

import tantivy

from windrow import __version__
from windrow.index.protocol import TALLIED
from windrow.model.academic_years import ISSUED
from windrow.model.collation import languages
from windrow.model.query_fields import (
    DEFAULT_FIELDS,
    EVENT_FIELDS,
    FIELDS,
    LONG_FIELDS,
    LOOSEST,
    LOOSEST_IN_SHORT,
    STEMMED_FIELDS,
    FieldKind,
    loosest,
)

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
    return " " + f"{FILLER} " * (loosest(field) + 1)


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
    for language in languages():
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
    parts = (shape(), __version__, ROWS_REVISION, WEIGHTS, LOOSEST, LOOSEST_IN_SHORT, version("pystemmer"))
    return _digest(*parts, *filter(None, (settings,)))


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def register(index: tantivy.Index) -> tantivy.Index:
    """Teach an index how text is cut, which it does not remember itself; give it back."""
    words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    index.register_tokenizer(_WORDS_TOKENIZER, words.filter(tantivy.Filter.custom_stopword([FILLER])).build())
    return index
