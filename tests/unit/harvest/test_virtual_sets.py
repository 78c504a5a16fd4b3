"""Virtual sets hold what their queries ask for, after any change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contracts.store.shelf import Shelf, gone, live
from tests.thorough import tries
from windrow.errors import ConfigError, Interrupted
from windrow.formats.registry import read
from windrow.harvest.set_membership import MembershipResult, update_memberships
from windrow.model.document import Document
from windrow.model.matching import matches
from windrow.protocols.query.query_parser import parse_query
from windrow.store.connection import Connection
from windrow.store.published import selection
from windrow.store.records import derived_sets
from windrow.store.store import Store, create_store


@dataclass(frozen=True)
class SetOf:
    """A definition, as the settings give it."""

    spec: str
    query: str
    name: str = "A set"


def payload(title: str) -> bytes:
    return (
        '<d:dc xmlns:d="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:c="http://purl.org/dc/elements/1.1/">'
        f"<c:title>{title}</c:title></d:dc>"
    ).encode()


@contextmanager
def library() -> Iterator[Shelf]:
    """Give a shelf in a store of its own: a fixture would be shared by the examples of a property."""
    with TemporaryDirectory() as folder:
        store = create_store(Path(folder))
        try:
            yield Shelf(store)
        finally:
            store.close()


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    store = create_store(tmp_path)
    yield Shelf(store)
    store.close()


def members(store: Store) -> dict[str, set[str]]:
    """Give the identifiers in each set."""
    text = (
        "SELECT s.spec, r.identifier FROM virtual_set s LEFT JOIN virtual_member m ON m.set_id = s.id"
        " LEFT JOIN record r ON r.id = m.record_id"
    )
    found: dict[str, set[str]] = {}
    with store.reading() as connection:
        for spec, name in connection.execute(text):
            found.setdefault(spec, set()).update({name} - {None})
    return found


def test_a_set_holds_what_its_query_asks_for_by_words_source_and_set(shelf: Shelf) -> None:
    shelf.write(live("a", payload("Hay"), sets=("x:y",)), live("b", payload("Straw")), live("c", b"<junk"))
    sets = [SetOf("hay", "title:hay"), SetOf("all", "source:hay"), SetOf("x", "set:x"), SetOf("b", "id:b")]
    done = update_memberships(shelf.store, sets)
    assert members(shelf.store) == {"hay": {"a"}, "all": {"a", "b", "c"}, "x": {"a"}, "b": {"b"}}
    assert done == MembershipResult(looked_at=3, moved=3, unreadable=1)


def test_nothing_new_changes_nothing_and_looks_at_nothing(shelf: Shelf) -> None:
    shelf.write(live("a", payload("Hay")))
    sets = [SetOf("hay", "hay")]
    update_memberships(shelf.store, sets)
    before = shelf.last_seq()
    assert update_memberships(shelf.store, sets) == MembershipResult()
    assert shelf.last_seq() == before


def test_only_what_changed_is_looked_at_again(shelf: Shelf) -> None:
    shelf.write(*(live(name, payload("Hay")) for name in "abcdef"))
    sets = [SetOf("hay", "hay")]
    update_memberships(shelf.store, sets)
    shelf.write(live("b", payload("Straw")), live("c", payload("More hay")))
    assert update_memberships(shelf.store, sets) == MembershipResult(looked_at=2, moved=1)
    assert members(shelf.store) == {"hay": set("acdef")}


def test_a_record_whose_membership_changes_is_dated_anew_and_others_are_not(shelf: Shelf) -> None:
    shelf.write(live("a", payload("Hay")), live("b", payload("Straw")), now=1000)
    shelf.store.clock = lambda: 2000
    update_memberships(shelf.store, [SetOf("hay", "hay")])
    times = {name: int(shelf.find(name).changed_at.timestamp()) for name in "ab"}
    assert times == {"a": 2000, "b": 1000}
    assert [line.kind for line in shelf.history("a")] == ["sets"]


def test_a_tombstone_keeps_its_sets(shelf: Shelf) -> None:
    sets = [SetOf("hay", "hay")]
    shelf.write(live("a", payload("Hay")))
    update_memberships(shelf.store, sets)
    shelf.write(gone("a"))
    update_memberships(shelf.store, sets)
    update_memberships(shelf.store, [SetOf("hay", "hay good")])
    assert members(shelf.store) == {"hay": {"a"}}


def test_a_record_that_comes_back_is_looked_at_again(shelf: Shelf) -> None:
    sets = [SetOf("hay", "hay")]
    shelf.write(live("a", payload("Hay")))
    update_memberships(shelf.store, sets)
    shelf.write(gone("a"))
    shelf.write(live("a", payload("Straw")))
    update_memberships(shelf.store, sets)
    assert members(shelf.store) == {"hay": set()}


def test_a_set_defined_no_more_lets_its_members_go_under_new_dates(shelf: Shelf) -> None:
    shelf.write(live("a", payload("Hay")), live("b", payload("Hay")), live("c", payload("Straw")), now=1000)
    update_memberships(shelf.store, [SetOf("hay", "hay")])
    shelf.write(gone("b"))
    before = {name: shelf.find(name).seq for name in "abc"}
    update_memberships(shelf.store, [], batch=1)
    assert members(shelf.store) == {}
    moved = {name for name, seq in before.items() if shelf.find(name).seq > seq}
    assert moved == {"a", "b"}


def test_another_name_is_taken_over_without_looking_at_records(shelf: Shelf) -> None:
    shelf.write(live("a", payload("Hay")))
    update_memberships(shelf.store, [SetOf("hay", "hay")])
    assert update_memberships(shelf.store, [SetOf("hay", "hay", "Good hay")]) == MembershipResult()
    with shelf.store.reading() as connection:
        assert [row[2] for row in selection.list_virtual_sets(connection)] == ["Good hay"]


def test_a_query_that_says_the_same_otherwise_is_the_same(shelf: Shelf) -> None:
    shelf.write(live("a", payload("Hay")))
    update_memberships(shelf.store, [SetOf("hay", "title:hay author:ann")])
    assert (
        update_memberships(shelf.store, [SetOf("hay", "  title:hay   AND creator:ann")]) == MembershipResult()
    )


def test_a_query_with_a_mistake_is_refused_before_anything_changes(shelf: Shelf) -> None:
    shelf.write(live("a", payload("Hay")))
    update_memberships(shelf.store, [SetOf("hay", "hay")])
    with pytest.raises(ConfigError, match="the set odd") as refused:
        update_memberships(shelf.store, [SetOf("odd", "titel:hay")])
    assert "did you mean title?" in refused.value.hint
    assert members(shelf.store) == {"hay": {"a"}}


def test_work_that_is_interrupted_goes_on_where_it_was(shelf: Shelf) -> None:
    shelf.write(*(live(f"n{number}", payload("Hay")) for number in range(10)))
    sets = [SetOf("hay", "hay")]

    def stop(done: int, total: int) -> None:
        assert total == 10
        if done >= 4:
            raise Interrupted("stopped")

    with pytest.raises(Interrupted):
        update_memberships(shelf.store, sets, on_progress=stop, batch=2)
    assert len(members(shelf.store)["hay"]) == 4
    update_memberships(shelf.store, sets, batch=2)
    assert len(members(shelf.store)["hay"]) == 10


def test_its_own_changes_are_not_looked_at_again(shelf: Shelf) -> None:
    shelf.write(*(live(f"n{number}", payload("Hay")) for number in range(10)))
    assert update_memberships(shelf.store, [SetOf("hay", "hay")], batch=3) == MembershipResult(
        looked_at=10, moved=10
    )
    assert all(len(shelf.history(f"n{number}")) == 1 for number in range(10))


def test_what_changes_while_the_work_goes_on_is_not_missed(shelf: Shelf) -> None:
    shelf.write(*(live(name, payload("Hay")) for name in "abcdef"))
    is_first = True

    def meddle(_done: int, _total: int) -> None:
        nonlocal is_first
        if is_first:
            is_first = False
            shelf.write(
                live("a", payload("Straw")), live("f", payload("Straw")), gone("e"), live("g", payload("Hay"))
            )

    update_memberships(shelf.store, [SetOf("hay", "hay")], on_progress=meddle, batch=2)
    assert members(shelf.store) == {"hay": {"b", "c", "d", "g"}}


class Meddled(Store):
    """A store in which something else is written just before we write."""

    meddle: Callable[[], object] | None = None

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        meddle, self.meddle = self.meddle, None
        if meddle is not None:
            meddle()
        with super().writing() as connection:
            yield connection


def test_a_record_that_changes_between_reading_and_writing_is_judged_by_its_change(shelf: Shelf) -> None:
    sets = [SetOf("hay", "hay")]
    shelf.write(live("z", payload("Oats")))
    update_memberships(shelf.store, sets)
    shelf.write(live("a", payload("Hay")), live("b", payload("Hay")))
    meddled = Meddled(shelf.store.database)
    meddled.meddle = lambda: shelf.write(live("a", payload("Straw")), gone("b"))
    update_memberships(meddled, sets)
    assert meddled.meddle is None
    assert members(shelf.store) == {"hay": set()}


def test_somebody_who_wants_everything_looked_at_again_is_heeded_at_once(shelf: Shelf) -> None:
    shelf.write(*(live(name, payload("Hay")) for name in "abcdef"))
    calls = 0

    def restart(_done: int, _total: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            with shelf.store.writing() as connection:
                derived_sets.reset_membership(connection)

    done = update_memberships(shelf.store, [SetOf("hay", "hay")], on_progress=restart, batch=2)
    assert done.looked_at > 6
    assert members(shelf.store) == {"hay": set("abcdef")}


def test_definitions_that_another_process_changed_end_the_work(shelf: Shelf) -> None:
    shelf.write(*(live(name, payload("Hay")) for name in "abcdef"))
    other = [SetOf("hay", "straw")]

    def redefine(_done: int, _total: int) -> None:
        update_memberships(shelf.store, other)

    done = update_memberships(shelf.store, [SetOf("hay", "hay")], on_progress=redefine, batch=2)
    assert done.is_superseded
    assert members(shelf.store) == {"hay": set()}
    assert update_memberships(shelf.store, other) == MembershipResult()


TITLES = ["Hay", "Straw", "Hay and straw", "Oats"]
SPECS = ["x", "x:y", "z"]
QUERIES = ["hay", "straw", "hay straw", "title:hay OR set:x", "-hay", "*", "set:z", "o*"]
NAMES = ["a", "b", "c", "d"]
_LIVE = st.tuples(
    st.just("live"), st.sampled_from(NAMES), st.sampled_from(TITLES), st.sets(st.sampled_from(SPECS))
)
_GONE = st.tuples(st.just("gone"), st.sampled_from(NAMES))
_DEFINE = st.tuples(st.just("define"), st.dictionaries(st.sampled_from("pqr"), st.sampled_from(QUERIES)))
_FOLLOW = st.tuples(st.just("follow"))


@dataclass
class Truth:
    """What the library should hold, found out the long way."""

    live: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    sets: dict[str, str] = field(default_factory=dict)
    kept: dict[str, set[str]] = field(default_factory=dict)  # spec → members when last followed

    def follow(self) -> dict[str, set[str]]:
        """The members of each set now: by the query while a record is live, as they were once it is not."""
        self.kept = {spec: self._members(spec, query) for spec, query in self.sets.items()}
        return self.kept

    def _members(self, spec: str, query: str) -> set[str]:
        found = {name for name in self.kept.get(spec, ()) if name not in self.live}
        for name, (title, specs) in self.live.items():
            document: Document = read(payload(title), b"", "oai_dc")
            if matches(parse_query(query).query, document, source="hay", sets=specs, identifier=name):
                found.add(name)
        return found


@settings(deadline=None, max_examples=tries(60), suppress_health_check=[HealthCheck.too_slow])
@given(
    steps=st.lists(st.one_of(_LIVE, _LIVE, _GONE, _DEFINE, _FOLLOW, _FOLLOW), max_size=15),
    batch=st.sampled_from([1, 2, 500]),
)
def test_after_any_changes_members_are_what_the_queries_say(
    steps: list[tuple[object, ...]], batch: int
) -> None:
    truth = Truth()
    with library() as shelf:
        for step in [*steps, ("follow",)]:
            match step:
                case ("live", str(name), str(title), set(specs)):
                    shelf.write(live(name, payload(title), sets=tuple(sorted(specs))))
                    truth.live[name] = (title, tuple(specs))
                case ("gone", str(name)):
                    shelf.write(gone(name))
                    truth.live.pop(name, None)
                case ("define", dict(sets)):
                    truth.sets = sets
                case _:
                    check(shelf, truth, batch)


def check(shelf: Shelf, truth: Truth, batch: int) -> None:
    """Follow, and compare with the truth: the members, and who got a new number."""
    before, old = members(shelf.store), seqs(shelf)
    sets = [SetOf(spec, query) for spec, query in truth.sets.items()]
    update_memberships(shelf.store, sets, batch=batch)
    now = members(shelf.store)
    assert now == truth.follow()
    changed = {name for spec in {*before, *now} for name in before.get(spec, set()) ^ now.get(spec, set())}
    assert {name for name, seq in seqs(shelf).items() if seq != old[name]} == changed
    assert update_memberships(shelf.store, sets, batch=batch) == MembershipResult()


def seqs(shelf: Shelf) -> dict[str, int]:
    with shelf.store.reading() as connection:
        return {row[0]: row[1] for row in connection.execute("SELECT identifier, seq FROM record")}
