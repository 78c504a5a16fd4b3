from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import parse_qsl, urlsplit
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html

from tests.oai_schema import PROVENANCE
from windrow.demo.thesis_repository import Repository
from windrow.web.layout.site import SiteAddress
from windrow.web.oai.oai_browser import OaiBrowser

SITE = SiteAddress("https://library.example/windrow", "Theses", assets="/oai/-/static")
EXPLORER = OaiBrowser(SITE, "/oai")
DEMO = Repository(120, page_size=20)
OAI = "http://www.openarchives.org/OAI/2.0/"
VERBS = [
    [],
    [("verb", "Identify")],
    [("verb", "ListMetadataFormats")],
    [("verb", "ListMetadataFormats"), ("identifier", "oai:theses.example:thesis/1")],
    [("verb", "ListSets")],
    [("verb", "ListIdentifiers"), ("metadataPrefix", "oai_dc")],
    [("verb", "ListRecords"), ("metadataPrefix", "oai_dc")],
    [("verb", "ListRecords"), ("metadataPrefix", "kk")],
    [("verb", "GetRecord"), ("metadataPrefix", "oai_dc"), ("identifier", "oai:theses.example:thesis/1")],
    [("verb", "GetRecord"), ("metadataPrefix", "kk"), ("identifier", "oai:theses.example:thesis/1")],
    [("verb", "GetRecord"), ("metadataPrefix", "oai_dc"), ("identifier", "nobody")],
    [("verb", "Nonsense")],
]
Pairs = Sequence[tuple[str, str]]


def page(pairs: Pairs, name: str = "demo") -> html.HtmlElement:
    """The page for a request to the demo's repository."""
    return html.document_fromstring(EXPLORER.explore(name, pairs, lambda asked: DEMO.answer(list(asked))))


def shown(inside: str, verb: str = "ListRecords") -> html.HtmlElement:
    """The page for an answer that a test wrote."""
    answer = f'<OAI-PMH xmlns="{OAI}"><responseDate>2024-01-01T00:00:00Z</responseDate>{inside}</OAI-PMH>'
    pairs = [("verb", verb), ("metadataPrefix", "oai_dc")]
    return html.document_fromstring(EXPLORER.explore("", pairs, lambda _: answer.encode()))


def record(fields: str, *, identifier: str = "oai:x:1") -> str:
    header = f"<header><identifier>{identifier}</identifier><datestamp>2024-01-01</datestamp></header>"
    dc = f'<dc xmlns:dc="http://purl.org/dc/elements/1.1/">{fields}</dc>'
    return f"<ListRecords><record>{header}<metadata>{dc}</metadata></record></ListRecords>"


def links(found: html.HtmlElement) -> list[str]:
    return [str(href) for href in found.xpath("//a/@href")]


def text(found: html.HtmlElement) -> str:
    return " ".join(found.text_content().split())


@pytest.mark.parametrize("pairs", VERBS, ids=str)
def test_every_page_can_be_used_by_everybody(pairs: Pairs) -> None:
    found = page(pairs)
    assert found.get("lang") == "en"
    assert found.findtext(".//title").endswith(" · Theses")
    assert len(found.xpath("//h1")) == 1
    assert found.xpath("//a[1]/@href")[0] == "#main"
    assert found.xpath("//main/@id") == ["main"]
    assert found.xpath("//meta[@name='viewport']")
    for field in found.xpath("//input[not(@type='hidden')]|//select"):
        assert found.xpath(f"//label[@for='{field.get('id')}']"), field.get("name")
    ids = found.xpath("//@id")
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("pairs", VERBS, ids=str)
def test_no_page_runs_or_loads_anything_from_elsewhere(pairs: Pairs) -> None:
    found = page(pairs)
    assert not found.xpath("//script|//iframe|//object|//embed|//img|//style|//@style")
    assert not [name for element in found.iter() for name in element.attrib if name.startswith("on")]
    for href in found.xpath("//link/@href|//form/@action"):
        assert href.startswith("/windrow/oai/-/")


