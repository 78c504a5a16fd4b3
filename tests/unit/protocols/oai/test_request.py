"""Requests rendered as URLs, so that the server reads back exactly what we mean."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.protocols.oai.oai_request import Request, list_request, record_request, render_url

BASE = "https://repository.example/oai"
TOKENS = [
    "a+b/c=d",
    "x!y|z",
    "50% & more",
    "two words",
    "säde/日本𐐷",
    "#frag?",
    "a&b=c;d",
    '{"p":[1]}',
    "%2B",
    "~'()*",
]


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("escape_fully", [True, False])
def test_a_token_arrives_as_it_was_given_out(token: str, escape_fully: bool) -> None:
    url = render_url(BASE, Request("ListRecords").with_token(token), escape_fully=escape_fully)
    assert parse_qsl(urlsplit(url).query) == [("verb", "ListRecords"), ("resumptionToken", token)]
    assert url.isascii()
    assert " " not in url


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8"), min_size=1), st.booleans())
def test_any_token_at_all_arrives_as_it_was_given_out(token: str, escape_fully: bool) -> None:
    url = render_url(BASE, Request("ListRecords").with_token(token), escape_fully=escape_fully)
    assert parse_qsl(urlsplit(url).query)[1] == ("resumptionToken", token)


def test_a_token_is_sent_with_nothing_but_the_verb() -> None:
    first = list_request("ListRecords", prefix="oai_dc", spec="s", since="2020-01-01", until="2020-02-01")
    assert first.with_token("t").arguments == (("resumptionToken", "t"),)
    assert (first.token, first.with_token("t").token) == (None, "t")


def test_servers_that_want_tokens_unescaped_get_them_so() -> None:
    url = render_url(BASE, Request("ListRecords").with_token("a/b!c|d:e=f"), escape_fully=False)
    assert url.endswith("resumptionToken=a/b!c|d:e=f")


def test_what_is_not_asked_for_is_not_sent() -> None:
    assert list_request("ListRecords", prefix="oai_dc").arguments == (("metadataPrefix", "oai_dc"),)
    whole = list_request("ListIdentifiers", prefix="p", spec="a:b", since="2020", until="2021")
    assert whole.arguments == (("metadataPrefix", "p"), ("from", "2020"), ("until", "2021"), ("set", "a:b"))


def test_a_record_is_asked_for_by_identifier_and_format() -> None:
    url = render_url(BASE, record_request("oai:x.org:a/1 ä", prefix="oai_dc"))
    assert parse_qsl(urlsplit(url).query) == [
        ("verb", "GetRecord"),
        ("identifier", "oai:x.org:a/1 ä"),
        ("metadataPrefix", "oai_dc"),
    ]


def test_a_query_in_the_base_url_stays_and_a_fragment_goes() -> None:
    url = render_url("https://repository.example/index.php?page=oai#top", Request("Identify"))
    assert url == "https://repository.example/index.php?page=oai&verb=Identify"
