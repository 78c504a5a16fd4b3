"""The fallback for formats without a reader: fields guessed from element names, everything else in `extra`.

The registry's last resort. It guesses only where a name leaves little doubt (`generic_names.toml`). A
record of a known format inside an unknown envelope is read by its own reader, even if the envelope contains
it as text.
"""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import NamedTuple

from lxml import etree

from windrow.formats.mapping.xml_records import (
    Draft,
    add_attributes,
    element_language,
    is_name_part,
    local_name,
    name_in,
    own_text,
)
from windrow.formats.marc.marcxml import NAMESPACE as MARC
from windrow.formats.registry import Reader, parse_payload, registry
from windrow.formats.repositories import dspace_fields
from windrow.formats.wrappers import join
from windrow.model.document import Document, LinkKind

# Records carried as text: MARC in ISO 2709, escaped XML, JSON. Gateways put a whole record of another
# format into one element. XML and JSON become a tree that is read like any other. All limits exist because
# the text comes from outside.

ISO2709 = "windrow.formats.marc.iso2709"
PLACES = 10  # the first elements of an envelope, whose text may be a record
LONGEST_CHARACTERS = 1_000_000
MOST_VALUES = 10_000  # of one record in JSON
DEEPEST = 12  # levels of JSON
_ROOT = re.compile(r"<(?![/!])[^>]+>")
_DECLARATION = re.compile(r"\A\ufeff?\s*<\?xml[^>]*\?>")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.-]+")
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_HTML = frozenset(
    ("a", "b", "body", "br", "center", "div", "em", "font", "h1", "h2", "h3", "html", "i", "img")
)
_MORE_HTML = frozenset(
    ("li", "ol", "p", "pre", "section", "small", "span", "strong", "sub", "sup", "table", "ul")
)


def marc_in(text: str) -> Document | None:
    """Return the document of an ISO 2709 record in a text, or None."""
    found: Document | None = import_module(ISO2709).read_text(text)
    return found


def tree_in(text: str) -> etree._Element | None:
    """Return the XML or JSON record in a text as a tree, or None."""
    text = text.strip().removeprefix("\ufeff")
    if len(text) > LONGEST_CHARACTERS:
        return None
    if text.startswith("<") and text.endswith(">"):
        return _xml(text)
    if text.startswith(("{", "[")) and text.endswith(("}", "]")):
        return _json(text)
    return None


def carried_trees(root: etree._Element) -> list[tuple[etree._Element, str]]:
    """Return the trees carried by the root and its first descendants, each with its text."""
    found: list[tuple[etree._Element, str]] = []
    for place, element in enumerate(root.iter(etree.Element)):
        if place == PLACES:
            break
        text = own_text(element)
        tree = tree_in(text)
        if tree is not None:
            found.append((tree, text))
    return found


def _xml(text: str) -> etree._Element | None:
    text = _DECLARATION.sub("", text).strip()
    if not _ROOT.match(text) or "<!DOCTYPE" in text:
        return None
    try:
        envelope = parse_payload(text.encode(), b"")
    except (etree.XMLSyntaxError, UnicodeEncodeError):
        return None
    if len(envelope) != 1 or (envelope.text or "").strip():
        return None
    name = etree.QName(envelope[0]).localname.lower()
    return None if name in _HTML or name in _MORE_HTML else envelope[0]


def _json(text: str) -> etree._Element | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list):
        value = value[0] if len(value) == 1 else None
    if not isinstance(value, dict):
        return None
    root = etree.Element("record")
    try:
        _Builder().add(root, value, 1)
    except RecursionError:
        return None
    return root