@pytest.mark.parametrize("pairs", VERBS, ids=str)
def test_every_link_inside_leads_to_an_answer(pairs: Pairs) -> None:
    for href in links(page(pairs)):
        parts = urlsplit(href)
        if parts.path == "/windrow/oai/demo" and parts.query:
            answer = DEMO.answer(parse_qsl(parts.query, keep_blank_values=True))
            assert b'code="bad' not in answer, href


def test_whoever_opens_the_base_url_is_introduced() -> None:
    found = page([])
    assert "Windrow demo: invented theses" in text(found)
    assert "https://library.example/windrow/oai/demo" in text(found)
    assert "/windrow/oai/-/xml/demo?verb=Identify" in links(found)


def test_pages_follow_one_another_to_the_last_by_their_links() -> None:
    pairs: Pairs = [("verb", "ListRecords"), ("metadataPrefix", "oai_dc")]
    extents = []
    for _ in range(10):
        found = page(pairs)
        extents.append(found.xpath("string(//*[@class='extent'])"))
        following = found.xpath("//a[contains(@rel, 'next')]/@href")
        if not following:
            break
        pairs = parse_qsl(urlsplit(following[0]).query)
    assert extents[0] == "1–20 of 120 records"
    assert extents[-1] == "101–120 of 120 records"
    assert "This is the last page." in text(found)


def test_dublin_core_is_shown_as_fields() -> None:
    creators = "<dc:creator>Aho, Ida</dc:creator><dc:creator>B</dc:creator>"
    found = shown(record(f'<dc:title xml:lang="fi">Otsikko</dc:title>{creators}'))
    assert found.xpath("string(//h2)") == "Otsikko"
    assert found.xpath("//dt[.='Creator']/following-sibling::dd/text()") == ["Aho, Ida", "B"]
    assert found.xpath("//dd[@lang='fi']/text()") == ["Otsikko"]


def test_other_metadata_is_shown_in_the_same_fields_and_as_it_is_indented() -> None:
    found = page(VERBS[9])
    assert found.xpath("string(//h1)") == found.xpath("string(//dt[.='Title']/following-sibling::dd)")
    assert "\n  <kk:" in found.xpath("string(//details/pre)")


def test_metadata_that_says_nothing_in_such_fields_is_shown_as_it_is() -> None:
    found = shown(record("<odd xmlns='urn:x'/>"))
    assert found.xpath("string(//h2)") == "oai:x:1"
    assert "<odd" in found.xpath("string(//details/pre)")


def test_a_deleted_record_says_so() -> None:
    header = '<header status="deleted"><identifier>x</identifier><datestamp>2024-01-01</datestamp></header>'
    found = shown(f"<ListRecords><record>{header}</record></ListRecords>")
    assert found.xpath("//*[@class='mark']/text()") == ["deleted"]
    found = shown(f"<ListIdentifiers>{header}</ListIdentifiers>", "ListIdentifiers")
    assert found.xpath("//*[@class='mark']/text()") == ["deleted"]


@pytest.mark.parametrize(
    "value",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,x",
        "//evil.example",
        "http:// x",
        "vbscript:x",
    ],
)
def test_only_addresses_of_the_web_become_links(value: str) -> None:
    found = shown(record(f"<dc:identifier>{value}</dc:identifier>"))
    assert value in text(found)
    assert value not in links(found)


def test_an_address_becomes_a_link_that_vouches_for_nothing() -> None:
    found = shown(record("<dc:identifier>https://a.example/?b=c&amp;d</dc:identifier>"))
    link = found.xpath("//a[@href='https://a.example/?b=c&d']")[0]
    assert "nofollow" in link.get("rel")
    assert "noopener" in link.get("rel")


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), max_size=60))
def test_no_text_in_a_record_becomes_markup(words: str) -> None:
    value = f'<script>alert("{words}")</script>\' onclick="x'
    inside = record(f"<dc:title>{escape(value)}</dc:title>", identifier=escape(value))
    found = shown(inside)
    assert not found.xpath("//script")
    assert not found.xpath("//@onclick")
    assert "alert(" in text(found)


