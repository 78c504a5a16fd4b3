"""OAI-ORE resource maps in Atom: DSpace's `ore` format, and other Atom entries.

Resource maps in RDF/XML have the root of RDF and are read by the RDF reader.
"""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

from windrow.formats.dublin_core.dc_terms import DC, DCTERMS, add_element
from windrow.formats.mapping.xml_records import Draft, Trail, element_language, local_name
from windrow.formats.repositories import dspace_fields
from windrow.model.document import Document, LinkKind

NAMESPACE = "http://www.w3.org/2005/Atom"
TERMS = "http://www.openarchives.org/ore/terms/"

_ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
_RELATIONS = {
    f"{TERMS}aggregates": LinkKind.FULLTEXT,
    "enclosure": LinkKind.FULLTEXT,
    "http://opds-spec.org/acquisition": LinkKind.FULLTEXT,
    "http://opds-spec.org/acquisition/open-access": LinkKind.FULLTEXT,
    "http://opds-spec.org/image": LinkKind.THUMBNAIL,
    "http://opds-spec.org/image/thumbnail": LinkKind.THUMBNAIL,
    "alternate": LinkKind.LANDING,
    "license": LinkKind.LICENSE,
    "related": LinkKind.RELATED,
    "via": LinkKind.RELATED,
    "": LinkKind.LANDING,  # in Atom, a link without a relation is an alternate
}
_PAGES = ("", "text/html", "application/xhtml+xml")


class Ore:
    """Reader of resource maps and other entries in Atom."""

    name = "ore"
    prefixes = frozenset({"oai_ore", "rem_atom", "ore_atom", "atom", "oreatom"})
    roots = frozenset({f"{{{NAMESPACE}}}entry", f"{{{NAMESPACE}}}feed"})

    def read(self, root: etree._Element) -> Document:
        # Of a feed, its own metadata is read.
        draft, trail = Draft("atom"), Trail()
        bundles = _bundles(root, trail)
        for child in root:
            if local_name(child):
                _read_child(child, draft, trail, bundles)
        trail.sweep(root, draft, "atom")
        return draft.finish()


def _read_child(child: etree._Element, draft: Draft, trail: Trail, bundles: dict[str, str]) -> None:
    name = local_name(child)
    if str(child.tag).startswith((DC, DCTERMS)):
        add_element(draft, child)
        trail.skip(child)
    elif name == "link":
        _add_link(child, draft, trail, bundles)
    elif name in _PLACES:
        _PLACES[name](child, draft, trail)


def _bundles(root: etree._Element, trail: Trail) -> dict[str, str]:
    """Return the bundle of each file, which DSpace states in triples beside the links."""
    found: dict[str, str] = {}
    for triples in root:
        for node in triples if local_name(triples) == "triples" else ():
            for said in node:
                words = (said.text or "").strip().upper()
                if local_name(said) == "description" and words in dspace_fields.BUNDLES:
                    found[node.get(_ABOUT) or ""] = words
                    trail.skip(said)
    return found


def _add_link(link: etree._Element, draft: Draft, trail: Trail, bundles: dict[str, str]) -> None:
    relation, media_type = link.get("rel") or "", link.get("type") or ""
    kind = _RELATIONS.get(relation)
    if kind is None:
        return
    address = trail.value(link, "href")
    if kind is LinkKind.FULLTEXT and address in bundles:
        kind = dspace_fields.BUNDLES[bundles[address]]
    if kind is LinkKind.LANDING and media_type not in _PAGES:
        kind = LinkKind.RELATED  # the same page in another format, for machines
    draft.add_link(address, media_type=media_type or None, hint=kind, label=link.get("title"))


def _add_title(element: etree._Element, draft: Draft, trail: Trail) -> None:
    draft.add_title(trail.use(element), element_language(element))


def _add_person(element: etree._Element, draft: Draft, trail: Trail) -> None:
    names = {local_name(child): child for child in element if local_name(child) in ("name", "uri")}
    words = trail.use(names["name"]) if "name" in names else ""
    if words:
        identifier = trail.use(names["uri"]) if "uri" in names else None
        add = draft.add_creator if local_name(element) == "author" else draft.add_contributor
        add(words, identifier=identifier or None)


def _add_summary(element: etree._Element, draft: Draft, trail: Trail) -> None:
    draft.add_description(
        trail.use(element), element_language(element), is_abstract=local_name(element) == "summary"
    )


def _add_published(element: etree._Element, draft: Draft, trail: Trail) -> None:
    draft.add_date(trail.use(element), "published")


def _add_updated(element: etree._Element, draft: Draft, trail: Trail) -> None:
    draft.add_date(trail.use(element), "updated")


def _add_id(element: etree._Element, draft: Draft, trail: Trail) -> None:
    # The id may be only the address of a part of the map itself.
    if "#" not in (element.text or ""):
        draft.add_identifier(trail.use(element))


def _add_category(element: etree._Element, draft: Draft, trail: Trail) -> None:  # noqa: ARG001
    term, scheme = element.get("term") or "", element.get("scheme") or ""
    if scheme.startswith((TERMS, "http://www.openarchives.org/ore/")) or term.startswith(TERMS):
        return  # marks the entry as an aggregation
    if scheme.startswith("http://www.openarchives.org/") or "://" in term:
        draft.add_extra("atom:category", term)
        return
    scheme = scheme.removeprefix("http://purl.org/dc/terms/")  # "LCSH"
    draft.add_subject(element.get("label") or term, scheme=scheme or None)
    if element.get("label"):
        draft.add_extra("atom:category", term)


def _add_rights(element: etree._Element, draft: Draft, trail: Trail) -> None:
    draft.add_rights(trail.use(element))


_PLACES: dict[str, Callable[[etree._Element, Draft, Trail], None]] = {
    "title": _add_title,
    "subtitle": _add_summary,
    "author": _add_person,
    "contributor": _add_person,
    "summary": _add_summary,
    "content": _add_summary,
    "published": _add_published,
    "updated": _add_updated,
    "id": _add_id,
    "category": _add_category,
    "rights": _add_rights,
}

READER = Ore()
