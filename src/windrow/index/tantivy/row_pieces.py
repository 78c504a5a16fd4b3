"""Pieces of rows that many documents share, computed once, and the words of a row.

A repository has some hundred departments and some dozen kinds of documents. A row starts as a copy of the
piece for its origin and the one for its kind, which saves half of the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from sys import intern
from typing import Generic, NamedTuple, TypeVar

from windrow.config.collection_values import EVENT_FACETS
from windrow.index.tantivy.layout import (
    CORE,
    CORE_FIELDS,
    CORE_LETTER,
    DESCRIPTION,
    DESCRIPTION_STEMS,
    NOTES,
    POSITIONED,
    SLOT_LETTERS,
    STEM_LETTERS,
    STEM_PLACES,
    STEMS,
    TEXT,
    TEXT_STEMS,
    TITLE_SIGN,
    WEIGHTS,
    encode_ascii,
    event_token,
    fact_field,
    fact_token,
    gap,
    title_sign,
)
from windrow.model.controlled_values import TYPE, ControlledValues, load_controlled_values
from windrow.model.counted_fields import (
    counted_value,
    counted_values,
    department_value,
    partner_pairs,
    rights_words,
    type_words,
)
from windrow.model.document import Event, Text, Unit
from windrow.model.document_view import is_readable_text
from windrow.model.rights import access_from_statements, licences_from_statements
from windrow.model.text.collation import initial_letter
from windrow.model.text.folding import folded_text, folded_words
from windrow.model.text.word_forms import joined_stems, stem_text, stems_in

# Caches of values that many documents share, a hot path. A library of a million records has some hundred
# thousand subjects, keywords and events, which recur often. Names and titles are not cached: most occur once
# and would only displace frequent values.

MOST_KEPT = 100_000  # per kind; then the cache is cleared, and frequent values soon return
LONGEST_KEPT = 100  # letters; longer values rarely recur
MOST_LANGUAGES = 10  # with separate caches: hardly any value states its language

_CORE_LETTERS = "".join(STEM_PLACES.get(name, "") for name in CORE_FIELDS)
_LETTERS = {name: letter + CORE_LETTER * (letter in _CORE_LETTERS) for name, letter in STEM_LETTERS.items()}

K = TypeVar("K")
V = TypeVar("V")
Spoken = tuple[str, str | None]  # a value and its language


class Memory(dict[K, V], Generic[K, V]):
    """A cache of a function. Thread-safe: two threads may compute the same value."""

    def __init__(self, make: Callable[[K], V], most: int = MOST_KEPT) -> None:
        super().__init__()
        self._make = make
        self._most = most

    def __missing__(self, key: K) -> V:
        made = self._make(key)
        if len(self) >= self._most:
            self.clear()
        self[key] = made
        return made


class Topic(NamedTuple):
    """Everything derived from a subject or keyword, in one entry to save lookups."""

    fact: str  # as counted
    token: str  # the term for that; "" if it is not counted
    initial: int
    words: str
    stems: str


def initials(tokens: Iterable[str]) -> list[int]:
    """Return the distinct first letters of terms as numbers, which are only counted."""
    return list({ord(initial_letter(token)) for token in tokens})


def title_initial(key: str) -> list[str]:
    """Return the term of the letter a title is listed under, from its sort key."""
    return _TITLE_INITIALS[initial_letter(key)]


def lettered(field: str, value: str, words: Sequence[str], language: str | None) -> str:
    """Return the stems of a value's words, each with the letters of its fields as prefix."""
    found = dict.fromkeys((*stems_in(words, language), *joined_stems(value)))
    return " ".join([letter + stem for letter in _LETTERS[field] for stem in found])


def _topic(field: str, language: str | None, value: str) -> Topic:
    counted, words = counted_value(value), folded_words(value)
    token = fact_token(counted)
    return Topic(counted, token, _initial(token), " ".join(words), lettered(field, value, words, language))


class _Short(Memory[str, V]):
    """A cache that computes long values without storing them."""

    def __missing__(self, value: str) -> V:
        return super().__missing__(value) if len(value) <= LONGEST_KEPT else self._make(value)


def _initial(token: str) -> int:
    return ord(initial_letter(token))


def _note_words(value: str) -> str | None:
    """Return the words of a note; None if the value is not readable text."""
    return folded_text(value) if is_readable_text(value) else None


class Happening(NamedTuple):
    """Everything derived from an event."""

    slots: str  # a row of terms, one for each slot
    tokens: tuple[str, ...]  # the facet terms, in the order of EVENT_FACETS; "" for none


