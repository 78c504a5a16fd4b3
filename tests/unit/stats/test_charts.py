"""Charts of tables: every number is drawn, says what it is and leads where its row leads."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.unit.stats.making import NOW, dated, documents, joint, population
from windrow.model.document import Document
from windrow.stats.catalogue import TABLES, make_table
from windrow.stats.charts.chart import chart_title, describe_chart, describe_cut, make_chart, make_picture
from windrow.stats.charts.frame import add_chart_title
from windrow.stats.source_quality import build_freshness_table
from windrow.stats.table import ENGLISH, Filter, Kind, Table
from windrow.store.overview import SourceOverview

DRAWN = sorted(set(TABLES) - {"freshness"})


def _address(found: Filter) -> str:
    return "/search?" + urlencode(found)


def _data(name: str) -> list[dict[str, Any]]:
    chart = make_chart(make_table(name, population()), address=_address)
    assert chart is not None
    data: list[dict[str, Any]] = chart["data"]["values"]
    return data


@pytest.mark.parametrize("name", DRAWN)
def test_every_row_of_a_table_is_drawn(name: str) -> None:
    table = make_table(name, population())
    assert table.drawing is not None
    kind = table.columns[table.place(table.drawing.category)].kind
    cells = table.values(table.drawing.category)[: table.drawing.most]
    names = [ENGLISH.cell(cell, kind) for cell in cells]
    drawn = [point["c"] for point in _data(name)]
    assert list(dict.fromkeys(drawn)) == list(dict.fromkeys(names))


@pytest.mark.parametrize("name", DRAWN)
def test_every_point_says_in_words_what_it_shows(name: str) -> None:
    for point in _data(name):
        assert point["c"] in point["l"]
        assert point["l"].endswith(point["t"])


def test_a_point_leads_to_its_row_and_its_column() -> None:
    first = _data("compare-years")[0]
    assert first["h"] == "/search?" + urlencode([("year", first["c"]), ("institution", first["s"])])


def test_what_no_search_can_find_leads_nowhere() -> None:
    table = make_table("institutions", population())
    chart = make_chart(
        replace(table, rows=tuple(row._replace(filter=()) for row in table.rows)), address=_address
    )
    assert chart is not None
    assert all("h" not in point for point in chart["data"]["values"])


def test_a_year_that_is_not_over_is_paler() -> None:
    opacities = {point["c"]: point["o"] for point in _data("growth")}
    assert opacities.pop(str(NOW.year)) == 0.5
    assert set(opacities.values()) == {1}


def test_names_of_years_below_a_narrow_chart_keep_apart() -> None:
    chart = make_chart(make_table("growth", population()), address=_address)
    assert chart is not None
    axis = chart["encoding"]["x"]["axis"]
    assert (axis["labelOverlap"], axis["labelSeparation"] > 0) == ("parity", True)


def test_ratios_are_numbers_in_a_table() -> None:
    assert Kind.RATIO.is_number


def test_what_a_drawing_cannot_hold_is_not_in_its_data() -> None:
    entries = documents(Document(institution="a\x01b\ud800c"))
    chart = make_chart(make_table("institutions", population(entries)))
    assert chart is not None
    assert chart["data"]["values"][0]["c"] == "a\ufffdb\ufffdc"


def test_a_table_of_nothing_has_no_chart() -> None:
    assert make_chart(make_table("institutions", population([]))) is None
    assert (
        make_chart(
            build_freshness_table([SourceOverview("x", records=0, last_good=None, outcome="never")], now=NOW)
        )
        is None
    )


def test_an_institution_has_the_same_colour_in_every_chart() -> None:
    everyone = population()
    scales = []
    for name in ("compare-years", "compare-languages", "compare-subjects"):
        chart = make_chart(make_table(name, everyone))
        assert chart is not None
        scales.append(chart["encoding"]["color"]["scale"])
    assert scales[0] == scales[1] == scales[2]
    assert len(scales[0]["domain"]) == len(set(scales[0]["range"])) == 3


def test_a_picture_says_what_it_shows() -> None:
    table = make_table("growth", population(documents(dated(2020))))
    chart = make_chart(table)
    assert chart is not None
    assert "title" not in chart
    assert add_chart_title(chart, chart_title(table))["title"]["text"] == ["Records by year, 2020 · Sample"]
    assert describe_chart(table).startswith("Records by year, 2020 · Sample. From 2020 to 2020;")


def test_a_long_title_has_several_lines() -> None:
    chart = add_chart_title({}, "word " * 60)
    assert len(chart["title"]["text"]) == 4


@pytest.mark.parametrize(
    ("name", "most"), [("institutions", 25), ("pages-by-institution", 15), ("quality", 25), ("freshness", 50)]
)
def test_a_chart_that_shows_not_all_rows_says_so(name: str, most: int) -> None:
    for count in (most, most + 1):
        table = _of_many(name, count)
        assert len(table.rows) == count
        cut = f"The chart shows the first {most} of {count} rows." if count > most else ""
        assert describe_cut(table) == cut
        picture = make_picture(table)
        assert picture is not None
        assert picture["title"].get("subtitle", "") == cut
        assert describe_chart(table).endswith(cut)


def _of_many(name: str, count: int) -> Table:
    """A table with so many institutions or sources in it."""
    names = [f"N{place}" for place in range(count)]
    if name == "freshness":
        return build_freshness_table(
            [SourceOverview(each, last_good=NOW - timedelta(days=3)) for each in names], now=NOW
        )
    made = [
        entry for each in names for entry in documents(dated(2020, pages=9, institution=each), source=each)
    ]
    return make_table(name, population(entry._replace(number=place) for place, entry in enumerate(made, 1)))


def test_names_that_lean_have_room_for_wider_letters() -> None:
    def top(*names: str) -> int:
        chart = make_chart(make_table("collaboration", population(documents(joint(*names)))))
        assert chart is not None
        return int(chart["padding"]["top"])

    assert top("A", "B") == 6
    assert top("A", "Hanken School of Economics") == top("A", "B" * 500) == 19
