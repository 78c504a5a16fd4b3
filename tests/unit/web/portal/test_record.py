"""The page of one record, and its files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import Portal, staged, stock
from windrow.store.records import record_reader
from windrow.store.records.record_reader import RecordReader
from windrow.store.records.set_hierarchy import guard_set
from windrow.web.i18n.translation import get_translator
from windrow.web.i18n.value_labels import datestamp_label

HAY = "/record/hay/oai:hay.example:1"


def test_a_record_says_what_it_is_and_leads_to_the_original_first(portal: Portal) -> None:
    page = portal.page(HAY)
    assert page.heading == "Hay in the meadow"
    assert page.texts("//ul[@class='authors']/li") == ["Mower, Ann", "Rake, Bo"]
    buttons = [
        (each.text_content(), each.get("href")) for each in page.root.xpath("//ul[@class='buttons']//a")
    ]
    assert buttons == [
        ("Full text", "https://hay.example/1.pdf"),
        ("Original page", "https://hay.example/1"),
    ]
    assert "How hay is made in the meadow" in page.texts("//div[@class='abstract']")[0]
    assert page.root.xpath("string(//meta[@name='description']/@content)").startswith("How hay is made")


def test_names_and_subjects_search_on(portal: Portal) -> None:
    page = portal.page(HAY)
    assert page.link("Mower, Ann") == "/search?creator=Mower%2C+Ann"
    assert page.link("meadows") == "/search?subject=meadows"
    assert page.link("2012") == "/search?year=2012"
    assert page.link("theses") == "/search?set=theses"


def test_roles_and_kinds_of_dates_are_in_the_language_of_the_page(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    payload = (
        b'<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>Hay</title></titleInfo>'
        b"<name><namePart>Rake, Bo</namePart><role><roleTerm>ths</roleTerm></role></name>"
        b"<name><namePart>Fork, Cy</namePart><role><roleTerm>stable hand</roleTerm></role></name>"
        b"<originInfo><dateIssued>2012-05-03</dateIssued></originInfo></mods>"
    )
    catalogue.add("oai:hay.example:1", payload=payload, prefix="mods")
    with staged(tmp_path, catalogue) as portal:
        words = portal.page(HAY, language="sv").words
        assert "Rake, Bo (handledare)" in words
        assert "Fork, Cy (stable hand)" in words
        assert "2012-05-03 (utgiven)" in words
        assert "Rake, Bo (thesis advisor)" in portal.page(HAY).words


def test_a_record_tells_where_it_came_from_and_what_happened_to_it(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    catalogue.add("oai:hay.example:1", title="Hay")
    catalogue.add("oai:hay.example:1", title="Hay, dried")
    with staged(tmp_path, catalogue) as portal:
        page = portal.page(HAY)
        assert page.link("hay") == "/status/hay"
        history = page.texts("//ol[@class='history']/li")
        assert [each.partition(" UTC ")[2] for each in history] == [
            "its metadata changed",
            "came into the library",
        ]


def test_the_date_that_its_source_gives_it_is_written_out_and_exact_for_programs(portal: Portal) -> None:
    (stamp,) = portal.page(HAY, language="sv").root.xpath("//section[@aria-labelledby='origin']/dl//time")
    assert (stamp.get("datetime"), stamp.text_content()) == ("2024-05-01", "1\N{NO-BREAK SPACE}maj 2024")


@pytest.mark.parametrize(
    ("stamp", "words"),
    [
        ("2024-01-31", "31\N{NO-BREAK SPACE}January 2024"),
        ("2024-01-31T23:59:59Z", "31\N{NO-BREAK SPACE}January 2024 23:59 UTC"),
        ("2024-13-31", ""),
        ("20240131", ""),
        ("yesterday", ""),
        ("", ""),
    ],
)
def test_a_datestamp_that_is_none_is_not_put_in_words(stamp: str, words: str) -> None:
    assert datestamp_label(stamp, get_translator("en")) == words


def test_it_can_be_cited_in_three_styles_and_taken_along(portal: Portal) -> None:
    page = portal.page(HAY)
    cited = portal.page(page.link("APA, Chicago, MLA"))
    assert cited.texts("//div[@id='citations']//h3") == ["APA", "Chicago", "MLA"]
    assert all(
        "hay in the meadow" in words.lower() for words in cited.texts("//div[@class='citation']/p[@id]")
    )
    assert cited.got.headers["x-robots-tag"] == "noindex"
    assert cited.link("Hay in the meadow") == HAY
    assert portal.ask(page.link("BibTeX")).text.startswith("@")
    assert portal.ask(page.link("RIS")).text.startswith("TY  - ")
    assert json.loads(portal.ask(page.link("CSL JSON")).text)[0]["title"] == "Hay in the meadow"
    whole = json.loads(portal.ask(f"{HAY}?as=json").text)
    assert (whole["identifier"], whole["document"]["year"]) == ("oai:hay.example:1", 2012)
    assert portal.ask(f"{HAY}?as=doc").status == 404


def test_a_record_that_says_nothing_says_that_it_cannot_be_cited(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    catalogue.add("oai:hay.example:bare")
    with staged(tmp_path, catalogue) as portal:
        cited = portal.page("/record/hay/oai:hay.example:bare?as=citations")
        assert cited.texts("//div[@id='citations']/*") == [
            "This record says too little about itself to be cited."
        ]


def test_the_last_of_many_authors_leads_to_the_record_too(tmp_path: Path, catalogue: Catalogue) -> None:
    people = tuple(f"Mower, A{place}" for place in range(60))
    catalogue.add("oai:hay.example:many", title="Hay", creator=people)
    with staged(tmp_path, catalogue) as portal:
        page = portal.page("/record/hay/oai:hay.example:many")
        for name in (people[0], people[-1]):
            assert portal.page(page.link(name)).texts("//ol//h2") == ["Hay"]


def test_its_raw_formats_are_as_they_came_and_run_nothing(portal: Portal) -> None:
    got = portal.ask(portal.page(HAY).link("oai_dc"))
    assert got.headers["content-type"] == "text/xml; charset=utf-8"
    assert "sandbox" in got.headers["content-security-policy"]
    assert "<dc:title>Hay in the meadow</dc:title>" in got.text
    assert portal.ask(f"{HAY}?format=marcxml").status == 404


def test_the_file_of_a_record_has_a_harmless_name(tmp_path: Path, catalogue: Catalogue) -> None:
    catalogue.add('oai:"; filename=evil.exe\\', title="Hay")
    with staged(tmp_path, catalogue) as portal:
        address = portal.page("/search").link("Hay")
        named = portal.ask(f"{address}?as=bib").headers["content-disposition"]
        assert named == 'attachment; filename="oai-filename-evil-exe.bib"'


def test_a_withdrawn_record_is_gone_not_lost(portal: Portal) -> None:
    page = portal.page("/record/hay/oai:hay.example:5")
    assert page.status == 410
    assert page.heading == "This record was withdrawn"
    assert "was deleted by its source" in page.words
    assert page.got.headers["x-robots-tag"] == "noindex"


@pytest.mark.parametrize(
    "path", ["/record/hay/nothing", "/record/hay", "/record", "/record/nobody/oai:hay.example:1"]
)
def test_what_is_not_there_is_answered_with_a_search_box(portal: Portal, path: str) -> None:
    page = portal.page(path)
    assert page.status == 404
    assert page.root.xpath("//main//form[@role='search']//input[@name='q']")
    assert "There is nothing at this address." in page.words


@pytest.mark.parametrize(
    "identifier",
    [
        "a/b/c",
        "http://x.example/a//b?c=d#e",
        "50% hay & straw",
        "a/../b",
        "a/..",
        "../a",
        "..",
        ".",
        "heinä/ä",
        "\U0001f33e",
        "a+b c",
        "x/",
        "/x",
        "//",
        "a%2Fb",
        "a%252Fb%3F%23%",
        "?",
        "#",
        "a;b=c,d",
        "\\a\tb\nc",
        "'\"<>",
        "x" * 2000,
    ],
)
def test_whatever_an_identifier_is_the_links_lead_to_its_record(
    tmp_path: Path, catalogue: Catalogue, identifier: str
) -> None:
    catalogue.add(identifier, title="Odd name")
    with staged(tmp_path, catalogue) as portal:
        page = portal.page(portal.page("/search").link("Odd name"))
        assert page.status == 200
        assert portal.ask(f"{portal.page('/search').link('Odd name')}?as=json").text.count(
            json.dumps(identifier, ensure_ascii=False)
        )


def test_records_like_it_are_offered(tmp_path: Path, catalogue: Catalogue) -> None:
    stock(catalogue)
    catalogue.add("oai:hay.example:6", title="Meadow and hay", subject=("hay", "meadows"))
    with staged(tmp_path, catalogue) as portal:
        page = portal.page(HAY)
        assert page.texts("//section[@class='similar']/h2") == ["Similar records"]
        (address,) = page.root.xpath("//section[@class='similar']//a[@data-loads]/@href")
        likes = portal.page(str(address))
        assert "Meadow and hay" in likes.texts("//div[@id='likes']//h3")
        assert likes.link("Hay in the meadow") == HAY
        assert "etag" not in likes.got.headers


def test_a_record_like_no_other_says_so(tmp_path: Path, catalogue: Catalogue) -> None:
    catalogue.add("oai:hay.example:1", title="Hay")
    with staged(tmp_path, catalogue) as portal:
        assert "No other record has much in common" in portal.page(f"{HAY}?as=similar").words


def test_a_title_in_another_language_says_so(tmp_path: Path, catalogue: Catalogue) -> None:
    payload = (
        b'<oai_dc:dc><dc:title xml:lang="fi">Hein\xc3\xa4</dc:title><dc:title xml:lang="en">Hay</dc:title>'
        b"</oai_dc:dc>"
    )
    catalogue.add("oai:hay.example:1", payload=payload)
    with staged(tmp_path, catalogue) as portal:
        assert portal.page(HAY).root.xpath("//h1/@lang") == ["fi"]
        assert portal.page(HAY, language="fi").root.xpath("//h1/@lang") == []


def test_a_title_without_a_language_of_its_own_is_in_the_only_one_of_its_record(portal: Portal) -> None:
    page = portal.page("/record/hay/oai:hay.example:2")
    assert page.root.xpath("//h1/@lang") == ["fi"]
    assert page.root.xpath("//div[@class='abstract']/@lang") == ["fi"]


def test_the_head_says_everything_once_and_engines_find_the_record_in_it(portal: Portal) -> None:
    root = portal.page(HAY).root
    assert len(root.xpath("//title")) == 1
    assert len(root.xpath("//head/meta[@name='description']")) == 1
    assert root.xpath("//link[@rel='canonical']/@href") == [f"https://library.example{HAY}"]
    assert root.xpath("//meta[@name='citation_title']/@content") == ["Hay in the meadow"]
    assert root.xpath("//meta[@name='citation_author']/@content") == ["Mower, Ann", "Rake, Bo"]
    assert root.xpath("//meta[@name='DC.title']/@content") == ["Hay in the meadow"]
    (told,) = root.xpath("//head/script[@type='application/ld+json']/text()")
    assert json.loads(str(told))["name"] == "Hay in the meadow"


def test_a_record_that_was_merged_leads_to_the_one_it_became(portal: Portal) -> None:
    merge(portal.catalogue, "oai:old.example:1", "oai:hay.example:1")
    got = portal.ask("/record/hay/oai:old.example:1?as=bib")
    assert (got.status, got.headers["location"]) == (301, f"{HAY}?as=bib")
    assert portal.ask(got.headers["location"]).status == 200


def test_a_withdrawn_record_that_was_merged_leads_on_and_a_live_one_is_shown(portal: Portal) -> None:
    merge(portal.catalogue, "oai:hay.example:5", "oai:hay.example:1")
    merge(portal.catalogue, "oai:hay.example:3", "oai:hay.example:1")
    assert portal.ask("/record/hay/oai:hay.example:5").headers["location"] == HAY
    assert portal.page("/record/hay/oai:hay.example:3").heading == "Straw"


def test_what_was_merged_into_a_withdrawn_record_is_gone_with_it(portal: Portal) -> None:
    merge(portal.catalogue, "oai:old.example:1", "oai:hay.example:5")
    got = portal.ask("/record/hay/oai:old.example:1")
    assert (got.status, got.headers["location"]) == (301, "/record/hay/oai:hay.example:5")
    assert portal.ask(got.headers["location"]).status == 410


def test_nobody_is_led_to_a_record_that_is_not_for_everybody(portal: Portal) -> None:
    portal.catalogue.add("oai:hay.example:7", title="Secret", sets=(guard_set("/private"),))
    merge(portal.catalogue, "oai:old.example:1", "oai:hay.example:7")
    assert portal.ask("/record/hay/oai:old.example:1").status == 404


def merge(catalogue: Catalogue, old: str, new: str) -> None:
    with catalogue.store.writing() as connection:
        (target,) = RecordReader().find(connection, new, source="hay")
        record_reader.add_alias(connection, catalogue.shelf("hay").source_id, old, target.id, now=1)


def test_what_no_field_has_a_place_for_is_shown_by_its_own_name(tmp_path: Path, catalogue: Catalogue) -> None:
    payload = (
        b'<card xmlns="urn:cards"><remark>Note number 1</remark><remark>&lt;b&gt; &amp; c</remark></card>'
    )
    catalogue.add("oai:hay.example:1", payload=payload, prefix="cards")
    with staged(tmp_path, catalogue) as portal:
        page = portal.page(HAY)
        (section,) = page.root.xpath("//details[summary/h2='Other fields']")
        assert section.get("open") is not None
        assert [each.text_content() for each in section.xpath(".//dt")] == ["remark"]
        assert [each.text_content() for each in section.xpath(".//li")] == ["Note number 1", "<b> & c"]
        assert "Övriga fält" in portal.page(HAY, language="sv").words
