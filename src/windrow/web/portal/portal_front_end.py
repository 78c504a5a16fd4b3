"""The portal's faces by the first part of their paths, for `wiring` to hand to the application."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from windrow.faces.portal.about import About
from windrow.faces.portal.browsing import Browsing
from windrow.faces.portal.comparing import Comparing
from windrow.faces.portal.door import Door, View
from windrow.faces.portal.exports import (
    AT_ONCE,
    AT_ONCE_OF_ONE,
    FEED,
    FEEDS_AT_ONCE,
    FEEDS_OF_ONE,
    MOST_OPEN,
    SLOW_SECONDS,
    SUFFIXES,
    Export,
)
from windrow.faces.portal.home import Home
from windrow.faces.portal.opensearch import describe
from windrow.faces.portal.record import RecordFace, RecordForms, RecordPage
from windrow.faces.portal.room import Room
from windrow.faces.portal.search import Search
from windrow.faces.portal.status import Status
from windrow.faces.portal.suggesting import Suggesting
from windrow.faces.portal.switching import Switching
from windrow.faces.shared.crew import Crew, Pool, SearchCrew
from windrow.faces.shared.kept_pages import KeptPages
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Response
from windrow.faces.shared.turns import Turns

Face = Callable[[Request, str], Awaitable[Response]]


def portal_faces(room: Room, searches: Pool | None = None) -> dict[str, Face]:
    """Give the faces of a room, with one memory among them; `searches` is the pool of what asks the index."""
    crew, searches, kept = Crew(), searches or SearchCrew(), KeptPages()

    def door(view: View, *, is_kept: bool = False) -> Face:
        return Door(room, view, crew=crew, kept=kept if is_kept else None)

    def search(view: View, *, is_kept: bool = False) -> Face:
        return Door(room, view, crew=searches, kept=kept if is_kept else None, needs_index=True)

    home, record = Home(room), RecordPage(room)
    faces: dict[str, Face] = {
        "": door(home.library, is_kept=True),
        "collection": door(home.collection, is_kept=True),
        "search": search(Search(room), is_kept=True),
        "record": RecordFace(record, door(record)),
        "form": door(RecordForms(record, Comparing(room))),
        "browse": search(Browsing(room), is_kept=True),
        "status": door(Status(room)),
        "about": door(About(room), is_kept=True),
        "suggest": Door(room, Suggesting(room), crew=Crew(at_once=2, name="suggest")),
        "opensearch.xml": door(lambda request, rest: describe(room, request)),  # noqa: ARG005
        "language": door(Switching(room.frames.site)),
        "look": room.frames.looks,
    }
    turns = Turns(AT_ONCE, most_of_one=AT_ONCE_OF_ONE, most_open=MOST_OPEN, slow_seconds=SLOW_SECONDS)
    feeds = Turns(FEEDS_AT_ONCE, most_of_one=FEEDS_OF_ONE)
    exports = Crew(at_once=AT_ONCE, name="export")
    for suffix in SUFFIXES:
        waiting = feeds if suffix == FEED else turns  # a page of a feed is short
        faces[f"search.{suffix}"] = search(Export(room, suffix, waiting, exports))
    return faces
