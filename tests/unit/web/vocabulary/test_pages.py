"""Walking through a vocabulary: the list, top concepts, concepts, A to Z, search."""

from __future__ import annotations

from pathlib import Path

from tests.unit.web.portal.stage import Page
from tests.unit.web.vocabulary.stage import BASE, SETTINGS, Stage, staged

CONCEPT = "/vocabulary/farming/concept"


def entries(page: Page, section: str) -> list[str]:
    """Return what a list of concepts has in a section, without what only screen readers get."""
    for hidden in page.root.xpath("//*[@class='hidden']"):
        hidden.drop_tree()
    return [
        text.rstrip(" ›")
        for text in page.texts(f"//section[@aria-labelledby='{section}']//ul[@class='tree']/li")
    ]


def test_the_vocabularies_are_listed_with_their_concepts(stage: Stage) -> None:
    page = stage.page("/vocabulary/", "sv")
    assert page.heading == "Vokabulärer"
    assert page.texts("//ul[@class='tiles']/li") == ["Lantbruk 11 begrepp", "places 2 begrepp"]
    assert page.link("Lantbruk") == "/vocabulary/farming/"


def test_browse_and_the_foot_of_a_page_lead_to_them(stage: Stage) -> None:
    page = stage.page("/browse/")
    assert "/vocabulary/farming/" in page.links("Farming")
    assert page.root.xpath("//footer//a[@href='/vocabulary/']")


def test_top_concepts_have_those_below_them_with_numbers_of_records(stage: Stage) -> None:
    page = stage.page("/vocabulary/farming/")
    assert page.heading == "Farming"
    tree = page.root.xpath("//ul[@class='tree']/li")
    texts = [" ".join(each.xpath("string(a)").split()) for each in tree]
    assert texts == ["Crops", "Fodder"]
    count = "string(following-sibling::span[@class='count']/text())"
    numbers = {
        " ".join(link.text_content().split()): link.xpath(count)
        for link in page.root.xpath("//ul[@class='tree']//a")
    }
    # Of four records with a subject of farming, two name hay, two oats, one meadow grass by its URI.
    assert numbers["Crops"] == "3"
    assert numbers["Fodder"] == "3"
    assert numbers["Oats"] == "2"
    assert numbers["Ängsgräs"] == "1"
    assert numbers["Zebu"] == "0"


def test_a_concept_without_a_name_in_the_readers_language_is_marked_as_of_another(stage: Stage) -> None:
    page = stage.page("/vocabulary/farming/", "fi")
    (name,) = page.root.xpath("//ul[@class='tree']//bdi[.='Ängsgräs']")
    assert name.get("lang") == "sv"
    (own,) = page.root.xpath("//ul[@class='tree']//bdi[.='Kaura']")
    assert own.get("lang") is None
    assert stage.page(f"{CONCEPT}/f9").heading == f"{BASE}9"


def test_a_concept_has_its_names_notes_and_neighbours(stage: Stage) -> None:
    page = stage.page(f"{CONCEPT}/f3")
    assert page.heading == "Oats"
    assert page.texts("//title") == ["Oats · Farming · The barn"]
    assert page.root.xpath("//link[@rel='canonical']/@href") == [f"https://library.example{CONCEPT}/f3"]
    words = page.words
    for expected in ("English: Oats", "Swedish: Havre", "Finnish: Kaura", "Grey oats", "Latin: Avena"):
        assert expected in words
    assert "A <b>cereal</b>." in words  # as text
    assert page.links("Hay") == [f"{CONCEPT}/f4"]
    assert page.links("https://other.example/oats") == ["https://other.example/oats"]
    assert page.links("North") == ["/vocabulary/places/concept/1"]
    notes = page.root.xpath("//main/p/bdi")
    assert [each.text for each in notes] == ["A <b>cereal</b>.", "Ett sädesslag."]
    assert notes[1].getparent().get("lang") == "sv"


def test_every_path_to_the_top_is_shown(stage: Stage) -> None:
    page = stage.page(f"{CONCEPT}/f4")
    paths = page.texts("//nav[contains(@class, 'path')]")
    assert sorted(paths) == ["Crops ›", "Fodder ›"]
    labels = page.root.xpath("//nav/@aria-label")
    assert len(labels) == len(set(labels))


