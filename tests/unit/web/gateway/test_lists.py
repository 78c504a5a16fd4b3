"""The way to every record: the entry, a repository's pages, and the records on each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.gateway.shelves import Gateway, opened
from tests.unit.web.portal.stage import SETTINGS
from windrow.store import runs
from windrow.store.published.list_pages import update_list_pages
from windrow.store.records.set_hierarchy import guard_set
from windrow.web.gateway import gateway_front_end


def records(gateway: Gateway, path: str) -> list[str]:
    """The links to records on a page."""
    return [
        str(each) for each in gateway.page(path).root.xpath("//main//a[contains(@href, '/record/')]/@href")
    ]


def test_the_entry_lists_every_repository_with_its_size(gateway: Gateway) -> None:
    page = gateway.page("/gateway/")
    assert page.texts("//tbody/tr") == ["hay 5 not yet", "oats 1 not yet"]
    assert page.link("hay") == "/gateway/hay/"
    assert gateway.page("/gateway").words == page.words


def test_the_entry_tells_when_a_repository_was_last_harvested_well(gateway: Gateway) -> None:
    shelf = gateway.catalogue.shelf("hay")
    with shelf.store.writing() as connection:
        connection.execute(
            "UPDATE run SET ended = '2024-06-01T12:30:00+00:00', outcome = 'ok' WHERE id = ?", (shelf.run_id,)
        )
        assert runs.last_good(connection, "hay") is not None
    assert "1\xa0June 2024 12:30 UTC".replace("\xa0", " ") in gateway.page("/gateway/").words


def test_the_entry_is_not_made_again_for_whoever_has_it(gateway: Gateway) -> None:
    got = gateway.ask("/gateway/")
    has = {"If-None-Match": got.headers["etag"]}
    again = gateway.ask("/gateway/", headers=has)
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", got.headers["etag"])
    assert gateway.ask("/gateway/", language="fi", headers=has).status == 200
    gateway.catalogue.withdraw("oai:hay.example:1")
    gateway.follow()
    assert gateway.ask("/gateway/", headers=has).status == 200


def test_a_library_without_records_says_what_to_do(tmp_path: Path, shelved: Catalogue) -> None:
    update_list_pages(shelved.store)
    with opened(tmp_path, shelved, settings='[library]\nname = "The barn"\n') as gateway:
        page = gateway.page("/gateway/")
    assert "windrow source add NAME URL windrow harvest" in page.words
    assert not page.root.xpath("//main//a | //main//table")


def test_a_repository_that_has_nothing_leads_nowhere(gateway: Gateway) -> None:
    gateway.catalogue.withdraw("oai:oats.example:1", source="oats")
    gateway.follow()
    page = gateway.page("/gateway/")
    assert page.texts("//tbody/tr")[1] == "oats 0 not yet"
    assert not page.links("oats")
    assert gateway.page("/gateway/oats/").words.count("None of these records is there any more.") == 1


def test_a_repository_lists_its_pages(gateway: Gateway) -> None:
    page = gateway.page("/gateway/hay/")
    assert page.heading == "hay"
    assert page.root.xpath("//main//nav//a/@href") == ["/gateway/hay/1", "/gateway/hay/2", "/gateway/hay/3"]
    assert "5 records" in page.words


def test_a_page_lists_its_records_by_title_or_else_by_identifier(gateway: Gateway) -> None:
    assert records(gateway, "/gateway/hay/1") == [
        "/record/hay/oai:hay.example:1",
        "/record/hay/oai:hay.example:a/b%3Fc%23d%20e",
    ]
    page = gateway.page("/gateway/hay/2")
    assert page.texts("//main//li") == ["oai:hay.example:3", "Chaff oai:hay.example:4"]
    assert page.heading == "hay · Page 2"
    assert page.link("Previous") == "/gateway/hay/1"
    assert page.link("Next") == "/gateway/hay/3"
    assert not gateway.page("/gateway/hay/1").links("Previous")
    assert not gateway.page("/gateway/hay/3").links("Next")


def test_what_is_deleted_is_on_no_page_and_moves_nothing(gateway: Gateway) -> None:
    before = records(gateway, "/gateway/hay/2")
    gateway.catalogue.withdraw("oai:hay.example:1")
    gateway.follow()
    assert records(gateway, "/gateway/hay/1") == ["/record/hay/oai:hay.example:a/b%3Fc%23d%20e"]
    assert records(gateway, "/gateway/hay/2") == before


def test_what_is_not_for_everybody_is_on_no_page(gateway: Gateway) -> None:
    gateway.catalogue.add("oai:hay.example:1", title="Hay", sets=(guard_set("staff"),))
    gateway.follow()
    assert records(gateway, "/gateway/hay/1") == ["/record/hay/oai:hay.example:a/b%3Fc%23d%20e"]
    assert "4 records" in gateway.page("/gateway/hay/").words


def test_a_page_of_which_nothing_is_left_says_so_and_is_linked_from_nowhere(gateway: Gateway) -> None:
    gateway.catalogue.withdraw("oai:hay.example:3")
    gateway.catalogue.withdraw("oai:hay.example:4")
    gateway.follow()
    page = gateway.page("/gateway/hay/2")
    assert page.status == 200
    assert "None of these records is there any more." in page.words
    assert page.link("Previous") == "/gateway/hay/1"
    assert gateway.page("/gateway/hay/1").link("Next") == "/gateway/hay/3"
    assert "/gateway/hay/2" not in gateway.page("/gateway/hay/").root.xpath("//a/@href")


def test_very_many_pages_come_in_groups(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway_front_end, "PAGES_PER_GROUP", 2)
    page = gateway.page("/gateway/hay/")
    assert page.root.xpath("//main//nav//a/@href") == ["/gateway/hay/pages/1", "/gateway/hay/pages/2"]
    assert page.texts("//main//nav//a") == ["Pages 1 to 2", "Pages 3 to 3"]
    first, last = gateway.page("/gateway/hay/pages/1"), gateway.page("/gateway/hay/pages/2")
    assert first.root.xpath("//main//nav//a/@href") == ["/gateway/hay/1", "/gateway/hay/2"]
    assert last.root.xpath("//main//nav//a/@href") == ["/gateway/hay/3"]
    assert last.heading == "hay · Pages 3 to 3"
    assert gateway.ask("/gateway/hay/pages/3").status == 404


@pytest.mark.parametrize("path", ["/gateway/", "/gateway/hay/", "/gateway/hay/1", "/gateway/hay/pages/1"])
def test_lists_are_followed_and_not_kept_by_search_engines(gateway: Gateway, path: str) -> None:
    got = gateway.ask(path)
    assert got.headers["x-robots-tag"] == "noindex"
    page = gateway.page(path)
    assert page.root.xpath("//meta[@name='robots']/@content") == ["noindex,follow"]
    assert page.root.xpath("//link[@rel='canonical']/@href") == [f"https://library.example{path}"]


@pytest.mark.parametrize("path", ["/gateway/hay/", "/gateway/hay/1", "/gateway/hay/pages/1"])
def test_a_list_that_a_client_has_already_is_not_made_again(gateway: Gateway, path: str) -> None:
    got = gateway.ask(path)
    again = gateway.ask(path, headers={"If-None-Match": got.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    assert again.headers["etag"] == got.headers["etag"]
    dated = gateway.ask(path, headers={"If-Modified-Since": got.headers["last-modified"]})
    assert dated.status == 304
    swedish = gateway.ask(path, language="sv", headers={"If-None-Match": got.headers["etag"]})
    assert swedish.status == 200


def test_another_look_is_another_list_by_tag_and_by_date(tmp_path: Path, shelved: Catalogue) -> None:
    shelved.add("oai:a", title="Hay")
    update_list_pages(shelved.store)
    with opened(tmp_path, shelved) as gateway:
        before = gateway.ask("/gateway/hay/1").headers
    shelved.add("oai:b", source="oats", title="An hour later")
    with opened(tmp_path, shelved, settings=SETTINGS.replace("The barn", "The hayloft")) as gateway:
        for name, value in (("If-None-Match", "etag"), ("If-Modified-Since", "last-modified")):
            assert gateway.ask("/gateway/hay/1", headers={name: before[value]}).status == 200


def test_a_page_changes_only_when_its_records_do(gateway: Gateway) -> None:
    first, second = gateway.ask("/gateway/hay/1"), gateway.ask("/gateway/hay/2")
    gateway.catalogue.add("oai:hay.example:3", title="Now with a title")
    gateway.catalogue.add("oai:hay.example:6", title="One more")
    gateway.follow()
    same = gateway.ask("/gateway/hay/1", headers={"If-None-Match": first.headers["etag"]})
    assert same.status == 304
    assert gateway.ask("/gateway/hay/1").body == first.body
    other = gateway.ask("/gateway/hay/2", headers={"If-None-Match": second.headers["etag"]})
    assert other.status == 200
    assert other.headers["last-modified"] > second.headers["last-modified"]
    assert b"Now with a title" in other.body


@pytest.mark.parametrize(
    "path",
    [
        "/gateway/straw/",
        "/gateway/straw/1",
        "/gateway/hay/4",
        "/gateway/hay/0",
        "/gateway/hay/x",
        "/gateway/hay/01",
        "/gateway/hay/1/",
        "/gateway/hay/99999999999999999999",
        "/gateway/%00/",
        "/gateway/hay/-1",
    ],
)
def test_a_list_that_is_not_there_is_not_found(gateway: Gateway, path: str) -> None:
    assert gateway.ask(path).status == 404


def test_records_by_format_are_left_to_whoever_has_them(gateway: Gateway) -> None:
    assert (
        gateway.ask("/gateway/getrecord/oai_dc/oai:hay.example:1").text
        == "record /oai_dc/oai:hay.example:1\n"
    )
    assert gateway.ask("/gateway/getrecord/oai_dc/a/b/1").text == "record /oai_dc/a/b/1\n"


def test_lists_are_read_and_nothing_else(gateway: Gateway) -> None:
    assert gateway.server.ask("/gateway/", "POST").status == 405
    head = gateway.server.ask("/gateway/hay/1", "HEAD")
    assert (head.status, head.body) == (200, b"")


def test_until_all_records_are_laid_out_nobody_is_told_less(tmp_path: Path, shelved: Catalogue) -> None:
    shelved.add("oai:hay.example:1", title="Hay")
    with opened(tmp_path, shelved) as gateway:
        for path in ("/gateway/", "/gateway/hay/", "/gateway/hay/1", "/sitemap.xml", "/sitemaps/hay-1.xml"):
            got = gateway.ask(path)
            assert (got.status, got.headers["retry-after"]) == (503, "10"), path
        for path in ("/gateway/straw/", "/gateway/straw/1", "/sitemaps/straw-1.xml"):
            assert gateway.ask(path).status == 404, path
        gateway.follow()
        assert gateway.ask("/gateway/hay/1").status == 200


def test_a_site_under_a_path_links_to_itself(tmp_path: Path, shelved: Catalogue) -> None:
    shelved.add("oai:hay.example:1", title="Hay")
    update_list_pages(shelved.store)
    with opened(tmp_path, shelved, path="/windrow") as gateway:
        assert gateway.page("/windrow/gateway/").link("hay") == "/windrow/gateway/hay/"
        assert records(gateway, "/gateway/hay/1") == ["/windrow/record/hay/oai:hay.example:1"]
        canonical = gateway.page("/gateway/hay/1").root.xpath("//link[@rel='canonical']/@href")
        assert canonical == ["https://library.example/windrow/gateway/hay/1"]


def test_titles_of_strangers_are_words_and_never_markup(gateway: Gateway) -> None:
    hostile = "<script>alert(1)</script>\u202e" + "x" * 100_000
    gateway.catalogue.add("oai:hay.example:1", title=hostile)
    gateway.catalogue.add("oai:hay.example:5", title="\u200b \u2063")
    gateway.follow()
    page = gateway.page("/gateway/hay/1")
    assert not page.root.xpath("//main//script")
    assert len(page.got.body) < 20_000
    assert gateway.page("/gateway/hay/3").texts("//main//li") == ["oai:hay.example:5"]


def test_every_page_of_the_site_leads_to_the_lists(gateway: Gateway) -> None:
    for path in ("/gateway/", "/gateway/hay/1"):
        assert "/gateway/" in gateway.page(path).root.xpath("//footer//a/@href")


def test_the_lists_speak_swedish_and_finnish(gateway: Gateway) -> None:
    assert gateway.page("/gateway/hay/2", language="sv").heading == "hay · Sida 2"
    assert gateway.page("/gateway/hay/2", language="fi").heading == "hay · Sivu 2"
