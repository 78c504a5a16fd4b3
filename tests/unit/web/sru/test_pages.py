"""SRU in a browser: readable pages in three languages, and the way from each to the next."""

from __future__ import annotations

from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from lxml import etree, html

from tests.unit.web.sru.stage import BROWSER, Sru


def page(sru: Sru, path: str, *, language: str = "en") -> html.HtmlElement:
    got = sru.server.ask(path, headers={**BROWSER, "Accept-Language": language})
    assert got.status in (200, 404)
    return html.fromstring(got.body)


def asked(**pairs: str) -> str:
    return f"/sru?{urlencode(pairs)}"


def words(root: html.HtmlElement) -> str:
    return " ".join(root.text_content().split())


def test_the_first_page_lists_databases_schemas_and_indexes(sru: Sru) -> None:
    root = page(sru, "/sru")
    assert root.xpath("string(//h1)").strip() == "SRU: The barn"
    assert "/sru/oats" in root.xpath("//section[@aria-labelledby='databases']//a/@href")
    assert "windrow.title" in words(root)
    assert "info:srw/schema/1/mods-v3.7" in words(root)
    assert root.xpath("//form//input[@name='query']")


def test_results_lead_to_records_and_to_the_next_page(sru: Sru) -> None:
    root = page(sru, asked(query="dc.title = hay", maximumRecords="20"))
    assert "30 records (1–20)" in words(root)
    assert len(root.xpath("//ol[contains(@class, 'results')]//h2/a[contains(@href, '/record/hay/')]")) == 20
    (following,) = root.xpath("//a[contains(@rel, 'next')]/@href")
    assert parse_qs(urlsplit(following).query)["startRecord"] == ["21"]
    last = page(sru, following)
    assert len(last.xpath("//ol//h2")) == 10
    assert not last.xpath("//a[contains(@rel, 'next')]")
    (previous,) = last.xpath("//a[contains(@rel, 'prev')]/@href")
    assert parse_qs(urlsplit(previous).query)["query"] == ["dc.title = hay"]


def test_the_same_request_is_there_as_xml(sru: Sru) -> None:
    root = page(sru, asked(query="dc.creator = Äng"))
    (link,) = root.xpath("//a[normalize-space() = 'XML']/@href")
    got = sru.server.ask(link, headers=BROWSER)
    assert etree.fromstring(got.body).tag.endswith("searchRetrieveResponse")
    assert root.xpath("//input[@name='query']/@value") == ["dc.creator = Äng"]


def test_terms_lead_to_what_has_them_and_onwards(sru: Sru) -> None:
    root = page(sru, asked(scanClause='dc.title = ""', maximumTerms="3"))
    first = root.xpath("//table//a/@href")[0]
    assert "record" in words(page(sru, first))
    (following,) = root.xpath("//a[contains(@rel, 'next')]/@href")
    assert page(sru, following).xpath("//table//a")


def test_what_is_not_understood_is_explained(sru: Sru) -> None:
    root = page(sru, asked(query='nosuch = "<b>hay</b>"'))
    assert "Unsupported index" in root.xpath("string(//*[@role='alert'])")
    assert not root.xpath("//b")
    assert sru.server.ask("/sru/nosuch", headers=BROWSER).status == 404


@pytest.mark.parametrize(
    ("language", "word"), [("en", "Indexes"), ("sv", "Databaser"), ("fi", "Tietokannat")]
)
def test_pages_are_in_three_languages(sru: Sru, language: str, word: str) -> None:
    root = page(sru, "/sru", language=language)
    assert word in words(root)
    assert root.get("lang") == language


def test_the_page_about_the_library_names_the_addresses(sru: Sru) -> None:
    assert "https://library.example/sru/oats" in words(page(sru, "/about"))