def _happening(event: Event) -> Happening:
    slots = (event_token(letter, getattr(event, slot) or "") for slot, letter in SLOT_LETTERS.items())
    counted = (counted_value(getattr(event, _EVENT_VALUES.get(name, name)) or "") for name in EVENT_FACETS)
    # Interned: events share few terms, which are then compared by identity.
    return Happening(" ".join(slots), tuple(intern(fact_token(value)) if value else "" for value in counted))


_EVENT_VALUES = {"event_language": "language"}


def _spoken(field: str) -> Memory[str | None, Memory[str, Topic]]:
    return Memory(lambda language: _Short(partial(_topic, field, language)), MOST_LANGUAGES)


# By language and value.
SUBJECTS, KEYWORDS = _spoken("subject"), _spoken("keyword")
_TITLE_INITIALS: Memory[str, list[str]] = Memory(lambda letter: [fact_token(letter)])
EVENTS: Memory[Event, Happening] = Memory(_happening)
NOTE_WORDS: Memory[str, str | None] = _Short(_note_words)  # places, labels of links

# The words and stems of one document, field by field. A hot path. It does the same as `DocumentView` in a
# third of the time; a test compares the two.

LONGEST_TEXT = 200_000  # indexed letters of one field
LONGEST_FILE = 5_000_000  # letters of the text of a file
_TIMES = {name: WEIGHTS.get(name, 1) * (name in CORE_FIELDS) for name in POSITIONED}
_TITLE_LETTERS = STEM_LETTERS["title"] + CORE_LETTER
_GAPS = {name: gap(name) for name in POSITIONED}

Row = dict[str, object]


class RowWords:
    """Adds the words of fields to a row; `finish` adds the combined fields."""

    __slots__ = ("core", "row", "stems")

    def __init__(self, row: Row) -> None:
        self.row = row
        self.core: list[str] = []
        self.stems: list[str] = []

    def add_titles(self, titles: Sequence[Text], usual: str | None) -> None:
        """Add titles, which are not cached because they rarely recur."""
        words = [folded_text(title.value[:LONGEST_TEXT]) for title in titles]
        self.keep("title", words)
        signs = self.row[TITLE_SIGN] = list[int]()
        for each, title in zip(words, titles, strict=True):
            split = each.split()
            signs.append(title_sign(split))
            stems = _with_joined(stem_text(split, title.language or usual), title.value[:LONGEST_TEXT])
            if stems:
                self.stems += [letter + stems.replace(" ", f" {letter}") for letter in _TITLE_LETTERS]

    def add_names(self, field: str, names: Iterable[str]) -> None:
        """Add names of people, which are not stemmed."""
        self.keep(field, list(map(folded_text, names)))

    def add(self, name: str, texts: Sequence[Spoken]) -> None:
        words = [folded_text(value) for value, _ in texts]
        self.keep(name, words)
        if name in STEM_LETTERS:
            for each, (value, language) in zip(words, texts, strict=True):
                self.stems.append(lettered(name, value, each.split(), language))

    def add_descriptions(self, texts: Sequence[Text], usual: str | None) -> None:
        """Add descriptions, whose stems have a field of their own."""
        words = [folded_text(text.value[:LONGEST_TEXT]) for text in texts]
        self.row[DESCRIPTION] = _cut(_GAPS[DESCRIPTION].join(words))
        languages = [text.language or usual for text in texts]
        stems = map(stem_text, map(str.split, words), languages)
        joined = (text.value[:LONGEST_TEXT] for text in texts)
        self.row[DESCRIPTION_STEMS] = _cut(" ".join(map(_with_joined, stems, joined)))

    def add_text(self, pages: Sequence[str], language: str | None) -> None:
        """Add the text of a file, with gaps between its pages as between values of other fields."""
        words, left = [], LONGEST_FILE
        for page in pages:
            words.append(folded_text(page[:left]))
            left -= len(page)
            if left <= 0:
                break
        if any(map(str.strip, words)):
            self.row[TEXT] = _GAPS[TEXT].join(words)
            found = [
                _with_joined(stem_text(each.split(), language), page)
                for each, page in zip(words, pages, strict=False)
            ]
            stems = dict.fromkeys(" ".join(found).split())
            self.row[TEXT_STEMS] = " ".join(stems)

    def add_notes(self, remarks: Iterable[str]) -> None:
        """Add text without a field of its own, which is neither in `core` nor stemmed."""
        notes = [words for words in map(NOTE_WORDS.__getitem__, remarks) if words is not None]
        if notes:
            self.row[NOTES] = _cut(_GAPS[NOTES].join(notes))

    def keep(self, name: str, words: list[str] | tuple[str, ...]) -> None:
        """Add the words of a field's values, one text for each, to their field and to `core`."""
        self.row[name] = _cut(words[0] if len(words) == 1 else _GAPS[name].join(words))
        self.core += words * _TIMES[name]

    def finish(self) -> None:
        """Add the fields that combine several others."""
        for name, found in ((CORE, self.core), (STEMS, self.stems)):
            if found:
                self.row[name] = _cut(" ".join(found))


