"""Two records side by side, what differs marked: `/form/compare/SOURCE/IDENTIFIER?with=SOURCE/IDENTIFIER`.

Both are described as on their own pages; values are compared as they are shown there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple
from urllib.parse import quote, unquote

from windrow.faces.portal.described import describe
from windrow.faces.portal.files import addressed
from windrow.faces.portal.room import Room
from windrow.faces.portal.said import Said
from windrow.faces.portal.stamps import stamp_words
from windrow.faces.shared.frame import Frame, show
from windrow.faces.shared.pairs import query_pairs
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Response
from windrow.finding.addresses import record_path
from windrow.finding.record import RecordView, find_moved, find_record

WITH, ONLY = "with", "only"
DIFFERENCES = "differences"
_PATH = "/form/compare"
_LONGEST_GIVEN = 2000  # letters of what was entered for the other record
_FEW_WORDS = 3  # fewer are a name or a term
_MOST_WORDS = 1000  # of a text that is compared word by word


class Part(NamedTuple):
    """Some words of a value, and whether the other record has them, too."""

    text: str
    is_shared: bool


@dataclass(frozen=True, slots=True)
class Value:
    """A value of one record: as a whole, and in parts where it is compared word by word."""

    said: Said
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """What both records state under one label."""

    label: str
    left: tuple[Value, ...]
    right: tuple[Value, ...]

    @property
    def is_same(self) -> bool:
        """Whether both state the same values, in whatever order."""
        return all(part.is_shared for value in (*self.left, *self.right) for part in value.parts)


def compare_path(one: tuple[str, str], other: tuple[str, str] | None = None) -> str:
    """Return the path of the page; without the other record, of the form that asks for it."""
    path = record_path(*one, under=_PATH)
    if other is None:
        return path
    return f"{path}?{WITH}={quote('/'.join(other), safe='', errors='replace')}"


class Comparing:
    """Makes the page."""

    def __init__(self, room: Room) -> None:
        self._room = room

    def __call__(self, request: Request, rest: str) -> Response:
        """Give both records side by side, or the form where no other record was named."""
        source, _, identifier = rest.partition("/")
        left = self._find(source, identifier)
        if left is None:
            raise Refused(404, "There is no such record.")
        pairs = dict(query_pairs(request.query))
        given = pairs.get(WITH, "").strip()[:_LONGEST_GIVEN]
        right = self._named(given, source) if given else None
        here = compare_path((source, identifier), (right.source, right.identifier) if right else None)
        frame = self._room.frames.frame(request, here=here)
        rows = [] if right is None else rows_of(*(self._stated(each, frame) for each in (left, right)))
        differing = [row for row in rows if not row.is_same]
        is_short = pairs.get(ONLY) == DIFFERENCES
        return show(
            frame,
            "portal/compare.html",
            status=404 if given and right is None else 200,
            title=frame.tongue.say("Two records side by side"),
            left=self._headed(left, frame),
            right=None if right is None else self._headed(right, frame),
            given=given,
            action=frame.link(compare_path((source, identifier))),
            rows=differing if is_short else rows,
            total=len(rows),
            differing=len(differing),
            is_short=is_short,
            other=frame.link(here if is_short else f"{here}&{ONLY}={DIFFERENCES}"),
        )

    def _find(self, source: str, identifier: str) -> RecordView | None:
        """Find a record that is there; one that was merged stands for the one it leads to."""
        if not source or not identifier:
            return None
        found = find_record(self._room.store, source, identifier)
        if isinstance(found, RecordView):
            return found
        target = find_moved(self._room.store, source, identifier)
        again = find_record(self._room.store, source, target) if target is not None else None
        return again if isinstance(again, RecordView) else None

    def _named(self, given: str, source: str) -> RecordView | None:
        """Find the record that somebody named: by source and identifier, by its address, by identifier."""
        place = given.partition("/record/")[2] if "/record/" in given else ""
        written = unquote(place.partition("?")[0].partition("#")[0]) if place else given
        named, _, identifier = written.partition("/")
        found = self._find(named, identifier)
        for each in () if found else (source, *self._room.config.sources):
            found = found or self._find(each, written)
        return found

    def _headed(self, record: RecordView, frame: Frame) -> Said:
        called = describe(
            addressed(record, frame.site.url), frame, self._room.ways(frame), self._room.has_cover
        )
        path = record_path(record.source, record.identifier)
        return Said(called.called.title, frame.link(path), called.called.language)

    def _stated(self, record: RecordView, frame: Frame) -> list[tuple[str, Sequence[Said]]]:
        """What a record's page says, label by label."""
        say = frame.tongue.say
        record = addressed(record, frame.site.url)
        found = describe(record, frame, self._room.ways(frame), self._room.has_cover)
        title = Said(found.called.title, language=found.called.language)
        landing = [Said(found.landing, found.landing, is_outside=True)] if found.landing else []
        return [
            (frame.label("title"), (title, *found.other_titles)),
            (frame.label("creator"), (*found.people, *found.more_people)),
            (frame.label("description"), found.abstracts),
            *((fact.label, fact.values) for fact in found.facts),
            (say("Full text"), [each._replace(text=each.address) for each in found.fulltexts]),
            (say("Original page"), landing),
            (frame.label("source"), [Said(record.source, frame.link(f"/status/{quote(record.source)}"))]),
            (say("Identifier there"), [Said(record.identifier)]),
            (say("Its own date there"), [Said(stamp_words(record.stamp, frame.tongue) or record.stamp)]),
            (say("Sets"), [Said(each.name) for each in record.sets]),
            (say("Raw formats"), [Said(each.prefix) for each in record.raws]),
        ]


