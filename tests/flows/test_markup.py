"""Pages that no XML parser takes: repaired, kept as they came, told; a broken record costs one record."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.flows.faulting import Expected, check_fault, check_payloads
from tests.flows.harvesting import Shelf, make_shelf, words
from tests.servers.faults import markup, records
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from windrow.model.run import Outcome

REPAIRED = Expected(Outcome.PARTIAL, keeps_page=True, says="the page was not well-formed", second="full")
MENDED = replace(REPAIRED, is_mended=True)

FAULTS = {
    "raw control character": MENDED,
    "control character reference": MENDED,
    "Latin-1 bytes": MENDED,
    "says UTF-8, is windows-1252": REPAIRED,
    "says UTF-16, is windows-1252": REPAIRED,
    "says UTF-16, is UTF-8": REPAIRED,
    "HTML entity": MENDED,
    "bare ampersand": MENDED,
    "undeclared prefix": REPAIRED,
    "mismatched tags": replace(
        REPAIRED, stored=24, quarantined=1, says="oai:test.example:12", second="plain"
    ),
    "prefixed OAI elements": Expected(),
    "namespaces on the root": Expected(),
    "namespaces on record": Expected(),
    "namespaces on metadata": Expected(),
    "leading white space": REPAIRED,
    "byte order mark": Expected(),
    "junk after the root": REPAIRED,
    "several roots": REPAIRED,
}

MENDED_TITLES = {
    "raw control character": "Page break",
    "control character reference": "Page break",
    "Latin-1 bytes": "Café",
    "bare ampersand": "Research &amp; development",
}


@pytest.mark.parametrize("name", FAULTS)
def test_no_fault_of_markup_loses_a_record_without_a_word(tmp_path: Path, name: str) -> None:
    check_fault(tmp_path, name, FAULTS[name])


def struck(shelf: Shelf) -> str:
    """The payload of the record in the middle."""
    payload = shelf.records()["oai:test.example:12"].payload("oai_dc")
    assert payload is not None
    return payload.data.decode()


@pytest.mark.parametrize("name", MENDED_TITLES)
def test_a_repair_changes_what_it_must_and_no_other_record(tmp_path: Path, name: str) -> None:
    with OaiServer(make_items(25), name) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        others = [item for item in server.items if item.identifier != "oai:test.example:12"]
        check_payloads(shelf.records(), others)
    assert f"<dc:title>{MENDED_TITLES[name]}</dc:title>" in struck(shelf)


@pytest.mark.parametrize("bad", [markup.BareAmpersand, markup.HtmlEntity, markup.ControlReference])
def test_a_repair_leaves_sections_and_comments_of_other_records_alone(
    tmp_path: Path, bad: type[records.NewTitle]
) -> None:
    strange = [records.CData("oai:test.example:11"), records.CommentedRecord("oai:test.example:13")]
    with OaiServer(make_items(25), bad(), *strange) as server:
        shelf = make_shelf(tmp_path, server)
        assert shelf.harvest().outcome == Outcome.PARTIAL
        others = [item for item in server.items if item.identifier != "oai:test.example:12"]
        check_payloads(shelf.records(), others, server.faults)


def test_the_kept_page_is_the_page_as_it_came(tmp_path: Path) -> None:
    with OaiServer(make_items(25), "raw control character") as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
    (kept,) = (problem.kept for problem in run.problems if problem.kept)
    assert b"Page\x0cbreak\x02" in (shelf.folder / str(kept)).read_bytes()


def test_a_broken_record_next_to_one_that_holds_records_costs_one_record(tmp_path: Path) -> None:
    inner = records.InnerRecord("oai:test.example:13")
    with OaiServer(make_items(25), markup.MismatchedTags(), inner) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.PARTIAL
        assert [case.identifier for case in shelf.quarantined()] == ["oai:test.example:12"], words(run)
        assert len(shelf.records()) == 24
        check_payloads(shelf.records(), server.items, server.faults)


def test_a_broken_record_on_every_page_costs_as_many_records(tmp_path: Path) -> None:
    bad = [markup.MismatchedTags(f"oai:test.example:{number}") for number in (4, 14, 24)]
    with OaiServer(make_items(25), *bad) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.PARTIAL
        assert run.counters.quarantined == 3
        assert len(shelf.records()) == 22


def test_prefixed_elements_of_the_protocol_are_read_like_any_other(tmp_path: Path) -> None:
    with OaiServer(make_items(25), markup.PrefixedOai("o-1")) as server:
        shelf = make_shelf(tmp_path, server)
        assert shelf.harvest().outcome == Outcome.OK
        assert len(shelf.records()) == 25
        assert shelf.records()["oai:test.example:1"].sets == ("art:music",)
