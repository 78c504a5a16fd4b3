"""ResourceSync documents as others read them back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from windrow.protocols.resourcesync import INDEX, LIST, Item, Link, render, render_time
from windrow.web.resourcesync.resourcesync_context import ResourceSyncLinks

SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
RS = "{http://www.openarchives.org/rs/terms/}"


def test_a_list_says_what_it_is_before_its_first_item() -> None:
    body = render(
        LIST,
        {"capability": "resourcelist", "at": render_time(0)},
        [Link("up", "https://a.example/up")],
        [Item("https://a.example/1", 86_400, {"length": "3"}, [Link("describes", "https://a.example/page")])],
    )
    root = etree.fromstring(body)
    assert [child.tag for child in root] == [f"{RS}ln", f"{RS}md", f"{SITEMAP}url"]
    assert dict(root[1].items()) == {"capability": "resourcelist", "at": "1970-01-01T00:00:00Z"}
    assert root[2].findtext(f"{SITEMAP}lastmod") == "1970-01-02T00:00:00Z"
    assert [dict(each.attrib) for each in root[2].iter(f"{RS}md")] == [{"length": "3"}]


def test_an_index_lists_sitemaps() -> None:
    root = etree.fromstring(
        render(INDEX, {"capability": "changelist"}, [], [Item("https://a.example/1.xml")])
    )
    assert root.tag == f"{SITEMAP}sitemapindex"
    assert [child.tag for child in root] == [f"{RS}md", f"{SITEMAP}sitemap"]


@given(
    st.text(),
    st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff")),
)
def test_any_identifier_makes_sound_xml_and_an_address_in_ascii(identifier: str, fact: str) -> None:
    address = ResourceSyncLinks("https://a.example").resource("hay", identifier, "oai_dc")
    assert address.isascii()
    root = etree.fromstring(render(LIST, {}, [Link("up", address)], [Item(address, facts={"path": fact})]))
    assert root.findtext(f"{SITEMAP}url/{SITEMAP}loc") == address
    assert root[0].get("href") == address
    assert [each.get("path") for each in root.iterfind(f"{SITEMAP}url/{RS}md")] == [fact]
