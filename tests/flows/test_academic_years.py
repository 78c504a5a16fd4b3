"""A portal that counts academic years: facets, browsing, statistics, files, API and command line agree."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import pytest
from lxml import html

from tests.flows.commanding import windrow
from tests.flows.harvesting import Shelf, make_shelf
from tests.flows.serving import Served, serving
from tests.servers.items import Item, dublin_core
from tests.servers.oai import OaiServer
from windrow.model.run import Outcome
from windrow.wiring.indexing import follow_index

STAMP = datetime(2024, 1, 1, tzinfo=UTC)
# The year of publication, and the academic year from 1 August that a record with this date is counted under.
DATES = {
    "2019-07-31": "2018/19",
    "2019-08-01": "2019/20",
    "2020-06-15": "2019/20",
    "2019": "2018/19",  # only a year: taken for 1 July
    "2020-09": "2020/21",  # a month: taken for the 15th
    "2016-10-01": "2016/17",
}
YEARS = {"2016/17": 1, "2018/19": 2, "2019/20": 2, "2020/21": 1}
BROWSER = {"Accept": "text/html", "Accept-Language": "en"}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    items = [
        Item(f"oai:x:{number}", STAMP, (), dublin_core(f"T {number}").replace("</dc:creator>", end))
        for number, date in enumerate(DATES)
        for end in [f"</dc:creator><dc:subject>hay</dc:subject><dc:date>{date}</dc:date>"]
    ]
    with OaiServer(items) as server:
        shelf = make_shelf(tmp_path_factory.mktemp("years"), server)
        assert shelf.harvest().outcome is Outcome.OK
    with (shelf.folder / "windrow.toml").open("a", encoding="utf-8") as settings:
        settings.write('\n[portal]\nyear_starts = "08-01"\n')
    library = shelf.open()
    follow_index(library)
    library.close()
    return shelf


@pytest.fixture(scope="module")
def portal(shelf: Shelf) -> Iterator[Served]:
    with serving(shelf.folder) as served:
        yield served


def _page(portal: Served, path: str) -> html.HtmlElement:
    got = portal.ask(path, headers=BROWSER)
    assert got.status == 200, got.text
    return html.fromstring(got.body)


def _total(root: html.HtmlElement) -> int:
    return int(re.findall(r"[0-9]+", root.xpath("string(//p[@class='total'])"))[-1])


def test_facets_count_academic_years_and_lead_to_what_they_counted(portal: Served) -> None:
    links = _page(portal, "/search").xpath("//ul[@class='yearlist']//a")
    shown = {link.text_content().split(":")[0]: link.get("href") for link in links}
    assert list(shown) == ["2020/21", "2019/20", "2018/19", "2016/17"]
    for year, address in shown.items():
        assert _total(_page(portal, address)) == YEARS[year]


def test_a_span_of_academic_years_and_a_calendar_year_can_be_asked_for(portal: Served) -> None:
    assert _total(_page(portal, "/search?year=2016/17..2018/19")) == 3
    assert _total(_page(portal, "/search?year=2019")) == 3
    form = portal.ask("/search?from=2018/19&to=2019/20", headers=BROWSER)
    assert form.status == 303
    assert _total(_page(portal, form.headers["location"])) == 4


def test_the_query_language_has_academic_years(portal: Served) -> None:
    for text in ("2019/20", "2018/19..2019/20", ">=2019/20", "<2019/20"):
        span = {">=2019/20": "2019/20..", "<2019/20": "..2018/19"}.get(text, text)
        by_filter = _total(_page(portal, f"/search?year={quote(span)}"))
        assert _total(_page(portal, f"/search?q={quote('year:' + text)}")) == by_filter > 0
    told = portal.ask(f"/api/v1/search?q={quote('year:2019/21')}").body  # no such year
    assert json.loads(told)["total"] == 0


def test_browsing_lists_academic_years(portal: Served) -> None:
    root = _page(portal, "/browse/years")
    listed = root.xpath("//table[@class='counted']//th[@scope='row']/a")
    assert [link.text_content().strip() for link in listed] == ["2020/21", "2019/20", "2018/19", "2016/17"]
    assert _total(_page(portal, listed[1].get("href"))) == 2


def test_tables_files_and_charts_count_academic_years_without_gaps(portal: Served) -> None:
    rows = list(csv.DictReader(io.StringIO(portal.ask("/statistics/growth.csv").text.lstrip("\ufeff"))))
    assert [row["year"] for row in rows] == ["2016/17", "2017/18", "2018/19", "2019/20", "2020/21"]
    assert {row["year"]: int(row["records"]) for row in rows if int(row["records"])} == YEARS
    root = _page(portal, "/statistics/growth")
    assert "Years begin on 08-01 (month-day)." in root.text_content()
    assert "2019/20" in portal.ask("/statistics/growth.svg").text
    assert "2016/17–2020/21" in root.text_content()
    (link,) = root.xpath("//table//a[normalize-space()='2019/20']/@href")
    assert _total(_page(portal, link)) == 2


@pytest.mark.parametrize("table", ["subjects-over-time", "trends", "pages-by-year"])
def test_every_table_over_years_has_them(portal: Served, table: str) -> None:
    got = portal.ask(f"/statistics/{table}.json")
    assert got.status == 200
    assert "2018/19" in got.text
    assert '"2019"' not in got.text


def test_the_api_has_them(portal: Served) -> None:
    shelf = json.loads(portal.ask("/api/v1/browse/years").text)
    assert {each["value"]: each["count"] for each in shelf["items"]} == YEARS
    found = json.loads(portal.ask(f"/api/v1/search?year={quote('2018/19..2019/20', safe='')}").text)
    assert found["total"] == 4
    assert portal.ask("/api/v1/search?year=2019/21").status == 400  # no such year


def test_the_command_line_has_them(shelf: Shelf) -> None:
    counted = json.loads(windrow(shelf, "stats", "growth", "--json").stdout)
    assert {row["year"]: row["records"] for row in counted["rows"] if row["records"]} == YEARS
    narrowed = json.loads(windrow(shelf, "stats", "growth", "--year", "2019/20", "--json").stdout)
    assert [(row["year"], row["records"]) for row in narrowed["rows"]] == [("2019/20", 2)]


def test_a_day_that_is_none_is_refused(tmp_path: Path) -> None:
    shelf = make_shelf(tmp_path)
    with (shelf.folder / "windrow.toml").open("a", encoding="utf-8") as settings:
        settings.write('\n[portal]\nyear_starts = "02-29"\n')
    result = windrow(shelf, "config", "show")
    assert result.returncode == 2
    assert 'must be a month and a day such as "08-01"' in result.stderr
