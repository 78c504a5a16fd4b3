"""`ok` means that everything is there: repositories that leave records out and do not mention it.

Each server here really behaves so; what it holds is the oracle.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.flows.harvesting import Shelf, asked, make_shelf, problems, words
from tests.servers.fault import Asked, Fault, Page, Refused
from tests.servers.faults import lists, transport
from tests.servers.items import Item, dublin_core, make_items
from tests.servers.oai import DAYS, NOW, SECONDS, OaiServer
from windrow.model.run import Outcome, Run

LATER = NOW + timedelta(days=1)


def switch(server: OaiServer, *faults: Fault) -> None:
    """Put other faults in the place of those that a server has."""
    for fault in faults:
        fault.server = server
    server.faults = list(faults)


def names(server: OaiServer) -> set[str]:
    """The identifiers of all live records of a repository."""
    return {item.identifier for item in server.items if item.payload is not None}


def check_honest(shelf: Shelf, server: OaiServer, run: Run) -> None:
    """Everything is here, or the run does not claim it."""
    if shelf.live() != names(server):
        assert run.outcome in (Outcome.PARTIAL, Outcome.FAILED), words(run)
        assert problems(run)


# A repository that lists nothing at first


@dataclass
class IndexDown(Fault):
    """Lists find nothing: an error, or an empty list."""

    is_list: bool = False

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        return []

    def page(self, page: Page) -> Page:
        return replace(page, may_be_empty=self.is_list)


@pytest.mark.parametrize("is_list", [False, True])
@pytest.mark.parametrize("settings", [{}, {"window": "year"}, {"sets": ["art"]}, {"mode": "one-by-one"}])
def test_an_empty_first_harvest_does_not_move_the_start(
    tmp_path: Path, is_list: bool, settings: dict[str, Any]
) -> None:
    with OaiServer(make_items(50), IndexDown(is_list)) as server:
        shelf = make_shelf(tmp_path, server, **settings)
        for _ in range(2):
            run = shelf.harvest()
            assert "the list is empty; the next harvest asks for everything again" in words(run)
        spec = settings.get("sets", [""])[0]
        assert shelf.next_from(spec=spec) is None
        server.faults = []
        server.now = LATER
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        wanted = {each.identifier for each in server.items if not spec or each.sets[0].startswith(spec)}
        assert shelf.live() == wanted


def test_a_new_format_that_is_empty_at_first_is_asked_for_from_the_beginning(tmp_path: Path) -> None:
    @dataclass
    class NoMods(Fault):
        def select(self, items: list[Item], asked: Asked) -> list[Item]:
            return [] if asked.prefix == "mods" else items

    with OaiServer(make_items(25), NoMods(), formats=["oai_dc", "mods"]) as server:
        shelf = make_shelf(tmp_path, server, formats=["oai_dc", "mods"])
        assert "mods: the list is empty" in words(shelf.harvest())
        server.faults = []
        server.now = LATER
        assert shelf.harvest().outcome == Outcome.OK
    assert all(record.payload("mods") for record in shelf.records().values())


def test_a_repository_whose_index_is_down_does_not_move_the_start_of_a_known_source(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        before = shelf.next_from()
        server.put(Item("oai:test.example:new", NOW + timedelta(hours=1), ("art",), dublin_core("New")))
        switch(server, IndexDown())
        server.now = LATER
        run = shelf.harvest()
        assert run.outcome == Outcome.PARTIAL
        assert "the repository lists 0 of the 25 records held here" in words(run)
        assert shelf.next_from() == before
        server.faults = []
        assert shelf.harvest().outcome == Outcome.OK
        assert shelf.live() == names(server)


def test_a_harvest_that_brings_nothing_and_cannot_be_checked_does_not_move_the_start(tmp_path: Path) -> None:
    with OaiServer(make_items(25), lists.NoSizes()) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        before = shelf.next_from()
        stamp = NOW + timedelta(hours=1)
        server.put(Item("oai:test.example:new", stamp, ("art",), dublin_core("New")))
        failing = transport.Failing(500, times=None, verbs=("ListIdentifiers",))
        switch(server, IndexDown(), failing)
        server.now = LATER
        shelf.harvest()
        assert shelf.next_from() == before
        server.faults = []
        shelf.harvest()
        assert shelf.live() == names(server)


# Comparing, both ways


@pytest.mark.parametrize("options", [{"is_reconciling": True}, {"is_verifying": True}, {}])
@pytest.mark.parametrize("deleted", ["no", "transient", "persistent"])
@pytest.mark.parametrize("held", [10, 95, 450])
def test_what_is_listed_and_missing_here_is_fetched(
    tmp_path: Path, options: dict[str, Any], deleted: str, held: int
) -> None:
    items = make_items(500)
    with OaiServer(items[:held], deleted=deleted, page_size=100) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        server.items = items  # under datestamps from before the last harvest
        run = shelf.harvest(**options)
        assert run.outcome == Outcome.OK, words(run)
        assert shelf.live() == names(server)
        assert f"{500 - held} were missing here and {500 - held} have been fetched" in words(run)
        assert len(server.requests) < 150


@dataclass
class Withheld(Fault):
    """Some records are listed and cannot be had."""

    names: tuple[str, ...] = ("oai:test.example:3", "oai:test.example:20")

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        if asked.verb == "ListRecords":
            return [item for item in items if item.identifier not in self.names]
        return items

    def record(self, xml: str, item: Item, verb: str) -> str:
        if verb == "GetRecord" and item.identifier in self.names:
            raise Refused("badArgument", "not for you")
        return xml


@pytest.mark.parametrize("options", [{"is_reconciling": True}, {"is_verifying": True}, {}])
def test_what_is_listed_and_cannot_be_fetched_makes_the_run_partial(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    with OaiServer(make_items(25), Withheld(), deleted="no") as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest(**options)
        assert run.outcome == Outcome.PARTIAL
        assert len(shelf.live()) == 23


def test_a_lasting_gap_without_sizes_comes_to_light_on_the_first_page(tmp_path: Path) -> None:
    items = make_items(50)
    with OaiServer(items[20:], lists.NoSizes()) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        server.items = items
        assert shelf.harvest(is_full=True, is_keeping_old=True).outcome == Outcome.OK
        assert shelf.live() == names(server)


@dataclass
class Ghosts(Fault):
    """ListIdentifiers names records that are not there when asked for."""

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        if asked.verb != "ListIdentifiers" or asked.start is not None:
            return items
        stamp = datetime(2019, 1, 1, tzinfo=UTC)
        return [*(Item(f"oai:test.example:ghost-{number}", stamp, (), "<x/>") for number in range(3)), *items]


@pytest.mark.parametrize("faults", [(), (lists.NoSizes(),)])
def test_records_that_are_listed_and_cannot_be_had_are_looked_for_once(
    tmp_path: Path, faults: tuple[Fault, ...]
) -> None:
    with OaiServer(make_items(60), Ghosts(), *faults) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.PARTIAL
        assert "3 listed identifiers have no record" in words(run)
        for _ in range(2):
            sent = len(server.requests)
            assert shelf.harvest().outcome == Outcome.OK
            assert len(server.requests) - sent == 2, "the whole list was compared again"
        server.put(Item("oai:test.example:new", NOW, ("art",), dublin_core("New")))
        assert shelf.harvest().counters.added == 1


def test_a_record_added_to_the_front_of_a_list_without_sizes_is_no_gap(tmp_path: Path) -> None:
    @dataclass
    class NewestFirst(Fault):
        def select(self, items: list[Item], asked: Asked) -> list[Item]:
            return items[::-1]

    with OaiServer(make_items(60), NewestFirst(), lists.NoSizes()) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        honest = server.handle

        def handle(request: Any) -> Any:
            if request.arguments["verb"] == "ListIdentifiers":
                server.put(Item("oai:test.example:new", server.now, ("art",), dublin_core("New")))
            return honest(request)

        server.handle = handle
        sent = len(server.requests)
        assert shelf.harvest().outcome == Outcome.OK
        assert len(server.requests) - sent <= 3
        server.handle = honest
        assert shelf.harvest().counters.added == 1


@pytest.mark.parametrize("size", ["12", "40", "0"])
def test_a_wrong_size_is_looked_into_once_and_then_known(tmp_path: Path, size: str) -> None:
    with OaiServer(make_items(25), lists.WrongSize(size)) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        sent = len(server.requests)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert len(server.requests) - sent == 2
        server.put(Item("oai:test.example:new", NOW, ("art",), dublin_core("New")))
        assert shelf.harvest().counters.added == 1


def test_records_added_while_the_harvest_runs_are_no_gap(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        honest = server.handle

        def handle(request: Any) -> Any:
            if request.arguments["verb"] == "ListIdentifiers":
                server.put(Item("oai:test.example:new", server.now, ("art",), dublin_core("New")))
            return honest(request)

        server.handle = handle
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert len(asked(server, "ListIdentifiers")) <= 3
        server.handle = honest
        assert shelf.harvest().counters.added == 1


# Lists without an order


@dataclass
class Shuffled(Fault):
    """Each page is cut from the list in another order; ListIdentifiers too."""

    seed: int = 1

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        self.seed += 1
        mixed = list(items)
        random.Random(self.seed).shuffle(mixed)
        return mixed


@pytest.mark.parametrize("faults", [(), (lists.NoSizes(),)])
@pytest.mark.parametrize("step", [timedelta(days=1), timedelta()])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_list_without_an_order_is_completed_or_not_called_complete(
    tmp_path: Path, faults: tuple[Fault, ...], step: timedelta, is_first: bool
) -> None:
    with OaiServer(make_items(300, step=step), Shuffled(), *faults, page_size=50) as server:
        shelf = make_shelf(tmp_path, server)
        if not is_first:
            everything, server.items = server.items, server.items[:20]
            shelf.harvest()
            server.items = [
                replace(item, stamp=NOW + (item.stamp - everything[0].stamp)) for item in everything
            ]
            server.now = NOW + timedelta(days=400)
        run = shelf.harvest()
        check_honest(shelf, server, run)
        assert shelf.live() == names(server), words(run)
        is_provable = not faults or step
        assert run.outcome == (Outcome.OK if is_provable else Outcome.PARTIAL), words(run)


def test_a_list_of_one_moment_without_an_order_is_not_split_and_not_called_a_loss(tmp_path: Path) -> None:
    with OaiServer(make_items(60, step=timedelta()), Shuffled(), lists.NoSizes(), page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.PARTIAL
        assert "is split" not in words(run)
        assert "its index may be incomplete" not in words(run)


def test_a_list_that_repeats_records_in_a_fixed_order_is_complete(tmp_path: Path) -> None:
    with OaiServer(make_items(25), lists.Duplicates(), lists.NoSizes()) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert "entries came twice" in words(run)
        assert len(server.requests) < 20


# Ends that are no ends


@dataclass
class StopsAt(Fault):
    """The page with this number comes empty, or as the last one, without a token and without sizes."""

    number: int
    is_empty: bool
    verbs: tuple[str, ...] = ("ListRecords",)
    order: str = "date"

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        if self.order == "date":
            return items
        return sorted(items, key=lambda item: random.Random(item.identifier).random())

    def page(self, page: Page) -> Page:
        page = replace(page, size=None, cursor=None)
        if page.asked.verb not in self.verbs or page.index != self.number:
            return page
        return replace(page, token=None, items=() if self.is_empty else page.items, may_be_empty=True)


@pytest.mark.parametrize("is_empty", [True, False])
@pytest.mark.parametrize("verbs", [("ListRecords",), ("ListRecords", "ListIdentifiers")])
@pytest.mark.parametrize("order", ["date", "mixed"])
@pytest.mark.parametrize("number", [1, 2, 4])
def test_an_end_without_its_token_is_checked(
    tmp_path: Path, is_empty: bool, verbs: tuple[str, ...], order: str, number: int
) -> None:
    with OaiServer(make_items(100), StopsAt(number, is_empty, verbs, order), page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        check_honest(shelf, server, run)
        assert shelf.live() == names(server), words(run)
        assert run.outcome == Outcome.OK, words(run)


@pytest.mark.parametrize("is_empty", [True, False])
@pytest.mark.parametrize("order", ["date", "mixed"])
@pytest.mark.parametrize("step", [timedelta(days=1), timedelta()])
def test_an_end_of_the_identifiers_without_its_token_is_checked(
    tmp_path: Path, is_empty: bool, order: str, step: timedelta
) -> None:
    stops = StopsAt(2, is_empty, ("ListIdentifiers",), order)
    with OaiServer(make_items(100, step=step), stops, page_size=20) as server:
        shelf = make_shelf(tmp_path, server, mode="one-by-one")
        run = shelf.harvest()
        check_honest(shelf, server, run)
        if step:
            assert shelf.live() == names(server), words(run)


def test_an_end_without_its_token_is_checked_in_a_resumed_list_too(tmp_path: Path) -> None:
    with OaiServer(make_items(100), StopsAt(3, is_empty=False), page_size=20) as server:
        shelf = make_shelf(tmp_path, server, mode="list")
        server.faults.append(_tied(transport.Resetting(skip=3, times=None), server))
        assert shelf.harvest().outcome == Outcome.FAILED
        server.faults.pop()
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)


def test_a_repository_that_never_sends_the_last_token_costs_one_more_request(tmp_path: Path) -> None:
    @dataclass
    class NoLastToken(Fault):
        def page(self, page: Page) -> Page:
            return replace(page, size=None, token=page.token or None)

    with OaiServer(make_items(45), NoLastToken()) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK
        assert run.problems == ()
        assert len(asked(server, "ListIdentifiers")) == 2, "what is behind the end, and the size of the list"


@dataclass
class Limited(Fault):
    """Each list ends properly after so many records, however many there are, as with search engines."""

    limit: int
    is_sized: bool = False  # the size that is stated is that of all
    order: str = "date"
    size: int = field(default=0, init=False)

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        self.size = len(items)
        if self.order == "mixed":
            items = sorted(items, key=lambda item: random.Random(item.identifier).random())
        return items[: self.limit]

    def page(self, page: Page) -> Page:
        return replace(page, cursor=None, size=str(self.size) if self.is_sized else None)


@pytest.mark.parametrize("limit", [60, 50])  # whole pages, or not
@pytest.mark.parametrize("is_sized", [True, False])
@pytest.mark.parametrize("granularity", [SECONDS, DAYS])
def test_a_list_that_ends_at_a_limit_is_read_on(
    tmp_path: Path, limit: int, is_sized: bool, granularity: str
) -> None:
    faults = Limited(limit, is_sized)
    with OaiServer(make_items(150), faults, page_size=20, granularity=granularity) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)
        assert run.outcome == Outcome.OK, words(run)
        assert "it is read on from" in words(run)
        server.now = LATER
        before = len(server.requests)
        assert shelf.harvest().outcome == Outcome.OK
        assert len(server.requests) - before <= 2


def test_a_limit_within_the_records_of_a_busy_day_is_noticed(tmp_path: Path) -> None:
    items = make_items(40) + [
        replace(item, identifier=f"{item.identifier}-busy", stamp=item.stamp + timedelta(days=50))
        for item in make_items(80, step=timedelta(minutes=1))
    ]
    with OaiServer(items, Limited(100), page_size=20, granularity=DAYS) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)
        assert run.outcome == Outcome.OK, words(run)


@pytest.mark.parametrize("skip", [1, 2])
def test_a_limit_is_noticed_in_a_resumed_list_too(tmp_path: Path, skip: int) -> None:
    with OaiServer(make_items(100), Limited(60), page_size=20) as server:
        shelf = make_shelf(tmp_path, server, mode="list")
        server.faults.append(_tied(transport.Resetting(skip=skip, times=None), server))
        assert shelf.harvest().outcome == Outcome.FAILED
        server.faults.pop()
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)


@pytest.mark.parametrize("is_sized", [True, False])
def test_a_list_in_another_order_that_ends_at_a_limit_is_split(tmp_path: Path, is_sized: bool) -> None:
    with OaiServer(make_items(100), Limited(60, is_sized, "mixed"), page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)
        assert run.outcome == Outcome.OK, words(run)


def test_a_limit_on_records_of_one_moment_stays_a_problem(tmp_path: Path) -> None:
    with OaiServer(make_items(100, step=timedelta()), Limited(60, is_sized=True), page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        for _ in range(4):
            run = shelf.harvest()
            assert run.outcome == Outcome.PARTIAL, words(run)
            server.now += timedelta(days=1)


@pytest.mark.parametrize("limit", [97, 12])
@pytest.mark.parametrize("spec", ["", "art"])
def test_a_list_that_ends_after_its_first_page_is_split(tmp_path: Path, limit: int, spec: str) -> None:
    with OaiServer(make_items(200), Limited(limit), page_size=1000) as server:
        shelf = make_shelf(tmp_path, server, **({"sets": [spec]} if spec else {}))
        run = shelf.harvest()
        wanted = {item.identifier for item in server.items if not spec or item.sets[0].startswith(spec)}
        assert shelf.live() == wanted, words(run)
        assert run.outcome == Outcome.OK, words(run)


def test_identifiers_that_go_on_after_all_that_came_are_followed(tmp_path: Path) -> None:
    @dataclass
    class OnePage(Fault):
        def page(self, page: Page) -> Page:
            token = None if page.asked.verb == "ListRecords" else page.token
            return replace(page, size=None, cursor=None, token=token)

    with OaiServer(make_items(33), OnePage(), page_size=5) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)
        assert run.outcome == Outcome.OK, words(run)
        assert "the list of identifiers goes on after all records that are here" in words(run)


@pytest.mark.parametrize("count", [80, 75])
def test_a_proper_end_costs_one_more_request_where_no_size_is_stated(tmp_path: Path, count: int) -> None:
    with OaiServer(make_items(count), lists.NoSizes(), page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK
        assert run.problems == ()
        assert len(asked(server, "ListIdentifiers")) == 2, "what is behind the end, and the size of the list"


@pytest.mark.parametrize("then", ["noRecordsMatch", "badResumptionToken"])
def test_a_token_behind_a_last_page_that_is_full_does_not_split_the_list(tmp_path: Path, then: str) -> None:
    @dataclass
    class OneTooMany(Fault):
        """A full page has a token, also where nothing follows."""

        def page(self, page: Page) -> Page:
            if page.asked.token and not page.items:
                raise Refused(then, "nothing more")
            following = self.server.token_for(page.asked, page.asked.offset + len(page.items))
            return replace(page, size=None, token=following if len(page.items) == 20 else "")

    with OaiServer(make_items(100), OneTooMany(), page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert shelf.live() == names(server)
        assert len(asked(server, "ListRecords")) == 6


@dataclass
class Skips(Fault):
    """A token leads over a page; the cursor shows that, and no size is stated."""

    verbs: tuple[str, ...] = ("ListRecords",)

    def page(self, page: Page) -> Page:
        page = replace(page, size=None, cursor=str(page.asked.offset))
        if page.index == 1 and page.asked.verb in self.verbs and page.asked.start is None:
            page = replace(page, token=self.server.token_for(page.asked, page.asked.offset + 40))
        return page


def test_a_cursor_that_goes_over_records_shows_that_they_are_missing(tmp_path: Path) -> None:
    with OaiServer(make_items(110), Skips(), page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)
        assert run.outcome == Outcome.OK
        assert "the cursors of the list go over 20 records that did not come" in words(run)


@pytest.mark.parametrize("cursor", ["0", "1", "{page}", "{end}", "{offset}", "-", ""])
def test_cursors_that_mean_something_else_show_nothing(tmp_path: Path, cursor: str) -> None:
    @dataclass
    class Cursors(Fault):
        def page(self, page: Page) -> Page:
            offset = page.asked.offset
            words = cursor.format(page=page.index, end=offset + len(page.items), offset=offset)
            return replace(page, size=None, cursor=words)

    with OaiServer(make_items(110), Cursors(), page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK
        assert run.problems == ()


def test_pages_of_nothing_but_bad_records_are_different_pages(tmp_path: Path) -> None:
    @dataclass
    class NoMetadata(Fault):
        def record(self, xml: str, item: Item, verb: str) -> str:
            return re.sub("<metadata>.*</metadata>", "", xml, flags=re.DOTALL)

    with OaiServer(make_items(100), NoMetadata()) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.PARTIAL
        assert run.counters.quarantined == 100
        assert len(asked(server, "ListRecords")) == 10
        assert "the same page" not in words(run)


# The wrong list


@dataclass
class HeadersOnly(Fault):
    """ListRecords is answered with headers: as ListIdentifiers, or inside ListRecords."""

    is_renamed: bool = True
    first: int = 0  # page

    def markup(self, xml: str) -> str:
        if "<ListRecords>" not in xml or self._page(xml) < self.first:
            return xml
        for part in ("record>", "metadata>"):
            xml = xml.replace(f"<{part}", f"<!--{part}").replace(f"</{part}", f"{part}-->")
        start, end = "<!--record>", "record>-->"
        xml = xml.replace(start, "").replace(end, "")
        while "<!--metadata>" in xml:
            head, _, tail = xml.partition("<!--metadata>")
            xml = head + tail.partition("metadata>-->")[2]
        return xml.replace("ListRecords>", "ListIdentifiers>") if self.is_renamed else xml

    def _page(self, xml: str) -> int:
        return 0 if "resumptionToken=" not in xml.partition("</request>")[0] else 1


@pytest.mark.parametrize("is_renamed", [True, False])
@pytest.mark.parametrize("first", [0, 1])
def test_headers_in_the_place_of_records_are_not_taken_for_records(
    tmp_path: Path, is_renamed: bool, first: int
) -> None:
    with OaiServer(make_items(25), HeadersOnly(is_renamed, first)) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert "headers where records were asked for" in words(run)
        assert run.outcome == Outcome.OK, words(run)
        assert all(record.payload("oai_dc") for record in shelf.records().values())
        assert shelf.live() == names(server)
        assert len(asked(server, "GetRecord")) >= 15


def test_headers_in_the_place_of_records_fail_where_only_lists_are_wanted(tmp_path: Path) -> None:
    with OaiServer(make_items(25), HeadersOnly()) as server:
        shelf = make_shelf(tmp_path, server, mode="list")
        run = shelf.harvest()
        assert run.outcome == Outcome.FAILED
        assert shelf.records() == {}


@dataclass
class TwoFormats(Fault):
    """Payloads in mods are other than those in oai_dc; tokens may forget which was asked for."""

    forgets: bool = True
    is_varied: bool = False
    _prefix: str = ""

    def reinterpret(self, asked: Asked) -> Asked:
        self._prefix = "oai_dc" if asked.token and self.forgets else asked.prefix
        return replace(asked, prefix=self._prefix)

    def record(self, xml: str, item: Item, verb: str) -> str:
        if self._prefix != "mods" or verb == "ListIdentifiers":
            return xml
        is_odd = self.is_varied and int(item.identifier.rpartition(":")[2]) >= 20
        name = "modsCollection" if is_odd else "mods"
        payload = f'<{name} xmlns="http://www.loc.gov/mods/v3"/>'
        return re.sub("<metadata>.*</metadata>", f"<metadata>{payload}</metadata>", xml, flags=re.DOTALL)


@pytest.mark.parametrize("faults", [(), (lists.NoSizes(),)])
@pytest.mark.parametrize("step", [timedelta(days=1), timedelta()])
def test_a_list_that_goes_on_in_another_format_is_not_believed(
    tmp_path: Path, faults: tuple[Fault, ...], step: timedelta
) -> None:
    formats = ["oai_dc", "mods"]
    with OaiServer(make_items(55, step=step), TwoFormats(), *faults, formats=formats) as server:
        shelf = make_shelf(tmp_path, server, formats=["mods"])
        run = shelf.harvest()
        assert "goes on with records in another format than mods" in words(run)
        payloads = [record.payload("mods") for record in shelf.records().values()]
        assert all(payload is not None and payload.data.startswith(b"<mods") for payload in payloads)
        assert shelf.live() == names(server), words(run)


def test_a_format_that_begins_with_one_of_two_elements_is_believed(tmp_path: Path) -> None:
    fault = TwoFormats(forgets=False, is_varied=True)
    with OaiServer(make_items(55), fault, formats=["oai_dc", "mods"]) as server:
        shelf = make_shelf(tmp_path, server, formats=["mods"])
        run = shelf.harvest()
        assert "another format" not in words(run)
        assert shelf.live() == names(server)
        assert len(asked(server, "GetRecord")) == 1


# Clocks ahead


@pytest.mark.parametrize("ahead", [timedelta(minutes=5), timedelta(hours=2), timedelta(hours=23)])
@pytest.mark.parametrize("form", ["%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S"])
def test_the_next_harvest_never_starts_later_than_our_own_clock(
    tmp_path: Path, ahead: timedelta, form: str
) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server)
        honest = server.handle

        def handle(request: Any) -> Any:
            told = f"{datetime.now(UTC) + ahead:{form}}"
            reply = honest(request)
            return replace(reply, body=reply.body.replace(b"2024-06-01T12:00:00Z", told.encode(), 1))

        server.handle = handle
        before = datetime.now(UTC)
        shelf.harvest()
        start = datetime.fromisoformat(str(shelf.next_from()))
        assert start <= datetime.now(UTC)
        assert start >= before.replace(microsecond=0)
        server.put(Item("oai:test.example:new", datetime.now(UTC), ("art",), dublin_core("New")))
        shelf.harvest()
        assert "oai:test.example:new" in shelf.live()


# Records that are listed late


def late(server: OaiServer, number: int, *, by: timedelta) -> None:
    """Add a record with a datestamp from before the server's present time."""
    stamp = server.now - by
    server.put(Item(f"oai:test.example:late-{number}", stamp, ("art",), dublin_core(f"Late {number}")))


