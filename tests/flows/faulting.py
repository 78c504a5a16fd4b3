"""One fault, harvested twice: with it, and after it is gone. What must hold for every one of them.

A theme's file says what it expects of its faults (`Expected`); `check_fault` holds the harvester to that,
and to this: no record is ever lost without a word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from tests.flows.harvesting import Shelf, make_shelf, problems, words
from tests.servers.fault import Fault
from tests.servers.faults.transport import SlowFirstByte
from tests.servers.items import Item, make_items
from tests.servers.oai import OaiServer
from windrow.model.run import Outcome, Run
from windrow.protocols.oai.payload_xml import make_standalone
from windrow.store.records.record_reader import StoredRecord

COUNT = 25  # three pages of ten, the last one half full
_METADATA = re.compile(r"<metadata>(.*)</metadata>", re.DOTALL)


@dataclass(frozen=True)
class Expected:
    """What a harvest of 25 records must come to while a fault is on."""

    outcome: Outcome = Outcome.OK
    stored: int = COUNT
    quarantined: int = 0
    requests: int = 7  # at most: Identify, three pages, ListSets, the size of the list, one more
    says: str = ""  # what the run must mention
    keeps_page: bool = False  # the page as it came lies in the library
    is_mended: bool = False  # the payload is not what was sent: that could not be parsed
    second: str = "plain"  # the harvest that repairs all: plain or full
    settings: Mapping[str, object] = field(default_factory=dict)


@dataclass
class Harvested:
    """A library, the server that was harvested into it, and the two runs."""

    shelf: Shelf
    server: OaiServer
    first: Run
    second: Run


def check_fault(tmp_path: Path, fault: str | Fault, expected: Expected) -> Harvested:
    """Harvest with the fault and without it; hold the harvester to its promises."""
    with OaiServer(make_items(COUNT), fault) as server:
        for each in server.faults:
            if isinstance(each, SlowFirstByte):
                each.release.set()
        shelf = make_shelf(tmp_path, server, **expected.settings)
        first = shelf.harvest()
        _check_first(shelf, server, first, expected)
        faults, server.faults = server.faults, []
        second = shelf.harvest(is_full=expected.second == "full")
        _check_second(shelf, server, second)
        server.faults = faults
        return Harvested(shelf, server, first, second)


def _check_first(shelf: Shelf, server: OaiServer, run: Run, expected: Expected) -> None:
    said = words(run)
    assert run.outcome == expected.outcome, said
    stored, cases = shelf.records(), shelf.quarantined()
    assert (len(stored), len(cases)) == (expected.stored, expected.quarantined), said
    assert len(server.requests) <= expected.requests, [request.query for request in server.requests]
    assert expected.says in said
    check_nothing_is_lost(server.items, shelf, run)
    assert all(case.reason for case in cases)
    if not expected.is_mended:
        check_payloads(stored, server.items, server.faults)
    if expected.keeps_page:
        check_kept_pages(shelf, run)


def _check_second(shelf: Shelf, server: OaiServer, run: Run) -> None:
    assert run.outcome == Outcome.OK, words(run)
    assert shelf.live() == {item.identifier for item in server.items}
    assert shelf.quarantined() == []
    assert shelf.next_from() == "2024-06-01T12:00:00Z" or len(shelf.next_from() or "") == len("2024-06-01")


def check_nothing_is_lost(items: Sequence[Item], shelf: Shelf, run: Run) -> None:
    """Every record is stored, or in quarantine, or the run says that something lacks."""
    named = {case.identifier for case in shelf.quarantined()}
    nameless = sum(case.identifier is None for case in shelf.quarantined())
    lost = {item.identifier for item in items} - set(shelf.records()) - named
    is_told = run.outcome in (Outcome.PARTIAL, Outcome.FAILED, Outcome.SKIPPED) and bool(problems(run))
    assert len(lost) <= nameless or is_told, f"lost without a word: {sorted(lost)}\n{words(run)}"


def check_payloads(
    stored: Mapping[str, StoredRecord], items: Sequence[Item], faults: Sequence[Fault] = ()
) -> None:
    """Every stored payload is what was sent, byte for byte, and stands alone."""
    for item in items:
        record = stored.get(item.identifier)
        if record is None or item.payload is None:
            continue
        payload = record.payload("oai_dc")
        assert payload is not None
        assert payload.data.decode() == _sent(item, faults)
        alone = etree.fromstring(make_standalone(payload.data, payload.declarations), _careful())
        assert etree.QName(alone).localname == "dc"


def _sent(item: Item, faults: Sequence[Fault]) -> str:
    xml = f"<record><header></header><metadata>{item.payload}</metadata></record>"
    for fault in faults:
        xml = fault.record(xml, item, "ListRecords")
    found = _METADATA.search(xml)
    assert found is not None
    return found[1]


def check_kept_pages(shelf: Shelf, run: Run) -> None:
    """A problem names the file that holds the page as it came."""
    kept = [problem.kept for problem in problems(run) if problem.kept]
    assert kept, words(run)
    for path in kept:
        assert path.startswith("files/kept-pages/")
        assert b"OAI-PMH" in (shelf.folder / path).read_bytes()


def _careful() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