class _Builder:
    """Builds elements from JSON: keys become names, and each value of a list an element of its own."""

    def __init__(self) -> None:
        self._left = MOST_VALUES

    def add(self, parent: etree._Element, value: object, depth: int) -> None:
        if isinstance(value, dict) and depth < DEEPEST:
            for key, inner in value.items():
                name = _NOT_IN_NAMES.sub("", str(key).rpartition(":")[2])[:64].lstrip("-.0123456789")
                for each in inner if isinstance(inner, list) else (inner,):
                    if self._left <= 0:
                        return
                    self._left -= 1
                    self.add(etree.SubElement(parent, name or "value"), each, depth + 1)
        elif isinstance(value, str):
            parent.text = _NOT_IN_XML.sub("", value)
        elif isinstance(value, (list, dict)):
            parent.text = _NOT_IN_XML.sub("", json.dumps(value, ensure_ascii=False))
        elif value is not None and not isinstance(value, bool):
            parent.text = str(value)


LONGEST_NAME = 64  # characters; names come from outside, and a long one times many values adds up
ENVELOPE_LEVELS = 3  # depth at which a known record is searched for in an unknown envelope
TITLE, ALTERNATIVE, CREATOR, SUBJECT = "title", "alternative", "creator", "subject"
DESCRIPTION, ABSTRACT = "description", "abstract"

_ADDERS: dict[str, Callable[[Draft, str], object]] = {
    CREATOR: Draft.add_creators,
    "contributor": Draft.add_contributors,
    "publisher": Draft.add_publisher,
    "date": Draft.add_date,
    "type": Draft.add_type,
    "language": Draft.add_language,
    "extent": Draft.add_extent,
    "identifier": Draft.add_identifier,
    "relation": Draft.add_relation,
    "rights": Draft.add_rights,
    "source": Draft.add_source,
    "keyword": Draft.add_keyword,
    "institution": Draft.add_institution,
    "department": Draft.add_department,
    "landing": lambda draft, text: draft.add_link(text, hint=LinkKind.LANDING),
    "file": Draft.add_link,
    "thumbnail": lambda draft, text: draft.add_link(text, hint=LinkKind.THUMBNAIL),
}
# Elements that only contain the value of their parent.
_HOLDERS = frozenset(("data", "value", "string", "langstring", "characterstring", "literal"))
_NAME_HOLDERS = frozenset(("name", "fullname", "displayname", "personname"))
_NAMED = frozenset((CREATOR, "contributor", "publisher", "institution", "department"))
# Elements named by an attribute: <field name="title">, <dcvalue element="title">.
_NAMED_BY_ATTRIBUTE = frozenset(
    ("element", "field", "property", "attribute", "meta", "metadatum", "datum", "column", "dcvalue", "entry")
)
_NAMING = ("name", "element", "key", "property", "label")
_VALUED = ("value", "content", "text")  # attributes used in place of an element's text
_NAMELESS = frozenset(("person", "name", "personname", "personinfo", "agent", "individual", "contributor"))
_CALLED = frozenset(("name", "label", "headline", "heading", "caption", "nimi", "bezeichnung", "namn"))
_MAB = "mabxml"  # part of the namespaces of MAB2, which resembles MARC but has other fields
_OLD_MARC = {"fixfield": ("controlfield", "id", "tag"), "varfield": ("datafield", "id", "tag")}
_MOST_ATTRIBUTES = 200  # attributes of an element that may be a record; lookup time grows with their number
_ATTRIBUTES_OF_A_RECORD = 2  # an element with so many fields in attributes, a title among them, is a record


class Names(NamedTuple):
    """Element names of unknown formats: the field for each name, and the kinds of dates."""

    fields: Mapping[str, str]
    dates: Mapping[str, str]


@cache
def names() -> Names:
    table = tomllib.loads((files("windrow.formats") / "generic_names.toml").read_text(encoding="utf-8"))
    dates = table.pop("date_kinds")
    return Names(
        {name: field for field, listed in table.items() for name in listed.split()},
        {name: kind for kind, listed in dates.items() for name in listed.split()},
    )


class Generic:
    """Reader of any XML."""

    name = "generic"
    prefixes: frozenset[str] = frozenset()
    roots: frozenset[str] = frozenset()

    def read(self, root: etree._Element) -> Document:
        return _read_carried(root) or _read(root)


