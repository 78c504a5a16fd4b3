"""Records that stand as text inside others: MARC in ISO 2709, XML that was escaped, JSON.

Gateways put a whole record of another format into one element of theirs. XML and JSON become a tree, which
is then read as if it had come so. Everything is bounded: the text comes from outside.
"""

from __future__ import annotations

import json
import re
from importlib import import_module

from lxml import etree

from windrow.formats.envelope import parse
from windrow.formats.leftovers import own_text
from windrow.model.document import Document

ISO2709 = "windrow.formats.iso2709"
PLACES = 10  # elements of an envelope, the first ones, whose text may be a record
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
    """Return the document of the record in ISO 2709 that a text carries; None where it carries none."""
    found: Document | None = import_module(ISO2709).read_text(text)
    return found


def tree_in(text: str) -> etree._Element | None:
    """Return the record that a text carries as XML or JSON; None where it carries neither."""
    text = text.strip().removeprefix("\ufeff")
    if len(text) > LONGEST_CHARACTERS:
        return None
    if text.startswith("<") and text.endswith(">"):
        return _xml(text)
    if text.startswith(("{", "[")) and text.endswith(("}", "]")):
        return _json(text)
    return None


def trees_of(root: etree._Element) -> list[tuple[etree._Element, str]]:
    """Return the records that the first elements under a root, and the root itself, carry; and the texts."""
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
        envelope = parse(text.encode(), b"")
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
    """Makes elements of JSON: keys become names, and each value of a list an element of its own."""

    def __init__(self) -> None:
        self._left = MOST_VALUES

    def add(self, parent: etree._Element, value: object, depth: int) -> None:
        """Add what a value holds to the element that stands for it."""
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