@pytest.mark.parametrize("granularity", [DAYS, "YYYY-MM-DDThh:mm:ssZ"])
def test_records_listed_late_are_had_by_the_overlap(tmp_path: Path, granularity: str) -> None:
    with OaiServer(make_items(25), lists.NoSizes(), granularity=granularity) as server:
        shelf = make_shelf(tmp_path, server, overlap="auto")
        shelf.harvest()
        for day in range(1, 4):
            server.now = NOW + timedelta(days=day)
            late(server, day, by=timedelta(hours=30))
            run = shelf.harvest()
            assert run.counters.added == 1
            assert run.counters.pages == 1
        assert shelf.live() == names(server)


def test_the_overlap_of_a_busy_repository_is_no_longer_than_a_page(tmp_path: Path) -> None:
    items = make_items(200, start=NOW - timedelta(days=3), step=timedelta(minutes=20))
    with OaiServer(items, page_size=20) as server:
        shelf = make_shelf(tmp_path, server, overlap="auto")
        shelf.harvest()
        sent = len(server.requests)
        run = shelf.harvest()
        assert len(server.requests) - sent == 2, "what is new, and the size"
        assert 0 < run.counters.unchanged <= 20


def test_the_overlap_can_be_set(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server, overlap="10d")
        shelf.harvest()
        shelf.harvest()
        assert asked(server, "ListRecords")[-1]["from"] == "2024-05-22T12:00:00Z"


