"""The article format of the Directory of Open Access Journals."""

from __future__ import annotations

from lxml import etree

from windrow.formats.mapping.identifier_schemes import authority_address
from windrow.formats.mapping.page_counts import count_pages
from windrow.formats.mapping.xml_records import (
    Draft,
    Trail,
    element_language,
    element_text,
    element_words,
    local_name,
)
from windrow.formats.registry import Reader
from windrow.model.document import Document, LinkKind

_MEDIA_TYPES = {
    "pdf": "application/pdf",
    "html": "text/html",
    "xml": "application/xml",
    "epub": "application/epub+zip",
}


class OaiDoaj:
    """Reader of oai_doaj, as the directory serves it and as journals submit it."""

    name = "oai_doaj"
    prefixes = frozenset(("oai_doaj", "doaj"))
    roots = frozenset(
        (
            "{http://doaj.org/features/oai_doaj/1.0/}doajArticle",
            "{https://doaj.org/features/oai_doaj/1.0/}doajArticle",
            "{http://doaj.org/features/oai_doaj/1.0/}record",
            "doajArticle",
        )
    )

    def read(self, root: etree._Element) -> Document:
        draft, trail = Draft("doaj"), Trail()
        pages: dict[str, str] = {}
        affiliations = _affiliations(root)
        for child in root:
            name = local_name(child)
            if name in ("startPage", "endPage"):
                pages[name] = element_text(child)
            elif name == "authors":
                _add_authors(draft, trail, child, affiliations)
            elif name == "keywords":
                _add_keywords(draft, trail, child)
            elif _add(draft, child, name):
                trail.skip(child)
        if len(pages) == 2:
            draft.add_pages(count_pages(f"pp. {pages['startPage'][:9]}-{pages['endPage'][:9]}"))
        trail.sweep(root, draft, "doaj")
        return draft.finish()


def _add(draft: Draft, child: etree._Element, name: str) -> bool:
    text = element_text(child)
    if name == "title":
        draft.add_title(element_words(child), element_language(child))
    elif name == "abstract":
        draft.add_description(element_words(child), element_language(child), is_abstract=True)
    elif name == "journalTitle":
        draft.add_source(text)
    elif name == "publicationDate":
        draft.add_date(text, "issued")
    elif name == "publisher":
        draft.add_publisher(text)
    elif name == "language":
        draft.add_language(text)
    elif name == "documentType":
        draft.add_type(text)
    elif name in ("doi", "issn", "eissn"):
        draft.add_identifier(text, scheme=name.removeprefix("e"))
    elif name == "fullTextUrl":
        media_type = _MEDIA_TYPES.get((child.get("format") or "").lower())
        draft.add_link(text, hint=LinkKind.FULLTEXT, media_type=media_type)
    else:
        return False
    return True


def _affiliations(root: etree._Element) -> dict[str, str]:
    names = root.iter("{*}affiliationName")
    return {name.get("affiliationId", ""): element_text(name) for name in names}


def _add_authors(draft: Draft, trail: Trail, authors: etree._Element, affiliations: dict[str, str]) -> None:
    for author in authors:
        said = {local_name(part): part for part in author}
        name = said.get("name")
        if name is None or not element_text(name):
            continue
        orcid = said.get("orcid_id")
        places = [element_text(part) for part in author if local_name(part) == "affiliationId"]
        draft.add_creator(
            trail.use(name),
            identifier=authority_address(trail.use(orcid), "orcid") if orcid is not None else None,
            affiliations=[affiliations.get(place, "") for place in places],
        )


def _add_keywords(draft: Draft, trail: Trail, keywords: etree._Element) -> None:
    for keyword in keywords:
        if local_name(keyword):
            draft.add_keyword(trail.use(keyword))


READER: Reader = OaiDoaj()
