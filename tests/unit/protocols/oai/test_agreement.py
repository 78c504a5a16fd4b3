"""The quick way to cut a page and the exact one give the same, and both give what lxml sees."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.fixtures import Place, own, own_and_shared
from tests.thorough import tries
from tests.unit.protocols.oai.generated import pages
from tests.unit.protocols.oai.pages import OAI, page, payload, record, tombstone
from windrow.protocols.oai.oai_page import LISTS, Page
from windrow.protocols.oai.page_parser import parse_page, slice_page
from windrow.protocols.oai.page_scanner import scan_page
from windrow.protocols.oai.payload_xml import make_standalone
from windrow.protocols.oai.well_formedness import examine, to_utf8

LXML = etree.XMLParser(huge_tree=True, resolve_entities=False)


def cut_both_ways(body: bytes) -> tuple[Page | None, Page]:
    flaw, is_plain = examine(body)
    assert flaw is None
    return (slice_page(body) if is_plain else None), scan_page(body)


@settings(deadline=None, max_examples=tries(400))
@given(pages())
def test_whatever_the_quick_way_cuts_the_exact_way_cuts_alike(body: bytes) -> None:
    quick, exact = cut_both_ways(body)
    assert quick is None or quick == exact


@settings(deadline=None, max_examples=tries(300))
@given(pages())
def test_records_and_payloads_are_those_that_lxml_sees(body: bytes) -> None:
    found = parse_page(body)
    entries = _entries(etree.fromstring(body, LXML))
    assert len(found.records) + len(found.rejects) == len(entries)
    kept = [entry for entry in entries if _is_kept(entry)]
    assert [item.identifier for item in found.records] == [_identifier(entry) for entry in kept]
    for item, entry in zip(found.records, kept, strict=True):
        if item.payload is not None:
            alone = etree.fromstring(make_standalone(item.payload, item.declarations), LXML)
            metadata = _metadata(entry)
            elements = [child for child in metadata if isinstance(child.tag, str)]
            is_single = len(elements) == 1 and not "".join(_texts_of(metadata)).strip()
            found_inside = [alone] if is_single else list(alone)
            assert [_canonical(child) for child in found_inside] == [_canonical(child) for child in elements]


@settings(deadline=None)
@given(st.lists(st.sampled_from([record("a"), record("b", payload("&amp; x")), tombstone("c")]), max_size=5))
def test_pages_of_the_usual_shape_are_cut_the_quick_way(entries: list[str]) -> None:
    quick, exact = cut_both_ways(page(*entries, token='<resumptionToken cursor="0">n</resumptionToken>'))
    assert quick is not None
    assert quick == exact


@pytest.mark.parametrize("name", ["metadata", "record", "header", "identifier"])
def test_an_end_tag_with_a_blank_in_it_ends_its_element_and_no_more(name: str) -> None:
    body = page(record("a").replace(f"</{name}>", f"</{name} >"), record("b"), record("c"))
    assert [item.identifier for item in parse_page(body).records] == ["a", "b", "c"]
    assert parse_page(body) == scan_page(body)


@own_and_shared
def test_pages_of_all_kinds_are_cut_alike_both_ways(place: Place) -> None:
    quickly = 0
    for path in sorted(place("oai").rglob("*.xml")):
        body, _ = to_utf8(path.read_bytes())
        flaw, is_plain = examine(body)
        quick = slice_page(body) if flaw is None and is_plain else None
        if quick is not None:
            quickly += 1
            assert quick == scan_page(body), path.name
    assert quickly > (10 if place is own else 100)


def _entries(root: etree._Element) -> list[etree._Element]:
    lists = {f"{{{OAI}}}{name}" for name in LISTS}
    names = {f"{{{OAI}}}record", f"{{{OAI}}}header"}
    return [entry for found in root if found.tag in lists for entry in found if entry.tag in names]


def _header(entry: etree._Element) -> etree._Element:
    found = entry if entry.tag == f"{{{OAI}}}header" else entry.find(f"{{{OAI}}}header")
    assert found is not None
    return found


def _identifier(entry: etree._Element) -> str:
    return (_header(entry).findtext(f"{{{OAI}}}identifier") or "").strip()


def _is_kept(entry: etree._Element) -> bool:
    """Is it to be a record rather than a reject?"""
    if not _identifier(entry):
        return False
    metadata = entry.find(f"{{{OAI}}}metadata")
    is_deleted = _header(entry).get("status") == "deleted"
    is_filled = metadata is not None and (len(metadata) > 0 or (metadata.text or "").strip() != "")
    return is_deleted or entry.tag == f"{{{OAI}}}header" or is_filled


def _metadata(entry: etree._Element) -> etree._Element:
    found = entry.find(f"{{{OAI}}}metadata")
    assert found is not None
    return found


def _texts_of(element: etree._Element) -> list[str]:
    return [element.text or "", *(child.tail or "" for child in element)]


def _canonical(element: etree._Element) -> bytes:
    copied = etree.fromstring(etree.tostring(element, with_tail=False, encoding="utf-8"))
    return etree.tostring(copied, method="c14n", exclusive=True)
