"""Encodings: told truthfully, told wrongly, not told at all."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.protocols.oai.pages import page, payload, record
from windrow.protocols.oai.oai_page import Page
from windrow.protocols.oai.page_parser import parse_page
from windrow.protocols.oai.repository_info import parse_identity
from windrow.protocols.oai.well_formedness import MISLABELLED, to_utf8

JAPANESE = "干し草の列"
CHINESE = "干草堆"
LATIN = "Väinö's “hay” – £5"


def said(text: str, encoding: str, *, declared: str | None = None) -> bytes:
    """A page with this title in one encoding, declared as another if wanted."""
    body = page(record("a", payload(text))).decode().replace("UTF-8", declared or encoding)
    return body.encode(encoding)


def title(found: Page) -> str:
    raw = found.records[0].payload
    assert raw is not None
    return raw.decode().partition("<dc:title>")[2].partition("</dc:title>")[0]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("EUC-JP", JAPANESE),
        ("Shift_JIS", JAPANESE),
        ("ISO-2022-JP", JAPANESE),
        ("GB2312", CHINESE),
        ("GB18030", CHINESE),
        ("Big5", CHINESE),
        ("EUC-KR", "건초"),
        ("windows-1252", LATIN),
        ("ISO-8859-1", "Väinö £5"),
        ("ISO-8859-15", "5 € Väinö"),
        ("KOI8-R", "сено"),
        ("windows-1251", "сено"),
        ("UTF-8", JAPANESE + LATIN),
        ("US-ASCII", "hay"),
        ("UTF-16", JAPANESE + LATIN),
    ],
)
def test_an_encoding_declared_truthfully_is_no_repair(encoding: str, text: str) -> None:
    found = parse_page(said(text, encoding))
    assert title(found) == text
    assert found.repairs == ()


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
        (b"", "utf-16-le"),
        (b"", "utf-16-be"),
    ],
)
@pytest.mark.parametrize("declared", ["UTF-8", "UTF-16", "ISO-8859-1"])
def test_a_byte_order_mark_or_zero_bytes_outweigh_the_declaration(
    mark: bytes, encoding: str, declared: str
) -> None:
    found = parse_page(mark + said(JAPANESE, encoding, declared=declared))
    assert title(found) == JAPANESE
    assert found.repairs == ()


@pytest.mark.parametrize(
    "declared", ["UTF-16", "utf-16le", "UCS-2", "x-unknown", "hex", "punycode", "utf-32"]
)
@pytest.mark.parametrize("text", ["hay", JAPANESE])
def test_utf_8_declared_as_what_it_cannot_be_is_read_and_told(declared: str, text: str) -> None:
    found = parse_page(said(text, "utf-8", declared=declared))
    assert title(found) == text
    assert found.repairs == (MISLABELLED,)


@pytest.mark.parametrize("declared", ["ISO-8859-1", "windows-1252", "iso-8859-15", "latin1"])
def test_utf_8_declared_as_latin_is_read_as_utf_8_and_told(declared: str) -> None:
    found = parse_page(said(JAPANESE + LATIN, "utf-8", declared=declared))
    assert title(found) == JAPANESE + LATIN
    assert found.repairs == (MISLABELLED,)


@pytest.mark.parametrize("declared", ["UTF-8", "utf8"])
def test_windows_1252_declared_as_utf_8_is_read_and_told(declared: str) -> None:
    found = parse_page(said(LATIN, "windows-1252", declared=declared))
    assert title(found) == LATIN
    assert found.repairs == ("bytes that are not UTF-8 read as windows-1252",)


def test_latin_declared_as_an_encoding_nobody_knows_is_read_and_told() -> None:
    found = parse_page(said(LATIN, "windows-1252", declared="x-unknown"))
    assert title(found) == LATIN
    assert MISLABELLED in found.repairs


def test_a_wrong_declaration_on_a_small_answer_is_mended_too() -> None:
    body = page(verb="Identify").replace(b"UTF-8", b"UTF-16")
    assert parse_identity(body).response_date == "2024-06-01T12:00:00Z"


@settings(deadline=None)
@given(
    st.text(
        st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="<&\ufffe\uffff")
    )
)
def test_utf_8_comes_back_as_it_is(text: str) -> None:
    body = page(record("a", payload(text)))
    assert to_utf8(body) == (body, ())


@pytest.mark.parametrize(
    "encoding", ["punycode", "idna", "unicode_escape", "raw-unicode-escape", "rot13", "zlib"]
)
def test_what_is_no_encoding_of_text_is_never_tried(encoding: str) -> None:
    body = f'<?xml version="1.0" encoding="{encoding}"?><a>\\x41-</a>'.encode()
    assert to_utf8(body) == (body, ())
