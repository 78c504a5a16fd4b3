"""Mapping of the fifteen Dublin Core elements and the DCMI terms onto a draft.

Shared by every format that builds on Dublin Core. Names are compared in lower case and without namespace,
because repositories get both wrong. Elements one or two levels too deep, inside a wrapper of the repository
software, are read as if they were children of the root (Ex Libris Rosetta: `oai_dc:dc/record/dc:title`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lxml import etree

from windrow.formats.mapping.xml_records import (
    Draft,
    add_attributes,
    add_leaves,
    add_people,
    element_language,
    element_words,
    local_name,
    own_text,
)
from windrow.formats.repositories import dspace_fields
from windrow.model.document import LinkKind

DC = "{http://purl.org/dc/elements/1.1/}"
DCTERMS = "{http://purl.org/dc/terms/}"
XSI_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"
_OLAC_CODE = "{http://www.language-archives.org/OLAC/1.1/}code"

AddTerm = Callable[[Draft, str, str | None], None]


def _dated(kind: str) -> AddTerm:
    return lambda draft, text, _language: draft.add_date(text, kind)


def _title(draft: Draft, text: str, language: str | None) -> None:
    draft.add_title(text, language)


def _alternative(draft: Draft, text: str, language: str | None) -> None:
    draft.add_alternative(text, language)


def _description(draft: Draft, text: str, language: str | None) -> None:
    draft.add_description(text, language)


def _abstract(draft: Draft, text: str, language: str | None) -> None:
    draft.add_description(text, language, is_abstract=True)


def _subject(draft: Draft, text: str, language: str | None) -> None:
    draft.add_subjects(text, language=language)


def _valued(add: Callable[[Draft, str], None]) -> AddTerm:
    return lambda draft, text, _language: add(draft, text)


_relation = _valued(Draft.add_relation)
_rights = _valued(Draft.add_rights)

_TERMS: dict[str, AddTerm] = {
    "title": _title,
    "alternative": _alternative,
    "alternativetitle": _alternative,
    "creator": _valued(Draft.add_creators),
    "contributor": _valued(Draft.add_contributors),
    "subject": _subject,
    "description": _description,
    "abstract": _abstract,
    "publisher": _valued(Draft.add_publisher),
    "date": _dated("date"),
    "issued": _dated("issued"),
    "created": _dated("created"),
    "valid": _dated("valid"),
    "available": _dated("available"),
    "modified": _dated("modified"),
    "dateaccepted": _dated("accepted"),
    "datecopyrighted": _dated("copyrighted"),
    "datesubmitted": _dated("submitted"),
    "type": _valued(Draft.add_type),
    "identifier": _valued(Draft.add_identifier),
    "bibliographiccitation": _valued(Draft.add_source),
    "source": _valued(Draft.add_source),
    "ispartof": _valued(Draft.add_source),
    "language": _valued(Draft.add_language),
    "relation": _relation,
    "isversionof": _relation,
    "hasversion": _relation,
    "isreplacedby": _relation,
    "replaces": _relation,
    "isrequiredby": _relation,
    "requires": _relation,
    "haspart": _relation,
    "isreferencedby": _relation,
    "references": _relation,
    "isformatof": _relation,
    "hasformat": _relation,
    "rights": _rights,
    "accessrights": _rights,
    "license": _rights,
}

_DATED = frozenset(("date", "issued", "created", "modified", "available", "valid"))
_PEOPLE = frozenset(("creator", "contributor"))
_KNOWN = frozenset((*_TERMS, "format", "extent", "file"))
WRAPPER_LEVELS = 2  # levels that an element of the record may be deeper than the root's children
_IDENTIFIER_SCHEMES = {
    "handle": "hdl",
    "hdl": "hdl",
    "doi": "doi",
    "isbn": "isbn",
    "issn": "issn",
    "urn": "urn",
}

# Finna's qualified Dublin Core puts these into a type attribute, DSpace into a qualifier.
_EMBARGOES = frozenset(
    ("embargo", "embargodate", "dateembargo", "embargoend", "embargoenddate", "embargountil")
)
_TITLED = frozenset(("type", "qualifier", "titletype"))  # attributes that state the kind of a title
_NOT_PROPER = ("alternative", "translated", "subtitle", "other", "parallel", "abbreviated", "uniform")
_TYPED = frozenset(("relation", "identifier", "description", "rights"))
_TYPE_WORDS = frozenset(
    ("ispartof", "ispartofseries", "issn", "isbn", "numberinseries", "numberofseries", "urn")
)


def add_elements(
    draft: Draft,
    root: etree._Element,
    add: Callable[[Draft, etree._Element], None] | None = None,
) -> None:
    """Add every child of a record's root, and the contents of wrappers.

    `add` handles one element; it defaults to `add_element`.
    """
    add = add or add_element
    wrappers: list[etree._Element] = []
    names: set[str] = set()
    for child in root:
        if len(child) and is_wrapper(child):
            wrappers.append(child)
        else:
            names.add(local_name(child).lower())
            add(draft, child)
    add_wrapped(draft, wrappers, names, add)
    if len(root) == 0 and root.text:
        draft.add_extra(f"{draft.prefix}:text", root.text)


def add_wrapped(
    draft: Draft,
    wrappers: Iterable[etree._Element],
    names: set[str],
    add: Callable[[Draft, etree._Element], None] | None = None,
) -> None:
    """Add the contents of wrappers.

    An element that the record also has outside of the wrapper (`names`) goes to extra: then the wrapper
    describes something else, such as a part or a related work.
    """
    add = add or add_element
    outer, level = list(wrappers), 0
    while outer:
        inner: list[etree._Element] = []
        found: set[str] = set()
        level += 1
        for child in (child for wrapper in outer for child in wrapper):
            name = local_name(child).lower()
            if len(child) and level < WRAPPER_LEVELS and is_wrapper(child):
                inner.append(child)
            elif name in names:
                add_leaves(draft, child, extra_name(child, local_name(child)))
            elif name:
                found.add(name)
                add(draft, child)
        names |= found
        outer = inner


def is_wrapper(element: etree._Element) -> bool:
    """Return whether an element is not Dublin Core but contains some within two levels."""
    if not local_name(element) or local_name(element).lower() in _KNOWN or (element.text or "").strip():
        return False
    return any(
        local_name(child).lower() in _KNOWN
        or any(local_name(grandchild).lower() in _KNOWN for grandchild in child)
        for child in element
    )


def add_element(draft: Draft, element: etree._Element) -> None:
    """Add one Dublin Core element; unknown ones go to extra under their own name."""
    name = local_name(element)
    if not name:
        return
    is_person = name.lower() in _PEOPLE
    if (len(element) or (is_person and element.attrib)) and _add_structured(draft, element, name):
        return
    text = element_words(element)
    if not text.strip():
        text = element.get(_OLAC_CODE) or element.get("href") or ""
        if not text:
            if name.lower() not in _KNOWN:
                add_attributes(draft, element, extra_name(element, name))
            return
    if "." in name:  # Digital Commons: <date.created>, <thesis.degree.level>
        dspace_fields.add_dotted(draft, name, text, element_language(element))
        return
    if name == "file":
        add_file(draft, element, text)
        return
    qualifier = qualifier_of(element, name)
    if qualifier:
        dspace_fields.add_field(draft, "", f"{name}.{qualifier}", text, element_language(element))
        return
    _add_words(draft, element, name, text)


def _add_words(draft: Draft, element: etree._Element, name: str, text: str) -> None:
    take = _TERMS.get(name.lower())
    if name in ("format", "extent"):
        draft.add_extent(text, extra_name(element, name))
    elif take is None and name.lower() in _EMBARGOES:
        draft.add_date(text, "embargo")
    elif take is None:
        draft.add_extra(extra_name(element, name), text)
        add_attributes(draft, element, extra_name(element, name), used=(text,))
    elif element.attrib and name == "identifier":
        draft.add_identifier(text, scheme=_IDENTIFIER_SCHEMES.get((element.get("type") or "").lower()))
    elif element.attrib and name in _DATED and is_of_metadata(element):
        draft.add_date(text, "metadata")
    elif element.attrib and name in _DATED and _says(element, "embargo"):
        draft.add_date(text, "embargo")
    elif element.attrib and take is _title and _is_alternative(element):
        draft.add_alternative(text, element_language(element))
    elif take is _subject:
        draft.add_subjects(text, scheme=scheme_of(element), language=element_language(element))
    else:
        take(draft, text, element_language(element))


def _add_structured(draft: Draft, element: etree._Element, name: str) -> bool:
    """Add an element that has child elements. Return False if its words form a single text."""
    if name.lower() in _PEOPLE:
        if (element.text or "").strip():
            return False
        is_creator = name.lower() == "creator"
        if add_people(draft, element, role=None if is_creator else ""):
            return True
        words = [own_text(part) for part in element.iter() if local_name(part)]
        (draft.add_creators if is_creator else draft.add_contributors)(" ".join(filter(None, words)))
        return any(words)
    if name.lower() in _KNOWN or "." in name or (element.text or "").strip():
        return False
    add_leaves(draft, element, extra_name(element, name))
    return True


def is_of_metadata(element: etree._Element) -> bool:
    """Return whether a date refers to the description rather than to the resource."""
    # The State Library Victoria writes `<dc:issued content="metadata update">` into every record.
    return _says(element, "metadata")


def _says(element: etree._Element, word: str) -> bool:
    return any(word in str(value).lower() for value in element.attrib.values())


def _is_alternative(element: etree._Element) -> bool:
    return any(
        str(key).rpartition("}")[2].lower() in _TITLED
        and str(value).rpartition(":")[2].lower().startswith(_NOT_PROPER)
        for key, value in element.attrib.items()
    )


def qualifier_of(element: etree._Element, name: str) -> str:
    """Return the qualifier that DSpace would use for an element's type attribute, or ""."""
    kind = (element.get("type") or "").lower() if name in _TYPED else ""
    return kind if kind in _TYPE_WORDS else ""


