"""Pages: metadata, links, words and directives out of the bytes of a response."""

from __future__ import annotations

import gzip
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fixtures import Place, own, own_and_shared, studera
from tests.thorough import tries
from windrow.sources.web.page import MetaTag, Page, PageLimits, PageWants, parse_page
from windrow.sources.web.urls import join

URL = "http://www.example.edu/courses/list.html"
HTML = "text/html"


def parsed(
    markup: str | bytes, headers: dict[str, str] | None = None, *, limits: PageLimits | None = None
) -> Page:
    body = markup.encode() if isinstance(markup, str) else markup
    headers = {"content-type": HTML} | (headers or {})
    return parse_page(
        body, url=URL, headers=headers, limits=limits or PageLimits(), wants=PageWants(language=False)
    )


def urls(page: Page, kind: str = "anchor") -> list[str]:
    return [link.url for link in page.links if link.kind == kind]


def codes(page: Page) -> set[str]:
    return {remark.code for remark in page.remarks}


@own_and_shared
def test_the_course_page_of_studera_is_read_whole(place: Place) -> None:
    body, expected = place("studera").joinpath("page.html").read_bytes(), studera(place)
    page = parse_page(body, url=expected["url"], headers={"content-type": HTML})
    assert (page.title, page.charset, page.language) == (expected["title"], "ISO-8859-1", "sv")
    assert (len(page.headings), len(page.links)) == (expected["headings"], expected["links"])
    assert MetaTag(*expected["tag"]) in page.tags
    events = [tag.content.rstrip(";").split(";") for tag in page.tags if tag.name == "STUDERA.event"]
    assert events == expected["events"]
    assert expected["text"] in page.text
    number, words = expected["link"]
    assert page.links[number].text == words


@settings(deadline=None, max_examples=tries(200))
@given(body=st.binary(max_size=400), content_type=st.text(max_size=40))
def test_no_bytes_make_parsing_fail(body: bytes, content_type: str) -> None:
    assert isinstance(parsed(body, {"content-type": content_type}), Page)


_PIECES = (
    r"""
<a href=' '> <meta|name= content=' <div|itemscope|itemprop=a| itemref=x|id=x> <title> </title>
<base|href='http://[bad'> <script|type='application/ld+json'>
{"@type":"Course","name": "\ud800"} </script> \0 \f &#x0; &#xfffe; <h1> <svg> <!--
--> <![CDATA[ <frameset> <body> http:// <?xml|version='1.0'|encoding='utf-16'?>
<!DOCTYPE|html|[<!ENTITY|a|'b'>]> // javascript: <td> <p> &#x0c; &#xd800;
""".replace("\\0", "\0")
    .replace("\\f", "\f")
    .split()
)  # a bar stands for a space
PIECES = [piece.replace("|", " ") for piece in _PIECES]


@settings(deadline=None, max_examples=tries(300))
@given(pieces=st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=30), xhtml=st.booleans())
def test_no_markup_makes_parsing_fail(pieces: list[str], xhtml: bool) -> None:
    body = "".join(pieces).encode("utf-8", "surrogatepass")
    page = parse_page(
        body,
        url=URL,
        headers={"content-type": "application/xhtml+xml" if xhtml else HTML},
        wants=PageWants(main_text=True),
    )
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", repr(page) + page.text)
    assert all(link.url.startswith(("http", "ftp", "mailto", "tel", "news")) for link in page.links)
    repr(page).encode()


@pytest.mark.parametrize(
    ("markup", "tag"),
    [
        ("<meta name=DC.Title content='A title'>", MetaTag("DC.Title", "A title")),
        ("<META NAME='dc:title' CONTENT=A>", MetaTag("dc:title", "A")),
        ("<meta content='a &amp; b' property=og:title>", MetaTag("og:title", "a & b")),
        ("<meta name=DC.Subject scheme=UDK lang=sv content=x>", MetaTag("DC.Subject", "x", "UDK", "sv")),
        (
            "<meta name=DCTERMS.title xml:lang=fi content=' a\n b '>",
            MetaTag("DCTERMS.title", "a b", None, "fi"),
        ),
        ("<body><p><meta name=citation_title content=late>", MetaTag("citation_title", "late")),
    ],
)
def test_a_meta_tag_is_kept_as_it_came(markup: str, tag: MetaTag) -> None:
    assert parsed(markup).tags == (tag,)


