"""What happened to a record in each of its formats, read out of its history. For `resources` and `changes`.

A record lives from when it comes to when it is deleted, and may be restored to another life. In a life its
formats come one after another: with the record itself, then each with a change of kind `format`, which does
not say which one. But payloads lie in blocks whose numbers only grow, so the order of the blocks in which
formats were first had is the order in which they came.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

CREATED, UPDATED, DELETED = "created", "updated", "deleted"


class Event(NamedTuple):
    """A change to a record as the history has it, with the place of the payload that it replaced."""

    seq: int
    kind: str
    format_id: int | None = None
    block_id: int | None = None


class Step(NamedTuple):
    """A change to what a record has in one format."""

    seq: int
    format_id: int
    change: str  # created, updated, deleted


@dataclass(frozen=True, slots=True)
class Past:
    """Everything the library knows of what happened to a record; its number is that of its coming."""

    number: int
    is_deleted: bool
    events: Sequence[Event]
    held: Mapping[int, int]  # the formats that it has now, with their blocks


class Ways(NamedTuple):
    """How the history of a source's records is to be read."""

    formats: tuple[int, ...]  # that it is known to be harvested in
    every: tuple[int, ...]  # format of the library
    moves_count: bool = False  # one that moved to other sets is updated: it may have been hidden before


@dataclass(slots=True)
class _Life:
    arrivals: list[int]  # numbers of the changes with each of which a format came
    changes: list[Event] = field(default_factory=list)
    moves: list[int] = field(default_factory=list)
    end: Event | None = None


def steps(past: Past, ways: Ways) -> list[Step]:
    """Give what happened to a record, format by format, in order."""
    return sorted(step for life in _lives(past) for step in _steps(life, past.held, ways))


def standing(history: Iterable[Step]) -> dict[int, int]:
    """Give the formats that are left after these steps, with the number of the newest change to each."""
    found: dict[int, int] = {}
    for seq, format_id, change in history:
        if change == DELETED:
            found.pop(format_id, None)
        else:
            found[format_id] = seq
    return found


def _lives(past: Past) -> list[_Life]:
    turns = [event.kind for event in past.events if event.kind in ("deleted", "restored")]
    came_deleted = turns[0] == "restored" if turns else past.is_deleted
    lives = [] if came_deleted else [_Life([past.number])]
    for event in past.events:
        if event.kind == "restored":
            lives.append(_Life([event.seq]))
        elif lives and lives[-1].end is None:
            _happen(lives[-1], event)
    return lives


def _happen(life: _Life, event: Event) -> None:
    if event.kind == "deleted":
        life.end = event
    elif event.kind == "format":
        life.arrivals.append(event.seq)
    elif event.kind == "changed":
        life.changes.append(event)
    else:
        life.moves.append(event.seq)


def _steps(life: _Life, held: Mapping[int, int], ways: Ways) -> list[Step]:
    came = _came(life, _formats_of(life, held, ways))
    found = [Step(seq, format_id, CREATED) for format_id, seq in came.items()]
    found += [Step(each.seq, each.format_id, UPDATED) for each in life.changes if each.format_id is not None]
    if ways.moves_count:
        found += [Step(at, each, UPDATED) for at in life.moves for each, seq in came.items() if seq < at]
    if life.end is not None:
        found += [Step(life.end.seq, format_id, DELETED) for format_id in came]
    return found


def _came(life: _Life, formats: Sequence[int]) -> dict[int, int]:
    """With which change each format came. A record may have come without any."""
    padded = [life.arrivals[0]] * (len(formats) - len(life.arrivals)) + life.arrivals
    return dict(zip(formats, padded[len(padded) - len(formats) :], strict=True))


def _formats_of(life: _Life, held: Mapping[int, int], ways: Ways) -> list[int]:
    """The formats of a life in the order in which they came."""
    first: dict[int, int] = {}
    last = () if life.end is None else [(life.end.format_id, life.end.block_id)]
    changed = [(event.format_id, event.block_id) for event in life.changes]
    for format_id, block_id in (*changed, *last, *(held.items() if life.end is None else ())):
        if format_id is not None and block_id is not None:
            first.setdefault(format_id, block_id)
    missing = len(life.arrivals) - len(first)
    if life.end is None or life.end.format_id is None or missing <= 0:
        return sorted(first, key=first.__getitem__)
    return sorted({*first, *_lost(first, life.end.format_id, missing, ways)})


def _lost(known: Iterable[int], kept: int, missing: int, ways: Ways) -> list[int]:
    """The formats that a deleted record may have had besides those that are known.

    When a record is deleted, the history keeps the payload in the first of its formats only. That there were
    others is known, but not always which: then every one is given that it may have been, as a deletion too
    many does no harm, and one too few leaves behind what is gone.
    """
    likely, possible = ([each for each in some if each > kept and each not in known] for some in ways[:2])
    return likely if len(likely) >= missing else possible
