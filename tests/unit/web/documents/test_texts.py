"""The text of a document, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.unit.web.documents.conftest import Open, shelved
from tests.unit.web.documents.folder import SOURCE, Folder, pdf
from tests.unit.web.documents.stage import opened
from tests.unit.web.portal.stage import Page, Portal
from windrow.model.document import Heading
from windrow.model.file_content import Extract
from windrow.search.record_addresses import document_path, record_path
from windrow.web.documents.document_files import check_public_record
from windrow.web.documents.document_text import PAGE_LETTERS, PagedText, PagedTextCache

PAGES = ("Of meadows.", "Of rain.", "The scythe, sharp.", "", "A scythe again, and scythes.")


def path_of(identifier: str, **query: str | int) -> str:
    return document_path("text", SOURCE, identifier, **query)


class Reading(NamedTuple):
    """A portal, and the report that can be read there."""

    portal: Portal
    report: str

    def page(self, **query: str | int) -> Page:
        return self.portal.page(path_of(self.report, **query))


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reading]:
    """A report of some pages, on a portal."""
    path = tmp_path_factory.mktemp("texts")
    with shelved(path) as folder:
        report = add_report(folder)
        with opened(path / "library", folder) as portal:
            yield Reading(portal, report)


def add_report(folder: Folder) -> str:
    headings = (Heading("Tools", 1, 3), Heading("Nowhere", 2, 99), Heading("Unplaced", 9))
    said = (("title", "Mowing"), ("language", "en"))
    extract = Extract("application/pdf", said=said, text=PAGES, is_paged=True, headings=headings)
    return folder.add("report.pdf", pdf(PAGES), extract)


def test_a_page_of_text_is_shown_with_the_ways_to_its_neighbours(reading: Reading) -> None:
    report = reading.report
    page = reading.page(page=2)
    assert page.texts("//*[@class='leaf-text']") == ["Of rain."]
    assert page.texts("//p[@class='standing']") == ["Page 2 of 5"]
    assert page.link("Previous page") == path_of(report)
    assert page.link("Next page") == path_of(report, page=3)
    assert page.root.xpath("//link[@rel='prev']/@href") == [path_of(report)]
    assert page.root.xpath("//link[@rel='next']/@href") == [path_of(report, page=3)]
    assert page.link("About this document") == record_path(SOURCE, report)


def test_what_was_looked_for_is_marked_and_its_pages_are_counted(reading: Reading) -> None:
    report = reading.report
    page = reading.page(page=3, q="scythe")
    assert page.texts("//mark[@id='hit']") == ["scythe"]
    assert "2 of 5 pages have it." in page.words
    assert page.link("Next hit") == f"{path_of(report, page=5, q='scythe')}#hit"
    assert page.links("Previous hit") == []


def test_other_forms_are_marked_and_only_the_first_is_the_target(reading: Reading) -> None:
    page = reading.page(page=5, q="scythe")
    assert page.texts("//mark") == ["scythe", "scythes"]
    assert len(page.root.xpath("//*[@id='hit']")) == 1


def test_who_names_no_page_is_led_to_the_first_hit(reading: Reading) -> None:
    assert reading.page(q="scythe").texts("//p[@class='standing']") == ["Page 3 of 5"]
    assert reading.page().texts("//p[@class='standing']") == ["Page 1 of 5"]


def test_the_first_page_can_be_reached_from_a_search(reading: Reading) -> None:
    back = reading.page(page=2, q="scythe").link("Previous page")
    assert reading.portal.page(back).texts("//p[@class='standing']") == ["Page 1 of 5"]


def test_a_word_that_is_nowhere_is_told_so(reading: Reading) -> None:
    assert "It is on none of the 5 pages." in reading.page(q="combine").words


def test_a_page_without_text_is_shown_as_such(reading: Reading) -> None:
    page = reading.page(page=4)
    assert page.status == 200
    assert "There is no text on this page." in page.words


def test_a_pdf_has_the_picture_of_its_page_and_the_original_at_it(reading: Reading) -> None:
    report = reading.report
    page = reading.page(page=3)
    picture = document_path("picture", SOURCE, report, size=320, page=3)
    assert page.root.xpath("//figure//img/@src") == [picture]
    assert page.link("Original file") == document_path("original", SOURCE, report) + "#page=3"


def test_the_table_of_contents_leads_to_pages_that_are_there(reading: Reading) -> None:
    report = reading.report
    page = reading.page()
    assert page.link("Tools") == path_of(report, page=3)
    assert page.texts("//ol[@class='toc']/li") == ["Tools", "Nowhere", "Unplaced"]
    assert page.links("Nowhere") == page.links("Unplaced") == []


def test_only_texts_without_a_search_are_for_search_engines(reading: Reading) -> None:
    report = reading.report
    plain, marked = reading.page(page=2), reading.page(page=2, q="rain")
    assert not plain.root.xpath("//meta[@name='robots']")
    assert "x-robots-tag" not in plain.got.headers
    assert marked.got.headers["x-robots-tag"] == "noindex"
    address = "https://library.example" + path_of(report, page=2)
    for page in (plain, marked):
        assert page.root.xpath("//link[@rel='canonical']/@href") == [address]


def test_a_text_without_pages_is_shown_in_parts(folder: Folder, serve: Open) -> None:
    text = "hay\n" * (PAGE_LETTERS // 4) + "hay\n" * 500 + "needle"
    note = folder.add("note.txt", b"x", Extract("text/plain", text=(text,)))
    portal = serve()
    first = portal.page(path_of(note))
    assert first.texts("//p[@class='standing']") == ["Part 1 of 2"]
    assert first.link("Next part") == path_of(note, part=2)
    found = portal.page(path_of(note, q="needle"))
    assert found.texts("//mark") == ["needle"]
    assert found.texts("//p[@class='standing']") == ["Part 2 of 2"]
    assert portal.page(found.link("Previous part")).texts("//p[@class='standing']") == ["Part 1 of 2"]


def test_a_hit_in_a_late_part_of_a_page_is_shown_when_the_page_is_asked_for(
    folder: Folder, serve: Open
) -> None:
    text = "hay\n" * (PAGE_LETTERS // 2) + "needle"
    paper = folder.add("a.pdf", b"x", Extract("application/pdf", text=("", text), is_paged=True))
    assert serve().page(path_of(paper, page=2, q="needle")).texts("//mark") == ["needle"]


def test_a_short_text_has_no_pages_to_go_to(folder: Folder, serve: Open) -> None:
    note = folder.add("note.txt", b"x", Extract("text/plain", text=("hay",)))
    page = serve().page(path_of(note))
    assert not page.root.xpath("//form[@class='goto'] | //p[@class='standing']")
    assert "It is not in this text." in serve().page(path_of(note, q="straw")).words


def test_markup_in_a_text_stays_text(folder: Folder, serve: Open) -> None:
    evil = "</div><script>alert(1)</script><b onclick=x>bold</b> \x00\x1b[31m"
    note = folder.add(
        "evil.html", evil.encode(), Extract("text/html", text=(evil,), headings=(Heading(evil),))
    )
    page = serve().page(path_of(note, q="<b>alert</b>"))
    assert "<script>alert(1)</script>" in page.root.xpath("string(//div[@class='leaf-text'])")
    assert not page.root.xpath("//main//script | //main//b | //*[@onclick]")


def test_the_language_of_a_text_is_told_where_it_is_another(folder: Folder, serve: Open) -> None:
    note = folder.add("n.txt", b"x", Extract("text/plain", said=(("language", "fi"),), text=("heinä",)))
    portal = serve()
    assert portal.page(path_of(note)).root.xpath("//div[@class='leaf-text']/@lang") == ["fi"]
    assert portal.page(path_of(note), language="fi").root.xpath("//div[@class='leaf-text']/@lang") == []


@pytest.mark.parametrize("query", ["page=6", "page=0", "page=x", "page=1&part=2", "page=99999999999"])
def test_a_page_that_is_not_there_leads_nowhere(reading: Reading, query: str) -> None:
    assert reading.portal.ask(f"{path_of(reading.report)}?{query}").status == 404


def test_a_document_without_text_has_no_such_page(folder: Folder, serve: Open) -> None:
    photo = folder.add("a.jpg", b"x", Extract("image/jpeg"))
    folder.catalogue.add("oai:hay.example:1", title="Not a file")
    portal = serve()
    assert portal.ask(path_of(photo)).status == 404
    assert portal.ask(document_path("text", "hay", "oai:hay.example:1")).status == 404


def test_a_text_that_changed_is_shown_as_it_is_now(folder: Folder, serve: Open) -> None:
    note = folder.add("n.txt", b"x", Extract("text/plain", text=("old hay",)))
    portal = serve()
    assert portal.page(path_of(note)).texts("//*[@class='leaf-text']") == ["old hay"]
    folder.add("n.txt", b"y", Extract("text/plain", text=("new hay",)))
    assert portal.page(path_of(note)).texts("//*[@class='leaf-text']") == ["new hay"]


def test_only_so_much_text_is_remembered(folder: Folder) -> None:
    note, other = (folder.add(f"{n}.txt", b"x", Extract("text/plain", text=("hay" * 10,))) for n in range(2))
    books = PagedTextCache(folder.catalogue.store, most_letters=40)

    def take(name: str) -> PagedText:
        return books.take(check_public_record(folder.catalogue.store, SOURCE, name), SOURCE, name)

    first = take(note)
    assert take(note) is first
    take(other)
    assert take(note) is not first


def test_a_crawler_that_has_a_page_is_told_so(reading: Reading) -> None:
    path = path_of(reading.report, page=2)
    first = reading.portal.ask(path)
    known = {"If-None-Match": first.headers["etag"]}
    assert reading.portal.ask(path, headers=known).status == 304
    assert reading.portal.ask(path_of(reading.report, page=3), headers=known).status == 200
    assert reading.portal.ask(path, headers=known, language="sv").status == 200


def test_a_withdrawn_text_is_gone(folder: Folder, serve: Open) -> None:
    report = add_report(folder)
    folder.catalogue.withdraw(report, source=SOURCE)
    assert serve().ask(path_of(report)).status == 410
