"""Records that vanish without a word: found by a pass over all identifiers, believed if it is whole."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.flows.harvesting import Shelf, asked, make_shelf, problems, words
from tests.servers.fault import Asked, Fault, Page, Refused
from tests.servers.faults import lists, records, tokens, transport
from tests.servers.items import Item, make_items
from tests.servers.oai import NOW, OaiServer
from windrow.model.run import Outcome

GONE = ("oai:test.example:3", "oai:test.example:17")


def harvested(tmp_path: Path, server: OaiServer, **settings: object) -> Shelf:
    """A library that has everything, of a server that then loses two records without a word."""
    shelf = make_shelf(tmp_path, server, **settings)
    assert shelf.harvest().outcome == Outcome.OK
    for name in GONE:
        server.delete(name, NOW)
    return shelf


def switch_on(server: OaiServer, *faults: Fault) -> None:
    """Let a server that was well begin to misbehave."""
    for fault in faults:
        fault.server = server
    server.faults = list(faults)


def test_what_vanished_is_marked_as_deleted(tmp_path: Path) -> None:
    with OaiServer(make_items(25), deleted="no") as server:
        shelf = harvested(tmp_path, server)
        assert shelf.harvest().counters.deleted == 0
        run = shelf.harvest(is_reconciling=True)
        assert run.outcome == Outcome.OK, words(run)
        assert run.counters.deleted == 2
        assert "2 records had vanished" in words(run)
        assert {name for name, each in shelf.records().items() if each.is_deleted} == set(GONE)
        assert len(asked(server, "ListIdentifiers")) == 6, "the sizes of three harvests, and three pages"


@dataclass
class Moving(Fault):
    """While the identifiers are read, one page skips a record: another has moved to the end meanwhile."""

    skipped: int = 10

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        if asked.verb != "ListIdentifiers" or not asked.token:
            return items
        return [*items[1 : self.skipped + 1], *items[self.skipped + 1 :], items[0]]


def test_a_record_that_the_list_skipped_is_not_taken_for_vanished(tmp_path: Path) -> None:
    with OaiServer(make_items(25), deleted="no") as server:
        shelf = harvested(tmp_path, server)
        switch_on(server, Moving())
        run = shelf.harvest(is_reconciling=True)
        assert run.outcome == Outcome.OK, words(run)
        assert run.counters.deleted == 2
        assert set(shelf.records()) - shelf.live() == set(GONE)
        assert len(asked(server, "GetRecord")) == 3


def test_nothing_is_marked_where_much_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("windrow.harvest.oai.reconcile.MAX_CONFIRMED", 1)
    with OaiServer(make_items(25), deleted="no") as server:
        shelf = harvested(tmp_path, server)
        server.items.sort(key=lambda item: item.identifier)
        switch_on(server, Blind())
        run = shelf.harvest(is_reconciling=True)
        assert run.outcome == Outcome.PARTIAL
        assert "but is there when asked for" in words(run)
        assert len(shelf.live()) == 25


@dataclass
class Blind(Fault):
    """ListIdentifiers does not list the first records, and does not count them."""

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        return items[5:] if asked.verb == "ListIdentifiers" else items


def test_a_record_that_comes_back_is_live_again(tmp_path: Path) -> None:
    with OaiServer(make_items(25), deleted="no") as server:
        shelf = harvested(tmp_path, server)
        shelf.harvest(is_reconciling=True)
        server.items = make_items(25)
        shelf.harvest(is_full=True)
    assert len(shelf.live()) == 25


@dataclass
class Empty(Fault):
    """ListIdentifiers says that there is nothing."""

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        if asked.verb == "ListIdentifiers":
            raise Refused("noRecordsMatch", "nothing here")
        return items


@dataclass
class Short(Fault):
    """ListIdentifiers ends early, though it has promised more."""

    def page(self, page: Page) -> Page:
        if page.asked.verb != "ListIdentifiers" or page.index == 0:
            return page
        return Page(page.asked, page.items, page.index, "", page.cursor, page.size)


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Empty(), "empty"),
        (Short(), "ended after 20 of 23"),
        (tokens.RepeatingForever(), "the token leads back"),
        (tokens.EndlessEmptyPages(), "empty pages in a row"),
        (tokens.Expiring(after_pages=1), "refused its own token"),
        (transport.Failing(500, times=None, verbs=("ListIdentifiers",)), "HTTP 500"),
        (transport.Resetting(times=None, verbs=("ListIdentifiers",)), "closed"),
        (transport.HalfBody(times=None, verbs=("ListIdentifiers",)), "cut short"),
        (records.NoIdentifier("oai:test.example:5"), "have no identifier"),
    ],
)
def test_nothing_is_marked_on_a_pass_that_is_not_whole(tmp_path: Path, fault: Fault, reason: str) -> None:
    with OaiServer(make_items(25), deleted="no") as server:
        shelf = harvested(tmp_path, server)
        switch_on(server, fault)
        run = shelf.harvest(is_reconciling=True)
        assert run.outcome == Outcome.PARTIAL, words(run)
        (problem,) = (each for each in problems(run) if each.code == "not-reconciled")
        assert "nothing was marked as deleted" in problem.message
        assert reason in problem.message
        assert len(shelf.live()) == 25
        server.faults = []
        assert shelf.harvest(is_reconciling=True).counters.deleted == 2


def test_the_first_harvest_is_the_first_comparison_and_the_next_is_due_in_time(tmp_path: Path) -> None:
    with OaiServer(make_items(25), deleted="no") as server:
        shelf = harvested(tmp_path, server, reconcile="1h")
        shelf.harvest()
        assert len(asked(server, "ListIdentifiers")) == 2, "the size of the list, each time"
        _forget_comparison(shelf)
        run = shelf.harvest()
        assert run.counters.deleted == 2


def test_a_repository_that_reports_deletions_is_not_compared(tmp_path: Path) -> None:
    with OaiServer(make_items(25), deleted="persistent") as server:
        shelf = harvested(tmp_path, server, reconcile="1h")
        _forget_comparison(shelf)
        run = shelf.harvest()
        assert run.counters.deleted == 2, "by their tombstones"
        assert len(asked(server, "ListIdentifiers")) == 2, "the size of the list, each time"


def test_a_library_that_would_lose_half_at_once_keeps_it_where_no_size_is_stated(tmp_path: Path) -> None:
    with OaiServer(make_items(40), lists.NoSizes(), deleted="no") as server:
        shelf = make_shelf(tmp_path, server, reconcile="1h")
        shelf.harvest()
        server.items = server.items[:5]
        _forget_comparison(shelf)
        run = shelf.harvest()
        assert "35 of 40 records would go" in words(run)
        assert len(shelf.live()) == 40
        assert shelf.harvest(is_reconciling=True).counters.deleted == 35, "asked for, it is done"


def test_a_record_that_only_another_format_has_is_not_taken_for_vanished(tmp_path: Path) -> None:
    @dataclass
    class Partly(Fault):
        def select(self, items: list[Item], asked: Asked) -> list[Item]:
            is_other = asked.prefix == "mods"
            return [item for item in items if (item.identifier[-1] in "02468") is is_other]

    with OaiServer(make_items(25), Partly(), deleted="no", formats=["oai_dc", "mods"]) as server:
        shelf = make_shelf(tmp_path, server, formats=["oai_dc", "mods"])
        shelf.harvest()
        assert len(shelf.live()) == 25
        run = shelf.harvest(is_reconciling=True)
        assert run.counters.deleted == 0, words(run)
        assert len(shelf.live()) == 25


def test_only_the_sets_that_are_harvested_are_compared(tmp_path: Path) -> None:
    with OaiServer(make_items(25), deleted="no") as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        for name in ("oai:test.example:2", "oai:test.example:3"):  # law, art
            server.delete(name, NOW)
        run = shelf.harvest(is_reconciling=True, sets=("law",))
        assert run.counters.deleted == 1
        assert "oai:test.example:3" in shelf.live()


def _forget_comparison(shelf: Shelf) -> None:
    """Let the last comparison be long ago."""
    library = shelf.open()
    try:
        with library.store.writing() as connection:
            connection.execute("UPDATE source SET reconciled_at = '2000-01-01T00:00:00+00:00'")
    finally:
        library.close()
