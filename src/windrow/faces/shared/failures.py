"""What went wrong, as a response: a page for people, a sentence for programs, never a traceback."""

from __future__ import annotations

import logging

from windrow.errors import NotFound, WindrowError
from windrow.faces.shared.accepting import prefers_page
from windrow.faces.shared.pages import render
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Header, Response, page, text
from windrow.faces.shared.site import Site

STORE_SECONDS = 30
_TITLES = {
    404: "Nothing here",
    405: "Not in this way",
    410: "No longer here",
    413: "Too much at once",
    414: "Too long",
    415: "Not in this form",
    429: "A little slower, please",
    500: "Something went wrong",
    503: "Come back a little later",
}
_VARY: Header = (b"vary", b"accept, accept-encoding")
logger = logging.getLogger("windrow.serve")


def failure_of(exc: Exception, request: Request, site: Site) -> Response:
    """Give the response for an exception. What nobody foresaw is logged, and told without details."""
    if isinstance(exc, Refused):
        return failure(request, site, exc.status, str(exc), *exc.headers)
    if isinstance(exc, NotFound):
        return failure(request, site, 404, f"{_sentence(str(exc))} {exc.hint}".strip())
    if isinstance(exc, WindrowError) and exc.http_status == 503:
        logger.error("%s %s: %s", request.method, request.path, exc)
        return busy(request, site, STORE_SECONDS, "The library cannot be read at the moment.")
    logger.error("%s %s failed", request.method, request.path, exc_info=exc)
    return failure(request, site, 500, "The server met something that it was not made for.")


def busy(request: Request, site: Site, seconds: int, reason: str) -> Response:
    """Tell a client to come back after some seconds."""
    words = f"{reason} Try again in {seconds} seconds."
    return failure(request, site, 503, words, (b"retry-after", str(seconds).encode()))


def too_often(seconds: int) -> Refused:
    """Give the refusal of a client that has used up what it may ask for."""
    length = f"{seconds} seconds" if seconds > 1 else "a second"
    words = f"So many pages were asked for from your network that this one must wait. Try again in {length}."
    return Refused(429, words, headers=[(b"retry-after", str(seconds).encode())])


def failure(request: Request, site: Site, status: int, words: str, *headers: Header) -> Response:
    """Tell what went wrong, in the way the client likes."""
    if not prefers_page(request.headers.get(b"accept", b"")):
        return text(status, words, _VARY, *headers)
    title = _TITLES.get(status, "This did not work")
    body = render("shared/failure.html", site=site, title=title, words=words, status=status)
    return page(body, _VARY, *headers, status=status)


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}".rstrip(".") + "."