def _with_joined(stems: str, text: str) -> str:
    joined = joined_stems(text)
    return " ".join(filter(None, (stems, *joined))) if joined else stems


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT].rpartition(" ")[0]


MOST_PIECES = 5_000  # cached per kind
LONGEST_PIECE = 10_000  # letters; longer ones are not cached

Texts = tuple[str, ...]


class Place(NamedTuple):
    """The origin of a document; `usual` is the language of texts that state none."""

    source: str
    sets: Texts
    units: tuple[Unit, ...]
    collections: Texts
    publishers: Texts
    usual: str | None


class Kind(NamedTuple):
    """The kind of a document."""

    types: Texts
    languages: Texts
    rights: Texts
    formats: Texts
    statements: Texts  # rights statements, from all elements
    usual: str | None
    table: ControlledValues | None = None  # of types


class Piece(NamedTuple):
    """Finished fields of a row, and additions to combined fields."""

    row: Row
    text: str  # the fields as JSON, to be continued
    core: tuple[str, ...]
    stems: tuple[str, ...]
    facts: Mapping[str, Texts]


def place_piece(place: Place) -> Piece:
    return _PLACES[place]


def kind_piece(kind: Kind) -> Piece:
    return _KINDS[kind]


PieceKey = TypeVar("PieceKey", bound=Place | Kind)


class _Pieces(Memory[PieceKey, Piece]):
    """A cache of pieces, except those that a hostile record has made long."""

    def __missing__(self, key: PieceKey) -> Piece:
        return super().__missing__(key) if _length(key) <= LONGEST_PIECE else self._make(key)


def _length(key: object) -> int:
    if isinstance(key, tuple):
        return sum(map(_length, key))
    return len(key) if isinstance(key, str) else 0


def _of_place(place: Place) -> Piece:
    institutions = tuple(unit.institution for unit in place.units if unit.institution)
    departments = tuple(unit.department for unit in place.units if unit.department)
    words = {"publisher": place.publishers, "institution": institutions, "department": departments}
    words["holding"] = place.collections
    facts = words | {"affiliation": institutions, "source": (place.source,), "set": place.sets}
    facts["unit"] = tuple(map(department_value, place.units))
    partners = partner_pairs(counted_values(institutions))
    made = _piece(words, facts, place.usual)
    if not partners:
        return made
    row = made.row | {fact_field("partners"): list(map(fact_token, partners))}
    return made._replace(row=row, text=_written(row))


def _of_kind(kind: Kind) -> Piece:
    access, licences = (access_from_statements(kind.statements),), licences_from_statements(kind.statements)
    types = (kind.table or load_controlled_values(TYPE)).names(kind.types)
    words = {"rights": kind.rights, "format": kind.formats}
    spoken = {
        "type": tuple(type_words(kind.types, kind.usual, kind.table)),
        "access": tuple(rights_words("access", access)),
        "licence": tuple(rights_words("licence", licences)),
    }
    counted = {"type": types, "language": kind.languages, "access": access, "licence": licences}
    return _piece(words, counted, kind.usual, spoken)


def _piece(
    words: Mapping[str, Texts],
    counted: Mapping[str, Texts],
    usual: str | None,
    spoken: Mapping[str, tuple[Spoken, ...]] | None = None,
) -> Piece:
    row: Row = {}
    facts = {name: counted_values(texts) for name, texts in counted.items()}
    for name, found in facts.items():
        if found:
            row[fact_field(name)] = list(map(fact_token, found))
    made = RowWords(row)
    for name, texts in words.items():
        if texts:
            made.add(name, [(value, usual) for value in texts])
    for name, pairs in (spoken or {}).items():
        if pairs:
            made.add(name, pairs)
    return Piece(row, _written(row), tuple(made.core), _each_once(made.stems), facts)


def _each_once(stems: Sequence[str]) -> Texts:
    """Return stems without repetitions across fields; their frequency does not count."""
    return tuple(dict.fromkeys(" ".join(stems).split()))


def _written(row: Row) -> str:
    """Return fields as JSON, with single values instead of lists of one, which Tantivy parses faster."""
    made = {name: _single(value) for name, value in row.items()}
    return encode_ascii(made)[1:-1] + "," if row else ""


def _single(value: object) -> object:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


_PLACES = _Pieces[Place](_of_place, MOST_PIECES)
_KINDS = _Pieces[Kind](_of_kind, MOST_PIECES)
