"""The sitemaps: every record that everybody may see, once, and a `lastmod` that is true to the second."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.gateway.shelves import Gateway, opened
from windrow.store.published import list_pages
from windrow.store.records.set_hierarchy import guard_set
from windrow.web.sitemaps import sitemap_files

SPACE = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}
COLLECTIONS = '[collections.fields]\ntitle = "Fields"\nsources = ["hay"]\n[sources.hay]\nurl = "https://hay.example/oai"\n'


@pytest.fixture
def gateway(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gateway]:
    """Five records of two sources, two on a leaf, two leaves in a file."""
    monkeypatch.setattr(list_pages, "PAGE_RECORDS", 2)
    monkeypatch.setattr(sitemap_files, "LEAVES_PER_FILE", 2)
    catalogue = Catalogue(tmp_path)
    for number in range(1, 6):
        catalogue.add(f"oai:hay.example:{number}", title="Hay")  # an hour after each other
    catalogue.add("oai:oats-1.example:x/y?z", source="oats-1", title="Oats")
    with opened(tmp_path, catalogue) as served:
        served.follow()
        yield served
    catalogue.close()


def pairs(body: bytes) -> dict[str, str | None]:
    """Each address with its `lastmod`; it fails where one is there twice."""
    found = [
        (str(each.findtext("s:loc", None, SPACE)), each.findtext("s:lastmod", None, SPACE))
        for each in etree.fromstring(body)
    ]
    assert len(dict(found)) == len(found)
    return dict(found)


def listed(gateway: Gateway) -> dict[str, str | None]:
    return pairs(gateway.ask("/sitemap.xml").body)


def inside(gateway: Gateway, url: str) -> dict[str, str | None]:
    body = gateway.ask(url.removeprefix("https://library.example")).body
    return pairs(gzip.decompress(body) if url.endswith(".gz") else body)


FILES = "https://library.example/sitemaps/"


def test_the_index_names_every_file_and_when_it_last_changed(gateway: Gateway) -> None:
    assert listed(gateway) == {
        f"{FILES}-pages.xml.gz": None,
        f"{FILES}hay-1.xml.gz": "1970-01-12T17:46:40Z",
        f"{FILES}hay-2.xml.gz": "1970-01-12T18:46:40Z",
        f"{FILES}oats-1-1.xml.gz": "1970-01-12T19:46:40Z",
    }


def test_the_files_have_every_record_once_with_its_own_moment(gateway: Gateway) -> None:
    record = "https://library.example/record/"
    assert inside(gateway, f"{FILES}hay-1.xml.gz") == {
        f"{record}hay/oai:hay.example:{number}": f"1970-01-12T{13 + number}:46:40Z" for number in range(1, 5)
    }
    assert list(inside(gateway, f"{FILES}hay-2.xml")) == [f"{record}hay/oai:hay.example:5"]
    assert list(inside(gateway, f"{FILES}oats-1-1.xml")) == [f"{record}oats-1/oai:oats-1.example:x/y%3Fz"]


def test_a_packed_file_has_the_same_in_it_and_the_same_bytes_each_time(gateway: Gateway) -> None:
    plain, packed = gateway.ask("/sitemaps/hay-1.xml"), gateway.ask("/sitemaps/hay-1.xml.gz")
    assert gzip.decompress(packed.body) == plain.body
    assert plain.headers["content-type"] == "text/xml; charset=utf-8"
    assert packed.headers["content-type"] == "application/gzip"
    assert "content-encoding" not in packed.headers
    assert gateway.ask("/sitemaps/hay-1.xml.gz").body == packed.body
    assert plain.headers["etag"] != packed.headers["etag"]


def test_only_a_file_whose_records_changed_is_new(gateway: Gateway) -> None:
    before, first = listed(gateway), gateway.ask("/sitemaps/hay-1.xml").body
    gateway.catalogue.add("oai:hay.example:5", title="Straw")
    gateway.follow()
    assert listed(gateway) == before | {f"{FILES}hay-2.xml.gz": "1970-01-12T20:46:40Z"}
    assert gateway.ask("/sitemaps/hay-1.xml").body == first


def test_a_deletion_is_news_and_the_record_is_gone_from_its_file(gateway: Gateway) -> None:
    gateway.catalogue.withdraw("oai:hay.example:2")
    gateway.follow()
    assert listed(gateway)[f"{FILES}hay-1.xml.gz"] == "1970-01-12T20:46:40Z"
    found = inside(gateway, f"{FILES}hay-1.xml.gz")
    assert [url[-1] for url in found] == ["1", "3", "4"]
    assert set(found.values()) == {"1970-01-12T14:46:40Z", "1970-01-12T16:46:40Z", "1970-01-12T17:46:40Z"}


def test_a_file_of_which_nothing_is_left_is_not_listed_and_not_there(gateway: Gateway) -> None:
    gateway.catalogue.withdraw("oai:hay.example:5")
    gateway.follow()
    assert f"{FILES}hay-2.xml.gz" not in listed(gateway)
    assert gateway.ask("/sitemaps/hay-2.xml.gz").status == 404


def test_what_is_not_for_everybody_is_in_no_file(gateway: Gateway) -> None:
    gateway.catalogue.add("oai:hay.example:5", title="Hay", sets=(guard_set("staff"),))
    gateway.follow()
    assert f"{FILES}hay-2.xml.gz" not in listed(gateway)


@pytest.mark.parametrize("path", ["/sitemap.xml", "/sitemaps/hay-1.xml", "/sitemaps/hay-1.xml.gz"])
def test_a_sitemap_that_a_client_has_already_is_not_made_again(gateway: Gateway, path: str) -> None:
    got = gateway.ask(path)
    again = gateway.ask(path, headers={"If-None-Match": got.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    assert gateway.ask(path, headers={"If-Modified-Since": got.headers["last-modified"]}).status == 304
    gateway.catalogue.add("oai:hay.example:1", title="Straw")
    gateway.follow()
    news = gateway.ask(path, headers={"If-None-Match": got.headers["etag"]})
    assert news.status == 200
    assert news.headers["last-modified"] == "Mon, 12 Jan 1970 20:46:40 GMT"


def test_pages_that_are_no_records_have_a_file_of_their_own(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path)
    list_pages.update_list_pages(catalogue.store)
    with opened(tmp_path, catalogue, settings=COLLECTIONS) as gateway:
        assert listed(gateway) == {f"{FILES}-pages.xml.gz": None}
        found = inside(gateway, f"{FILES}-pages.xml.gz")
    catalogue.close()
    site = "https://library.example"
    assert list(found) == [f"{site}/", f"{site}/about", f"{site}/browse/", f"{site}/collection/fields"]


def test_a_site_under_a_path_names_itself_with_it(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path)
    catalogue.add("oai:hay.example:1", title="Hay")
    list_pages.update_list_pages(catalogue.store)
    with opened(tmp_path, catalogue, path="/windrow") as gateway:
        site = "https://library.example/windrow"
        assert f"{site}/sitemaps/hay-1.xml.gz" in pairs(gateway.ask("/windrow/sitemap.xml").body)
        assert list(pairs(gateway.ask("/sitemaps/hay-1.xml").body)) == [
            f"{site}/record/hay/oai:hay.example:1"
        ]
    catalogue.close()


@pytest.mark.parametrize(
    "path",
    [
        "/sitemap.xml/x",
        "/sitemaps/",
        "/sitemaps/hay.xml",
        "/sitemaps/hay-3.xml",
        "/sitemaps/hay-0.xml",
        "/sitemaps/hay-1",
        "/sitemaps/hay-1.txt",
        "/sitemaps/straw-1.xml",
        "/sitemaps/hay-99999999999999999999.xml",
    ],
)
def test_a_sitemap_that_is_not_there_is_not_found(gateway: Gateway, path: str) -> None:
    assert gateway.ask(path).status == 404
