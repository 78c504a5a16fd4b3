"""Stale records that somebody looked at are asked for again: politely, and giving way to all else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

import pytest

from tests.flows.harvesting import Shelf, Sleepless, asked, make_shelf, words
from tests.servers.fault import Asked, Fault, Refused
from tests.servers.http import Reply, Request
from tests.servers.items import dublin_core, make_items
from tests.servers.oai import NOW, OaiServer
from windrow.errors import SourceBusy
from windrow.harvest.oai import record_refresh
from windrow.harvest.options import NullObserver, Stopper
from windrow.model.run import Outcome, Run
from windrow.store import leases, runs
from windrow.store.harvests import refresh_requests
from windrow.web.stale_records import StaleRecordRefresher
from windrow.wiring import Library, single_records

FIRST, SECOND, THIRD = (f"oai:test.example:{number}" for number in range(3))
HOUR = 3600.0


@dataclass
class Robots(Fault):
    """The server has a robots.txt; `before` is done when a record is asked for."""

    reply: Reply = field(default_factory=lambda: Reply(status=404))
    before: Callable[[str], None] = lambda identifier: None

    def intercept(self, request: Request) -> Reply | None:
        if request.path == "/robots.txt":
            return self.reply
        if request.arguments.get("verb") == "GetRecord":
            self.before(request.arguments["identifier"])
        return None


def rules(text: str) -> Reply:
    return Reply(body=text.encode(), content_type="text/plain")


@dataclass
class Failing(Fault):
    """Some records cannot be had alone."""

    status: int = 404
    names: tuple[str, ...] = (FIRST,)

    def intercept(self, request: Request) -> Reply | None:
        is_hit = request.arguments.get("identifier") in self.names
        return Reply(status=self.status, body=b"no") if is_hit else None


def stocked(tmp_path: Path, server: OaiServer, **settings: object) -> Shelf:
    """A library that has everything, of a source whose records are stale after an hour."""
    shelf = make_shelf(tmp_path, server, refresh_after="1h", **settings)
    assert shelf.harvest().outcome is Outcome.OK
    server.requests.clear()
    return shelf


def look_at(shelf: Shelf, *names: str, hours: float = 2) -> int:
    """Let somebody look at the pages of these records, so many hours from now; give how many then wait."""
    found = shelf.records()
    library = shelf.open()
    try:
        later = library.store.clock() + hours * HOUR
        staleness = StaleRecordRefresher(
            library.store, library.config.sources, clock=lambda: later, pause_seconds=HOUR
        )
        for name in names:
            staleness.looked_at(found[name].id, "test")
        written = staleness.write()
        staleness.close()
        return written
    finally:
        library.close()


def refresh(shelf: Shelf, *, stopper: Stopper | None = None, limit: int | None = None) -> Run | None:
    library = shelf.open()
    try:
        return single_records.refresh_source(
            library, "test", observer=NullObserver(), stopper=stopper or Sleepless(), limit=limit
        )
    finally:
        library.close()


def refreshed(shelf: Shelf, *, stopper: Stopper | None = None, limit: int | None = None) -> Run:
    run = refresh(shelf, stopper=stopper, limit=limit)
    assert run is not None
    return run


def ask_store(shelf: Shelf, question: Callable[[Library], object]) -> object:
    library = shelf.open()
    try:
        return question(library)
    finally:
        library.close()


def waiting(shelf: Shelf) -> int:
    def count(library: Library) -> int:
        with library.store.reading() as connection:
            return refresh_requests.count_waiting(connection).get("test", 0)

    return int(str(ask_store(shelf, count)))


def outcome(shelf: Shelf, name: str) -> str:
    number = shelf.records()[name].id

    def find(library: Library) -> str:
        with library.store.reading() as connection:
            found = refresh_requests.last_attempt(connection, number)
        return found.outcome if found else ""

    return str(ask_store(shelf, find))


def requested(server: OaiServer) -> list[str]:
    """What was asked for after the harvest: paths, or identifiers of records."""
    return [request.arguments.get("identifier", request.path) for request in server.requests]


def test_what_is_looked_at_when_stale_is_asked_for_and_what_changed_is_stored(tmp_path: Path) -> None:
    with OaiServer(make_items(5), Robots()) as server:
        shelf = stocked(tmp_path, server)
        server.put(replace(server.items[1], payload=dublin_core("Another title")))
        assert look_at(shelf, SECOND, FIRST) == 2
        assert server.requests == []
        run = refreshed(shelf)
        assert (run.kind, run.outcome) == ("refresh", Outcome.OK), words(run)
        assert (run.counters.seen, run.counters.changed, run.counters.unchanged) == (2, 1, 1)
        assert requested(server) == ["/robots.txt", FIRST, SECOND]
        payload = shelf.records()[SECOND].payload()
        assert payload is not None
        assert b"Another title" in payload.data
        assert waiting(shelf) == 0
        assert refresh(shelf) is None


def test_nothing_waits_for_a_record_that_is_fresh_or_whose_source_does_not_want_it(tmp_path: Path) -> None:
    with OaiServer(make_items(5)) as server:
        shelf = stocked(tmp_path, server)
        assert look_at(shelf, FIRST, hours=0.5) == 0
        shelf.change(refresh_after="never")
        assert look_at(shelf, FIRST) == 0
        shelf.change(refresh_after="1h", enabled=False)
        assert look_at(shelf, FIRST) == 0


def test_a_record_that_was_refreshed_is_fresh_again_until_its_time_is_over(tmp_path: Path) -> None:
    with OaiServer(make_items(5)) as server:
        shelf = stocked(tmp_path, server)
        look_at(shelf, FIRST)
        refreshed(shelf)
        assert look_at(shelf, FIRST, SECOND, hours=0.9) == 0
        assert look_at(shelf, FIRST, hours=1.1) == 1


def test_a_harvest_makes_what_waits_moot(tmp_path: Path) -> None:
    with OaiServer(make_items(5)) as server:
        shelf = stocked(tmp_path, server)
        look_at(shelf, FIRST, hours=1.001)

        def harvested_later(library: Library) -> None:
            with library.store.writing() as connection:
                connection.execute("UPDATE run SET started = '2999-01-01T00:00:00+00:00'")

        ask_store(shelf, harvested_later)
        server.requests.clear()
        assert refresh(shelf) is None
        assert server.requests == []
        assert waiting(shelf) == 0


def test_every_format_of_the_source_is_asked_for(tmp_path: Path) -> None:
    with OaiServer(make_items(3), formats=("oai_dc", "kk")) as server:
        shelf = stocked(tmp_path, server, formats=["oai_dc", "kk"])
        look_at(shelf, FIRST)
        run = refreshed(shelf)
        assert run.outcome is Outcome.OK, words(run)
        assert [each["metadataPrefix"] for each in asked(server, "GetRecord")] == ["oai_dc", "kk"]


def test_a_record_that_is_told_to_be_deleted_becomes_a_tombstone(tmp_path: Path) -> None:
    with OaiServer(make_items(5)) as server:
        shelf = stocked(tmp_path, server)
        server.delete(FIRST, NOW)
        look_at(shelf, FIRST)
        run = refreshed(shelf)
        assert run.counters.deleted == 1
        assert shelf.records()[FIRST].is_deleted


@pytest.mark.parametrize("deleted", ["no", "persistent"])
def test_a_record_that_is_not_there_is_kept_and_noted(tmp_path: Path, deleted: str) -> None:
    with OaiServer(make_items(5), deleted=deleted) as server:
        shelf = stocked(tmp_path, server)
        server.items = [item for item in server.items if item.identifier != FIRST]
        look_at(shelf, FIRST)
        run = refreshed(shelf)
        assert run.outcome is Outcome.OK
        assert "not there when asked for: 1" in words(run)
        assert FIRST in shelf.live()
        assert outcome(shelf, FIRST) == "absent"
        assert waiting(shelf) == 0


def test_a_record_that_cannot_be_had_is_noted_once_and_the_next_one_follows(tmp_path: Path) -> None:
    with OaiServer(make_items(5)) as server:
        shelf = stocked(tmp_path, server)
        fault = Failing()
        fault.server = server
        server.faults = [fault]
        look_at(shelf, FIRST, SECOND)
        run = refreshed(shelf)
        assert run.outcome is Outcome.PARTIAL
        assert f"{FIRST} could not be had" in words(run)
        assert outcome(shelf, FIRST).startswith("refused: GetRecord")
        assert outcome(shelf, SECOND) == "fetched"
        assert shelf.quarantined() == []
        assert waiting(shelf) == 0
        assert look_at(shelf, FIRST, hours=0.9) == 0


def test_after_some_failures_in_a_row_the_rest_waits_for_another_time(tmp_path: Path) -> None:
    with OaiServer(make_items(9)) as server:
        shelf = stocked(tmp_path, server)
        names = tuple(shelf.live())
        fault = Failing(names=names)
        fault.server = server
        server.faults = [fault]
        look_at(shelf, *names)
        run = refreshed(shelf)
        assert run.outcome is Outcome.FAILED
        assert waiting(shelf) == 9 - record_refresh.MAX_FAILURES


def test_a_source_that_does_not_answer_ends_the_round_and_no_record_blocks_the_others(tmp_path: Path) -> None:
    with OaiServer(make_items(5)) as server:
        shelf = stocked(tmp_path, server, attempts=1)
        fault = Failing(status=500)
        fault.server = server
        server.faults = [fault]
        look_at(shelf, FIRST, SECOND)
        run = refreshed(shelf)
        assert run.outcome in (Outcome.FAILED, Outcome.PARTIAL)
        for _ in range(2):
            refresh(shelf)
        assert outcome(shelf, SECOND) == "fetched"
        assert waiting(shelf) == 0


def test_a_source_that_asks_to_wait_is_left_alone_and_nothing_is_lost(tmp_path: Path) -> None:
    with OaiServer(make_items(5)) as server:
        shelf = stocked(tmp_path, server)
        fault = Robots(Reply(status=503, body=b"later", headers={"Retry-After": "7200"}))
        fault.server = server
        server.faults = [fault]
        look_at(shelf, FIRST)
        assert refreshed(shelf).outcome is Outcome.SKIPPED
        sent = len(server.requests)
        assert refreshed(shelf).outcome is Outcome.SKIPPED
        assert len(server.requests) == sent
        assert waiting(shelf) == 1


def test_a_provider_that_does_not_want_robots_is_not_asked(tmp_path: Path) -> None:
    with OaiServer(make_items(5), Robots(rules("User-agent: *\nDisallow: /oai"))) as server:
        shelf = stocked(tmp_path, server)
        look_at(shelf, FIRST, SECOND)
        run = refreshed(shelf)
        assert run.outcome is Outcome.PARTIAL
        assert "robots.txt" in words(run)
        assert requested(server) == ["/robots.txt"]
        assert waiting(shelf) == 0
        assert outcome(shelf, FIRST) == "robots"
        assert shelf.harvest().outcome is Outcome.OK


def test_the_robots_file_is_asked_for_once_a_day(tmp_path: Path) -> None:
    with OaiServer(make_items(5), Robots(rules("User-agent: other\nDisallow: /"))) as server:
        shelf = stocked(tmp_path, server)
        for name in (FIRST, SECOND):
            look_at(shelf, name)
            assert refreshed(shelf).outcome is Outcome.OK
        assert requested(server) == ["/robots.txt", FIRST, SECOND]


def test_a_robots_file_in_trouble_means_not_now(tmp_path: Path) -> None:
    with OaiServer(make_items(5), Robots(Reply(status=500))) as server:
        shelf = stocked(tmp_path, server)
        look_at(shelf, FIRST)
        assert refreshed(shelf).outcome is Outcome.SKIPPED
        assert asked(server, "GetRecord") == []
        assert waiting(shelf) == 1


def test_the_pause_that_the_provider_wishes_for_is_made(tmp_path: Path) -> None:
    with OaiServer(make_items(5), Robots(rules("User-agent: *\nCrawl-delay: 7"))) as server:
        shelf = stocked(tmp_path, server)
        look_at(shelf, FIRST, SECOND, THIRD)
        stopper = Sleepless()
        refreshed(shelf, stopper=stopper)
        assert stopper.pauses == [7.0, 7.0]


def test_the_delay_of_the_source_is_kept_and_rounds_are_bounded(tmp_path: Path) -> None:
    with OaiServer(make_items(5)) as server:
        shelf = stocked(tmp_path, server)
        shelf.change(delay="5s")
        look_at(shelf, FIRST, SECOND, THIRD)
        stopper = Sleepless()
        run = refreshed(shelf, stopper=stopper, limit=2)
        assert run.counters.seen == 2
        assert [round(each) for each in stopper.pauses] == [5, 5]
        assert waiting(shelf) == 1


def test_a_round_whose_time_is_over_leaves_the_rest(tmp_path: Path) -> None:
    with OaiServer(make_items(5)) as server:
        shelf = stocked(tmp_path, server)
        look_at(shelf, FIRST, SECOND)

        def shortly(library: Library) -> Run | None:
            return single_records.refresh_source(
                library, "test", observer=NullObserver(), stopper=Sleepless(), seconds=-1
            )

        run = ask_store(shelf, shortly)
        assert isinstance(run, Run)
        assert run.counters.seen == 0
        assert waiting(shelf) == 2


def test_a_source_that_is_being_harvested_is_refreshed_later(tmp_path: Path) -> None:
    with OaiServer(make_items(5)) as server:
        shelf = stocked(tmp_path, server)
        look_at(shelf, FIRST)

        def claim(library: Library) -> None:
            with library.store.writing() as connection:
                leases.take(connection, leases.lease_name("test"), leases.own_claim("a test"))

        ask_store(shelf, claim)
        with pytest.raises(SourceBusy):
            refresh(shelf)
        assert server.requests == []
        assert waiting(shelf) == 1


def test_a_harvest_that_begins_meanwhile_is_given_way_to(tmp_path: Path) -> None:
    robots = Robots()
    with OaiServer(make_items(5), robots) as server:
        shelf = stocked(tmp_path, server)
        look_at(shelf, FIRST, SECOND)

        def claim(_: str) -> None:
            library = shelf.open()
            with library.store.writing() as connection:
                leases.take(connection, leases.lease_name("test"), leases.own_claim("a test"))
            library.close()

        robots.before = claim
        run = refreshed(shelf)
        assert run.outcome is Outcome.SKIPPED
        assert len(asked(server, "GetRecord")) == 1
        assert run.counters.seen == 0
        assert waiting(shelf) == 2


def test_what_a_harvest_brought_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    robots = Robots()
    with OaiServer(make_items(5), robots) as server:
        shelf = stocked(tmp_path, server)
        look_at(shelf, FIRST)
        older = server.items[0]

        def harvest_newer(_: str) -> None:
            robots.before = lambda identifier: None
            server.put(replace(older, stamp=NOW, payload=dublin_core("Newer")))
            assert shelf.harvest(is_full=True).counters.changed == 1
            server.put(older)

        robots.before = harvest_newer
        run = refreshed(shelf)
        assert "brought by a harvest meanwhile: 1" in words(run)
        payload = shelf.records()[FIRST].payload()
        assert payload is not None
        assert b"Newer" in payload.data


def test_a_round_ends_at_once_when_it_is_told_to(tmp_path: Path) -> None:
    robots = Robots()
    with OaiServer(make_items(5), robots) as server:
        shelf = stocked(tmp_path, server)
        look_at(shelf, FIRST, SECOND, THIRD)
        stop = Event()
        robots.before = lambda identifier: stop.set()
        run = refreshed(shelf, stopper=Stopper(stop))
        assert run.outcome is Outcome.INTERRUPTED
        assert len(asked(server, "GetRecord")) == 1
        assert waiting(shelf) >= 2


def test_how_a_source_stands_is_told_by_its_harvest_and_not_by_a_refresh(tmp_path: Path) -> None:
    with OaiServer(make_items(5)) as server:
        shelf = stocked(tmp_path, server)
        look_at(shelf, FIRST)
        run = refreshed(shelf)

        def newest(library: Library) -> list[str]:
            with library.store.reading() as connection:
                return [runs.newest(connection)["test"].kind, runs.latest(connection)[0].kind]

        assert ask_store(shelf, newest) == ["harvest", "refresh"]
        assert run.id > 1


def test_a_source_with_a_new_address_is_left_to_the_next_harvest(tmp_path: Path) -> None:
    with OaiServer(make_items(5)) as server, OaiServer(make_items(5)) as other:
        shelf = stocked(tmp_path, server)
        look_at(shelf, FIRST)
        shelf.change(url=other.url)
        assert refresh(shelf) is None
        assert other.requests == []


@dataclass
class Unwell(Fault):
    """The record comes without its metadata being well-formed."""

    def record(self, xml: str, item: object, verb: str) -> str:
        return xml.replace("</dc:title>", "") if verb == "GetRecord" else xml


def test_a_record_that_comes_damaged_is_kept_as_it_was_and_goes_to_quarantine(tmp_path: Path) -> None:
    with OaiServer(make_items(5)) as server:
        shelf = stocked(tmp_path, server)
        before = shelf.records()[FIRST]
        fault = Unwell()
        fault.server = server
        server.faults = [fault]
        look_at(shelf, FIRST)
        run = refreshed(shelf)
        assert run.outcome is Outcome.PARTIAL
        assert shelf.records()[FIRST].seq == before.seq
        assert [case.identifier for case in shelf.quarantined()] == [FIRST]


@dataclass
class OtherFormats(Fault):
    """A format that single records are not to be had in."""

    def reinterpret(self, asked: Asked) -> Asked:
        if asked.verb == "GetRecord" and asked.prefix == "kk":
            raise Refused("cannotDisseminateFormat", "not this one")
        return asked


def test_a_record_that_is_not_had_in_a_format_is_refreshed_in_the_others(tmp_path: Path) -> None:
    with OaiServer(make_items(3), OtherFormats(), formats=("oai_dc", "kk")) as server:
        shelf = stocked(tmp_path, server, formats=["kk", "oai_dc"])
        look_at(shelf, FIRST)
        run = refreshed(shelf)
        assert run.outcome is Outcome.OK, words(run)
        assert run.counters.seen == 1
        assert outcome(shelf, FIRST) == "fetched"
