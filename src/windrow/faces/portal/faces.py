"""The portal's faces by the first part of their paths, for `wiring` to hand to the application."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from windrow.faces.portal.about import About
from windrow.faces.portal.browsing import Browsing
from windrow.faces.portal.door import Door, View
from windrow.faces.portal.exports import AT_ONCE, SUFFIXES, Export
from windrow.faces.portal.home import Home
from windrow.faces.portal.opensearch import describe
from windrow.faces.portal.record import RecordFace, RecordPage
from windrow.faces.portal.room import Room
from windrow.faces.portal.search import Search
from windrow.faces.portal.status import Status
from windrow.faces.portal.suggesting import Suggesting
from windrow.faces.portal.switching import Switching
from windrow.faces.shared.crew import Crew
from windrow.faces.shared.kept_pages import KeptPages
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Response
from windrow.faces.shared.turns import Turns

Face = Callable[[Request, str], Awaitable[Response]]


def portal_faces(room: Room) -> dict[str, Face]:
    """Give the faces of a room, with one crew and one memory among them."""
    crew, kept = Crew(), KeptPages()

    def door(view: View, *, is_kept: bool = False, needs_index: bool = False) -> Face:
        return Door(room, view, crew=crew, kept=kept if is_kept else None, needs_index=needs_index)

    home, record = Home(room), RecordPage(room)
    faces: dict[str, Face] = {
        "": door(home.library, is_kept=True),
        "collection": door(home.collection, is_kept=True),
        "search": door(Search(room), is_kept=True, needs_index=True),
        "record": RecordFace(record, door(record)),
        "browse": door(Browsing(room), is_kept=True, needs_index=True),
        "status": door(Status(room)),
        "about": door(About(room), is_kept=True),
        "suggest": door(Suggesting(room)),
        "opensearch.xml": door(lambda request, rest: describe(room, request)),  # noqa: ARG005
        "language": door(Switching(room.frames.site)),
        "look": room.frames.looks,
    }
    turns = Turns(AT_ONCE)
    for suffix in SUFFIXES:
        faces[f"search.{suffix}"] = door(Export(room, suffix, turns), needs_index=True)
    return faces
