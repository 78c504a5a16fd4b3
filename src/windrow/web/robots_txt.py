"""robots.txt: records may be read by everybody; what can be combined without end is not for crawlers.

It names the sitemaps. Harvesters are told where to ask instead of crawling: the repository is for them, and
would lead crawlers to every record a second time.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from windrow.web.http.http_request import Request, check_read
from windrow.web.http.http_response import Response, text_response

# Searches in all their forms, other forms of a record, and every page with parameters that only people need.
# Of records the parameters are named: some crawlers take the question mark in an identifier, written %3F, for
# one of these. Crawlers that do not know the asterisk meet those forms only under /form/.
_DISALLOWED_PATHS = (
    "/search",
    "/form/",
    "/suggest",
    "/language",
    "/api/",
    "/sru?",
    "/sru/",
    "/statistics/*?",
    "/statistics?",
    "/browse/*?",
    "/browse?",
    "/vocabulary/*?",
    "/vocabulary/*/all.",
    "/record/*?as=",
    "/record/*?format=",
    "/collection/*?",
)
_REPOSITORY = ("/oai?", "/oai/")
_HARVESTER = "Windrow"  # of the harvesters the one that reads this file


def render_robots_txt(base_url: str, *, delay_seconds: float = 0.0) -> list[str]:
    """Return the lines of the file. `delay_seconds` is what crawlers are asked to wait between requests."""
    site = base_url.removesuffix("/oai")
    path = urlsplit(site).path
    delay = [f"Crawl-delay: {delay_seconds:g}"] if delay_seconds else []
    closed, lists = (
        [f"Disallow: {path}{each}" for each in group] for group in (_DISALLOWED_PATHS, _REPOSITORY)
    )
    harvester = ["", f"User-agent: {_HARVESTER}", *delay, *closed]
    sitemap = ["", f"Sitemap: {site}/sitemap.xml"]
    everybody = [f"# OAI-PMH: {base_url}", "User-agent: *", *delay, *closed, *lists]
    return [*everybody, *harvester, *sitemap]


class RobotsTxt:
    """Answers with the file."""

    def __init__(self, base_url: str, *, delay_seconds: float = 0.0) -> None:
        self._words = "\n".join(render_robots_txt(base_url, delay_seconds=delay_seconds))

    async def __call__(self, request: Request, rest: str) -> Response:  # noqa: ARG002 - a face
        """Return the file."""
        check_read(request.method)
        return text_response(200, self._words)
