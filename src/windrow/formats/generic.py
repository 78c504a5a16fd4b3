"""A document out of a format nobody wrote a reader for: fields by the look of their names, the rest kept.

The registry's last resort. It guesses only where a name leaves little doubt. A record of a known format
inside an envelope that nobody knows is read by its own reader.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module

from lxml import etree

from windrow.formats.elements import Draft, language_of, local
from windrow.formats.leftovers import add_attributes, own_text
from windrow.formats.reader import Reader
from windrow.formats.registry import CARRIED, registry
from windrow.formats.structured_names import is_name_part, name_in
from windrow.formats.wrapping import join
from windrow.model.document import Document

LONGEST_NAME = 64  # names come from outside too: a long one times many values must not add up
ENVELOPE_LEVELS = 3  # how deep inside an unknown envelope a known record is looked for

_VALUES: dict[str, Callable[[Draft, str], None]] = {
    "creator": Draft.add_creators,
    "author": Draft.add_creators,
    "authorname": Draft.add_creators,
    "contributor": Draft.add_contributors,
    "publisher": Draft.add_publisher,
    "date": Draft.add_date,
    "type": Draft.add_type,
    "language": Draft.add_language,
    "extent": Draft.add_extent,
    "identifier": Draft.add_identifier,
    "doi": Draft.add_identifier,
    "isbn": Draft.add_identifier,
    "issn": Draft.add_identifier,
    "url": Draft.add_identifier,
    "uri": Draft.add_identifier,
    "relation": Draft.add_relation,
    "rights": Draft.add_rights,
    "license": Draft.add_rights,
    "source": Draft.add_source,
    "journal": Draft.add_source,
    "keyword": Draft.add_keyword,
    "institution": Draft.add_institution,
    "department": Draft.add_department,
}
_DATES = {
    "issued": "issued",
    "dateissued": "issued",
    "publicationdate": "issued",
    "publicationyear": "issued",
    "pubdate": "issued",
    "year": "issued",
    "published": "published",
    "created": "created",
    "datecreated": "created",
    "updated": "updated",
    "modified": "modified",
    "embargo": "embargo",
    "embargodate": "embargo",
    "embargoenddate": "embargo",
    "embargountil": "embargo",
}
_TITLE_NAMES = """
title titles titl titletext titleproper unittitle maintitle articletitle resourcetitle resourcename
"""
_TITLES = frozenset(_TITLE_NAMES.split())
_OTHER_TITLES = frozenset(("alternative", "alternativetitle", "alternatetitle", "subtitle", "subtitl"))
_SUBJECTS = frozenset(("subject", "topic", "keywords", "descriptor"))
_DESCRIPTIONS = frozenset(("description", "abstract", "summary"))
_CREATORS = frozenset(("creator", "creators", "author", "authors"))
# Elements that only hold the value of the one around them.
_HOLDERS = frozenset(("data", "value", "string", "langstring", "characterstring", "literal"))
_NAME_HOLDERS = frozenset(("name", "fullname", "displayname", "personname"))
_NAMED = frozenset(("creator", "author", "contributor", "publisher", "institution", "department"))
# Elements whose attribute says what they are: <field name="title">.
_NAMED_BY_ATTRIBUTE = frozenset(
    ("element", "field", "property", "attribute", "meta", "metadatum", "datum", "column")
)
_NAMELESS = frozenset(("person", "name", "personname", "agent", "individual", "contributor"))
_MAB = "mabxml"  # in the namespaces of MAB2, which looks like MARC and has other fields
_CARRYING = 3  # elements of an envelope whose text may be a record of another format


class Generic:
    """Reads any XML."""

    name = "generic"
    prefixes: frozenset[str] = frozenset()
    roots: frozenset[str] = frozenset()

    def read(self, root: etree._Element) -> Document:
        """Return the document that this record's root element describes."""
        carried = _carried(root)
        if carried is not None:
            return carried
        known = _known_inside(root)
        draft = Draft("generic")
        _add_all(draft, root, without=None if known is None else known[0])
        if known is None:
            return draft.finish()
        element, reader = known
        return join(reader.read(element), draft.finish())


