"""The first page of the gateway: every repository, how much there is of it, and how fresh that is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from windrow.faces.gateway.addresses import repository_path
from windrow.faces.shared.conditional import names_tag, weak_tag
from windrow.faces.shared.frame import VARY, Frames, show
from windrow.faces.shared.leaf_readiness import check_laid_out
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import NO_CACHE, Response
from windrow.store import leaves
from windrow.store.overview import overviews
from windrow.store.store import Store


@dataclass(frozen=True, slots=True)
class Line:
    """A repository as the page lists it."""

    name: str
    title: str
    path: str  # empty: there is nothing to go to
    records: int
    fresh: datetime | None


class Entry:
    """Makes `/gateway/`."""

    def __init__(self, frames: Frames, store: Store, configured: Iterable[str]) -> None:
        self._frames = frames
        self._store = store
        self._configured = tuple(configured)

    def __call__(self, request: Request) -> Response:
        """Give the page."""
        frame = self._frames.frame(request)
        lines = self._lines()
        tag = weak_tag("gateway", self._frames.mark, frame.tongue.code, lines)
        if names_tag(request, tag):
            return Response(304, b"", [(b"etag", tag), NO_CACHE, VARY])
        return show(
            frame,
            "gateway/entry.html",
            (b"etag", tag),  # and no date: a repository that is taken away leaves none behind
            title=frame.tongue.say("All records"),
            canonical="/gateway/",
            lines=lines,
            is_empty=not any(line.records for line in lines),
        )

    def _lines(self) -> list[Line]:
        with self._store.reading() as connection:
            check_laid_out(connection)
            sizes = {shelf.name: shelf.live for shelf in leaves.shelves(connection)}
        known = overviews(self._store, self._configured)
        return [
            Line(
                each.name,
                each.title,
                repository_path(each.name) if sizes.get(each.name) else "",
                sizes.get(each.name, 0),
                each.last_good,
            )
            for each in known
        ]
