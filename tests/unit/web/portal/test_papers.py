"""Files among the results: where in them something was found, what they look like, how they are narrowed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.search.papers import JPEG, TEXT, file_away
from tests.unit.web.portal.stage import SETTINGS, Portal, staged

BROWSE = (
    SETTINGS
    + """
[portal]
browse = ["title", "folder > year", "folder", "extra:shelf mark", "date"]

[collections.grain]
sources = ["oats"]
browse = ["format"]
"""
)


@pytest.fixture
def papers(tmp_path: Path, catalogue: Catalogue) -> Iterator[Portal]:
    told = (("title", "Harvest & co"), ("date", "2014-05-03"), ("shelf mark", "B 7"), ("language", "en"))
    file_away(catalogue, "letters/may/one.pdf", "Nothing.", "The stubble was <i>wet</i>.", given=told)
    dated = (("title", "Meadow"), ("date", "2013-01-01"))
    file_away(catalogue, "letters/two.jpg", media_type=JPEG, size=40_000, given=dated)
    file_away(catalogue, "notes.txt", "Much stubble & chaff.", media_type=TEXT, size=20)
    file_away(catalogue, "sacks/oats.pdf", "Oats.", source="oats")
    catalogue.add("oai:hay.example:1", title="A record of its own", date="2001")
    with staged(tmp_path, catalogue, settings=BROWSE) as served:
        yield served


def test_a_hit_in_a_text_says_its_page_and_leads_there(papers: Portal) -> None:
    page = papers.page("/search?q=stubble")
    assert sorted(page.texts("//p[contains(@class,'passage')]")) == [
        "In the text Much stubble & chaff.",
        "Page 2 The stubble was <i>wet</i>.",
    ]
    start = "/document/text/hay/https:%2F%2Fhay.example%2F"
    assert page.link("Page 2") == f"{start}letters%2Fmay%2Fone.pdf?page=2&q=stubble#hit"
    assert page.link("In the text") == f"{start}notes.txt?q=stubble#hit"
    assert page.texts("//p[contains(@class,'passage')]//mark") == ["stubble"] * 2


def test_results_with_pictures_show_them_small_and_late(papers: Portal) -> None:
    page = papers.page("/search")
    pictures = page.root.xpath("//article//img")
    assert {(each.get("alt"), each.get("loading")) for each in pictures} == {
        ("Harvest & co", "lazy"),
        ("Meadow", "lazy"),
        ("oats.pdf", "lazy"),
    }
    assert all(each.get("src").endswith("?size=160") for each in pictures)
    assert not page.root.xpath("//article[.//a[.='A record of its own']]//img")


def test_a_line_says_what_kind_of_file_it_is(papers: Portal) -> None:
    page = papers.page("/search?q=meadow")
    assert page.texts("//article/p[@class='line']/span") == ["2013", "Picture (JPEG)", "40 kB"]
    assert page.links("Picture (JPEG)")[-1] == "/search?media=image%2Fjpeg"
    assert page.link("Download") == "/document/original/hay/https:%2F%2Fhay.example%2Fletters%2Ftwo.jpg"
    assert "Kuva (JPEG)" in papers.page("/search?q=meadow", language="fi").words


def test_folders_kinds_and_sizes_narrow_the_results(papers: Portal) -> None:
    page = papers.page("/search")
    assert page.texts("//aside//section[h2='Kind of file']//li") == [
        "PDF 2",
        "Picture (JPEG) 1",
        "Text 1",
    ]
    assert page.texts("//aside//section[h2='Size of file']//li") == [
        "Less than 10 kB 3",
        "10 kB – 100 kB 1",
    ]
    assert page.texts("//aside//section[h2='Folder']//li") == ["letters 2", "sacks 1"]
    inside = papers.page(page.link("letters"))
    assert inside.texts("//p[@class='total']") == ["2 results"]
    assert inside.texts("//aside//section[h2='Folder']//li//li") == ["may 1"]


def test_without_files_nothing_of_them_is_shown(portal: Portal) -> None:
    page = portal.page("/search")
    assert not {"Folder", "Kind of file", "Size of file"} & set(page.texts("//aside//h2"))


def test_a_size_that_is_none_finds_nothing_and_is_said(papers: Portal) -> None:
    page = papers.page("/search?size=huge")
    assert "huge is neither a size in bytes nor sizes as in 10000..99999; it finds nothing." in page.words


def test_a_structure_says_which_filter_finds_nothing(papers: Portal) -> None:
    page = papers.page("/browse/by/folder?size=huge")
    assert page.texts("//div[@class='notice']//li") == [
        "huge is neither a size in bytes nor sizes as in 10000..99999; it finds nothing."
    ]


def test_browsing_has_the_structures_of_the_configuration(papers: Portal) -> None:
    page = papers.page("/browse/")
    ways = page.root.xpath("//ul[@class='tiles']//a/@href")
    assert ways == [
        *("/browse/by/title", "/browse/by/folder-year", "/browse/by/folder", "/browse/by/shelf-mark"),
        *("/browse/by/year-month", "/browse/newest"),
    ]
    for way in ways:
        assert papers.page(way).status == 200, way
    assert page.texts("//ul[@class='tiles']//a")[1:4] == ["Folder › Year", "Folder", "Shelf mark"]


def test_values_within_values_open_without_a_script_and_lead_to_documents(papers: Portal) -> None:
    page = papers.page("/browse/by/folder-year")
    assert page.texts("//details/summary") == ["letters 2"]  # what lies in the other has no year
    assert page.texts("//details[summary[contains(., 'letters')]]//li") == ["All of it 2", "2014 1", "2013 1"]
    leaf = papers.page(page.link("2013"))
    assert leaf.texts("//article//h2") == ["Meadow"]
    assert leaf.root.xpath("//article//img")
    assert leaf.heading == "2013"
    assert leaf.link("letters") == "/browse/by/folder-year?in=letters"


def test_a_folder_shows_what_lies_in_it_and_the_way_out(papers: Portal) -> None:
    top = papers.page("/browse/by/folder")
    assert top.texts("//article//h2") == ["notes.txt"]
    inside = papers.page(top.link("letters"))
    assert (inside.heading, inside.texts("//article//h2")) == ("letters", ["Meadow"])
    deeper = papers.page(inside.link("may"))
    assert deeper.texts("//article//h2") == ["Harvest & co"]
    assert deeper.link("letters") == "/browse/by/folder?in=letters"


def test_months_are_called_by_their_names(papers: Portal) -> None:
    assert "May 2014 1" in papers.page("/browse/by/year-month").texts("//details//li")
    assert "toukokuu 2014 1" in papers.page("/browse/by/year-month", language="fi").texts("//details//li")


def test_a_collection_is_browsed_in_its_own_way_and_alone(papers: Portal) -> None:
    page = papers.page("/browse/?collection=grain")
    (way, _) = page.root.xpath("//ul[@class='tiles']//a/@href")
    assert way == "/browse/by/format?collection=grain"
    listed = papers.page(way)
    assert listed.texts("//ul[@class='tree']/li") == ["PDF 1"]
    assert papers.page(listed.link("PDF")).texts("//article//h2") == ["oats.pdf"]
    assert papers.page("/browse/by/title?collection=grain").status == 404


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/browse/by/nothing", 404),
        ("/browse/by/", 404),
        ("/browse/by/title?in=Q", 200),
        ("/browse/by/title?in=H&page=2", 404),
        ("/browse/by/title?in=H&page=999999", 404),
        ("/browse/by/folder-year?then=2014", 200),
        ("/browse/by/folder-year?in=letters&then=%3Cb%3E&page=x", 200),
        ("/browse/by/year-month?in=x&then=y", 200),
    ],
)
def test_odd_addresses_are_answered(papers: Portal, path: str, status: int) -> None:
    assert papers.ask(path).status == status


def test_the_first_page_of_a_collection_leads_to_its_own_structures(papers: Portal) -> None:
    page = papers.page("/collection/grain")
    assert page.link("Kind of file") == "/browse/by/format?collection=grain"
    assert page.link("Browse") == "/browse/?collection=grain"
    assert papers.page("/").link("Folder › Year") == "/browse/by/folder-year"
