"""Repositories that are complete but sloppy: they cost little each night, and are not called partial."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.flows.harvesting import Shelf, asked, make_shelf, words
from tests.servers.fault import Asked, Fault, Identity, Page, Refused
from tests.servers.faults import lists
from tests.servers.http import Reply, Request
from tests.servers.items import Item, dublin_core, make_items
from tests.servers.oai import DAYS, NOW, SECONDS, OaiServer
from windrow.model.run import Outcome, Run


def nightly(shelf: Shelf, server: OaiServer) -> tuple[Run, int]:
    """Harvest a day later; return the run and how many requests it took."""
    server.now += timedelta(days=1)
    before = len(server.requests)
    run = shelf.harvest()
    return run, len(server.requests) - before


def members(server: OaiServer, spec: str) -> set[str]:
    return {item.identifier for item in server.items if spec in item.sets}


# Records that are listed and cannot be had


@dataclass
class OnlyListed(Fault):
    """Some records are in ListIdentifiers alone; `code` is the answer to who asks for them."""

    code: str
    share: int = 1  # every so many-th record is one of them

    def is_struck(self, item: Item) -> bool:
        return int(item.identifier.rpartition(":")[2]) % self.share == 3 % self.share

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        return items if asked.verb != "ListRecords" else [each for each in items if not self.is_struck(each)]

    def record(self, xml: str, item: Item, verb: str) -> str:
        if verb == "GetRecord" and self.is_struck(item):
            raise Refused(self.code, "not to be had")
        return xml


@pytest.mark.parametrize("code", ["idDoesNotExist", "cannotDisseminateFormat"])
@pytest.mark.parametrize("faults", [(), (lists.NoSizes(),)])
@pytest.mark.parametrize("share", [50, 2])
def test_listed_records_that_cannot_be_had_are_compared_once(
    tmp_path: Path, code: str, faults: tuple[Fault, ...], share: int
) -> None:
    with OaiServer(make_items(300), OnlyListed(code, share), *faults) as server:
        shelf = make_shelf(tmp_path, server)
        first = shelf.harvest()
        assert (first.outcome == Outcome.OK) is (code == "cannotDisseminateFormat"), words(first)
        assert len(asked(server, "GetRecord")) <= 110, "of what may be 100,000s"
        for _ in range(2):
            run, requests = nightly(shelf, server)
            assert (run.outcome, requests) == (Outcome.OK, 2), words(run)
            assert "could not be had when the list was last compared" in words(run)
        missing = Item("oai:test.example:900", NOW - timedelta(days=4000), ("art",), dublin_core("Late"))
        server.put(missing)
        run, _ = nightly(shelf, server)
        assert missing.identifier in shelf.live(), words(run)


# Sizes that drift


@dataclass
class Drifting(Fault):
    """The stated size is too large by another number each night."""

    extra: int = 0

    def page(self, page: Page) -> Page:
        return replace(page, size=str(int(page.size or 0) + self.extra))


def test_sizes_that_drift_do_not_have_everything_compared_each_night(tmp_path: Path) -> None:
    fault = Drifting()
    with OaiServer(make_items(100), fault) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        costs, outcomes = [], []
        for extra in (3, 1, 4, 2, 5, 3, 6):
            fault.extra = extra
            run, requests = nightly(shelf, server)
            costs.append(requests)
            outcomes.append(run.outcome)
        assert sum(cost > 2 for cost in costs) <= 2, costs
        assert outcomes.count(Outcome.PARTIAL) <= 1, outcomes
        server.put(Item("oai:test.example:late", NOW - timedelta(days=4000), ("art",), dublin_core("Late")))
        run, requests = nightly(shelf, server)
        assert "oai:test.example:late" in shelf.live(), "the first page names it"
        assert requests == 3
        fault.extra = 5
        server.items += make_items(140, start=NOW - timedelta(days=3000))[100:]
        nightly(shelf, server)
        assert len(shelf.live()) == 141, "a large difference is looked into all the same"


def test_sizes_that_differ_from_page_to_page_are_estimates(tmp_path: Path) -> None:
    @dataclass
    class Estimates(Fault):
        def page(self, page: Page) -> Page:
            return replace(page, size=str(int(page.size or 0) + (page.index * 3 + self.extra) % 5))

        extra: int = 1

    fault = Estimates()
    with OaiServer(make_items(95), fault) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        costs, outcomes = [], []
        for extra in (3, 1, 4, 2, 3, 4, 2):
            fault.extra = extra
            run, requests = nightly(shelf, server)
            costs.append(requests)
            outcomes.append(run.outcome)
        assert sum(cost > 2 for cost in costs) <= 2, costs
        assert outcomes.count(Outcome.PARTIAL) <= 1, outcomes


def test_a_drift_that_was_a_gap_is_no_drift(tmp_path: Path) -> None:
    items = make_items(60)
    with OaiServer(items[:50]) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        for count in range(51, 61):
            server.items = items[:count]  # each listed late
            run, _ = nightly(shelf, server)
            assert run.outcome == Outcome.OK, words(run)
            assert len(shelf.live()) == count


@dataclass
class Embargoed(Fault):
    """Every tenth record is counted and not listed."""

    _count: int = 0

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        self._count = len(items)
        return [item for item in items if int(item.identifier.rpartition(":")[2]) % 10]

    def page(self, page: Page) -> Page:
        return replace(page, size=str(self._count))


def test_records_that_are_counted_and_not_listed_make_the_first_run_partial_only(tmp_path: Path) -> None:
    with OaiServer(make_items(100), Embargoed()) as server:
        shelf = make_shelf(tmp_path, server)
        assert shelf.harvest().outcome == Outcome.PARTIAL
        for night in range(1, 4):
            for number in range(25):
                stamp = server.now + timedelta(hours=1, seconds=number)
                name = f"oai:test.example:{night * 100 + number}"
                server.put(Item(name, stamp, ("art",), dublin_core("New")))
            run, _ = nightly(shelf, server)
            assert run.outcome == Outcome.OK, words(run)
            assert run.counters.added == 22


@pytest.mark.parametrize("granularity", [DAYS, SECONDS])
@pytest.mark.parametrize("count", [95, 100])
def test_a_bulk_import_without_a_last_token_is_not_split_where_dates_cannot_part_it(
    tmp_path: Path, granularity: str, count: int
) -> None:
    @dataclass
    class NoLastToken(Fault):
        def page(self, page: Page) -> Page:
            return replace(page, size=None, cursor=None, token=page.token or None)

    items = make_items(count, step=timedelta())
    with OaiServer(items, NoLastToken(), granularity=granularity) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert len(shelf.live()) == count
        assert run.outcome == (Outcome.OK if count == 95 else Outcome.PARTIAL), words(run)
        assert len(server.requests) < 40


def test_tombstones_of_a_repository_that_claims_to_have_none_cost_little(tmp_path: Path) -> None:
    @dataclass
    class SaysNo(Fault):
        def identity(self, identity: Identity) -> Identity:
            return replace(identity, deleted="no")

    with OaiServer(make_items(100), SaysNo()) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        costs = []
        for number in range(1, 7):
            server.delete(f"oai:test.example:{number}", server.now + timedelta(hours=1))
            run, requests = nightly(shelf, server)
            assert run.outcome == Outcome.OK, words(run)
            costs.append(requests)
        assert sum(cost > 2 for cost in costs) <= 2, costs
        assert len(shelf.live()) == 94


def test_many_records_added_during_a_long_harvest_are_no_gap(tmp_path: Path) -> None:
    @dataclass
    class Snapshot(Fault):
        """The list of everything is the one of the first request; records are added meanwhile."""

        def select(self, items: list[Item], asked: Asked) -> list[Item]:
            if asked.verb == "ListRecords" and asked.start is None:
                return [item for item in items if item.stamp <= NOW]
            return items

        def page(self, page: Page) -> Page:
            if page.asked.verb == "ListRecords" and page.index == 3:
                for number in range(70):
                    stamp = NOW + timedelta(minutes=number + 1)
                    name = f"oai:test.example:new-{number}"
                    self.server.put(Item(name, stamp, ("art",), dublin_core("New")))
            return page

    with OaiServer(make_items(300), Snapshot()) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert len(asked(server, "ListRecords")) == 30
        assert len(asked(server, "ListIdentifiers")) <= 10
        run, _ = nightly(shelf, server)
        assert run.counters.added == 70
        assert len(shelf.live()) == 370


@pytest.mark.parametrize("faults", [(), (lists.NoSizes(),)])
def test_a_busy_repository_that_lists_the_newest_first_is_not_compared_each_night(
    tmp_path: Path, faults: tuple[Fault, ...]
) -> None:
    @dataclass
    class Busy(Fault):
        """A record is added after each list of records."""

        def select(self, items: list[Item], asked: Asked) -> list[Item]:
            return items[::-1]

        def deliver(self, reply: Reply, request: Request) -> Reply:
            if request.arguments.get("verb") == "ListRecords":
                name = f"oai:test.example:new-{len(self.server.items)}"
                stamp = self.server.now + timedelta(seconds=1)
                self.server.put(Item(name, stamp, ("art",), dublin_core("New")))
            return reply

    with OaiServer(make_items(100), Busy(), *faults, page_size=50) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        for _ in range(3):
            run, requests = nightly(shelf, server)
            assert run.outcome == Outcome.OK, words(run)
            assert requests <= 3


def test_ends_are_checked_with_one_page_of_records_where_identifiers_were_refused_lately(
    tmp_path: Path,
) -> None:
    @dataclass
    class NoIdentifiers(Fault):
        def select(self, items: list[Item], asked: Asked) -> list[Item]:
            if asked.verb == "ListIdentifiers":
                raise Refused("badVerb", "not here")
            return items

    with OaiServer(make_items(45), NoIdentifiers(), lists.NoSizes()) as server:
        shelf = make_shelf(tmp_path, server)
        assert shelf.harvest().outcome == Outcome.OK
        for number in range(25):
            stamp = server.now + timedelta(hours=1, seconds=number)
            server.put(Item(f"oai:test.example:new{number}", stamp, ("art",), dublin_core("New")))
        run, requests = nightly(shelf, server)
        # what is new in three pages, what is behind their end, and if the list begins with gaps
        assert (run.outcome, requests) == (Outcome.OK, 5), words(run)
        assert len(shelf.live()) == 70


@pytest.mark.parametrize("status", [500, 504])
@pytest.mark.parametrize("sets", [[], ["art", "law"]])
def test_identifiers_that_fail_every_night_are_left_alone_for_a_week(
    tmp_path: Path, status: int, sets: list[str]
) -> None:
    @dataclass
    class Fails(Fault):
        is_on: bool = True

        def intercept(self, request: Request) -> Reply | None:
            if not self.is_on or request.arguments.get("verb") != "ListIdentifiers":
                return None
            return Reply(status, b"out of time", content_type="text/plain")

    fault = Fails()
    with OaiServer(make_items(100), fault) as server:
        shelf = make_shelf(tmp_path, server, sets=sets)
        for _ in range(2):
            nightly(shelf, server)
        assert len(asked(server, "ListIdentifiers")) == 6, "three tries in each run, not for each set"
        run, requests = nightly(shelf, server)
        assert (run.outcome, requests) == (Outcome.OK, 2 * max(1, len(sets))), "what is new, and the size"
        assert len(asked(server, "ListIdentifiers")) == 6
    with OaiServer(make_items(100), fault) as server:
        shelf = make_shelf(tmp_path / "other", server)
        for is_on in (True, False, True, False):
            fault.is_on = is_on
            nightly(shelf, server)
        assert len(asked(server, "ListIdentifiers")) == 8, "a failure now and then is not a habit"


@pytest.mark.parametrize("deleted", ["no", "transient"])
def test_records_that_are_gone_there_do_not_hide_as_many_that_are_missing_here(
    tmp_path: Path, deleted: str
) -> None:
    items = make_items(104)
    with OaiServer(items[:100], deleted=deleted) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        for item in items[:4]:
            server.delete(item.identifier, NOW + timedelta(hours=1))
        nightly(shelf, server)
        server.items = items[4:100]  # tombstones are given up
        run, requests = nightly(shelf, server)
        assert (run.outcome, requests) == (Outcome.OK, 2), words(run)
        server.items = items[4:102]  # listed late
        run, _ = nightly(shelf, server)
        assert {item.identifier for item in items[100:102]} <= shelf.live(), words(run)
        shelf.harvest(is_reconciling=True)
        run, requests = nightly(shelf, server)
        assert (run.outcome, requests) == (Outcome.OK, 2), words(run)
        server.items = items[4:]
        run, _ = nightly(shelf, server)
        assert shelf.live() == {item.identifier for item in server.items}, words(run)


# Sets


@dataclass
class Renames(Fault):
    """The headers of some records name other sets than they are in."""

    names: tuple[str, ...]
    specs: tuple[str, ...] = ()

    def record(self, xml: str, item: Item, verb: str) -> str:
        if item.identifier not in self.names:
            return xml
        xml = re.sub("<setSpec>.*?</setSpec>", "", xml)
        return xml.replace("</header>", "".join(f"<setSpec>{s}</setSpec>" for s in self.specs) + "</header>")


@pytest.mark.parametrize("specs", [(), ("art",)])
@pytest.mark.parametrize("is_tombstone", [False, True])
@pytest.mark.parametrize("mode", ["auto", "one-by-one"])
def test_a_header_that_does_not_name_its_set_does_not_spoil_the_list(
    tmp_path: Path, specs: tuple[str, ...], is_tombstone: bool, mode: str
) -> None:
    items = make_items(100)
    place = [number for number, item in enumerate(items) if "law" in item.sets][15]
    if is_tombstone:
        items[place] = replace(items[place], payload=None)
    with OaiServer(items, Renames((items[place].identifier,), specs)) as server:
        shelf = make_shelf(tmp_path, server, sets=["law"], mode=mode)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert len(shelf.records()) == len(members(server, "law"))
        assert len(asked(server, "ListRecords")) <= 5
        run, _ = nightly(shelf, server)
        assert run.outcome == Outcome.OK, words(run)


@dataclass
class IdentifiersOfAll(Fault):
    """ListIdentifiers ignores the set; ListRecords does not."""

    def reinterpret(self, asked: Asked) -> Asked:
        return replace(asked, spec=None) if asked.verb == "ListIdentifiers" else asked


@pytest.mark.parametrize("faults", [(), (lists.NoSizes(),)])
@pytest.mark.parametrize("deleted", ["no", "persistent"])
@pytest.mark.parametrize("spec", ["law", "rare"])
@pytest.mark.parametrize("options", [{}, {"is_verifying": True}, {"is_reconciling": True}])
def test_identifiers_that_ignore_the_set_bring_no_records_of_others(
    tmp_path: Path, faults: tuple[Fault, ...], deleted: str, spec: str, options: dict[str, Any]
) -> None:
    items = make_items(100)
    for place in (55, 77):
        items[place] = replace(items[place], sets=("rare",))
    with OaiServer(items, IdentifiersOfAll(), *faults, deleted=deleted) as server:
        shelf = make_shelf(tmp_path, server, sets=[spec])
        for _ in range(2):
            run = shelf.harvest(**options)
            assert run.outcome == Outcome.OK, words(run)
            assert shelf.live() == members(server, spec)
        run, requests = nightly(shelf, server)
        assert (run.outcome, requests <= 2) == (Outcome.OK, True), words(run)


@pytest.mark.parametrize("spec", ["law", "rare"])
def test_one_by_one_a_set_that_is_ignored_is_noticed(tmp_path: Path, spec: str) -> None:
    items = make_items(100)
    items[55] = replace(items[55], sets=("rare",))
    with OaiServer(items, IdentifiersOfAll()) as server:
        shelf = make_shelf(tmp_path, server, sets=[spec], mode="one-by-one")
        run = shelf.harvest()
        if shelf.live() != members(server, spec):
            assert run.outcome == Outcome.PARTIAL, words(run)
            assert "may ignore the set" in words(run)


@pytest.mark.parametrize("count", [15, 80, 100])
@pytest.mark.parametrize("deleted", ["no", "persistent"])
@pytest.mark.parametrize("is_full", [False, True])
@pytest.mark.parametrize("is_restamped", [False, True])
def test_records_that_leave_a_set_are_not_a_loss(
    tmp_path: Path, count: int, deleted: str, is_full: bool, is_restamped: bool
) -> None:
    items = [replace(item, sets=("law",)) for item in make_items(100)]
    with OaiServer(items, deleted=deleted) as server:
        shelf = make_shelf(tmp_path, server, sets=["law"])
        shelf.harvest()
        later = NOW + timedelta(hours=1)
        for item in items[:count]:
            server.put(replace(item, sets=("art",), stamp=later if is_restamped else item.stamp))
        server.now += timedelta(days=1)
        run = shelf.harvest(is_full=is_full)
        assert run.outcome == Outcome.OK, words(run)
        assert f"{count} records have left the set" in words(run)
        assert len(shelf.live()) == 100, "they are still there"
        run, requests = nightly(shelf, server)
        assert (run.outcome, requests) == (Outcome.OK, 2), words(run)


def test_a_comparison_notes_the_new_sets_of_records_that_left_theirs(tmp_path: Path) -> None:
    items = [replace(item, sets=("law",)) for item in make_items(60)]
    with OaiServer(items, deleted="persistent") as server:
        shelf = make_shelf(tmp_path, server, sets=["law"])
        shelf.harvest()
        for item in items[:2]:
            server.put(replace(item, sets=("art",)))
        run = shelf.harvest(is_reconciling=True)
        assert run.outcome == Outcome.OK
        assert shelf.records()[items[0].identifier].sets == ("art",)
        assert run.counters.moved == 2


def test_records_that_leave_one_harvested_set_for_another_are_not_a_loss(tmp_path: Path) -> None:
    items = [replace(item, sets=("law",)) for item in make_items(60)]
    items[50:] = [replace(item, sets=("art",)) for item in items[50:]]
    with OaiServer(items) as server:
        shelf = make_shelf(tmp_path, server, sets=["law", "art"])
        shelf.harvest()
        for item in items[:20]:
            server.put(replace(item, sets=("art",), stamp=NOW + timedelta(hours=1)))
        for _ in range(2):
            run, requests = nightly(shelf, server)
            assert run.outcome == Outcome.OK, words(run)
        assert requests == 4, "two for each set"


def test_an_empty_set_does_not_keep_the_others_from_being_compared(tmp_path: Path) -> None:
    sets = [("art", "Art"), ("law", "Law"), ("new", "New")]
    with OaiServer(make_items(60), deleted="no", sets=sets) as server:
        shelf = make_shelf(tmp_path, server, sets=["law", "new"])
        shelf.harvest()
        gone = min(members(server, "law"))
        server.delete(gone, NOW)
        run = shelf.harvest(is_reconciling=True)
        assert run.outcome == Outcome.OK, words(run)
        assert gone not in shelf.live()