def _known_inside(root: etree._Element) -> tuple[etree._Element, Reader] | None:
    """Return the one record of a known format inside an envelope, and its reader; None for none."""
    readers = registry()
    if _is_marc(root):
        reader = next((each for each in readers.readers if each.name == "marcxml"), None)
        return None if reader is None else (root, reader)
    level = [root]
    for _ in range(ENVELOPE_LEVELS):
        level = [child for element in level for child in element if local(child)]
        known = [
            (child, reader)
            for child in level
            if (reader := readers.reader_of_root(str(child.tag))) is not None
        ]
        if known:
            return known[0] if len(known) == 1 else None
    return None


def _is_marc(root: etree._Element) -> bool:
    """Return whether a record without MARC's namespace has the fields of MARC 21."""
    if local(root) != "record" or _MAB in str(root.tag):
        return False
    fields = root.findall("{*}datafield")
    return any(field.get("tag") == "245" for field in fields) or (
        bool(fields) and root.find("{*}leader") is not None
    )


def _carried(root: etree._Element) -> Document | None:
    """Return the document of a record in ISO 2709 that stands in the text of an envelope."""
    for place, element in enumerate(root.iter()):
        if place == _CARRYING:
            break
        text = own_text(element) if local(element) else ""
        found: Document | None = import_module(CARRIED).read_text(text) if text else None
        if found is not None:
            return found
    return None


def _add_all(draft: Draft, root: etree._Element, *, without: etree._Element | None) -> None:
    """Add what stands in a record, but for one element of it."""
    stack: list[tuple[etree._Element, str]] = [(root, "")]
    while stack:
        element, around = stack.pop()
        if element is without:
            continue
        name = _name_of(element, around)
        person = name_in(element) if len(element) else ""
        if person:
            _add_person(draft, person, name, around)
        _add(draft, element, name)
        children = [child for child in element if local(child)]
        if person:
            children = [child for child in children if not is_name_part(child)]
        stack.extend((child, name) for child in reversed(children))


def _name_of(element: etree._Element, around: str) -> str:
    """Return what an element is, in small letters: by its own name, its attribute, or what is around it."""
    name = _folded(local(element))
    if around and (name in _HOLDERS or (name in _NAME_HOLDERS and around in _NAMED)):
        return around
    if name in _NAMED_BY_ATTRIBUTE and element.get("name"):
        return _folded(re.split("[.:]", element.get("name") or "")[-1]) or name
    return name


def _folded(name: str) -> str:
    return name.replace("-", "").replace("_", "").replace(" ", "").lower()[:LONGEST_NAME]


def _add_person(draft: Draft, person: str, name: str, around: str) -> None:
    if name in _CREATORS or around in _CREATORS:
        draft.add_creator(person)
    else:
        role = around if name in _NAMELESS else name
        draft.add_contributor(person, role=role if role and role not in _NAMELESS else None)


def _add(draft: Draft, element: etree._Element, name: str) -> None:
    text = own_text(element)
    if not text:
        pass
    elif name in _TITLES:
        draft.add_title(text, language_of(element))
    elif name in _OTHER_TITLES:
        draft.add_alternative(text, language_of(element))
    elif name in _DESCRIPTIONS:
        draft.add_description(text, language_of(element), is_abstract=name != "description")
    elif name in _SUBJECTS:
        draft.add_subjects(text, language=language_of(element))
    elif name in _DATES:
        draft.add_date(text, _DATES[name])
    elif name in _VALUES:
        _VALUES[name](draft, text)
    else:
        draft.add_extra(_label(element), text)
    named = element.get("name") if _folded(local(element)) in _NAMED_BY_ATTRIBUTE else None
    add_attributes(draft, element, _label(element), used=(text, named or text), is_unknown=True)


def _label(element: etree._Element) -> str:
    name, prefix = local(element)[:LONGEST_NAME], (element.prefix or "")[:LONGEST_NAME]
    return f"{prefix}:{name}" if prefix else name


READER: Reader = Generic()
