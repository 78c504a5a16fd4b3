"""Which day a document was issued on, and which academic year that is in."""

from __future__ import annotations

from datetime import date

import pytest

from windrow.model.document import Document, DocumentDate
from windrow.model.document_dates import (
    counted_year,
    is_year_label,
    issued_on,
    resolve_years,
    starting_year,
    year_label,
    year_of_day,
)
from windrow.model.query import Range


@pytest.mark.parametrize(
    ("dates", "issued"),
    [
        ([("2019-09-02", "issued")], 20190902),
        ([("2019-09", "issued")], 20190915),
        ([("2019", "issued")], 20190701),
        ([], 20190701),
        ([("20190902", "date")], 20190902),
        ([("2019-13-02", "issued")], 20190701),  # no month
        # An exact date of the same year tells more than the year alone …
        ([("2019", "issued"), ("2019-10-04T12:00:00Z", "accessioned")], 20191004),
        # … but not one of another year, nor the end of an embargo.
        ([("2019", "issued"), ("2020-01-04T12:00:00Z", "accessioned")], 20190701),
        ([("2019", "issued"), ("2019-12-24", "embargo")], 20190701),
        ([("2019-11-01", "submitted"), ("2019-12-01", "issued")], 20191201),
        ([("2019-11-01T10:00:00Z", "date"), ("2019-12-01", "date")], 20191201),
    ],
)
def test_the_day_is_the_one_nearest_to_publication(dates: list[tuple[str, str]], issued: int) -> None:
    assert issued_on(Document(year=2019, dates=tuple(DocumentDate(*each) for each in dates))) == issued


@pytest.mark.parametrize("year", [None, 0, -400, 10_000, 10**20])
def test_without_a_year_of_four_digits_there_is_no_day(year: int | None) -> None:
    assert issued_on(Document(year=year)) is None
    assert counted_year(Document(year=year), 801) is None


def test_years_are_called_by_both_years_they_lie_in() -> None:
    assert (year_label(2019, 801), year_label(1999, 801), year_label(2019, 0)) == (
        "2019/20",
        "1999/00",
        "2019",
    )
    assert [is_year_label(text) for text in ("2019/20", "1999/00", "2019/21", "2019", "19/20")] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert [starting_year(text) for text in ("2019/20", "2019", "-44", "2019/21", "soon", "٢٠١٩")] == [
        2019,
        2019,
        -44,
        None,
        None,
        None,
    ]


def test_a_year_begins_on_its_day() -> None:
    assert year_of_day(date(2026, 7, 31), 801) == 2025
    assert year_of_day(date(2026, 8, 1), 801) == 2026
    assert year_of_day(date(2026, 1, 1), 0) == 2026


def test_a_range_of_academic_years_may_leave_its_ends_out() -> None:
    inside = resolve_years(
        Range("year", "2018/19", "2020/21", is_low_inside=False, is_high_inside=False), 801
    )
    assert inside == resolve_years(Range("year", "2019/20", "2019/20"), 801)
