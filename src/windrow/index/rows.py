"""From a document to a row of Tantivy's: every field of `layout` that it has something for. A hot path.

What documents have alike comes ready from `row_pieces`, words from `row_words`; the rest is made here.
"""

from __future__ import annotations

from collections.abc import Mapping

from windrow.index import values
from windrow.index.cards import card_of
from windrow.index.entry import Entry
from windrow.index.layout import (
    CARD,
    DATE,
    DAY,
    EVENTS,
    FACTS,
    IDENTIFIER,
    INITIALED,
    NEWEST,
    NUMBER,
    OLDEST,
    SIZE,
    TITLE_KEY,
    TITLE_START,
    fact_field,
    initial_field,
)
from windrow.index.packing import pack
from windrow.index.protocol import OF_FILES
from windrow.index.row_pieces import Kind, Place, kind_piece, place_piece
from windrow.index.row_words import Row, RowWords
from windrow.index.tokens import LONGEST_TOKEN, identifier_token, title_start, title_token
from windrow.model.days import days_of
from windrow.model.document import Document
from windrow.model.document_view import formats_of, usual_language
from windrow.model.facts import facts_about, facts_in, filled
from windrow.model.file_facts import text_language, texts_of

MOST_EVENTS = 1000  # of one document
YEAR_SHIFT = 40  # bits for the record's number beneath its year
NO_YEAR = 0x3FFF
_GREATEST = 1 << 62
_READY = ("institution", "department", "publisher", "source", "set", "type", "language", "affiliation")
_OWN = tuple(
    name for name in FACTS if name not in (*_READY, *OF_FILES, "initial", "filled")
)  # facts that documents seldom have alike
_FIELDS = {name: fact_field(name) for name in (*FACTS, *INITIALED)}
_INITIALS = {name: initial_field(name) for name in INITIALED}


def row_of(entry: Entry) -> Row:
    """What is indexed and kept of one document."""
    document = entry.document
    usual, formats = usual_language(document), tuple(filter(None, formats_of(document)))
    publishers, sets = tuple(document.publishers), tuple(entry.sets)  # a plug-in may have made lists
    place = place_piece(
        Place(entry.source, sets, document.institution, document.department, publishers, usual)
    )
    types, languages, rights = tuple(document.types), tuple(document.languages), tuple(document.rights)
    kind = kind_piece(Kind(types, languages, rights, formats, usual))
    row = {**place.row, **kind.row, NUMBER: entry.number}
    facts = _add_facts(row, document)
    row[CARD] = pack(card_of(entry, {**facts, **kind.facts}))
    numbers = (("year", document.year), ("pages", document.pages))
    row |= {name: number for name, number in numbers if number is not None and abs(number) < _GREATEST}
    if document.events:
        row[EVENTS] = " ".join(map(values.event, document.events[:MOST_EVENTS]))
    words = RowWords(row)
    words.core += (*place.core, *kind.core)
    words.stems += (*place.stems, *kind.stems)
    if document.file is not None:
        _add_file(row, document, words)
    _add_words(words, document, usual)
    _add_keys(row, entry)
    return row


def _add_facts(row: Row, document: Document) -> Mapping[str, tuple[str, ...]]:
    """What is counted of this document; give it back as people read it."""
    facts: dict[str, tuple[str, ...]] = {}
    row[_FIELDS["filled"]] = list(filled(document))
    for name in _OWN:
        found = facts[name] = facts_about(document, name) or ()
        if found:
            tokens = row[_FIELDS[name]] = values.tokens(found)
            if name in _INITIALS:
                row[_INITIALS[name]] = values.initials(tokens)
    if any(agent.affiliation for agent in (*document.creators, *document.contributors)):
        row[_FIELDS["affiliation"]] = values.tokens(facts_about(document, "affiliation") or ())
    return facts


def _add_file(row: Row, document: Document, words: RowWords) -> None:
    """What is known of the file behind a document. Libraries without files never come here."""
    for name in OF_FILES:
        found = facts_about(document, name)
        if found:
            row[_FIELDS[name]] = values.tokens(found)
    if document.file is not None and document.file.size < _GREATEST:
        row[SIZE] = document.file.size
    words.add_text(texts_of(document), text_language(document))


def _add_words(words: RowWords, document: Document, usual: str | None) -> None:
    if document.titles:
        words.add_titles(document.titles, usual)
    if document.creators:
        words.add_agents("creator", document.creators)
    if document.contributors:
        words.add_agents("contributor", document.contributors)
    keywords = [(keyword, usual) for keyword in document.keywords]
    subjects = [(subject.value, subject.language or usual) for subject in document.subjects]
    if subjects or keywords:
        words.add("subject", subjects, also=keywords)
    if keywords:
        words.add("keyword", keywords)
    for name, texts in (("journal", document.sources), ("relation", document.relations)):
        if texts:
            words.add(name, [(value, usual) for value in texts])
    if document.descriptions:
        words.add_descriptions(document.descriptions, usual)
    if document.year is not None:
        words.core.append(str(document.year))
    words.finish()


def _add_keys(row: Row, entry: Entry) -> None:
    """What documents are sorted by, and what is compared as a whole."""
    number, document = entry.number, entry.document
    year = document.year
    clamped = None if year is None else min(max(year + 1, 1), NO_YEAR - 1)
    row[NEWEST] = ((clamped or 0) << YEAR_SHIFT) | number
    row[OLDEST] = ((clamped or NO_YEAR) << YEAR_SHIFT) | number
    titles = facts_in([title.value for title in document.titles])
    keys = [title_token(title, number) for title in titles] or [untitled(number)]
    row[TITLE_KEY], row[TITLE_START] = keys, title_start(keys[0])
    if titles:
        row[_FIELDS["initial"]] = values.title_initial(keys[0])  # it begins with the title, folded
    names, links = [name.value for name in document.names], [link.url for link in document.links]
    given = filter(None, (entry.identifier, *names, *links))
    row[IDENTIFIER] = list(dict.fromkeys(map(identifier_token, given)))
    dates = list(dict.fromkeys([date[:LONGEST_TOKEN] for date in days_of(document)]))
    if dates:
        row[DATE] = dates
        row[DAY] = [day_of(date) for date in dates]


def untitled(number: int) -> str:
    """The key of a document without a title: it comes after all others."""
    return title_token("\U0010ffff", number)


def day_of(date: str) -> int:
    """A date as a number that sorts as it does: 2014 before 2014-05 before 2014-05-12."""
    return int(date.replace("-", "").ljust(8, "0"))
