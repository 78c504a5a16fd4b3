"""Exactly this result as a file: `/search.csv` and its kin, written while they are sent."""

from __future__ import annotations

from windrow.faces.portal.room import Room
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import DATA_HEADERS, NO_CACHE, NO_INDEX, Response
from windrow.faces.shared.turns import Turns
from windrow.finding.exporting import FORMATS, export

AT_ONCE = 4  # of all clients together: each reads whole records as fast as it can
FEED = "atom"
SUFFIXES = tuple(FORMATS)
EXPORTS = tuple((each.title, f"/search.{name}") for name, each in FORMATS.items() if name != FEED)


class Export:
    """Answers at `/search.SUFFIX`."""

    def __init__(self, room: Room, suffix: str, turns: Turns) -> None:
        self._room = room
        self._suffix = suffix
        self._turns = turns

    def __call__(self, request: Request, rest: str) -> Response:
        """Give the file."""
        if rest.strip("/"):
            raise Refused(404, "There is nothing at this address.")
        room, suffix = self._room, self._suffix
        question, frame = room.asked_of_file(request)
        site, title = frame.site.url, frame.look.title
        pieces = self._turns.take(export(question, room.index, room.store, suffix, site=site, title=title))
        if pieces is None:
            busy = "Other results are being saved at the moment. Try again in a minute."
            raise Refused(503, busy, headers=[(b"retry-after", b"60")])
        kind = FORMATS[suffix].media_type
        headers = [(b"content-type", kind.encode()), NO_CACHE, NO_INDEX, *DATA_HEADERS]
        if suffix != FEED:
            headers.append((b"content-disposition", f'attachment; filename="results.{suffix}"'.encode()))
        return Response(200, b"", headers, pieces)
