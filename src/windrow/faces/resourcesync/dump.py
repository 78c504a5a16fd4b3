"""Everything at once: a Resource Dump (11), in packages that are made while they are sent."""

from __future__ import annotations

import time
import zipfile
from collections.abc import Iterator
from urllib.parse import quote

from windrow.faces.resourcesync.addresses import DUMP
from windrow.faces.resourcesync.desk import ZIP, Desk, Paper
from windrow.faces.resourcesync.parts import Part, part_of, parts_of, resources_of
from windrow.faces.resourcesync.resource_list import describe
from windrow.wire.resourcesync import LIST, Item, render, render_closing, render_item, render_opening

MANIFEST = "manifest.xml"  # its name by the specification (11.2)
_LEVEL = 1
_EARLIEST = (1980, 1, 1, 0, 0, 0)  # that a ZIP file can tell
_UNIX, _READABLE = 3, 0o644 << 16


def list_packages(desk: Desk, source: str) -> Paper:
    """Give the list of a source's packages. How long each is comes out only when it is made."""
    with desk.store.reading() as connection:
        desk.times.refresh(connection)
        parts = parts_of(desk, connection, source)
    where, times = desk.addresses, desk.times
    newest = max(part.seq for part in parts)
    items = [
        Item(
            where.document(source, DUMP, part.number, "zip"),
            times.at(part.seq),
            {"type": ZIP, "at": times.told(part.seq)},
        )
        for part in parts
        if part.live
    ]
    body = render(LIST, {"capability": DUMP, "at": times.told(newest)}, [where.up(source)], items)
    marks = tuple(mark for part in parts for mark in part.marks)
    return Paper((DUMP, *marks), times.at(newest), lambda: iter([body]))


def package(desk: Desk, source: str, number: int) -> Paper:
    """Give a package: what the records of a part have in all formats, and a manifest."""
    with desk.store.reading() as connection:
        desk.times.refresh(connection)
        part = part_of(desk, connection, source, number)
    depends = (DUMP, "package", *part.marks)
    return Paper(depends, desk.times.at(part.seq), lambda: _pack(desk, part), is_long=True, kind=ZIP)


class _Sink:
    """A file that is read as fast as it is written."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, data: bytes) -> int:
        """Take some bytes."""
        self._pieces.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Do nothing: whoever reads does not wait."""

    def close(self) -> None:
        """Do nothing: the end of a package is told by what is written."""

    def drain(self) -> bytes:
        """Give what was written since the last time."""
        found, self._pieces = b"".join(self._pieces), []
        return found


def _pack(desk: Desk, part: Part) -> Iterator[bytes]:
    """The manifest comes last: it tells of lengths and hashes, known by then. In memory is only that."""
    sink = _Sink()
    newest = desk.times.at(part.seq)
    facts = {"capability": f"{DUMP}-manifest", "at": desk.times.told(part.seq)}
    told = [render_opening(LIST, facts, [desk.addresses.up(part.source)])]
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
        for resources in resources_of(desk, part):
            for resource in resources:
                item, data = describe(desk, part.source, resource)
                name = f"resources/{resource.number}-{quote(resource.prefix, safe='', errors='replace')}.xml"
                archive.writestr(_entry(name, item.modified or newest), data)
                told.append(render_item(LIST, item._replace(facts={**item.facts, "path": f"/{name}"})))
            yield sink.drain()
        told.append(render_closing(LIST))
        with archive.open(_entry(MANIFEST, newest), "w") as manifest:
            for text in told:
                manifest.write(text.encode())
        yield sink.drain()
    yield sink.drain()


def _entry(name: str, modified: int) -> zipfile.ZipInfo:
    """The head of a file in a package, the same on every machine: the same package has the same bytes."""
    made = time.gmtime(modified)[:6]
    entry = zipfile.ZipInfo(name, max(made, _EARLIEST))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system, entry.external_attr = _UNIX, _READABLE
    return entry
