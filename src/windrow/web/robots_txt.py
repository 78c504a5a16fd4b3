"""robots.txt: records are open to all crawlers; searches, which can be combined endlessly, are not.

It names the sitemaps. Harvesters are referred to the OAI-PMH repository, which in turn is disallowed for
crawlers, because it would lead them to every record a second time.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from windrow.web.http.http_request import Request, check_read
from windrow.web.http.http_response import Response, text_response

# Searches, other forms of a record, and pages with parameters that only people need. For records the
# parameters are listed, because some crawlers take a question mark in an identifier, written %3F, for a
# query. Crawlers that do not support the asterisk meet those forms only under /form/.
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
_HARVESTER = "Windrow"  # the harvester that reads this file


def render_robots_txt(base_url: str, *, delay_seconds: float = 0.0) -> list[str]:
    """Return the lines of the file. `delay_seconds` is the crawl delay requested."""
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
    """The front end for `/robots.txt`."""

    def __init__(self, base_url: str, *, delay_seconds: float = 0.0) -> None:
        self._words = "\n".join(render_robots_txt(base_url, delay_seconds=delay_seconds))

    async def __call__(self, request: Request, rest: str) -> Response:  # noqa: ARG002 - a front end
        check_read(request.method)
        return text_response(200, self._words)
