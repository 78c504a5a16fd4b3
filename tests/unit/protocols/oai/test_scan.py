"""Shapes that only the exact way can cut, and what it says of entries that are no records."""

from __future__ import annotations

import pytest

from tests.unit.protocols.oai.pages import NAMESPACES, OAI, header, page, payload, record, tombstone
from windrow.errors import BadXml, NotOai
from windrow.protocols.oai.page_parser import parse_page
from windrow.protocols.oai.page_scanner import MAX_NAMESPACES, scan_page


def test_a_nested_record_stays_inside_its_payload() -> None:
    inside = "<marc:record xmlns:marc='urn:m'/><record><header><identifier>no</identifier></header></record>"
    found = scan_page(page(record("a", inside), record("b")))
    assert [item.identifier for item in found.records] == ["a", "b"]
    assert found.records[0].payload == inside.encode()


@pytest.mark.parametrize("inner", ["metadata", "record", "about"])
def test_elements_of_the_protocol_inside_a_payload_are_payload(inner: str) -> None:
    inside = f"<x><{inner}>1</{inner}><{inner}/></x>"
    for cut in (parse_page, scan_page):
        found = cut(page(record("a", inside), record("b", inside)))
        assert [item.payload for item in found.records] == [inside.encode()] * 2


def test_an_end_tag_in_cdata_or_a_comment_ends_nothing() -> None:
    inside = "<x><![CDATA[</metadata></record>]]><!-- </metadata> --></x>"
    found = scan_page(page(record("a", inside), tombstone("b")))
    assert found.records[0].payload == inside.encode()
    assert found.records[1].is_deleted


def test_prefixed_elements_of_the_protocol_are_understood() -> None:
    plain = page(record("a"), token="<resumptionToken>next</resumptionToken>").decode()
    prefixed = plain.replace("xmlns=", "xmlns:o=")
    for name in ("OAI-PMH", "responseDate", "request", "ListRecords", "record", "header", "identifier"):
        prefixed = prefixed.replace(f"<{name}", f"<o:{name}").replace(f"</{name}", f"</o:{name}")
    for name in ("datestamp", "metadata", "resumptionToken"):
        prefixed = prefixed.replace(f"<{name}", f"<o:{name}").replace(f"</{name}", f"</o:{name}")
    found = scan_page(prefixed.encode())
    assert [item.identifier for item in found.records] == ["a"]
    assert found.token is not None
    assert found.token.value == "next"
    assert found.response_date == "2024-06-01T12:00:00Z"


def test_namespaces_are_taken_from_every_level_around_the_payload() -> None:
    body = page(record("a", "<p:x q:y='1'/>"), attributes=' xmlns:p="urn:root"').decode()
    body = body.replace("<record>", '<record xmlns:q="urn:record">')
    body = body.replace("<metadata>", '<metadata xmlns:p="urn:metadata" xmlns="">')
    declared = scan_page(body.encode()).records[0].declarations
    assert b' xmlns:p="urn:metadata"' in declared
    assert b' xmlns:q="urn:record"' in declared
    assert b' xmlns=""' in declared
    assert b"urn:root" not in declared


def test_what_one_record_declares_is_not_carried_to_the_next() -> None:
    first = record("a", "<p:x/>").replace("<metadata>", '<metadata xmlns:p="urn:p">')
    found = scan_page(page(first, record("b", "<y/>")))
    assert b"urn:p" in found.records[0].declarations
    assert b"urn:p" not in found.records[1].declarations


def test_header_fields_come_in_any_order() -> None:
    fields = "<setSpec>s</setSpec><datestamp>2020</datestamp><setSpec>t</setSpec><identifier>a</identifier>"
    found = scan_page(page(f"<record><header>{fields}</header><metadata>{payload()}</metadata></record>"))
    assert (found.records[0].identifier, found.records[0].stamp) == ("a", "2020")
    assert found.records[0].sets == ("s", "t")


def test_a_set_named_twice_or_not_at_all_counts_once_or_never() -> None:
    found = scan_page(
        page(record("a").replace("</header>", "<setSpec>s</setSpec><setSpec/><setSpec>s </setSpec></header>"))
    )
    assert found.records[0].sets == ("s",)


def test_metadata_before_the_header_is_taken_too() -> None:
    found = scan_page(page(f"<record><metadata>{payload()}</metadata>{header('a')}</record>"))
    assert found.records[0].payload == payload().encode()


def test_abouts_are_kept_whole_in_their_order() -> None:
    found = scan_page(page(record("a", about="<about><x/></about> <about/> <about><y/></about>")))
    assert found.records[0].about == b"<about><x/></about>\n<about/>\n<about><y/></about>"


def test_a_second_metadata_is_kept_beside_the_first_with_what_both_declare() -> None:
    twice = '<metadata xmlns:p="urn:p"><p:x/></metadata><metadata xmlns:q="urn:q"><q:y/></metadata>'
    found = scan_page(page(f"<record>{header('a')}{twice}</record>"))
    assert found.records[0].payload == b"<p:x/>\n<q:y/>"
    assert b"urn:p" in found.records[0].declarations
    assert b"urn:q" in found.records[0].declarations


def test_a_tombstone_keeps_its_sets_and_drops_its_metadata() -> None:
    gone = f"<record>{header('a', sets=('s',), is_deleted=True)}<metadata>{payload()}</metadata></record>"
    found = scan_page(page(gone)).records[0]
    assert (found.is_deleted, found.payload, found.sets) == (True, None, ("s",))


