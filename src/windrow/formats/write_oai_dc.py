"""Any document as oai_dc, which a repository must speak whatever else it has: the crosswalk of the OAI face.

The counterpart of `oai_dc`, which reads it. The text is joined, not built as a tree: a page of a list holds
a hundred of these, and they are made anew for each answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from windrow.formats.dc_dates import dates_of
from windrow.formats.dc_places import element_for
from windrow.formats.links import address_of_name
from windrow.formats.xml_words import xml_words
from windrow.model.document import Document, Link, LinkKind, Name

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
_LANGUAGE = re.compile("[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")  # the schema's xs:language
_SEMANTICS = "info:eu-repo/semantics/"
_PREFIXES = {"arxiv": "arXiv:", "isbn": "ISBN:", "issn": "ISSN:", "pmid": "PMID:"}  # as `names` reads them
_BARE = frozenset(("local", "oai", "pmcid", "urn"))  # whose values say themselves what they are
_OF_THE_THING = frozenset((LinkKind.LANDING, LinkKind.FULLTEXT))


def write_oai_dc(document: Document) -> bytes:
    """One `<oai_dc:dc>` element with its own declarations, in UTF-8; the same bytes for the same document."""
    return _write(document, _HEAD, _TAIL)


def write_srw_dc(document: Document) -> bytes:
    """The same elements in the wrapper that SRU has for Dublin Core: `info:srw/schema/1/dc-v1.1`."""
    return _write(document, _SRW_HEAD, _SRW_TAIL)


def _write(document: Document, head: str, tail: str) -> bytes:
    extra = _extra(document) if document.extra else {}
    parts = [head]
    add = parts.append
    for title, language in document.titles:
        add(f"<dc:title{_lang(language)}>{xml_words(title)}</dc:title>")
    for agent in document.creators:
        add(f"<dc:creator>{xml_words(agent[0])}</dc:creator>")
    _add_subjects(parts, document)
    for words, language in document.descriptions:
        add(f"<dc:description{_lang(language)}>{xml_words(words)}</dc:description>")
    _add_all(parts, "description", extra.get("description", ()))
    _add_all(parts, "publisher", document.publishers or _only(document.institution))
    _add_all(parts, "contributor", _contributors(document))
    _add_all(parts, "date", dates_of(document.dates, document.year))
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
    """What `extra` holds that Dublin Core has a word for, by that word."""
    found: dict[str, list[str]] = {}
    for name, values in document.extra.items():
        element = element_for(name)
        if element is not None:
            found.setdefault(element, []).extend(values)
    return found


def _add_all(parts: list[str], name: str, values: Iterable[str]) -> None:
    """Write each value once."""
    start, end = f"<dc:{name}>", f"</dc:{name}>"
    parts += [f"{start}{xml_words(value)}{end}" for value in dict.fromkeys(values) if value]


def _add_subjects(parts: list[str], document: Document) -> None:
    told = set()
    for value, _scheme, _uri, language in document.subjects:
        if (value, language) not in told:
            told.add((value, language))
            parts.append(f"<dc:subject{_lang(language)}>{xml_words(value)}</dc:subject>")
    if document.keywords:
        known = {value for value, _ in told}
        _add_all(parts, "subject", (word for word in document.keywords if word not in known))


def _contributors(document: Document) -> Iterable[str]:
    """People and bodies; the institution too, unless it is named already."""
    names = [agent[0] for agent in document.contributors]
    bodies = [body for body in (document.institution, document.department) if body]
    if bodies:
        named = {*names, *document.publishers, *(agent[0] for agent in document.creators)}
        if not document.publishers:
            named.add(bodies[0] if document.institution else "")  # it stands there as the publisher
        names += [body for body in bodies if body not in named]
    return names


def _types(document: Document, extra: Iterable[str]) -> Iterable[str]:
    """The types, those of the eu-repo vocabulary by its own names, which `add_type` took apart."""
    if not extra:
        return document.types
    full = {value.removeprefix(_SEMANTICS): value for value in extra}
    return (*(full.get(value, value) for value in document.types), *extra)


def _formats(document: Document, extra: Iterable[str]) -> Iterable[str]:
    files = [link.media_type for link in document.links if link.media_type and link.kind is LinkKind.FULLTEXT]
    pages = [f"{document.pages} pages"] if document.pages is not None and not extra else []
    return (*pages, *extra, *files)


def _identifiers(document: Document) -> Iterable[str]:
    """The landing page first, for those who take the first address; then the files; then all other names.

    Thumbnails go last. As relations they would be taken for files of the thing (`relatives`).
    """
    links = [link.url for link in document.links if link.kind in _OF_THE_THING]
    small = [link.url for link in document.links if link.kind is LinkKind.THUMBNAIL]
    return (*links, *map(_identifier, document.names), *small)


def _identifier(name: Name) -> str:
    scheme, value = name
    if scheme in _BARE or not value:
        return value
    address = address_of_name(name)
    if address is not None:
        return address
    return f"{_PREFIXES.get(scheme) or scheme + ':'}{value}"


def _relations(document: Document, extra: Iterable[str]) -> Iterable[str]:
    return (*document.relations, *extra, *_unsaid(document.links, LinkKind.RELATED, document.relations))


def _rights(document: Document, extra: Iterable[str]) -> Iterable[str]:
    return (*document.rights, *extra, *_unsaid(document.links, LinkKind.LICENSE, document.rights))


def _unsaid(links: Iterable[Link], kind: LinkKind, said: tuple[str, ...]) -> Iterable[str]:
    """The addresses of this kind that no text gives already, alone or among its words."""
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
