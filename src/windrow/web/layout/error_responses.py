"""What went wrong, as a response: a page for people, a sentence for programs, never a traceback."""

from __future__ import annotations

import logging

from windrow.errors import UsageError, WindrowError
from windrow.faces.shared.accepting import prefers_page
from windrow.faces.shared.catalogues import message
from windrow.faces.shared.frame import spoken
from windrow.faces.shared.missing import refusal_words
from windrow.faces.shared.pages import render
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Header, Response, page, text
from windrow.faces.shared.site import Site

STORE_SECONDS = 30
_FAILED = message("This did not work")
_TITLES = {
    404: message("Nothing here"),
    405: message("Not in this way"),
    410: message("No longer here"),
    413: message("Too much at once"),
    414: message("Too long"),
    415: message("Not in this form"),
    429: message("A little slower, please"),
    500: message("Something went wrong"),
    503: message("Come back a little later"),
}
_OFTEN = message(
    "So many pages were asked for from your network that this one must wait. Try again in {seconds} seconds."
)
_OFTEN_FOR_A_SECOND = message(
    "So many pages were asked for from your network that this one must wait. Try again in a second."
)
_UNREADABLE = message("The library cannot be read at the moment. Try again in {seconds} seconds.")
_UNFORESEEN = message("The server met something that it was not made for.")
_VARY: Header = (b"vary", b"accept, accept-encoding")
_VARY_PAGE: Header = (b"vary", b"accept, accept-encoding, accept-language, cookie")
logger = logging.getLogger("windrow.serve")


def failure_of(exc: Exception, request: Request, site: Site) -> Response:
    """Give the response for an exception. What nobody foresaw is logged, and told without details."""
    if isinstance(exc, Refused):
        return failure(request, site, exc)
    if isinstance(exc, UsageError):
        return failure(request, site, Refused(exc.http_status, exc.sentences))
    if isinstance(exc, WindrowError) and exc.http_status == 503:
        logger.error("%s %s: %s", request.method, request.path, exc)
        return failure(request, site, _later(503, _UNREADABLE, STORE_SECONDS))
    logger.error("%s %s failed", request.method, request.path, exc_info=exc)
    return failure(request, site, Refused(500, _UNFORESEEN))


def busy(request: Request, site: Site, seconds: int, reason: str) -> Response:
    """Tell a client to come back after some seconds."""
    words = f"{reason} Try again in {{seconds}} seconds."
    return failure(request, site, _later(503, words, seconds))


def too_often(seconds: int) -> Refused:
    """Give the refusal of a client that has used up what it may ask for."""
    return _later(429, _OFTEN if seconds > 1 else _OFTEN_FOR_A_SECOND, seconds)


def failure(request: Request, site: Site, refused: Refused) -> Response:
    """Tell what went wrong, in the way and the language that the client likes."""
    status = refused.status
    if not prefers_page(request.headers.get(b"accept", b"")):
        return text(status, str(refused), _VARY, *refused.headers)
    language = spoken(request)
    title = language.say(_TITLES.get(status, _FAILED))
    words = refusal_words(refused, language)
    body = render("shared/failure.html", spoken=language, site=site, title=title, words=words, status=status)
    return page(body, _VARY_PAGE, *refused.headers, status=status)


def _later(status: int, words: str, seconds: int) -> Refused:
    headers = [(b"retry-after", str(seconds).encode())]
    return Refused(status, words, headers=headers, values={"seconds": seconds})
