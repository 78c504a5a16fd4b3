"""robots.txt: records may be read by everybody; what can be combined without end is not for crawlers.

It names the sitemaps. Harvesters are told where to ask instead of crawling: the repository is for them, and
would lead crawlers to every record a second time.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from windrow.faces.shared.refusal import check_read
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Response, text

# Searches in all their forms, and every page with parameters that only people need. Of records the parameters
# are named: some crawlers take the question mark in an identifier, written %3F, for one of these.
_CLOSED = (
    "/search",
    "/suggest",
    "/language",
    "/api/",
    "/statistics/*?",
    "/statistics?",
    "/browse/*?",
    "/browse?",
    "/record/*?as=",
    "/record/*?format=",
    "/collection/*?",
)
_REPOSITORY = ("/oai?", "/oai/")
_HARVESTER = "Windrow"  # of the harvesters the one that reads this file


def robots_line(base_url: str) -> str:
    """Give the line that advertises a repository; for robots it is a comment."""
    return f"# OAI-PMH: {base_url}"


class Robots:
    """Answers with the file. `delay_seconds` is what crawlers are asked to wait between two requests."""

    def __init__(self, base_url: str, *, delay_seconds: float = 0.0) -> None:
        site = base_url.removesuffix("/oai")
        path = urlsplit(site).path
        delay = [f"Crawl-delay: {delay_seconds:g}"] if delay_seconds else []
        closed, lists = ([f"Disallow: {path}{each}" for each in group] for group in (_CLOSED, _REPOSITORY))
        harvester = ["", f"User-agent: {_HARVESTER}", *delay, *closed]
        sitemap = ["", f"Sitemap: {site}/sitemap.xml"]
        everybody = [robots_line(base_url), "User-agent: *", *delay, *closed, *lists]
        self._words = "\n".join([*everybody, *harvester, *sitemap])

    async def __call__(self, request: Request, rest: str) -> Response:  # noqa: ARG002 - a face
        """Give the file."""
        check_read(request.method)
        return text(200, self._words)
