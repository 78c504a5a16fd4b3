"""`NAME.json` and `NAME.xml`: the description of one file, in Dublin Core. One of the sidecars."""

from __future__ import annotations

import json
from collections.abc import Iterator

from lxml import etree

from windrow.formats.elements import local, text_of
from windrow.sources.files.sidecar_names import fit, is_core, name_of
from windrow.sources.files.sidecar_tables import NoSidecar, Said
from windrow.sources.files.sidecar_xml import parse_xml

ENDINGS = (".xml", ".json")  # what the later one says counts
MOST_BYTES = 1_000_000
_NAMESPACES = ("http://purl.org/dc/elements/1.1/", "http://purl.org/dc/terms/")
_ROOTS = ("record", "metadata", "dc", "dublin_core", "dublincore", "qualifieddc")
_DEEPEST = 6  # elements inside one another before the description begins


def read_record(data: bytes, path: str) -> Said:
    """Give what a file says of the one beside it.

    NoSidecar where it says nothing in Dublin Core; ValueError where it is broken.
    """
    said = list(_of_json(data) if path.lower().endswith(".json") else _of_xml(parse_xml(data)))
    if not any(is_core(name) for name, _ in said):
        raise NoSidecar("it says nothing in Dublin Core")
    return said


def _of_json(data: bytes) -> Iterator[tuple[str, str]]:
    try:
        held = json.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise NoSidecar("it is nested too deep") from None
    except ValueError as exc:
        raise ValueError(f"is not JSON: {exc}") from exc
    if not isinstance(held, dict):
        raise NoSidecar("it is no object")
    for written, values in held.items():
        name = name_of(written)
        for value in values if isinstance(values, list) else [values]:
            is_plain = isinstance(value, str | int | float) and not isinstance(value, bool)
            if name and is_plain and (words := fit(str(value))):
                yield name, words


def _of_xml(root: etree._Element) -> Iterator[tuple[str, str]]:
    is_record = local(root).lower() in _ROOTS
    for depth, element in _elements(root):
        namespace = etree.QName(element).namespace
        if namespace in _NAMESPACES or (is_record and not namespace and depth == 1):
            name = _name(element)
            words = fit(text_of(element))
            if name and words:
                yield name, words


def _elements(root: etree._Element) -> Iterator[tuple[int, etree._Element]]:
    """The elements below the root, with how deep each lies."""
    waiting = [(1, child) for child in reversed(root)]
    while waiting:
        depth, element = waiting.pop()
        if local(element):
            yield depth, element
            if depth < _DEEPEST:
                waiting += [(depth + 1, child) for child in reversed(element)]


def _name(element: etree._Element) -> str:
    """The name of an element; DSpace writes `<dcvalue element="title">`."""
    if local(element) == "dcvalue":
        return name_of(element.get("element", ""))
    if etree.QName(element).namespace == _NAMESPACES[1]:
        return name_of(f"dcterms.{local(element)}")
    return name_of(local(element))
