"""What changed: a Change List (12), whole or in parts with an index over them.

The parts hold so many changes each. A full one is closed and stays as it is; the last is open. Changes are
told without length and hash: what is at the address by now may be newer than the change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from windrow.faces.resourcesync.addresses import CHANGES
from windrow.faces.resourcesync.desk import Desk, Paper, nothing
from windrow.faces.resourcesync.resource_list import MEDIA_TYPE
from windrow.store import leaves
from windrow.store.changes import Change, Numbered, changes, numbered
from windrow.store.lives import DELETED, Ways
from windrow.store.resources import ways_of
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

_AT_ONCE = 200  # changes


@dataclass(frozen=True, slots=True)
class _Span:
    """The changes of one part: after one number and up to another, which an open part does not have yet."""

    number: int  # 0: the whole list
    after: int
    end: int | None


def list_changes(desk: Desk, source: str, number: int) -> Paper:
    """Give a part of the list; part 0 is the list itself, or the index where there are several parts."""
    with desk.store.reading() as connection:
        newest = desk.times.refresh(connection)
        shelf = desk.shelf(connection, source)
        cuts = desk.cuts.find(connection, shelf, newest)
        first = leaves.leaves(connection, shelf.source_id, limit=1)[0].first_id
        spans = _spans(cuts)
        if number > len(spans):
            raise nothing()
        if not number and cuts:
            return _index(desk, source, spans, first)
        span = spans[number - 1] if number else _Span(0, 0, None)
        found = numbered(connection, shelf, span.after, span.end or newest)
        ways = ways_of(connection, shelf.source_id)
    facts = {"capability": CHANGES, **_times_of(desk, span, first)}
    depends = (CHANGES, source, span.number, span.end, first, *ways)
    return _part(_Part(desk, source, facts, found, ways, is_whole=not number), depends, span.after or first)


def _spans(cuts: Sequence[int]) -> list[_Span]:
    ends: list[int | None] = [*cuts, None]
    return [_Span(place, *pair) for place, pair in enumerate(zip([0, *cuts], ends, strict=True), 1)]


def _times_of(desk: Desk, span: _Span, first: int) -> Mapping[str, str]:
    """From when to when a part tells of changes; both ends are in it."""
    since = {"from": desk.times.told(span.after or first)}
    return since if span.end is None else {**since, "until": desk.times.told(span.end)}


@dataclass(frozen=True, slots=True)
class _Part:
    desk: Desk
    source: str
    facts: Mapping[str, str]
    changes: Sequence[Numbered]
    ways: Ways
    is_whole: bool

    def render(self) -> Iterator[bytes]:
        """Give the part in pieces."""
        where = self.desk.addresses
        index = () if self.is_whole else (Link("index", where.document(self.source, CHANGES)),)
        yield render_opening(LIST, self.facts, [where.up(self.source), *index]).encode()
        for start in range(0, len(self.changes), _AT_ONCE):
            with self.desk.store.reading() as connection:
                told = changes(connection, self.changes[start : start + _AT_ONCE], self.ways)
            yield "".join(render_item(LIST, _item(self.desk, self.source, each)) for each in told).encode()
        yield render_closing(LIST).encode()


def _part(part: _Part, depends: tuple[object, ...], before: int) -> Paper:
    """A part differs when one of its records does: a record that is hidden now takes its changes with it."""
    newest = max((each.newest for each in part.changes), default=before)
    modified = part.desk.times.at(newest)
    return Paper((*depends, len(part.changes), newest), modified, part.render, is_long=True)


def _item(desk: Desk, source: str, change: Change) -> Item:
    """What is gone was not modified, and describes nothing any more."""
    where, name = desk.addresses, change.identifier
    address = where.resource(source, name, change.prefix)
    facts = {"change": change.change, "datetime": desk.times.told(change.seq)}
    if change.change == DELETED:
        return Item(address, facts=facts)
    relations = where.relations(source, name)
    return Item(address, desk.times.at(change.seq), {**facts, "type": MEDIA_TYPE}, relations)


def _index(desk: Desk, source: str, spans: Sequence[_Span], first: int) -> Paper:
    where, times = desk.addresses, desk.times
    last = spans[-1].after
    items = [
        Item(
            where.document(source, CHANGES, span.number),
            None if span.end is None else times.at(span.end),
            _times_of(desk, span, first),
        )
        for span in spans
    ]
    facts = {"capability": CHANGES, "from": times.told(first)}
    body = render(INDEX, facts, [where.up(source)], items)
    return Paper((CHANGES, source, first, len(spans), last), times.at(last), lambda: iter([body]))
