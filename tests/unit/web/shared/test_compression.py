from __future__ import annotations

import asyncio
import base64
import gzip as standard
import random

import pytest

from windrow.web.http.compression import MIN_COMPRESSED_BYTES, _compress_gzip, compress_in_thread, gzip
from windrow.web.http.http_response import Response

XML = b"<record><dc:title>The same words again and again</dc:title></record>" * 3000


def packed(body: bytes, kind: bytes = b"text/xml; charset=utf-8") -> Response:
    response = Response(200, body, [(b"content-type", kind)])
    asyncio.run(compress_in_thread(response, b"gzip"))
    return response


@pytest.mark.parametrize("size", [MIN_COMPRESSED_BYTES, 100_000, len(XML)])
def test_metadata_gets_much_smaller(size: int) -> None:
    response = packed(XML[:size])
    assert (b"content-encoding", b"gzip") in response.headers
    assert standard.decompress(response.body) == XML[:size]


def test_a_body_so_large_that_it_is_packed_aside_is_whole() -> None:
    response = packed(XML * 10)
    assert standard.decompress(response.body) == XML * 10


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (XML[: MIN_COMPRESSED_BYTES - 1], b"text/xml"),
        (XML, b"image/png"),
        (b"<didl>" + base64.b64encode(random.Random(1).randbytes(200_000)) + b"</didl>", b"text/xml"),
    ],
    ids=["small", "a picture", "files by value"],
)
def test_what_would_hardly_shrink_is_let_be(body: bytes, kind: bytes) -> None:
    response = packed(body, kind)
    assert response.body == body
    assert response.headers == [(b"content-type", kind)]


@pytest.mark.parametrize("compress", [gzip, _compress_gzip])
def test_both_ways_to_compress_say_the_same(compress: object) -> None:
    assert callable(compress)
    assert standard.decompress(compress(XML)) == XML
    assert standard.decompress(compress(b"")) == b""
