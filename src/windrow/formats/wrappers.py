"""Tools for formats that wrap another (METS, DIDL).

The description inside is read by its own reader, then joined with the values of the wrapper.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import fields
from typing import Any, TypeVar

from lxml import etree

from windrow.formats.mapping.link_kinds import order_links
from windrow.formats.mapping.xml_records import local_name
from windrow.formats.registry import Reader, reader_for, registry
from windrow.model.document import Document

# A wrapper nested in a wrapper is an attack rather than a description.
_WRAPPERS = frozenset({"mets", "didl"})

T = TypeVar("T", bound=Hashable)


def inner_reader(root_tag: str) -> Reader | None:
    reader = reader_for(root_tag, "")
    return reader if reader is not None and reader.name not in _WRAPPERS else None


def named_reader(prefix: str) -> Reader | None:
    readers = (reader for reader in registry().readers if reader.name not in _WRAPPERS)
    return next((reader for reader in readers if prefix == reader.name or prefix in reader.prefixes), None)


def read_inner(wrapper: etree._Element, prefix: str = "") -> tuple[Document, etree._Element] | None:
    """Return the description inside an element, and the element it was read from.

    If no child is a known root, the wrapper itself is read in the format `prefix`: DSpace leaves the root
    of the description out.
    """
    for child in wrapper:
        reader = inner_reader(str(child.tag)) if local_name(child) else None
        if reader is not None:
            return reader.read(child), child
    reader = named_reader(prefix)
    return (reader.read(wrapper), wrapper) if reader is not None else None


def join(inner: Document, outer: Document) -> Document:
    """Return both documents as one; values of the description precede those of its wrapper."""
    values: dict[str, Any] = {}
    for field in fields(Document):
        first, second = getattr(inner, field.name), getattr(outer, field.name)
        if field.name == "extra":
            values["extra"] = _join_extra(first, second)
        elif field.name == "file":
            values["file"] = None  # the file belongs to another folder
        elif isinstance(first, tuple):
            values[field.name] = _unique((*first, *second))
        else:
            values[field.name] = first if first is not None else second
    known = {link.url: link for link in reversed(values["links"])}
    values["links"] = order_links(dict.fromkeys(known[link.url] for link in values["links"]))
    return Document(**values)


def _unique(values: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(values))


def _join_extra(
    first: dict[str, tuple[str, ...]], second: dict[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    joined = dict(first)
    for name, values in second.items():
        joined[name] = _unique((*joined.get(name, ()), *values))
    return joined
