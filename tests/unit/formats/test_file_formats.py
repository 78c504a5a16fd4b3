"""The formats that are written of files: http_header, oai_didl, and Dublin Core from plain pairs."""

from __future__ import annotations

import base64
import email.utils

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from tests.oai_schema import validate_oai_dc
from windrow.formats.didl import FileItem, write_didl_item
from windrow.formats.dublin_core.oai_dc import ELEMENTS, write_plain_dc
from windrow.formats.http_header import (
    EARLIEST_SECOND,
    LATEST_SECOND,
    content_type,
    http_date,
    schema,
    write_http_header,
)
from windrow.formats.mapping.markup import escape_xml
from windrow.formats.registry import read

DIDL = {
    "didl": "urn:mpeg:mpeg21:2002:02-DIDL-NS",
    "dii": "urn:mpeg:mpeg21:2002:01-DII-NS",
    "premis": "http://www.loc.gov/premis/v3",
    "dcterms": "http://purl.org/dc/terms/",
    "http": "urn:windrow:http-header:1",
}
SCHEMA = etree.XMLSchema(etree.fromstring(schema()))


def item(content: bytes | None = b"aGk=", sha256: str | None = "ab" * 32) -> etree._Element:
    header = write_http_header("text/plain", 2, 0)
    made = FileItem("https://a.example/?a&b", "text/plain", "Made <here>.", [header], sha256, content)
    return etree.fromstring(write_didl_item(made))


@given(st.text(), st.integers(min_value=0), st.integers())
def test_any_http_header_is_valid_against_its_schema(media_type: str, size: int, second: int) -> None:
    SCHEMA.assertValid(etree.fromstring(write_http_header(media_type, size, second)))


def test_a_header_that_is_not_ours_is_not_valid() -> None:
    for right, wrong in ((b"200", b"20"), (b">1<", b">x<"), (b"Last-Modified", b"Last")):
        broken = write_http_header("a/b", 1, 0).replace(right, wrong)
        assert not SCHEMA.validate(etree.fromstring(broken))


@given(st.integers(min_value=EARLIEST_SECOND, max_value=LATEST_SECOND))
def test_a_date_is_written_as_http_has_it(second: int) -> None:
    assert http_date(second) == email.utils.formatdate(second, usegmt=True)


def test_a_date_that_cannot_be_written_is_the_last_that_can() -> None:
    assert http_date(10**20) == "Fri, 31 Dec 9999 23:59:59 GMT"
    assert http_date(-(10**20)) == "Mon, 01 Jan 0001 00:00:00 GMT"


def test_the_media_type_is_read_back() -> None:
    assert content_type(write_http_header("application/a&b", 1, 0)) == "application/a&b"
    assert content_type(b"<other/>") is None


def test_an_item_has_identifier_headers_provenance_fixity_address_and_content() -> None:
    root = item()
    assert root.findtext(".//dii:Identifier", None, DIDL) == "https://a.example/?a&b"
    assert root.findtext(".//http:Content-Length", None, DIDL) == "2"
    assert root.findtext(".//dcterms:provenance", None, DIDL) == "Made <here>."
    assert root.findtext(".//premis:messageDigestAlgorithm", None, DIDL) == "SHA-256"
    assert root.findtext(".//premis:messageDigest", None, DIDL) == "ab" * 32
    by_reference, by_value = root.iterfind(".//didl:Component/didl:Resource", DIDL)
    assert sorted(by_reference.items()) == [("mimeType", "text/plain"), ("ref", "https://a.example/?a&b")]
    assert sorted(by_value.items()) == [("encoding", "base64"), ("mimeType", "text/plain")]
    assert base64.b64decode(by_value.text or "") == b"hi"


def test_an_item_without_content_and_digest_has_the_address_alone() -> None:
    root = item(None, None)
    assert len(root.findall(".//didl:Resource", DIDL)) == 1
    assert root.find(".//premis:fixity", DIDL) is None


def test_an_empty_file_has_an_empty_content() -> None:
    assert len(item(b"").findall(".//didl:Resource", DIDL)) == 2


def test_our_own_reader_reads_an_item_with_its_description() -> None:
    address = "https://a.example/thesis.pdf"
    words = write_plain_dc([("title", "Salt"), ("creator", "Ek, Åsa"), ("identifier", address)])
    made = FileItem(address, "application/pdf", "Made.", [write_http_header("application/pdf", 2, 0), words])
    document = read(write_didl_item(made), b"", "oai_didl")
    assert document.title == "Salt"
    assert [agent.name for agent in document.creators] == ["Ek, Åsa"]
    assert document.fulltext == address


@given(st.lists(st.tuples(st.sampled_from([*ELEMENTS, "nonsense"]), st.text())))
def test_any_pairs_make_valid_dublin_core(pairs: list[tuple[str, str]]) -> None:
    root = etree.fromstring(write_plain_dc(pairs))
    found = [(etree.QName(child).localname, child.text) for child in root]
    assert [ELEMENTS.index(name) for name, _ in found] == sorted(ELEMENTS.index(name) for name, _ in found)
    assert len(found) == len({(name, words) for name, words in pairs if name != "nonsense" and words.strip()})


def test_plain_dublin_core_is_valid_against_its_schema() -> None:
    validate_oai_dc(write_plain_dc((name, f"<{name}>") for name in ELEMENTS))


@given(st.text(st.characters(), max_size=50))
def test_any_text_can_stand_in_xml(text: str) -> None:
    written = escape_xml(text)
    root = etree.fromstring(f'<a b="{written}">{written}</a>'.encode())
    legal = "".join(letter for letter in root.text or "" if letter != "\ufffd")
    assert all(letter in text for letter in legal)
    assert len(root.text or "") == len(text)


@pytest.mark.parametrize("letter", ["\x00", "\x1f", "\ud800", "\ufffe"])
def test_what_xml_cannot_carry_is_replaced(letter: str) -> None:
    assert escape_xml(letter) == "\ufffd"
