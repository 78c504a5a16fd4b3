"""SQLite: the records as a relational database with keys and indexes, for any SQL tool.

The schema is `relational.sql`, which the reference page includes unchanged. Names that many records share
(people, institutions, subjects …) have a table each, in the spelling that the portal counts, so that
queries over this file give the same numbers as the portal.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from itertools import chain, islice
from pathlib import Path
from typing import Any

from windrow import __version__
from windrow.config import kinds
from windrow.errors import StoreFull, UsageError
from windrow.exports.entries import Entry
from windrow.model.controlled_values import TYPE, ControlledValues, load_controlled_values
from windrow.model.counted_fields import access_and_licences, counted_value, field_values, tidy_value
from windrow.model.document import Document, document_units
from windrow.model.document_dates import counted_year, parse_day
from windrow.model.topics import counted_names
from windrow.store.connection import Connection
from windrow.store.records.set_hierarchy import GUARD, find_guarded

SCHEMA_VERSION = 1  # raised whenever a table or column is renamed, removed or changes its meaning
BATCH = 500  # records written at a time
MOST_NAMES = 100_000  # per table: names whose row numbers are kept in memory
_APPLICATION_ID = 0x57696E64  # "Wind": lets `file` and other tools recognize the database
_LARGEST_INTEGER = 2**63
_CACHE_KIBIBYTES = 64_000
_SOURCES = "SELECT id, name, url FROM source ORDER BY id"
_SETS = """
    SELECT id, source_id, spec, NULLIF(name, ''), parent_id, merged_into FROM source_set
    WHERE spec NOT LIKE ? ORDER BY id
