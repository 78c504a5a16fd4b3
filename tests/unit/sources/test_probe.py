"""The probe as a whole: what it asks, when it stops, when it says that a repository can be harvested."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from tests.servers.fault import Fault, Occasional, Page
from tests.servers.faults import FAULTS
from tests.servers.faults.sets import EndlessSets
from tests.servers.faults.transport import Busy, Failing, Resetting
from tests.servers.http import Reply, Request
from tests.servers.items import Item, make_items
from tests.servers.oai import OaiServer
from tests.unit.sources.probing import about, asking, probe, probe_with, topics
from windrow.errors import BadXml, HttpRefused, NotOai, TooLarge, Unreachable, UpstreamBusy
from windrow.sources.repository_findings import Grade
from windrow.sources.repository_probe import Probe

MOST_REQUESTS = 15
UNUSABLE = {
    "HTML page": NotOai,
    "bot wall": HttpRefused,
    "redirect loop": HttpRefused,
    "redirect drops the query and leads to a page": NotOai,
    "redirect to another host": Unreachable,
    "billion laughs": BadXml,
    "external entity": BadXml,
    "broken gzip": Unreachable,
    "gzip bomb": TooLarge,
}
UNHURRIED = ("never answers", "slow first byte")  # they end only with the time limit


def test_a_repository_without_faults_gives_only_good_findings() -> None:
    with OaiServer(make_items(25)) as server:
        report = probe(server)
    assert report.failure is None
    assert {finding.found for finding in report.findings if finding.grade is not Grade.GOOD} == {
        "answers are not compressed"
    }
    assert topics(report) == {
        *(
            "identify",
            "deletions",
            "clock",
            "formats",
            "sets",
            "size",
            "tokens",
            "speed",
            "dates",
            "earliest",
            "overlap",
        ),
        *("identifiers", "record", "compression", "institutions"),
    }


def test_a_probe_is_about_a_dozen_questions_and_counts_them() -> None:
    with OaiServer(make_items(25)) as server:
        report = probe(server)
        assert report.requests == len(server.requests) == 10


@pytest.mark.parametrize("fault", sorted(set(FAULTS) - set(UNUSABLE) - set(UNHURRIED)))
def test_a_repository_that_windrow_copes_with_can_be_harvested(fault: str) -> None:
    with OaiServer(make_items(25), fault) as server:
        report = probe(server)
        requests = [request for request in server.requests if request.path == "/oai"]
    assert report.failure is None, report.failure
    assert len(requests) <= MOST_REQUESTS
    assert all(finding.action for finding in report.findings if finding.grade is not Grade.GOOD)


@pytest.mark.parametrize("fault", sorted(UNUSABLE))
def test_a_repository_that_cannot_be_harvested_is_told_with_the_reason(fault: str) -> None:
    with OaiServer(make_items(25), fault) as server:
        report = probe(server)
        assert len(server.requests) <= 6
    assert type(report.failure) is UNUSABLE[fault]


def test_each_step_is_announced_before_it_is_asked() -> None:
    seen: list[tuple[str, int]] = []
    with OaiServer(make_items(25)) as server, asking(server.url, []) as client:
        Probe(client, on_step=lambda step: seen.append((step, len(server.requests)))).run()
    assert [asked for _, asked in seen] == list(range(10))
    assert seen[0][0] == "Identify"


def test_an_empty_repository_can_be_harvested() -> None:
    report = probe_with(count=0)
    assert report.failure is None
    assert about(report, "size").found == "there are no records now"


def test_a_format_that_is_not_offered_ends_the_probe_with_those_that_are() -> None:
    with OaiServer(make_items(5), formats=("oai_dc", "mods")) as server:
        report = probe(server, prefix="marcxml")
    assert "it does not offer marcxml; it offers oai_dc, mods" in str(report.failure)


def test_a_repository_without_oai_dc_is_probed_in_the_first_format_it_has() -> None:
    with OaiServer(make_items(5), formats=("mods", "marcxml")) as server:
        report = probe(server)
    assert report.failure is None
    assert report.format == "mods"
    assert "5 records as mods" in about(report, "size").found


def test_a_repository_that_asks_to_rest_ends_the_probe() -> None:
    with OaiServer(make_items(25), Busy(503, "86400", times=None, verbs=("ListSets",))) as server:
        report = probe(server)
    assert isinstance(report.failure, UpstreamBusy)
    assert about(report, "identify").grade is Grade.GOOD


def test_a_server_that_falls_silent_after_the_first_page_can_be_harvested_with_a_problem() -> None:
    with OaiServer(make_items(25), Busy(503, "86400", times=None, skip=2)) as server:
        report = probe(server)
    assert report.failure is None
    assert about(report, "silence").grade is Grade.PROBLEM


def test_one_question_that_is_too_much_for_a_server_does_not_end_the_probe() -> None:
    report = probe_with(Resetting(times=None, verbs=("ListSets",)))
    assert report.failure is None
    assert "ListSets fails" in about(report, "sets").found
    assert about(report, "record").grade is Grade.GOOD


def test_a_second_silence_ends_the_probe() -> None:
    with OaiServer(make_items(25), Resetting(times=None, verbs=("ListSets", "ListRecords"))) as server:
        report = probe(server)
        assert "GetRecord" not in {request.arguments["verb"] for request in server.requests}
    assert isinstance(report.failure, Unreachable)


def test_a_repository_that_fails_at_identify_may_still_be_harvested() -> None:
    report = probe_with(Failing(404, times=None, verbs=("Identify",)))
    assert report.failure is None
    assert about(report, "identify").grade is Grade.PROBLEM
    assert "HTTP 404" in about(report, "identify").found


def test_broken_lists_are_fetched_one_by_one_where_that_works() -> None:
    report = probe_with(Failing(500, times=None, verbs=("ListRecords",)))
    assert report.failure is None
    assert "each record by itself" in about(report, "lists").action


def test_broken_lists_without_identifiers_cannot_be_harvested() -> None:
    report = probe_with(Failing(500, times=None, verbs=("ListRecords", "ListIdentifiers")))
    assert isinstance(report.failure, HttpRefused)


@pytest.mark.parametrize("fault", ["too many records", "too many records as 413"])
def test_a_list_that_is_too_long_is_cut_into_windows(fault: str) -> None:
    report = probe_with(fault)
    assert report.failure is None
    assert "windows" in about(report, "lists").action


class _Misdirecting(Fault):
    """GetRecord gives another record than the one asked for."""

    def record(self, xml: str, item: Item, verb: str) -> str:
        return xml.replace("oai:test.example:0", "oai:test.example:24") if verb == "GetRecord" else xml


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (_Misdirecting(), "another record than the one asked for"),
        (Failing(500, times=None, verbs=("GetRecord",)), "GetRecord fails"),
    ],
    ids=["another record", "an error"],
)
def test_single_records_that_cannot_be_had_are_a_problem(fault: Fault, words: str) -> None:
    found = about(probe_with(fault), "record")
    assert found.grade is Grade.PROBLEM
    assert words in found.found


def test_identifiers_that_cannot_be_listed_are_a_problem() -> None:
    found = about(probe_with(Failing(500, times=None, verbs=("ListIdentifiers",))), "identifiers")
    assert found.grade is Grade.PROBLEM


@dataclass
class _LongWinded(Occasional):
    """An error message of a million characters."""

    def deliver(self, reply: Reply, request: Request) -> Reply:
        if not self.strikes(request):
            return reply
        text = b'<error code="badArgument">' + b"no " * 300_000 + b"</error>"
        return replace(reply, body=reply.body.split(b"<ListSets")[0] + text + b"</OAI-PMH>")


def test_a_repository_cannot_flood_the_report() -> None:
    report = probe_with(_LongWinded(verbs=("ListSets",)))
    assert len(about(report, "sets").found) <= 400


class _Endless(Fault):
    """Every list has a token for more, whatever is asked."""

    def page(self, page: Page) -> Page:
        return replace(page, token=f"{len(self.server.requests)}~oai_dc~~~", may_be_empty=True)

    def markup(self, xml: str) -> str:
        end = f"<resumptionToken>{len(self.server.requests)}</resumptionToken></ListMetadataFormats>"
        return xml.replace("</ListMetadataFormats>", end)


def test_a_repository_whose_every_list_is_endless_is_probed_in_a_dozen_questions() -> None:
    with OaiServer(make_items(25), _Endless(), EndlessSets()) as server:
        report = probe(server)
        assert len(server.requests) <= MOST_REQUESTS
    assert report.failure is None
    assert "ListSets does not end" in about(report, "sets").found
