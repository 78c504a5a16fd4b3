"""Wishes to ask for a record again: one a record, in order, never too many, and what came of them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.contracts.store.shelf import Shelf, gone, live
from windrow.store.harvests import refresh_requests
from windrow.store.store import Store

NOW = 10_000


def wish(shelf: Shelf, *names: str, now: int = NOW) -> int:
    records = [shelf.find(name).id for name in names]
    with shelf.store.writing() as connection:
        return refresh_requests.request_refresh(connection, shelf.source_id, records, now=now)


def waiting(shelf: Shelf, limit: int = 100) -> list[str]:
    with shelf.store.reading() as connection:
        return [
            each.identifier for each in refresh_requests.list_oldest(connection, shelf.source_id, limit=limit)
        ]


def settle(shelf: Shelf, name: str, outcome: str = "fetched", now: int = NOW) -> None:
    with shelf.store.writing() as connection:
        refresh_requests.settle(connection, shelf.find(name).id, outcome, now=now)


def lacking(shelf: Shelf, *names: str, before: int) -> list[str]:
    numbers = {shelf.find(name).id: name for name in names}
    with shelf.store.reading() as connection:
        return [
            numbers[each]
            for each in refresh_requests.find_unrequested(connection, list(numbers), before=before)
        ]


def test_what_waits_longest_comes_first_and_many_wishes_are_one(shelf: Shelf) -> None:
    shelf.write(*map(live, "abc"))
    wish(shelf, "b", now=NOW)
    wish(shelf, "c", "a", now=NOW + 1)
    wish(shelf, "b", now=NOW + 2)
    assert waiting(shelf) == ["b", "a", "c"]
    assert waiting(shelf, limit=1) == ["b"]
    with shelf.store.reading() as connection:
        assert refresh_requests.count_waiting(connection) == {"hay": 3}


def test_what_waits_or_was_tried_lately_lacks_no_wish(shelf: Shelf) -> None:
    shelf.write(*map(live, "abc"))
    wish(shelf, "a", "b")
    settle(shelf, "b", now=NOW)
    assert lacking(shelf, "a", "b", "c", before=NOW) == ["c"]
    assert lacking(shelf, "a", "b", "c", before=NOW + 1) == ["b", "c"]


def test_a_settled_wish_does_not_wait_and_its_outcome_is_known(shelf: Shelf) -> None:
    shelf.write(*map(live, "ab"))
    wish(shelf, "a", "b")
    settle(shelf, "a", "absent" + "!" * 500)
    assert waiting(shelf) == ["b"]
    with shelf.store.reading() as connection:
        tried = refresh_requests.last_attempt(connection, shelf.find("a").id)
        assert tried is not None
        assert tried.at == datetime.fromtimestamp(NOW, UTC)
        assert tried.outcome.startswith("absent!")
        assert len(tried.outcome) == 200
        assert refresh_requests.last_attempt(connection, shelf.find("b").id) is None


def test_a_tombstone_is_not_wished_for_nor_a_record_of_another_source(store: Store) -> None:
    hay, straw = Shelf(store, "hay"), Shelf(store, "straw")
    hay.write(live("a"), gone("b"))
    straw.write(live("c"))
    numbers = [hay.find("a").id, hay.find("b").id, straw.find("c").id, 10**12]
    with store.writing() as connection:
        assert refresh_requests.request_refresh(connection, hay.source_id, numbers, now=NOW) == 1
        assert refresh_requests.count_waiting(connection) == {"hay": 1}


def test_there_is_room_for_so_many_of_a_source_and_of_all(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresh_requests, "MAX_WAITING_OF_SOURCE", 3)
    monkeypatch.setattr(refresh_requests, "MAX_WAITING", 4)
    hay, straw = Shelf(store, "hay"), Shelf(store, "straw")
    for shelf in (hay, straw):
        shelf.write(*map(live, "abcde"))
    assert wish(hay, *"abcde") == 3
    assert wish(hay, *"de") == 0
    assert wish(straw, *"abcde") == 1
    settle(hay, "a")
    assert wish(straw, *"bcde") == 1


def test_a_harvest_makes_older_wishes_moot_and_older_outcomes_forgotten(shelf: Shelf) -> None:
    shelf.write(*map(live, "abc"))
    wish(shelf, "a", "b", now=NOW)
    wish(shelf, "c", now=NOW + 10)
    settle(shelf, "b", now=NOW)
    with shelf.store.writing() as connection:
        refresh_requests.forget_seen(connection, shelf.source_id, NOW + 5)
        assert refresh_requests.last_attempt(connection, shelf.find("b").id) is None
    assert waiting(shelf) == ["c"]


def test_all_wishes_of_a_source_can_be_settled_at_once(store: Store) -> None:
    hay, straw = Shelf(store, "hay"), Shelf(store, "straw")
    for shelf in (hay, straw):
        shelf.write(*map(live, "ab"))
        wish(shelf, "a", "b")
    with store.writing() as connection:
        refresh_requests.settle_all(connection, hay.source_id, "robots", now=NOW)
        assert refresh_requests.count_waiting(connection) == {"straw": 2}
        tried = refresh_requests.last_attempt(connection, hay.find("a").id)
    assert tried is not None
    assert tried.outcome == "robots"


def test_a_record_that_changed_since_is_noticed(shelf: Shelf) -> None:
    shelf.write(*map(live, "ab"))
    wish(shelf, "a", "b")
    with shelf.store.reading() as connection:
        first, second = refresh_requests.list_oldest(connection, shelf.source_id, limit=2)
    shelf.write(live("a", b"<other/>"))
    with shelf.store.reading() as connection:
        assert not refresh_requests.is_unchanged(connection, first)
        assert refresh_requests.is_unchanged(connection, second)
