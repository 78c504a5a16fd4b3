"""What records are called in titles: with their years once."""

from __future__ import annotations

from windrow.stats.table import Origin, Table, full_title, message

HAY = ("subject", "hay")


def _title(period: str, *asked: tuple[str, str]) -> str:
    return full_title(Table("t", message("T"), (), (), period, Origin("Barn", asked)), "T")


def test_years_that_are_the_period_are_said_once() -> None:
    assert _title("2015–2020", ("year", "2015–2020")) == "T, 2015–2020 · Barn"
    assert _title("2015–2020", HAY, ("year", "2015–2020")) == "T, 2015–2020 · Barn: hay"


def test_other_years_than_the_period_are_said_beside_it() -> None:
    assert _title("2016–2020", ("year", "2015–2020")) == "T, 2016–2020 · Barn: 2015–2020"
    assert _title("", ("year", "2015")) == "T · Barn: 2015"
    several = (("year", "2015"), ("year", "2015–2020"))
    assert _title("2015–2020", *several) == "T, 2015–2020 · Barn: 2015, 2015–2020"


def test_a_word_that_is_a_year_stays() -> None:
    assert _title("2015", ("q", "2015")) == "T, 2015 · Barn: 2015"


def test_what_was_asked_is_cut_where_it_is_long() -> None:
    assert len(str(Origin("Barn", (("q", "x" * 1000),)))) < 200
