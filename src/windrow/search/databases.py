"""Databases: what SRU and Z39.50 call the parts of a library that can be searched by name.

`Default` is the whole library; each collection and each source is a database of its own name. Whatever else
keeps the `Database` protocol can be put beside them: a vocabulary is a database of its concepts.

A search is counted at once and pinned to one state of the index; its records are fetched when they are asked
for, any range of them, however deep. All of this blocks, and is bounded by the budget of the index, so
servers run it in the pools for searches (`windrow.web.http.thread_pools.SearchPools`).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from typing import Protocol

from windrow.config.schema import Config
from windrow.errors import NotFound, UsageError
from windrow.exports.entries import map_record
from windrow.index.protocol import FacetCounts, FacetRequest, Index, ScanTerm, SortKey
from windrow.model.document import Document
from windrow.model.query import Everything, Query, Value, all_of, any_of
from windrow.model.thesaurus import Expander
from windrow.store.records.record_reader import RecordReader, StoredPayload, StoredRecord
from windrow.store.store import Store

DEFAULT = "Default"  # the whole library, as Z39.50 servers call it
MAX_RECORDS = 1000  # of one request

ScanTerms = Sequence[ScanTerm]


class Record(Protocol):
    """One record of a result. `RecordSchemas` writes it in any of its formats."""

    @property
    def place(self) -> int:
        """Where it is among the results, from 1."""

    @property
    def source(self) -> str:
        """The source that it came from; of records that came from none, the database."""

    @property
    def identifier(self) -> str:
        """What its source calls it."""

    @property
    def document(self) -> Document:
        """The normalised view, with its events; an empty one where its metadata cannot be read."""

    @property
    def payloads(self) -> Sequence[StoredPayload]:
        """Its metadata in every format as it was harvested."""

    @property
    def rendered(self) -> Mapping[str, bytes]:
        """XML that is there in no other way, such as the Zthes of a concept, by the name of the schema."""

    @property
    def stamp(self) -> str:
        """The datestamp by its source."""

    @property
    def changed(self) -> datetime | None:
        """When it last changed in the library."""


class FoundRecord:
    """A record of the library. Its document is made when it is first looked at."""

    rendered: Mapping[str, bytes] = {}

    def __init__(self, place: int, stored: StoredRecord) -> None:
        self.place = place
        self.stored = stored

    @property
    def source(self) -> str:
        """The source that it came from."""
        return self.stored.source

    @property
    def identifier(self) -> str:
        """What its source calls it."""
        return self.stored.identifier

    @property
    def payloads(self) -> Sequence[StoredPayload]:
        """Its metadata as it was harvested."""
        return self.stored.payloads

    @property
    def stamp(self) -> str:
        """The datestamp by its source."""
        return self.stored.stamp

    @property
    def changed(self) -> datetime | None:
        """When it last changed in the library."""
        return self.stored.changed_at

    @cached_property
    def document(self) -> Document:
        """The normalised view."""
        return map_record(self.stored, self.stored.payload()).document


@dataclass(frozen=True, slots=True)
class MissingRecord:
    """A place among the results whose record was withdrawn since they were found."""

    place: int


Records = list[Record | MissingRecord]


class Hits(Protocol):
    """What a search found, as the index was then."""

    @property
    def total(self) -> int:
        """How many there are, exactly."""

    @property
    def generation(self) -> str:
        """The state of the index that they were found in."""

    def records(self, start: int, count: int) -> Records:
        """Return the records from a place on (from 1), at most MOST_RECORDS; fewer only at the end."""


class Database(Protocol):
    """Something that SRU and Z39.50 search by its name."""

    @property
    def name(self) -> str:
        """What requests call it."""

    @property
    def title(self) -> str:
        """What people call it."""

    @property
    def description(self) -> str:
        """What it is, in a sentence."""

    @property
    def schemas(self) -> Sequence[str]:
        """The record schemas that its records can be had in, by their names; the usual one first."""

    @property
    def indexes(self) -> Mapping[str, str]:
        """Names of indexes in CQL beyond those of `protocols.cql`, each with the field that it stands for."""

    @property
    def generation(self) -> str:
        """Another one whenever an answer may have changed."""

    def search(self, query: Query, sort: Sequence[SortKey] = (), *, expected: int = 0) -> Hits:
        """Find records; QueryTooCostly for what would take too long, UsageError for a sort that cannot be.

        So many of them, from the first on, are expected to be asked for next.
        """

    def scan(
        self, name: str | None, term: str, *, before: int = 0, size: int = 20, is_whole: bool = False
    ) -> ScanTerms:
        """Return terms of a field: so many before one, and so many from it on, all with their counts."""

    def tally(self, query: Query, tallies: Sequence[FacetRequest]) -> tuple[FacetCounts, ...]:
        """Count the values of fields among what a query finds."""


class LibraryDatabase:
    """A library, or those of its sources that a collection has."""

    indexes: Mapping[str, str] = {}

    def __init__(
        self,
        name: str,
        title: str,
        index: Index,
        store: Store,
        *,
        description: str = "",
        sources: Sequence[str] | None = None,
        schemas: Callable[[], Sequence[str]] = tuple,
        expander: Expander | None = None,
        collection: str | None = None,
    ) -> None:
        """`sources` are the names of those that it has; None: all there are.

        `expander` adds what vocabularies know to queries: those of the `collection`, or of all.
        """
        self.name = name
        self.title = title
        self.description = description
        self.sources = sources
        self._index = index
        self._store = store
        self._schemas = schemas
        self._known_schemas: tuple[str, Sequence[str]] | None = None  # with the state of the index
        self._expander = expander
        self._collection = collection

    @property
    def schemas(self) -> Sequence[str]:
        """The record schemas of its records, looked up once for each state of the index."""
        known, generation = self._known_schemas, self.generation
        if known is None or known[0] != generation:
            known = self._known_schemas = generation, self._schemas()
        return known[1]

    @property
    def generation(self) -> str:
        """The state of the index."""
        return self._index.generation

    @cached_property
    def scope(self) -> Query:
        """What finds all of its records."""
        if self.sources is None:
            return Everything()
        return any_of(Value(source, "source") for source in self.sources)

    def joined(self, others: Iterable[LibraryDatabase]) -> LibraryDatabase:
        """Return this part of the library together with others, under the name of this one."""
        sources = self.sources
        for other in others:
            if sources is None or other.sources is None:
                sources = None
                break
            sources = tuple(dict.fromkeys((*sources, *other.sources)))
        return LibraryDatabase(
            self.name,
            self.title,
            self._index,
            self._store,
            sources=sources,
            schemas=self._schemas,
            expander=self._expander,
        )

    def search(self, query: Query, sort: Sequence[SortKey] = (), *, expected: int = 0) -> Hits:
        """Find records."""
        return IndexHits(
            self._index.newest(), self._store, self._meant(query), tuple(sort), min(expected, MAX_RECORDS)
        )

    def scan(
        self, name: str | None, term: str, *, before: int = 0, size: int = 20, is_whole: bool = False
    ) -> ScanTerms:
        """Return terms of a field."""
        return self._index.scan(name, term, before=before, limit=size, is_whole=is_whole, query=self.scope)

    def tally(self, query: Query, tallies: Sequence[FacetRequest]) -> tuple[FacetCounts, ...]:
        """Count the values of fields among what a query finds."""
        return self._index.tally(self._meant(query), tallies)

    def _meant(self, query: Query) -> Query:
        """Return a query within this database, with narrower concepts and synonyms where they are wanted."""
        if self._expander is not None and self._expander.is_usual:
            query = self._expander.expand(query, self._collection).query
        return all_of([query, self.scope])


class IndexHits:
    """What was found in one state of the index, which it keeps."""

    def __init__(
        self, index: Index, store: Store, query: Query, sort: tuple[SortKey, ...], expected: int
    ) -> None:
        self._index = index
        self._store = store
        self._query = query
        self._sort = sort
        self._ordered: array[int] | None = None
        self._first: Sequence[int] = ()
        if sort:
            self._ordered = array("q", index.numbers(query, sort=sort, limit=-1))
            self.total = len(self._ordered)
        elif expected > 0:
            self.total, self._first = index.first_numbers(query, expected)
        else:
            self.total = index.count(query)

    @property
    def generation(self) -> str:
        """The state of the index."""
        return self._index.generation

    def numbers(self, start: int, count: int) -> list[int]:
        """Return the numbers of records from a place on (from 1)."""
        offset = max(0, start - 1)
        limit = max(0, min(count, MAX_RECORDS, self.total - offset))
        if not limit:
            return []
        if self._ordered is not None:
            return self._ordered[offset : offset + limit].tolist()
        if offset + limit <= len(self._first):
            return list(self._first[offset : offset + limit])
        return self._index.numbers(self._query, offset=offset, limit=limit)

    def records(self, start: int, count: int) -> Records:
        """Return the records from a place on."""
        numbers = self.numbers(start, count)
        return fetch_records(self._store, numbers, first=max(1, start))


def fetch_records(store: Store, numbers: Sequence[int], *, first: int = 1) -> Records:
    """Return records by their numbers, in this order; `first` is the place of the first one."""
    if not numbers:
        return []
    with store.reading() as connection:
        found = RecordReader().get(connection, numbers, public_only=True)
    made: Records = []
    for place, number in enumerate(numbers, first):
        record = found.get(number)
        made.append(MissingRecord(place) if record is None else FoundRecord(place, record))
    return made


class Databases:
    """The databases of one library, by their names. Of two with the same name, the first one has it."""

    def __init__(
        self, databases: Iterable[Database], others: Callable[[], Iterable[Database]] = tuple
    ) -> None:
        """`others` returns databases that come and go while the library is open."""
        self._fixed = _by_name(databases)
        self._others = others

    def names(self) -> tuple[str, ...]:
        """Return all names, `Default` first."""
        return tuple(self._named())

    def get(self, name: str) -> Database:
        """Return a database, whatever the case of its name; NotFound where there is none."""
        named = self._fixed if name in self._fixed else self._named()
        found = named.get(name)
        if found is None:
            wanted = name.casefold()
            found = next((each for known, each in named.items() if known.casefold() == wanted), None)
        if found is None:
            raise NotFound(f"there is no database {name[:100]!r}", hint=f"There are: {', '.join(named)}.")
        return found

    def _named(self) -> dict[str, Database]:
        return _by_name((*self._fixed.values(), *self._others()))

    def combined(self, names: Sequence[str]) -> Database:
        """Return several databases as one; NotFound for an unknown one, UsageError where they cannot be.

        Parts of the library can, and a record that is in two of them is found once.
        """
        found = list({each.name: each for each in map(self.get, names)}.values())
        if len(found) == 1:
            return found[0]
        parts = [each for each in found if isinstance(each, LibraryDatabase)]
        if not parts or len(parts) < len(found):
            raise UsageError(
                "these databases cannot be searched together", hint="Ask for one of them at a time."
            )
        return parts[0].joined(parts[1:])


def _by_name(databases: Iterable[Database]) -> dict[str, Database]:
    found: dict[str, Database] = {}
    for database in databases:
        found.setdefault(database.name, database)
    return found


def library_databases(
    config: Config,
    index: Index,
    store: Store,
    *,
    schemas: Callable[[Sequence[str] | None], Sequence[str]],
    others: Callable[[], Iterable[Database]] = tuple,
    expander: Expander | None = None,
) -> Databases:
    """Return the library, its collections, its sources, and what else there is, each as a database.

    `schemas` returns the record schemas of some sources, or of all; `others` returns what else there is at
    the time; `expander` adds what vocabularies know to queries. Of a collection and a source of the same
    name, the collection has it.
    """

    def database(
        name: str, title: str, sources: Sequence[str] | None, collection: str | None = None
    ) -> Database:
        return LibraryDatabase(
            name,
            title,
            index,
            store,
            sources=sources,
            schemas=partial(schemas, sources),
            expander=expander,
            collection=collection,
        )

    groups = config.collections.items()
    return Databases(
        (
            database(DEFAULT, config.library.name, None),
            *(database(name, each.title or name, each.sources, name) for name, each in groups),
            *(database(name, name, (name,)) for name in config.sources),
        ),
        others,
    )
