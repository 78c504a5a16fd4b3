"""What there is: a Resource List (10), whole or in parts with an index over them.

Each resource is told with length and hash of the bytes that are served at its address, so that whoever
compares a copy with the list need not trust times alone: two changes in one second have the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from windrow.faces.resourcesync.addresses import RESOURCES
from windrow.faces.resourcesync.desk import Desk, Paper
from windrow.faces.resourcesync.parts import Part, part_of, parts_of, resources_of
from windrow.store.resources import Resource
from windrow.wire.oai.namespaces import standalone
from windrow.wire.resourcesync import (
    INDEX,
    LIST,
    Item,
    Link,
    render,
    render_closing,
    render_item,
    render_opening,
)

MEDIA_TYPE = "text/xml"  # that resources are served with


def list_resources(desk: Desk, source: str, number: int) -> Paper:
    """Give a part of the list; part 0 is the list itself, or the index where there are several parts."""
    with desk.store.reading() as connection:
        desk.times.refresh(connection)
        if number:
            return _part(desk, part_of(desk, connection, source, number), is_whole=False)
        parts = parts_of(desk, connection, source)
    return _part(desk, parts[0], is_whole=True) if len(parts) == 1 else _index(desk, source, parts)


def describe(desk: Desk, source: str, resource: Resource) -> tuple[Item, bytes]:
    """Give a resource as lists tell it, and the bytes that are served."""
    data = standalone(resource.payload, resource.declarations)
    digest = hashlib.sha256(data).hexdigest()
    facts = {"hash": f"sha-256:{digest}", "length": str(len(data)), "type": MEDIA_TYPE}
    where, name = desk.addresses, resource.identifier
    address = where.resource(source, name, resource.prefix)
    return Item(address, desk.times.at(resource.seq), facts, where.relations(source, name)), data


def _part(desk: Desk, part: Part, *, is_whole: bool) -> Paper:
    return Paper(
        (RESOURCES, is_whole, *part.marks),
        desk.times.at(part.seq),
        lambda: _render_part(desk, part, is_whole=is_whole),
        is_long=True,
    )


def _render_part(desk: Desk, part: Part, *, is_whole: bool) -> Iterator[bytes]:
    """As of the newest change on its leaves. What changes while it is made is in the change list too."""
    where, source = desk.addresses, part.source
    index = () if is_whole else (Link("index", where.document(source, RESOURCES)),)
    facts = {"capability": RESOURCES, "at": desk.times.told(part.seq)}
    yield render_opening(LIST, facts, [where.up(source), *index]).encode()
    for resources in resources_of(desk, part):
        items = (describe(desk, source, resource)[0] for resource in resources)
        yield "".join(render_item(LIST, item) for item in items).encode()
    yield render_closing(LIST).encode()


def _index(desk: Desk, source: str, parts: list[Part]) -> Paper:
    where, times = desk.addresses, desk.times
    newest = max(part.seq for part in parts)
    items = [
        Item(where.document(source, RESOURCES, part.number), times.at(part.seq), {"at": times.told(part.seq)})
        for part in parts
        if part.live
    ]
    facts = {"capability": RESOURCES, "at": times.told(newest)}
    body = render(INDEX, facts, [where.up(source)], items)
    marks = tuple(mark for part in parts for mark in part.marks)
    return Paper((RESOURCES, *marks), times.at(newest), lambda: iter([body]))
