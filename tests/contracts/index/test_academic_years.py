"""Years that do not begin on 1 January: counted and found alike by every back end."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.contracts.index.hay import entry
from windrow.index.protocol import FacetRequest, Index, ValueCount
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Document, DocumentDate
from windrow.model.query import Everything, Not, Range, Value, all_of

Make = Callable[..., Index]
AUGUST = 801


def _dated(number: int, *dates: str, year: int, institution: str = "Field University") -> Entry:
    moments = tuple(DocumentDate(text, "issued") for text in dates)
    return entry(number, Document(dates=moments, year=year, institution=institution, pages=number))


LIBRARY = [
    _dated(1, "2019-07-31", year=2019),
    _dated(2, "2019-08-01", year=2019),
    _dated(3, "2020-05-20", year=2020, institution="Barn Polytechnic"),
    _dated(4, "2019", year=2019),  # taken for 1 July
    _dated(5, "2019-08", year=2019),  # taken for the 15th
    _dated(6, "1999-12-31", year=1999),
    entry(7, Document()),
]


@pytest.fixture
def index(make_index: Make) -> Index:
    return make_index(LIBRARY, year_starts=AUGUST)


def test_years_are_counted_from_the_day_they_begin_on(index: Index) -> None:
    (counts,) = index.tally(Everything(), [FacetRequest("year", 100, is_by_value=True)])
    assert counts.values == (ValueCount("1999/00", 1), ValueCount("2018/19", 2), ValueCount("2019/20", 3))
    assert counts.others == 0


def test_the_most_frequent_come_first_and_the_rest_is_told(index: Index) -> None:
    (counts,) = index.tally(Everything(), [FacetRequest("year", 1)])
    assert (counts.values, counts.others) == ((ValueCount("2019/20", 3),), 3)


def test_years_are_counted_within_other_values_and_other_values_within_them(index: Index) -> None:
    years = FacetRequest("year", 10, is_by_value=True)
    inside, outside = index.tally(
        Everything(),
        [
            FacetRequest("institution", within=years),
            years._replace(within=FacetRequest("pages", 10, is_by_value=True)),
        ],
    )
    assert inside.values[1] == ValueCount("Barn Polytechnic", 1, (ValueCount("2019/20", 1),))
    assert outside.values[1].within == (ValueCount("1", 1), ValueCount("4", 1))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (Range("year", "2019/20", "2019/20"), 3),
        (Value("2019/20", "year"), 3),
        (Range("year", "1999/00", "2018/19"), 3),
        (Range("year", "2018/19", None), 5),
        (Range("year", None, "2018/19"), 3),
        (Range("year", "2019", "2019"), 4),  # a calendar year stays one
        (all_of((Range("year", "2018/19", "2019/20"), Value("Barn Polytechnic", "institution"))), 1),
        (Not(Range("year", "2019/20", "2019/20")), 4),
    ],
)
def test_what_was_counted_is_found(index: Index, query: Range, found: int) -> None:
    assert index.count(query) == found
    assert index.search(query).total == found


def test_without_such_years_there_is_nothing_in_them(make_index: Make) -> None:
    index = make_index(LIBRARY)
    assert index.count(Value("2019/20", "year")) == 0
    (counts,) = index.tally(Everything(), [FacetRequest("year", 100, is_by_value=True)])
    assert counts.values == (ValueCount("1999", 1), ValueCount("2019", 4), ValueCount("2020", 1))
