"""Institutions side by side, quality and freshness."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.unit.stats.making import NOW, SAMPLE, dated, documents, notes, population, rows
from windrow.model.document import Document, Text
from windrow.model.query import Not, Value, all_of
from windrow.stats.catalogue import make_table
from windrow.stats.charts.chart import make_chart
from windrow.stats.comparison import MAX_COMPARED, choose_compared
from windrow.stats.source_quality import FIELDS, build_freshness_table
from windrow.stats.table import Origin
from windrow.store.overview import SourceOverview

PAIR = ("Barn Polytechnic", "Field University")


def test_the_largest_are_compared_where_nobody_chose() -> None:
    counted = Counter(entry.document.institution for entry in SAMPLE if entry.document.institution)
    assert choose_compared(population()).institutions == tuple(name for name, _ in counted.most_common(3))


def test_each_institution_has_its_own_column_in_the_order_they_were_chosen() -> None:
    table = make_table("compare-years", population(institutions=PAIR))
    assert [column.label for column in table.columns[1:]] == list(PAIR)
    for year, *found in rows(table, "year", "i0", "i1"):
        for name, count in zip(PAIR, found, strict=True):
            chosen = (entry.document for entry in SAMPLE if entry.document.institution == name)
            assert count == sum(str(document.year) == year for document in chosen)


def test_shares_are_of_the_institutions_own_records() -> None:
    table = make_table("compare-languages", population(institutions=PAIR))
    for language, *shares in rows(table, "language", "i0", "i1"):
        for name, share in zip(PAIR, shares, strict=True):
            chosen = [entry.document for entry in SAMPLE if entry.document.institution == name]
            assert share == sum(language in document.languages for document in chosen) / len(chosen)


def test_a_column_leads_to_its_institution() -> None:
    table = make_table("compare-years", population(institutions=PAIR))
    assert [column.filter for column in table.columns[1:]] == [(("institution", name),) for name in PAIR]


def test_an_institution_without_records_is_a_row_of_nothing() -> None:
    table = make_table("compare-pages", population(institutions=("Nowhere", *PAIR)))
    assert rows(table, "institution", "records", "mean")[0] == ("Nowhere", 0, None)


@pytest.mark.parametrize("name", ["compare-years", "compare-languages", "compare-pages", "compare-subjects"])
def test_institutions_beyond_the_last_colour_are_left_out_with_a_note(name: str) -> None:
    many = tuple(f"U{place}" for place in range(MAX_COMPARED + 2))
    entries = documents(*(dated(2020, "hay", pages=9, institution=each) for each in many))
    full = population(entries, institutions=many[:MAX_COMPARED])
    assert "Left out" not in notes(make_table(name, full))
    table = make_table(name, replace(population(entries, institutions=many), origin_of=_named))
    assert "At most 8 institutions are compared. Left out of those chosen: 2." in notes(table)
    assert str(table.origin) == ", ".join(many[:MAX_COMPARED])


def _named(institutions: tuple[str, ...]) -> Origin:
    return Origin(", ".join(institutions))


def test_quality_is_the_share_of_records_in_which_a_field_holds_something() -> None:
    made = [Document(titles=(Text("Hay"),), year=2020), Document(titles=(Text("Hay"),)), Document()]
    table = make_table("quality", population(documents(*made)))
    assert rows(table, "source", "records", "titles", "year", "creators") == [("barn", 3, 2 / 3, 1 / 3, 0.0)]
    assert rows(table, "mean") == [((2 / 3 + 1 / 3) / len(FIELDS),)]


def test_freshness_counts_days_and_names_who_was_never_harvested() -> None:
    harvests = [
        SourceOverview("new", records=5, last_good=NOW - timedelta(hours=12), outcome="ok"),
        SourceOverview("old", records=7, last_good=NOW - timedelta(days=10), outcome="failed"),
        SourceOverview("none", records=0, last_good=None, outcome="never"),
    ]
    table = build_freshness_table(harvests, now=NOW)
    assert rows(table, "source", "days") == [("none", None), ("old", 10.0), ("new", 0.5)]
    assert "Never harvested without a failure: 1." in notes(table)
    chart = make_chart(table)
    assert chart is not None
    assert chart["encoding"]["x"]["axis"]["title"] == "Days since the last good harvest"


def test_sources_that_are_all_fresh_are_told_in_words_and_not_drawn() -> None:
    harvests = [
        SourceOverview("new", records=5, last_good=NOW - timedelta(hours=23), outcome="ok"),
        SourceOverview("none", records=0, last_good=None, outcome="never"),
    ]
    table = build_freshness_table(harvests, now=NOW)
    assert make_chart(table) is None
    assert str(table.summary) == "Harvested within the last 24 hours: 1 of 2."


def test_freshness_of_a_search_is_of_the_sources_of_what_it_finds() -> None:
    names = ("barn", "field", "meadow", "empty")
    harvests = [SourceOverview(name, records=1000, last_good=NOW, outcome="ok") for name in names]
    everything = replace(population(), harvests=lambda: harvests)
    assert rows(make_table("freshness", everything), "source", "records") == [
        (name, 1000) for name in sorted(names)
    ]
    found = Counter(entry.source for entry in SAMPLE if entry.document.institution == PAIR[0])
    searched = everything.narrowed(all_of((Value(PAIR[0], "institution"), Not(Value("field", "source")))))
    table = make_table("freshness", searched)
    assert rows(table, "source", "records") == [(name, found[name]) for name in ("barn", "meadow")]


def test_a_harvest_that_ends_in_the_future_is_not_older_than_now() -> None:
    table = build_freshness_table(
        [SourceOverview("x", records=1, last_good=datetime(2030, 1, 1, tzinfo=UTC), outcome="ok")], now=NOW
    )
    assert rows(table, "days") == [(0.0,)]


def test_academic_years_are_compared_by_their_names() -> None:
    entries = documents(*[dated(year, institution=name) for year in (2018, 2018, 2020) for name in PAIR])
    table = make_table("compare-years", population(entries, year_starts=801))
    assert table.values("year") == ("2017/18", "2018/19", "2019/20")
    assert [row.cells[1:] for row in table.rows] == [(2, 2), (0, 0), (1, 1)]
    assert table.rows[0].filter == (("year", "2017/18"),)
    assert table.period == "2017/18–2019/20"


def test_the_academic_year_that_is_not_over_is_named() -> None:
    entries = documents(dated(2023), dated(2024))  # taken for July: of 2022/23 and 2023/24
    table = make_table("growth", population(entries, year_starts=801))  # in June 2024
    assert "2023/24 is not over" in notes(table)