def test_an_overlap_is_recommended_for_what_the_size_showed_to_be_late(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        server.now = LATER
        late(server, 1, by=timedelta(days=2, hours=5))
        run = shelf.harvest()
        assert run.outcome == Outcome.OK
        assert "windrow source edit test --set-option overlap=2d" in words(run)
        assert shelf.live() == names(server)


# Sets


@dataclass
class ForgetsTheSet(Fault):
    """The set counts on the first page only; or never."""

    is_never: bool = False

    def reinterpret(self, asked: Asked) -> Asked:
        return replace(asked, spec=None) if asked.token or self.is_never else asked


@pytest.mark.parametrize("step", [timedelta(days=1), timedelta()])
def test_a_list_that_leaves_its_set_brings_no_records_of_others(tmp_path: Path, step: timedelta) -> None:
    with OaiServer(make_items(200, step=step), ForgetsTheSet(), page_size=20) as server:
        shelf = make_shelf(tmp_path, server, sets=["law"])
        run = shelf.harvest()
        wanted = {item.identifier for item in server.items if "law" in item.sets}
        assert shelf.live() <= wanted
        if step:
            assert shelf.live() == wanted, words(run)
            assert run.outcome == Outcome.OK, words(run)
        else:
            assert run.outcome in (Outcome.FAILED, Outcome.PARTIAL)
        assert "goes on with records of other sets" in words(run)


@dataclass
class NamesNoSets(Fault):
    """Headers do not name the sets of a record."""

    def item(self, item: Item) -> Item:
        return replace(item, sets=())


@pytest.mark.parametrize("step", [timedelta(days=1), timedelta()])
@pytest.mark.parametrize("faults", [(), (lists.NoSizes(),)])
@pytest.mark.parametrize("mode", ["auto", "one-by-one"])
def test_a_list_that_leaves_a_set_which_headers_do_not_name_brings_no_records_of_others(
    tmp_path: Path, step: timedelta, faults: tuple[Fault, ...], mode: str
) -> None:
    items = make_items(200, step=step)
    with OaiServer(items, ForgetsTheSet(), NamesNoSets(), *faults, page_size=20) as server:
        shelf = make_shelf(tmp_path, server, sets=["law"], mode=mode)
        wanted = {item.identifier for item in server.items if "law" in item.sets}
        for _ in range(2):
            run = shelf.harvest()
            assert shelf.live() <= wanted
            if step and mode == "auto":
                assert shelf.live() == wanted, words(run)
                assert run.outcome == Outcome.OK, words(run)
            elif shelf.live() != wanted:
                assert run.outcome in (Outcome.FAILED, Outcome.PARTIAL)


@pytest.mark.parametrize("faults", [(), (lists.NoSizes(),)])
def test_a_list_that_keeps_a_set_which_headers_do_not_name_costs_little(
    tmp_path: Path, faults: tuple[Fault, ...]
) -> None:
    with OaiServer(make_items(200), NamesNoSets(), *faults, page_size=20) as server:
        shelf = make_shelf(tmp_path, server, sets=["law"])
        run = shelf.harvest()
        assert (run.outcome, run.problems) == (Outcome.OK, ())
        assert len(shelf.live()) == 66
        assert len(server.requests) <= (10 if not faults else 12)
        server.now = LATER
        sent = len(server.requests)
        assert shelf.harvest().outcome == Outcome.OK
        assert len(server.requests) - sent == 2


def test_a_set_that_is_ignored_where_headers_name_none_is_reported(tmp_path: Path) -> None:
    with OaiServer(make_items(60), ForgetsTheSet(is_never=True), NamesNoSets()) as server:
        shelf = make_shelf(tmp_path, server, sets=["law"])
        run = shelf.harvest()
        assert run.outcome == Outcome.PARTIAL
        assert "it may ignore the set" in words(run)


def test_a_gap_in_a_set_that_headers_do_not_name_is_closed(tmp_path: Path) -> None:
    items = make_items(90)
    with OaiServer(items[:60], NamesNoSets(), page_size=20) as server:
        shelf = make_shelf(tmp_path, server, sets=["law"])
        shelf.harvest()
        server.items = items
        server.now = LATER
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert len(shelf.live()) == 30


def test_a_repository_that_ignores_the_set_brings_no_records_of_others(tmp_path: Path) -> None:
    with OaiServer(make_items(60), ForgetsTheSet(is_never=True)) as server:
        shelf = make_shelf(tmp_path, server, sets=["art:music"])
        run = shelf.harvest()
        assert shelf.live() == {item.identifier for item in server.items if "art:music" in item.sets}
        assert "ignores the set art:music" in words(run)


def test_a_virtual_set_that_headers_do_not_name_is_harvested_whole(tmp_path: Path) -> None:
    @dataclass
    class Virtual(Fault):
        def reinterpret(self, asked: Asked) -> Asked:
            return replace(asked, spec="law") if asked.spec == "openaire" else asked

    with OaiServer(make_items(60), Virtual()) as server:
        shelf = make_shelf(tmp_path, server, sets=["openaire"])
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert shelf.live() == {item.identifier for item in server.items if "law" in item.sets}


@pytest.mark.parametrize(
    ("sets", "outcome"),
    [
        (["nosuch"], Outcome.FAILED),
        (["nosuch", "law"], Outcome.PARTIAL),
        (["art:nosuch"], Outcome.FAILED),
        (["la"], Outcome.FAILED),
    ],
)
def test_a_set_that_the_repository_does_not_have_is_reported(
    tmp_path: Path, sets: list[str], outcome: Outcome
) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server, sets=sets)
        run = shelf.harvest()
        assert run.outcome == outcome
        assert f"the repository has no set {sets[0]}" in words(run)
        assert "law" in words(run) or "art:music" in words(run), "what it has instead"


