"""Which part of a file a header asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.web.http.conditional import ByteRange, UnsatisfiableRange, parse_range


@pytest.mark.parametrize(
    ("header", "part"),
    [
        (b"bytes=0-0", ByteRange(0, 0)),
        (b"bytes=2-5", ByteRange(2, 5)),
        (b"bytes=7-", ByteRange(7, 9)),
        (b"bytes=7-900", ByteRange(7, 9)),
        (b"bytes=-3", ByteRange(7, 9)),
        (b"bytes=-900", ByteRange(0, 9)),
        (b"Bytes = 1 - 2", ByteRange(1, 2)),
    ],
)
def test_a_range_is_a_part_of_the_file(header: bytes, part: ByteRange) -> None:
    assert parse_range(header, 10) == part


@pytest.mark.parametrize("header", [b"bytes=10-", b"bytes=10-12", b"bytes=-0", b"bytes=999999999999999999-"])
def test_what_lies_behind_the_end_is_outside(header: bytes) -> None:
    assert parse_range(header, 10) is UnsatisfiableRange.OUTSIDE


@pytest.mark.parametrize(
    "header",
    [
        None,
        b"",
        b"bytes=-",
        b"bytes=5-2",
        b"bytes=0-1,3-4",
        b"lines=0-1",
        b"bytes=0x1-2",
        b"bytes=" + b"9" * 19 + b"-",
        b"bytes=0-" + b" " * 200,
        "bytes=٣-٤".encode(),
    ],
)
def test_what_is_no_single_range_asks_for_the_whole(header: bytes | None) -> None:
    assert parse_range(header, 10) is None


def test_an_empty_file_has_no_part() -> None:
    assert parse_range(b"bytes=0-", 0) is UnsatisfiableRange.OUTSIDE
    assert parse_range(b"bytes=-1", 0) is UnsatisfiableRange.OUTSIDE


@given(st.binary(max_size=40) | st.from_regex(rb"\Abytes=[0-9]{0,4}-[0-9]{0,4}\Z"), st.integers(0, 2000))
def test_whatever_is_asked_for_lies_inside_the_file(header: bytes, size: int) -> None:
    found = parse_range(header, size)
    if isinstance(found, ByteRange):
        assert 0 <= found.first <= found.last < size
