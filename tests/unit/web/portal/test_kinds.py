"""Types, access and licences on the pages: one value for many wordings, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import Portal, staged

HITS = "//ol[contains(@class,'results')]//h2"
FACET = "//aside//h2[.='{}']/following-sibling::*[1]//a"


@pytest.fixture
def theses(tmp_path: Path) -> Iterator[Portal]:
    """Three theses of one type in three languages, and an article."""
    catalogue = Catalogue(tmp_path)
    catalogue.add(
        "oai:a:1", title="Heinä", type="AMK-opinnäytetyö", rights="info:eu-repo/semantics/openAccess"
    )
    catalogue.add(
        "oai:a:2",
        title="Hay",
        type=("Text", "Bachelor's thesis"),
        rights="https://creativecommons.org/licenses/by/4.0/",
    )
    catalogue.add("oai:a:3", title="Hö", type="YH-examensarbete", rights="CC BY 3.0")
    catalogue.add("oai:a:4", title="Straw", type="journalArticle", rights=("© A. Mower", "restrictedAccess"))
    catalogue.add("oai:a:5", title="Oats", type="banana")
    with staged(tmp_path, catalogue) as portal:
        yield portal


def facet(portal: Portal, name: str, language: str = "en") -> list[str]:
    page = portal.page("/search", language=language)
    return [" ".join(each.split()) for each in page.texts(FACET.format(name))]


def test_one_type_with_three_labels_is_one_value_in_the_readers_language(theses: Portal) -> None:
    assert facet(theses, "Type") == ["Bachelor's thesis 3", "Article 1", "banana 1", "Text 1"]
    assert facet(theses, "Typ", "sv")[0] == "Kandidatuppsats eller YH-examensarbete 3"
    assert facet(theses, "Tyyppi", "fi")[0] == "AMK-opinnäytetyö tai kandidaatintyö 3"


def test_access_and_licence_are_facets(theses: Portal) -> None:
    assert facet(theses, "Access") == ["Open access 3", "Access not stated 1", "Restricted 1"]
    assert facet(theses, "Licence") == ["CC BY 2", "No licence stated 2", "In copyright 1"]
    assert facet(theses, "Saatavuus", "fi")[0] == "Avoin saatavuus 3"


@pytest.mark.parametrize(
    "asked",
    [
        "type=AMK-opinnäytetyö",
        "type=YH-examensarbete",
        "type=bachelor+thesis",
        "type=http://purl.org/coar/resource_type/c_7a1f",
        'q=type="AMK-opinnäytetyö"',
    ],
)
def test_a_filter_by_an_old_wording_finds_the_whole_concept(theses: Portal, asked: str) -> None:
    assert sorted(theses.page(f"/search?{asked}").texts(HITS)) == ["Hay", "Heinä", "Hö"]


def test_a_filter_by_the_address_of_a_licence_finds_all_its_versions(theses: Portal) -> None:
    page = theses.page("/search?licence=https://creativecommons.org/licenses/by/4.0/")
    assert sorted(page.texts(HITS)) == ["Hay", "Hö"]


@pytest.mark.parametrize(
    ("words", "titles"),
    [
        ("kandidatuppsats", ["Hay", "Heinä", "Hö"]),
        ("AMK-opinnäytetyö", ["Hay", "Heinä", "Hö"]),
        ("type:journalarticle", ["Straw"]),
        ("access:avoin", ["Hay", "Heinä", "Hö"]),
        ("licence:erkännande", ["Hay", "Hö"]),
        ("type:banana", ["Oats"]),
    ],
)
def test_the_original_word_and_any_label_find_the_record(
    theses: Portal, words: str, titles: list[str]
) -> None:
    assert sorted(theses.page(f"/search?q={words}").texts(HITS)) == titles


def test_the_record_keeps_its_own_wording_and_leads_to_the_concept(theses: Portal) -> None:
    page = theses.page("/record/hay/oai:a:1")
    assert page.texts("//dt[.='Type']/../dd") == ["AMK-opinnäytetyö Bachelor's thesis"]
    assert page.link("AMK-opinnäytetyö") == "/search?type=Bachelor%27s+thesis"
    assert page.texts("//dt[.='Access']/../dd") == ["Open access"]
    assert page.texts("//dt[.='Rights']/../dd") == ["info:eu-repo/semantics/openAccess"]
    assert page.texts("//dt[.='Licence']/../dd") == []
    assert theses.page("/record/hay/oai:a:2").texts("//dt[.='Licence']/../dd") == ["CC BY"]


@pytest.fixture
def raked(tmp_path: Path) -> Iterator[Portal]:
    """Two records on one topic in three languages, and one that has it in Finnish alone."""
    catalogue = Catalogue(tmp_path)
    topic = "fi=haravointi|sv=krattning|en=raking|"
    catalogue.add("oai:a:1", title="Hay", subject=(topic, "hay"))
    catalogue.add("oai:a:2", title="Straw", subject=topic)
    catalogue.add("oai:a:3", title="Oats", subject="haravointi")
    with staged(tmp_path, catalogue) as portal:
        yield portal


def test_a_topic_in_three_languages_is_counted_once_in_the_readers_language(raked: Portal) -> None:
    assert facet(raked, "Subject") == ["raking 2", "haravointi 1", "hay 1"]
    assert facet(raked, "Aihe", "fi") == ["haravointi 2", "haravointi 1", "hay 1"]
    assert facet(raked, "Ämne", "sv")[0] == "krattning 2"


def test_every_wording_of_a_topic_finds_its_records(raked: Portal) -> None:
    for words in ("raking", "krattning", "subject:krattning"):
        assert sorted(raked.page(f"/search?q={words}").texts(HITS)) == ["Hay", "Straw"]
    assert sorted(raked.page("/search?subject=haravointi").texts(HITS)) == ["Hay", "Oats", "Straw"]
    assert sorted(raked.page("/search?subject=krattning").texts(HITS)) == ["Hay", "Straw"]


def test_the_record_has_all_wordings_and_each_leads_to_the_topic(raked: Portal) -> None:
    page = raked.page("/record/hay/oai:a:1", language="sv")
    assert page.texts("//dt[.='Ämne']/../dd//li") == ["haravointi", "krattning", "raking", "hay"]
    assert page.link("krattning") == "/search?subject=raking"
