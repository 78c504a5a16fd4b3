"""What stands beside the pages: suggestions, OpenSearch, the switch of languages, About, nothing at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lxml import etree

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import SETTINGS, Portal, staged, stock


def test_what_is_begun_is_completed_in_the_form_that_browsers_read(portal: Portal) -> None:
    got = portal.ask("/suggest?q=mow")
    assert got.headers["content-type"] == "application/x-suggestions+json; charset=utf-8"
    text, values, about, addresses = json.loads(got.body)
    assert (text, values, about) == ("mow", ["Mower, Ann"], ["Author · 2"])
    assert addresses == ["https://library.example/search?creator=Mower%2C+Ann"]


def test_inside_a_collection_only_what_is_found_there_is_offered(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    for number in range(30):
        catalogue.add(f"oai:hay.example:{number}", title=f"Grain {number}", subject="grain fields")
    catalogue.add("oai:oats.example:1", source="oats", title="Grain", subject=("grains", "grain fields"))
    grain = '[collections.grain]\nsources = ["oats"]\n'
    with staged(tmp_path, catalogue, settings=SETTINGS + grain) as portal:
        _, values, about, addresses = json.loads(portal.ask("/suggest?q=grai&collection=grain").body)
        assert values == ["Grain", "grain fields", "grains"]
        assert about == ["Title · 1", "Subject · 1", "Subject · 1"]
        for address in addresses:
            assert "1 result" in portal.page(address.removeprefix("https://library.example")).words


@pytest.mark.parametrize("query", ["", "q=", "q=m", "q=zzzz", "q=" + "m" * 9000])
def test_where_nothing_can_be_suggested_the_lists_are_empty(portal: Portal, query: str) -> None:
    assert json.loads(portal.ask(f"/suggest?{query}").body)[1:] == [[], [], []]


def test_a_browser_can_add_the_library_as_a_search_engine(tmp_path: Path, catalogue: Catalogue) -> None:
    stock(catalogue)
    settings = "[library]\nname = 'Hay & \"straw\" of the whole wide country'\n"
    with staged(tmp_path, catalogue, settings=settings) as portal:
        got = portal.ask("/opensearch.xml")
        root = etree.fromstring(got.body)
        space = "{http://a9.com/-/spec/opensearch/1.1/}"
        assert root.findtext(f"{space}ShortName") == 'Hay & "straw" of'
        urls = {each.get("type"): each.get("template") for each in root.iter(f"{space}Url")}
        assert urls["text/html"] == "https://library.example/search?q={searchTerms}"
        assert urls["application/x-suggestions+json"] == "https://library.example/suggest?q={searchTerms}"
        assert portal.page("/").root.xpath("//link[@rel='search']/@href") == ["/opensearch.xml"]


@pytest.mark.parametrize(("language", "words"), [("sv-FI,sv;q=0.9", "Sök"), ("fi", "Hae"), ("de", "Search")])
def test_a_page_speaks_the_language_of_the_browser(portal: Portal, language: str, words: str) -> None:
    page = portal.page("/", language=language)
    assert page.texts("//form[@role='search']/button") == [words]
    assert page.root.get("lang") == {"Sök": "sv", "Hae": "fi", "Search": "en"}[words]
    assert page.got.headers["vary"] == "accept-language, cookie, accept-encoding"


def test_the_switch_is_remembered_and_comes_back_to_the_same_page(portal: Portal) -> None:
    address = portal.page("/search?q=hay&language=en").link("Suomi")
    got = portal.ask(address)
    assert (got.status, got.headers["location"]) == (303, "/search?q=hay&language=en")
    cookie = got.headers["set-cookie"]
    assert cookie.startswith("windrow_language=fi; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly; Secure")
    again = portal.ask("/search?q=hay", headers={"Cookie": f"other=1; {cookie.partition(';')[0]}"})
    assert '<html lang="fi">' in again.text


@pytest.mark.parametrize(
    "cookie", ["windrow_language=xx", "windrow_language=../..", "windrow_language", "a=b; ;;"]
)
def test_a_cookie_that_means_nothing_is_passed_over(portal: Portal, cookie: str) -> None:
    assert '<html lang="sv">' in portal.ask("/", language="sv", headers={"Cookie": cookie}).text


def test_a_language_that_the_pages_are_not_in_cannot_be_chosen(portal: Portal) -> None:
    assert portal.page("/language?to=tlh").status == 404


def test_the_usual_language_can_be_another(tmp_path: Path, catalogue: Catalogue) -> None:
    with staged(tmp_path, catalogue, settings=SETTINGS + '[portal]\nlanguage = "fi"\n') as portal:
        assert portal.page("/", language="de").root.get("lang") == "fi"


def test_about_says_whom_to_ask_and_where_harvesters_do(portal: Portal) -> None:
    page = portal.page("/about")
    assert page.link("barn@library.example") == "mailto:barn@library.example"
    assert page.texts("//ul[@class='shelves']//code") == [
        "https://library.example/oai",
        "https://library.example/oai/hay",
        "https://library.example/oai/oats",
        "https://library.example/sru",
        "https://library.example/sru/hay",
        "https://library.example/sru/oats",
    ]
    for address in page.root.xpath("//table//a/@href"):
        assert "could be understood" not in portal.page(address).words, address


@pytest.mark.parametrize("path", ["/nothing", "/about/more", "/search/more", "/search.csv/more"])
def test_any_other_address_says_that_nothing_is_there(portal: Portal, path: str) -> None:
    page = portal.page(path, language="sv")
    assert page.status == 404
    assert page.heading == "Här finns ingenting"


def test_programs_get_a_sentence_instead_of_a_page(portal: Portal) -> None:
    got = portal.server.ask("/nothing", headers={"Accept": "application/json"})
    assert (got.status, got.headers["content-type"]) == (404, "text/plain; charset=utf-8")