def test_a_look_at_a_part_of_a_set_that_does_not_exist_is_reported(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest(sets=("nosuch",), limit=5)
        assert run.outcome == Outcome.FAILED
        assert "the repository has no set nosuch" in words(run)


def test_a_set_that_is_listed_and_empty_is_no_error(tmp_path: Path) -> None:
    with OaiServer(make_items(25), sets=[("art", "Art"), ("law", "Law"), ("new", "New")]) as server:
        shelf = make_shelf(tmp_path, server, sets=["new"])
        run = shelf.harvest()
        assert run.outcome == Outcome.OK
        assert "the list is empty" in words(run)


# A library that is emptied by a repository's re-indexing


@dataclass
class Reindexing(Fault):
    """Only some of the records are in the lists, and in single requests."""

    share: float = 0.6
    is_sized: bool = True
    _gone: set[str] = field(default_factory=set)

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        kept = items[: int(len(items) * self.share)]
        self._gone = {item.identifier for item in items} - {item.identifier for item in kept}
        return kept

    def page(self, page: Page) -> Page:
        return page if self.is_sized else replace(page, size=None)

    def record(self, xml: str, item: Item, verb: str) -> str:
        if verb == "GetRecord" and item.identifier in self._gone:
            raise Refused("idDoesNotExist", "no such record")
        return xml


@pytest.mark.parametrize("is_sized", [True, False])
@pytest.mark.parametrize("deleted", ["no", "transient", "persistent"])
@pytest.mark.parametrize("share", [0.6, 0.1])
def test_a_large_loss_needs_a_second_comparison(
    tmp_path: Path, is_sized: bool, deleted: str, share: float
) -> None:
    with OaiServer(make_items(100), deleted=deleted) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        switch(server, Reindexing(share, is_sized))
        run = shelf.harvest(is_reconciling=True)
        assert run.outcome == Outcome.PARTIAL, words(run)
        assert "a second comparison must confirm" in words(run)
        assert len(shelf.live()) == 100
        run = shelf.harvest(is_reconciling=True)
        assert run.counters.deleted == 100 - int(100 * share), words(run)
        server.faults = [] if is_sized else [lists.NoSizes()]
        server.faults = [_tied(each, server) for each in server.faults]
        run = shelf.harvest()
        assert len(shelf.live()) == 100, words(run)
        assert run.outcome == Outcome.OK, words(run)


def _tied(fault: Fault, server: OaiServer) -> Fault:
    fault.server = server
    return fault


def test_two_losses_with_everything_listed_in_between_do_not_confirm_each_other(tmp_path: Path) -> None:
    @dataclass
    class OldestGone(Reindexing):
        def select(self, items: list[Item], asked: Asked) -> list[Item]:
            self._gone = {item.identifier for item in items[:40]}
            return items[40:]

    with OaiServer(make_items(100), deleted="no") as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        for _ in range(2):
            switch(server, OldestGone())
            run = shelf.harvest(is_reconciling=True)
            assert "a second comparison must confirm" in words(run)
            assert len(shelf.live()) == 100
            server.faults = []
            assert shelf.harvest().outcome == Outcome.OK


def test_a_repository_that_lists_nothing_any_more_can_be_removed(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        switch(server, IndexDown())
        run = shelf.harvest(is_reconciling=True)
        assert "`windrow source remove test` removes its records" in words(run)
        assert "made twice" not in words(run)


def test_a_loss_that_grows_is_not_confirmed(tmp_path: Path) -> None:
    with OaiServer(make_items(100), deleted="no") as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        for share in (0.8, 0.5, 0.2):
            switch(server, Reindexing(share))
            assert shelf.harvest(is_reconciling=True).outcome == Outcome.PARTIAL
            assert len(shelf.live()) == 100


@pytest.mark.parametrize("deleted", ["no", "persistent"])
@pytest.mark.parametrize("is_sized", [True, False])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.6])
def test_a_full_harvest_that_brings_little_is_not_ok(
    tmp_path: Path, deleted: str, is_sized: bool, share: float
) -> None:
    with OaiServer(make_items(100), deleted=deleted) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        before = shelf.next_from()
        switch(server, Reindexing(share, is_sized))
        server.now = LATER
        run = shelf.harvest(is_full=True)
        assert run.outcome == Outcome.PARTIAL, words(run)
        assert f"lists {int(100 * share)} of the 100 records held here" in words(run)
        assert len(shelf.live()) == 100
        assert shelf.next_from() == before


# Contradictions in one list


@dataclass
class Contradicts(Fault):
    """Record 7 comes live and as a tombstone: which of them is newer, and on which page it comes."""

    tombstone: timedelta
    place: int

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        live = next((item for item in items if item.identifier.endswith(":7")), None)
        if live is None:
            return items
        grave = replace(live, stamp=live.stamp + self.tombstone, payload=None)
        return [*items[: self.place], grave, *items[self.place :]]


@pytest.mark.parametrize("tombstone", [timedelta(days=-1), timedelta(), timedelta(days=1)])
@pytest.mark.parametrize("place", [0, 6, 9, 24])
def test_of_a_live_record_and_a_tombstone_in_one_list_the_newer_counts(
    tmp_path: Path, tombstone: timedelta, place: int
) -> None:
    with OaiServer(make_items(25), Contradicts(tombstone, place)) as server:
        shelf = make_shelf(tmp_path, server)
        for _ in range(2):
            run = shelf.harvest(is_full=True)
            is_live = "oai:test.example:7" in shelf.live()
            assert is_live is (tombstone <= timedelta()), words(run)
            assert "came both as live and as deleted" in words(run)
            assert "oai:test.example:8" in shelf.live()
