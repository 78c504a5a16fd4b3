"""Killed, stopped, out of space: the next harvest goes on from the last page stored, and nothing is lost."""

from __future__ import annotations

import random
import signal
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

import pytest

from tests.flows.commanding import WAIT_SECONDS, running, windrow
from tests.flows.harvesting import Shelf, Sleepless, asked, make_shelf, words
from tests.servers.fault import Fault
from tests.servers.faults import tokens, transport
from tests.servers.http import Reply, Request
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from windrow.errors import StoreError, StoreFull
from windrow.harvest.options import HarvestOptions, NullObserver
from windrow.model.run import Counters, Outcome
from windrow.store import leases, runs
from windrow.wiring.harvesting import harvest

COUNT = 100  # ten pages of ten


@dataclass
class HoldsFrom(Fault):
    """Every list request from the `nth` on gets no answer before `release` is set."""

    nth: int
    release: Event = field(default_factory=Event)
    seen: int = field(default=0, init=False)

    def deliver(self, reply: Reply, request: Request) -> Reply:
        self.seen += request.arguments.get("verb") == "ListRecords"
        return replace(reply, hold=self.release) if self.seen >= self.nth else reply


def until(condition: Callable[[], bool]) -> None:
    """Wait for something that happens in another process."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.01)


def tokens_asked(server: OaiServer) -> list[int]:
    """The places in the list that pages were asked for from; 0 for its start."""
    return [int(each.get("resumptionToken", "0").split("~")[0]) for each in asked(server, "ListRecords")]


@pytest.mark.parametrize("nth", [1, 2, 5, 10])
def test_a_killed_harvest_goes_on_from_its_last_page(tmp_path: Path, nth: int) -> None:
    items = make_items(COUNT)
    with OaiServer(items, HoldsFrom(nth)) as server:
        shelf = make_shelf(tmp_path, server, timeout="30s")
        stored = (nth - 1) * 10
        with running(shelf, "harvest", "test") as process:
            server.wait_for_requests(nth + 1)  # Identify, the pages before, and the one that is held
            until(lambda: len(shelf.records()) == stored)
            process.kill()
            process.wait(WAIT_SECONDS)
        sent = len(tokens_asked(server))
        _release(server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert tokens_asked(server)[sent:] == list(range(stored, COUNT, 10)), "not from the last page stored"
        assert shelf.live() == {item.identifier for item in items}
        assert run.counters.added == COUNT - stored
        assert run.counters.unchanged == run.counters.changed == 0


def test_a_harvest_killed_again_and_again_ends_with_everything_once(tmp_path: Path) -> None:
    with OaiServer(make_items(COUNT)) as server:
        shelf = make_shelf(tmp_path, server, timeout="30s")
        for stored in (20, 40, 60):
            _hold(server, HoldsFrom(3))
            with running(shelf, "harvest", "test") as process:
                until(lambda: len(shelf.records()) == stored)  # noqa: B023 - asked for at once
                process.kill()
                process.wait(WAIT_SECONDS)
            _release(server)
        assert shelf.harvest().outcome == Outcome.OK
        assert len(shelf.records()) == COUNT
        places = tokens_asked(server)
        assert len(places) - len(set(places)) <= 3, "pages were fetched again that had been stored"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_harvest_stops_cleanly_and_goes_on(tmp_path: Path, number: signal.Signals) -> None:
    with OaiServer(make_items(COUNT), HoldsFrom(4)) as server:
        shelf = make_shelf(tmp_path, server, timeout="30s")
        with running(shelf, "harvest", "test", "--json") as process:
            server.wait_for_requests(5)
            process.send_signal(number)
            out, _ = process.communicate(timeout=WAIT_SECONDS)
        assert process.returncode == 130
        assert '"outcome": "interrupted"' in out
        stored = len(shelf.records())
        assert stored == 30
        sent = len(tokens_asked(server))
        _release(server)
        assert shelf.harvest().outcome == Outcome.OK
        assert tokens_asked(server)[sent:] == list(range(30, COUNT, 10))
    assert len(shelf.records()) == COUNT


class StopsAt(NullObserver):
    """Asks to stop as soon as so many records are there."""

    def __init__(self, stopper: Sleepless, count: int) -> None:
        self._stopper = stopper
        self._count = count

    def advanced(self, source: str, counters: Counters, expected: int | None) -> None:
        if counters.seen >= self._count:
            self._stopper.stop()


@pytest.mark.parametrize("mode", ["list", "one-by-one"])
def test_a_stopped_run_is_over_and_its_claim_is_given_back(tmp_path: Path, mode: str) -> None:
    with OaiServer(make_items(COUNT), HoldsFrom(6)) as server:
        shelf = make_shelf(tmp_path, server, mode=mode)
        library, stopper = shelf.open(), Sleepless()
        try:
            run = harvest(library, "test", HarvestOptions(), observer=StopsAt(stopper, 30), stopper=stopper)
            assert run.outcome == Outcome.INTERRUPTED
            with library.store.reading() as connection:
                assert leases.list_holders(connection) == {}
        finally:
            library.close()
        assert 30 <= len(shelf.records()) < COUNT
        _release(server)
        again = shelf.harvest()
        assert again.outcome == Outcome.OK, words(again)
        assert len(shelf.records()) == COUNT
        assert again.counters.unchanged == 0, "what was stored was fetched again"


def limited(shelf: Shelf, pages: int) -> None:
    """Harvest with a store that may grow by no more than so many pages of its file."""
    library = shelf.open()
    try:
        database = library.store.database
        with database.reading() as connection:
            size = connection.execute("PRAGMA page_count").scalar_one()
        database.close()
        database.pragmas = (*database.pragmas, f"max_page_count = {size + pages}")
        harvest(library, "test", HarvestOptions(), observer=NullObserver(), stopper=Sleepless())
    finally:
        library.close()


def test_a_full_disk_is_told_and_nothing_is_half_stored(tmp_path: Path) -> None:
    noise = random.Random(1)
    items = [replace(item, payload=f"<a>{noise.randbytes(1500).hex()}</a>") for item in make_items(COUNT)]
    with OaiServer(items) as server:
        shelf = make_shelf(tmp_path, server)
        with pytest.raises(StoreFull) as caught:
            limited(shelf, 6)
        assert caught.value.exit_code == 1
        assert "goes on from the last page stored" in caught.value.hint
        stored = shelf.records()
        assert all(record.payload("oai_dc") for record in stored.values())
        with_run = shelf.open()
        try:
            with with_run.store.reading() as connection:
                assert [run.outcome for run in runs.latest(connection)] == [Outcome.FAILED]
                assert leases.list_holders(connection) == {}
        finally:
            with_run.close()
        sent = len(tokens_asked(server))
        assert shelf.harvest().outcome == Outcome.OK
        assert tokens_asked(server)[sent] == len(stored), "not from the last page stored"
        assert len(shelf.records()) == COUNT


def test_a_token_that_died_while_nobody_harvested_restarts_its_window(tmp_path: Path) -> None:
    with OaiServer(make_items(25), transport.Resetting(skip=2, times=None)) as server:
        shelf = make_shelf(tmp_path, server, mode="list")
        shelf.harvest()
        server.faults = [tokens.Expiring(after_pages=2, times=1)]
        server.faults[0].server = server
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert tokens_asked(server)[-4:] == [20, 0, 10, 20]
        assert "harvested again from its start" in words(run)
        assert len(shelf.records()) == 25


def test_a_token_of_another_mode_restarts_its_window(tmp_path: Path) -> None:
    class Verbose(tokens.OddTokens):
        def read_token(self, text: str, request: Request) -> str:
            self.tail = request.arguments["verb"]
            return super().read_token(text, request)

        def write_token(self, text: str) -> str:
            return text + self.server.requests[-1].arguments["verb"]

    with OaiServer(make_items(25), Verbose(), transport.Resetting(skip=2, times=None)) as server:
        shelf = make_shelf(tmp_path, server, mode="list")
        shelf.harvest()
        del server.faults[1]
        shelf.change(mode="one-by-one")
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert len(shelf.records()) == 25


def test_a_list_left_over_from_a_format_no_longer_wanted_harms_nobody(tmp_path: Path) -> None:
    with OaiServer(
        make_items(25), transport.Resetting(skip=2, times=None), formats=["oai_dc", "mods"]
    ) as server:
        shelf = make_shelf(tmp_path, server, mode="list", formats=["mods"])
        shelf.harvest()
        server.faults = []
        shelf.change(formats=["oai_dc"])
        assert shelf.harvest().outcome == Outcome.OK
        assert shelf.next_from() is not None
        shelf.change(formats=["oai_dc", "mods"])
        assert shelf.harvest().outcome == Outcome.OK
        assert all(len(record.payloads) == 2 for record in shelf.records().values())


def test_a_full_harvest_does_not_go_on_where_another_stopped(tmp_path: Path) -> None:
    with OaiServer(make_items(25), transport.Resetting(skip=2, times=None)) as server:
        shelf = make_shelf(tmp_path, server, mode="list")
        shelf.harvest()
        server.faults = []
        sent = len(tokens_asked(server))
        assert shelf.harvest(is_full=True).outcome == Outcome.OK
        assert tokens_asked(server)[sent:] == [0, 10, 20]


class Breaks(NullObserver):
    """Fails in a way nobody foresaw."""

    def advanced(self, source: str, counters: Counters, expected: int | None) -> None:
        raise ZeroDivisionError("nobody foresaw this")


def test_a_defect_ends_the_run_as_failed_and_gives_the_claim_back(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server)
        library = shelf.open()
        try:
            run = harvest(library, "test", HarvestOptions(), observer=Breaks(), stopper=Sleepless())
            with library.store.reading() as connection:
                assert leases.list_holders(connection) == {}
        finally:
            library.close()
        assert run.outcome == Outcome.FAILED
        assert "ZeroDivisionError: nobody foresaw this" in words(run)
        assert shelf.harvest().outcome == Outcome.OK
        assert len(shelf.records()) == 25


def test_the_command_tells_how_to_go_on_after_a_failure(tmp_path: Path) -> None:
    with OaiServer(make_items(25), transport.Resetting(skip=2, times=None)) as server:
        shelf = make_shelf(tmp_path, server, mode="list")
        done = windrow(shelf, "harvest", "test")
        assert done.returncode == 1
        server.faults = []
        done = windrow(shelf, "harvest", "test")
        assert done.returncode == 0, done.stderr
        assert "going on where an earlier run stopped" in done.stdout + done.stderr


def _hold(server: OaiServer, fault: HoldsFrom) -> None:
    fault.server = server
    server.faults = [fault]


def _release(server: OaiServer) -> None:
    for fault in server.faults:
        if isinstance(fault, HoldsFrom):
            fault.release.set()
    server.faults = []


def test_a_page_that_could_not_be_stored_is_not_counted(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server)
        with sqlite3.connect(tmp_path / "library" / "windrow.db") as connection:
            connection.execute(
                "CREATE TRIGGER full BEFORE UPDATE ON window WHEN new.seen > 0 "
                "BEGIN SELECT RAISE(ABORT, 'no room'); END"
            )
        connection.close()
        with pytest.raises(StoreError, match="no room"):
            shelf.harvest()
        library = shelf.open()
        with library.store.reading() as reading:
            run = runs.get(reading, 1)
        library.close()
    assert run is not None
    assert (run.outcome, run.counters.added, len(shelf.records())) == (Outcome.FAILED, 0, 0)