"""

Row = Sequence[Any]


@dataclass(frozen=True, slots=True)
class LibraryFacts:
    """The facts about the library in an export, besides the records."""

    name: str
    kinds: Mapping[str, str]  # of sources, by name
    collections: Mapping[str, tuple[str, Sequence[str]]]  # title and sources, by name
    year_starts: int = 0  # first day of the portal's years, such as 801 for 1 August
    types: Callable[[str], ControlledValues | None] = lambda _: (
        None
    )  # the owner's table of types for a source


def schema() -> str:
    """Return the statements that create the tables, views and indexes."""
    return (files("windrow.exports") / "relational.sql").read_text(encoding="utf-8")


def write(
    entries: Iterable[Entry],
    path: Path,
    connection: Connection,
    facts: LibraryFacts,
    *,
    sources: Sequence[str],
) -> None:
    """Write a database to an empty file; `sources` are the chosen ones, or empty for all."""
    with _creating(path) as database:
        tables, _, indexes = schema().partition("-- Indexes")
        database.executescript(tables)
        writer = _Writer(database, connection, facts)
        writer.add_sources(facts, sources)
        left = iter(entries)
        while batch := list(islice(left, BATCH)):
            writer.add(batch)
        _note(database, facts)
        # Sorting externally is many times faster than updating the indexes row by row.
        database.executescript("-- " + indexes)
        database.execute("ANALYZE")


@contextmanager
def _creating(path: Path) -> Iterator[sqlite3.Connection]:
    """Open an empty file as a database without a journal: it is renamed when complete, otherwise deleted."""
    database = sqlite3.connect(path, isolation_level=None)
    try:
        for pragma in ("journal_mode = OFF", "synchronous = OFF", f"cache_size = -{_CACHE_KIBIBYTES}"):
            database.execute(f"PRAGMA {pragma}")
        database.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        yield database
    except sqlite3.Error as exc:
        if exc.sqlite_errorcode == sqlite3.SQLITE_FULL:
            raise StoreFull("the disk is full", hint="Make room, or choose another place.") from exc
        raise UsageError(f"the database could not be written: {exc}", hint="Is the disk sound?") from exc
    finally:
        with suppress(sqlite3.Error):
            database.close()


def _note(database: sqlite3.Connection, facts: LibraryFacts) -> None:
    (records,) = database.execute("SELECT COUNT(*) FROM record").fetchone()
    values = {
        "schema_version": SCHEMA_VERSION,
        "windrow_version": __version__,
        "library": facts.name,
        "exported_at": _utc(datetime.now(UTC)),
        "records": records,
        "year_starts": kinds.YEAR_START.show(facts.year_starts),
    }
    database.executemany("INSERT INTO export VALUES (?, ?)", [(k, str(v)) for k, v in values.items()])


class _Names:
    """The row numbers of a table of names, with the most recent ones in memory."""

    def __init__(self, database: sqlite3.Connection, table: str) -> None:
        self._database = database
        self._known: dict[str, int] = {}
        self._add = f"INSERT INTO {table} (name) VALUES (?) ON CONFLICT DO NOTHING"
        self._find = f"SELECT id FROM {table} WHERE name = ?"

    def __getitem__(self, name: str) -> int:
        found = self._known.get(name)
        if found is None:
            clean = _clean(name)
            cursor = self._database.execute(self._add, (clean,))
            if cursor.rowcount:
                found = int(cursor.lastrowid or 0)
            else:
                found = int(self._database.execute(self._find, (clean,)).fetchone()[0])
            if len(self._known) >= MOST_NAMES:
                self._known.clear()
            self._known[name] = found
        return found


class _Writer:
    """Converts records to rows, a batch at a time."""

    def __init__(self, database: sqlite3.Connection, connection: Connection, facts: LibraryFacts) -> None:
        self._database = database
        self._connection = connection
        self._year_starts = facts.year_starts
        self._types = facts.types
        self._sources: dict[str, int] = {}
        self._sets: dict[tuple[int, str], int] = {}
        self._names = {
            table: _Names(database, table)
            for table in ("person", "institution", "department", "subject", "keyword")
        }
        self._rows: dict[str, list[Row]] = {}

    def add_sources(self, facts: LibraryFacts, chosen: Sequence[str]) -> None:
        for number, name, url in self._connection.execute(_SOURCES):
            if not chosen or name in chosen:
                self._sources[name] = number
                self._put("source", number, name, facts.kinds.get(name), url)
        for number, (name, (title, members)) in enumerate(facts.collections.items(), start=1):
            here = [self._sources[member] for member in members if member in self._sources]
            if here:
                self._put("collection", number, name, title)
                for member in here:
                    self._put("collection_source", number, member)
        own = set(self._sources.values())
        for row in self._connection.execute(_SETS, (f"{GUARD}%",)):
            if row[1] in own:
                self._sets[row[1], row[2]] = row[0]
                self._put("source_set", *row)
        self._flush()

    def add(self, batch: Sequence[Entry]) -> None:
        self._database.execute("BEGIN")
        protected = find_guarded(self._connection, [entry.record.id for entry in batch])
        for entry in batch:
            self._add_record(entry, entry.record.id in protected)
            if not entry.record.is_deleted:
                self._add_document(entry.record.id, entry.record.source, entry.document)
        self._flush()
        self._database.execute("COMMIT")

    def _add_record(self, entry: Entry, is_protected: bool) -> None:
        record, document = entry.record, entry.document
        source = self._sources[record.source]
        self._put(
            "record",
            record.id,
            source,
            record.identifier,
            record.stamp,
            _utc(record.changed_at),
            record.is_deleted,
            is_protected,
            entry.payload.prefix if entry.payload else None,
            entry.problem or None,
            document.title,
            _integer(document.year),
            counted_year(document, self._year_starts),
            _integer(document.pages),
            None if record.is_deleted else access_and_licences(document)[0],
        )
        for spec in record.sets:
            self._put("record_set", record.id, self._sets[source, spec])

    def _add_document(self, number: int, source: str, document: Document) -> None:
        self._put_each("record_title", number, document.titles)
        self._put_each("record_description", number, document.descriptions)
        self._add_people(number, document)
        for table in ("institution", "department"):
            for name in field_values(document, table) or ():
                self._put(f"record_{table}", number, self._names[table][name])
        self._put_each("record_unit", number, self._units(document))
        subjects, keywords = self._names["subject"], self._names["keyword"]
        counted = counted_names(document)
        self._put_each(
            "record_subject",
            number,
            [
                (
                    subjects[name],
                    subject.scheme,
                    subject.uri,
                    subject.language,
                    counted.get(subject.value, subject.value) == subject.value,
                )
                for subject in document.subjects
                if (name := tidy_value(subject.value))
            ],
        )
        self._put_each(
            "record_keyword",
            number,
            [(keywords[name], counted.get(name, name) == name) for name in _each_once(document.keywords)],
        )
        for table, values in (
            ("record_language", document.languages),
            ("record_publisher", document.publishers),
            ("record_licence", access_and_licences(document)[1]),
        ):
            self._put_each(table, number, [(value,) for value in _each_once(values)])
        table_of_types = self._types(source) or load_controlled_values(TYPE)
        types = [(each, table_of_types.name(each)) for each in _each_once(document.types)]
        self._put_each("record_type", number, types)
        dates = [(date.kind, date.text, parse_day(date.text) or None) for date in document.dates]
        self._put_each("record_date", number, dates)
        self._put_each("record_identifier", number, document.names)
        links = [(link.kind.value, link.url, link.label, link.media_type) for link in document.links]
        self._put_each("record_link", number, links)
        self._put_each("record_event", number, document.events)
        self._put_each("record_field", number, list(_other_fields(document)))
        self._add_file(number, document)

    def _units(self, document: Document) -> list[Row]:
        """Return the row numbers of each institution of a document and of its department there."""
        named = (
            (counted_value(unit.institution or ""), counted_value(unit.department or ""))
            for unit in document_units(document)
        )
        institutions, departments = self._names["institution"], self._names["department"]
        return [
            (institutions[one] if one else None, departments[other] if other else None)
            for one, other in dict.fromkeys(named)
            if one or other
        ]

    def _add_people(self, number: int, document: Document) -> None:
        people, institutions = self._names["person"], self._names["institution"]
        agents = chain(
            ((1, agent) for agent in document.creators), ((0, agent) for agent in document.contributors)
        )
        named = ((is_creator, agent, tidy_value(agent.name)) for is_creator, agent in agents)
        for position, (is_creator, agent, name) in enumerate((each for each in named if each[2]), start=1):
            self._put(
                "record_person", number, position, people[name], is_creator, agent.role, agent.identifier
            )
            for affiliation in _each_once(agent.affiliations):
                self._put("person_institution", number, position, institutions[affiliation])

    def _add_file(self, number: int, document: Document) -> None:
        file = document.file
        if file is None:
            return
        size = _integer(file.size) or 0
        self._put("file", number, file.path, file.member or None, file.media_type, size, file.sha256)
        self._put_each("file_fact", number, file.facts)

    def _put(self, table: str, *values: object) -> None:
        self._rows.setdefault(table, []).append(values)

    def _put_each(self, table: str, number: int, rows: Sequence[Row]) -> None:
        if rows:
            kept = self._rows.setdefault(table, [])
            kept.extend((number, position, *row) for position, row in enumerate(rows, start=1))

    def _flush(self) -> None:
        for table, rows in self._rows.items():
            if rows:
                clean = [[_clean(each) if isinstance(each, str) else each for each in row] for row in rows]
                self._database.executemany(_insertion(table, len(clean[0])), clean)
                rows.clear()


def _other_fields(document: Document) -> Iterator[tuple[str, str]]:
    """Yield the fields without a table of their own, by name."""
    for name, values in (
        ("rights", document.rights),
        ("journal", document.sources),
        ("relation", document.relations),
        ("prerequisites", document.prerequisites),
        ("exam", document.exams),
        ("profession", document.professions),
        *document.extra.items(),
    ):
        yield from ((name, value) for value in values)


def _each_once(texts: Iterable[str]) -> list[str]:
    """Return the texts as they are counted: normalized, without empty ones and duplicates."""
    return [text for text in dict.fromkeys(map(tidy_value, texts)) if text]


@cache
def _insertion(table: str, columns: int) -> str:
    return f"INSERT INTO {table} VALUES ({', '.join('?' * columns)})"


def _integer(value: int | None) -> int | None:
    """Return a number that fits SQLite's integers; a larger one is no year and no number of pages."""
    return value if value is not None and abs(value) < _LARGEST_INTEGER else None


def _clean(text: str) -> str:
    """Return a text that can be encoded in UTF-8: lone surrogates are replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
