"""The ResourceSync documents: source description, capability, resource and change lists, dumps.

Section numbers refer to ANSI/NISO Z39.99. Long lists are divided into parts with an index. A part of a change
list holds a fixed number of changes: a full one never changes again, the last one is open. Changes are listed
without length and hash, because the resource may have changed again since.
"""

from __future__ import annotations

import hashlib
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from windrow.protocols.oai.payload_xml import make_standalone
from windrow.protocols.resourcesync import (
    INDEX,
    LIST,
    Item,
    Link,
    render,
    render_closing,
    render_item,
    render_opening,
)
from windrow.store.published import list_pages
from windrow.store.published.list_pages import list_source_pages
from windrow.store.published.resources import (
    DELETED,
    HistoryRules,
    NumberedChange,
    Resource,
    ResourceChange,
    list_numbered_changes,
    list_resource_changes,
    read_history_rules,
)
from windrow.web.layout.page_cache import check_lists_ready
from windrow.web.resourcesync.resourcesync_context import (
    CAPABILITIES,
    CHANGES,
    DUMP,
    RESOURCES,
    ZIP,
    PendingDocument,
    ResourceSyncContext,
    SourcePart,
    not_found,
    part_resources,
    source_part,
    source_parts,
)

# The two documents that lead to the others.


def describe_sources(desk: ResourceSyncContext) -> PendingDocument:
    """Return the Source Description (§8): a Capability List for each source."""
    with desk.store.reading() as connection:
        check_lists_ready(connection)
        newest = desk.times.refresh(connection)
        names = [each.name for each in list_source_pages(connection)]
    where = desk.addresses
    items = [Item(where.document(name, CAPABILITIES), facts={"capability": CAPABILITIES}) for name in names]
    body = render(LIST, {"capability": "description"}, [Link("describedby", where.about)], items)
    return PendingDocument(
        ("description", *names), desk.times.at(newest) if newest else 0, lambda: iter([body])
    )


def list_capabilities(desk: ResourceSyncContext, source: str) -> PendingDocument:
    """Return the Capability List of a source (§9)."""
    with desk.store.reading() as connection:
        newest = desk.times.refresh(connection)
        desk.shelf(connection, source)
    where = desk.addresses
    links = [Link("describedby", where.about), Link("up", where.description)]
    offered = (RESOURCES, CHANGES, DUMP)
    items = [Item(where.document(source, stem), facts={"capability": stem}) for stem in offered]
    body = render(LIST, {"capability": CAPABILITIES}, links, items)
    return PendingDocument((CAPABILITIES, source), desk.times.at(newest), lambda: iter([body]))


# Resource List (§10). Each resource is listed with length and hash of the bytes served at its address: times
# alone are not enough to compare a copy, since two changes may be in the same second.

MEDIA_TYPE = "text/xml"  # of resources


def list_resources(desk: ResourceSyncContext, source: str, number: int) -> PendingDocument:
    """Return a part of the list; part 0 is the whole list, or the index if there are several parts."""
    with desk.store.reading() as connection:
        desk.times.refresh(connection)
        if number:
            return _resource_part(desk, source_part(desk, connection, source, number), is_whole=False)
        parts = source_parts(desk, connection, source)
    return (
        _resource_part(desk, parts[0], is_whole=True)
        if len(parts) == 1
        else _resource_list_index(desk, source, parts)
    )


def describe_resource(desk: ResourceSyncContext, source: str, resource: Resource) -> tuple[Item, bytes]:
    """Return a resource's entry, and its bytes."""
    data = make_standalone(resource.payload, resource.declarations)
    digest = hashlib.sha256(data).hexdigest()
    facts = {"hash": f"sha-256:{digest}", "length": str(len(data)), "type": MEDIA_TYPE}
    where, name = desk.addresses, resource.identifier
    address = where.resource(source, name, resource.prefix)
    return Item(address, desk.times.at(resource.seq), facts, where.relations(source, name)), data


def _resource_part(desk: ResourceSyncContext, part: SourcePart, *, is_whole: bool) -> PendingDocument:
    return PendingDocument(
        (RESOURCES, is_whole, *part.marks),
        desk.times.at(part.seq),
        lambda: _render_resource_part(desk, part, is_whole=is_whole),
        is_long=True,
    )


