"""The health of a server, for whatever watches it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from windrow import __version__
from windrow.errors import WindrowError
from windrow.faces.shared.crew import Crew
from windrow.faces.shared.refusal import check_read
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Response, data

Look = Callable[[], Mapping[str, object]]


class Health:
    """Answers 200 while the library can be read, else 503. `look` reads it, or raises a WindrowError."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._crew = Crew(at_once=1, name="health")  # its own thread: it waits for nobody else's work

    async def __call__(self, request: Request, rest: str) -> Response:  # noqa: ARG002 - a face
        """Look, and say."""
        check_read(request.method)
        try:
            found = await self._crew.run(self._look, client=request.client, is_gone=request.is_gone)
        except WindrowError:
            return data({"status": "unavailable", "version": __version__}, status=503)
        return data({"status": "ok", "version": __version__, **found})
