"""The article format of the Directory of Open Access Journals."""

from __future__ import annotations

from lxml import etree

from windrow.formats.authorities import authority_of
from windrow.formats.elements import Draft, language_of, local, text_of, words_of
from windrow.formats.extent import pages_of
from windrow.formats.leftovers import Trail
from windrow.formats.reader import Reader
from windrow.model.document import Document, LinkKind

_MEDIA_TYPES = {
    "pdf": "application/pdf",
    "html": "text/html",
    "xml": "application/xml",
    "epub": "application/epub+zip",
}


class OaiDoaj:
    """Reads oai_doaj, as the directory serves it and as journals hand it in."""

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
        """Give the document that this record's root element describes."""
        draft, trail = Draft("doaj"), Trail()
        pages: dict[str, str] = {}
        affiliations = _affiliations(root)
        for child in root:
            name = local(child)
            if name in ("startPage", "endPage"):
                pages[name] = text_of(child)
            elif name == "authors":
                _add_authors(draft, trail, child, affiliations)
            elif name == "keywords":
                _add_keywords(draft, trail, child)
            elif _add(draft, child, name):
                trail.skip(child)
        if len(pages) == 2:
            draft.add_pages(pages_of(f"pp. {pages['startPage'][:9]}-{pages['endPage'][:9]}"))
        trail.sweep(root, draft, "doaj")
        return draft.finish()


def _add(draft: Draft, child: etree._Element, name: str) -> bool:
    """Take a simple element; False where there is no field for it."""
    text = text_of(child)
    if name == "title":
        draft.add_title(words_of(child), language_of(child))
    elif name == "abstract":
        draft.add_description(words_of(child), language_of(child), is_abstract=True)
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
    return {name.get("affiliationId", ""): text_of(name) for name in names}


def _add_authors(draft: Draft, trail: Trail, authors: etree._Element, affiliations: dict[str, str]) -> None:
    for author in authors:
        said = {local(part): part for part in author}
        name = said.get("name")
        if name is None or not text_of(name):
            continue
        orcid = said.get("orcid_id")
        places = [text_of(part) for part in author if local(part) == "affiliationId"]
        draft.add_creator(
            trail.use(name),
            identifier=authority_of(trail.use(orcid), "orcid") if orcid is not None else None,
            affiliations=[affiliations.get(place, "") for place in places],
        )


def _add_keywords(draft: Draft, trail: Trail, keywords: etree._Element) -> None:
    for keyword in keywords:
        if local(keyword):
            draft.add_keyword(trail.use(keyword))


READER: Reader = OaiDoaj()
