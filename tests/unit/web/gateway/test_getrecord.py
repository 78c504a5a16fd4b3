"""`/gateway/getrecord/FORMAT/IDENTIFIER`: the same page for the same record, whoever asks and whenever."""

from __future__ import annotations

from collections.abc import Callable
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.gateway.getrecord_stage import Desk, opened, whole
from tests.unit.web.portal.stage import SETTINGS, Page
from windrow.search.record_addresses import record_path
from windrow.side_process import SideProcess
from windrow.store.published.public_records import find_by_identifier
from windrow.store.records import record_reader
from windrow.store.records.set_hierarchy import guard_set

MODS = (
    b'<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>Hay</title><subTitle>a study</subTitle>'
    b'</titleInfo><name type="personal"><namePart type="family">Mower</namePart><namePart type="given">Ann'
    b"</namePart><role><roleTerm>author</roleTerm></role></name></mods>"
)
ODD = [
    "oai:NACA:1917:naca-report-10",
    "oai:hay.example:a/b",
    "a//b",
    "a/../b",
    "/start",
    "end/",
    "..",
    "a%2Fb",
    "a%252Fb",
    "a?b=c",
    "a#b",
    "a b",
    "å/ö ✓",
    "a+b&c=d;e",
    "quo\"te'<b>",
    "a\\b",
    "oai_dc/oai:other",
]


def merge(catalogue: Catalogue, old: str, new: str) -> None:
    store = catalogue.store
    with store.writing() as connection:
        target = find_by_identifier(connection, new, "oai_dc")
        assert target is not None
        record_reader.add_alias(
            connection, catalogue.shelf("hay").source_id, old, target.number, now=2_000_000
        )


