"""From a request to a page: views are plain functions, run in threads, and what is costly is kept a while."""

from __future__ import annotations

from collections.abc import Callable

from windrow.errors import NotFound
from windrow.faces.portal.room import Room
from windrow.faces.shared.accepting import prefers_page
from windrow.faces.shared.crew import Crew
from windrow.faces.shared.frame import VARY, show
from windrow.faces.shared.kept_pages import KeptPages
from windrow.faces.shared.refusal import Refused, check_read
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import NO_INDEX, Response, page

_INDEXED = b"1"  # before a page that is kept
View = Callable[[Request, str], Response]


class Door:
    """A face made of a view. Pages that depend on nothing but the index are `kept` for its generation."""

    def __init__(self, room: Room, view: View, *, crew: Crew, kept: KeptPages | None = None) -> None:
        self._room = room
        self._view = view
        self._crew = crew
        self._kept = kept

    async def __call__(self, request: Request, rest: str) -> Response:
        """Give the page; one that is not there has a search box on it."""
        try:
            check_read(request.method)
            return await self._crew.run(lambda: self._answer(request, rest))
        except (Refused, NotFound) as exc:
            if not prefers_page(request.headers.get(b"accept", b"")):
                raise
            return self._missing(request, exc)

    def _answer(self, request: Request, rest: str) -> Response:
        if self._kept is None:
            return self._view(request, rest)
        frame = self._room.frames.frame(request)
        generation = self._room.index.generation
        key = (frame.tongue.code, request.path, request.query)
        with self._kept.making(key):
            found = self._kept.get(generation, key)
            if found is not None:
                return page(found[1:], VARY, is_indexed=found[:1] == _INDEXED)
            made = self._view(request, rest)
            if made.status == 200:
                is_indexed = NO_INDEX not in made.headers
                self._kept.put(generation, key, (_INDEXED if is_indexed else b"0") + made.body)
            return made

    def _missing(self, request: Request, exc: Refused | NotFound) -> Response:
        status = exc.status if isinstance(exc, Refused) else 404
        headers = exc.headers if isinstance(exc, Refused) else ()
        frame = self._room.frames.frame(request)
        say = frame.tongue.say
        title = say("Nothing here") if status == 404 else say("This did not work")
        words = say("There is nothing at this address.") if status == 404 else str(exc)
        return show(frame, "portal/missing.html", *headers, title=title, words=words, status=status)