def test_repeated_tags_keep_their_order() -> None:
    page = parsed("<meta name=a content=1><meta name=b content=2><meta name=a content=3>")
    assert [(tag.name, tag.content) for tag in page.tags] == [("a", "1"), ("b", "2"), ("a", "3")]


def test_links_of_all_kinds_are_found_in_order() -> None:
    page = parsed(
        "<link rel=canonical href=/c><link rel=next href='?p=2'><link rel=alternate hreflang=sv href=/sv>"
        "<link rel=alternate type=application/rss+xml href=/rss><link rel='stylesheet' href=/css>"
        "<meta http-equiv=refresh content='5; URL=\"/new\"'><a href=one.html>One</a>"
        "<map><area href=two alt=Two></map>"
        "<iframe src=//cdn.example.org/x></iframe><a name=x>no link</a>"
    )
    assert [(link.kind, link.url) for link in page.links] == [
        ("canonical", "http://www.example.edu/c"),
        ("next", "http://www.example.edu/courses/list.html?p=2"),
        ("alternate", "http://www.example.edu/sv"),
        ("feed", "http://www.example.edu/rss"),
        ("refresh", "http://www.example.edu/new"),
        ("anchor", "http://www.example.edu/courses/one.html"),
        ("area", "http://www.example.edu/courses/two"),
        ("iframe", "http://cdn.example.org/x"),
    ]
    assert [link.text for link in page.links if link.text] == ["One", "Two"]


def test_frames_are_links() -> None:
    page = parsed("<frameset cols='1,2'><frame src=menu.html><frame src=/start></frameset>")
    assert urls(page, "frame") == ["http://www.example.edu/courses/menu.html", "http://www.example.edu/start"]


def test_links_are_resolved_against_the_base_address() -> None:
    page = parsed(
        "<a href=early>x</a><base href='/other/'><base href='/third/'><a href=b>x</a><a href='../c'>y</a>"
    )
    assert urls(page) == [
        "http://www.example.edu/other/early", "http://www.example.edu/other/b", "http://www.example.edu/c",
    ]  # fmt: skip


@pytest.mark.parametrize("base", ["javascript:alert(1)", "http://[bad", "data:text/html,x", "mailto:a@b"])
def test_a_base_address_that_leads_nowhere_is_ignored(base: str) -> None:
    page = parsed(f"<base href='{base}'><a href=x>x</a>")
    assert urls(page) == ["http://www.example.edu/courses/x"]
    assert codes(page) == {"base"}


@pytest.mark.parametrize(
    "href",
    [
        "javascript:x",
        "JaVaScript:x",
        "java\nscript:x",
        "data:,x",
        "http://[bad",
        "http://",
        "blob:x",
        "about:blank",
    ],
)
def test_what_no_robot_can_fetch_is_no_link(href: str) -> None:
    assert parsed(f'<a href="{href}">x</a>').links == ()


@pytest.mark.parametrize(
    ("href", "url"),
    [
        (" /a b ", "http://www.example.edu/a b"),
        ("/a\n/b", "http://www.example.edu/a/b"),
        ("//host/x", "http://host/x"),
        ("/a/../b", "http://www.example.edu/b"),
        ("\x01http://a/", "http://a/"),
        ("HTTP://Host/X#f", "HTTP://Host/X#f"),
        ("#part", URL + "#part"),
        ("/ä?ö=1&amp;b=2", "http://www.example.edu/ä?ö=1&b=2"),
    ],
)
def test_a_link_is_absolute_and_otherwise_as_written(href: str, url: str) -> None:
    assert urls(parsed(f'<a href="{href}">x</a>')) == [url]


