"""Content encodings: said, unsaid, wrongly said, stacked, cut and damaged."""

from __future__ import annotations

import contextlib
import gzip
import zlib
from collections.abc import Callable

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.net.conftest import Desk
from tests.unit.net.server import reply, then_hang_up
from windrow.net.content_encoding import MAX_MEMBERS, OverLimit, decode
from windrow.net.faults import Fault

TEXT = b"<?xml version='1.0'?><r>" + b"words and words " * 500 + b"</r>"
LIMIT = 1_000_000


def gz(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)  # the time would give the cases another name in each worker


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


def zstd_stream(data: bytes) -> bytes:
    packer = zstandard.ZstdCompressor().compressobj()
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        (None, TEXT),
        ("identity", TEXT),
        ("utf-8", TEXT),
        ("gzip", gz(TEXT)),
        ("X-GZIP", gz(TEXT)),
        ("gzip", gz(TEXT[:50]) + gz(TEXT[50:])),
        ("gzip", gz(TEXT) + b"\0" * 512),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", raw_deflate(TEXT)),
        ("zstd", zstd(TEXT)),
        ("zstd", zstd_stream(TEXT)),
        ("zstd", zstd(TEXT[:50]) + zstd_stream(TEXT[50:])),
        ("deflate, gzip", gz(zlib.compress(TEXT))),
        ("gzip, zstd, gzip", gz(zstd(gz(TEXT)))),
        (None, gz(TEXT)),
        (None, zstd(TEXT)),
        ("gzip", gz(gz(TEXT))),
        ("gzip", zstd(TEXT)),
        ("gzip", TEXT),
        ("deflate", TEXT),
        ("zstd", TEXT),
        ("br", TEXT),
        ("gzip", b""),
        ("deflate", b""),
    ],
)
def test_every_encoding_is_taken_off(encoding: str | None, body: bytes) -> None:
    assert decode(body, encoding, limit=LIMIT) == (TEXT if body else b"")


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gz(TEXT)),
        ("deflate", zlib.compress(TEXT)),
        ("zstd", zstd(TEXT)),
        (None, gz(TEXT)),
    ],
)
def test_a_cut_stream_is_a_fault(encoding: str | None, body: bytes) -> None:
    for length in (len(body) - 1, len(body) // 2, 5):
        with pytest.raises(Fault, match=r"cut short|damaged"):
            decode(body[:length], encoding, limit=LIMIT)


def test_a_stream_cut_within_its_magic_number_is_a_fault() -> None:
    with pytest.raises(Fault, match="cut short"):
        decode(b"\x1f\x8b", "gzip", limit=LIMIT)


@pytest.mark.parametrize(
    ("encoding", "body"),
    [("gzip", gz(TEXT)), ("zstd", zstandard.ZstdCompressor(write_checksum=True).compress(TEXT))],
)
def test_a_damaged_stream_is_a_fault(encoding: str, body: bytes) -> None:
    damaged = body[:-6] + bytes([body[-6] ^ 0xFF]) + body[-5:]
    with pytest.raises(Fault):
        decode(damaged, encoding, limit=LIMIT)


def test_an_encoding_we_cannot_read_is_named() -> None:
    with pytest.raises(Fault, match="encoded as br") as caught:
        decode(b"\x8b\x02\x80\x03", "br", limit=LIMIT)
    assert caught.value.is_final


def test_too_many_layers_are_refused() -> None:
    with pytest.raises(Fault, match="too many"):
        decode(TEXT, ", ".join(["gzip"] * 6), limit=LIMIT)


def test_a_gzip_that_makes_itself_again_is_opened_only_so_often() -> None:
    body = TEXT
    for _ in range(8):
        body = gz(body)
    assert decode(body, None, limit=LIMIT).startswith(b"\x1f\x8b")


@pytest.mark.parametrize("pack", [gz, zstd, zstd_stream])
def test_the_limit_is_exact(pack: Callable[[bytes], bytes]) -> None:
    body = pack(TEXT)
    assert decode(body, None, limit=len(TEXT)) == TEXT
    with pytest.raises(OverLimit):
        decode(body, None, limit=len(TEXT) - 1)


@pytest.mark.parametrize("pack", [gz, zstd])
def test_endless_tiny_members_are_refused(pack: Callable[[bytes], bytes]) -> None:
    with pytest.raises(Fault, match="parts"):
        decode(pack(b"") * (MAX_MEMBERS * 5), None, limit=LIMIT)


@given(
    st.binary(max_size=300), st.sampled_from([None, "gzip", "deflate", "zstd", "deflate, zstd", "br", ","])
)
def test_no_bytes_bring_a_foreign_exception(body: bytes, encoding: str | None) -> None:
    with contextlib.suppress(Fault, OverLimit):
        assert len(decode(body, encoding, limit=1000)) <= 1000


@given(st.binary(min_size=1, max_size=3000), st.sampled_from(["gzip", "zstd"]))
def test_magic_numbers_and_noise_bring_no_foreign_exception(noise: bytes, kind: str) -> None:
    start = gz(noise) if kind == "gzip" else zstd(noise)
    with contextlib.suppress(Fault, OverLimit):
        assert len(decode(start[:20] + noise, kind, limit=1000)) <= 1000


def test_the_client_counts_both_sizes_and_tries_a_cut_stream_again(desk: Desk) -> None:
    packed = gz(TEXT)
    cut = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + packed[:-20]
    server = desk.serve(then_hang_up(cut), reply(packed, Content_Encoding="gzip"))
    answer = desk.client().get(server.url)
    assert (answer.body, answer.wire_bytes, answer.retries) == (TEXT, len(packed), 1)
