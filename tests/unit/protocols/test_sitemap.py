"""Sitemaps on the wire: what engines read, within the limits of the protocol."""

from __future__ import annotations

from lxml import etree

from windrow.protocols import sitemap_xml
from windrow.protocols.sitemap_xml import render_index, render_lastmod, render_pages, render_records
from windrow.store.published.list_pages import PAGE_RECORDS
from windrow.web.sitemaps.sitemap_files import LEAVES_PER_FILE

SPACE = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}
START = "https://library.example/record/hay/"
THEN = "2024-06-01T12:00:00Z"


def texts(body: bytes, path: str) -> list[str]:
    return [str(each.text) for each in etree.fromstring(body).iterfind(path, SPACE)]


def test_a_second_is_written_as_the_protocol_has_it() -> None:
    assert render_lastmod(1_717_243_200) == THEN


def test_an_index_names_its_files_and_when_they_changed() -> None:
    body = render_index([("https://library.example/a&b.xml", THEN), ("https://library.example/c.xml", None)])
    assert etree.fromstring(body).tag == f"{{{SPACE['s']}}}sitemapindex"
    assert texts(body, "s:sitemap/s:loc") == [
        "https://library.example/a&b.xml",
        "https://library.example/c.xml",
    ]
    assert texts(body, "s:sitemap/s:lastmod") == [THEN]


def test_a_file_names_its_addresses_in_order() -> None:
    body = render_records(START, ["b", "a"], [THEN, "2024-06-01T12:00:01Z"])
    assert etree.fromstring(body).tag == f"{{{SPACE['s']}}}urlset"
    assert texts(body, "s:url/s:loc") == [f"{START}b", f"{START}a"]
    assert texts(body, "s:url/s:lastmod") == [THEN, "2024-06-01T12:00:01Z"]


def test_what_xml_would_read_otherwise_is_spelt_out() -> None:
    body = render_records(START, ["a&b='c'"], [THEN])
    assert b"<loc>https://library.example/record/hay/a&amp;b=&apos;c&apos;</loc>" in body
    assert texts(body, "s:url/s:loc") == [f"{START}a&b='c'"]


def test_an_address_that_is_longer_than_the_protocol_allows_is_left_out() -> None:
    longest = "a" * (sitemap_xml.LONGEST_ADDRESS - len(START))
    body = render_records(START, ["b", longest, longest + "a", "&" * 1500], [THEN] * 4)
    assert texts(body, "s:url/s:loc") == [f"{START}b", START + longest]


def test_an_address_counts_as_it_is_and_not_as_it_is_written() -> None:
    start = "https://library.example/hay&oats/"
    longest = "a" * (sitemap_xml.LONGEST_ADDRESS - len(start))
    body = render_records(start, [longest, longest + "a"], [THEN] * 2)
    assert texts(body, "s:url/s:loc") == [start + longest]


def test_a_whole_file_of_the_longest_addresses_is_within_the_limits() -> None:
    addresses = LEAVES_PER_FILE * PAGE_RECORDS
    assert addresses <= sitemap_xml.MOST_ADDRESSES
    longest = "&" * 113 + "a" * (sitemap_xml.LONGEST_ADDRESS - len(START) - 113)
    assert (
        sitemap_xml.LONGEST_WRITTEN - 10
        < len(START + longest.replace("&", "&amp;"))
        <= sitemap_xml.LONGEST_WRITTEN
    )
    assert len(texts(render_records(START, [longest], [THEN]), "s:url/s:loc")) == 1
    one, two = (len(render_records(START, [longest] * count, [THEN] * count)) for count in (1, 2))
    assert one + (two - one) * (addresses - 1) <= sitemap_xml.MOST_BYTES


def test_pages_have_no_moment() -> None:
    body = render_pages(["https://library.example/", "https://library.example/about"])
    assert texts(body, "s:url/s:loc") == ["https://library.example/", "https://library.example/about"]
    assert texts(body, "s:url/s:lastmod") == []
