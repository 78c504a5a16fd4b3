"""Exactly this result as a file: `/search.csv` and its kin, written while they are sent."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from windrow.faces.portal.room import Room
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import DATA_HEADERS, NO_CACHE, NO_INDEX, Response
from windrow.finding.exporting import FORMATS, export

AT_ONCE = 4  # of all clients together: each reads whole records as fast as it can
FEED = "atom"
SUFFIXES = tuple(FORMATS)
EXPORTS = tuple((each.title, f"/search.{name}") for name, each in FORMATS.items() if name != FEED)


class Export:
    """Answers at `/search.SUFFIX`."""

    def __init__(self, room: Room, suffix: str, turns: threading.Semaphore) -> None:
        self._room = room
        self._suffix = suffix
        self._turns = turns

    def __call__(self, request: Request, rest: str) -> Response:
        """Give the file."""
        if rest.strip("/"):
            raise Refused(404, "There is nothing at this address.")
        room, suffix = self._room, self._suffix
        question, frame = room.asked(request)
        if not self._turns.acquire(blocking=False):
            busy = "Other results are being saved at the moment. Try again in a minute."
            raise Refused(503, busy, headers=[(b"retry-after", b"60")])
        try:
            pieces = export(
                question, room.index, room.store, suffix, site=frame.site.url, title=frame.look.title
            )
        except BaseException:
            self._turns.release()
            raise
        kind = FORMATS[suffix].media_type
        headers = [(b"content-type", kind.encode()), NO_CACHE, NO_INDEX, *DATA_HEADERS]
        if suffix != FEED:
            headers.append((b"content-disposition", f'attachment; filename="results.{suffix}"'.encode()))
        return Response(200, b"", headers, _Taken(pieces, self._turns))


class _Taken:
    """Pieces that take one of the turns until they are closed."""

    def __init__(self, pieces: Iterator[bytes], turns: threading.Semaphore) -> None:
        self._pieces = pieces
        self._turns: threading.Semaphore | None = turns

    def __next__(self) -> bytes:
        return next(self._pieces)

    def close(self) -> None:
        """Give the turn back; once."""
        turns, self._turns = self._turns, None
        close = getattr(self._pieces, "close", None)
        if close is not None:
            close()
        if turns is not None:
            turns.release()
