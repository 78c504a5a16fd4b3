"""What is said about answers that are not OAI-PMH."""

from __future__ import annotations

import pytest

from tests.unit.protocols.oai.pages import page, record
from windrow.errors import NotOai
from windrow.protocols.oai.page_parser import parse_page
from windrow.protocols.oai.repository_info import parse_identity
from windrow.protocols.oai.well_formedness import describe_foreign_body, is_html

ANSWERS = [
    (b"", "an empty page"),
    (b" \n\t", "an empty page"),
    (b"<!DOCTYPE html><title>Sign in</title>", 'an HTML page titled "Sign in" instead of OAI-PMH'),
    (b"<html><head><title> A &amp;\n B\x07</title></html>", 'an HTML page titled "A & B" instead of OAI-PMH'),
    (b"\xef\xbb\xbf<!doctype  HTML>", "an HTML page instead of OAI-PMH"),
    (b"<?xml version='1.0'?>\n<!-- x -->\n<HTML lang='en'>", "an HTML page instead of OAI-PMH"),
    (
        b"<html><title>Just a moment...</title></html>",
        'an HTML page titled "Just a moment..." that keeps robots out, instead of OAI-PMH',
    ),
    (b"<rss version='2.0'/>", "XML whose root is <rss> instead of OAI-PMH"),
    (b"<?xml version='1.0'?><soap:Envelope/>", "XML whose root is <Envelope> instead of OAI-PMH"),
    (b"Service\x00 unavailable", 'text that is not XML ("Service unavailable")'),
    (b'{"error": "no"}', 'text that is not XML ("{"error": "no"}")'),
]


@pytest.mark.parametrize(("body", "words"), ANSWERS)
def test_a_foreign_answer_is_described(body: bytes, words: str) -> None:
    assert describe_foreign_body(body) == words


@pytest.mark.parametrize("body", [body for body, _ in ANSWERS])
def test_a_foreign_answer_is_refused_with_its_description(body: bytes) -> None:
    for parse in (parse_page, parse_identity):
        with pytest.raises(NotOai) as caught:
            parse(body)
        assert (
            "instead of OAI-PMH" in str(caught.value)
            or "empty" in str(caught.value)
            or "text" in str(caught.value)
        )
        assert caught.value.body == body


def test_a_web_page_that_mentions_oai_pmh_is_still_a_web_page() -> None:
    with pytest.raises(NotOai, match="HTML page"):
        parse_page(b"<html><body><pre>" + page(record("a")) + b"</pre></body></html>")


def test_an_oai_answer_is_no_web_page() -> None:
    assert not is_html(page(record("a", "<html/>")))
    assert not is_html(b"<htmlish/>")


def test_a_long_row_of_comments_is_looked_over_once() -> None:
    assert not is_html(b"<!---->" * 700 + b"<rss/>")
    assert is_html(b"<!---->" * 700 + b"<html>")
