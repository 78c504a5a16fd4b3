from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.formats.mapping.date_values import EARLIEST_YEAR, LATEST_YEAR, extract_year, publication_year
from windrow.model.document import DocumentDate


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("1897", 1897),
        ("2014-05", 2014),
        ("2014-05-07T10:00:00Z", 2014),
        ("2015-11-30-05:00", 2015),
        ("[1897?]", 1897),
        ("(1876)", 1876),
        ("c1998", 1998),
        ("©2004", 2004),
        ("ca. 1950-1960", 1950),
        ("[between 1880 and 1885?]", 1880),
        ("1930~", 1930),
        ("circa=1986", 1986),
        ("Early 19th century, 1800-1850", 1800),
        ("05/07/1999", 1999),
        ("15.3.1921", 1921),
        ("-31.12.1921", 1921),
        ("01-Jan-1930", 1930),
        ("5. toukokuuta 1925", 1925),
        ("Mon, 22 Oct 2018 22:41:50 GMT", 2018),
        ("2011_09_15", 2011),
        ("1877/78", 1877),
        ("1931/1930", 1931),
        ("1946--7-12", 1946),
        ("1930-uu-uu", 1930),
        ("1945-mm-24", 1945),
        ("20100113", 2010),
        ("20160115020455.0", 2016),
        ("199905", 1999),
        ("1980s", 1980),
        ("1960's", 1960),
        ("196-?", 1960),
        ("[196-]", 1960),
        ("188_", 1880),
        ("199?", 1990),
        ("197?-09-11", 1970),
        ("197u", 1970),
        ("Spring 2004", 2004),
        ("2557 [2014]", 2014),
        ("1970 [i.e. 1979]", 1979),
        ("2014年5月", 2014),
        ("２０１４", 2014),
        ("MDCCCXCVII", 1897),
        ("MMXIX.", 2019),
        ("  1998  ", 1998),
        ("info:eu-repo/date/embargoEnd/2018-05-27", 2018),
        ("2025-04-24T15:09:56+02:002025-04-24T15:09:56+02:00", 2025),
    ],
)
def test_a_date_that_holds_a_year_gives_it(text: str, year: int) -> None:
    assert extract_year(text) == year


@pytest.mark.parametrize(
    "text",
    [
        "",
        "undated",
        "19th century",
        "19--",
        "19uu",
        "19??-05-31 [date stamp worn away]",
        "????-09-14",
        "03/08/15",
        "160112",
        "28359",
        "19202-28",
        "183-06-06",
        "709",
        "0001-01-01",
        "9999",
        "2557",
        "-1200",
        "-0044-03-15",
        "1200 BC",
        "1200 v. Chr.",
        "58 B.C.-511 A.D",
        "211-244 n. Chr.",
        "MONTHS_WITHHELD:1200",
        "MIX",
        "²²²²",
        "安永6-文政13",
    ],
)
def test_a_date_without_a_plausible_year_gives_none(text: str) -> None:
    assert extract_year(text) is None


@given(st.text())
def test_any_text_gives_a_plausible_year_or_none(text: str) -> None:
    year = extract_year(text)
    assert year is None or EARLIEST_YEAR <= year <= LATEST_YEAR


@given(
    st.integers(EARLIEST_YEAR, LATEST_YEAR), st.sampled_from(["{}", "{}-02", "[{}]", "c{}", "May {}", "{}?"])
)
def test_a_year_is_found_in_every_usual_dress(year: int, dress: str) -> None:
    assert extract_year(dress.format(year)) == year


def test_a_year_behind_a_long_text_is_not_looked_for() -> None:
    assert extract_year("x" * 1_000_000 + " 1998") is None


def test_the_issue_date_goes_before_all_others() -> None:
    moments = [
        DocumentDate("1999", "created"),
        DocumentDate("2001", "issued"),
        DocumentDate("1998", "date"),
        DocumentDate("1997", "available"),
    ]
    assert publication_year(moments) == 2001


def test_a_plain_date_goes_before_the_day_it_became_available() -> None:
    assert publication_year([DocumentDate("1990", "available"), DocumentDate("1995", "date")]) == 1995


def test_among_plain_dates_one_without_a_clock_time_is_the_issue_date() -> None:
    moments = [
        DocumentDate("2009-10-13T09:10:26Z"),
        DocumentDate("2009-10-13T09:10:26Z"),
        DocumentDate("2012-11-16"),
    ]
    assert publication_year(moments) == 2012


def test_among_stamps_the_earliest_counts() -> None:
    assert (
        publication_year([DocumentDate("2015-10-22T08:04:27Z"), DocumentDate("1998-01-01T00:00:00Z")]) == 1998
    )


def test_a_date_without_a_year_never_wins() -> None:
    assert publication_year([DocumentDate("undated", "issued"), DocumentDate("1931")]) == 1931


def test_no_dates_give_no_year() -> None:
    assert publication_year([]) is None