def test_mail_addresses_are_links_that_are_not_fetched() -> None:
    assert [(link.kind, link.url) for link in parsed("<a href=mailto:a@b.se>a</a>").links] == [
        ("other", "mailto:a@b.se")
    ]


def test_nofollow_is_of_the_link_or_of_the_page() -> None:
    page = parsed("<a rel='external nofollow' href=a>a</a><a rel=external href=b>b</a>")
    assert [link.nofollow for link in page.links] == [True, False]
    assert not page.is_nofollow


@pytest.mark.parametrize(
    ("markup", "header", "noindex", "nofollow"),
    [
        ("<meta name=ROBOTS content='NoIndex, nofollow'>", "", True, True),
        ("<meta name=robots content=none>", "", True, True),
        ("<meta name=windrow content=noindex>", "", True, False),
        ("<meta name=googlebot content=noindex>", "", False, False),
        ("<meta name=robots content='index,follow'>", "", False, False),
        ("", "noindex", True, False),
        ("", "otherbot: noindex, nofollow", False, False),
        ("", "otherbot: noindex, windrow: nofollow", False, True),
        ("", "unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow", False, True),
        ("", "max-snippet: 20, none", True, True),
    ],
)
def test_robots_directives_come_from_tags_and_header(
    markup: str, header: str, noindex: bool, nofollow: bool
) -> None:
    page = parsed(markup, {"x-robots-tag": header})
    assert (page.is_noindex, page.is_nofollow) == (noindex, nofollow)


def test_words_are_without_scripts_and_a_line_for_each_block() -> None:
    page = parsed(
        "<title>T</title><style>p{}</style><p>One <b>t</b>wo<script>x</script></p>three"
        "<table><tr><td>a<td>b</table>"
        "<noscript>Enable it</noscript><textarea>x</textarea>"
    )
    assert page.text == "One two\nthree\na b"


def test_the_digest_does_not_see_what_is_no_word() -> None:
    page, other = (parsed(f"<title>T</title><input name=nonce value={n}><p> Same \n words") for n in (1, 2))
    assert page.text_digest == other.text_digest != parsed("<title>T</title><p>Other words").text_digest


@pytest.mark.parametrize(
    ("markup", "headers", "language"),
    [
        ("<html lang=sv-SE>", {}, "sv"),
        ("<html xml:lang=fi>", {}, "fi"),
        ("<meta http-equiv=Content-Language content='de, en'>", {}, "de"),
        ("<meta name=DC.Language scheme=ISO639-2 content=swe>", {}, "sv"),
        ("<p>x", {"content-language": "nn"}, "nn"),
        ("<html lang=xx-nonsense><meta name=dc:language content=French>", {}, "fr"),
        ("<p>x", {}, None),
    ],
)
def test_the_declared_language_is_a_code(markup: str, headers: dict[str, str], language: str | None) -> None:
    assert parsed(markup, headers).language == language


def test_an_undeclared_language_is_detected() -> None:
    body = "<p>Kursen vänder sig till lärare eller blivande lärare som vill lära sig mer om statistik."
    assert parse_page(body.encode(), url=URL, headers={}).language == "sv"


@pytest.mark.parametrize(
    ("require", "meta", "language"),
    [
        (None, "", "sv"),
        ((), "", None),
        ((), "<meta name=DC.Title content=x>", "sv"),
        (("STUDERA.identifier",), "<meta name=DC.Title content=x>", None),
        (("STUDERA.identifier",), "<meta name=STUDERA.identifier content=x>", "sv"),
    ],
)
def test_a_language_is_detected_only_where_the_page_makes_a_record(
    require: tuple[str, ...] | None, meta: str, language: str | None
) -> None:
    body = f"{meta}<p>Kursen handlar om hur barn och unga lär sig att läsa och skriva på svenska i skolan."
    page = parse_page(body.encode(), url=URL, headers={}, wants=PageWants(require=require))
    assert page.language == language


# Of two slashes in a relative path `urljoin` makes one, and browsers do not.
_RESTS = st.from_regex(r"[a-z.:?#/]{0,8}", fullmatch=True).filter(lambda rest: "//" not in rest)


