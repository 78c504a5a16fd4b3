"""From a document to a row of Tantivy's: every field of `layout` that it has something for. A hot path."""

from __future__ import annotations

from collections.abc import Iterable

from windrow.index import values
from windrow.index.cards import card_of
from windrow.index.entry import Entry
from windrow.index.facts import facts_of
from windrow.index.layout import (
    CARD,
    CORE,
    CORE_FIELDS,
    DATE,
    DAY,
    DESCRIPTION,
    DESCRIPTION_STEMS,
    EVENTS,
    FACTS,
    IDENTIFIER,
    NEWEST,
    NUMBER,
    OLDEST,
    POSITIONED,
    REST_FIELDS,
    REST_LETTER,
    STEM_LETTERS,
    STEMS,
    TITLE_KEY,
    TITLE_START,
    WEIGHTS,
    fact_field,
    gap,
)
from windrow.index.packing import pack
from windrow.index.tokens import LONGEST_TOKEN, identifier_token, title_start, title_token
from windrow.model.document_view import DocumentView
from windrow.model.folding import words_of
from windrow.model.stems import stem_text


def _letters(name: str) -> str:
    return STEM_LETTERS.get(name, "") + REST_LETTER * (name in REST_FIELDS)


LONGEST_TEXT = 200_000  # letters of one field that are indexed
MOST_EVENTS = 1000  # of one document
YEAR_SHIFT = 40  # bits for the record's number beneath its year
NO_YEAR = 0x3FFF
_GREATEST = 1 << 62
_APART = gap(DESCRIPTION)
_SHORT = [  # each with how often its words count, the letters of its stems, what lies between its values
    (name, WEIGHTS.get(name, 1) * (name in CORE_FIELDS), _letters(name), gap(name))
    for name in POSITIONED
    if name != DESCRIPTION
]
_FACTS = [(name, fact_field(name)) for name in FACTS]

Row = dict[str, object]


def row_of(entry: Entry) -> Row:
    """What is indexed and kept of one document."""
    document, facts = entry.document, facts_of(entry)
    row: Row = {NUMBER: entry.number, CARD: pack(card_of(entry, facts))}
    for name, field in _FACTS:
        found = facts[name]
        if found:
            row[field] = values.tokens(found)
    for name, number in (("year", document.year), ("pages", document.pages)):
        if number is not None and abs(number) < _GREATEST:
            row[name] = number
    if document.events:
        row[EVENTS] = " ".join(map(values.event, document.events[:MOST_EVENTS]))
    view = DocumentView(document, identifier=entry.identifier)
    _add_words(row, view)
    _add_description(row, view)
    _add_keys(row, view, entry)
    return row


def _add_words(row: Row, view: DocumentView) -> None:
    """Words and their stems, of one short field after the other."""
    core: list[str] = list(view.values("year"))
    stems: list[str] = []
    for name, times, letters, apart in _SHORT:
        texts = view.texts(name)
        if not texts:
            continue
        words = [values.words(value) for value, _ in texts]
        row[name] = words[0] if len(words) == 1 else _cut(apart.join(words))
        core += words * times
        for letter in letters:
            pairs = zip(words, texts, strict=True)
            stems += [values.lettered_stems(letter, each, language) for each, (_, language) in pairs]
    for name, found in ((CORE, core), (STEMS, stems)):
        if found:
            row[name] = _cut(" ".join(found))


def _add_description(row: Row, view: DocumentView) -> None:
    """The one long text, whose stems have a field of their own."""
    texts = view.texts(DESCRIPTION)
    if texts:
        words = [words_of(value[:LONGEST_TEXT]) for value, _ in texts]
        row[DESCRIPTION] = _cut(_APART.join(map(" ".join, words)))
        pairs = zip(words, texts, strict=True)
        row[DESCRIPTION_STEMS] = " ".join(stem_text(each, language) for each, (_, language) in pairs)


def _add_keys(row: Row, view: DocumentView, entry: Entry) -> None:
    """What documents are sorted by, and what is compared as a whole."""
    number, year = entry.number, entry.document.year
    clamped = None if year is None else min(max(year + 1, 1), NO_YEAR - 1)
    row[NEWEST] = ((clamped or 0) << YEAR_SHIFT) | number
    row[OLDEST] = ((clamped or NO_YEAR) << YEAR_SHIFT) | number
    titles = [title_token(title, number) for title in view.facts("title")] or [untitled(number)]
    row[TITLE_KEY], row[TITLE_START] = titles, title_start(titles[0])
    row[IDENTIFIER] = _each(map(identifier_token, view.values("identifier")))
    dates = _each(view.values("date"))
    if dates:
        row[DATE] = dates
        row[DAY] = [day_of(date) for date in dates]


def untitled(number: int) -> str:
    """The key of a document without a title: it comes after all others."""
    return title_token("\U0010ffff", number)


def day_of(date: str) -> int:
    """A date as a number that sorts as it does: 2014 before 2014-05 before 2014-05-12."""
    return int(date.replace("-", "").ljust(8, "0"))


def _each(found: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(value[:LONGEST_TOKEN] for value in found))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT].rpartition(" ")[0]
