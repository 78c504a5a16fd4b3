"""The pages of repositories in the language of the reader."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from lxml import html

from tests.servers.asgi import AsgiServer
from tests.unit.web.stage import staged
from windrow.demo.thesis_repository import Repository
from windrow.web.i18n.translation import PAGE_LANGUAGES, get_translator
from windrow.web.layout.site import SiteAddress
from windrow.web.oai.oai_browser import OaiBrowser

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
DEMO = Repository(120, page_size=20)
REQUESTS = [
    "",
    "?verb=ListMetadataFormats",
    "?verb=ListSets",
    "?verb=ListIdentifiers&metadataPrefix=oai_dc",
    "?verb=ListRecords&metadataPrefix=oai_dc",
    "?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:theses.example:thesis/1",
    "?verb=Nonsense",
]


class Answering:
    """The demo's repository under every name."""

    def answer(self, name: str, pairs: object, *, credentials: object) -> bytes:
        return DEMO.answer(list(pairs))  # type: ignore[call-overload]

    def answer_query(self, name: str, query: bytes) -> None:
        return None

    def meant(self, name: str, pairs: object) -> object:
        return pairs

    def is_slow(self, name: str, pairs: object) -> bool:
        return True


@pytest.fixture(scope="module")
def server() -> Iterator[AsgiServer]:
    with staged(Answering()) as started:  # type: ignore[arg-type]
        yield started


def page(server: AsgiServer, path: str, **headers: str) -> html.HtmlElement:
    got = server.ask(path, headers={"accept": BROWSER, **headers})
    assert got.status == 200, got.text
    assert {"accept", "accept-language", "cookie"} <= set(got.headers["vary"].split(", "))
    return html.document_fromstring(got.text)


@pytest.mark.parametrize("request_", REQUESTS)
@pytest.mark.parametrize("language", ["sv", "fi"])
def test_a_page_is_in_the_language_that_the_browser_prefers(
    server: AsgiServer, request_: str, language: str
) -> None:
    english = page(server, f"/oai{request_}")
    found = page(server, f"/oai{request_}", **{"accept-language": f"{language}, en;q=0.5"})
    assert found.get("lang") == language
    for path in ("//nav[1]//a", "//main//label", "//main//button", "//main//dt", "//footer//a"):
        for each, other in zip(found.xpath(path), english.xpath(path), strict=True):
            known = ("Format", "Relation", "Schema", "Protocol", "Språk")  # alike in some languages
            assert each.text_content() != other.text_content() or each.text_content() in known
    assert english.get("lang") == "en"


def test_the_chosen_language_is_kept_and_leads_back_to_the_page(server: AsgiServer) -> None:
    path = "/oai/hay?verb=ListRecords&metadataPrefix=oai_dc"
    switch = page(server, path).xpath("//nav[@class='tongues']//a[@lang='fi']/@href")[0]
    chosen = server.ask(switch)
    assert chosen.status == 303
    assert chosen.headers["location"] == path
    cookie = chosen.headers["set-cookie"].partition(";")[0]
    assert page(server, path, cookie=cookie, **{"accept-language": "en"}).get("lang") == "fi"


@pytest.mark.parametrize("back", ["//evil.example/", "https://evil.example", "/\\evil.example"])
def test_the_switch_leads_to_this_site_only(server: AsgiServer, back: str) -> None:
    got = server.ask(f"/oai/-/language?to=sv&back={back}")
    assert got.headers["location"] == "/"
    assert server.ask("/oai/-/language?to=xx").status == 404


def test_programs_get_the_same_in_every_language(server: AsgiServer) -> None:
    first, second = (
        server.ask("/oai?verb=Identify", headers={"accept-language": language}) for language in ("en", "fi")
    )
    assert first.body == second.body
    assert first.headers["vary"] == "accept, accept-encoding"


def test_every_language_has_a_link(server: AsgiServer) -> None:
    found = page(server, "/oai", **{"accept-language": "sv"})
    assert found.xpath("//nav[@class='tongues']//li/*/@lang") == list(PAGE_LANGUAGES)


def test_numbers_are_written_in_the_language() -> None:
    browser = OaiBrowser(SiteAddress("https://library.example", "Hay"), "/oai")
    pairs = [("verb", "ListRecords"), ("metadataPrefix", "oai_dc")]
    body = browser.explore("", pairs, lambda asked: DEMO.answer(list(asked)), spoken=get_translator("fi"))
    assert "1–20 / 120 tietuetta" in body.decode()