def test_circles_end(stage: Stage) -> None:
    page = stage.page(f"{CONCEPT}/f8")
    assert page.heading == "And round"
    assert page.texts("//nav[contains(@class, 'path')]") == ["Fodder › Round ›"]
    assert entries(page, "narrower") == ["Round › 0"]


def test_narrower_concepts_are_counted_and_the_records_are_a_search(stage: Stage) -> None:
    page = stage.page(f"{CONCEPT}/f1")
    assert set(entries(page, "narrower")) == {"Oats 2", "Hay 2", "Elsewhere 0"}
    assert page.texts("//section[@aria-labelledby='records']//h3") == ["Record 2", "Record 1", "Record 0"]
    found = stage.page(page.link("3 records"))
    assert "3 results" in found.words
    assert found.link("About the concept") == f"{CONCEPT}/f1"


def test_a_vocabulary_that_no_field_is_bound_to_counts_nothing(tmp_path: Path) -> None:
    with staged(tmp_path, settings=SETTINGS.partition("[collections")[0]) as stage:
        page = stage.page(f"{CONCEPT}/f1")
        assert entries(page, "narrower")[:2] == ["Elsewhere", "Hay"]
        assert not page.root.xpath("//section[@aria-labelledby='records']")


def test_within_a_collection_its_own_records_are_counted(stage: Stage) -> None:
    page = stage.page(f"{CONCEPT}/f1?collection=north")
    assert "2 records" in page.words
    assert page.links("Oats")[0] == f"{CONCEPT}/f3?collection=north"
    assert "2 results" in stage.page(page.link("2 records")).words
    assert page.root.xpath("//link[@rel='canonical']/@href") == [f"https://library.example{CONCEPT}/f1"]


def test_a_concept_that_is_no_longer_used_leads_to_another(stage: Stage) -> None:
    page = stage.page(f"{CONCEPT}/f10")
    assert "This concept is no longer used. Use instead: Oats" in page.words
    assert page.got.headers["x-robots-tag"] == "noindex"


def test_other_names_of_a_concept_lead_to_its_own_address(stage: Stage) -> None:
    for name in ("havre", "Avena"):
        got = stage.portal.ask(f"{CONCEPT}/{name}")
        assert (got.status, got.headers["location"]) == (303, f"{CONCEPT}/f3")


def test_a_concept_of_another_address_is_found_by_its_uri(stage: Stage) -> None:
    address = stage.page(f"{CONCEPT}/f1").link("Elsewhere")
    assert address == f"{CONCEPT}?uri=https%3A%2F%2Felse.example%2Fx%2F1"
    assert stage.page(address).heading == "Elsewhere"


def test_letters_are_those_of_the_language_of_the_names(stage: Stage) -> None:
    page = stage.page("/vocabulary/farming/letters", "sv")
    assert page.texts("//nav[@class='letters']//li") == ["F", "G", "H", "Z", "Ä"]
    page = stage.page(page.link("engelska"), "sv")
    assert page.texts("//nav[@class='letters']//li") == list("ABCEFHORZ")
    assert page.root.xpath("//ul[@class='columns']//bdi/@lang") == ["en"]


def test_swedish_letters_follow_z(stage: Stage) -> None:
    page = stage.page("/vocabulary/farming/letters?letter=Ä", "sv")
    assert page.texts("//ul[@class='columns']/li") == ["Ängsgräs"]
    page = stage.page("/vocabulary/farming/letters?letter=H", "sv")
    assert page.texts("//ul[@class='columns']/li") == ["Havre", "Hö"]


def test_a_search_finds_names_in_every_language_and_says_which(stage: Stage) -> None:
    page = stage.page("/vocabulary/farming/search?q=havr")
    assert page.texts("//ul[@class='tree']/li") == ["Oats is also called Havre"]
    assert page.root.xpath("//input[@id='concept']/@value") == ["havr"]
    assert page.root.xpath("//input[@id='q']/@value") == [""]  # that is the library's


