"""The page about the API: for browsers, in their language, with requests that work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lxml import html

from tests.unit.web.api.office import SITE, Office, opened
from windrow.web.api.endpoints import ENDPOINTS

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def page(office: Office, path: str = "/api/v1/", **headers: str) -> html.HtmlElement:
    got = office.server.ask(path, headers={"accept": BROWSER, **headers})
    assert got.status == 200, got.text
    assert got.headers["content-type"] == "text/html; charset=utf-8"
    assert {"accept", "accept-language"} <= set(got.headers["vary"].split(", "))
    return html.fromstring(got.text)


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/v1", "/api/v1/"])
def test_a_browser_gets_a_page_with_every_operation(office: Office, path: str) -> None:
    made = page(office, path)
    assert made.xpath("string(//h1)") == "API for programs"
    assert made.xpath("//main//h3/code/text()") == [
        f"GET /api/v1{each.path}" for tag in TAGS for each in ENDPOINTS if each.tag == tag
    ]
    assert made.xpath("//link[@rel='canonical']/@href") == [f"{SITE}/api/v1/"]


TAGS = list(dict.fromkeys(each.tag for each in ENDPOINTS))


@pytest.mark.parametrize("accept", ["*/*", "application/json", "application/json, text/html", ""])
def test_a_program_gets_json(office: Office, accept: str) -> None:
    got = office.server.ask("/api/v1/", headers={"accept": accept} if accept else {})
    assert got.headers["content-type"] == "application/json"
    assert "accept" in got.headers["vary"].split(", ")
    assert len(json.loads(got.body)["items"]) == len(ENDPOINTS)


def test_other_answers_are_json_for_browsers_as_well(office: Office) -> None:
    got = office.server.ask("/api/v1/search", headers={"accept": BROWSER})
    assert got.headers["content-type"] == "application/json"
    assert got.headers["vary"] == "accept-encoding"


def test_every_operation_has_a_request_that_finds_something(office: Office) -> None:
    made = page(office)
    for operation in made.xpath("//ul[@class='cards']/li"):
        examples = operation.xpath(".//a[code]/@href")
        assert examples, operation.get("id")
        for address in examples:
            answer = office.server.ask(address)
            assert answer.status == 200, address
            value = json.loads(answer.body)
            if operation.get("id") not in ("jobs", "visits"):
                assert value.get("items", value), address
                assert value.get("total", 1), address


def test_parameters_and_answers_are_those_of_the_description(office: Office) -> None:
    made = page(office)
    search = made.xpath("//li[@id='search']")[0]
    assert "per_page" in search.xpath(".//tbody//code/text()")
    assert "1–100; 20 unless given" in search.text_content()
    assert "facets" in search.xpath(".//details[last()]//code/text()")
    shared = made.xpath("//section[@aria-labelledby='search-parameters']//tbody//code/text()")
    assert shared == [each.name for each in ENDPOINTS[0].parameters[: len(shared)]]
    assert {"q", "year", "collection"} <= set(shared)
    source = made.xpath("//li[@id='sources_source']")[0]
    assert "required" in source.text_content()


@pytest.mark.parametrize(("language", "title"), [("sv", "API för program"), ("fi", "Ohjelmointirajapinta")])
def test_the_page_is_in_the_readers_language(office: Office, language: str, title: str) -> None:
    made = page(office, **{"accept-language": language})
    assert made.get("lang") == language
    assert made.xpath("string(//h1)") == title
    assert "Find records." not in made.text_content()
    chosen = page(office, **{"accept-language": "en", "cookie": f"windrow_language={language}"})
    assert chosen.xpath("string(//h1)") == title


def test_a_library_without_an_index_has_the_page(tmp_path: Path) -> None:
    with opened(tmp_path, is_real=True, is_indexed=False) as made:
        found = page(made)
        assert found.xpath("//main//h3")
        assert found.xpath("//li[@id='search']//a[code]")
        assert not found.xpath("//li[starts-with(@id, 'records')]//a[code]")
