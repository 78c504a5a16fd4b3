"""Two records side by side with differences marked: `/form/compare/SOURCE/IDENTIFIER?with=SOURCE/IDENTIFIER`.

Both are described as on their own pages; values are compared as they are shown there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple
from urllib.parse import quote, unquote

from windrow.search.record_addresses import record_path
from windrow.search.record_view import RecordView, find_moved, find_record
from windrow.web.http.http_request import HttpRefusal, Request, parse_query_string
from windrow.web.http.http_response import Response
from windrow.web.i18n.value_labels import datestamp_label
from windrow.web.layout.page_layout import PageLayout, render_page
from windrow.web.layout.page_text import LinkedText
from windrow.web.portal.portal_context import PortalContext
from windrow.web.portal.record_description import describe_record
from windrow.web.portal.record_files import with_file_addresses

WITH_PARAMETER, ONLY_PARAMETER = "with", "only"
ONLY_DIFFERENCES = "differences"
_PATH = "/form/compare"
_MAX_GIVEN_LENGTH = 2000  # characters entered for the other record
_FEW_WORDS = 3  # fewer are a name or a term
_MAX_WORDS = 1000  # of a text that is compared word by word


class ComparedWords(NamedTuple):
    """Some words of a value, and whether the other record has them too."""

    text: str
    is_shared: bool


@dataclass(frozen=True, slots=True)
class ComparedValue:
    """A value of one record, in parts if it is compared word by word."""

    said: LinkedText
    parts: tuple[ComparedWords, ...]


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """The values of both records under one label."""

    label: str
    left: tuple[ComparedValue, ...]
    right: tuple[ComparedValue, ...]

    @property
    def is_same(self) -> bool:
        """Return whether both have the same values, in any order."""
        return all(part.is_shared for value in (*self.left, *self.right) for part in value.parts)


def compare_path(one: tuple[str, str], other: tuple[str, str] | None = None) -> str:
    """Return the path of the comparison; without the other record, of the form that asks for it."""
    path = record_path(*one, under=_PATH)
    if other is None:
        return path
    return f"{path}?{WITH_PARAMETER}={quote('/'.join(other), safe='', errors='replace')}"


class ComparisonView:
    """The view of comparisons."""

    def __init__(self, room: PortalContext) -> None:
        self._room = room

    def __call__(self, request: Request, rest: str) -> Response:
        source, _, identifier = rest.partition("/")
        left = self._find(source, identifier)
        if left is None:
            raise HttpRefusal(404, "There is no such record.")
        pairs = dict(parse_query_string(request.query))
        given = pairs.get(WITH_PARAMETER, "").strip()[:_MAX_GIVEN_LENGTH]
        right = self._named(given, source) if given else None
        here = compare_path((source, identifier), (right.source, right.identifier) if right else None)
        frame = self._room.frames.frame(request, here=here)
        rows = (
            []
            if right is None
            else compare_statements(*(self._stated(each, frame) for each in (left, right)))
        )
        differing = [row for row in rows if not row.is_same]
        is_short = pairs.get(ONLY_PARAMETER) == ONLY_DIFFERENCES
        return render_page(
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
            other=frame.link(here if is_short else f"{here}&{ONLY_PARAMETER}={ONLY_DIFFERENCES}"),
        )

    def _find(self, source: str, identifier: str) -> RecordView | None:
        """Find a record; for a merged one, the record it was merged into."""
        if not source or not identifier:
            return None
        found = find_record(self._room.store, source, identifier)
        if isinstance(found, RecordView):
            return found
        target = find_moved(self._room.store, source, identifier)
        again = find_record(self._room.store, source, target) if target is not None else None
        return again if isinstance(again, RecordView) else None

    def _named(self, given: str, source: str) -> RecordView | None:
        """Find the record named by source and identifier, by its address, or by identifier."""
        place = given.partition("/record/")[2] if "/record/" in given else ""
        written = unquote(place.partition("?")[0].partition("#")[0]) if place else given
        named, _, identifier = written.partition("/")
        found = self._find(named, identifier)
        for each in () if found else (source, *self._room.config.sources):
            found = found or self._find(each, written)
        return found

    def _headed(self, record: RecordView, frame: PageLayout) -> LinkedText:
        called = describe_record(
            with_file_addresses(record, frame.site.url), frame, self._room.ways(frame), self._room.has_cover
        )
        path = record_path(record.source, record.identifier)
        return LinkedText(called.called.title, frame.link(path), called.called.language)

    def _stated(self, record: RecordView, frame: PageLayout) -> list[tuple[str, Sequence[LinkedText]]]:
        say = frame.tongue.say
        record = with_file_addresses(record, frame.site.url)
        found = describe_record(record, frame, self._room.ways(frame), self._room.has_cover)
        title = LinkedText(found.called.title, language=found.called.language)
        landing = [LinkedText(found.landing, found.landing, is_outside=True)] if found.landing else []
        return [
            (frame.label("title"), (title, *found.other_titles)),
            (frame.label("creator"), (*found.people, *found.more_people)),
            (frame.label("description"), found.abstracts),
            *((fact.label, fact.values) for fact in found.facts),
            (say("Full text"), [each._replace(text=each.address) for each in found.fulltexts]),
            (say("Original page"), landing),
            (
                frame.label("source"),
                [LinkedText(record.source, frame.link(f"/status/{quote(record.source)}"))],
            ),
            (say("Identifier there"), [LinkedText(record.identifier)]),
            (
                say("Its own date there"),
                [LinkedText(datestamp_label(record.stamp, frame.tongue) or record.stamp)],
            ),
            (say("Sets"), [LinkedText(each.name) for each in record.sets]),
            (say("Raw formats"), [LinkedText(each.prefix) for each in record.raws]),
        ]


Statements = Sequence[tuple[str, Sequence[LinkedText]]]


def compare_statements(left: Statements, right: Statements) -> list[ComparisonRow]:
    """Compare two records label by label; labels that neither has are left out."""
    sides: list[dict[str, list[LinkedText]]] = [{}, {}]
    for side, stated in zip(sides, (left, right), strict=True):
        for label, values in stated:
            side.setdefault(label, []).extend(values)
    labels = dict.fromkeys(label for stated in (left, right) for label, _ in stated)
    one, other = sides
    rows = (
        ComparisonRow(label, *_mark_differences(one.get(label, []), other.get(label, []))) for label in labels
    )
    return [row for row in rows if row.left or row.right]


def _mark_differences(
    left: Sequence[LinkedText], right: Sequence[LinkedText]
) -> tuple[tuple[ComparedValue, ...], tuple[ComparedValue, ...]]:
    """Mark what only one side has: whole values, or words if both sides have equally many texts."""
    if _are_texts(left, right):
        pairs = [_word_by_word(*pair) for pair in zip(left, right, strict=True)]
        return tuple(one for one, _ in pairs), tuple(other for _, other in pairs)
    mine, others = ({_comparable(said) for said in side} for side in (left, right))
    return tuple(_compare_values(said, others) for said in left), tuple(
        _compare_values(said, mine) for said in right
    )


def _compare_values(said: LinkedText, others: set[str]) -> ComparedValue:
    return ComparedValue(said, (ComparedWords(said.text, _comparable(said) in others),))


def _comparable(said: LinkedText) -> str:
    return " ".join(said.text.split())


def _are_texts(left: Sequence[LinkedText], right: Sequence[LinkedText]) -> bool:
    """Return whether values are sentences, such as titles or abstracts in the same languages."""
    words = [len(said.text.split()) for said in (*left, *right)]
    return 0 < len(left) == len(right) and (len(left) == 1 or min(words) >= _FEW_WORDS)


def _word_by_word(left: LinkedText, right: LinkedText) -> tuple[ComparedValue, ComparedValue]:
    mine, others = left.text.split(), right.text.split()
    if mine == others or max(len(mine), len(others)) > _MAX_WORDS:
        return _compare_values(left, {_comparable(right)}), _compare_values(right, {_comparable(left)})
    blocks = SequenceMatcher(None, mine, others, autojunk=False).get_opcodes()
    sides = [
        ComparedValue(
            left, tuple(_marked_parts(mine, [(tag, low, high) for tag, low, high, _, _ in blocks]))
        ),
        ComparedValue(
            right, tuple(_marked_parts(others, [(tag, low, high) for tag, _, _, low, high in blocks]))
        ),
    ]
    if not any(part.is_shared and len(part.text.split()) > 1 for side in sides for part in side.parts):
        return _compare_values(left, set()), _compare_values(
            right, set()
        )  # two texts, not two versions of one
    return sides[0], sides[1]


def _marked_parts(words: Sequence[str], blocks: Sequence[tuple[str, int, int]]) -> Iterator[ComparedWords]:
    for tag, low, high in blocks:
        if low < high:
            yield ComparedWords(" ".join(words[low:high]), tag == "equal")
