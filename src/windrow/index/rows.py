"""From a document to a row of Tantivy's: every field of `layout` that it has something for. A hot path."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
    INITIALED,
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
    initial_field,
)
from windrow.index.packing import pack
from windrow.index.tokens import LONGEST_TOKEN, identifier_token, initial_of, title_start, title_token
from windrow.model.document import Document
from windrow.model.document_view import DocumentView, usual_language
from windrow.model.folding import words_of
from windrow.model.stems import stem_text

LONGEST_TEXT = 200_000  # letters of one field that are indexed
MOST_EVENTS = 1000  # of one document
YEAR_SHIFT = 40  # bits for the record's number beneath its year
NO_YEAR = 0x3FFF
_GREATEST = 1 << 62
_TITLE_LETTER = STEM_LETTERS["title"]
# Fields whose values lie in the document as they are, and come again in other documents.
_SHARED = {
    "publisher": "publishers",
    "type": "types",
    "journal": "sources",
    "relation": "relations",
    "rights": "rights",
    "keyword": "keywords",
}
_TIMES = {name: WEIGHTS.get(name, 1) * (name in CORE_FIELDS) for name in POSITIONED}
_LETTERS = {name: STEM_LETTERS.get(name, "") + REST_LETTER * (name in REST_FIELDS) for name in POSITIONED}
_GAPS = {name: gap(name) for name in POSITIONED}
_FACTS = [(name, fact_field(name)) for name in FACTS]

Row = dict[str, object]


def row_of(entry: Entry) -> Row:
    """What is indexed and kept of one document."""
    document, facts = entry.document, facts_of(entry)
    row: Row = {NUMBER: entry.number, CARD: pack(card_of(entry, facts))}
    for name, field in _FACTS:
        found = facts[name]
        if found:
            tokens = row[field] = values.tokens(found)
            if name in INITIALED:
                row[initial_field(name)] = list({initial_of(token) for token in tokens})
    for name, number in (("year", document.year), ("pages", document.pages)):
        if number is not None and abs(number) < _GREATEST:
            row[name] = number
    if document.events:
        row[EVENTS] = " ".join(map(values.event, document.events[:MOST_EVENTS]))
    view = DocumentView(document, identifier=entry.identifier)
    _Words(row, document).add(view.values("format"))
    _add_keys(row, view, entry)
    return row


class _Words:
    """The words of one document and their stems, field by field, on their way into its row.

    A twin of `DocumentView` in a third of its time; a test holds the two together.
    """

    def __init__(self, row: Row, document: Document) -> None:
        self._row = row
        self._document = document
        self._usual = usual_language(document)
        self._core: list[str] = []
        self._stems: list[str] = []

    def add(self, formats: Sequence[str]) -> None:
        """Put everything into the row."""
        document, row = self._document, self._row
        self._titles()
        for name, agents in (("creator", document.creators), ("contributor", document.contributors)):
            if agents:
                self._keep(name, [" ".join(words_of(agent.name)) for agent in agents])
        subjects = [(subject.value, subject.language or self._usual) for subject in document.subjects]
        self._share("subject", subjects + [(keyword, self._usual) for keyword in document.keywords])
        for name, attribute in _SHARED.items():
            self._share(name, [(value, self._usual) for value in getattr(document, attribute)])
        for name, value in (("institution", document.institution), ("department", document.department)):
            self._share(name, [(value, self._usual)] if value else [])
        self._share("format", [(value, None) for value in formats])
        self._description()
        if document.year is not None:
            self._core.append(str(document.year))
        for name, found in ((CORE, self._core), (STEMS, self._stems)):
            if found:
                row[name] = _cut(" ".join(found))

    def _titles(self) -> None:
        """Every document has its own."""
        titles = self._document.titles
        if titles:
            words = [words_of(title.value[:LONGEST_TEXT]) for title in titles]
            self._keep("title", list(map(" ".join, words)))
            for each, title in zip(words, titles, strict=True):
                stems = stem_text(each, title.language or self._usual).split()
                self._stems += [_TITLE_LETTER + stem for stem in stems]

    def _share(self, name: str, texts: list[tuple[str, str | None]]) -> None:
        """Values that other documents have, too."""
        if texts:
            words = [values.words(value) for value, _ in texts]
            self._keep(name, words)
            for letter in _LETTERS[name]:
                pairs = zip(words, texts, strict=True)
                self._stems += [
                    values.lettered_stems(letter, each, language) for each, (_, language) in pairs
                ]

    def _keep(self, name: str, words: list[str]) -> None:
        self._row[name] = words[0] if len(words) == 1 else _cut(_GAPS[name].join(words))
        self._core += words * _TIMES[name]

    def _description(self) -> None:
        """The one long text, whose stems have a field of their own."""
        texts = self._document.descriptions
        if texts:
            words = [words_of(text.value[:LONGEST_TEXT]) for text in texts]
            self._row[DESCRIPTION] = _cut(_GAPS[DESCRIPTION].join(map(" ".join, words)))
            pairs = zip(words, texts, strict=True)
            stems = " ".join(stem_text(each, text.language or self._usual) for each, text in pairs)
            self._row[DESCRIPTION_STEMS] = _cut(stems)


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
