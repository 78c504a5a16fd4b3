"""Unqualified Dublin Core (`oai_dc`), which every OAI-PMH repository must support: reader and writers.

The reader fills the draft directly, without the general mapping of `dc_terms`, because it is the busiest
one. `write_oai_dc` and `write_srw_dc` write any document; `write_plain_dc` writes bare pairs of element and
text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Protocol

from lxml import etree

from windrow.formats.dublin_core.dc_terms import DC, XSI_TYPE, add_element, add_elements
from windrow.formats.mapping.date_values import dc_date_texts
from windrow.formats.mapping.document_draft import Draft, is_embargo
from windrow.formats.mapping.link_kinds import resolver_address
from windrow.formats.mapping.markup import escape_xml
from windrow.formats.mapping.xml_records import XML_LANG
from windrow.formats.registry import Reader
from windrow.model.document import Document, Identifier, Link, LinkKind
from windrow.model.text.language_codes import language_codes


def _coverage(draft: Draft, text: str) -> None:
    draft.add_extra("dc:coverage", text)


def _format(draft: Draft, text: str) -> None:
    draft.add_extent(text, "dc:format")


class AddWords(Protocol):
    """A `Draft` method for texts that have a language."""

    def __call__(self, draft: Draft, text: str, /, *, language: str | None) -> None:
        """Add a text to the draft."""


# The method for each element; `oai_dc_fast` uses the same tables.
VALUES: Mapping[str, Callable[[Draft, str], None]] = {
    "title": Draft.add_title,
    "creator": Draft.add_creators,
    "subject": Draft.add_subjects,
    "description": Draft.add_description,
    "publisher": Draft.add_publisher,
    "contributor": Draft.add_contributors,
    "date": Draft.add_date,
    "type": Draft.add_type,
    "format": _format,
    "identifier": Draft.add_identifier,
    "source": Draft.add_source,
    "language": Draft.add_language,
    "relation": Draft.add_relation,
    "coverage": _coverage,
    "rights": Draft.add_rights,
}
WORDS: Mapping[str, AddWords] = {
    "title": Draft.add_title,
    "subject": Draft.add_subjects,
    "description": Draft.add_description,
}
_VALUES = {DC + name: add for name, add in VALUES.items()}
# Elements whose attributes may qualify their text or contain it.
_ATTRIBUTED = frozenset(DC + name for name in ("title", "date", "identifier", "creator", "contributor"))
_SAID_OF_WORDS = frozenset((XML_LANG, "lang", XSI_TYPE))
_WORDS = {DC + name: add for name, add in WORDS.items()}


class OaiDc:
    """Reader of oai_dc, under any of its names."""

    name = "oai_dc"
    prefixes = frozenset(("oai_dc", "dc", "simple-dublin-core", "ddc"))
    roots = frozenset(
        (
            "{http://www.openarchives.org/OAI/2.0/oai_dc/}dc",
            "{http://www.openarchives.org/OAI/2.0/oai_dc}dc",
            "{http://purl.org/dc/elements/1.1/}dc",
            "{http://oai.base-search.net/base_dc/}dc",
            "{http://www.loc.gov/zing/srw/dcschema/v1.0/}dc",
            "{info:srw/schema/1/dc-schema}dc",
            "oai_dc",
        )
    )

    def read(self, root: etree._Element) -> Document:
        draft = Draft()
        if any(map(len, root)):  # an element with children: a wrapper, or text with markup
            add_elements(draft, root)
            return draft.finish()
        for child in root:
            tag = child.tag
            add = None if child.attrib and is_qualified(child) else _VALUES.get(tag)
            if add is None:
                add_element(draft, child)
                continue
            text = child.text
            if not text:
                continue
            said = child.get(XML_LANG) if tag in _WORDS else None
            if said:
                codes = language_codes(said)
                _WORDS[tag](draft, text, language=codes[0] if codes else None)
            else:
                add(draft, text)
        if len(root) == 0 and root.text:
            draft.add_extra("dc:text", root.text)
        return draft.finish()


def is_qualified(element: etree._Element) -> bool:
    """Return whether attributes, other than the language, qualify an element's text or contain it."""
    if element.tag not in _ATTRIBUTED:
        return False
    return any(name not in _SAID_OF_WORDS or is_embargo(str(value)) for name, value in element.attrib.items())


READER: Reader = OaiDc()

# Dublin Core elements for fields that a format kept in `extra`.

