"""Exactly this result as a file: `/search.csv` and its kin, written while they are sent; a feed in pages."""

from __future__ import annotations

from windrow.errors import QueryTooCostly, UsageError
from windrow.faces.portal.room import Room
from windrow.faces.shared.catalogues import message
from windrow.faces.shared.clients import neighbourhood
from windrow.faces.shared.crew import Crew
from windrow.faces.shared.pairs import query_pairs
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import DATA_HEADERS, NO_CACHE, NO_INDEX, Header, Response
from windrow.faces.shared.turns import Turns
from windrow.finding.exporting import FORMATS, ExportFile, export

AT_ONCE = 2  # of all clients together: each reads whole records as fast as it can
AT_ONCE_OF_ONE = 1
# One that waits for a slow reader keeps nothing busy: so many may be open, and do not keep others waiting.
MOST_OPEN = 32
SLOW_SECONDS = 2.0
FEEDS_AT_ONCE = 8
FEEDS_OF_ONE = 4
BUSY_SECONDS = 30
BUSY = message(
    "Other results are being saved at the moment. Try again in half a minute; each network can save one"
    " result at a time."
)
FEED = "atom"
SUFFIXES = tuple(FORMATS)
EXPORTS = tuple((each.title, f"/search.{name}") for name, each in FORMATS.items() if name != FEED)


class Export:
    """Answers at `/search.SUFFIX`."""

    def __init__(self, room: Room, suffix: str, turns: Turns, crew: Crew) -> None:
        self._room = room
        self._suffix = suffix
        self._turns = turns
        self._crew = crew

    def __call__(self, request: Request, rest: str) -> Response:
        """Give the file."""
        if rest.strip("/"):
            raise Refused(404, "There is nothing at this address.")
        room, suffix = self._room, self._suffix
        is_feed = suffix == FEED
        question, frame = room.asked_of_feed(request) if is_feed else room.asked_of_file(request)
        cursor = dict(query_pairs(request.query)).get("cursor", "").strip() or None
        site, title = frame.site.url, frame.look.title
        most = room.config.portal.export_records
        try:
            made = export(
                question, room.index, room.store, suffix, site=site, title=title, most=most, after=cursor
            )
        except QueryTooCostly:
            raise
        except UsageError as exc:
            raise Refused(400, "No page of this feed gave such a cursor. Start with its first page.") from exc
        pieces = self._turns.take(made.pieces, neighbourhood(request.client))
        if pieces is None:
            raise Refused(503, BUSY, headers=[(b"retry-after", str(BUSY_SECONDS).encode())])
        kind = FORMATS[suffix].media_type
        headers = [(b"content-type", kind.encode()), NO_CACHE, NO_INDEX, *DATA_HEADERS]
        if not is_feed:
            headers += _described(made, suffix)
        return Response(200, b"", headers, pieces, self._crew)


def _described(made: ExportFile, suffix: str) -> list[Header]:
    """What is in the file; one that is cut says so in its name, too, for formats without comments."""
    name = f"results-first-{made.records}-of-{made.total}" if made.is_cut else "results"
    return [
        (b"content-disposition", f'attachment; filename="{name}.{suffix}"'.encode()),
        (b"x-total-records", str(made.total).encode()),
        (b"x-exported-records", str(made.records).encode()),
    ]
