"""Below the protocol: statuses, connections, lengths, media types, redirects, requests to wait."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.flows.faulting import Expected, check_fault
from tests.flows.harvesting import Shelf, asked, make_shelf, problems, words
from tests.servers.fault import Occasional
from tests.servers.faults import transport
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from windrow.harvest.options import HarvestOptions, NullObserver, Stopper
from windrow.model.run import EXIT_CODES, Outcome
from windrow.wiring.harvesting import harvest

WELCOME = 'an HTML page titled "Welcome"'

FAULTS = {
    "503 with seconds": Expected(),
    "503 with a date": Expected(),
    "503 without Retry-After": Expected(),
    "429 with seconds": Expected(),
    "429 with a date": Expected(),
    "202 with seconds": Expected(),
    "202 without Retry-After": Expected(),
    "interim responses": Expected(),
    "500 once": Expected(),
    "502 once": Expected(),
    "504 once": Expected(),
    "reset": Expected(),
    "never answers": Expected(settings={"timeout": "500ms"}),
    "slow first byte": Expected(),
    "length too long": Expected(),
    "connection cut": Expected(),
    "reset in the body": Expected(),
    "half the XML": Expected(),
    "empty body": Expected(),
    "chunked": Expected(),
    "errors as 422": Expected(),
    "errors as 404": Expected(),
    "errors as 500": Expected(),
    "XML as text/html": Expected(),
    "HTML page": Expected(Outcome.FAILED, stored=0, requests=2, says=WELCOME),
    "bot wall": Expected(Outcome.FAILED, stored=0, requests=2, says="a page against robots (Cloudflare)"),
    "redirect loop": Expected(Outcome.FAILED, stored=0, requests=4, says="redirects lead in a circle"),
    "redirect to another host": Expected(Outcome.FAILED, stored=0, requests=1, says="127.0.0.1:9"),
    "moved permanently": Expected(requests=12),
    "redirect drops the query": Expected(requests=12),
    "redirect drops the query and leads to a page": Expected(
        Outcome.FAILED, stored=0, requests=4, says="/oai/request and drops the query"
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_no_fault_of_transport_loses_a_record_without_a_word(tmp_path: Path, name: str) -> None:
    check_fault(tmp_path, name, FAULTS[name])


@pytest.mark.parametrize("status", [503, 429])
@pytest.mark.parametrize("header", ["2", "date"])
def test_a_server_that_asks_to_wait_is_waited_for(tmp_path: Path, status: int, header: str) -> None:
    value = transport.http_date(5) if header == "date" else header
    with OaiServer(make_items(3), transport.Busy(status, value)) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
    assert run.outcome == Outcome.OK
    assert [pause for pause in shelf.pauses if 0 < pause <= 5], shelf.pauses
    assert run.counters.retries == 1


def busy_shelf(tmp_path: Path, server: OaiServer) -> Shelf:
    """A library whose source has just asked to be left alone for an hour."""
    shelf = make_shelf(tmp_path, server)
    run = shelf.harvest()
    assert run.outcome == Outcome.SKIPPED
    return shelf


def test_a_long_wait_puts_the_harvest_off_and_is_remembered_by_the_next_run(tmp_path: Path) -> None:
    with OaiServer(make_items(3), transport.Busy(503, "3600", verbs=("Identify",), times=None)) as server:
        shelf = busy_shelf(tmp_path, server)
        sent = len(server.requests)
        server.faults = []
        again = shelf.harvest()
        assert len(server.requests) == sent, "the second run asked though it was told not to"
    assert again.outcome == Outcome.SKIPPED
    assert EXIT_CODES[again.outcome] == 75
    assert "asked to be left alone until" in words(again)


def test_a_remembered_wait_that_is_short_enough_is_waited_for(tmp_path: Path) -> None:
    with OaiServer(make_items(3), transport.Busy(503, "3600", verbs=("Identify",), times=None)) as server:
        shelf = busy_shelf(tmp_path, server)
        server.faults = []
        shelf.change(max_wait="2h")
        again = shelf.harvest()
    assert again.outcome == Outcome.OK
    assert any(3000 < pause <= 3600 for pause in shelf.pauses)


def test_a_remembered_wait_can_be_overridden(tmp_path: Path) -> None:
    with OaiServer(make_items(3), transport.Busy(503, "3600", verbs=("Identify",), times=None)) as server:
        shelf = busy_shelf(tmp_path, server)
        server.faults = []
        library = shelf.open()
        try:
            run = harvest(
                library,
                "test",
                HarvestOptions(),
                observer=NullObserver(),
                stopper=Stopper(),
                ignore_retry_after=True,
            )
        finally:
            library.close()
        assert run.outcome == Outcome.OK
        assert shelf.harvest().outcome == Outcome.OK, "an answer ends the wait"


def test_a_server_that_grows_busy_on_the_way_loses_nothing_that_came(tmp_path: Path) -> None:
    with OaiServer(make_items(25), transport.Busy(503, "3600", skip=2, times=None)) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.PARTIAL
        assert len(shelf.records()) == 20
        assert "asked to be left alone until" in words(run)
        server.faults = []
        shelf.change(max_wait="2h")
        sent = len(server.requests)
        assert shelf.harvest().outcome == Outcome.OK
        assert asked(server)[sent]["resumptionToken"].startswith("20~")
    assert len(shelf.records()) == 25


@pytest.mark.parametrize("fault", [transport.Failing(500), transport.Resetting(), transport.EmptyBody()])
def test_a_page_that_never_comes_is_fetched_one_by_one(tmp_path: Path, fault: Occasional) -> None:
    lasting = replace(fault, times=None, skip=1, verbs=("ListRecords",))
    with OaiServer(make_items(25), lasting) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert "fetched one by one" in words(run)
        assert len(asked(server, "GetRecord")) == 15
        assert len(shelf.records()) == 25


def test_a_server_that_is_down_is_asked_no_more_than_a_request_is_tried(tmp_path: Path) -> None:
    with OaiServer([], transport.Resetting(times=None, verbs=("Identify",))) as server:
        run = make_shelf(tmp_path, server, attempts=4).harvest()
        assert run.outcome == Outcome.FAILED
        assert len(server.requests) == 4


def test_an_error_of_the_server_at_identify_does_not_keep_its_records_away(tmp_path: Path) -> None:
    with OaiServer(make_items(5), transport.Failing(500, times=None, verbs=("Identify",))) as server:
        shelf = make_shelf(tmp_path, server)
        assert shelf.harvest().outcome == Outcome.OK
        assert len(shelf.records()) == 5


@pytest.mark.parametrize("cut", [transport.HalfBody, transport.Cut, transport.LengthTooLong])
def test_a_page_that_always_comes_cut_is_never_taken_for_whole(tmp_path: Path, cut: type[Occasional]) -> None:
    with OaiServer(make_items(25), cut(times=None, verbs=("ListRecords", "ListIdentifiers"))) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.FAILED
        assert shelf.records() == {}
        assert problems(run)
        assert len(server.requests) < 20


def test_a_web_page_is_told_by_its_title_and_kept(tmp_path: Path) -> None:
    with OaiServer(make_items(5), "HTML page") as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
    assert WELCOME in words(run)
    kept = [problem.kept for problem in run.problems if problem.kept]
    assert b"<title>Welcome</title>" in (shelf.folder / str(kept[0])).read_bytes()


def test_a_response_over_the_limit_is_refused_and_the_limit_named(tmp_path: Path) -> None:
    with OaiServer(make_items(40), page_size=40) as server:
        shelf = make_shelf(tmp_path, server, max_response="2 kB", mode="list")
        run = shelf.harvest()
        assert run.outcome == Outcome.FAILED
        assert "more than 2,000 bytes" in words(run)
        assert "max_response" in words(run)


def test_records_on_a_page_over_the_limit_are_fetched_one_by_one(tmp_path: Path) -> None:
    with OaiServer(make_items(12), page_size=12) as server:
        shelf = make_shelf(tmp_path, server, max_response="3 kB")
        run = shelf.harvest()
    assert run.outcome == Outcome.OK, words(run)
    assert len(shelf.records()) == 12


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        (transport.Failing(500, times=None), Outcome.FAILED),
        (transport.Resetting(times=None), Outcome.FAILED),
        (transport.Busy(503, None, times=None), Outcome.SKIPPED),
        (transport.Busy(429, "1", times=None), Outcome.SKIPPED),
        (transport.Failing(500, skip=1, times=None, verbs=("ListRecords",)), Outcome.OK),
    ],
)
def test_requests_that_fail_in_the_end_are_counted_with_all_their_tries(
    tmp_path: Path, fault: Occasional, outcome: Outcome
) -> None:
    with OaiServer(make_items(15), fault) as server:
        run = make_shelf(tmp_path, server).harvest()
        assert run.outcome == outcome, words(run)
        assert run.counters.requests == len(server.requests)
        sent = [request.target for request in server.requests]
        # A run that comes so far asks for the first page of identifiers once more, for the size of the list.
        again = len(sent) - len(set(sent)) - (outcome == Outcome.OK)
        assert run.counters.retries == again > 0


def test_a_run_that_may_not_ask_yet_counts_no_request(tmp_path: Path) -> None:
    with OaiServer(make_items(3), transport.Busy(503, "3600", verbs=("Identify",), times=None)) as server:
        shelf = busy_shelf(tmp_path, server)
        assert shelf.harvest().counters.requests == 0


def test_an_answer_that_is_never_ready_ends_the_run_as_one_to_try_later(tmp_path: Path) -> None:
    with OaiServer(make_items(25), transport.Busy(202, "2", skip=1, times=None)) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.PARTIAL, words(run)
        assert "HTTP 202 Accepted" in words(run)
        server.faults = []
        assert shelf.harvest().outcome == Outcome.OK
    assert len(shelf.records()) == 25


@pytest.mark.parametrize("status", [301, 302, 308])
@pytest.mark.parametrize("query", ["", "lang=en"])
def test_a_redirect_that_drops_the_query_costs_no_record(tmp_path: Path, status: int, query: str) -> None:
    with OaiServer(make_items(25), transport.QueryDropped(status=status, query=query)) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
    assert len(shelf.records()) == 25


def test_a_redirect_to_the_home_page_says_that_it_drops_the_query_and_what_to_do(tmp_path: Path) -> None:
    with OaiServer(make_items(5), transport.QueryDropped("/", is_page=True)) as server:
        run = make_shelf(tmp_path, server).harvest()
    assert run.outcome == Outcome.FAILED
    assert 'drops the query; with it put back, the answer is an HTML page titled "Our library"' in words(run)
    assert "windrow source edit NAME --url URL" in words(run)


def test_a_redirect_in_the_middle_of_a_list_is_followed(tmp_path: Path) -> None:
    with OaiServer(make_items(95), transport.Moved(skip=7)) as server:
        shelf = make_shelf(tmp_path, server)
        assert shelf.harvest().outcome == Outcome.OK
    assert len(shelf.records()) == 95


@pytest.mark.parametrize("status", [301, 308])
@pytest.mark.parametrize("fault", [transport.Moved, transport.QueryDropped])
def test_a_permanent_redirect_is_reported_with_the_command_that_takes_it_over(
    tmp_path: Path, status: int, fault: type[transport.Moved | transport.QueryDropped]
) -> None:
    with OaiServer(make_items(25), fault(status=status)) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK
        new = server.url.replace("/oai", "/oai/request")
        assert f"moved permanently to {new}; `windrow source edit test --url {new}` takes" in words(run)
        assert "moved permanently" in words(shelf.harvest()), "until it is taken over"
        shelf.change(url=new)
        server.requests.clear()
        again = shelf.harvest()
        assert len(server.requests) == 2, "what is new and the size of the list, not everything again"
    assert again.outcome == Outcome.OK
    assert "harvests go on where they were" in words(again)
    assert "moved permanently" not in words(again)


@pytest.mark.parametrize("status", [302, 303, 307])
def test_a_temporary_redirect_is_followed_without_a_word(tmp_path: Path, status: int) -> None:
    with OaiServer(make_items(25), transport.Moved(status=status)) as server:
        run = make_shelf(tmp_path, server).harvest()
    assert (run.outcome, words(run)) == (Outcome.OK, "")


def test_a_redirect_of_one_page_in_the_middle_is_reported(tmp_path: Path) -> None:
    with OaiServer(make_items(95), transport.Moved(skip=7)) as server:
        assert "moved permanently" in words(make_shelf(tmp_path, server).harvest())


def test_credentials_do_not_follow_a_permanent_redirect_to_another_server(tmp_path: Path) -> None:
    with OaiServer(make_items(5)) as other:
        away = transport.RedirectTo(other.url, 301)
        with OaiServer(make_items(5), away) as server:
            shelf = make_shelf(tmp_path, server, username="ali", password="sesame", headers={"X-Key": "k"})
            run = shelf.harvest()
            again = shelf.harvest()
        assert all("authorization" in request.headers for request in server.requests)
        assert not any({"authorization", "x-key"} & request.headers.keys() for request in other.requests)
        assert (run.outcome, again.outcome) == (Outcome.OK, Outcome.OK)
        assert f"moved permanently to {other.url};" in words(run)


def test_another_repository_at_a_new_address_is_harvested_from_the_beginning(tmp_path: Path) -> None:
    with OaiServer(make_items(5)) as old, OaiServer(make_items(8)) as new:
        shelf = make_shelf(tmp_path, old)
        shelf.harvest()
        shelf.change(url=new.url)
        run = shelf.harvest()
    assert "everything is harvested anew" in words(run)
    assert len(shelf.records()) == 8


def test_a_new_spelling_of_the_same_address_costs_no_harvest(tmp_path: Path) -> None:
    with OaiServer(make_items(5)) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        shelf.change(url=server.url.replace("http://", "HTTP://") + "/")
        server.requests.clear()
        assert shelf.harvest().outcome == Outcome.OK
        assert len(server.requests) == 2, "what is new, and the size of the list"