@pytest.mark.parametrize("folder", ["", "/", "/a", "/a/", "/a/b/c.html", "/a/b/?q=/x/y", "/a;x/b"])
@settings(deadline=None, max_examples=tries(100))
@given(steps=st.integers(1, 3), rest=_RESTS)
def test_links_to_folders_above_lead_where_they_do_in_browsers(folder: str, steps: int, rest: str) -> None:
    from urllib.parse import urljoin  # the oracle

    base, href = f"http://www.example.edu{folder}", "../" * steps + f"x{rest}"
    page = parse_page(f'<a href="{href}">'.encode(), url=base, headers={}, wants=PageWants(language=False))
    assert urls(page) == [urljoin(base, href)]


def test_xhtml_is_read_as_xml_where_it_is_well_formed() -> None:
    markup = (
        "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml' xml:lang='sv'><head><title/>"
        "<script src='x'/><meta name='a' content='b'/></head><body><a href='x'>y</a></body></html>"
    )
    page = parsed(markup, {"content-type": "application/xhtml+xml"})
    assert (page.tags, urls(page), page.language) == (
        (MetaTag("a", "b"),), ["http://www.example.edu/courses/x"], "sv",
    )  # fmt: skip


def test_entities_of_html_are_known_in_xhtml() -> None:
    markup = (
        "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd'>"
        "<html xmlns='http://www.w3.org/1999/xhtml'><head><title>&auml;</title></head><body>a&nbsp;&ouml;</body></html>"
    )
    page = parsed(markup, {"content-type": "application/xhtml+xml"})
    assert (page.title, page.text) == ("ä", "a ö")


def test_entities_of_a_document_are_not_expanded() -> None:
    bomb = "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 20))
    markup = f"<!DOCTYPE html [<!ENTITY a0 'ha'>{bomb}]><html><head><title>&a19;</title></head><body/></html>"
    page = parsed(markup, {"content-type": "application/xhtml+xml"})
    assert len(page.title) < 100
    markup = (
        "<!DOCTYPE html [<!ENTITY a0 'ha'>]><html><head><meta name='a' content='&a0;'/></head><body/></html>"
    )
    assert [tag.content for tag in parsed(markup, {"content-type": "application/xhtml+xml"}).tags] == ["&a0;"]


