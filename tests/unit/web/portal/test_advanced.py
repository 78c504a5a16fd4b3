"""The page of the advanced search form."""

from __future__ import annotations

from tests.unit.web.portal.stage import Portal


def test_the_form_leads_to_the_results(portal: Portal) -> None:
    got = portal.ask("/search/advanced?all=hay&phrase=&in_title=meadow&from=2000&to=&language_is=en&other=")
    assert got.status == 303
    assert got.headers["location"] == "/search?q=hay+title%3Ameadow+language%3D%22en%22+year%3A2000.."
    assert "Hay in the meadow" in portal.page(got.headers["location"]).words


def test_a_search_is_read_back_into_the_form(portal: Portal) -> None:
    page = portal.page("/search?q=hay title:meadow -straw&year=2012")
    form = portal.page(page.link("Advanced search"))
    values = {
        str(each.get("name")): each.get("value")
        for each in form.root.xpath("//form[@class='advanced']//input")
    }
    assert (values["all"], values["in_title"], values["none"]) == ("hay", "meadow", "straw")
    assert values["year"] == "2012"  # a filter is kept
    assert "hay -straw title:meadow" in form.words


def test_the_expression_can_be_seen_before_it_is_searched(portal: Portal) -> None:
    page = portal.page("/search/advanced?any=hay straw&show=1")
    assert page.link("hay OR straw") == "/search?q=hay+OR+straw"


def test_what_cannot_be_understood_is_explained_and_stays_in_the_form(portal: Portal) -> None:
    page = portal.page("/search/advanced?from=soon&other=year:late&all=hay")
    assert page.status == 200
    assert "soon is not a year." in page.words
    assert "year wants a number" in page.words
    assert page.root.xpath("string(//input[@name='all']/@value)") == "hay"


def test_the_form_is_in_the_language_of_the_reader(portal: Portal) -> None:
    assert "Tarkennettu haku" in portal.page("/search/advanced", language="fi").words
    assert "Avancerad sökning" in portal.page("/search/advanced", language="sv").words
    assert not portal.page("/search/advanced").root.xpath("//form[@class='advanced']//script")


def test_an_empty_form_asks_for_everything(portal: Portal) -> None:
    assert portal.ask("/search/advanced?all=&from=").headers["location"] == "/search"