Stated = Sequence[tuple[str, Sequence[Said]]]


def rows_of(left: Stated, right: Stated) -> list[Row]:
    """Return what two records state, label by label; labels that neither has are left out."""
    sides: list[dict[str, list[Said]]] = [{}, {}]
    for side, stated in zip(sides, (left, right), strict=True):
        for label, values in stated:
            side.setdefault(label, []).extend(values)
    labels = dict.fromkeys(label for stated in (left, right) for label, _ in stated)
    one, other = sides
    rows = (Row(label, *_marked(one.get(label, []), other.get(label, []))) for label in labels)
    return [row for row in rows if row.left or row.right]


def _marked(left: Sequence[Said], right: Sequence[Said]) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
    """Mark what only one side has: whole values, or words where both sides have as many texts."""
    if _are_texts(left, right):
        pairs = [_word_by_word(*pair) for pair in zip(left, right, strict=True)]
        return tuple(one for one, _ in pairs), tuple(other for _, other in pairs)
    mine, others = ({_compared(said) for said in side} for side in (left, right))
    return tuple(_whole(said, others) for said in left), tuple(_whole(said, mine) for said in right)


def _whole(said: Said, others: set[str]) -> Value:
    return Value(said, (Part(said.text, _compared(said) in others),))


def _compared(said: Said) -> str:
    return " ".join(said.text.split())


def _are_texts(left: Sequence[Said], right: Sequence[Said]) -> bool:
    """Return whether these are a sentence or more each: titles, abstracts in the same languages."""
    words = [len(said.text.split()) for said in (*left, *right)]
    return 0 < len(left) == len(right) and (len(left) == 1 or min(words) >= _FEW_WORDS)


def _word_by_word(left: Said, right: Said) -> tuple[Value, Value]:
    mine, others = left.text.split(), right.text.split()
    if mine == others or max(len(mine), len(others)) > _MOST_WORDS:
        return _whole(left, {_compared(right)}), _whole(right, {_compared(left)})
    blocks = SequenceMatcher(None, mine, others, autojunk=False).get_opcodes()
    sides = [
        Value(left, tuple(_parts(mine, [(tag, low, high) for tag, low, high, _, _ in blocks]))),
        Value(right, tuple(_parts(others, [(tag, low, high) for tag, _, _, low, high in blocks]))),
    ]
    if not any(part.is_shared and len(part.text.split()) > 1 for side in sides for part in side.parts):
        return _whole(left, set()), _whole(right, set())  # two texts, not two versions of one
    return sides[0], sides[1]


def _parts(words: Sequence[str], blocks: Sequence[tuple[str, int, int]]) -> Iterator[Part]:
    for tag, low, high in blocks:
        if low < high:
            yield Part(" ".join(words[low:high]), tag == "equal")