# Elements that may be filled from `extra`. Not the others: a title or a creator there belongs to another
# resource, and a description is as often the history of the record as one of its subject.
_OPEN = frozenset(("coverage", "format", "language", "relation", "rights", "source", "type"))
_QUALIFIED = re.compile(r"(?:xoai|dim|kk|generic):dc\.([a-z]+)(?:\.[\w.-]+)?")
_KNOWN = {
    "arXiv:comments": "description",
    "datacite:format": "format",
    "datacite:geoLocations/geoLocationPlace": "coverage",
    "datacite:size": "format",
    "dcterms:extent": "format",
    "dcterms:format": "format",
    "dcterms:medium": "format",
    "dcterms:spatial": "coverage",
    "dcterms:tableOfContents": "description",
    "dcterms:temporal": "coverage",
    "lido:eventPlace/appellationValue": "coverage",
    "lido:objectMeasurementsSet/displayObjectMeasurements": "format",
    "marc:300$a": "format",
    "marc:500$a": "description",
    "marc:505$a": "description",
    "mods:note": "description",
    "mods:physicalDescription/extent": "format",
    "mods:physicalDescription/form": "format",
    "mods:physicalDescription/internetMediaType": "format",
    "mods:tableOfContents": "description",
    "schema:fileFormat": "format",
}


@lru_cache(maxsize=2048)
def dc_element_for(name: str) -> str | None:
    """Return the element for a field name in `extra`, or None if Dublin Core has no equivalent."""
    known = _KNOWN.get(name)
    if known is not None:
        return known
    prefix, _, local = name.partition(":")
    if prefix in ("dc", "qdc"):
        return local if local in _OPEN else None
    qualified = _QUALIFIED.fullmatch(name)
    return qualified[1] if qualified is not None and qualified[1] in _OPEN else None


# Writing: any document as oai_dc, which a repository must offer besides its other formats. The text is
# joined rather than built as a tree: a page of a list contains a hundred of these, and they are written for
# each response.

NAMESPACE = "http://www.openarchives.org/OAI/2.0/oai_dc/"
SCHEMA = "http://www.openarchives.org/OAI/2.0/oai_dc.xsd"

_HEAD = (
    f'<oai_dc:dc xmlns:oai_dc="{NAMESPACE}" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    f' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="{NAMESPACE} {SCHEMA}">'
)
_TAIL = "</oai_dc:dc>"
SRW_NAMESPACE = "info:srw/schema/1/dc-schema"
_SRW_HEAD = f'<srw_dc:dc xmlns:srw_dc="{SRW_NAMESPACE}" xmlns:dc="http://purl.org/dc/elements/1.1/">'
_SRW_TAIL = "</srw_dc:dc>"
_LANGUAGE = re.compile("[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")  # xs:language in the schema
_SEMANTICS = "info:eu-repo/semantics/"
# As `identifier_schemes` parses them.
_PREFIXES = {"arxiv": "arXiv:", "isbn": "ISBN:", "issn": "ISSN:", "pmid": "PMID:"}
# Schemes whose values are recognisable without a prefix.
_BARE = frozenset(("local", "oai", "pmcid", "urn"))
_OF_THE_THING = frozenset((LinkKind.LANDING, LinkKind.FULLTEXT))


def write_oai_dc(document: Document) -> bytes:
    """Return one self-contained `<oai_dc:dc>` element in UTF-8; the output is deterministic."""
    return _write(document, _HEAD, _TAIL)


def write_srw_dc(document: Document) -> bytes:
    """Return the same elements in SRU's wrapper for Dublin Core, `info:srw/schema/1/dc-v1.1`."""
    return _write(document, _SRW_HEAD, _SRW_TAIL)


def _write(document: Document, head: str, tail: str) -> bytes:
    extra = _extra(document) if document.extra else {}
    parts = [head]
    add = parts.append
    for title, language in document.titles:
        add(f"<dc:title{_lang(language)}>{escape_xml(title)}</dc:title>")
    for agent in document.creators:
        add(f"<dc:creator>{escape_xml(agent[0])}</dc:creator>")
    _add_subjects(parts, document)
    for words, language in document.descriptions:
        add(f"<dc:description{_lang(language)}>{escape_xml(words)}</dc:description>")
    _add_all(parts, "description", extra.get("description", ()))
    _add_all(parts, "publisher", document.publishers or _only(document.institution))
    _add_all(parts, "contributor", _contributors(document))
    _add_all(parts, "date", dc_date_texts(document.dates, document.year))
    _add_all(parts, "type", _types(document, extra.get("type", ())))
    _add_all(parts, "format", _formats(document, extra.get("format", ())))
    _add_all(parts, "identifier", _identifiers(document))
    _add_all(parts, "source", (*document.sources, *extra.get("source", ())))
    _add_all(parts, "language", (*document.languages, *extra.get("language", ())))
    _add_all(parts, "relation", _relations(document, extra.get("relation", ())))
    _add_all(parts, "coverage", extra.get("coverage", ()))
    _add_all(parts, "rights", _rights(document, extra.get("rights", ())))
    add(tail)
    return "".join(parts).encode()


