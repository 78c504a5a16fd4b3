"""Metadata of strangers on these pages: nothing runs, nothing is loaded, and the page stands."""

from __future__ import annotations

import logging

import pytest

from tests.unit.search.catalogue import Catalogue, metadata
from tests.unit.web.gateway.getrecord_stage import Desk, whole
from windrow.web.gateway import stylesheets

SCRIPT = '<script>alert(1)</script><img src="x" onerror="alert(1)">'
XHTML = (
    b'<thing xmlns:h="http://www.w3.org/1999/xhtml"><h:script>alert(1)</h:script>'
    b'<h:img src="http://evil.example/x.png" onerror="alert(1)"/><h:a href="javascript:alert(1)">go</h:a>'
    b'<h:form action="http://evil.example/"><h:input/></h:form><h:style>p { color: red }</h:style></thing>'
)
COPY = whole('<div><xsl:copy-of select="/*"/></div>')


def assert_safe(desk: Desk, identifier: str, prefix: str) -> None:
    root = desk.page(identifier, prefix).root
    assert all(str(src).startswith("/static/") for src in root.xpath("//@src"))
    assert not root.xpath("//main//script | //style | //iframe | //main//form | //main//img | //object")
    assert not root.xpath("//@style | //@*[starts-with(name(), 'on')]")
    for address in root.xpath("//main//a/@href"):
        assert str(address).startswith(("/", "http://", "https://"))
    for link in root.xpath("//div[@class='styled']//a[@href]"):
        assert link.get("rel") == "noreferrer nofollow"


@pytest.mark.parametrize("prefix", ["oai_dc", "other"])
def test_markup_in_fields_stays_text(shelved: Catalogue, desk: Desk, prefix: str) -> None:
    values = dict.fromkeys(("title", "creator", "subject", "description", "type"), SCRIPT)
    payload = metadata(identifier=("javascript:alert(1)", "data:text/html,x"), **values)
    shelved.add("oai:evil", prefix=prefix, payload=payload)
    assert_safe(desk, "oai:evil", prefix)
    assert "<script>alert(1)</script>" in desk.page("oai:evil", prefix).words


def test_elements_of_html_in_metadata_do_nothing(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:evil", prefix="other", payload=XHTML)
    assert_safe(desk, "oai:evil", "other")
    assert not desk.page("oai:evil", "other").links("go")


def test_a_stylesheet_that_copies_the_metadata_onto_the_page_is_no_way_in(
    shelved: Catalogue, desk: Desk
) -> None:
    desk.drop("other.xsl", COPY)
    shelved.add("oai:evil", prefix="other", payload=XHTML.replace(b"h:", b"").replace(b":h", b""))
    assert_safe(desk, "oai:evil", "other")
    assert b"alert" not in desk.ask("oai:evil", "other").body


def test_only_addresses_of_the_web_become_links(shelved: Catalogue, desk: Desk) -> None:
    shelved.add(
        "oai:links",
        identifier=("https://ok.example/1", "javascript:alert(1)//http://", "//evil.example/", "https://"),
    )
    links = desk.page("oai:links").root.xpath("//div[@class='styled']//a/@href")
    assert links == ["https://ok.example/1"]


def test_marks_that_turn_the_direction_end_with_the_value(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:turned", title="\u202eturned\u2066", subject=("a\u202e", "b"))
    root = desk.page("oai:turned").root
    values = root.xpath("//dl[@class='payload']/dd")
    assert [each.xpath("string(bdi)") for each in values] == ["\u202eturned\u2066", "a\u202e", "b"]


def test_characters_that_nobody_sees_are_dropped(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:unseen", title="Hay\x85\ufdd0 and straw")
    assert desk.page("oai:unseen").texts("//dl[@class='payload']/dd") == ["Hay and straw"]


def test_an_endless_title_is_cut_above_and_whole_below(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:long", title="word " * 20_000)
    page = desk.page("oai:long")
    assert len(page.heading) < 1100
    assert len(page.texts("//dl[@class='payload']/dd")[0]) > 99_000


@pytest.mark.parametrize(
    "payload",
    [
        b"<a>" * 100_000 + b"x" + b"</a>" * 100_000,
        b"<a>" + b"<b>x</b>" * 300_000 + b"</a>",
        b"<a>broken",
        b'<!DOCTYPE a [<!ENTITY l "ha"><!ENTITY m "&l;&l;&l;&l;">]><a>&m;</a>',
        b'<!DOCTYPE a [<!ENTITY l SYSTEM "file:///etc/passwd">]><a>&l;</a>',
    ],
    ids=["deep", "wide", "broken", "laughs", "xxe"],
)
def test_metadata_that_cannot_be_shown_leaves_a_page_that_says_so(
    shelved: Catalogue, desk: Desk, payload: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    shelved.add("oai:bad", prefix="other", payload=payload)
    with caplog.at_level(logging.WARNING, "windrow.gateway"):
        page = desk.page("oai:bad", "other")
    assert page.status == 200
    assert "cannot be shown here" in page.words
    assert page.link("XML") == "/form/format/other/hay/oai:bad"
    assert "oai:bad" in caplog.text
    assert "etag" not in page.got.headers
    assert b"root:" not in page.got.body


def test_metadata_that_is_too_long_is_not_even_tried(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:huge", prefix="other", payload=b"<a>" + b"x" * stylesheets.MAX_PAYLOAD_BYTES + b"</a>")
    assert "too long to be shown here" in desk.page("oai:huge", "other").words


def test_instructions_and_comments_are_not_shown(shelved: Catalogue, desk: Desk) -> None:
    payload = b'<a><?xml-stylesheet href="http://evil.example/"?><!-- hidden --><b>seen</b></a>'
    shelved.add("oai:pi", prefix="other", payload=payload)
    page = desk.page("oai:pi", "other")
    assert page.texts("//dl[@class='payload']/dd") == ["seen"]
    assert b"evil" not in page.got.body
    assert "hidden" not in page.words


def test_a_namespace_that_is_no_address_is_no_fault(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:ns", prefix="other", payload=b'<a xmlns="two words %%"><b>seen</b></a>')
    assert desk.page("oai:ns", "other").texts("//dl[@class='payload']/dd") == ["seen"]


def test_what_was_asked_for_stays_text_on_the_page_that_says_no(desk: Desk) -> None:
    page = desk.page(SCRIPT)
    assert page.status == 404
    assert not page.root.xpath("//main//script | //main//img")
