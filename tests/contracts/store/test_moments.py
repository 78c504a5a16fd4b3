"""When changes became visible: at the end of their transaction, never before one that is visible already."""

from __future__ import annotations

import pytest

from tests.contracts.store.shelf import Shelf, live
from windrow.store.sequence import ChangeLog


def moments_of(shelf: Shelf) -> ChangeLog:
    found = ChangeLog()
    with shelf.store.reading() as connection:
        found.refresh(connection)
    return found


def test_a_change_is_dated_when_its_transaction_ends_not_when_it_began(shelf: Shelf) -> None:
    writer = shelf.writer()
    shelf.store.clock = lambda: 1000
    with shelf.store.writing() as connection:
        writer.write(connection, [live("a")])
        shelf.store.clock = lambda: 2000
    assert shelf.find("a").changed_at.timestamp() == 2000


def test_a_clock_set_back_dates_nothing_before_what_is_visible_already(shelf: Shelf) -> None:
    shelf.write(live("a"), now=5000)
    shelf.write(live("b"), now=4000)
    shelf.write(live("c"), now=6000)
    assert [shelf.find(name).changed_at.timestamp() for name in "abc"] == [5000, 5000, 6000]


def test_a_time_leads_to_the_changes_from_then_on(shelf: Shelf) -> None:
    shelf.write(live("a"), live("b"), now=5000)
    shelf.write(live("c"), now=5010)
    found = moments_of(shelf)
    last = shelf.find("b").seq
    assert [found.before(at) for at in (4999, 5000, 5001, 5010, 5011)] == [0, 0, last, last, found.last]
    assert found.earliest == 5000


def test_moments_read_once_are_only_added_to(shelf: Shelf) -> None:
    shelf.write(live("a"), now=5000)
    found = moments_of(shelf)
    shelf.write(live("a", b"<x>2</x>"), now=5010)
    with pytest.raises(IndexError):
        found.at(shelf.find("a").seq)
    with shelf.store.reading() as connection:
        found.refresh(connection)
    assert found.at(shelf.find("a").seq) == 5010
    assert found.run(shelf.find("a").seq) == shelf.run_id


def test_a_transaction_that_came_to_nothing_leaves_no_moment(shelf: Shelf) -> None:
    writer = shelf.writer()
    with pytest.raises(ZeroDivisionError), shelf.store.writing() as connection:  # noqa: PT012
        writer.write(connection, [live("a")])
        raise ZeroDivisionError
    assert shelf.count("moment") == 0
    shelf.write(live("b"), now=7000)
    assert shelf.find("b").changed_at.timestamp() == 7000
    assert shelf.count("moment") == 1