@pytest.mark.parametrize(
    ("entry", "reason", "identifier"),
    [
        (f"<record><metadata>{payload()}</metadata></record>", "no header", None),
        (f"<record>{header('')}<metadata>{payload()}</metadata></record>", "no identifier", None),
        (f"<record>{header('a')}</record>", "no metadata", "a"),
        (f"<record>{header('a')}<metadata/></record>", "no metadata", "a"),
        (f"<record>{header('a')}<metadata> \n </metadata></record>", "no metadata", "a"),
        ("<record/>", "no header", None),
    ],
)
def test_an_entry_that_is_no_record_is_rejected_with_its_bytes(
    entry: str, reason: str, identifier: str | None
) -> None:
    found = scan_page(page(record("x"), entry, record("y")))
    assert [item.identifier for item in found.records] == ["x", "y"]
    (reject,) = found.rejects
    assert reason in reject.reason
    assert reject.identifier == identifier
    assert reject.raw == entry.encode()


def test_headers_alone_make_records_in_list_identifiers() -> None:
    entries = (header("a", sets=("s",)), header("b", is_deleted=True))
    found = scan_page(page(*entries, verb="ListIdentifiers"))
    assert [(item.identifier, item.is_deleted) for item in found.records] == [("a", False), ("b", True)]
    assert not found.rejects


def test_elements_that_forgot_their_namespace_are_understood_all_the_same() -> None:
    body = page(record("a")).replace(b"<ListRecords>", b'<ListRecords xmlns="">')
    assert [item.identifier for item in scan_page(body).records] == ["a"]
    bare = page(record("b")).replace(f' xmlns="{OAI}"'.encode(), b"")
    assert [item.identifier for item in scan_page(bare).records] == ["b"]


def test_records_without_a_list_around_them_are_taken_and_told() -> None:
    body = page(record("a")).replace(b"<ListRecords>", b"").replace(b"</ListRecords>", b"")
    found = scan_page(body)
    assert [item.identifier for item in found.records] == ["a"]
    assert "outside of any list" in found.repairs[0]


@pytest.mark.parametrize("namespace", ["", f' xmlns="{OAI}"'])
def test_records_under_a_foreign_root_are_taken_and_told(namespace: str) -> None:
    body = f"<harvest><part>{record('a')}</part>{record('b')}</harvest>".replace(
        "<record", f"<record{namespace}"
    )
    found = scan_page(body.encode())
    assert [item.identifier for item in found.records] == ["a", "b"]
    assert "<harvest>" in found.repairs[0]


def test_a_foreign_root_without_records_is_not_oai() -> None:
    with pytest.raises(NotOai, match="XML whose root is <rss>"):
        scan_page(b"<rss><channel/></rss>")


def test_an_answer_to_another_question_is_not_an_empty_list() -> None:
    with pytest.raises(NotOai, match="neither a list of records nor an error"):
        scan_page(page(verb="Identify"))


def test_an_empty_list_is_an_empty_page() -> None:
    found = scan_page(page())
    assert (found.records, found.rejects, found.token, found.faults) == ([], [], None, ())


def test_errors_are_read_with_their_codes() -> None:
    body = page().replace(
        b"<ListRecords>\n</ListRecords>", b'<error code="noRecordsMatch"> none </error><error/>'
    )
    (fault,) = scan_page(body).faults
    assert (fault.code, fault.text) == ("noRecordsMatch", "none")


def test_records_beside_no_records_match_are_read() -> None:
    body = page(record("a")).replace(b"<ListRecords>", b'<error code="noRecordsMatch"/><ListRecords>')
    found = parse_page(body)
    assert [item.identifier for item in found.records] == ["a"]
    assert found.faults == ()
    other = parse_page(body.replace(b"noRecordsMatch", b"badArgument"))
    assert [fault.code for fault in other.faults] == ["badArgument"]


def test_a_token_in_a_payload_is_not_the_list_s() -> None:
    inside = "<resumptionToken>no</resumptionToken>"
    assert scan_page(page(record("a", inside))).token is None


def test_more_namespaces_than_anyone_needs_are_refused() -> None:
    declared = "".join(f' xmlns:n{number}="urn:{number}"' for number in range(MAX_NAMESPACES + 1))
    with pytest.raises(BadXml, match="namespaces"):
        scan_page(page(record("a"), attributes=declared))


def test_declarations_that_would_swell_with_every_record_are_refused() -> None:
    declared = "".join(f' xmlns:n{number}="urn:{"x" * 200}"' for number in range(200))
    small = record("a", "<x/>").replace("<metadata>", '<metadata xmlns:p="urn:p">')
    with pytest.raises(BadXml, match="than records can carry"):
        scan_page(page(*[small] * 200, attributes=declared))


def test_declarations_on_every_record_are_nothing_to_object_to() -> None:
    usual = record("a", "<x/>").replace("<record>", f"<record {NAMESPACES}>")
    assert len(scan_page(page(*[usual] * 300)).records) == 300


@pytest.mark.parametrize("inside", ["only words", "<!-- only a comment -->", " <?only an='instruction'?> "])
def test_metadata_without_an_element_is_a_reject(inside: str) -> None:
    for cut in (parse_page, scan_page):
        found = cut(page(record("a", inside), record("b")))
        assert [item.identifier for item in found.records] == ["b"]
        assert [item.reason for item in found.rejects] == ["the record's metadata holds no element"]
