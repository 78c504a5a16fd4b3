"""From a request to a page: views are plain functions, run in threads, and what is costly is kept a while."""

from __future__ import annotations

from collections.abc import Callable

from windrow.errors import UsageError
from windrow.faces.portal.room import Room
from windrow.faces.shared.accepting import prefers_page
from windrow.faces.shared.crew import Pool
from windrow.faces.shared.kept_pages import KeptPages
from windrow.faces.shared.missing import show_missing
from windrow.faces.shared.readiness import check_ready, keeping_still
from windrow.faces.shared.refusal import Refused, check_read
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Response

View = Callable[[Request, str], Response]


class Door:
    """A face made of a view. Pages that depend on nothing but the index are `kept` for its generation.

    What `needs_index` is put off while that is being made: an answer from half of it would be untrue.
    """

    def __init__(
        self,
        room: Room,
        view: View,
        *,
        crew: Pool,
        kept: KeptPages | None = None,
        needs_index: bool = False,
    ) -> None:
        self._room = room
        self._view = view
        self._crew = crew
        self._kept = kept
        self._needs_index = needs_index

    async def __call__(self, request: Request, rest: str) -> Response:
        """Give the page; one that is not there has a search box on it."""
        try:
            check_read(request.method)
            return await self._crew.run(
                lambda: self._still(request, rest), client=request.client, is_gone=request.is_gone
            )
        except (Refused, UsageError) as exc:
            if not prefers_page(request.headers.get(b"accept", b"")):
                raise
            return show_missing(self._room.frames, request, exc)

    def _still(self, request: Request, rest: str) -> Response:
        """Answer from one state of the index, even if another takes its place meanwhile."""
        with keeping_still(self._room.index):
            return self._answer(request, rest)

    def _answer(self, request: Request, rest: str) -> Response:
        if self._needs_index:
            check_ready(self._room.index)
        if self._kept is None:
            return self._view(request, rest)
        frame = self._room.frames.frame(request)
        generation = f"{self._room.index.generation} {self._room.frames.mark}"
        key = (frame.tongue.code, request.path, request.query)
        return self._kept.answer(generation, key, lambda: self._view(request, rest))
