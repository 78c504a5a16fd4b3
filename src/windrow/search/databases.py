"""Databases: the named parts of a library that SRU and Z39.50 search.

`Default` is the whole library; each collection and each source is a database of its own name. Other
implementations of the `Database` protocol can be added, such as a vocabulary as a database of its concepts.

A search is counted immediately and pinned to one generation of the index; its records are fetched on request,
in any range and at any depth. All of this blocks and is bounded by the limits of the index, so servers run it
in the search pools (`windrow.web.http.thread_pools.SearchPools`).
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

DEFAULT = "Default"  # the usual name among Z39.50 servers
MAX_RECORDS = 1000  # per request

ScanTerms = Sequence[ScanTerm]


class Record(Protocol):
    """One record of a result. `record_schemas` renders it in any of its formats."""

    @property
    def place(self) -> int:
        """Its position in the result, from 1."""

    @property
    def source(self) -> str:
        """The name of its source; for records without a source, that of the database."""

    @property
    def identifier(self) -> str:
        """Its identifier at the source."""

    @property
    def document(self) -> Document:
        """The normalised document with its events; empty if the metadata cannot be read."""

    @property
    def payloads(self) -> Sequence[StoredPayload]:
        """Its metadata in every format as harvested."""

    @property
    def rendered(self) -> Mapping[str, bytes]:
        """XML that exists in no other form, such as the Zthes of a concept, by schema name."""

    @property
    def stamp(self) -> str:
        """The datestamp from its source."""

    @property
    def changed(self) -> datetime | None:
        """When it last changed in the library."""


class FoundRecord:
    """A record of the library. Its document is mapped on first access."""

    rendered: Mapping[str, bytes] = {}

    def __init__(self, place: int, stored: StoredRecord) -> None:
        self.place = place
        self.stored = stored

    @property
    def source(self) -> str:
        return self.stored.source

    @property
    def identifier(self) -> str:
        return self.stored.identifier

    @property
    def payloads(self) -> Sequence[StoredPayload]:
        return self.stored.payloads

    @property
    def stamp(self) -> str:
        return self.stored.stamp

    @property
    def changed(self) -> datetime | None:
        return self.stored.changed_at

    @cached_property
    def document(self) -> Document:
        return map_record(self.stored, self.stored.payload()).document


@dataclass(frozen=True, slots=True)
class MissingRecord:
    """A position in the result whose record was withdrawn since the search."""

    place: int


Records = list[Record | MissingRecord]


class Hits(Protocol):
    """The result of a search, pinned to one generation of the index."""

    @property
    def total(self) -> int:
        """The exact number of records."""

    @property
    def generation(self) -> str:
        """The generation of the index that was searched."""

    def records(self, start: int, count: int) -> Records:
        """Return up to MAX_RECORDS records from position `start` (from 1); fewer only at the end."""


class Database(Protocol):
    """A named part of the library that SRU and Z39.50 can search."""

    @property
    def name(self) -> str:
        """Its name in requests."""

    @property
    def title(self) -> str:
        """Its name for people."""

    @property
    def description(self) -> str:
        """A description in one sentence."""

    @property
    def schemas(self) -> Sequence[str]:
        """The names of its record schemas, the default one first."""

    @property
    def indexes(self) -> Mapping[str, str]:
        """CQL indexes beyond those of `protocols.cql`, by name, each with its field."""

    @property
    def generation(self) -> str:
        """Changes whenever an answer may have changed."""

    def search(self, query: Query, sort: Sequence[SortKey] = (), *, expected: int = 0) -> Hits:
        """Find records; the first `expected` of them are likely to be fetched next.

        Raises QueryTooCostly for a query over the limits and UsageError for an unsupported sort.
        """

    def scan(
        self, name: str | None, term: str, *, before: int = 0, size: int = 20, is_whole: bool = False
    ) -> ScanTerms:
        """Return `before` terms before a term and `size` from it on, each with its count."""

    def tally(self, query: Query, tallies: Sequence[FacetRequest]) -> tuple[FacetCounts, ...]:
        """Count the values of fields among the records that match a query."""


class LibraryDatabase:
    """The whole library, or the sources of one collection."""

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
        """Store the scope: `sources` are the names of its sources; None means all.

        `expander` adds terms from the vocabularies of the `collection`, or of all, to queries.
        """
        self.name = name
        self.title = title
        self.description = description
        self.sources = sources
        self._index = index
        self._store = store
        self._schemas = schemas
        self._known_schemas: tuple[str, Sequence[str]] | None = None  # with the generation of the index
        self._expander = expander
        self._collection = collection

    @property
    def schemas(self) -> Sequence[str]:
        """The record schemas of its records, cached for each generation of the index."""
        known, generation = self._known_schemas, self.generation
        if known is None or known[0] != generation:
            known = self._known_schemas = generation, self._schemas()
        return known[1]

    @property
    def generation(self) -> str:
        return self._index.generation

    @cached_property
    def scope(self) -> Query:
        """A query that matches all of its records."""
        if self.sources is None:
            return Everything()
        return any_of(Value(source, "source") for source in self.sources)

    def joined(self, others: Iterable[LibraryDatabase]) -> LibraryDatabase:
        """Return this part of the library joined with others, under this name."""
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
        return IndexHits(
            self._index.newest(), self._store, self._meant(query), tuple(sort), min(expected, MAX_RECORDS)
        )

    def scan(
        self, name: str | None, term: str, *, before: int = 0, size: int = 20, is_whole: bool = False
    ) -> ScanTerms:
        return self._index.scan(name, term, before=before, limit=size, is_whole=is_whole, query=self.scope)

    def tally(self, query: Query, tallies: Sequence[FacetRequest]) -> tuple[FacetCounts, ...]:
        return self._index.tally(self._meant(query), tallies)

    def _meant(self, query: Query) -> Query:
        """Restrict a query to this database, with narrower concepts and synonyms where configured."""
        if self._expander is not None and self._expander.is_usual:
            query = self._expander.expand(query, self._collection).query
        return all_of([query, self.scope])


class IndexHits:
    """The result of a search, which keeps its generation of the index open."""

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
        return self._index.generation

    def numbers(self, start: int, count: int) -> list[int]:
        """Return the record numbers from position `start` (from 1)."""
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
        numbers = self.numbers(start, count)
        return fetch_records(self._store, numbers, first=max(1, start))


def fetch_records(store: Store, numbers: Sequence[int], *, first: int = 1) -> Records:
    """Return records by number, in this order; `first` is the position of the first one."""
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
    """The databases of one library by name. The first of two with the same name wins."""

    def __init__(
        self, databases: Iterable[Database], others: Callable[[], Iterable[Database]] = tuple
    ) -> None:
        """`others` returns databases that are added or removed while the library is open."""
        self._fixed = _by_name(databases)
        self._others = others

    def names(self) -> tuple[str, ...]:
        """Return all names, `Default` first."""
        return tuple(self._named())

    def get(self, name: str) -> Database:
        """Return a database by its name, ignoring case; raises NotFound."""
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
        """Return several databases as one, with each record only once.

        Raises NotFound for an unknown name and UsageError for databases that cannot be combined: only parts
        of the library can.
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
    """Return the library, its collections, its sources and other databases as `Databases`.

    `schemas` returns the record schemas of some sources, or of all; `others` returns the other databases at
    the time of the call; `expander` adds terms from vocabularies to queries. A collection hides a source of
    the same name.
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