def test_a_record_is_shown_at_the_address_that_dp9_gave_it(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:NACA:1917:naca-report-10", title="Report on hay", creator="Mower, Ann")
    got = desk.path("/gateway/getrecord/oai_dc/oai:NACA:1917:naca-report-10")
    page = Page(got)
    assert got.status == 200
    assert page.heading == "Report on hay"
    assert page.texts("//dl[@class='payload']/dt") == ["Title", "Author"]
    assert page.texts("//dl[@class='payload']/dd") == ["Report on hay", "Mower, Ann"]


@pytest.mark.parametrize("identifier", ODD)
def test_every_identifier_leads_to_its_record_and_from_there_to_its_page(
    shelved: Catalogue, desk: Desk, identifier: str
) -> None:
    shelved.add(identifier, title="The right one")
    shelved.add("oai:other", title="Another")
    page = desk.page(identifier)
    assert (page.status, page.heading) == (200, "The right one")
    (canonical,) = page.root.xpath("//link[@rel='canonical']/@href")
    assert canonical == "https://library.example" + record_path("hay", identifier)
    assert Page(desk.path(str(canonical).removeprefix("https://library.example"))).heading == "The right one"
    assert b"The right one" in desk.path(page.link("XML")).body


def test_the_page_is_the_same_for_every_language_of_the_reader(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:a", title="Hay")
    asked = [
        desk.ask("oai:a", headers={"Accept-Language": language, "Cookie": f"windrow_language={language}"})
        for language in ("en", "fi", "sv")
    ]
    assert len({got.body for got in asked}) == 1
    assert asked[0].headers["vary"] == "accept-encoding"


def test_the_page_is_the_same_after_other_records_came(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:a", title="Hay")
    before = desk.ask("oai:a")
    shelved.add("oai:b", title="Straw")
    after = desk.ask("oai:a")
    assert (before.body, before.headers["etag"]) == (after.body, after.headers["etag"])


def test_the_words_around_are_in_the_language_of_the_portal(
    tmp_path: Path, shelved: Catalogue, engine: SideProcess
) -> None:
    shelved.add("oai:a", title="Hay", subject="meadows")
    with opened(tmp_path, shelved, engine, settings=SETTINGS + '[portal]\nlanguage = "sv"\n') as served:
        page = served.page("oai:a")
        assert page.root.xpath("/html/@lang") == ["sv"]
        assert page.texts("//dl[@class='payload']/dt") == ["Titel", "Ämne"]


def test_title_and_description_are_those_of_the_record_page(shelved: Catalogue, desk: Desk) -> None:
    for number, (title, description) in enumerate(
        [
            ("Hay", "How it is made."),
            ("word " * 100, "and " * 500),
            ("\u200b", ""),
            ("  <b>Hay</b>\x85 & straw ", "one\n\ntwo"),
        ]
    ):
        shelved.add(f"oai:{number}", title=title, description=description)
        for path in (
            "//title/text()",
            "//meta[@name='description']/@content",
            "//link[@rel='canonical']/@href",
        ):
            here = desk.page(f"oai:{number}").root.xpath(path)
            there = Page(desk.path(record_path("hay", f"oai:{number}"))).root.xpath(path)
            assert here == there


def test_search_engines_may_keep_the_page(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:a", title="Hay")
    got = desk.ask("oai:a")
    assert "x-robots-tag" not in got.headers
    assert not Page(got).root.xpath("//meta[@name='robots']")


def test_a_record_is_given_in_dublin_core_whatever_it_came_in(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:a", prefix="mods", payload=MODS)
    page = desk.page("oai:a")
    assert "Mower, Ann" in page.words
    assert page.link("mods") == "/gateway/getrecord/mods/oai:a"
    assert page.link("XML") == "/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai%3Aa"


def test_a_format_is_shown_by_its_own_stylesheet(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:a", prefix="mods", payload=MODS)
    page = desk.page("oai:a", "mods")
    assert page.texts("//dl[@class='payload']/dd")[0] == "Hay: a study"
    assert page.texts("//dl[@class='payload']/dd")[1].startswith("Mower, Ann (author)")
    assert page.link("XML") == "/form/format/mods/hay/oai:a"
    assert page.texts("//*[@aria-current='page']") == ["mods"]


@pytest.mark.parametrize("prefix", ["mods", "..", "oai_dc.xsl", "", "a" * 300, "\x00", "%2e%2e"])
def test_a_format_that_is_not_there_is_not_found_and_the_others_are_named(
    shelved: Catalogue, desk: Desk, prefix: str
) -> None:
    shelved.add("oai:a", title="Hay")
    got = desk.ask("oai:a", prefix) if prefix else desk.path("/gateway/getrecord//oai:a")
    page = Page(got)
    assert page.status == 404
    assert page.links("oai_dc") == ["/gateway/getrecord/oai_dc/oai:a"]
    assert got.headers["x-robots-tag"] == "noindex"


@pytest.mark.parametrize("identifier", ["oai:none", "", "x" * 3000])
def test_an_identifier_that_is_not_there_is_not_found_and_the_formats_are_named(
    shelved: Catalogue, desk: Desk, identifier: str
) -> None:
    shelved.add("oai:a", prefix="mods", payload=MODS)
    page = desk.page(identifier)
    assert page.status == 404
    assert page.texts("//main//li") == ["oai_dc", "mods"]


def test_a_withdrawn_record_is_gone(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:a", title="Hay")
    shelved.withdraw("oai:a")
    page = desk.page("oai:a")
    assert (page.status, page.heading) == (410, "This record was withdrawn")
    assert desk.ask("oai:a", headers={"If-Modified-Since": "Fri, 01 Jan 2038 00:00:00 GMT"}).status == 410


def test_a_guarded_record_does_not_exist(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:secret", title="Secret", sets=(guard_set("staff"),))
    got = desk.ask("oai:secret")
    assert got.status == 404
    assert b"Secret" not in got.body


def test_of_several_sources_the_first_that_everybody_may_see_is_shown(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:a", source="hay", title="Guarded", sets=(guard_set("staff"),))
    shelved.add("oai:a", source="oats", title="From oats")
    shelved.add("oai:a", source="rye", title="From rye")
    assert desk.page("oai:a").heading == "From oats"


def test_of_several_sources_one_that_still_has_the_record_is_shown(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:a", source="hay", title="From hay")
    shelved.add("oai:a", source="oats", title="From oats")
    shelved.withdraw("oai:a", source="hay")
    assert desk.page("oai:a").heading == "From oats"
    shelved.withdraw("oai:a", source="oats")
    assert desk.ask("oai:a").status == 410


def test_of_several_sources_one_that_gave_the_record_in_the_format_is_shown(
    shelved: Catalogue, desk: Desk
) -> None:
    shelved.add("oai:a", source="hay", title="From hay")
    shelved.add("oai:a", source="oats", prefix="qdc", title="From oats")
    assert desk.page("oai:a", "qdc").heading == "From oats"
    assert desk.page("oai:a", "oai_dc").heading == "From hay"


@pytest.mark.parametrize("old", ["oai:old", "oai:old/% ä"])
def test_a_merged_identifier_leads_to_the_same_format_of_its_record(
    shelved: Catalogue, desk: Desk, old: str
) -> None:
    shelved.add("oai:new/1 ä", title="New")
    shelved.add(old, title="Old")
    shelved.withdraw(old)
    merge(shelved, old, "oai:new/1 ä")
    got = desk.ask(old)
    assert (got.status, got.headers["location"]) == (301, "/gateway/getrecord/oai_dc/oai:new/1%20%C3%A4")
    assert Page(desk.path(got.headers["location"])).heading == "New"


def test_a_merged_identifier_that_was_never_here_leads_on_as_well(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:new", title="New")
    merge(shelved, "oai:never", "oai:new")
    assert desk.ask("oai:never", "mods").headers["location"] == "/gateway/getrecord/mods/oai:new"


def test_a_record_that_is_there_is_shown_though_it_was_merged(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:new", title="New")
    shelved.add("oai:old", title="Back again")
    merge(shelved, "oai:old", "oai:new")
    assert desk.page("oai:old").heading == "Back again"


def test_links_work_where_the_site_is_below_a_path(
    tmp_path: Path, shelved: Catalogue, engine: SideProcess
) -> None:
    shelved.add("oai:a", prefix="mods", payload=MODS)
    merge(shelved, "oai:old", "oai:a")
    with opened(tmp_path, shelved, engine, path="/library") as served:
        page = Page(served.path("/library/gateway/getrecord/mods/oai:a"))
        assert page.link("oai_dc") == "/library/gateway/getrecord/oai_dc/oai:a"
        assert page.link("Page of this record") == "/library/record/hay/oai:a"
        assert page.root.xpath("//link[@rel='canonical']/@href") == [
            "https://library.example/library/record/hay/oai:a"
        ]
        assert served.ask("oai:old").headers["location"] == "/library/gateway/getrecord/oai_dc/oai:a"


def test_whoever_changes_the_language_comes_to_the_page_of_the_record(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:a/b c", title="Hay")
    got = desk.path(desk.page("oai:a/b c").link("Suomi"))
    assert (got.status, got.headers["location"]) == (303, record_path("hay", "oai:a/b c"))


def test_a_client_that_has_the_page_is_told_so(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:a", title="Hay")
    got = desk.ask("oai:a")
    for name, value in (("If-None-Match", "etag"), ("If-Modified-Since", "last-modified")):
        again = desk.ask("oai:a", headers={name: got.headers[value]})
        assert (again.status, again.body) == (304, b"")
        assert again.headers["etag"] == got.headers["etag"]
    assert parsedate_to_datetime(got.headers["last-modified"]).timestamp() == 1_003_600


def test_nothing_is_rendered_for_a_client_that_has_the_page(tmp_path: Path, shelved: Catalogue) -> None:
    shelved.add("oai:a", title="Hay")
    silent = SideProcess("windrow.no_such_module", seconds=1.0)
    with opened(tmp_path, shelved, silent) as served:
        assert served.ask("oai:a", headers={"If-None-Match": "*"}).status == 304


@pytest.mark.parametrize(
    "change",
    [
        lambda desk: desk.catalogue.add("oai:a", title="Better hay"),
        lambda desk: desk.catalogue.add("oai:a", prefix="mods", payload=MODS),
        lambda desk: desk.drop("oai_dc.xsl", whole("<p>Mine</p>")),
    ],
)
def test_a_page_that_changes_gets_another_tag(
    shelved: Catalogue, desk: Desk, change: Callable[[Desk], object]
) -> None:
    shelved.add("oai:a", title="Hay")
    before = desk.ask("oai:a")
    change(desk)
    after = desk.ask("oai:a", headers={"If-None-Match": before.headers["etag"]})
    assert after.status == 200
    assert after.headers["etag"] != before.headers["etag"]


def test_another_look_is_another_page_by_date_as_well(
    tmp_path: Path, shelved: Catalogue, engine: SideProcess
) -> None:
    shelved.add("oai:a", title="Hay")
    with opened(tmp_path, shelved, engine) as served:
        before = served.ask("oai:a").headers["last-modified"]
    shelved.add("oai:b", title="An hour later")
    with opened(tmp_path, shelved, engine, settings=SETTINGS.replace("The barn", "The loft")) as served:
        assert served.ask("oai:a", headers={"If-Modified-Since": before}).status == 200


def test_a_date_makes_no_page_of_a_format_that_is_not_there(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:a", title="Hay")
    headers = {"If-Modified-Since": "Fri, 01 Jan 2038 00:00:00 GMT"}
    assert desk.ask("oai:a", "mods", headers=headers).status == 404


def test_head_gives_the_headers_alone(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:a", title="Hay")
    got, head = desk.ask("oai:a"), desk.ask("oai:a", method="HEAD")
    assert (head.status, head.body) == (200, b"")
    assert {**head.headers, "date": ""} == {**got.headers, "date": ""}


def test_nothing_can_be_written(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:a", title="Hay")
    assert desk.ask("oai:a", method="POST").status == 405


def test_a_record_that_is_shown_counts_as_looked_at(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:a", title="Hay")
    desk.ask("oai:a")
    desk.ask("oai:none")
    assert desk.looked_at == [(1, "hay")]
