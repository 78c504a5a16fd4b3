"""Faults of records, of the document and of its coding."""

from __future__ import annotations

import gzip
import zlib

import pytest
import zstandard
from lxml import etree

from tests.servers.faults import FAULTS
from tests.servers.faults.coding import GzipBomb
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from tests.unit.servers.asking import OAI, ask, list_records, numbers, parse

RECORD = OAI + "record"
STRUCK = b"oai:test.example:2"


def page_with(fault: str) -> bytes:
    with OaiServer(make_items(4), fault) as server:
        return list_records(server)


def struck(body: bytes) -> etree._Element:
    return parse(body).findall(f".//{OAI}record")[2]


def test_a_record_may_have_no_header() -> None:
    record = struck(page_with("no header"))
    assert [etree.QName(child).localname for child in record] == ["metadata"]


def test_a_record_may_have_no_identifier() -> None:
    assert struck(page_with("no identifier")).findtext(f".//{OAI}identifier") == ""


def test_a_record_may_have_neither_metadata_nor_a_tombstone() -> None:
    record = struck(page_with("no metadata"))
    assert [etree.QName(child).localname for child in record] == ["header"]
    assert record[0].get("status") is None


def test_a_value_may_be_huge() -> None:
    assert len(struck(page_with("huge value")).findtext(".//{*}title") or "") == 126_709


def test_a_record_may_have_very_many_elements() -> None:
    assert len(struck(page_with("many elements")).findall(".//{*}subject")) == 1_110


def test_a_record_may_be_very_deep() -> None:
    assert page_with("deep nesting").count(b"<b>") == 1_000


def test_a_payload_may_hold_records_of_its_own() -> None:
    body = page_with("record inside a payload")
    assert body.count(b"<record") == 5
    assert len(parse(body).findall(f".//{RECORD}")) == 4


def test_a_comment_may_hold_the_end_of_a_record() -> None:
    body = page_with("record inside a comment")
    assert body.count(b"</record>") == 6
    assert len(parse(body).findall(f".//{RECORD}")) == 4


def test_cdata_may_hold_the_end_of_a_record() -> None:
    title = struck(page_with("CDATA")).findtext(".//{*}title")
    assert title == "Cats & <b>dogs</b></record><record>"


@pytest.mark.parametrize(
    ("fault", "evidence"),
    [
        ("raw control character", b"Page\x0cbreak\x02"),
        ("control character reference", b"Page&#12;break&#x2;"),
        ("Latin-1 bytes", b"Caf\xe9<"),
        ("says UTF-8, is windows-1252", b"H\xf6\xf6k"),
        ("says UTF-16, is windows-1252", b'encoding="UTF-16"'),
        ("HTML entity", b"Bj&ouml;rk"),
        ("bare ampersand", b"Research & development"),
        ("undeclared prefix", b"<dcterms:abstract>"),
        ("mismatched tags", b"<b>and</dc:title></b>"),
        ("leading white space", b"\n \r\n<?xml"),
        ("junk after the root", b"</OAI-PMH><br />"),
        ("several roots", b"</OAI-PMH><extra/><extra/>"),
    ],
)
def test_what_no_parser_takes_is_on_the_wire(fault: str, evidence: bytes) -> None:
    body = page_with(fault)
    assert evidence in body
    with pytest.raises(etree.XMLSyntaxError):
        parse(body)


def test_utf8_may_be_called_utf16() -> None:
    body = page_with("says UTF-16, is UTF-8")
    assert b'encoding="UTF-16"' in body
    assert "Höök".encode() in body


def test_a_byte_order_mark_is_allowed() -> None:
    body = page_with("byte order mark")
    assert body.startswith(b"\xef\xbb\xbf<?xml")
    assert numbers([body]) == [0, 1, 2, 3]


def test_the_elements_of_the_protocol_may_have_a_prefix() -> None:
    body = page_with("prefixed OAI elements")
    assert b"<oai:record><oai:header>" in body
    assert b"<dc:title>" in body
    assert numbers([body]) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("fault", "start", "count"),
    [
        ("namespaces on the root", b"<OAI-PMH xmlns:oai_dc=", 1),
        ("namespaces on record", b"<record xmlns:oai_dc=", 4),
        ("namespaces on metadata", b"<metadata xmlns:oai_dc=", 4),
    ],
)
def test_namespaces_may_be_declared_outside_the_payload(fault: str, start: bytes, count: int) -> None:
    body = page_with(fault)
    assert body.count(start) == body.count(b"xmlns:dc=") == count
    assert b"<oai_dc:dc>" in body
    assert len(parse(body).findall(".//{http://purl.org/dc/elements/1.1/}title")) == 4


def test_the_billion_laughs_are_defined_and_used() -> None:
    body = page_with("billion laughs")
    assert b'<!ENTITY lol9 "&lol8;&lol8;' in body
    assert b"&lol9;</dc:title>" in body


def test_an_external_entity_is_defined_and_used() -> None:
    body = page_with("external entity")
    assert b'<!ENTITY outside SYSTEM "file:///etc/hostname">' in body
    assert b"&outside;</dc:title>" in body


@pytest.mark.parametrize(
    ("fault", "told", "magic"),
    [
        ("gzip", "gzip", b"\x1f\x8b"),
        ("gzip without a word", None, b"\x1f\x8b"),
        ("gzip in name only", "gzip", b"<?xml"),
        ("deflate with zlib", "deflate", b"\x78"),
        ("zstd", "zstd", b"\x28\xb5\x2f\xfd"),
        ("zstd without a word", None, b"\x28\xb5\x2f\xfd"),
    ],
)
def test_codings_are_told_or_not(fault: str, told: str | None, magic: bytes) -> None:
    with OaiServer(make_items(4), fault) as server:
        response, body = ask(server, verb="ListRecords", metadataPrefix="oai_dc")
    assert response.getheader("Content-Encoding") == told
    assert body.startswith(magic)


def test_codings_hold_the_document() -> None:
    plain = b"</OAI-PMH>"
    assert gzip.decompress(page_with("gzip")).endswith(plain)
    assert zlib.decompress(page_with("deflate with zlib")).endswith(plain)
    assert zlib.decompress(page_with("deflate raw"), wbits=-15).endswith(plain)
    assert zstandard.ZstdDecompressor().decompress(page_with("zstd")).endswith(plain)


def test_a_gzip_stream_may_end_too_early() -> None:
    with pytest.raises(EOFError):
        gzip.decompress(page_with("broken gzip"))


def test_a_bomb_is_small_until_it_is_opened() -> None:
    with OaiServer(make_items(1), GzipBomb(megabytes=5)) as server:
        body = list_records(server)
    assert len(body) < 20_000
    assert len(gzip.decompress(body)) > 5_000_000


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_every_fault_can_be_switched_on_by_name(name: str) -> None:
    server = OaiServer(make_items(2), name)
    assert server.faults[0].server is server