def _render_resource_part(desk: ResourceSyncContext, part: SourcePart, *, is_whole: bool) -> Iterator[bytes]:
    """Render a part as of its newest change. What changes meanwhile is in the change list too."""
    where, source = desk.addresses, part.source
    index = () if is_whole else (Link("index", where.document(source, RESOURCES)),)
    facts = {"capability": RESOURCES, "at": desk.times.told(part.seq)}
    yield render_opening(LIST, facts, [where.up(source), *index]).encode()
    for resources in part_resources(desk, part):
        items = (describe_resource(desk, source, resource)[0] for resource in resources)
        yield "".join(render_item(LIST, item) for item in items).encode()
    yield render_closing(LIST).encode()


def _resource_list_index(desk: ResourceSyncContext, source: str, parts: list[SourcePart]) -> PendingDocument:
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
    return PendingDocument((RESOURCES, *marks), times.at(newest), lambda: iter([body]))


_CHANGES_PER_BATCH = 200  # changes


@dataclass(frozen=True, slots=True)
class _ChangeSpan:
    """The changes of one part: after `after` up to `end`, which is None for the open part."""

    number: int  # 0: the whole list
    after: int
    end: int | None


def list_changes(desk: ResourceSyncContext, source: str, number: int) -> PendingDocument:
    """Return a part of the list; part 0 is the whole list, or the index if there are several parts."""
    with desk.store.reading() as connection:
        newest = desk.times.refresh(connection)
        shelf = desk.shelf(connection, source)
        cuts = desk.cuts.find(connection, shelf, newest)
        first = list_pages.list_pages(connection, shelf.source_id, limit=1)[0].first_id
        spans = _change_spans(cuts)
        if number > len(spans):
            raise not_found()
        if not number and cuts:
            return _change_list_index(desk, source, spans, first)
        span = spans[number - 1] if number else _ChangeSpan(0, 0, None)
        found = list_numbered_changes(connection, shelf, span.after, span.end or newest)
        ways = read_history_rules(connection, shelf.source_id)
    facts = {"capability": CHANGES, **_span_times(desk, span, first)}
    depends = (CHANGES, source, span.number, span.end, first, *ways)
    return _change_part(
        _ChangePart(desk, source, facts, found, ways, is_whole=not number), depends, span.after or first
    )


def _change_spans(cuts: Sequence[int]) -> list[_ChangeSpan]:
    ends: list[int | None] = [*cuts, None]
    return [_ChangeSpan(place, *pair) for place, pair in enumerate(zip([0, *cuts], ends, strict=True), 1)]


def _span_times(desk: ResourceSyncContext, span: _ChangeSpan, first: int) -> Mapping[str, str]:
    """Return the time span of a part, both ends included."""
    since = {"from": desk.times.told(span.after or first)}
    return since if span.end is None else {**since, "until": desk.times.told(span.end)}


@dataclass(frozen=True, slots=True)
class _ChangePart:
    desk: ResourceSyncContext
    source: str
    facts: Mapping[str, str]
    changes: Sequence[NumberedChange]
    ways: HistoryRules
    is_whole: bool

    def render(self) -> Iterator[bytes]:
        where = self.desk.addresses
        index = () if self.is_whole else (Link("index", where.document(self.source, CHANGES)),)
        yield render_opening(LIST, self.facts, [where.up(self.source), *index]).encode()
        for start in range(0, len(self.changes), _CHANGES_PER_BATCH):
            with self.desk.store.reading() as connection:
                told = list_resource_changes(
                    connection, self.changes[start : start + _CHANGES_PER_BATCH], self.ways
                )
            yield "".join(
                render_item(LIST, _change_item(self.desk, self.source, each)) for each in told
            ).encode()
        yield render_closing(LIST).encode()


def _change_part(part: _ChangePart, depends: tuple[object, ...], before: int) -> PendingDocument:
    """Return a part. It changes when one of its records does: hiding a record hides its changes."""
    newest = max((each.newest for each in part.changes), default=before)
    modified = part.desk.times.at(newest)
    return PendingDocument((*depends, len(part.changes), newest), modified, part.render, is_long=True)