HOSTILE = {
    "divs": (b"<div>" * 400_000 + b"<a href=x>y</a>", "depth"),
    "anchors": (b"<a href=x>" * 100_000, "links"),
    "lists": (b"<ul><li>" * 50_000 + b"<a href=x>y</a>", "depth"),
    "links": (b"<a href=/x>y</a>" * 300_000, "links"),
    "tags": (b"<meta name=a content=b>" * 100_000, "meta"),
    "unclosed": (b"<div>" * 3_000 + b"<b" * 1_000_000, "depth"),
    "attribute": (b"<meta name=x content='" + b"a" * 20_000_000 + b"'>", None),
    "text": (b"x" * 20_000_000, "text"),
    "properties": (
        b"<div itemscope itemtype=http://schema.org/Book>" + b"<b itemprop=name>x</b>" * 9_000,
        "microdata",
    ),
    "json": (b"<script type='application/ld+json'>" + b"[" * 100_000 + b"</script>", "json-ld"),
    "semicolons": (b"<script type='application/ld+json'>{" + b";" * 900_000 + b"x</script>", "json-ld"),
    "spaces": (b"<script type='application/ld+json'>{," + b" " * 900_000 + b"x</script>", "json-ld"),
    "headings": (b"<h1>" * 1_900 + b"<b></b>" * 50_000, None),
    "address": (b"<a href='/" + b"x" * 100_000 + b"'>y</a>", "url-length"),
    "picture": (b"\xff\xd8\xff\xe0" + bytes(range(256)) * 500, "binary"),
    "noise": (bytes(range(32)) * 5_000, "binary"),
    "NUL": (b"<p>a\0b<a href='z\0'>q</a> some more words of text, so that it is text" * 20, "nul"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_is_cut_to_its_limits_and_remarked_on(name: str) -> None:
    body, code = HOSTILE[name]
    page = parsed(body)
    assert code is None or code in codes(page)
    assert len(page.links) <= PageLimits().links
    assert len(page.tags) <= PageLimits().meta_tags
    assert len(page.text) <= PageLimits().text_chars
    assert sum(len(tag.content) for tag in page.tags) <= PageLimits().all_meta_chars + PageLimits().meta_chars


@pytest.mark.parametrize("name", ["divs", "lists"])
def test_links_of_pages_nested_too_deeply_are_found(name: str) -> None:
    assert urls(parsed(HOSTILE[name][0])) == ["http://www.example.edu/courses/x"]


def test_a_page_of_two_thousand_levels_is_read_as_any_other() -> None:
    page = parsed("<div>" * 1_900 + "<a href=x>y</a>" + "</div>" * 1_900 + "<a href=z>after</a>")
    assert (len(page.links), codes(page)) == (2, set())


def test_limits_can_be_set() -> None:
    limits = PageLimits(links=2, meta_tags=1, headings=1, text_chars=5, title_chars=3, link_text_chars=2)
    page = parsed("<title>title</title><meta name=a content=b><meta name=b content=c><h1>One</h1><h1>Two</h1>"
                  "<a href=1>abc</a><a href=2>b</a><a href=3>c</a>", limits=limits)  # fmt: skip
    assert (page.title, page.headings, len(page.tags), page.text) == ("tit", ("One",), 1, "One\nT")
    assert [link.text for link in page.links] == ["ab", "b"]
    assert codes(page) == {"links", "meta", "headings", "text"}


def test_the_main_text_is_without_navigation() -> None:
    paragraph = (
        "This course is for teachers who want to learn more about geometry, statistics and their history. "
    )
    menu = "<nav><a href=1>Home</a></nav>" + "<ul><li><a href=x>Another page of ours</a></ul>" * 9
    markup = (
        f"{menu}<h1>Geometry</h1><p>{paragraph * 2}</p><p>Short but near it.</p><p>{paragraph}</p>"
        f"<footer>{paragraph}</footer>"
    )
    page = parse_page(markup.encode(), url=URL, headers={}, wants=PageWants(main_text=True))
    assert page.main_text.split("\n") == [
        "Geometry", (paragraph * 2).strip(), "Short but near it.", paragraph.strip(),
    ]  # fmt: skip


@own_and_shared
def test_every_page_of_the_fixtures_parses(place: Place) -> None:
    bodies = [
        gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for folder in ("web", "site")
        for path in sorted(place(folder).rglob("*.htm*"))
    ]
    pages = [parse_page(body, url=URL, headers={}, wants=PageWants(language=False)) for body in bodies]
    titled = [body for body in bodies if re.search(rb"<title[^>]*>\s*[\w]", body, re.IGNORECASE)]
    least_pages, least_described, least_items = (30, 5, 5) if place is own else (401, 31, 36)
    assert len(pages) >= least_pages
    assert sum(bool(page.title) for page in pages) >= len(titled)
    assert sum(any(_is_described(tag.name) for tag in page.tags) for page in pages) >= least_described
    assert sum(bool(page.items) for page in pages) >= least_items


def _is_described(name: str) -> bool:
    return name.lower().startswith(("dc.", "dc_", "citation_", "citation."))


class Anchors(HTMLParser):
    """An independent finder of links: the parser of the standard library."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        href = dict(attrs).get("href")
        if tag == "a" and href is not None:
            self.found.append(join(URL, href.strip()))


@own_and_shared
def test_the_links_of_whole_sites_are_those_of_another_parser(place: Place) -> None:
    compared = 0
    for path in sorted(place("site").rglob("*.html")):
        text = path.read_bytes().decode("utf-8", "replace")
        anchors = Anchors()
        anchors.feed(text)
        wanted = {url for url in anchors.found if url.startswith("http")}
        page = parsed(text)
        assert {link.url for link in page.links if link.kind == "anchor"} == wanted, path
        compared += len(wanted)
    assert compared > (30 if place is own else 2_000)
