from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.web.http.content_negotiation import best_encoding, prefers_page

CHROME = b"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"


@pytest.mark.parametrize(
    "accept", [CHROME, b"text/html", b"TEXT/HTML", b"text/html, */*;q=0.1", b"application/xhtml+xml"]
)
def test_whoever_names_html_first_prefers_a_page(accept: bytes) -> None:
    assert prefers_page(accept)


@pytest.mark.parametrize(
    "accept",
    [
        b"",
        b"*/*",
        b"text/xml",
        b"text/*",
        b"text/html;q=0",
        b"text/html, */*",
        b"text/html;q=0.8, application/xml;q=0.8",
        b"text/html;q=nan",
        b"text/html" + b" " * 5000,
        b";;;,,,=",
    ],
)
def test_everybody_else_gets_xml(accept: bytes) -> None:
    assert not prefers_page(accept)


@pytest.mark.parametrize(
    ("accepted", "best"),
    [
        (b"", ""),
        (b"gzip", "gzip"),
        (b"GZIP;Q=1.0", "gzip"),
        (b"gzip, deflate, br, zstd", "zstd"),
        (b"gzip;q=1, zstd;q=0.9", "gzip"),
        (b"*", "zstd"),
        (b"*;q=0", ""),
        (b"br", ""),
        (b"gzip;q=0, *", "zstd"),
        (b"identity", ""),
    ],
)
def test_the_best_compression_is_the_most_wanted_one_that_we_have(accepted: bytes, best: str) -> None:
    assert best_encoding(accepted) == best


@given(st.binary(max_size=300))
def test_any_header_is_understood_somehow(header: bytes) -> None:
    assert prefers_page(header) in (True, False)
    assert best_encoding(header) in ("", "gzip", "zstd")
