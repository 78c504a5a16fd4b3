"""Links as machines read them, parsed back."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.protocols.linkset import WebLink, link_header, linkset, linkset_json, web_link

HERE = "https://library.example/record/hay/1"
_LINK = re.compile(r'<([^<>"\s]*)>((?:; [a-z-]+="[^"]*")*)')
_PARAMETER = re.compile(r'; ([a-z-]+)="([^"]*)"')


def parse(text: str) -> list[WebLink]:
    """Read links as RFC 8288 writes them; what is left over is a mistake."""
    found = []
    rest = text.strip()
    while rest:
        match = _LINK.match(rest)
        assert match, rest
        said = dict(_PARAMETER.findall(match[2]))
        found.append(
            WebLink(
                said["rel"],
                match[1],
                said.get("type", ""),
                said.get("profile", ""),
                said.get("anchor", ""),
            )
        )
        rest = rest[match.end() :]
        assert not rest or rest.startswith(","), rest
        rest = rest[1:].lstrip()
    return found


LINKS = [
    web_link("cite-as", "https://doi.org/10.1/x"),
    web_link("item", "https://hay.example/1.pdf", media_type="application/pdf"),
    web_link("item", "https://hay.example/2.pdf", media_type="application/pdf"),
    web_link(
        "describedby", f"{HERE}?format=oai_dc", media_type="text/xml; charset=utf-8", profile="urn:x:dc"
    ),
    web_link("describes", HERE, anchor=f"{HERE}?as=bib"),
]


def test_a_header_says_what_a_linkset_says() -> None:
    assert parse(link_header(LINKS, most_bytes=4000)) == LINKS
    started = [link if link.anchor else link._replace(anchor=HERE) for link in LINKS]
    assert parse(linkset(LINKS, anchor=HERE)) == started


def test_a_linkset_in_json_is_by_where_links_start_and_what_they_are() -> None:
    found = json.loads(linkset_json(LINKS, anchor=HERE))
    assert found == {
        "linkset": [
            {
                "anchor": HERE,
                "cite-as": [{"href": "https://doi.org/10.1/x"}],
                "item": [
                    {"href": "https://hay.example/1.pdf", "type": "application/pdf"},
                    {"href": "https://hay.example/2.pdf", "type": "application/pdf"},
                ],
                "describedby": [
                    {"href": f"{HERE}?format=oai_dc", "type": "text/xml", "profile": ["urn:x:dc"]}
                ],
            },
            {"anchor": f"{HERE}?as=bib", "describes": [{"href": HERE}]},
        ]
    }


def test_what_does_not_fit_is_left_out_and_what_is_shorter_is_not() -> None:
    long, short = web_link("item", "https://hay.example/" + "x" * 100), web_link("item", "https://a.example/")
    header = link_header([long, short], most_bytes=80)
    assert parse(header) == [short]
    assert len(header) <= 80


@pytest.mark.parametrize("media_type", ["", "pdf", 'a/b" c', "text/html\r\nx: y", "a/" + "b" * 200])
def test_a_media_type_that_is_none_is_left_out(media_type: str) -> None:
    assert not web_link("item", "https://hay.example/1", media_type=media_type).media_type


def test_an_address_that_is_fit_stays_as_it_is() -> None:
    address = "https://hay.example:8080/a%20b;c=1,2/(d)!*'?e=f&g=[h]#~i@j"
    assert web_link("item", address).target == address


def test_a_long_address_is_never_cut_short() -> None:
    address = "https://hay.example/record/" + "%C3%A9" * 1000
    assert web_link("item", address.replace("%C3%A9", "é")).target == address
    assert (
        json.loads(linkset_json([web_link("item", HERE)], anchor=address))["linkset"][0]["anchor"] == address
    )


@given(st.text(), st.text(), st.text())
def test_whatever_strangers_write_is_harmless_in_a_header(target: str, media_type: str, profile: str) -> None:
    link = web_link("item", target, media_type=media_type, profile=profile, anchor=target)
    header = link_header([link], most_bytes=1_000_000)
    assert re.fullmatch(r"[!-~ ]*", header)
    assert parse(header) == [link]
    assert parse(linkset([link], anchor=HERE))[0].target == link.target
    assert json.loads(linkset_json([link], anchor=HERE))["linkset"]
