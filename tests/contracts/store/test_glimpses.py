"""Glimpses that follow each other closely look into one state, for a moment, where nobody writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.contracts.store.shelf import Shelf, live
from windrow.store.published.record_listing import CALM_SECONDS, HELD_SECONDS, RecordListing

OLD, NEW = b"<x>old</x>", b"<x>new</x>"


class Moment:
    """A clock that is set, and what is to be done later."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.waiting: list[tuple[float, Callable[[], None]]] = []

    def later(self, seconds: float, call: Callable[[], None]) -> bool:
        self.waiting.append((seconds, call))
        return True

    def pass_by(self, seconds: float) -> None:
        """Let time pass, and what waits for it be done."""
        self.now += seconds
        while self.waiting:
            self.waiting.pop()[1]()


@pytest.fixture
def moment() -> Moment:
    return Moment()


@pytest.fixture
def offering(shelf: Shelf, moment: Moment) -> Iterator[RecordListing]:
    shelf.write(live("a", OLD))
    made = RecordListing(
        shelf.store, is_suspect=lambda _: False, later=moment.later, clock=lambda: moment.now
    )
    catch_up(made)
    moment.now += CALM_SECONDS + 1
    yield made
    made.close()


def catch_up(offering: RecordListing) -> None:
    """Read the record as usual: what glimpses need is known then."""
    with offering.reading():
        row = offering.one("a", (1,), 1)
        assert row is not None
        offering.payloads((row,))


def glimpse(offering: RecordListing) -> bytes | None:
    found = offering.glimpse("a", (1,), 1)
    return None if found is None else found[-1]


def is_free(shelf: Shelf) -> bool:
    """Whether a writer can clear its log: nobody looks at what is in it."""
    with shelf.store.writing() as connection:
        connection.execute("UPDATE source SET url = url")
    raw = shelf.store.database.connect_to_read()
    try:
        raw.execute("PRAGMA busy_timeout = 0")
        raw.execute("PRAGMA query_only = 0")
        return not raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    finally:
        raw.close()


def test_glimpses_close_to_each_other_share_a_state_for_a_moment(
    shelf: Shelf, offering: RecordListing, moment: Moment
) -> None:
    assert [glimpse(offering), glimpse(offering)] == [OLD, OLD]
    assert [seconds for seconds, _ in moment.waiting] == [HELD_SECONDS]
    shelf.write(live("a", NEW))
    assert glimpse(offering) == OLD
    assert not is_free(shelf)
    moment.pass_by(HELD_SECONDS)
    assert is_free(shelf)
    assert glimpse(offering) is None
    catch_up(offering)
    assert glimpse(offering) == NEW


def test_a_single_glimpse_holds_nothing(shelf: Shelf, offering: RecordListing, moment: Moment) -> None:
    for _ in range(3):
        assert glimpse(offering) == OLD
        moment.now += 2 * HELD_SECONDS
    assert not moment.waiting
    assert is_free(shelf)


def test_while_changes_come_no_state_is_held(shelf: Shelf, offering: RecordListing, moment: Moment) -> None:
    shelf.write(live("a", NEW))
    catch_up(offering)
    moment.now += CALM_SECONDS
    assert [glimpse(offering), glimpse(offering), glimpse(offering)] == [NEW, NEW, NEW]
    assert not moment.waiting
    assert is_free(shelf)


def test_a_change_between_two_glimpses_is_news_and_not_held(
    shelf: Shelf, offering: RecordListing, moment: Moment
) -> None:
    assert glimpse(offering) == OLD
    shelf.write(live("a", NEW))
    assert glimpse(offering) is None
    assert is_free(shelf)


def test_whoever_reads_as_usual_sees_what_came_since(
    shelf: Shelf, offering: RecordListing, moment: Moment
) -> None:
    assert [glimpse(offering), glimpse(offering)] == [OLD, OLD]
    shelf.write(live("a", NEW))
    with offering.reading() as is_news:
        assert is_news
        row = offering.one("a", (1,), 1)
        assert row is not None
        assert offering.payloads((row,))[row[0]][0] == NEW
        moment.pass_by(HELD_SECONDS)  # what was to be let go of is not held any more; what is read, is
        shelf.write(live("a", OLD))
        assert offering.one("a", (1,), 1) == row


def test_a_file_that_is_closed_meanwhile_is_let_go_of(
    shelf: Shelf, offering: RecordListing, moment: Moment
) -> None:
    assert [glimpse(offering), glimpse(offering)] == [OLD, OLD]
    offering.close()
    assert is_free(shelf)
    moment.pass_by(HELD_SECONDS)
    assert glimpse(offering) is None
    catch_up(offering)
    assert glimpse(offering) == OLD


def test_where_nothing_can_be_done_later_nothing_is_held(shelf: Shelf) -> None:
    shelf.write(live("a", OLD))
    clock = iter((0.0, *[CALM_SECONDS + 1] * 9))
    offering = RecordListing(shelf.store, is_suspect=lambda _: False, clock=lambda: next(clock))
    catch_up(offering)
    assert [glimpse(offering), glimpse(offering), glimpse(offering)] == [OLD, OLD, OLD]
    assert is_free(shelf)
    offering.close()
