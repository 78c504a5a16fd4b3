"""Exactly this result as a file: `/search.csv` and its kin, written while they are sent; a feed in pages."""

from __future__ import annotations

from windrow.errors import UsageError
from windrow.faces.portal.room import Room
from windrow.faces.shared.pairs import query_pairs
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
        is_feed = suffix == FEED
        question, frame = room.asked_of_feed(request) if is_feed else room.asked_of_file(request)
        cursor = dict(query_pairs(request.query)).get("cursor", "").strip() or None
        site, title = frame.site.url, frame.look.title
        try:
            made = export(question, room.index, room.store, suffix, site=site, title=title, after=cursor)
        except UsageError as exc:
            raise Refused(400, "No page of this feed gave such a cursor. Start with its first page.") from exc
        pieces = self._turns.take(made)
        if pieces is None:
            busy = "Other results are being saved at the moment. Try again in a minute."
            raise Refused(503, busy, headers=[(b"retry-after", b"60")])
        kind = FORMATS[suffix].media_type
        headers = [(b"content-type", kind.encode()), NO_CACHE, NO_INDEX, *DATA_HEADERS]
        if not is_feed:
            headers.append((b"content-disposition", f'attachment; filename="results.{suffix}"'.encode()))
        return Response(200, b"", headers, pieces)
