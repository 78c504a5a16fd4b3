"""Two records side by side."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import Page, Portal, staged
from windrow.web.layout.page_text import LinkedText
from windrow.web.portal.record_comparison import compare_path, compare_statements

ONE, OTHER = "oai:hay.example:1", "oai:hay.example:2"


@pytest.fixture
def portal(tmp_path: Path, catalogue: Catalogue) -> Iterator[Portal]:
    catalogue.add(ONE, title="Drying hay in the meadow", creator=("Mower, Ann", "Rake, Bo"), date="2014")
    catalogue.add(OTHER, title="Drying hay in the barn", creator=("Rake, Bo",), date="2014", type="Book")
    with staged(tmp_path, catalogue) as served:
        yield served


def _cells(page: Page, label: str) -> list[str]:
    cells = page.root.xpath(f"//table[@class='compare']//tr[starts-with(normalize-space(th), '{label}')]/td")
    return [" ".join(cell.text_content().split()) for cell in cells]


def _marked(page: Page, label: str) -> list[str]:
    path = f"//table[@class='compare']//tr[starts-with(normalize-space(th), '{label}')]//mark"
    return page.texts(path)


def _source(portal: Portal) -> str:
    link = portal.page("/search").root.xpath("//ol[contains(@class,'results')]//h2/a/@href")[0]
    return str(link).split("/")[2]


def test_both_are_shown_and_what_differs_is_marked(portal: Portal) -> None:
    source = _source(portal)
    page = portal.page(compare_path((source, ONE), (source, OTHER)))
    assert page.status == 200
    assert _cells(page, "Title") == ["Drying hay in the meadow", "Drying hay in the barn"]
    assert _marked(page, "Title") == ["meadow", "barn"]
    assert _marked(page, "Author") == ["Mower, Ann"]
    assert _marked(page, "Year") == []
    assert _cells(page, "Type") == ["–", "Book"]
    heads = page.root.xpath("//table[@class='compare']/thead//a/@href")
    assert [portal.page(str(head)).status for head in heads] == [200, 200]


def test_only_what_differs_can_be_shown(portal: Portal) -> None:
    source = _source(portal)
    page = portal.page(compare_path((source, ONE), (source, OTHER)) + "&only=differences")
    assert _cells(page, "Year") == []
    assert len(_cells(page, "Title")) == 2
    back = portal.page(page.link("Show all fields"))
    assert len(_cells(back, "Year")) == 2


def test_a_record_and_those_like_it_lead_there(portal: Portal) -> None:
    source = _source(portal)
    form = portal.page(portal.page(f"/record/{source}/{ONE}").link("Compare with another record"))
    assert form.root.xpath("//form[@class='with']//input[@name='with']")
    similar = portal.page(f"/form/as/similar/{source}/{ONE}")
    (link,) = similar.root.xpath("//a[normalize-space()='Compare the two']/@href")
    assert _marked(portal.page(str(link)), "Title") == ["meadow", "barn"]


def test_the_other_record_is_found_by_its_identifier_or_its_address(portal: Portal) -> None:
    source = _source(portal)
    for given in (OTHER, f"{source}/{OTHER}", f"https://site.example/record/{source}/{quote(OTHER)}?x=1"):
        page = portal.page(f"{compare_path((source, ONE))}?with={quote(given, safe='')}")
        assert _marked(page, "Title") == ["meadow", "barn"], given


def test_what_is_not_there_is_said(portal: Portal) -> None:
    source = _source(portal)
    page = portal.page(f"{compare_path((source, ONE))}?with=oai:nowhere:1")
    assert page.status == 404
    assert "There is no record “oai:nowhere:1” here." in page.words
    assert portal.page(compare_path((source, "oai:nowhere:1"), (source, ONE))).status == 404


@pytest.mark.parametrize(
    ("language", "words"), [("sv", "Två poster sida vid sida"), ("fi", "Kaksi tietuetta rinnakkain")]
)
def test_it_speaks_the_readers_language(portal: Portal, language: str, words: str) -> None:
    source = _source(portal)
    page = portal.page(compare_path((source, ONE), (source, OTHER)), language=language)
    assert words in page.words


def test_two_texts_without_much_in_common_are_marked_whole() -> None:
    (row,) = compare_statements(
        [("Title", [LinkedText("Hay")])], [("Title", [LinkedText("Oats and the barn")])]
    )
    assert [part.text for value in (*row.left, *row.right) for part in value.parts] == [
        "Hay",
        "Oats and the barn",
    ]
    assert not row.is_same


def test_the_order_of_values_is_no_difference() -> None:
    names = [LinkedText("A"), LinkedText("B")]
    (row,) = compare_statements([("By", names)], [("By", names[::-1])])
    assert row.is_same