def _change_item(desk: ResourceSyncContext, source: str, change: ResourceChange) -> Item:
    """Return the entry of a change. A deleted resource has no modification time and describes nothing."""
    where, name = desk.addresses, change.identifier
    address = where.resource(source, name, change.prefix)
    facts = {"change": change.change, "datetime": desk.times.told(change.seq)}
    if change.change == DELETED:
        return Item(address, facts=facts)
    relations = where.relations(source, name)
    return Item(address, desk.times.at(change.seq), {**facts, "type": MEDIA_TYPE}, relations)


def _change_list_index(
    desk: ResourceSyncContext, source: str, spans: Sequence[_ChangeSpan], first: int
) -> PendingDocument:
    where, times = desk.addresses, desk.times
    last = spans[-1].after
    items = [
        Item(
            where.document(source, CHANGES, span.number),
            None if span.end is None else times.at(span.end),
            _span_times(desk, span, first),
        )
        for span in spans
    ]
    facts = {"capability": CHANGES, "from": times.told(first)}
    body = render(INDEX, facts, [where.up(source)], items)
    return PendingDocument((CHANGES, source, first, len(spans), last), times.at(last), lambda: iter([body]))


# Resource Dump (§11), in packages that are generated while they are sent.

MANIFEST = "manifest.xml"  # name required by the specification (§11.2)
_LEVEL = 1
_EARLIEST = (1980, 1, 1, 0, 0, 0)  # the earliest date in a ZIP file
_UNIX, _READABLE = 3, 0o644 << 16


def list_packages(desk: ResourceSyncContext, source: str) -> PendingDocument:
    """Return the list of a source's packages. Their sizes are unknown until they are made."""
    with desk.store.reading() as connection:
        desk.times.refresh(connection)
        parts = source_parts(desk, connection, source)
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
    return PendingDocument((DUMP, *marks), times.at(newest), lambda: iter([body]))


def make_package(desk: ResourceSyncContext, source: str, number: int) -> PendingDocument:
    """Return a package: the records of a part in all formats, and a manifest."""
    with desk.store.reading() as connection:
        desk.times.refresh(connection)
        part = source_part(desk, connection, source, number)
    depends = (DUMP, "package", *part.marks)
    return PendingDocument(
        depends, desk.times.at(part.seq), lambda: _zip_part(desk, part), is_long=True, kind=ZIP
    )


class _PieceBuffer:
    """A file object whose content is drained while it is written."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._pieces.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Do nothing: there is no buffer below."""

    def close(self) -> None:
        """Do nothing: the content itself marks the end of a package."""

    def drain(self) -> bytes:
        """Return what was written since the last call."""
        found, self._pieces = b"".join(self._pieces), []
        return found


def _zip_part(desk: ResourceSyncContext, part: SourcePart) -> Iterator[bytes]:
    """Yield a package. The manifest comes last, since lengths and hashes are known only then."""
    sink = _PieceBuffer()
    newest = desk.times.at(part.seq)
    facts = {"capability": f"{DUMP}-manifest", "at": desk.times.told(part.seq)}
    told = [render_opening(LIST, facts, [desk.addresses.up(part.source)])]
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
        for resources in part_resources(desk, part):
            for resource in resources:
                item, data = describe_resource(desk, part.source, resource)
                name = f"resources/{resource.number}-{quote(resource.prefix, safe='', errors='replace')}.xml"
                archive.writestr(_zip_entry(name, item.modified or newest), data)
                told.append(render_item(LIST, item._replace(facts={**item.facts, "path": f"/{name}"})))
            yield sink.drain()
        told.append(render_closing(LIST))
        with archive.open(_zip_entry(MANIFEST, newest), "w") as manifest:
            for text in told:
                manifest.write(text.encode())
        yield sink.drain()
    yield sink.drain()


def _zip_entry(name: str, modified: int) -> zipfile.ZipInfo:
    """Return an entry with fixed attributes, so that the same package has the same bytes on every machine."""
    made = time.gmtime(modified)[:6]
    entry = zipfile.ZipInfo(name, max(made, _EARLIEST))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system, entry.external_attr = _UNIX, _READABLE
    return entry
