"""A record's page as a search engine reads it, put back into a document; and what of one a page can hold.

The JSON-LD, the Dublin Core and the Open Graph are read by extruct. It knows no `citation_*` and drops what
Dublin Core has no term for, so the plain `<meta>` tags are read here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import extruct
from lxml import html

from windrow.formats.page_metadata.meta_tags import render_head
from windrow.model.document import Agent, Document, DocumentDate, Identifier, Link, LinkKind, Subject, Text

ADDRESS = "https://windrow.example/record/hay/oai:hay:1"
SITE = "Hay & Straw"
AUTHORING = ("author", "creator", "aut", "cre")
DATES = {
    "DC.date": "date",
    "DCTERMS.issued": "issued",
    "DCTERMS.created": "created",
    "DCTERMS.dateCopyrighted": "copyrighted",
    "DCTERMS.dateAccepted": "accepted",
    "DCTERMS.dateSubmitted": "submitted",
    "DCTERMS.available": "available",
    "DCTERMS.modified": "modified",
    "DCTERMS.valid": "valid",
}
_GONE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff\u202a-\u202e\u2066-\u2069]"
)
_TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}")


@dataclass(frozen=True)
class PageRead:
    """What there is in a page for engines."""

    node: dict[str, Any]  # the JSON-LD
    core: dict[str, list[tuple[str, str | None]]]  # Dublin Core: content and language by name
    graph: dict[str, str]  # Open Graph
    citation: dict[str, list[str]]
    schemas: dict[str, str]

    def said(self, name: str) -> list[str]:
        """Give the contents of a Dublin Core tag."""
        return [content for content, _ in self.core.get(name, [])]


def read_page(document: Document) -> PageRead:
    """Write the head of a page, put it into one, and read it as engines do."""
    inside = render_head(document, ADDRESS, site_name=SITE)
    page = f"<!doctype html><html lang=en><head>{inside}</head><body></body></html>"
    page.encode()
    found = extruct.extract(page, syntaxes=["json-ld", "dublincore", "opengraph"], uniform=False)
    (node,) = found["json-ld"]
    (core,) = found["dublincore"]
    (graph,) = found["opengraph"]
    return PageRead(
        node, _grouped([*core["elements"], *core["terms"], *_unknown(page)]), dict(graph["properties"]),
        _citations(page), core["namespaces"],
    )  # fmt: skip


def _metas(page: str) -> Iterator[dict[str, str]]:
    for tag in html.fromstring(page).iter("meta"):
        yield {str(name): str(value) for name, value in tag.items()}


def _unknown(page: str) -> list[dict[str, str]]:
    """Give what is of Dublin Core and has a second word behind it, which extruct leaves out."""
    return [tag for tag in _metas(page) if re.fullmatch(r"DC\.\w+\.\w+", tag.get("name", ""))]


def _citations(page: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for tag in _metas(page):
        if tag.get("name", "").startswith("citation_"):
            found.setdefault(tag["name"], []).append(tag["content"])
    return found


def _grouped(tags: Iterable[dict[str, str]]) -> dict[str, list[tuple[str, str | None]]]:
    found: dict[str, list[tuple[str, str | None]]] = {}
    for tag in tags:
        found.setdefault(tag["name"], []).append((tag["content"], tag.get("lang")))
    return found


def document_in(page: PageRead) -> Document:
    """Give the document that a page describes: by the JSON-LD, and by Dublin Core where that has no word."""
    node = page.node
    organisation = node.get("sourceOrganization", {})
    extent = node.get("materialExtent", {}).get("value")
    published = node.get("datePublished")
    return Document(
        titles=_texts(node.get("name")),
        creators=tuple(_agent(each, "author") for each in _all(node.get("author"))),
        contributors=tuple(_agent(each, "contributor") for each in _all(node.get("contributor"))),
        subjects=tuple(_subject(each) for each in _all(node.get("about"))),
        keywords=tuple(node.get("keywords", ())),
        descriptions=_texts(node.get("description")),
        publishers=tuple(each["name"] for each in _all(node.get("publisher"))),
        dates=tuple(_dates(page)),
        year=int(published[:4]) if published else None,
        types=tuple(_all(node.get("genre"))),
        languages=tuple(_all(node.get("inLanguage"))),
        pages=node.get("numberOfPages", extent),
        links=tuple(_links(page)),
        names=tuple(Identifier(each["propertyID"], each["value"]) for each in _all(node.get("identifier"))),
        rights=tuple(_all(node.get("copyrightNotice"))),
        sources=tuple(each["name"] for each in _all(node.get("isPartOf"))),
        relations=tuple(page.said("DC.relation")),
        institution=organisation.get("name"),
        department=organisation.get("department", {}).get("name"),
        prerequisites=tuple(_all(node.get("coursePrerequisites"))),
        exams=tuple(_all(node.get("educationalCredentialAwarded"))),
        professions=tuple(_all(node.get("occupationalCategory"))),
    )


def _all(value: Any) -> list[Any]:
    return [] if value is None else value if isinstance(value, list) else [value]


def _texts(value: Any) -> tuple[Text, ...]:
    return tuple(map(_text, _all(value)))


def _text(value: Any) -> Text:
    return Text(value["@value"], value["@language"]) if isinstance(value, dict) else Text(value)


def _agent(node: dict[str, Any], part: str) -> Agent:
    role = node.get("roleName")
    inner = node[part] if role is not None else node
    assert inner["@type"] in ("Person", "Organization")
    affiliations = tuple(each["name"] for each in _all(inner.get("affiliation")))
    return Agent(inner["name"], role, inner.get("@id", inner.get("identifier")), affiliations)


def _subject(node: dict[str, Any]) -> Subject:
    value, language = _text(node["name"])
    return Subject(value, node.get("inDefinedTermSet"), node.get("url", node.get("termCode")), language)


def _dates(page: PageRead) -> Iterable[DocumentDate]:
    for name in page.core:
        kind = DATES.get(name) or (name.removeprefix("DC.date.") if name.startswith("DC.date.") else None)
        if kind is not None:
            yield from (DocumentDate(text, kind) for text in page.said(name))


def _links(page: PageRead) -> Iterable[Link]:
    node = page.node
    yield from (Link(url, LinkKind.LANDING) for url in _all(node.get("sameAs")))
    for file in _all(node.get("encoding", node.get("distribution"))):
        yield Link(file["contentUrl"], LinkKind.FULLTEXT, file.get("name"), file.get("encodingFormat"))
    yield from (Link(url, LinkKind.THUMBNAIL) for url in _all(node.get("thumbnailUrl")))
    yield from (Link(url, LinkKind.LICENSE) for url in _all(node.get("license")))
    yield from (Link(url, LinkKind.RELATED) for url in page.said("DCTERMS.relation"))


def normal(document: Document) -> Document:
    """Give a document as a page can hold it: what none may show is gone, and dates and links are sorted.

    A creator whose role is to be the author says nothing more by it. Only of files is more told than the
    address. The year stands for the date where there is no other. The bounds are not here: they are for
    documents that no test but those of the bounds has.
    """
    dates = [DocumentDate(_said(text), _kind(kind)) for text, kind in document.dates if _said(text)]
    if not document.dates and document.year is not None:
        dates = [DocumentDate(f"{document.year:04}", "issued")]
    return replace(
        document,
        titles=_normal_texts(document.titles),
        creators=tuple(_normal_agent(each, AUTHORING) for each in document.creators if _said(each.name)),
        contributors=tuple(_normal_agent(each) for each in document.contributors if _said(each.name)),
        subjects=tuple(_normal_subject(each) for each in document.subjects if _said(each.value)),
        keywords=_once(document.keywords),
        descriptions=_normal_texts(document.descriptions),
        publishers=_once(document.publishers),
        dates=tuple(sorted(dates)),
        types=_once(document.types),
        languages=tuple(code for code in document.languages if _TAG.fullmatch(code)),
        links=tuple(sorted(map(_normal_link, filter(_is_linked, document.links)), key=_place)),
        names=tuple(Identifier(scheme, _said(value)) for scheme, value in document.names if _said(value)),
        rights=_once(document.rights),
        sources=_once(document.sources),
        relations=_once(document.relations),
        institution=_said(document.institution) or None,
        department=_said(document.department) or None,
        extra={},
        events=(),
    )


def in_order(document: Document) -> Document:
    """Give a document read from a page with its dates and links in the order that `normal` has them in."""
    return replace(
        document, dates=tuple(sorted(document.dates)), links=tuple(sorted(document.links, key=_place))
    )


def _place(link: Link) -> tuple[str, ...]:
    return tuple(part or "" for part in link)


def is_web(url: str) -> bool:
    """Say whether an address has a host on the web and no letter that cannot be seen."""
    return bool(re.fullmatch(r"https?://[^\s/?#\[\]]+([/?#]\S*)?", url, re.IGNORECASE)) and url.isprintable()


def _said(text: str | None) -> str:
    return _GONE.sub("", re.sub("\r\n|[\r\u2028\u2029]", "\n", text or "")).strip()


def _kind(kind: str) -> str:
    return kind if re.fullmatch("[a-z]{1,30}", kind) else "date"


def _once(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(_said, values))))


def _language(code: str | None) -> str | None:
    return code if code and _TAG.fullmatch(code) else None


def _normal_texts(texts: Iterable[Text]) -> tuple[Text, ...]:
    return tuple(Text(_said(words), _language(language)) for words, language in texts if _said(words))


def _normal_agent(agent: Agent, understood: tuple[str, ...] = ()) -> Agent:
    name, role, identifier = (_said(part) or None for part in agent[:3])
    if role is not None and role.lower() in understood:
        role = None
    return Agent(name or "", role, identifier, _once(agent.affiliations))


def _normal_subject(subject: Subject) -> Subject:
    value, scheme, uri, language = subject
    return Subject(_said(value), _said(scheme) or None, _said(uri) or None, _language(language))


def _normal_link(link: Link) -> Link:
    if link.kind is not LinkKind.FULLTEXT:
        return Link(link.url, link.kind)
    return Link(link.url, link.kind, _said(link.label) or None, _said(link.media_type) or None)


def _is_linked(link: Link) -> bool:
    return is_web(link.url)
