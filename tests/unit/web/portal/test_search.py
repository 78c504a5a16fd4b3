"""The page of results."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from tests.oracle.entries import sample_entries
from tests.oracle.memory_index import MemoryIndex
from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import SETTINGS, Portal, staged, stock
from windrow.web.portal.portal_downloads import SUFFIXES

ATOM = "{http://www.w3.org/2005/Atom}"
HITS = "//ol[contains(@class,'results')]//h2"


def feed_titles(body: bytes) -> list[str]:
    return [str(entry.text) for entry in etree.fromstring(body).iterfind(f"{ATOM}entry/{ATOM}title")]


def test_words_find_records_and_are_marked_in_them(portal: Portal) -> None:
    page = portal.page("/search?q=meadow")
    assert page.texts(HITS) == ["Hay in the meadow"]
    assert page.texts("//h2//mark") == ["meadow"]
    assert "meadow" in page.texts("//p[@class='snippet']//mark")
    assert page.texts("//p[@class='total']") == ["1 result"]
    assert page.root.xpath("string(//form[@role='search']//input[@name='q']/@value)") == "meadow"


@pytest.mark.parametrize("words", ["creator:ann", "ann"])
def test_a_name_that_was_looked_for_is_marked_and_still_leads_to_what_is_by_it(
    portal: Portal, words: str
) -> None:
    page = portal.page(f"/search?q={words}")
    assert page.texts("//p[@class='line']//mark") == ["Ann", "Ann"]
    names = page.root.xpath("//span[@class='people']/a[.//mark]")
    assert {(each.text_content(), each.get("href")) for each in names} == {
        ("Mower, Ann", "/search?creator=Mower%2C+Ann")
    }


def test_a_title_leads_to_its_record_and_the_line_below_it_searches_on(portal: Portal) -> None:
    page = portal.page("/search?q=meadow")
    assert page.link("Hay in the meadow") == "/record/hay/oai:hay.example:1"
    assert page.links("Mower, Ann")[-1] == "/search?creator=Mower%2C+Ann"
    assert page.link("Full text") == "https://hay.example/1.pdf"
    assert page.link("Original page") == "https://hay.example/1"


def test_facets_count_and_each_value_leads_to_itself_as_a_filter(portal: Portal) -> None:
    page = portal.page("/search")
    assert page.links("Master's thesis")[0] == "/search?type=Master%27s+thesis"
    narrowed = portal.page("/search?type=Master%27s+thesis")
    assert sorted(narrowed.texts(HITS)) == ["Hay in the meadow", "Heinä ja niitty"]
    assert narrowed.links("Article")[0] == "/search?type=Article&type=Master%27s+thesis"


def test_a_chip_takes_its_filter_away(portal: Portal) -> None:
    page = portal.page("/search?q=hay&language=en&year=2010..2014")
    chips = page.texts("//ul[@class='chips']/li")
    assert chips == [
        "Year: 2010–2014 ✕Remove",
        "Language: English ✕Remove",
        "Remove all filters",
    ]
    assert page.link("Year: 2010–2014") == "/search?q=hay&language=en"
    assert page.link("Remove all filters") == "/search?q=hay"


def test_a_page_of_filters_alone_is_called_by_what_was_chosen(portal: Portal) -> None:
    page = portal.page("/search?language=en&year=2010..2014")
    assert page.texts("//h1") == ["Search: 2010–2014, English"]
    assert page.root.xpath("string(//head/title)").startswith("2010–2014, English")


def test_years_the_wrong_way_round_find_the_same(portal: Portal) -> None:
    found = portal.page("/search?year=2010..2014").texts(HITS)
    assert found
    assert portal.page("/search?year=2014..2010").texts(HITS) == found


def test_a_new_search_from_the_box_keeps_the_filters(portal: Portal) -> None:
    kept = portal.page("/search?q=hay&language=en&page=1").root
    found = kept.xpath("//form[@role='search']//input[@type='hidden']")
    assert [(each.get("name"), each.get("value")) for each in found] == [("language", "en")]


def test_years_are_bars_that_lead_to_one_year_each(portal: Portal) -> None:
    page = portal.page("/search")
    bars = page.root.xpath("//*[local-name()='svg'][@class='years']/*[local-name()='a']")
    assert len(bars) == 6  # 2009 to 2014
    assert bars[-1].get("href") == "/search?year=2014"
    assert bars[-1].xpath("string(*[local-name()='title'])") == "2014: 2 records"


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ("from=2010&to=2014", "/search?q=hay&year=2010..2014"),
        ("from=2014&to=2010", "/search?q=hay&year=2010..2014"),
        ("from=2010&to=", "/search?q=hay&year=2010.."),
        ("from=&to=", "/search?q=hay"),
        ("from=soon&to=later", "/search?q=hay"),
        ("from=%0d%0aSet-Cookie:x&to=2014", "/search?q=hay"),
    ],
)
def test_the_form_of_years_leads_to_the_address_of_that_search(portal: Portal, sent: str, meant: str) -> None:
    got = portal.ask(f"/search?q=hay&{sent}")
    assert (got.status, got.headers["location"]) == (303, meant)


def test_every_link_that_combines_filters_is_not_for_crawlers(portal: Portal) -> None:
    page = portal.page("/search?q=hay")
    for element in page.root.xpath("//main//a[starts-with(@href, '/search')]"):
        assert "nofollow" in element.get("rel", ""), element.get("href")


def test_the_same_result_can_be_saved_in_every_format(portal: Portal) -> None:
    page = portal.page("/search?q=hay&page=1&per_page=50")
    assert page.link("BibTeX") == "/search.bib?q=hay"
    assert page.link("Feed of new records") == "/search.atom?q=hay"
    assert page.link("Statistics of this result") == "/statistics/?q=hay"
    for name in ("CSV", "JSON Lines", "BibTeX", "RIS", "CSL JSON"):
        got = portal.ask(page.link(name))
        assert got.status == 200
        assert b"meadow" in got.body
        assert got.headers["content-disposition"].startswith("attachment; filename=")
        assert got.headers["x-robots-tag"] == "noindex"
    assert b"<feed" in portal.ask(page.link("Feed")).body


def test_a_feed_has_what_came_last_first_unless_another_order_is_asked_for(portal: Portal) -> None:
    usual, added = portal.ask("/search.atom"), portal.ask("/search.atom?sort=added")
    assert usual.body == added.body
    titles = {sort: feed_titles(portal.ask(f"/search.atom?sort={sort}").body) for sort in ("title", "added")}
    assert titles["title"] == sorted(titles["title"], key=str.casefold) != titles["added"]
    by_relevance = portal.ask("/search.atom?q=hay&sort=relevance").body
    assert b"/search.atom?q=hay&amp;sort=relevance" in by_relevance
    assert portal.page("/search?q=hay&sort=title").link("Feed of new records") == "/search.atom?q=hay"


def test_a_cursor_is_for_feeds_and_one_that_no_page_gave_is_refused(portal: Portal) -> None:
    assert portal.ask("/search.atom?cursor=straw").status == 400
    assert portal.ask("/search.csv?cursor=added-1-0").status == 400


def test_nothing_found_helps_on(portal: Portal) -> None:
    page = portal.page("/search?q=hay wheat&language=en&year=2012&match=all")
    assert page.texts("//p[@class='total']") == ["Nothing was found"]
    assert page.links("Without “English”") == ["/search?q=hay+wheat&year=2012&match=all"]
    assert page.links("Without any filter") == ["/search?q=hay+wheat&match=all"]
    assert page.links("With any one of these words") == [
        "/search?q=hay+OR+wheat&year=2012&language=en&match=all"
    ]
    page = portal.page("/search?q=hay or wheat&match=all")
    assert page.links("As “hay OR wheat”") == ["/search?q=hay+OR+wheat&match=all"]


def test_records_with_most_of_the_words_are_shown_where_none_has_all(portal: Portal) -> None:
    page = portal.page("/search?q=hay meadow xyzzy")
    assert page.texts(HITS)[0] == "Hay in the meadow"
    assert "No record has all of these words. These records have most of them." in page.words
    assert "In none of these: xyzzy must have it" in page.words
    assert page.link("must have it: xyzzy") == "/search?q=hay+meadow+%2Bxyzzy"
    assert "Nothing was found" in portal.page("/search?q=hay meadow %2Bxyzzy").words
    assert "har de flesta av dem" in portal.page("/search?q=hay meadow xyzzy", language="sv").words


def test_files_and_figures_of_partial_matches_have_the_same_records(portal: Portal) -> None:
    page = portal.page("/search?q=hay meadow xyzzy")
    assert page.link("CSV") == "/search.csv?q=hay+meadow"
    shown = len(page.texts(HITS))
    assert len(portal.ask(page.link("JSON Lines")).body.splitlines()) == shown
    assert portal.ask("/search.jsonl?q=hay meadow xyzzy").body == b""  # a file never widens


def test_what_each_partial_match_lacks_can_be_required(portal: Portal) -> None:
    page = portal.page("/search?q=straw barley")
    absent = page.texts("//p[@class='absent']")
    assert absent
    assert all(text.startswith("Without:") for text in absent)
    links = [str(each) for each in page.root.xpath("//p[@class='absent']/a/@href")]
    assert sorted(links) == ["/search?q=%2Bstraw+barley", "/search?q=straw+%2Bbarley"]
    assert portal.page("/search?q=straw %2Bbarley").texts(HITS) == ["Oats & barley"]


def test_phrases_fields_and_operators_stay_strict(portal: Portal) -> None:
    for words in ('"hay xyzzy"', "title:hay title:xyzzy", "hay AND xyzzy", "hay -hay", 'hay "xyzzy"'):
        assert "Nothing was found" in portal.page(f"/search?q={words}").words, words


def test_signs_that_found_nothing_are_explained_and_the_words_offered(portal: Portal) -> None:
    page = portal.page("/search?q=hay -in meadow")
    assert page.link("hay in meadow") == "/search?q=hay+in+meadow"
    assert "As plain words: hay in meadow 1 result" in page.words
    assert "The search was read as: without “in”." in page.words
    assert "As plain words" not in portal.page("/search?q=hay -in the xyzzy").words
    assert "As plain words" not in portal.page("/search?q=hay in the meadow").words


def test_or_in_small_letters_is_a_word_and_its_other_sense_is_offered(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    catalogue.add("oai:hay.example:or", title="Scythe or sickle")
    with staged(tmp_path, catalogue) as portal:
        page = portal.page("/search?q=scythe or sickle&source=hay")
        assert page.texts("//p[@class='total']") == ["1 result"]
        assert "“or” was looked for as a word." in page.words
        assert page.links("scythe OR sickle") == ["/search?q=scythe+OR+sickle&source=hay"]


@pytest.mark.parametrize("words", ["or in hay", "meadow or", "hay in meadow", '"or in" hay'])
def test_where_or_is_between_no_words_nothing_is_said_of_it(portal: Portal, words: str) -> None:
    assert "In capitals" not in portal.page(f"/search?q={words}").words


def test_no_control_character_comes_into_the_page(portal: Portal) -> None:
    assert b"\x00" not in portal.ask("/search?q=a%00b&type=a%00b&x=%00").body


def test_signs_that_are_part_of_a_title_find_it(portal: Portal) -> None:
    page = portal.page("/search?q=hay -in the meadow")
    assert page.texts(HITS) == ["Hay in the meadow"]
    assert "The signs in the search were taken as part of a title." in page.words
    exactly = page.link("Search for “hay -in the meadow” as written")
    assert "Nothing was found" in portal.page(exactly).words


def test_a_misspelt_word_is_searched_as_corrected_with_a_way_back(portal: Portal) -> None:
    page = portal.page("/search?q=meadwo")
    assert page.texts(HITS) == ["Hay in the meadow"]
    assert "No record has the words as written. These are the results for: meadow" in page.words
    back = portal.page(page.link("Search for “meadwo” as written"))
    assert "Nothing was found" in back.words
    assert "Did you mean" in back.words
    assert back.link("meadow") == "/search?q=meadow&match=all"


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "No record has the quoted words in this order. These records have all of the words."),
        ("sv", "Ingen post har de citerade orden i den ordningen."),
        ("fi", "Yhdessäkään tietueessa lainatut sanat eivät ole tässä järjestyksessä."),
    ],
)
def test_quoted_words_that_stand_apart_are_shown_as_such(portal: Portal, language: str, told: str) -> None:
    page = portal.page('/search?q="meadow hay in the"', language=language)
    assert page.texts(HITS) == ["Hay in the meadow"]
    assert told in page.words


def test_results_by_title_are_in_the_order_of_the_readers_language(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    for number, title in enumerate(("Zebra", "Åker", "Ödla", "Apa", "Älg")):
        catalogue.add(f"oai:hay.example:{number}", title=title)
    with staged(tmp_path, catalogue) as portal:
        swedish = ["Apa", "Zebra", "Åker", "Älg", "Ödla"]
        assert portal.page("/search?sort=title", language="sv").texts(HITS) == swedish
        assert portal.page("/search?sort=title", language="fi").texts(HITS) == swedish
        english = ["Åker", "Älg", "Apa", "Ödla", "Zebra"]
        assert portal.page("/search?sort=title", language="en").texts(HITS) == english


def test_records_with_most_words_follow_those_with_all_of_them_far_apart(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    catalogue.add(
        "oai:hay.example:1", title="The Weekly Mirror", description="Town. " * 500 + "rye mill bread"
    )
    catalogue.add("oai:hay.example:2", title="Rye bread at home")
    with staged(tmp_path, catalogue) as portal:
        page = portal.page("/search?q=rye bread mill")
        assert sorted(page.texts(HITS)) == ["Rye bread at home", "The Weekly Mirror"]
        assert (
            "have them far apart in long texts. Records with most of the words are shown as well."
            in page.words
        )
        assert page.texts("//p[@class='absent']") == ["Without: mill"]
        exactly = portal.page(page.link("Only records with all of these words"))
        assert exactly.texts(HITS) == ["The Weekly Mirror"]


def test_a_corrected_word_beside_a_dropped_one_is_named(portal: Portal) -> None:
    page = portal.page("/search?q=meadwo hay xyzzyx")
    assert page.texts(HITS)[0] == "Hay in the meadow"
    assert "“meadow” was searched instead of “meadwo”, which no record has." in page.words
    assert page.texts("//div[@class='widened']//del") == ["xyzzyx"]


def test_a_mistake_is_explained_and_the_rest_searched_for(portal: Portal) -> None:
    page = portal.page('/search?q=meadow "')
    assert page.texts(HITS) == ["Hay in the meadow"]
    assert "at character 8: this quotation mark has no partner; it was ignored" in page.words
    assert (
        "lainausmerkiltä puuttuu pari; se ohitettiin"
        in portal.page('/search?q=meadow "', language="fi").words
    )


def test_nonsense_in_the_address_is_noted(portal: Portal) -> None:
    page = portal.page("/search?page=0&per_page=x&sort=colour&year=soon&collection=none&whatever=1")
    assert page.status == 200
    assert page.texts("//div[@class='notice']//li") == [
        "x is no number for per_page; 20 was taken.",
        "soon is neither a year nor years as in 2010..2014; it finds nothing.",
        "Results cannot be sorted by colour.",
        "page cannot be 0; 1 was taken.",
        "There is no collection none; nothing is in it.",
    ]


def test_all_values_of_a_field_say_which_filter_finds_nothing(portal: Portal) -> None:
    page = portal.page("/search/values?field=language&collection=none&page=0")
    assert page.texts("//div[@class='notice']//li") == ["There is no collection none; nothing is in it."]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("collection=none", "There is no collection none."),
        ("year=soon", "year must be a year, or years as in 2010..2014, 2010.. or ..2014."),
        ("size=large", "large is neither a size in bytes nor sizes as in 10000..99999."),
        ("insitution=x", "insitution is no parameter here; did you mean institution?"),
        ("&".join(f"subject={number}" for number in range(41)), "At most 40 filters can be set at once."),
    ],
)
def test_a_file_of_a_wrong_filter_is_refused_in_words(
    portal: Portal, suffix: str, asked: str, words: str
) -> None:
    page = portal.page(f"/search.{suffix}?q=hay&{asked}")
    assert page.status == 400
    assert words in page.words


def test_a_file_is_the_same_with_the_page_and_the_campaign_of_its_link(portal: Portal) -> None:
    plain = portal.ask("/search.csv?q=hay&year=2000..2030")
    decorated = portal.ask("/search.csv?q=hay&year=2000..2030&page=999999&per_page=x&utm_source=mail")
    assert (decorated.status, decorated.body) == (200, plain.body)
    assert b"meadow" in plain.body


def test_pages_turn_and_end(tmp_path: Path, catalogue: Catalogue) -> None:
    with staged(tmp_path, catalogue, index=MemoryIndex(sample_entries(120))) as portal:
        page = portal.page("/search?per_page=50&page=2")
        assert page.texts("//p[@class='total']") == ["51–100 of 120 results"]
        assert page.link("Previous") == "/search?per_page=50"
        assert page.link("Next") == "/search?per_page=50&page=3"
        assert not portal.page("/search?per_page=50&page=3").links("Next")
        beyond = portal.page("/search?per_page=50&page=77")
        assert "There is no page 77; this is the last one." in beyond.words


def test_a_facet_with_more_values_than_are_shown_leads_to_all_of_them(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    settings = SETTINGS + '[portal]\nfacets = ["creator"]\n'
    with staged(tmp_path, catalogue, settings=settings, index=MemoryIndex(sample_entries(120))) as portal:
        address = portal.page("/search?language=fi").links("All of them: Author")[0]
        page = portal.page(address)
        assert page.heading == "Author"
        assert len(page.texts("//ul[@class='columns']/li")) > 10
        assert page.link("Back to the results") == "/search?language=fi"
        assert portal.page("/search/values?field=nonsense").status == 404


def test_values_that_no_page_holds_are_counted_and_not_called_records(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    for number in range(11):
        subjects = tuple(f"sheaf {number} {place}" for place in range(50))
        catalogue.add(f"oai:hay.example:{number}", title="Hay", subject=subjects)
    with staged(tmp_path, catalogue) as portal:
        page = portal.page("/search/values?field=subject")
        assert len(page.texts("//ul[@class='columns']/li")) == 500
        assert "What is not listed here was counted 50 times." in page.words


def test_departments_stand_under_the_institution_that_is_chosen(tmp_path: Path, catalogue: Catalogue) -> None:
    with staged(tmp_path, catalogue, index=MemoryIndex(sample_entries(120))) as portal:
        assert not portal.page("/search").texts("//ul[@class='inner']/li")
        page = portal.page("/search?institution=Barn Polytechnic")
        assert len(page.texts("//ul[@class='inner']/li")) == 2
        assert page.links("Technology")[-1].startswith("/search?institution=Barn+Polytechnic&department=")


def test_a_collection_is_searched_within_and_looks_its_own_way(tmp_path: Path, catalogue: Catalogue) -> None:
    settings = SETTINGS + (
        '[collections.north]\ntitle = "The north"\nsources = ["oats"]\n'
        'accent = "#c0392b"\nfacets = ["type"]\nlabels = { type = "Kind of thing" }\n'
    )
    stock(catalogue)
    with staged(tmp_path, catalogue, settings=settings) as portal:
        page = portal.page("/search?collection=north")
        assert page.texts(HITS) == ["Oats & barley"]
        assert page.root.xpath("string(//head/title)").endswith("· The north")
        assert page.texts("//ul[@class='chips']/li") == ["Collection: The north ✕Remove"]
        (style,) = page.root.xpath("//link[starts-with(@href, '/look/')]/@href")
        assert "--accent:#c0392b" in portal.ask(style).text
        everywhere = portal.page("/search")
        assert everywhere.links("The north")[0] == "/search?collection=north"
        assert not everywhere.root.xpath("//link[starts-with(@href, '/look/')]")


def test_a_query_that_is_too_long_is_refused_with_a_sentence(portal: Portal) -> None:
    page = portal.page("/search?q=" + "a" * 20_000)
    assert page.status == 414
    assert "characters at most" in page.words


def test_the_site_works_below_a_path(tmp_path: Path, catalogue: Catalogue) -> None:
    stock(catalogue)
    with staged(tmp_path, catalogue, path="/library") as portal:
        page = portal.page("/library/search?q=meadow")
        assert page.texts(HITS) == ["Hay in the meadow"]
        outside = [
            address
            for address in page.root.xpath("//@href | //@action | //@src | //@data-suggest")
            if not address.startswith(("/library/", "https://", "#")) and address != "/library"
        ]
        assert outside == []
