"""The lists of one repository: its pages, where there are very many in groups, and the records on each page.

Page 17 is leaf 17 of the store: its records are the same for ever, so it changes only when they do. From the
entry of the gateway it is four steps at most to any record: repository, group, page, record.
"""

from __future__ import annotations

from dataclasses import dataclass

from windrow import __version__
from windrow.faces.gateway.addresses import group_path, leaf_path, repository_path
from windrow.faces.shared.conditional import is_unchanged, not_modified, validators, weak_tag
from windrow.faces.shared.frame import VARY, Frame, Frames, show
from windrow.faces.shared.headline import foreign, seen_title
from windrow.faces.shared.leaf_readiness import check_laid_out
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Response
from windrow.faces.shared.tongue import Tongue
from windrow.faces.shared.wording import clean
from windrow.finding.addresses import record_path
from windrow.finding.titles import titles
from windrow.model.document import Text
from windrow.store import leaves, sources
from windrow.store.connection import Connection
from windrow.store.leaves import Leaf, Shelf
from windrow.store.store import Store

GROUP = 250  # pages


@dataclass(frozen=True, slots=True)
class Line:
    """A record as a page lists it."""

    path: str
    title: str  # empty: it has none
    language: str
    identifier: str


@dataclass(frozen=True, slots=True)
class Step:
    """A link to a list: what it is called, and where it is."""

    words: str
    path: str


@dataclass(frozen=True, slots=True)
class Repository:
    """What all lists of a repository say."""

    shelf: Shelf
    title: str

    @property
    def called(self) -> str:
        """What it calls itself, or what it is called here."""
        return self.title or self.shelf.name

    @property
    def path(self) -> str:
        """Where its first page is."""
        return repository_path(self.shelf.name)


class Lists:
    """Makes `/gateway/NAME/`, `/gateway/NAME/pages/3` and `/gateway/NAME/17`."""

    def __init__(self, frames: Frames, store: Store) -> None:
        self._frames = frames
        self._store = store

    def repository(self, request: Request, name: str) -> Response:
        """Give the list of a repository's pages, or of groups of them."""
        frame = self._frames.frame(request)
        with self._store.reading() as connection:
            found = _find(connection, name)
            changed = self._changed(connection, found.shelf.seq)
            tag = _tag(frame, found, found.shelf)
            if is_unchanged(request, tag, changed):
                return not_modified(tag, changed, VARY)
            if found.shelf.leaves > GROUP:
                steps = [
                    Step(_span(frame, first, found.shelf.leaves), group_path(name, place))
                    for place, first in enumerate(range(1, found.shelf.leaves + 1, GROUP), 1)
                ]
            else:
                steps = _steps(frame, name, leaves.leaves(connection, found.shelf.source_id))
        return show(
            frame,
            "gateway/pages.html",
            *validators(tag, changed),
            title=found.called,
            canonical=repository_path(name),
            repository=found,
            steps=steps,
            group=None,
        )

    def group(self, request: Request, name: str, number: int) -> Response:
        """Give the list of some of a repository's pages."""
        frame = self._frames.frame(request)
        first = (number - 1) * GROUP + 1
        with self._store.reading() as connection:
            found = _find(connection, name)
            run = leaves.leaves(connection, found.shelf.source_id, first, GROUP)
            if not run:
                raise Refused(404, "There is no such page.")
            seq = max(each.seq for each in run)
            changed = self._changed(connection, seq)
        tag = _tag(frame, found, number, seq, run[-1].last_id)
        if is_unchanged(request, tag, changed):
            return not_modified(tag, changed, VARY)
        return show(
            frame,
            "gateway/pages.html",
            *validators(tag, changed),
            title=f"{found.called} · {_span(frame, first, run[-1].number)}",
            canonical=group_path(name, number),
            repository=found,
            steps=_steps(frame, name, run),
            group=_span(frame, first, run[-1].number),
        )

    def leaf(self, request: Request, name: str, number: int) -> Response:
        """Give a page of records."""
        frame = self._frames.frame(request)
        with self._store.reading() as connection:
            found = _find(connection, name)
            leaf = leaves.leaf(connection, found.shelf.source_id, number)
            if leaf is None:
                raise Refused(404, "There is no such page.")
            around = leaves.neighbours(connection, leaf.source_id, number)
            changed = self._changed(connection, leaf.seq)
            tag = _tag(frame, found, leaf, around)
            if is_unchanged(request, tag, changed):
                return not_modified(tag, changed, VARY)
            lines = _lines(connection, name, leaf, frame.tongue)
        before, after = (leaf_path(name, each) if each else "" for each in around)
        return show(
            frame,
            "gateway/leaf.html",
            *validators(tag, changed),
            title=f"{found.called} · {frame.tongue.say('Page {number}', number=number)}",
            canonical=leaf_path(name, number),
            repository=found,
            place=number,
            lines=lines,
            before=before,
            after=after,
        )

    def _changed(self, connection: Connection, seq: int) -> int:
        """When a list last changed, or the look of all pages."""
        return max(leaves.changed_at(connection, seq), self._frames.since)


def _find(connection: Connection, name: str) -> Repository:
    state = sources.find(connection, name)
    if state is not None:  # what was never here will not be there in a few seconds either
        check_laid_out(connection)
    shelf = leaves.shelf(connection, name)
    if shelf is None or state is None:
        raise Refused(404, "There is no such repository, or nothing of it was harvested yet.")
    return Repository(shelf, clean(str(state.identity.get("name") or "")).strip())


def _tag(frame: Frame, found: Repository, *parts: object) -> bytes:
    return weak_tag("gateway", __version__, frame.tongue.code, frame.site, frame.look, found.title, *parts)


def _span(frame: Frame, first: int, last: int) -> str:
    return frame.tongue.say("Pages {first} to {last}", first=first, last=min(first + GROUP - 1, last))


def _steps(frame: Frame, name: str, run: list[Leaf]) -> list[Step]:
    """The pages on which there is something to see."""
    number = frame.tongue.number
    return [Step(number(each.number), leaf_path(name, each.number)) for each in run if each.live]


def _lines(connection: Connection, name: str, leaf: Leaf, tongue: Tongue) -> list[Line]:
    rows = leaves.entries(connection, [leaf])
    called = titles(connection, [number for number, _, _ in rows])
    return [
        Line(record_path(name, identifier), *_shown(called.get(number), tongue), identifier)
        for number, identifier, _ in rows
    ]


def _shown(title: Text | None, tongue: Tongue) -> tuple[str, str]:
    """A title and its language, where it is another than that of the page; nothing for one not to be seen."""
    words = seen_title(title.value) if title else ""
    return words, foreign(title.language, tongue) if title and words else ""
