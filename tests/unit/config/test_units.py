from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.config.kinds import parse_duration, parse_size, render_duration, render_size


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30s", 30), ("5m", 300), ("12h", 43200), ("7d", 604800), ("250ms", 0.25), ("1.5h", 5400), (" 2 s ", 2)],
)
def test_a_duration_is_a_number_and_a_unit(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text",
    ["", "30", "s", "-1s", "1 week", "1e3s", "٣s", "1s\n2s", "NaNs", "1..5s", "9" * 400 + "s", "1h30m"],
)
def test_what_is_not_a_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a duration"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("256 MB", 256_000_000),
        ("1kB", 1000),
        ("1 KiB", 1024),
        ("1.5 GiB", 1_610_612_736),
        ("0 B", 0),
        ("1 mb", 10**6),
    ],
)
def test_a_size_is_a_number_and_a_unit(text: str, count: int) -> None:
    assert parse_size(text) == count


@pytest.mark.parametrize(
    "text", ["", "256", "MB", "-1 MB", "1 iB", "1 PB", "1  MB", "9" * 400 + " MB", "1 M"]
)
def test_what_is_not_a_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a size"):
        parse_size(text)


@settings(deadline=None)
@given(st.integers(min_value=0, max_value=10**12))
def test_every_duration_reads_back_as_it_was_written(milliseconds: int) -> None:
    seconds = milliseconds / 1000
    assert parse_duration(render_duration(seconds)) == seconds


@settings(deadline=None)
@given(st.integers(min_value=0, max_value=10**15 - 1))
def test_every_size_reads_back_as_it_was_written(count: int) -> None:
    assert parse_size(render_size(count)) == count


@settings(deadline=None)
@given(st.text(max_size=40))
def test_any_text_is_read_or_refused_and_nothing_else(text: str) -> None:
    for parse in (parse_duration, parse_size):
        try:
            number = parse(text)
        except ValueError:
            continue
        assert number >= 0


def test_numbers_are_written_in_the_largest_whole_unit() -> None:
    assert [render_duration(seconds) for seconds in (0, 0.25, 90, 120, 86400)] == [
        "0s",
        "0.25s",
        "90s",
        "2m",
        "1d",
    ]
    assert [render_size(count) for count in (0, 1024, 1000, 1001)] == ["0 B", "1 KiB", "1 kB", "1001 B"]
