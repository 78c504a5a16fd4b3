"""The quick way to cut a page: which pages it takes, odd records among the usual ones included."""

from __future__ import annotations

from itertools import permutations

import pytest

from tests.unit.protocols.oai.pages import header, page, payload, record, tombstone
from windrow.protocols.oai import page_parser
from windrow.protocols.oai.page_parser import parse_page, slice_page
from windrow.protocols.oai.page_scanner import scan_page

ABOUT = '<about><provenance xmlns="urn:example:provenance">From the shed</provenance></about>'
ODD = {
    "a tombstone": tombstone("odd"),
    "a tombstone with metadata": tombstone("odd").replace("</record>", "<metadata><x/></metadata></record>"),
    "something about it": record("odd", about=ABOUT),
    "spread over lines": record("odd", f"\n  {payload()}\n ").replace("</record>", "\n  </record>\n  "),
    "an escaped identifier": record("odd&amp;even"),
    "many sets": f"<record>{header('odd', sets=('a', 'b'))}<metadata>{payload()}</metadata></record>",
}
FOR_SCAN = {
    "metadata in metadata": record("odd", "<x><metadata/><metadata>1</metadata></x>"),
    "empty metadata": record("odd", ""),
    "metadata of blanks": record("odd", " \n"),
    "only text": record("odd", "hay"),
    "no metadata": f"<record>{header('odd')}</record>",
    "records in a record": record("odd", f"<x>{record('inner')}{record('inmost')}</x>"),
    "no identifier": record(""),
    "two abouts": record("odd", about=ABOUT + ABOUT),
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_an_odd_record_is_cut_alike_wherever_it_stands_among_usual_ones(odd: str) -> None:
    for entries in permutations([record("a"), record("b"), odd, record("c")]):
        body = page(*entries, token='<resumptionToken cursor="0">n</resumptionToken>')
        assert slice_page(body) == scan_page(body)


@pytest.mark.parametrize("odd", FOR_SCAN.values(), ids=FOR_SCAN)
def test_a_record_that_only_a_parser_can_judge_sends_the_page_to_it(odd: str) -> None:
    for entries in permutations([record("a"), record("b"), odd]):
        body = page(*entries)
        assert slice_page(body) is None
        assert parse_page(body) == scan_page(body)


def test_odd_records_may_follow_one_another() -> None:
    body = page(*ODD.values(), *ODD.values())
    assert slice_page(body) == scan_page(body)


def test_a_page_of_too_many_records_is_left_to_the_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_parser, "_MOST_RECORDS", 3)
    assert slice_page(page(record("a"), record("b"))) is not None
    assert slice_page(page(record("a"), record("b"), record("c"))) is None