def extra_name(element: etree._Element, name: str) -> str:
    """Return an element's name in extra: its usual prefix, its name and, if present, its type."""
    tag = str(element.tag)
    if tag.startswith(DC):
        prefix: str | None = "dc"
    elif tag.startswith(DCTERMS):
        prefix = "dcterms"
    else:
        prefix = element.prefix
    kind = element.get("type")
    return f"{prefix or 'dc'}:{name}.{kind}" if kind else f"{prefix or 'dc'}:{name}"


def scheme_of(element: etree._Element) -> str | None:
    said = element.get(XSI_TYPE) or element.get("scheme")
    return said.rpartition(":")[2] or None if said else None


def add_file(draft: Draft, element: etree._Element, text: str = "") -> None:
    # The National Library of Finland describes a file by the attributes bundle, href, name and type.
    address = element.get("href")
    if address and address != text:
        draft.add_extra(f"{draft.prefix}:file", text)
    url = address or text
    if not url:
        return
    bundle = (element.get("bundle") or "ORIGINAL").upper()
    kind = dspace_fields.BUNDLES.get(bundle, LinkKind.FULLTEXT)
    media_type = element.get("type") or element.get("mimetype") or element.get("format")
    draft.add_link(url, hint=kind, media_type=media_type or None, label=element.get("name"))
