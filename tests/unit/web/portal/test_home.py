"""The first page, of the library and of a collection."""

from __future__ import annotations

from pathlib import Path

import pytest
from markupsafe import Markup

from tests.oracle.entries import sample_entries
from tests.oracle.memory_index import MemoryIndex
from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import SETTINGS, Portal, staged, stock
from windrow.model.document import document_units
from windrow.search.request import SearchRequest
from windrow.web.layout.page_layout import PageLayout

NORTH = """
[portal]
intro = "All that was mown.\\n\\nAnd more."

[collections.north]
title = "The <north>"
sources = ["oats"]
intro = { en = "Only oats.", fi = "Vain kauraa." }
"""


def test_the_first_page_says_what_is_in_the_library(portal: Portal) -> None:
    page = portal.page("/")
    assert page.heading == "The barn"
    assert page.texts("//dl[@class='figures']//dd") == ["4", "2", "2009–2014"]
    assert page.link("2009–2014") == "/browse/years"


def test_centuries_between_two_records_are_told_and_both_years_listed(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    for year in ("1741", "2014", "2014"):
        catalogue.add(f"oai:hay.example:{year}", title="Hay", date=year)
    with staged(tmp_path, catalogue) as portal:
        assert portal.page("/").link("1741–2014") == "/browse/years"
        years = portal.page("/browse/years")
        assert years.texts("//table//th/a") == ["2014", "1741"]


def test_the_newest_record_comes_first(portal: Portal) -> None:
    titles = portal.page("/").texts("//ol[contains(@class,'results')]//h3")
    assert titles == ["Oats & barley", "Straw", "Heinä ja niitty", "Hay in the meadow"]


def test_the_first_page_may_be_indexed_and_other_pages_not(portal: Portal) -> None:
    first, search = portal.ask("/"), portal.ask("/search")
    assert "x-robots-tag" not in first.headers
    assert 'rel="canonical" href="https://library.example/"' in first.text
    assert search.headers["x-robots-tag"] == "noindex"
    assert '<meta name="robots" content="noindex,follow">' in search.text


def test_a_collection_counts_and_shows_only_its_own(tmp_path: Path, catalogue: Catalogue) -> None:
    stock(catalogue)
    with staged(tmp_path, catalogue, settings=SETTINGS + NORTH) as portal:
        page = portal.page("/collection/north")
        assert page.heading == "The <north>"
        assert page.texts("//ol[contains(@class,'results')]//h3") == ["Oats & barley"]
        assert page.texts("//main/p")[0] == "Only oats."
        assert page.root.xpath("//form//input[@name='collection']/@value") == ["north"]
        assert page.links("2009")[0] == "/browse/years?collection=north"
        assert portal.page("/collection/north", language="fi").texts("//main/p")[0] == "Vain kauraa."


def test_a_collection_has_one_address_that_engines_keep(tmp_path: Path, catalogue: Catalogue) -> None:
    stock(catalogue)
    with staged(tmp_path, catalogue, settings=SETTINGS + NORTH) as portal:
        for path in ("/collection/north", "/collection/north/", "/collection/north?x=y"):
            assert 'rel="canonical" href="https://library.example/collection/north"' in portal.ask(path).text


def test_collections_stand_on_the_first_page_with_their_numbers(tmp_path: Path, catalogue: Catalogue) -> None:
    stock(catalogue)
    with staged(tmp_path, catalogue, settings=SETTINGS + NORTH) as portal:
        page = portal.page("/")
        assert page.link("The <north>") == "/collection/north"
        assert page.texts("//ul[@class='tiles']/li") == ["The <north> 1 record"]
        assert page.texts("//main/p")[:2] == ["All that was mown.", "And more."]


def test_a_collection_that_nobody_made_is_not_there(portal: Portal) -> None:
    assert portal.page("/collection/south").status == 404


def test_an_empty_library_says_so_and_works(tmp_path: Path, catalogue: Catalogue) -> None:
    with staged(tmp_path, catalogue) as portal:
        page = portal.page("/")
        assert "There is nothing in this library yet." in page.words
        for query in ("", "?q=foo", "?q=foo&year=2012"):
            found = portal.page(f"/search{query}").words
            assert "There is nothing in this library yet." in found
            assert "Fewer words" not in found
            assert "You could try" not in found
        for path in (
            "/search",
            "/browse/institutions",
            "/browse/creators",
            "/browse/years",
            "/browse/newest",
        ):
            assert portal.page(path).status == 200
        search = portal.page("/search")
        assert "There is nothing in this library yet." in search.words
        assert "Fewer words" not in search.words


def test_the_chart_that_was_handed_in_stands_on_the_page_as_it_is(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    def landing(question: SearchRequest, frame: PageLayout) -> str:
        return Markup("<svg><title>{}</title></svg>").format(frame.tongue.code)

    stock(catalogue)
    with staged(tmp_path, catalogue, landing=landing) as portal:
        assert portal.page("/", language="sv").root.xpath("string(//svg/title)") == "sv"


def test_a_page_that_was_made_is_kept_until_the_index_says_otherwise(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    made: list[str] = []

    def landing(question: SearchRequest, frame: PageLayout) -> str:
        made.append(frame.tongue.code)
        return ""

    stock(catalogue)
    with staged(tmp_path, catalogue, landing=landing) as portal:
        first = portal.ask("/")
        assert portal.ask("/").body == first.body
        assert portal.ask("/").headers.get("x-robots-tag") is None
        portal.ask("/", language="fi")
    assert made == ["en", "fi"]


MENU = "//nav[@class='main']//a/@href"


@pytest.mark.parametrize(
    "path", ["/collection/north", "/search?collection=north", "/browse/?collection=north"]
)
def test_the_menu_stays_in_the_collection(tmp_path: Path, catalogue: Catalogue, path: str) -> None:
    stock(catalogue)
    with staged(tmp_path, catalogue, settings=SETTINGS + NORTH) as portal:
        inside = ["/browse/?collection=north", "/statistics/?collection=north"]
        assert portal.page(path).root.xpath(MENU) == [*inside, "/status", "/about"]
        assert portal.page("/").root.xpath(MENU) == ["/browse/", "/statistics/", "/status", "/about"]


def test_where_nothing_is_found_in_a_collection_one_can_browse_in_it(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    stock(catalogue)
    with staged(tmp_path, catalogue, settings=SETTINGS + NORTH) as portal:
        page = portal.page("/search?collection=north&q=xyzzy")
        assert page.link("Browse instead") == "/browse/?collection=north"


LABELS = """
[portal.labels]
institution = { en = "School", fi = "Koulu" }
creator = "Maker"
type = "Kind"
"""


def test_departments_of_one_name_in_two_institutions_are_two(tmp_path: Path, catalogue: Catalogue) -> None:
    entries = sample_entries(30)
    units = {unit for entry in entries for unit in document_units(entry.document) if unit.department}
    inside = {unit.department for unit in units if unit.institution}
    expected = {unit for unit in units if unit.institution or unit.department not in inside}
    assert len(expected) > len({unit.department for unit in units})
    with staged(tmp_path, catalogue, index=MemoryIndex(entries)) as portal:
        page = portal.page("/")
        names = page.texts("//dl[@class='figures']//dt")
        figures = dict(zip(names, page.texts("//dl[@class='figures']//dd"), strict=True))
        assert figures["departments"] == str(len(expected))


def test_figures_and_ways_are_called_as_the_settings_call_their_fields(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    index = MemoryIndex(sample_entries(30))
    with staged(tmp_path, catalogue, settings=SETTINGS + LABELS, index=index) as portal:
        figures = portal.page("/").texts("//dl[@class='figures']//dt")
        assert figures == ["records", "School", "departments", "languages", "years of publication"]
        ways = portal.page("/browse/").texts("//ul[@class='tiles']/li")
        assert ways[:3] == [
            "School",
            "Maker",
            "Subjects Subjects and keywords, from A to Z.",
        ]
        page = portal.page("/browse/creators")
        assert page.heading == "Maker"
        assert page.link("Kind") == "/browse/types"
        assert portal.page("/browse/institutions", language="fi").heading == "Koulu"