def test_a_search_without_result_helps_on(stage: Stage) -> None:
    page = stage.page("/vocabulary/farming/search?q=tractors")
    assert "No concept has such a name." in page.words
    assert "Nothing was found" in stage.page(page.link("in the records")).words


def test_what_is_not_there_is_not_found_and_helps_on(stage: Stage) -> None:
    page = stage.page(f"{CONCEPT}/oa")
    assert page.status == 404
    assert page.links("Oats") == [f"{CONCEPT}/f3"]
    page = stage.page("/vocabulary/nothing/")
    assert page.status == 404
    assert page.links("Farming") == ["/vocabulary/farming/"]
    for path in ("/vocabulary/farming/x", "/vocabulary/farming/?page=9", f"{CONCEPT}/f1?page=9"):
        assert stage.portal.ask(path).status == 404


def test_a_library_without_vocabularies_has_no_links_to_them(tmp_path: Path) -> None:
    with staged(tmp_path, vocabularies={}) as stage:
        assert not stage.page("/").root.xpath("//footer//a[@href='/vocabulary/']")
        assert "This library has no vocabularies." in stage.page("/vocabulary/").words


def test_sitemaps_lead_to_the_pages_of_concepts(stage: Stage) -> None:
    got = stage.portal.ask("/sitemaps/-pages.xml").text
    assert f"<loc>https://library.example{CONCEPT}/f3</loc>" in got
    assert f"{CONCEPT}/f10<" not in got  # no longer used
    assert "<loc>https://library.example/vocabulary/farming/</loc>" in got


def test_long_lists_have_pages(tmp_path: Path) -> None:
    lines = "\n".join(f"{number},,Concept {number:03}" for number in range(230))
    with staged(tmp_path, vocabularies={"farming": f"code,parent,label@en\n{lines}\n"}) as stage:
        seen, path = [], "/vocabulary/farming/"
        while path:
            page = stage.page(path)
            seen += [each.text for each in page.root.xpath("//ul[@class='tree']/li/a/bdi")]
            path = next(iter(page.links("Next")), "")
        assert len(seen) == len(set(seen)) == 230
        under, path = [], "/vocabulary/farming/letters?letter=C"
        while path:
            page = stage.page(path)
            under += [each.text for each in page.root.xpath("//ul[@class='columns']/li/a/bdi")]
            path = next(iter(page.links("Following ones")), "")
        assert under == sorted(seen)


def test_a_record_leads_to_the_concepts_of_its_subjects(stage: Stage) -> None:
    page = stage.page("/record/oats/r1", "fi")
    assert page.link("farming: Kaura") == f"{CONCEPT}/f3"
    assert page.link("farming: Heinä") == f"{CONCEPT}/f4"
    assert not stage.page("/record/oats/r4").links("farming:")


def test_what_was_added_to_a_search_leads_to_the_concept(stage: Stage) -> None:
    assert stage.page("/search?q=havre").link("About the concept") == f"{CONCEPT}/f3"


def test_codes_of_occasions_are_shown_by_their_labels(tmp_path: Path) -> None:
    with staged(tmp_path, courses=True) as stage:
        page = stage.page("/record/oats/course", "fi")
        assert page.texts("//table//td[@data-label='Paikka']") == ["Härnösand"]
        page = stage.page("/search?place=2280")
        assert page.texts(".//ul[@class='occasions']/li") == [
            "2002p1 · dag · Härnösand · bunden · full · Swedish"
        ]
        assert page.texts(".//select[@name='place']/option[@selected]") == ["Härnösand (1)"]
        assert any("Härnösand" in each for each in page.texts("//ul[@class='chips']/li"))
        assert "1 result" in stage.page("/search?place=vocabulary%3A%2F%2Fplaces%2F1").words
        assert stage.page("/vocabulary/places/concept/1").texts("//h3") == ["Mowing by hand"]
        statistics = stage.page("/statistics/occasions")
        assert "Härnösand comes first, with 1 of 6." in statistics.words
        assert statistics.link("Härnösand") == "/search?place=2280"
