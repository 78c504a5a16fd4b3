"""The character sets of pages: declared, undeclared, wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.sources.web.charset import decode_page

WORDS = "Räksmörgås på Åland – “nästan” 5 €"
PLAIN = "Räksmörgås på Åland"


def page(words: str, charset: str | None, codec: str) -> bytes:
    declared = f"<meta charset={charset}>" if charset else ""
    return f"<html>{declared}<p>{words}".encode(codec)


@pytest.mark.parametrize(
    ("in_page", "in_header", "codec", "words", "name"),
    [
        ("iso-8859-1", "", "latin-1", PLAIN, "ISO-8859-1"),
        ("ISO-8859-1", "", "cp1252", WORDS, "windows-1252"),
        (None, "Latin1", "latin-1", PLAIN, "ISO-8859-1"),
        (None, "", "latin-1", PLAIN, "ISO-8859-1"),
        (None, "", "cp1252", WORDS, "windows-1252"),
        (None, "", "utf-8", WORDS, "UTF-8"),
        ("utf-8", "", "utf-8", WORDS, "UTF-8"),
        ("utf-8", "", "latin-1", PLAIN, "ISO-8859-1"),  # a lie
        ("utf-8", "utf-8", "cp1252", WORDS, "windows-1252"),  # two
        ("iso-8859-1", "iso-8859-1", "utf-8", WORDS, "UTF-8"),  # any bytes decode as latin-1
        ("iso-8859-1", "iso-8859-1", "utf-8", PLAIN, "UTF-8"),
        ("iso-8859-1", "utf-8", "latin-1", PLAIN, "ISO-8859-1"),  # the header is wrong, the page right
        ("utf-16", "", "utf-8", WORDS, "UTF-8"),
        (None, "utf-16", "utf-16", WORDS, "UTF-16LE"),  # with a mark
        (None, "utf-16", "utf-16-le", WORDS, "UTF-16LE"),
        (None, "utf-16", "utf-16-be", WORDS, "UTF-16BE"),
        (None, "utf-16", "utf-8", WORDS, "UTF-8"),
        (None, "", "utf-16-be", WORDS, "UTF-16BE"),
        ("iso-8859-1", "iso-8859-1", "utf-8-sig", WORDS, "UTF-8"),
        ("shift_jis", "", "shift_jis", "日本語のページ", "Windows-31J"),
        (None, "koi8-r", "koi8-r", "Русский язык", "KOI8-R"),
        (None, "iso-2022-jp", "iso-2022-jp", "日本語のページ", "ISO-2022-JP"),
        (None, "rot13", "utf-8", WORDS, "UTF-8"),
        (None, "utf-7", "utf-8", WORDS, "UTF-8"),
        ("utf-8", "", "ascii", "plain", "UTF-8"),
        (None, "", "ascii", "plain", "US-ASCII"),
    ],
)
def test_a_page_is_read_in_what_fits_its_bytes(
    in_page: str | None, in_header: str, codec: str, words: str, name: str
) -> None:
    text, charset = decode_page(page(words, in_page, codec), in_header)
    assert text.endswith(words)
    assert charset == name


@given(st.binary(), st.sampled_from(["", "utf-8", "utf-16", "utf-32", "hz", "iso-2022-kr", "\0", "x" * 99]))
def test_any_bytes_are_some_text(body: bytes, declared: str) -> None:
    decode_page(body, declared).text.encode()
