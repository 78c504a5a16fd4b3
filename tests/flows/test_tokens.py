"""Resumption tokens: those that expire, repeat, cycle, never end, or are hard to write."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.flows.faulting import Expected, check_fault
from tests.flows.harvesting import asked, make_shelf, words
from tests.servers.fault import Fault, Page
from tests.servers.faults import lists, tokens, transport
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from windrow.model.run import Outcome

LAST_PAGE = "the last page carried a token"

FAULTS = {
    "token expires": Expected(requests=20, says="is split"),
    "token expires once": Expected(requests=11, says="is split"),
    "single-use tokens": Expected(),
    "token repeats for ever": Expected(requests=25, says="the token leads back to a page"),
    "same token, pages advance": Expected(),
    "tokens cycle": Expected(requests=12, says="the token leads back to a page"),
    "token on the last page, then noRecordsMatch": Expected(says=LAST_PAGE),
    "token on the last page, then badResumptionToken": Expected(says=LAST_PAGE),
    "token on the last page, then an empty list": Expected(),
    "empty page in the middle": Expected(),
    "endless empty pages": Expected(requests=150, says="empty pages in a row"),
    "odd tokens": Expected(),
    "unescaped tokens": Expected(),
    "no tokens": Expected(requests=30, says="cut off after 10 records"),
    "shrinking list": Expected(requests=25, says="is split"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_no_fault_of_tokens_loses_a_record_without_a_word(tmp_path: Path, name: str) -> None:
    check_fault(tmp_path, name, FAULTS[name])


class Endless(lists.NoSizes, tokens.RepeatingForever):
    """The same page for ever, no size, and dates are ignored, so that nothing can be found out."""

    def page(self, page: Page) -> Page:
        return lists.NoSizes.page(self, tokens.RepeatingForever.page(self, page))


def test_a_token_that_repeats_for_ever_ends_and_is_told_where_nothing_else_helps(tmp_path: Path) -> None:
    with OaiServer(make_items(25), Endless(), lists.DatesIgnored()) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.PARTIAL
        assert len(shelf.records()) == 20
        assert "the list is not complete" in words(run)
        assert len(server.requests) < 40
        assert shelf.next_from() is None, "an incomplete list must not move the start of the next one"


def test_a_repeating_token_is_no_problem_once_the_promised_size_is_there(tmp_path: Path) -> None:
    with OaiServer(make_items(20), tokens.RepeatingForever()) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK
        assert "after the last page" in words(run)
        assert len(asked(server, "ListRecords")) <= 4


def test_a_token_that_expires_in_the_same_second_s_records_falls_back_to_one_by_one(tmp_path: Path) -> None:
    crowded = [replace(item, stamp=make_items(1)[0].stamp) for item in make_items(25)]
    fault = tokens.Expiring(after_pages=1)
    with OaiServer(crowded, fault) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome in (Outcome.FAILED, Outcome.PARTIAL), words(run)
        assert "refused its own token" in words(run)
        assert shelf.next_from() is None
        assert len(server.requests) < 250


def test_a_single_use_token_whose_answer_got_lost_costs_no_record(tmp_path: Path) -> None:
    lost = transport.Cut(times=1, skip=1, verbs=("ListRecords",))
    with OaiServer(make_items(25), tokens.SingleUse(), lost) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert len(shelf.records()) == 25
        assert len(server.requests) < 20


@pytest.mark.parametrize("then", ["noRecordsMatch", "badResumptionToken"])
def test_a_token_on_the_last_page_of_a_list_without_sizes_is_settled_by_the_identifiers(
    tmp_path: Path, then: str
) -> None:
    with OaiServer(make_items(25), tokens.TokenOnLastPage(then), lists.NoSizes()) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert len(shelf.records()) == 25
        assert len(server.requests) < 15


def test_a_token_that_expires_in_a_list_without_sizes_loses_nothing(tmp_path: Path) -> None:
    with OaiServer(make_items(45), tokens.Expiring(), lists.NoSizes()) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert len(shelf.records()) == 45
        assert len(server.requests) < 60


@pytest.mark.parametrize(
    "tail", ["+", "/", "=", "!", "|", " ", "&", "%2B", "ü", "€", "𝄞", "#", ";", "<", '"']
)
def test_a_token_comes_back_exactly_as_it_was_given(tmp_path: Path, tail: str) -> None:
    with OaiServer(make_items(25), tokens.OddTokens(f"a{tail}b")) as server:
        shelf = make_shelf(tmp_path, server)
        assert shelf.harvest().outcome == Outcome.OK
        sent = [each["resumptionToken"] for each in asked(server, "ListRecords") if "resumptionToken" in each]
        assert all(token.endswith(f"a{tail}b") for token in sent)
        assert len(sent) == 2


def test_a_server_that_wants_bare_tokens_is_remembered(tmp_path: Path) -> None:
    with OaiServer(make_items(25), tokens.UnescapedTokens()) as server:
        shelf = make_shelf(tmp_path, server)
        assert shelf.harvest().outcome == Outcome.OK
        assert len(asked(server, "ListRecords")) == 4
        sent = len(server.requests)
        assert shelf.harvest(since="2020-01-01").outcome == Outcome.OK
        assert len(server.requests) == sent + 3, "the escaped token was tried again"


def test_a_dead_token_with_odd_characters_does_not_change_how_tokens_are_written(tmp_path: Path) -> None:
    with OaiServer(make_items(25), tokens.OddTokens(), tokens.Expiring(after_pages=1, times=2)) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert len(shelf.records()) == 25


@dataclass
class Ragged(Fault):
    """The second page of the whole list is shorter than the first."""

    def page(self, page: Page) -> Page:
        is_struck = page.index == 1 and page.asked.start is None and page.asked.end is None
        return replace(page, items=page.items[1:] if is_struck else page.items)


def test_a_token_that_dies_after_a_short_page_is_not_taken_for_the_end(tmp_path: Path) -> None:
    with OaiServer(make_items(45), tokens.Expiring(), lists.NoSizes(), Ragged()) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert len(shelf.records()) == 45


def test_a_dead_token_is_told_where_only_lists_are_wanted(tmp_path: Path) -> None:
    crowded = [replace(item, stamp=make_items(1)[0].stamp) for item in make_items(25)]
    with OaiServer(crowded, tokens.Expiring(after_pages=1)) as server:
        shelf = make_shelf(tmp_path, server, mode="list")
        run = shelf.harvest()
        assert run.outcome == Outcome.FAILED
        assert "refused its own token" in words(run)
        assert asked(server, "GetRecord") == []
