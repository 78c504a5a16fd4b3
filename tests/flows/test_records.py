"""Single records: what is missing goes to quarantine, what is strange is kept byte for byte."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.flows.faulting import Expected, check_fault
from tests.flows.harvesting import asked, make_shelf, problems, words
from tests.servers.faults import records, transport
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from windrow.model.run import EXIT_CODES, Outcome

BAD = Expected(Outcome.PARTIAL, stored=24, quarantined=1, keeps_page=True)

FAULTS = {
    "no header": replace(BAD, says="the record has no header", second="full"),
    "no identifier": replace(BAD, says="the header has no identifier", second="full"),
    "no metadata": replace(BAD, says="oai:test.example:12"),
    "huge value": Expected(),
    "many elements": Expected(),
    "deep nesting": Expected(),
    "record inside a payload": Expected(),
    "record inside a comment": Expected(),
    "CDATA": Expected(),
}


@pytest.mark.parametrize("name", FAULTS)
def test_no_fault_of_records_loses_one_without_a_word(tmp_path: Path, name: str) -> None:
    check_fault(tmp_path, name, FAULTS[name])


def test_a_value_of_126_709_characters_is_kept(tmp_path: Path) -> None:
    with OaiServer(make_items(25), "huge value") as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
    payload = shelf.records()["oai:test.example:12"].payload("oai_dc")
    assert payload is not None
    assert payload.data.decode().count("Ä") == 126_709


def test_all_of_1_110_elements_are_kept(tmp_path: Path) -> None:
    with OaiServer(make_items(25), "many elements") as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
    payload = shelf.records()["oai:test.example:12"].payload("oai_dc")
    assert payload is not None
    assert payload.data.count(b"<dc:subject>") == 1_110


def test_a_quarantined_record_has_its_bytes_and_its_reason(tmp_path: Path) -> None:
    with OaiServer(make_items(25), "no metadata") as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
    (case,) = shelf.quarantined()
    assert case.identifier == "oai:test.example:12"
    assert case.reason == "the record has no metadata and is not marked as deleted"
    assert b"<identifier>oai:test.example:12</identifier>" in case.raw
    assert EXIT_CODES[Outcome.PARTIAL] == 3
    assert "oai:test.example:12" in problems(run)[0].message


def test_a_quarantined_record_is_asked_for_again_by_the_next_harvest(tmp_path: Path) -> None:
    with OaiServer(make_items(25), "no metadata") as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        still = shelf.harvest()
        assert still.outcome == Outcome.PARTIAL, "the repository offers a record that is not here"
        assert "1 record of an earlier run waits in quarantine" in words(still)
        assert "0 of 1 quarantined records" in words(still)
        assert len(shelf.quarantined()) == 1, "the same case is kept once"
        server.faults = []
        shelf.harvest()
        assert shelf.quarantined() == []
        assert len(shelf.records()) == 25
        assert shelf.harvest().counters.requests == 2


def test_a_quarantined_record_that_the_repository_has_no_more_is_settled(tmp_path: Path) -> None:
    with OaiServer(make_items(25), "no metadata") as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        server.items = [item for item in server.items if item.identifier != "oai:test.example:12"]
        assert shelf.harvest().outcome == Outcome.OK
    assert shelf.quarantined() == []


def test_a_page_of_broken_records_is_quarantined_and_the_next_harvest_asks_for_a_few(tmp_path: Path) -> None:
    faults = [records.NoMetadata(f"oai:test.example:{number}") for number in range(40)]
    with OaiServer(make_items(50), *faults) as server:
        shelf = make_shelf(tmp_path, server)
        assert shelf.harvest().outcome == Outcome.PARTIAL
        assert len(shelf.quarantined()) == 40
        sent = len(server.requests)
        run = shelf.harvest()
        assert "40 records of earlier runs wait in quarantine; `windrow quarantine list test` shows" in words(
            run
        )
        assert run.outcome == Outcome.PARTIAL
        assert len(server.requests) - sent <= 22
        server.faults = []
        assert shelf.harvest(is_full=True).outcome == Outcome.OK
        assert shelf.quarantined() == []
        assert len(shelf.records()) == 50


def test_a_repository_that_answers_for_single_records_no_more_does_not_fail_the_harvest(
    tmp_path: Path,
) -> None:
    with OaiServer(make_items(25), "no metadata") as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        server.faults = [transport.Resetting(times=None, verbs=("GetRecord",))]
        server.faults[0].server = server
        run = shelf.harvest()
        assert run.outcome == Outcome.PARTIAL, words(run)
        assert len(asked(server, "GetRecord")) == 3
        assert len(shelf.quarantined()) == 1


@pytest.mark.parametrize("status", ["deleted", "Deleted", "DELETED", " deleted "])
def test_a_record_is_a_tombstone_however_its_status_is_written(tmp_path: Path, status: str) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        honest = server.handle
        plain, marked = b"<header><identifier>oai:test.example:12<", f'<header status="{status}">'.encode()

        def handle(request: Any) -> Any:
            reply = honest(request)
            return replace(reply, body=reply.body.replace(plain, marked + plain.removeprefix(b"<header>")))

        server.handle = handle
        assert shelf.harvest(is_full=True).outcome == Outcome.OK
    assert shelf.records()["oai:test.example:12"].is_deleted


def test_a_notice_printed_between_records_costs_none_of_them(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        honest = server.handle

        def handle(request: Any) -> Any:
            reply = honest(request)
            notice = b"</record><br>\n<b>Notice</b>: Undefined index in <b>oai.php</b> on line 3<br>"
            return replace(reply, body=reply.body.replace(b"</record>", notice, 1))

        server.handle = handle
        shelf = make_shelf(tmp_path, server)
        assert shelf.harvest().outcome == Outcome.PARTIAL
    assert len(shelf.live()) == 25
    assert not shelf.quarantined()