def _read(root: etree._Element) -> Document:
    known = _known_inside(root)
    draft = Draft("generic")
    _add_all(draft, root, without=None if known is None else known[0])
    document = draft.finish()
    if known is not None:
        element, reader = known
        return join(reader.read(_in_new_marc(element)), document)
    if not document.titles:
        for element in _called(root):
            draft.add_title(own_text(element), element_language(element))
        document = draft.finish()
    return document


def _read_carried(root: etree._Element) -> Document | None:
    for place, element in enumerate(root.iter(etree.Element)):
        if place == PLACES:
            break
        text = own_text(element)
        found = marc_in(text) if text else None
        if found is not None:
            return found
    for tree, text in carried_trees(root):
        document = read_tree(tree)
        if document.titles:
            return join(document, _without(_read(root), text))
    return None


def _without(document: Document, text: str) -> Document:
    extra = {name: tuple(each for each in values if each != text) for name, values in document.extra.items()}
    return replace(document, extra={name: values for name, values in extra.items() if values})


def read_tree(tree: etree._Element) -> Document:
    # A further record inside this one, again as text, is not unpacked.
    reader = registry().reader_for(str(tree.tag), "")
    return _read(tree) if reader is None else reader.read(tree)


def _known_inside(root: etree._Element) -> tuple[etree._Element, Reader] | None:
    """Return the only record of a known format inside an envelope, with its reader, or None."""
    readers = registry()
    level = [root]
    for depth in range(ENVELOPE_LEVELS + 1):
        known = []
        for element in level:
            tag = str(element.tag)
            reader = readers.reader_of_root(tag) if depth else None
            if reader is None and depth and "}" not in tag:
                reader = readers.reader_for(tag, "")
            if reader is None and _is_marc(element):
                reader = readers.reader_of_root(f"{{{MARC}}}record")
            if reader is not None:
                known.append((element, reader))
        if known:
            return known[0] if len(known) == 1 else None
        level = [child for element in level for child in element if local_name(child)]
    return None


def _is_marc(root: etree._Element) -> bool:
    """Return whether an element is MARC 21 without its namespace, or oai_marc."""
    if local_name(root) == "oai_marc":
        return True
    if local_name(root) != "record" or _MAB in str(root.tag):
        return False
    fields = root.findall("{*}datafield")
    return any(field.get("tag") == "245" for field in fields) or (
        bool(fields) and root.find("{*}leader") is not None
    )


def _in_new_marc(root: etree._Element) -> etree._Element:
    """Return an oai_marc record, the older format, with the element names of MARCXML."""
    if local_name(root) != "oai_marc":
        return root
    record = etree.Element(f"{{{MARC}}}record")
    for field in root:
        name, said, tag = _OLD_MARC.get(local_name(field), ("", "", ""))
        if not name:
            continue
        made = etree.SubElement(record, f"{{{MARC}}}{name}")
        made.set(tag, field.get(said) or "")
        made.text = (field.text or "").strip().strip('"') if name == "controlfield" else None
        for part in field.iterchildren("{*}subfield"):
            etree.SubElement(made, f"{{{MARC}}}subfield", code=part.get("label") or "?").text = part.text
    return record


def _add_all(draft: Draft, root: etree._Element, *, without: etree._Element | None) -> None:
    stack: list[tuple[etree._Element, str]] = [(root, "")]
    is_described = False
    while stack:
        element, around = stack.pop()
        if element is without:
            continue
        name = _name_of(element, around)
        person = name_in(element) if len(element) else ""
        if person:
            _add_person(draft, person, name, around)
        used = () if is_described else _fields_in_attributes(element)
        for field, text in used:
            is_described = True
            _add_value(draft, field, text, None)
        _add(draft, element, name, used=[text for _, text in used])
        children = [child for child in element if local_name(child)]
        if person:
            children = [child for child in children if not is_name_part(child)]
        stack.extend((child, name) for child in reversed(children))


def _name_of(element: etree._Element, around: str) -> str:
    """Return an element's name in lower case: its own, that in its attribute, or that of its parent."""
    name = _folded(local_name(element).rpartition(".")[2])
    field = names().fields.get(around, around)
    said = _said_name(element, name)
    if around and not said and (name in _HOLDERS or (name in _NAME_HOLDERS and field in _NAMED)):
        return around
    return _folded(re.split("[.:]", said)[-1]) or name


