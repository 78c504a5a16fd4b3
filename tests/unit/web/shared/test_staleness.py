"""What a view of a record notes: nothing where it is fresh, one wish where it is stale."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.store.shelf import NOW, Shelf, live
from windrow.config.schema import SourceSettings
from windrow.config.source_kinds import RepositorySettings
from windrow.errors import StoreError
from windrow.model.run import Outcome
from windrow.store import runs
from windrow.store.connection import Connection
from windrow.store.harvests import refresh_requests
from windrow.store.store import Store, create_store
from windrow.web import stale_records as module
from windrow.web.stale_records import StaleRecordRefresher

HOUR = 3600.0
HARVESTED = NOW.timestamp()
WAIT_SECONDS = 30


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    store = create_store(tmp_path)
    made = Shelf(store)
    made.write(*map(live, "abc"))
    with store.writing() as connection:
        runs.end(connection, made.run_id, outcome=Outcome.OK, now=NOW)
    yield made
    store.close()


class Clock:
    """A time that a test sets."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def settings(**more: Any) -> dict[str, SourceSettings]:
    values = {"refresh_after": HOUR, **more}
    return {"hay": RepositorySettings(name="hay", url="https://hay.example/oai", **values)}


def make(shelf: Shelf, clock: Clock, **more: Any) -> StaleRecordRefresher:
    """One whose thread waits for longer than any test: what is noted is written when the test says so."""
    return StaleRecordRefresher(shelf.store, settings(**more), clock=clock, pause_seconds=HOUR)


def waiting(store: Store) -> int:
    with store.reading() as connection:
        return sum(refresh_requests.count_waiting(connection).values())


def test_a_stale_record_is_wished_for_once_however_many_look(shelf: Shelf) -> None:
    noted = make(shelf, Clock(HARVESTED + 2 * HOUR))
    for _ in range(5):
        noted.looked_at(shelf.find("a").id, "hay")
    noted.looked_at(shelf.find("b").id, "hay")
    assert waiting(shelf.store) == 0
    assert noted.write() == 2
    noted.looked_at(shelf.find("a").id, "hay")
    assert noted.write() == 0
    assert waiting(shelf.store) == 2
    noted.close()


def test_a_record_of_a_fresh_source_is_not(shelf: Shelf) -> None:
    clock = Clock(HARVESTED + HOUR - 1)
    noted = make(shelf, clock)
    noted.looked_at(shelf.find("a").id, "hay")
    assert noted.write() == 0
    clock.now += 2
    noted.looked_at(shelf.find("a").id, "hay")
    assert noted.write() == 1
    noted.close()


def test_a_record_that_was_asked_for_lately_is_not(shelf: Shelf) -> None:
    clock = Clock(HARVESTED + 2 * HOUR)
    noted = make(shelf, clock)
    number = shelf.find("a").id
    noted.looked_at(number, "hay")
    noted.write()
    with shelf.store.writing() as connection:
        refresh_requests.settle(connection, number, "absent", now=int(clock.now))
    clock.now += HOUR - 1
    noted.looked_at(number, "hay")
    assert noted.write() == 0
    clock.now += 2
    noted.looked_at(number, "hay")
    assert noted.write() == 1
    noted.close()


@pytest.mark.parametrize("more", [{"refresh_after": None}, {"enabled": False}])
def test_a_source_that_is_not_refreshed_costs_nothing(shelf: Shelf, more: dict[str, object]) -> None:
    noted = make(shelf, Clock(HARVESTED + 2 * HOUR), **more)
    before = threading.active_count()
    noted.looked_at(shelf.find("a").id, "hay")
    noted.looked_at(shelf.find("a").id, "another")
    assert threading.active_count() <= before  # threads of other tests may end meanwhile
    assert noted.write() == 0


def test_no_more_is_noted_than_there_is_room_for(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_PENDING_RECORDS", 2)
    noted = make(shelf, Clock(HARVESTED + 2 * HOUR))
    for name in "abc":
        noted.looked_at(shelf.find(name).id, "hay")
    assert noted.write() == 2
    noted.close()


class Locked(Store):
    """A store that tells of each time somebody wants to write, and lets nobody."""

    def __init__(self, store: Store) -> None:
        super().__init__(store.database)
        self.wanted = threading.Semaphore(0)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        self.wanted.release()
        raise StoreError("it is locked")
        yield  # pragma: no cover - makes it a generator


def test_a_store_that_cannot_be_written_loses_wishes_and_not_requests(
    shelf: Shelf, caplog: pytest.LogCaptureFixture
) -> None:
    locked = Locked(shelf.store)
    noted = StaleRecordRefresher(locked, settings(), clock=Clock(HARVESTED + 2 * HOUR), pause_seconds=0.0)
    with caplog.at_level(logging.WARNING, "windrow.refresh"):
        for _ in range(2):
            noted.looked_at(shelf.find("a").id, "hay")
            assert locked.wanted.acquire(timeout=WAIT_SECONDS)
        noted.close()
    assert len([each for each in caplog.records if "it is locked" in each.getMessage()]) == 1


def test_its_thread_writes_by_itself_and_ends_when_it_is_closed(shelf: Shelf) -> None:
    written = threading.Event()

    class Told(StaleRecordRefresher):
        def write(self) -> int:
            count = super().write()
            if count:
                written.set()
            return count

    noted = Told(shelf.store, settings(), clock=Clock(HARVESTED + 2 * HOUR), pause_seconds=0.0)
    noted.looked_at(shelf.find("a").id, "hay")
    assert written.wait(WAIT_SECONDS)
    assert waiting(shelf.store) == 1
    noted.close()
    noted.close()
    assert "staleness" not in {thread.name for thread in threading.enumerate()}


def test_closing_one_that_was_never_used_is_nothing(shelf: Shelf) -> None:
    make(shelf, Clock(datetime(2030, 1, 1, tzinfo=UTC).timestamp())).close()
