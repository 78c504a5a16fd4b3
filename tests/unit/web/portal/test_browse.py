"""Ways through the library without a search."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.oracle.entries import sample_entries
from tests.oracle.memory_index import MemoryIndex
from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import Portal, staged


@pytest.fixture
def theses(tmp_path: Path, catalogue: Catalogue) -> Iterator[Portal]:
    with staged(tmp_path, catalogue, index=MemoryIndex(sample_entries(300))) as served:
        yield served


def test_every_way_is_listed_and_can_be_gone(theses: Portal) -> None:
    page = theses.page("/browse/")
    ways = page.root.xpath("//ul[@class='tiles']//a/@href")
    assert len(ways) == 9
    for way in ways:
        assert theses.page(way).status == 200, way


def test_an_institution_leads_to_its_departments_and_they_to_records(theses: Portal) -> None:
    page = theses.page("/browse/institutions")
    address = page.links("Technology")[0]
    assert address == "/search?institution=Barn+Polytechnic&department=Technology"
    found = theses.page(address)
    counted = page.texts("//li[a[contains(., 'Technology')]]/span")
    assert found.texts("//p[@class='total']")[0].endswith(f"{counted[0]} results")


def test_letters_narrow_the_names(theses: Portal) -> None:
    page = theses.page("/browse/creators")
    letters = page.texts("//nav[@class='letters']//li")
    assert letters == sorted(letters)
    (address,) = page.root.xpath("//nav[@class='letters']//a[.='M']/@href")
    names = theses.page(address)
    assert all("record" in str(each) for each in page.root.xpath("//nav[@class='letters']//a/@title"))
    assert all(each.startswith("M") for each in names.texts("//ul[@class='columns']/li/a"))
    assert names.texts("//nav[@class='letters']//a[@aria-current]") == ["M"]


def test_names_inside_a_collection_are_its_own(tmp_path: Path, catalogue: Catalogue) -> None:
    catalogue.add("oai:hay.example:1", title="Hay", creator=("Meadow, Ann",))
    catalogue.add("oai:oats.example:1", source="oats", title="Oats", creator=("Miller, Bo",), date="2012")
    catalogue.add("oai:oats.example:2", source="oats", title="Rye", creator=("Miller, Bo", "Rake, Åsa"))
    settings = '[sources.oats]\nurl = "https://oats.example/oai"\n[collections.grain]\nsources = ["oats"]\n'
    with staged(tmp_path, catalogue, settings=settings) as portal:
        page = portal.page("/browse/creators?collection=grain")
        assert page.texts("//ul[@class='columns']/li") == ["Miller, Bo 2", "Rake, Åsa 1"]
        assert page.link("Miller, Bo") == "/search?collection=grain&creator=Miller%2C+Bo"
        letters = page.root.xpath("//nav[@class='letters']//a/@href")
        assert letters == [f"/browse/creators?collection=grain&letter={letter}" for letter in "MR"]
        assert page.link("Years") == "/browse/years?collection=grain"
        inside = portal.page("/browse/creators?collection=grain&letter=R")
        assert inside.texts("//ul[@class='columns']/li") == ["Rake, Åsa 1"]


@pytest.mark.parametrize("way", ["creators", "subjects", "types", "institutions"])
def test_a_filter_holds_for_what_is_listed_and_for_where_it_leads(theses: Portal, way: str) -> None:
    page = theses.page(f"/browse/{way}?year=2012")
    ((address, count), *_) = [
        (found[0].get("href"), int(found[1].text))
        for row in page.root.xpath("//main//li | //main//tr")
        if len(found := row.xpath("./a | ./span | ./th/a | ./td[not(@aria-hidden)]")) == 2
    ]
    assert address.startswith("/search?year=2012&") or "&year=2012" in address
    (total,) = theses.page(address).texts("//p[@class='total']")
    assert total.rpartition(" of ")[2] in (f"{count} results", f"{count} result")


def test_letters_of_a_filter_keep_it(theses: Portal) -> None:
    page = theses.page("/browse/creators?year=2012")
    addresses = page.root.xpath("//nav[@class='letters']//a/@href")
    assert addresses
    assert all(address.startswith("/browse/creators?year=2012&letter=") for address in addresses)


def test_long_lists_of_names_are_turned_page_by_page(tmp_path: Path, catalogue: Catalogue) -> None:
    names = tuple(f"Mower, A{number:03}" for number in range(150))
    for start in range(0, 150, 10):
        catalogue.add(f"oai:hay.example:{start}", title="Many", creator=names[start : start + 10])
    with staged(tmp_path, catalogue) as portal:
        first = portal.page("/browse/creators?letter=M")
        second = portal.page(first.link("Following ones"))
        listed = [*first.texts("//ul[@class='columns']/li/a"), *second.texts("//ul[@class='columns']/li/a")]
        assert listed == sorted(names)
        assert not second.links("Following ones")


def test_languages_are_called_by_their_names_in_the_language_of_the_page(theses: Portal) -> None:
    path = "//table//th/a"
    assert sorted(theses.page("/browse/languages").texts(path)) == ["English", "Finnish", "Swedish"]
    assert sorted(theses.page("/browse/languages", language="fi").texts(path)) == [
        "englanti",
        "ruotsi",
        "suomi",
    ]


def test_the_latest_year_comes_first(theses: Portal) -> None:
    years = theses.page("/browse/years").texts("//table//th/a")
    assert years == sorted(years, reverse=True)


def test_what_cannot_be_browsed_is_not_there(theses: Portal) -> None:
    assert theses.page("/browse/colours").status == 404


def test_a_letter_that_nothing_begins_with_lists_nothing(theses: Portal) -> None:
    assert "There is nothing to list here." in theses.page("/browse/creators?letter=Q").words


@pytest.mark.parametrize("way", ["", "institutions", "years", "creators", "newest"])
def test_a_filter_that_is_not_understood_is_said_to_find_nothing(theses: Portal, way: str) -> None:
    page = theses.page(f"/browse/{way}?collection=none&year=soon&page=0&utm_source=mail")
    assert page.texts("//div[@class='notice']//li") == [
        "soon is neither a year nor years as in 2010..2014; it finds nothing.",
        "There is no collection none; nothing is in it.",
    ]
    assert not theses.page(f"/browse/{way}?year=2012&utm_source=mail").texts("//div[@class='notice']")


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("sv", "Samlingen none finns inte; den innehåller ingenting."),
        ("fi", "Kokoelmaa none ei ole; siinä ei ole mitään."),
    ],
)
def test_a_filter_that_finds_nothing_is_told_in_the_language_of_the_page(
    theses: Portal, language: str, words: str
) -> None:
    page = theses.page("/browse/types?collection=none", language=language)
    assert page.texts("//div[@class='notice']//li") == [words]


def test_lists_are_in_the_order_of_the_readers_language(tmp_path: Path, catalogue: Catalogue) -> None:
    for number, name in enumerate(("Åkesson, Eva", "Öberg, Bo", "Aho, Ida", "Zorn, Al", "Oja, Li")):
        catalogue.add(f"oai:hay.example:{number}", title=name, creator=(name,))
    with staged(tmp_path, catalogue) as portal:
        swedish = portal.page("/browse/creators", language="sv")
        assert swedish.texts("//nav[@class='letters']//li") == ["A", "O", "Z", "Å", "Ö"]
        names = [name.partition(",")[0] for name in swedish.texts("//ul[@class='columns']/li/a")]
        assert names == ["Aho", "Oja", "Zorn", "Åkesson", "Öberg"]
        (address,) = swedish.root.xpath("//nav[@class='letters']//a[.='Å']/@href")
        own = portal.page(address, language="sv")
        assert own.texts("//ul[@class='columns']/li/a") == ["Åkesson, Eva"]
        assert own.texts("//nav[@class='letters']//a[@aria-current]") == ["Å"]
        english = portal.page("/browse/creators", language="en")
        assert english.texts("//nav[@class='letters']//li") == ["A", "O", "Z"]
        assert portal.page(address, language="en").texts("//ul[@class='columns']/li/a") == [
            "Aho, Ida",
            "Åkesson, Eva",
        ]
