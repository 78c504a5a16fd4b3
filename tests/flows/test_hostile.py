"""Answers meant to do harm: refused without any, and the next honest answer is taken."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from tests.flows.faulting import Expected, check_fault
from tests.flows.harvesting import make_shelf, words
from tests.servers.faults import coding, markup
from tests.servers.http import Reply, Request, ScriptedServer
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from windrow.model.run import Outcome
from windrow.store.harvests.quarantine_cases import MAX_NAMELESS

FAULTS = {
    "billion laughs": Expected(Outcome.FAILED, stored=0, requests=12, says="declared entities are refused"),
    "external entity": Expected(Outcome.FAILED, stored=0, requests=12, says="declared entities are refused"),
    "gzip bomb": Expected(
        Outcome.FAILED,
        stored=0,
        requests=3,
        says="more than 5,000,000 bytes",
        settings={"max_response": "5 MB"},
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_an_attack_is_refused_without_harm(tmp_path: Path, name: str) -> None:
    check_fault(tmp_path, name, FAULTS[name])


def test_a_bomb_is_not_unfolded_in_memory(tmp_path: Path) -> None:
    with OaiServer(make_items(5), coding.GzipBomb(megabytes=100)) as server:
        shelf = make_shelf(tmp_path, server, max_response="2 MB")
        prepared = server.handle(_request("ListRecords"))  # what the server itself needs is not counted
        server.handle = lambda request: (
            prepared if request.arguments["verb"] != "Identify" else Reply(body=b"<a/>")
        )
        tracemalloc.start()
        run = shelf.harvest()
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert run.outcome == Outcome.FAILED
    assert most < 30_000_000


def test_no_file_and_no_address_is_opened_for_an_entity(tmp_path: Path) -> None:
    with ScriptedServer(lambda _: Reply(body=b"secret")) as elsewhere:
        with OaiServer(make_items(5), markup.ExternalEntity(address=elsewhere.url)) as server:
            shelf = make_shelf(tmp_path, server)
            run = shelf.harvest()
        assert elsewhere.requests == []
    assert run.outcome == Outcome.FAILED
    assert "declares the entity" in words(run)


def test_a_redirect_to_a_file_is_refused(tmp_path: Path) -> None:
    reply = Reply(302, headers={"Location": "file:///etc/hostname"}, content_type=None)
    with ScriptedServer(lambda _: reply) as server:
        run = make_shelf(tmp_path, server).harvest()
    assert run.outcome == Outcome.FAILED
    assert len(server.requests) <= 2


@pytest.mark.parametrize("junk", [b"<", b"<![CDATA[", b"&", b"<record><header>", b"]]>", b"<a b='", b"\x00"])
def test_a_page_full_of_beginnings_is_refused_in_no_time(tmp_path: Path, junk: bytes) -> None:
    head = b'<?xml version="1.0"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>'
    page = head + junk * (1_000_000 // len(junk)) + b"</ListRecords></OAI-PMH>"
    with ScriptedServer(lambda _: Reply(body=page)) as server:
        run = make_shelf(tmp_path, server).harvest()
    assert run.outcome in (Outcome.FAILED, Outcome.PARTIAL)
    assert len(server.requests) < 12


def _request(verb: str) -> Request:
    pairs = (("verb", verb), ("metadataPrefix", "oai_dc"))
    return Request("GET", "/oai", "/oai", "", pairs, {})


def test_a_page_of_nothing_but_nameless_records_does_not_fill_the_quarantine(tmp_path: Path) -> None:
    head = b'<?xml version="1.0"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>'
    records = b"".join(b"<record><metadata><a>%d</a></metadata></record>" % number for number in range(5_000))
    page = head + records + b"</ListRecords></OAI-PMH>"
    with ScriptedServer(lambda _: Reply(body=page)) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
    assert run.outcome == Outcome.PARTIAL
    assert run.counters.quarantined == 5_000
    assert 0 < len(shelf.quarantined()) <= MAX_NAMELESS
