"""What many documents have alike, as pieces of rows that are made once: where they come from, what they are.

A repository has some hundred departments and some dozen kinds of things; a row begins as a copy of two such
pieces, which saves half of what making it would take.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

from windrow.index import values
from windrow.index.layout import fact_field
from windrow.index.packing import encode_ascii
from windrow.index.row_words import Row, RowWords
from windrow.index.tokens import fact_token
from windrow.index.values import Spoken
from windrow.model.concepts import TYPE, ConceptTable, built_in
from windrow.model.document import Unit
from windrow.model.facts import facts_in, unit_fact
from windrow.model.normalising import rights_words, type_words
from windrow.model.partners import partners_of
from windrow.model.rights import access_of, licences_of

MOST_PIECES = 5_000  # of each kind that are remembered
LONGEST_PIECE = 10_000  # letters; longer ones are made and forgotten

Texts = tuple[str, ...]


class Place(NamedTuple):
    """Where a document comes from; `usual` is the language of what does not say its own."""

    source: str
    sets: Texts
    units: tuple[Unit, ...]
    collections: Texts
    publishers: Texts
    usual: str | None


class Kind(NamedTuple):
    """What sort of thing a document is about."""

    types: Texts
    languages: Texts
    rights: Texts
    formats: Texts
    statements: Texts  # of rights, from all elements
    usual: str | None
    table: ConceptTable | None = None  # of types


class Piece(NamedTuple):
    """Fields of a row that are ready, and what it adds to those that are not."""

    row: Row
    text: str  # the same as JSON, to be gone on with
    core: tuple[str, ...]
    stems: tuple[str, ...]
    facts: Mapping[str, Texts]


def place_piece(place: Place) -> Piece:
    """What all documents from one place have alike."""
    return _PLACES[place]


def kind_piece(kind: Kind) -> Piece:
    """What all documents of one sort have alike."""
    return _KINDS[kind]


K = TypeVar("K", bound=Place | Kind)


class _Pieces(values.Memory[K, Piece]):
    """Remembers pieces, but none that a hostile record has made long."""

    def __missing__(self, key: K) -> Piece:
        return super().__missing__(key) if _length(key) <= LONGEST_PIECE else self._make(key)


def _length(key: object) -> int:
    """How many letters there are in a key."""
    if isinstance(key, tuple):
        return sum(map(_length, key))
    return len(key) if isinstance(key, str) else 0


def _of_place(place: Place) -> Piece:
    institutions = tuple(unit.institution for unit in place.units if unit.institution)
    departments = tuple(unit.department for unit in place.units if unit.department)
    words = {"publisher": place.publishers, "institution": institutions, "department": departments}
    words["holding"] = place.collections
    facts = words | {"affiliation": institutions, "source": (place.source,), "set": place.sets}
    facts["unit"] = tuple(map(unit_fact, place.units))
    partners = partners_of(facts_in(institutions))
    made = _piece(words, facts, place.usual)
    if not partners:
        return made
    row = made.row | {fact_field("partners"): list(map(fact_token, partners))}
    return made._replace(row=row, text=_written(row))


def _of_kind(kind: Kind) -> Piece:
    access, licences = (access_of(kind.statements),), licences_of(kind.statements)
    types = (kind.table or built_in(TYPE)).names(kind.types)
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
    facts = {name: facts_in(texts) for name, texts in counted.items()}
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
    """Stems without those that several fields have alike: how often one is there does not count."""
    return tuple(dict.fromkeys(" ".join(stems).split()))


def _written(row: Row) -> str:
    """Return fields as JSON, a list of one value as that value, which Tantivy reads alike and faster."""
    made = {name: _single(value) for name, value in row.items()}
    return encode_ascii(made)[1:-1] + "," if row else ""


def _single(value: object) -> object:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


_PLACES = _Pieces[Place](_of_place, MOST_PIECES)
_KINDS = _Pieces[Kind](_of_kind, MOST_PIECES)
