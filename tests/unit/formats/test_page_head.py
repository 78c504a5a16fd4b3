"""The head of a record's page, whatever a record says."""

from __future__ import annotations

from dataclasses import fields, replace
from html.parser import HTMLParser

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.formats.documents import documents
from tests.unit.formats.page_reading import ADDRESS, SITE, document_in, in_order, normal, read_page
from windrow.formats.page_metadata.meta_tags import render_head
from windrow.formats.page_metadata.tag_values import (
    LONGEST_ABSTRACT,
    LONGEST_NAME,
    LONGEST_TITLE,
    LONGEST_WORDS,
    MOST_ABSTRACTS,
    MOST_PEOPLE,
    MOST_TITLES,
    MOST_VALUES,
)
from windrow.model.document import Agent, Document, DocumentDate, Identifier, Link, LinkKind, Subject, Text

NASTY = [
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "<!-- <script> -->",
    "]]>&lt;b&gt;&amp;&quot;'",
    "{{ 7 * 7 }}{% raw %}",
    "a\u2028b\u2029c\x00d\x1be\ud800f\udfffg\ufffeh",
    "\u202eright to left\u202c \u2066isolated\u2069",
    "one\r\ntwo\rthree\n\nfour\tfive",
    "   ",
    "\\u003c/script>\\",
]
ADDRESSES = [
    "https://hay.example/1",
    "HTTP://hay.example:8080/a?b=c&d=%22#e",
    "https://hay.example/\u202etxt.exe",
    "https://hay.example/a b",
    "https:///no-host",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "ftp://hay.example/a.pdf",
    "//hay.example/",
    "http://[half",
]
KINDS = ["Thesis", "Article", "Book", "Dataset", "Course", "Video", "text", "Chapter", "Report"]
FIELDS = [field.name for field in fields(Document) if field.name not in ("extra", "events")]
LINKS = st.lists(st.builds(Link, st.sampled_from(ADDRESSES), st.sampled_from(LinkKind)), max_size=4).map(
    tuple
)


class Elements(HTMLParser):
    """What a parser by other hands than lxml's finds in the markup."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.attributes: set[str] = set()
        self.feed(f"{markup}<p>behind it</p>")
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)
        self.attributes |= {name for name, _ in attrs}


def assert_comes_back(document: Document) -> None:
    expected, found = normal(document), in_order(document_in(read_page(document)))
    for field in FIELDS:
        assert getattr(found, field) == getattr(expected, field), field


def full_of(text: str) -> Document:
    """Give a document with this in every field."""
    agent = Agent(text, text, text, (text,))
    return Document(
        titles=(Text(text, text),),
        creators=(agent,),
        contributors=(agent,),
        subjects=(Subject(text, text, text, text),),
        keywords=(text,),
        descriptions=(Text(text, text),),
        publishers=(text,),
        dates=(DocumentDate(text, text),),
        types=(text,),
        languages=(text,),
        links=tuple(Link(text, kind, text, text) for kind in LinkKind),
        names=(Identifier("doi", text), Identifier("isbn", text), Identifier("local", text)),
        rights=(text,),
        sources=(text,),
        relations=(text,),
        institution=text,
        department=text,
        extra={text: (text,)},
    )


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(document=documents(), links=LINKS, kind=st.sampled_from(KINDS))
def test_any_document_comes_back_from_its_page(
    document: Document, links: tuple[Link, ...], kind: str
) -> None:
    assert_comes_back(replace(document, types=(kind, *document.types), links=(*links, *document.links)))


@pytest.mark.parametrize("text", [*NASTY, *ADDRESSES])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_a_record_says_gets_out_of_its_place(text: str, kind: str) -> None:
    document = full_of(text)
    assert_comes_back(replace(document, types=(kind, text)))
    elements = Elements(render_head(document, ADDRESS, site_name=SITE))
    assert set(elements.found) == {"link", "meta", "script", "p"}
    assert elements.found.count("script") == elements.found.count("p") == 1
    assert elements.attributes <= {"rel", "href", "name", "property", "content", "lang", "type"}


@pytest.mark.parametrize("text", NASTY)
def test_nothing_turns_or_breaks_the_text_around_it(text: str) -> None:
    written = render_head(full_of(text), ADDRESS)
    written.encode()
    assert not set(written) & set(
        "\x00\x1b\r\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    )


def test_only_addresses_of_the_web_are_given_as_links() -> None:
    every = Document(links=tuple(Link(url, kind) for url in ADDRESSES for kind in LinkKind))
    page = read_page(every)
    allowed = {"https://hay.example/1", "HTTP://hay.example:8080/a?b=c&d=%22#e"}
    assert {link.url for link in document_in(page).links} == allowed
    assert "javascript" not in render_head(every, ADDRESS)


def test_a_long_address_is_whole_or_not_there() -> None:
    whole, endless = (f"https://hay.example/{'a' * length}" for length in (3900, 5000))
    document = Document(
        creators=(Agent("Mower, Ann", identifier=whole), Agent("Rake, Bo", identifier=endless)),
        links=tuple(Link(url, LinkKind.FULLTEXT) for url in (whole, endless)),
    )
    page = read_page(document)
    assert [each.get("@id") for each in page.node["author"]] == [whole, None]
    assert [link.url for link in document_in(page).links] == [whole]


def test_an_empty_document_has_a_page_without_claims() -> None:
    page = read_page(Document())
    assert page.node == {
        "@context": "https://schema.org",
        "@type": "CreativeWork",
        "@id": ADDRESS,
        "url": ADDRESS,
    }
    assert page.core == {"DC.identifier": [(ADDRESS, None)]}
    assert page.graph == {"og:type": "website", "og:url": ADDRESS, "og:site_name": SITE}
    assert page.citation == {}


def test_the_prefixes_of_dublin_core_are_explained() -> None:
    assert read_page(Document()).schemas == {
        "DC": "http://purl.org/dc/elements/1.1/",
        "DCTERMS": "http://purl.org/dc/terms/",
    }


def test_an_endless_record_has_a_page_with_an_end() -> None:
    many, long, longer = 600, "endless " * 400, "endless " * 20_000
    document = Document(
        titles=(Text(longer),) * 100,
        creators=tuple(Agent(f"{place} {long}") for place in range(many)),
        keywords=tuple(f"{place} {long}" for place in range(many)),
        descriptions=(Text(longer),) * 100,
        rights=tuple(f"{place} {long}" for place in range(many)),
        names=tuple(Identifier("doi", f"10.1234/{place}") for place in range(many)),
        links=tuple(Link(f"https://hay.example/{place}", LinkKind.FULLTEXT) for place in range(many)),
    )
    page = document_in(read_page(document))
    assert (len(page.titles), len(page.titles[0].value)) == (MOST_TITLES, LONGEST_TITLE + 2)
    assert (len(page.creators), len(page.creators[0].name)) == (MOST_PEOPLE, LONGEST_NAME + 2)
    assert (len(page.descriptions), len(page.descriptions[0].value)) == (MOST_ABSTRACTS, LONGEST_ABSTRACT + 2)
    assert (len(page.rights), len(page.rights[0])) == (MOST_VALUES, LONGEST_WORDS + 2)
    assert len(page.keywords) == len(page.links) == len(page.names) == MOST_VALUES
