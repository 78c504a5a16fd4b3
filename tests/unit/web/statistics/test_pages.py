"""The pages of statistics: a chart with its table, words about it, files of it, and ways on from it."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.unit.web.statistics.stage import NOW, SAMPLE, Stage, header, staged, text_of
from windrow.search.request import read_request
from windrow.stats.catalogue import OVERVIEW, PAGES
from windrow.stats.charts.drawing import Drawer
from windrow.store.overview import SourceOverview

NAMES = [page.name for page in PAGES]


@pytest.mark.parametrize("name", ["", *NAMES, "data"])
def test_every_page_is_there_with_a_heading(stage: Stage, name: str) -> None:
    page = stage.page(f"/{name}")
    assert len(page.xpath("//h1")) == 1
    assert page.xpath("//nav[@aria-label='Statistics']//a[@aria-current='page']")


@pytest.mark.parametrize("found", PAGES, ids=lambda found: found.name)
def test_each_chart_has_its_title_its_numbers_and_its_files(stage: Stage, found: object) -> None:
    name = getattr(found, "name", "")
    page = stage.page(f"/{name}")
    for table in getattr(found, "tables", ()):
        (exhibit,) = page.xpath(f"//section[@id='{table}']")
        assert exhibit.xpath(".//figure//svg")
        assert " · The barn" in text_of(exhibit.xpath(".//figcaption")[0])
        assert len(exhibit.xpath(".//table/tbody/tr")) > 0
        files = [urlsplit(each).path for each in exhibit.xpath(".//p[@class='files']/a/@href")]
        assert files == [f"/statistics/{table}.{suffix}" for suffix in ("csv", "json", "svg", "png")]


@pytest.mark.parametrize("name", ["", "growth", "keywords", "compare", "freshness"])
def test_a_filter_that_is_not_understood_is_said_to_find_nothing(stage: Stage, name: str) -> None:
    page = stage.page(f"/{name}?collection=nope&year=abc&sort=colour", language="sv")
    assert [text_of(each) for each in page.xpath("//div[@class='notice']//li")] == [
        "abc är varken ett årtal eller en följd som 2010..2014; det ger inga träffar.",
        "Samlingen nope finns inte; den innehåller ingenting.",
    ]
    assert not stage.page(f"/{name}?collection=hay&utm_source=mail").xpath("//div[@class='notice']")


def test_fresh_sources_are_told_in_words_where_the_chart_would_be(tmp_path: Path, drawer: Drawer) -> None:
    fresh = [SourceOverview("barn", records=40, last_good=NOW, outcome="ok")]
    with staged(tmp_path, drawer, harvests=lambda: fresh) as stage:
        page = stage.page("/freshness", language="sv")
    assert not page.xpath("//section//svg")
    (words,) = page.xpath("//section[@id='freshness']/p[1]")
    assert text_of(words) == "Skördade under de senaste 24 timmarna: 1 av 1."


def test_the_overview_shows_the_most_asked_and_leads_to_all(stage: Stage) -> None:
    page = stage.page("/")
    assert page.xpath("//section[@class='exhibit']/@id") == list(OVERVIEW)
    leads = page.xpath("//dl[@class='kinds']//a/@href")
    assert leads == [f"/statistics/{name}" for name in NAMES]


def test_a_number_leads_to_the_records_it_counts(stage: Stage) -> None:
    for name in ("institutions", "growth", "departments", "languages", "pages"):
        page = stage.page(f"/{name}")
        (table,) = page.xpath(f"//section[@id='{name}']//table")
        headings = [text_of(each) for each in table.xpath(".//th")]
        place = headings.index("Records")
        for row in table.xpath(".//tbody/tr"):
            (address,) = row.xpath(".//a/@href")
            question = read_request(parse_qsl(urlsplit(address).query))
            assert stage.desk.index.count(question.query) == int(text_of(row[place]).replace(",", ""))


@pytest.mark.parametrize("filters", ["", "?q=-nothing", "?year=2010..2012&year=2014&year=2015"])
def test_a_topic_that_changed_leads_to_its_records_of_the_years_compared(stage: Stage, filters: str) -> None:
    page = stage.page(f"/trends{filters}")
    rows = page.xpath("//section[@id='trends']//tbody/tr")
    assert rows
    for row in rows:
        (address,) = row.xpath(".//a/@href")
        question = read_request(parse_qsl(urlsplit(address).query))
        before, recent = int(text_of(row[1])), int(text_of(row[3]))
        assert stage.desk.index.count(question.query) == before + recent


def test_a_chart_leads_where_its_table_does(stage: Stage) -> None:
    page = stage.page("/institutions")
    drawn = page.xpath("//figure//svg//a/@href")
    assert drawn == page.xpath("//section[@id='institutions']//tbody//a/@href")
    assert all(address.startswith("/search?institution=") for address in drawn)


def test_statistics_of_a_search_say_of_what_and_lead_back(stage: Stage) -> None:
    page = stage.page("/growth?q=hay&institution=Field+University")
    (scope,) = page.xpath("//div[@class='scope']")
    assert "Words: hay" in text_of(scope)
    assert "Institution: Field University" in text_of(scope)
    assert scope.xpath(".//a/@href") == ["/search?q=hay&institution=Field+University", "/statistics/growth"]
    assert "The barn: hay, Field University" in text_of(page.xpath("//figcaption")[0])
    leads = page.xpath("//nav[@aria-label='Statistics']//a/@href")[:-1]
    assert all("q=hay&institution=Field+University" in address for address in leads)


def test_a_search_within_a_filter_keeps_it(stage: Stage) -> None:
    page = stage.page("/languages?language=fi&language=sv&subject=hay")
    for address in page.xpath("//section[@id='languages']//tbody//a/@href"):
        asked = parse_qsl(urlsplit(address).query)
        assert ("subject", "hay") in asked
        assert len([value for name, value in asked if name == "language"]) == 1


def test_a_collection_is_counted_under_its_own_name(stage: Stage) -> None:
    page = stage.page("/institutions?collection=hay")
    inside = sum(entry.source == "barn" and bool(entry.document.institution) for entry in SAMPLE)
    (table,) = page.xpath("//table")
    assert sum(int(text_of(row[1])) for row in table.xpath(".//tbody/tr")) == inside
    assert "· Hay and oats" in text_of(page.xpath("//figcaption")[0])


@pytest.mark.parametrize(
    ("path", "language", "usual", "own"),
    [
        ("/institutions", "en", "Institution", "School"),
        ("/subjects", "fi", "Aihe", "Asia"),
        ("/keywords", "en", "Keyword", "Term"),
        ("/collaboration", "en", "Institution", "School"),
        ("/quality", "en", "Creator", "Maker"),
    ],
)
def test_columns_are_called_as_the_settings_call_their_fields(
    stage: Stage, path: str, language: str, usual: str, own: str
) -> None:
    def headings(collection: str) -> list[str]:
        page = stage.page(f"{path}?collection={collection}", language=language)
        return [text_of(each) for each in page.xpath("//section[@class='exhibit']//thead//th")]

    assert usual in headings("hay")
    assert own not in headings("hay")
    assert own in headings("called")
    assert usual not in headings("called")


def test_files_keep_the_names_of_their_columns(stage: Stage) -> None:
    assert stage.ask("/institutions.csv?collection=called").text.startswith("institution,")


def test_the_pages_of_a_collection_lead_to_one_another(stage: Stage) -> None:
    page = stage.page("/growth?collection=hay&year=2012")
    leads = page.xpath("//nav[@class='main']//a[.='Statistics' or .='Browse']/@href")
    assert leads == ["/browse/?collection=hay", "/statistics/?collection=hay"]
    assert page.xpath("//nav[@class='statistics']//a[.='Data']/@href") == ["/statistics/data?collection=hay"]
    assert page.xpath("//div[@class='scope']//a/@href")[1] == "/statistics/growth?collection=hay"


def test_whole_pages_may_be_kept_by_search_engines_and_filtered_ones_not(stage: Stage) -> None:
    assert header(stage.ask("/growth"), "x-robots-tag") == ""
    assert header(stage.ask("/growth?q=hay"), "x-robots-tag") == "noindex"
    page = stage.page("/growth?q=hay")
    ours = page.xpath("//main//a[contains(@href, 'q=hay')]")
    assert ours
    assert all("nofollow" in (each.get("rel") or "") for each in ours)


def test_pages_run_nothing_of_their_own(stage: Stage) -> None:
    got = stage.ask("/compare")
    assert "script-src 'self'" in header(got, "content-security-policy")
    assert not re.search(r"<script(?![^>]*\bsrc=)", got.text)
    assert not re.search(r"<[^>]* style=", got.text)
    assert not re.search(r"<[^>]* on[a-z]+=", got.text)


def test_ids_are_used_once(stage: Stage) -> None:
    for name in ("", "pages", "compare"):
        ids = stage.page(f"/{name}").xpath("//@id")
        assert len(ids) == len(set(ids))


def test_the_same_page_is_made_once_for_each_language(stage: Stage) -> None:
    first, again = stage.ask("/trends"), stage.ask("/trends")
    assert first.body == again.body
    assert "accept-language" in header(again, "vary")
    assert "Trendit" in stage.ask("/trends", language="fi").text


def test_the_address_without_a_slash_leads_to_the_one_with_it(stage: Stage) -> None:
    got = stage.ask("?q=hay")
    assert (got.status, header(got, "location")) == (308, "/statistics/?q=hay")


def test_what_is_not_there_is_not_found(stage: Stage) -> None:
    assert stage.ask("/nothing").status == 404
    assert stage.ask("/institutions.exe").status == 404
    assert stage.ask("/nothing.csv").status == 404
    assert stage.ask("/growth/more").status == 404
    assert stage.server.ask("/statistics/", "POST").status == 405


def test_nonsense_is_worked_around(stage: Stage) -> None:
    for query in ("year=x", "q=%28%28%22&page=-1", "institution=%00", "sort=7&per_page=z"):
        assert stage.ask(f"/growth?{query}").status == 200