def _said_name(element: etree._Element, name: str) -> str:
    if name not in _NAMED_BY_ATTRIBUTE:
        said = (
            element.get("name") or "" if name == "data" else ""
        )  # <data name="item type">Still Image</data>
        return said if _is_field(_folded(said)) else ""
    return next((said for said in map(element.get, _NAMING) if said), "")


def _folded(name: str) -> str:
    name = name[:LONGEST_NAME]
    if not name.isascii():
        name = "".join(
            each for each in unicodedata.normalize("NFKD", name) if not unicodedata.combining(each)
        )
    return name.replace("-", "").replace("_", "").replace(" ", "").lower()


def _add_person(draft: Draft, person: str, name: str, around: str) -> None:
    fields = names().fields
    if CREATOR in (fields.get(name), fields.get(around)):
        draft.add_creator(person)
    else:
        role = around if name in _NAMELESS else name
        draft.add_contributor(person, role=role if role and role not in _NAMELESS else None)


def _add(draft: Draft, element: etree._Element, name: str, *, used: list[str]) -> None:
    text = own_text(element)
    if not text and len(element) == 0 and _is_field(name):
        text = next((said for said in map(element.get, _VALUED) if said), "")
    qualifier = (element.get("qualifier") or "none").lower() if element.get("element") else "none"
    if not text:
        pass
    elif qualifier != "none":  # DSpace's export: <dcvalue element="date" qualifier="issued">
        dspace_fields.add_field(draft, "", f"{name}.{qualifier}", text, element_language(element))
    elif not _add_value(draft, name, text, element_language(element)):
        draft.add_extra(_label(element), text)
    said = _said_name(element, _folded(local_name(element)))
    add_attributes(draft, element, _label(element), used=(text, said or text, *used), is_unknown=True)


def _is_field(name: str) -> bool:
    known = names()
    return name in known.fields or name in known.dates


def _add_value(draft: Draft, name: str, text: str, language: str | None) -> bool:
    known = names()
    field = known.fields.get(name)
    if name in known.dates:
        draft.add_date(text, known.dates[name])
    elif field is None:
        return False
    elif field == TITLE:
        draft.add_title(text, language)
    elif field == ALTERNATIVE:
        draft.add_alternative(text, language)
    elif field in (DESCRIPTION, ABSTRACT):
        draft.add_description(text, language, is_abstract=field == ABSTRACT)
    elif field == SUBJECT:
        draft.add_subjects(text, language=language)
    else:
        _ADDERS[field](draft, text)
    return True


def _fields_in_attributes(element: etree._Element) -> list[tuple[str, str]]:
    """Return the fields in an element's attributes: <record title="…" creator="…" date="…"/>."""
    if not _ATTRIBUTES_OF_A_RECORD <= len(element.attrib) <= _MOST_ATTRIBUTES or own_text(element):
        return []
    found = [
        (name, str(text).strip())
        for key, text in element.attrib.items()
        if _is_field(name := _folded(str(key).rpartition("}")[2].rpartition(".")[2]))
    ]
    fields = {names().fields.get(name, "date") for name, text in found if text}
    is_record = TITLE in fields and len(fields) >= _ATTRIBUTES_OF_A_RECORD
    return [(name, text) for name, text in found if text] if is_record else []


def _called(root: etree._Element) -> Iterator[etree._Element]:
    """Yield the element that names a record without a title: the first name at the outermost level."""
    record = root
    while len(record) == 1 and len(record[0]):
        record = record[0]
    for child in record:
        if _folded(local_name(child)) in _CALLED and own_text(child):
            yield child
            return


def _label(element: etree._Element) -> str:
    name, prefix = local_name(element)[:LONGEST_NAME], (element.prefix or "")[:LONGEST_NAME]
    return f"{prefix}:{name}" if prefix else name


READER: Reader = Generic()
