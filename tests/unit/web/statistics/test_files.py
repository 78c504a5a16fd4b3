"""Files of statistics: of any search, named, of the right kind, and the script that charts need."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from lxml import etree

from tests.unit.web.api.shaping import faults
from tests.unit.web.statistics.stage import SAMPLE, Stage, header, staged
from windrow.index.tantivy.live_index import LiveIndex
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Document
from windrow.search.request import SearchRequest, read_request
from windrow.stats.catalogue import TABLES
from windrow.stats.charts.drawing import Drawer, Engine, bundle_name
from windrow.web.api.answer_types import answer_schemas
from windrow.web.http.http_request import HttpRefusal, Request
from windrow.web.statistics.shown_tables import render_landing_chart
from windrow.web.statistics.statistics_context import statistic_functions
from windrow.web.statistics.statistics_front_end import TABLE_FILE_TYPES


def test_csv_is_of_the_search_that_was_asked_for(stage: Stage) -> None:
    got = stage.ask("/growth.csv?institution=Field+University")
    assert header(got, "content-type") == "text/csv; charset=utf-8"
    assert header(got, "content-disposition") == 'attachment; filename="growth.csv"'
    assert header(got, "x-robots-tag") == "noindex"
    rows = list(csv.DictReader(io.StringIO(got.text)))
    chosen = [entry.document.year for entry in SAMPLE if entry.document.institution == "Field University"]
    assert sum(int(row["records"]) for row in rows) == len(chosen)


@pytest.mark.parametrize("suffix", TABLE_FILE_TYPES)
@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("collection=nope", "There is no collection nope."),
        ("year=abc", "year must be a year, or years as in 2010..2014, 2010.. or ..2014."),
        ("insitution=x", "insitution is no parameter here; did you mean institution?"),
    ],
)
def test_a_file_of_a_wrong_filter_is_refused_in_words(
    stage: Stage, suffix: str, asked: str, words: str
) -> None:
    got = stage.ask(f"/growth.{suffix}?{asked}")
    assert (got.status, got.text.strip()) == (400, words)


def test_the_campaign_and_the_order_of_a_link_change_no_file(stage: Stage) -> None:
    plain = stage.ask("/growth.csv?q=hay")
    decorated = stage.ask("/growth.csv?q=hay&sort=title&page=2&utm_source=mail")
    assert (decorated.status, decorated.body) == (200, plain.body)


@pytest.mark.parametrize(
    ("asked", "listed"),
    [("", ["field", "barn"]), ("?collection=hay", ["barn"]), ("?source=field", ["field"]), ("?q=xyzzy", [])],
)
def test_freshness_lists_the_sources_of_what_is_asked_for(
    stage: Stage, asked: str, listed: list[str]
) -> None:
    rows = list(csv.DictReader(io.StringIO(stage.ask(f"/freshness.csv{asked}").text)))
    assert [row["source"] for row in rows] == listed
    page = stage.page(f"/freshness{asked}")
    assert [str(each) for each in page.xpath("//section//tbody/tr/td[1]//text()")] == listed
    question = read_request(parse_qsl(asked[1:]), collections=stage.desk.collections)
    told = json.loads(json.dumps(statistic_functions(stage.desk)["freshness"](question)))
    assert [row["source"] for row in told["rows"]] == listed


def test_freshness_of_a_search_waits_for_the_index_and_of_everything_does_not(
    tmp_path: Path, drawer: Drawer
) -> None:
    with staged(tmp_path, drawer, index=LiveIndex(tmp_path / "index")) as stage:
        assert stage.ask("/freshness?sort=title").status == 200
        assert stage.ask("/freshness?q=hay").status == 503


def test_pictures_say_what_they_show(stage: Stage) -> None:
    got = stage.ask("/growth.svg?q=hay", language="sv")
    assert header(got, "content-type") == "image/svg+xml"
    words = " ".join(str(text) for text in etree.fromstring(got.body).itertext())
    assert "Poster per år" in words
    assert "The barn: hay" in words
    image = stage.ask("/growth.png")
    assert header(image, "content-type") == "image/png"
    assert image.body.startswith(b"\x89PNG\r\n")


@pytest.mark.parametrize("name", TABLES)
def test_every_table_has_json(stage: Stage, name: str) -> None:
    value = json.loads(stage.ask(f"/{name}.json").body)
    assert value["name"] == name
    assert value["rows"]
    assert faults(value, answer_schemas()["Figures"], answer_schemas()) == []


def test_the_chart_for_a_script_has_addresses_and_the_pages_numbers(stage: Stage) -> None:
    spec = json.loads(stage.ask("/institutions.vl.json", language="fi").body)
    assert spec["usermeta"]["numbers"]["decimal"] == ","
    assert all(point["h"].startswith("/search?institution=") for point in spec["data"]["values"])


def test_a_search_that_finds_nothing_has_no_picture(stage: Stage) -> None:
    assert stage.ask("/growth.svg?q=xyzzy").status == 404
    assert stage.ask("/growth.csv?q=xyzzy").status == 200


def test_the_script_is_served_under_a_name_for_ever(stage: Stage) -> None:
    got = stage.ask(f"/{bundle_name()}")
    assert header(got, "content-type") == "text/javascript; charset=utf-8"
    assert "immutable" in header(got, "cache-control")
    assert stage.ask("/vega.000000000000.js").status == 404
    page = stage.page("/growth")
    assert page.xpath("//figure/@data-bundle") == [f"/statistics/{bundle_name()}"]


def test_addresses_have_the_path_of_the_site(tmp_path: Path, drawer: Drawer) -> None:
    with staged(tmp_path, drawer, path="/library") as stage:
        page = stage.page("/institutions")
        for address in page.xpath("//main//a/@href | //figure/@data-spec | //figure/@data-bundle"):
            assert address.startswith("/library/"), address


def test_without_an_engine_there_are_still_the_numbers(tmp_path: Path) -> None:
    with staged(tmp_path, Drawer(Engine(seconds=0.0))) as stage:
        page = stage.page("/institutions")
        assert not page.xpath("//figure")
        assert page.xpath("//table//td")
        assert "cannot be drawn here" in str(page.text_content())
        assert stage.ask("/institutions.png").status == 503
        stage.desk.drawer.engine.close()


def test_while_the_index_is_made_nobody_is_told_that_there_is_nothing(tmp_path: Path, drawer: Drawer) -> None:
    with staged(tmp_path, drawer, index=LiveIndex(tmp_path / "index")) as stage:
        assert {stage.ask(path).status for path in ("/", "/growth", "/growth.csv")} == {503}
        assert {stage.ask(path).status for path in ("/data", "/freshness", "/freshness.csv")} == {200}
        assert {stage.ask(path).status for path in ("/growht", "/growht.csv", "/growth.doc")} == {404}


def test_programs_wait_for_the_index_as_people_do(tmp_path: Path, drawer: Drawer) -> None:
    with staged(tmp_path, drawer, index=LiveIndex(tmp_path / "index")) as stage:
        found = statistic_functions(stage.desk)
        assert found["freshness"](SearchRequest())["rows"]
        for name in found.keys() - {"freshness"}:
            with pytest.raises(HttpRefusal, match="being made") as refused:
                found[name](SearchRequest())
            assert refused.value.status == 503


def test_programs_are_answered_with_the_same_tables(stage: Stage) -> None:
    found = statistic_functions(stage.desk)
    assert set(found) == set(TABLES)
    question = read_request([("collection", "hay")], collections=stage.desk.collections)
    value = found["institutions"](question)
    assert value["origin"] == "Hay and oats"


def test_the_first_page_gets_a_chart_with_its_table(stage: Stage) -> None:
    frame = stage.desk.frames.frame(_request())
    markup = render_landing_chart(stage.desk, SearchRequest(), frame)
    assert "<svg" in markup
    assert "<table>" in markup
    assert "Records per institution" in markup
    assert render_landing_chart(stage.desk, SearchRequest(text="xyzzy"), frame) == ""


def test_where_no_record_has_an_institution_the_first_page_gets_the_years(
    tmp_path: Path, drawer: Drawer
) -> None:
    entries = [Entry(number, "barn", str(number), (), Document(year=2012)) for number in range(3)]
    with staged(tmp_path, drawer, entries) as stage:
        frame = stage.desk.frames.frame(_request())
        inside = SearchRequest(collection="hay", collections=stage.desk.collections)
        for question in (SearchRequest(), inside):
            markup = render_landing_chart(stage.desk, question, frame)
            assert "Records by year" in markup
            assert "<svg" in markup


def _request() -> Request:
    async def receive() -> dict[str, object]:
        raise AssertionError

    return Request("GET", "/", b"", {}, "127.0.0.1", receive)
