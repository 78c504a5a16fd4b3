"""Metadata for the eye: Dublin Core as named fields, any XML indented. Long things are cut. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass

from lxml import etree

LONGEST_TEXT = 2000
LONGEST_XML = 20_000
_DC = "http://purl.org/dc/elements/1.1/"
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}")
_ADDRESS = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)
_FIRST = ("title", "creator", "contributor", "date", "type", "description", "subject", "publisher")


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a field: its text, the address it leads to if it is one, its language if that is known."""

    text: str
    href: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record with all its values."""

    label: str
    values: tuple[Value, ...]


def fields_in(payload: etree._Element) -> Iterator[Field]:
    """Give the fields of a Dublin Core record, first those that people look for; none for other formats."""
    found: dict[str, list[Value]] = {}
    for item in payload:
        if isinstance(item.tag, str) and etree.QName(item).namespace == _DC:
            text = " ".join("".join(map(str, item.itertext())).split())
            if text:
                found.setdefault(etree.QName(item).localname, []).append(_value(text, item))
    for name in sorted(found, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST)):
        yield Field(name.capitalize(), tuple(found[name]))


def _value(text: str, item: etree._Element) -> Value:
    language = item.get(_XML_LANG, "")
    return Value(
        cut(text),
        href=text if _ADDRESS.fullmatch(text) and len(text) <= LONGEST_TEXT else "",
        language=language if _LANGUAGE.fullmatch(language) else "",
    )


def pretty(element: etree._Element) -> str:
    """Give an element indented, without the declarations around it; long texts and long elements are cut."""
    copied = deepcopy(element)
    copied.tail = None
    for node in copied.iter():
        if node.text:
            node.text = cut(node.text.strip())
        if node.tail:
            node.tail = cut(node.tail.strip())
    etree.cleanup_namespaces(copied)
    etree.indent(copied)
    return cut(etree.tostring(copied, encoding="unicode"), LONGEST_XML)


def cut(text: str, most: int = LONGEST_TEXT) -> str:
    """Give the beginning of a text that is too long, and how much is missing."""
    if len(text) <= most:
        return text
    return f"{text[:most]}… ({len(text) - most:,} more characters)"
