"""robots.txt: everything may be read, and harvesters are told where to ask instead of crawling."""

from __future__ import annotations

from windrow.faces.shared.refusal import check_read
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Response, text


def robots_line(base_url: str) -> str:
    """Give the line that advertises a repository; for robots it is a comment."""
    return f"# OAI-PMH: {base_url}"


class Robots:
    """Answers with the file."""

    def __init__(self, base_url: str) -> None:
        self._words = f"{robots_line(base_url)}\nUser-agent: *\nDisallow:"

    async def __call__(self, request: Request, rest: str) -> Response:  # noqa: ARG002 - a face
        """Give the file."""
        check_read(request.method)
        return text(200, self._words)