def _extra(document: Document) -> dict[str, list[str]]:
    """Return the fields of `extra` that Dublin Core has an element for, by element."""
    found: dict[str, list[str]] = {}
    for name, values in document.extra.items():
        element = dc_element_for(name)
        if element is not None:
            found.setdefault(element, []).extend(values)
    return found


def _add_all(parts: list[str], name: str, values: Iterable[str]) -> None:
    start, end = f"<dc:{name}>", f"</dc:{name}>"
    parts += [f"{start}{escape_xml(value)}{end}" for value in dict.fromkeys(values) if value]


def _add_subjects(parts: list[str], document: Document) -> None:
    told = set()
    for value, _scheme, _uri, language in document.subjects:
        if (value, language) not in told:
            told.add((value, language))
            parts.append(f"<dc:subject{_lang(language)}>{escape_xml(value)}</dc:subject>")
    if document.keywords:
        known = {value for value, _ in told}
        _add_all(parts, "subject", (word for word in document.keywords if word not in known))


def _contributors(document: Document) -> Iterable[str]:
    # The institution is a contributor too, unless it is already named.
    names = [agent[0] for agent in document.contributors]
    bodies = [body for body in (document.institution, document.department) if body]
    if bodies:
        named = {*names, *document.publishers, *(agent[0] for agent in document.creators)}
        if not document.publishers:
            named.add(bodies[0] if document.institution else "")  # already present as the publisher
        names += [body for body in bodies if body not in named]
    return names


def _types(document: Document, extra: Iterable[str]) -> Iterable[str]:
    # Types of the eu-repo vocabulary are written with their full names, which `add_type` had shortened.
    if not extra:
        return document.types
    full = {value.removeprefix(_SEMANTICS): value for value in extra}
    return (*(full.get(value, value) for value in document.types), *extra)


def _formats(document: Document, extra: Iterable[str]) -> Iterable[str]:
    files = [link.media_type for link in document.links if link.media_type and link.kind is LinkKind.FULLTEXT]
    pages = [f"{document.pages} pages"] if document.pages is not None and not extra else []
    return (*pages, *extra, *files)


def _identifiers(document: Document) -> Iterable[str]:
    """Return the landing page first, for harvesters that take the first address, then files and names."""
    # Thumbnails go last. As relations they would be taken for files of the resource (`order_links`).
    links = [link.url for link in document.links if link.kind in _OF_THE_THING]
    small = [link.url for link in document.links if link.kind is LinkKind.THUMBNAIL]
    return (*links, *map(_identifier, document.names), *small)


def _identifier(name: Identifier) -> str:
    scheme, value = name
    if scheme in _BARE or not value:
        return value
    address = resolver_address(name)
    if address is not None:
        return address
    return f"{_PREFIXES.get(scheme) or scheme + ':'}{value}"


def _relations(document: Document, extra: Iterable[str]) -> Iterable[str]:
    return (
        *document.relations,
        *extra,
        *_addresses_not_given(document.links, LinkKind.RELATED, document.relations),
    )


def _rights(document: Document, extra: Iterable[str]) -> Iterable[str]:
    return (
        *document.rights,
        *extra,
        *_addresses_not_given(document.links, LinkKind.LICENSE, document.rights),
    )


def _addresses_not_given(links: Iterable[Link], kind: LinkKind, said: tuple[str, ...]) -> Iterable[str]:
    """Return the addresses of this kind that do not yet occur in a text, alone or among its words."""
    found = [link.url for link in links if link.kind is kind]
    if not found:
        return ()
    words = {word for text in said for word in text.split()}
    return [url for url in found if url not in words]


def _only(value: str | None) -> tuple[str, ...]:
    return (value,) if value else ()


@lru_cache(maxsize=1024)
def _lang(code: str | None) -> str:
    return f' xml:lang="{code}"' if code and _LANGUAGE.fullmatch(code) else ""


# Writing plain Dublin Core from elements and texts, without a `Document`. The source of files uses it: it
# has a few technical facts about a file and the words of an optional description.

ELEMENTS = (
    "title",
    "creator",
    "subject",
    "description",
    "publisher",
    "contributor",
    "date",
    "type",
    "format",
    "identifier",
    "source",
    "language",
    "relation",
    "coverage",
    "rights",
)
_RANK = {name: rank for rank, name in enumerate(ELEMENTS)}


def write_plain_dc(pairs: Iterable[tuple[str, str]]) -> bytes:
    """Return one `<oai_dc:dc>` element in UTF-8, in the order of ELEMENTS, each value once.

    Pairs with another name or without text are left out.
    """
    kept = dict.fromkeys((name, words) for name, words in pairs if name in _RANK and words.strip())
    body = "".join(
        f"<dc:{name}>{escape_xml(words)}</dc:{name}>"
        for name, words in sorted(kept, key=lambda pair: _RANK[pair[0]])
    )
    return f"{_HEAD}{body}</oai_dc:dc>".encode()
