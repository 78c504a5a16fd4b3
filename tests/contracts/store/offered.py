"""Random lives of a library, and what it then offers by looking at each record: what `Offering` must tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from tests.contracts.store.shelf import Shelf, gone, live
from windrow.model.record import Record
from windrow.store import sources
from windrow.store.published.record_listing import RecordListing, Row, prepare_index
from windrow.store.published.selection import Selection
from windrow.store.store import Store

SOURCES = ("hay", "oats", "rye")
PREFIXES = ("oai_dc", "kk", "marcxml")
SPECS = ("a", "a:b", "c", "guarded")
IDENTIFIERS = tuple(f"oai:x:{number}" for number in range(9))
VIRTUAL_SETS = (1, 2)
STAMPS = tuple(f"2024-05-0{day}T00:00:00Z" for day in range(1, 6))


@dataclass(frozen=True)
class Write:
    """Some records of one source in one format come in one transaction."""

    source: int
    prefix: int
    records: tuple[Record, ...]
    seconds: int  # that passed before


@dataclass(frozen=True)
class Join:
    """The records in these places, counted from the first there is, are now the members of a virtual set."""

    set_id: int
    places: frozenset[int]


@dataclass(frozen=True)
class Forget:
    """A source goes with all it had."""

    source: int


Step = Write | Join | Forget

_records = st.builds(
    lambda name, is_gone, variant, sets, stamp: (
        gone(name, sets=sets, stamp=stamp)
        if is_gone
        else live(name, b"<x>%d</x>" % variant, sets=sets, stamp=stamp)
    ),
    st.sampled_from(IDENTIFIERS),
    st.sampled_from((False, False, True)),
    st.integers(0, 3),
    st.lists(st.sampled_from(SPECS), max_size=3, unique=True).map(tuple),
    st.sampled_from(STAMPS),
)
writes = st.builds(
    Write,
    st.integers(0, len(SOURCES) - 1),
    st.integers(0, len(PREFIXES) - 1),
    st.lists(_records, min_size=1, max_size=6).map(tuple),
    st.integers(0, 2),
)
joins = st.builds(Join, st.sampled_from(VIRTUAL_SETS), st.frozensets(st.integers(0, 15)))
changes: st.SearchStrategy[Step] = st.one_of(writes, writes, joins)
steps: st.SearchStrategy[Step] = st.one_of(
    writes, writes, writes, joins, st.builds(Forget, st.integers(0, len(SOURCES) - 1))
)


@dataclass
class Library:
    """A store that lives through steps."""

    store: Store
    now: int = 1000
    shelves: dict[int, Shelf] = field(default_factory=dict)

    def __post_init__(self) -> None:
        prepare_index(self.store)

    def live(self, history: Iterable[Step]) -> None:
        for step in history:
            if isinstance(step, Write):
                self._write(step)
            elif isinstance(step, Join):
                self._join(step)
            elif step.source in self.shelves:
                with self.store.writing() as connection:
                    sources.forget(connection, self.shelves.pop(step.source).source_id)

    def _write(self, step: Write) -> None:
        if step.source not in self.shelves:
            self.shelves[step.source] = Shelf(self.store, SOURCES[step.source])
        self.now += step.seconds
        self.shelves[step.source].write(*step.records, prefix=PREFIXES[step.prefix], now=self.now)

    def _join(self, step: Join) -> None:
        records = sorted(row[0] for row in self.rows("SELECT id FROM record"))
        members = [records[place] for place in step.places if place < len(records)]
        with self.store.writing() as connection:
            connection.execute("DELETE FROM virtual_member WHERE set_id = ?", (step.set_id,))
            for record in members:
                values = (step.set_id, record)
                connection.execute("INSERT INTO virtual_member VALUES (?, ?)", values)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with self.store.reading() as connection:
            return [tuple(row) for row in connection.execute(query)]

    def top(self) -> int:
        return max((row[0] for row in self.rows("SELECT seq FROM moment")), default=0)

    def selections(self) -> st.SearchStrategy[Selection]:
        """Selections of what is there, and a little more."""
        known = [row[0] for row in self.rows("SELECT id FROM source")]
        number = st.integers(0, self.top() + 1)
        some_sources = st.lists(st.sampled_from([*known, 99]), unique=True, max_size=4).map(tuple)
        sets = st.lists(st.integers(1, 9), unique=True, max_size=4).map(tuple)
        dated = st.one_of(st.none(), st.sampled_from(STAMPS))
        return st.builds(
            _selection,
            sources=some_sources,
            rivals=some_sources,
            top=st.one_of(number, st.just(self.top())),
            format_id=st.one_of(st.none(), st.integers(1, len(PREFIXES))),
            format_needed=some_sources,
            after_seq=st.one_of(st.just(0), number),
            up_to_seq=st.one_of(st.none(), number),
            since=dated,
            until=dated,
            sets=st.one_of(st.none(), sets),
            virtual_sets=st.lists(st.sampled_from(VIRTUAL_SETS), unique=True).map(tuple),
            hidden_sets=st.one_of(st.just(()), sets),
        )


def _selection(**conditions: Any) -> Selection:
    if conditions["format_id"] is None:
        conditions["format_needed"] = ()
    if conditions["sets"] is None:
        conditions["virtual_sets"] = ()
    return Selection(**conditions)


def truth(library: Library, selection: Selection) -> list[int]:
    """The records of a selection, by looking at each in turn."""
    members: dict[int, set[int]] = {}
    for group, number in library.rows("SELECT group_id, set_id FROM set_member"):
        members.setdefault(group, set()).add(number)
    virtual = set(library.rows("SELECT record_id, set_id FROM virtual_member"))
    held = set(library.rows("SELECT record_id, format_id FROM payload"))
    columns = "id, source_id, identifier, stamp, is_deleted, seq, group_id"
    everything = library.rows(f"SELECT {columns} FROM record")
    owners = {(row[2], row[1]) for row in everything}
    found = []
    for number, source, identifier, stamp, is_deleted, seq, group in everything:
        sets = members.get(group, set())
        conditions = (
            source in selection.sources,
            number <= selection.top,
            not any((identifier, rival) in owners for rival in selection.rivals if rival < source),
            seq > selection.after_seq,
            selection.up_to_seq is None or seq <= selection.up_to_seq,
            selection.since is None or stamp >= selection.since,
            selection.until is None or stamp <= selection.until,
            selection.sets is None
            or not sets.isdisjoint(selection.sets)
            or any((number, each) in virtual for each in selection.virtual_sets),
            sets.isdisjoint(selection.hidden_sets),
            source not in selection.format_needed or is_deleted or (number, selection.format_id) in held,
        )
        if all(conditions):
            found.append(number)
    return sorted(found)


def walk(offering: RecordListing, selection: Selection, *, limit: int, size: int) -> list[Row]:
    """All rows of a selection, a page at a time, each in a transaction of its own."""
    found: list[Row] = []
    while True:
        with offering.reading():
            rows = offering.page(selection, after=found[-1][0] if found else 0, limit=limit, size=size)
        if not rows:
            return found
        assert len(rows) <= limit
        found += rows


def sizes(selection: Selection) -> tuple[int, int]:
    """How many matches to speak of, so that they are looked up, and so that they are met in passing."""
    return 0, selection.top
