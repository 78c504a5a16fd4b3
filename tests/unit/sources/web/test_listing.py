"""Sitemaps and feeds: their addresses and dates, however broken or hostile they are."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fixtures import Place, own_and_shared
from tests.thorough import tries
from windrow.sources.web.listing import MOST_URLS, Listed, Listing, parse_feed, parse_sitemap, read_date

BASE = "https://www.example.edu/sitemap.xml"
SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urls(listing: Listing) -> list[str]:
    return [each.url for each in listing.urls]


def codes(listing: Listing) -> set[str]:
    return {remark.code for remark in listing.remarks}


def sitemap(inner: str) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {SPACE}>{inner}</urlset>'.encode()


def test_a_sitemap_gives_addresses_and_when_they_changed() -> None:
    body = sitemap(
        "<url><loc> https://e.org/a?b=1&amp;c=2 </loc><lastmod>2026-11-01</lastmod></url><url><loc>https://e.org/b</loc></url>"
    )
    assert parse_sitemap(body).urls == (
        Listed("https://e.org/a?b=1&c=2", datetime(2026, 11, 1, tzinfo=UTC)),
        Listed("https://e.org/b"),
    )


def test_an_index_gives_further_sitemaps() -> None:
    body = (
        f"<sitemapindex {SPACE}><sitemap><loc>https://e.org/1.xml.gz</loc></sitemap></sitemapindex>".encode()
    )
    listing = parse_sitemap(body)
    assert (listing.urls, [each.url for each in listing.sitemaps]) == ((), ["https://e.org/1.xml.gz"])


@pytest.mark.parametrize(
    "body",
    [
        sitemap("<url><loc>https://e.org/a</loc></url>").replace(SPACE.encode(), b""),
        b"\xef\xbb\xbf" + sitemap("<url><loc>https://e.org/a</loc></url>"),
        b"\n\n" + sitemap("<url><loc>https://e.org/a</loc></url>"),
        sitemap("<url><loc>https://e.org/a</loc></url>").decode().replace("UTF-8", "UTF-16").encode("utf-16"),
        sitemap("<url><loc>https://e.org/a</loc><x></y></url>"),
        sitemap("<url><loc>https://e.org/a</loc></url><url><loc>https://e.o")[:-9],
        sitemap("<url><loc>https://e.org/a</loc></url><url>&nope; <b")[:-9],
        gzip.compress(sitemap("<url><loc>https://e.org/a</loc></url>")),
        b"https://e.org/a\r\nnot an address\r\n",
        b"\xef\xbb\xbfhttps://e.org/a",
        sitemap("<url><loc><![CDATA[https://e.org/a]]></loc></url>"),
    ],
)
def test_a_sitemap_is_read_as_far_as_it_can_be(body: bytes) -> None:
    assert urls(parse_sitemap(body))[:1] == ["https://e.org/a"]


def test_pictures_in_a_sitemap_are_no_pages_and_translations_are() -> None:
    body = sitemap(
        '<url xmlns:i="urn:i" xmlns:x="http://www.w3.org/1999/xhtml"><i:image><i:loc>https://e.org/p.jpg</i:loc></i:image>'
        "<i:loc>https://e.org/q.jpg</i:loc><loc>https://e.org/a</loc>"
        '<i:loc>https://e.org/r.jpg</i:loc><x:link rel="alternate" href="https://e.org/sv"/></url>'
    )
    assert urls(parse_sitemap(body)) == ["https://e.org/a", "https://e.org/sv"]


@pytest.mark.parametrize(
    "loc", ["javascript:x", "ftp://e.org/", "http://[bad", "", "https://e.org/" + "x" * 3000, "mailto:a@b"]
)
def test_what_is_no_address_of_the_web_is_left_out(loc: str) -> None:
    assert parse_sitemap(sitemap(f"<url><loc>{loc}</loc></url>")).urls == ()


def test_relative_addresses_are_of_the_list() -> None:
    assert urls(parse_sitemap(sitemap("<url><loc>/a</loc></url>"), url=BASE)) == ["https://www.example.edu/a"]


RSS = b"""<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><link>https://e.org/</link>
<atom:link rel="next" href="https://e.org/rss?page=2"/>
<item><title>A</title><link>https://e.org/a</link><pubDate>Sun, 01 Nov 2026 12:00:00 +0200</pubDate></item>
<item><guid isPermaLink="true">https://e.org/b</guid></item></channel></rss>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><link rel="next" href="https://e.org/rss?page=2"/>
<entry><link rel="self" href="https://e.org/self"/><link href="a"/>
<updated>2026-11-01T12:00:00+02:00</updated></entry>
<entry><link rel="alternate" href="https://e.org/b"/></entry></feed>"""
RDF = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
 xmlns:dc="dc:">
<item rdf:about="x"><link>https://e.org/a</link><dc:date>2026-11-01T10:00Z</dc:date></item>
<item><link>https://e.org/b</link></item>
<link rel="next" href="https://e.org/rss?page=2"/></rdf:RDF>"""
JSON = b"""{"version": "https://jsonfeed.org/version/1.1", "next_url": "https://e.org/rss?page=2", "items":
[{"url": "https://e.org/a", "date_published": "2026-11-01T10:00:00Z"}, {"url": "https://e.org/b"},
{"url": 3}, 4]}"""


