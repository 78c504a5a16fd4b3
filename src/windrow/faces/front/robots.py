"""robots.txt: records may be read by everybody; what can be combined without end is not for crawlers.

Harvesters are told where to ask instead of crawling.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from windrow.faces.shared.refusal import check_read
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Response, text

# Searches, in all their forms, and every page with parameters that only people need.
_CLOSED = (
    "/search",
    "/suggest",
    "/language",
    "/api/",
    "/statistics/*?",
    "/browse/*?",
    "/record/*?",
    "/oai/-/",
)


def robots_line(base_url: str) -> str:
    """Give the line that advertises a repository; for robots it is a comment."""
    return f"# OAI-PMH: {base_url}"


class Robots:
    """Answers with the file."""

    def __init__(self, base_url: str) -> None:
        path = urlsplit(base_url).path.removesuffix("/oai")
        closed = "".join(f"\nDisallow: {path}{each}" for each in _CLOSED)
        self._words = f"{robots_line(base_url)}\nUser-agent: *{closed}"

    async def __call__(self, request: Request, rest: str) -> Response:  # noqa: ARG002 - a face
        """Give the file."""
        check_read(request.method)
        return text(200, self._words)