def test_hostile_languages_are_left_out() -> None:
    found = shown(record("""<dc:title xml:lang='fi" onclick="x'>a</dc:title>"""))
    assert not found.xpath("//dd/@lang|//@onclick")


def test_long_texts_and_long_xml_are_cut_with_what_is_missing() -> None:
    found = shown(record(f"<dc:title>{'a' * 5000}</dc:title>" + "<x>y</x>" * 20_000))
    assert "… (+3,000)" in text(found)
    assert len(etree.tostring(found)) < 60_000


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"nothing",
        b"<OAI-PMH/>",
        b'<!DOCTYPE a [<!ENTITY b "c">]><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"/>',
        b"<a>" * 10_000,
    ],
)
def test_what_cannot_be_a_page_leads_to_the_xml(body: bytes) -> None:
    found = html.document_fromstring(EXPLORER.explore("", [("verb", "Identify")], lambda _: body))
    assert "too much for a page" in text(found)
    assert "/windrow/oai/-/xml?verb=Identify" in links(found)


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([("verb", "x")], "Choose one of the six requests"),
        (
            [("verb", "ListRecords"), ("metadataPrefix", "oai_dc"), ("from", "2199-01-01")],
            "No records match",
        ),
        ([("verb", "ListRecords"), ("resumptionToken", "x")], "Start the list again"),
        ([("verb", "ListRecords"), ("metadataPrefix", "none")], "Look at the list of formats"),
        (VERBS[10], "Check that the identifier is complete"),
    ],
)
def test_an_error_is_told_in_plain_words_with_what_to_do(pairs: Pairs, words: str) -> None:
    found = page(pairs)
    assert words in text(found)
    assert re.search(r"The answer of the repository: .+ [a-z][A-Za-z]+", text(found))
    assert found.xpath("//form")


def test_the_form_is_filled_with_what_was_asked() -> None:
    asked = [("verb", "ListIdentifiers"), ("metadataPrefix", "kk"), ("from", "2000-01-01"), ("set", 'a"b')]
    found = page(asked)
    assert found.xpath("//select[@name='verb']/option[@selected]/@value") == ["ListIdentifiers"]
    assert found.xpath("//select[@name='metadataPrefix']/option[@selected]/text()") == ["kk"]
    assert found.xpath("//input[@name='from']/@value") == ["2000-01-01"]
    assert found.xpath("//input[@name='set']/@value") == ['a"b']


def test_sets_are_shown_as_the_tree_they_are() -> None:
    specs = ("com_1", "col_1_2", "art", "art:music")
    listed = "".join(f"<set><setSpec>{each}</setSpec><setName>{each}</setName></set>" for each in specs)
    found = shown(f"<ListSets>{listed}</ListSets>", "ListSets")
    depths = {code.text: code.getparent().get("class") for code in found.xpath("//ul[@class='sets']//code")}
    assert {depth for spec, depth in depths.items() if ":" in spec} == {"depth-1"}
    assert {depth for spec, depth in depths.items() if ":" not in spec} == {"depth-0"}


def test_where_a_record_is_from_and_what_else_is_said_about_it_are_told_apart() -> None:
    abouts = (
        f'<about><!-- a word --><provenance xmlns="{PROVENANCE}">far away</provenance></about>'
        '<about><rights xmlns="urn:r">all reserved</rights></about>'
    )
    found = shown(record("").replace("</metadata>", f"</metadata>{abouts}"))
    told = {
        str(each.findtext("summary")).strip(): str(each.findtext("pre")) for each in found.iter("details")
    }
    assert "far away" in told["Where it is from"]
    assert "all reserved" in told["About this record"]