@pytest.mark.parametrize("body", [RSS, ATOM, RDF, JSON])
def test_a_feed_gives_its_entries_and_its_next_page(body: bytes) -> None:
    listing = parse_feed(body, url="https://e.org/rss")
    assert listing.urls == (
        Listed("https://e.org/a", datetime(2026, 11, 1, 10, tzinfo=UTC)),
        Listed("https://e.org/b"),
    )
    assert [each.url for each in listing.sitemaps] == ["https://e.org/rss?page=2"]


def test_a_list_ends_at_as_many_addresses_as_a_sitemap_may_have() -> None:
    listing = parse_sitemap(
        sitemap("".join(f"<url><loc>https://e.org/{n}</loc></url>" for n in range(MOST_URLS + 10)))
    )
    assert (len(listing.urls), codes(listing)) == (MOST_URLS, {"urls"})


LAUGHS = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 30))
HOSTILE = {
    "laughs": f'<!DOCTYPE u [<!ENTITY a0 "ha">{LAUGHS}]><urlset><url><loc>https://e.org/&a29;</loc></url></urlset>'.encode(),
    "file": b'<!DOCTYPE u [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset><url><loc>https://e.org/&x;</loc></url></urlset>',
    "bomb": gzip.compress(b"<urlset>" + b" " * 200_000_000, 9),
    "cut": gzip.compress(b"<urlset><url>" * 1000)[:40],
    "deep": b"<urlset>" * 400_000,
    "page": b"<!DOCTYPE html><html><body><a href=x>No sitemap</a>",
    "json": b'{"items":' + b"[" * 200_000,
    "text": b"x" * 20_000_000,
    "attributes": b"<urlset " + b" ".join(b"a%d='x'" % n for n in range(20_000)) + b">",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_list_gives_nothing_and_ends(name: str) -> None:
    for parse in (parse_sitemap, parse_feed):
        listing = parse(HOSTILE[name])
        assert not any("root:" in each.url or len(each.url) > 2_048 for each in listing.urls)
        assert len(listing.urls) <= 1
        assert listing.remarks or listing.urls


@settings(deadline=None, max_examples=tries(200))
@given(st.binary(max_size=200) | st.text(max_size=60).map(lambda text: sitemap(f"<url><loc>{text}</loc>")))
def test_any_bytes_are_some_list(body: bytes) -> None:
    assert isinstance(parse_sitemap(body), Listing)
    assert isinstance(parse_feed(body), Listing)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026", datetime(2026, 1, 1, tzinfo=UTC)),
        ("2026-11", datetime(2026, 11, 1, tzinfo=UTC)),
        ("2026-11-18T12:30+02:00", datetime(2026, 11, 18, 10, 30, tzinfo=UTC)),
        ("2026-11-18T10:30:00.123Z", datetime(2026, 11, 18, 10, 30, 0, 123000, tzinfo=UTC)),
        ("2026-11-18 10:30:00", datetime(2026, 11, 18, 10, 30, tzinfo=UTC)),
        ("Wed, 18 Nov 2026 10:30:00 GMT", datetime(2026, 11, 18, 10, 30, tzinfo=UTC)),
        ("2026-13-40", None),
        ("yesterday", None),
        ("", None),
        ("99999-01-01", None),
        ("0001-01-01T00:00:00+14:00", None),
    ],
)
def test_dates_are_read_in_the_forms_that_lists_have(text: str, moment: datetime | None) -> None:
    assert read_date(text) == moment


@own_and_shared
def test_the_sitemaps_of_the_fixtures_have_their_addresses(place: Place) -> None:
    paths = sorted(place("web").rglob("*itemap*.xml*"))
    lists = {path.name: parse_sitemap(path.read_bytes()) for path in paths}
    assert lists
    assert {name for name, found in lists.items() if not found.urls + found.sitemaps} == set()
