"""The first page of the library and of each collection: a search box, what is in here, what came last.

An address where nothing is leads nowhere even while the index is being made; these pages wait for it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import quote

from windrow.faces.portal.classified import label_of, structure_path
from windrow.faces.portal.figures import Figure, figures_of
from windrow.faces.portal.room import Room
from windrow.faces.shared.frame import Frame, show
from windrow.faces.shared.readiness import check_ready
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Response
from windrow.faces.shared.tongue import Tongue
from windrow.finding.browsing import newest
from windrow.finding.pictures import PICTURES
from windrow.finding.question import Question
from windrow.index.protocol import Found, Order
from windrow.model.query import all_of

NEWEST = 6
PICTURES_SHOWN = 6  # one row in a wide window
_DESCRIPTION_LETTERS = 300


class Home:
    """Makes first pages."""

    def __init__(self, room: Room) -> None:
        self._room = room

    def library(self, request: Request, rest: str) -> Response:
        """Give the first page of the library; any other address that no face has leads nowhere."""
        if rest.strip("/"):
            raise Refused(404, "There is nothing at this address.")
        return self._page(request, None)

    def collection(self, request: Request, rest: str) -> Response:
        """Give the first page of a collection."""
        name = rest.strip("/")
        if name not in self._room.collections:
            raise Refused(404, "There is no such collection.")
        return self._page(request, name)

    def _page(self, request: Request, collection: str | None) -> Response:
        room = self._room
        check_ready(room.index)
        frame = room.frames.frame(request, collection=collection)
        question = Question(collection=collection, collections=room.collections)
        introduction = frame.look.introduction(frame.tongue)
        return show(
            frame,
            "portal/home.html",
            title=frame.look.title,
            description=introduction[0][:_DESCRIPTION_LETTERS] if introduction else "",
            canonical=f"/collection/{quote(collection)}" if collection else "/",
            is_indexed=True,
            introduction=introduction,
            figures=figures_of(room.index, question, frame, now=datetime.now(UTC)),
            chart=room.landing(question, frame),
            newest=newest(room.index, question, limit=NEWEST),
            pictures=self._pictures(question, frame),
            gallery=question.address("/gallery"),
            collections=[] if collection else self._collections(frame.tongue),
            structures=[
                (label_of(each, frame), structure_path(each, question)) for each in frame.look.browse
            ],
            ways=self._room.ways(frame, question),
        )

    def _pictures(self, question: Question, frame: Frame) -> Found | None:
        """Give the last pictures, and how many there are, where there is a gallery to go on to."""
        if not frame.has_gallery:
            return None
        wanted = all_of((question.query, PICTURES))
        return self._room.index.search(wanted, limit=PICTURES_SHOWN, order=Order.ADDED)

    def _collections(self, tongue: Tongue) -> list[Figure]:
        """Give the collections by their titles, with the numbers of their records."""
        room, found = self._room, []
        for name in room.collections:
            inside = Question(collection=name, collections=room.collections)
            words = tongue.several("{count} record", "{count} records", room.index.count(inside.query))
            found.append(Figure(words, room.frames.looks.of(name).title, f"/collection/{quote(name)}"))
        return found
