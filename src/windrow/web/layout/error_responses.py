"""Error responses: pages, plain text or problem details (RFC 9457), never a traceback."""

from __future__ import annotations

import http
import json
import logging
from collections.abc import Sequence
from typing import Any

from windrow.errors import NotFound, QueryTooCostly, UsageError, WindrowError
from windrow.web.http.content_negotiation import prefers_page
from windrow.web.http.http_request import HttpRefusal, Request
from windrow.web.http.http_response import (
    DATA_HEADERS,
    NO_CACHE,
    Header,
    Response,
    html_response,
    text_response,
)
from windrow.web.http.parameters import BadRequest, ParameterFault
from windrow.web.i18n.translation import Translator, message
from windrow.web.layout.page_layout import PageLayouts, render_page, render_template, request_language
from windrow.web.layout.site import SiteAddress

NOT_FOUND = message("There is nothing at this address.")
TOO_COSTLY = {
    "patterns": message(
        "This search would take too long: its wildcards, tildes and ranges stand for too many words. Write"
        " more letters before the first * or ?, name a field as in title:forest*, or use fewer of them at"
        " once."
    ),
    "words": message(
        "This search would take too long: it has too many words that many records have. Leave out common"
        " words, or ask for fewer alternatives at once."
    ),
    "phrases": message(
        "This search would take too long: its phrases are of words that too many records have. Ask for fewer"
        " phrases at once, for rarer words, or for less between them."
    ),
    "event": message(
        "What is asked of one event comes to too many cases. Ask for less at a time inside event:( … )."
    ),
}
_FAILED_TITLE = message("This did not work")
_MISSING_TITLES = {
    404: message("Nothing here"),
    414: message("Too long"),
    503: message("Come back a little later"),
}


def render_missing_page(frames: PageLayouts, request: Request, exc: HttpRefusal | UsageError) -> Response:
    """Return the error page of the portal, in the reader's language and with a search box."""
    status = exc.status if isinstance(exc, HttpRefusal) else exc.http_status
    headers = exc.headers if isinstance(exc, HttpRefusal) else ()
    frame = frames.frame(request)
    title = frame.tongue.say(_MISSING_TITLES.get(status, _FAILED_TITLE))
    words = _missing_words(exc, frame.tongue)
    return render_page(frame, "layout/missing.html", *headers, title=title, words=words, status=status)


def _missing_words(exc: HttpRefusal | UsageError, tongue: Translator) -> str:
    if isinstance(exc, NotFound) or (isinstance(exc, HttpRefusal) and exc.status == 404):
        return tongue.say(NOT_FOUND)
    if isinstance(exc, QueryTooCostly):
        return tongue.say(TOO_COSTLY[exc.reason])
    if isinstance(exc, UsageError):
        return exc.sentences
    return translate_refusal(exc, tongue)


def translate_refusal(exc: HttpRefusal, tongue: Translator) -> str:
    """Translate the message of a refusal; unchanged if there is no translation."""
    # Without values the message may quote the client's text, including braces.
    return tongue.say(exc.message, **exc.values) if exc.values or "{" not in exc.message else str(exc)


STORE_RETRY_SECONDS = 30
_FAILURE_TITLES = {
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
_TOO_MANY_REQUESTS = message(
    "So many pages were asked for from your network that this one must wait. Try again in {seconds} seconds."
)
_TOO_MANY_FOR_A_SECOND = message(
    "So many pages were asked for from your network that this one must wait. Try again in a second."
)
_UNREADABLE = message("The library cannot be read at the moment. Try again in {seconds} seconds.")
_UNFORESEEN = message("The server met something that it was not made for.")
_VARY: Header = (b"vary", b"accept, accept-encoding")
_VARY_FAILURE_PAGE: Header = (b"vary", b"accept, accept-encoding, accept-language, cookie")
logger = logging.getLogger("windrow.serve")


def failure_response(exc: Exception, request: Request, site: SiteAddress) -> Response:
    """Return the response for an exception. An unexpected one is logged, and reported without details."""
    if isinstance(exc, HttpRefusal):
        return refusal_response(request, site, exc)
    if isinstance(exc, UsageError):
        return refusal_response(request, site, HttpRefusal(exc.http_status, exc.sentences))
    if isinstance(exc, WindrowError) and exc.http_status == 503:
        logger.error("%s %s: %s", request.method, request.path, exc)
        return refusal_response(request, site, _retry_later(503, _UNREADABLE, STORE_RETRY_SECONDS))
    logger.error("%s %s failed", request.method, request.path, exc_info=exc)
    return refusal_response(request, site, HttpRefusal(500, _UNFORESEEN))


def busy_response(request: Request, site: SiteAddress, seconds: int, reason: str) -> Response:
    words = f"{reason} Try again in {{seconds}} seconds."
    return refusal_response(request, site, _retry_later(503, words, seconds))


def too_many_requests(seconds: int) -> HttpRefusal:
    return _retry_later(429, _TOO_MANY_REQUESTS if seconds > 1 else _TOO_MANY_FOR_A_SECOND, seconds)


def refusal_response(request: Request, site: SiteAddress, refused: HttpRefusal) -> Response:
    """Return an error as a page or as plain text, as the client prefers, in its language."""
    status = refused.status
    if not prefers_page(request.headers.get(b"accept", b"")):
        return text_response(status, str(refused), _VARY, *refused.headers)
    language = request_language(request)
    title = language.say(_FAILURE_TITLES.get(status, _FAILED_TITLE))
    words = translate_refusal(refused, language)
    body = render_template(
        "layout/failure.html", spoken=language, site=site, title=title, words=words, status=status
    )
    return html_response(body, _VARY_FAILURE_PAGE, *refused.headers, status=status)


def _retry_later(status: int, words: str, seconds: int) -> HttpRefusal:
    headers = [(b"retry-after", str(seconds).encode())]
    return HttpRefusal(status, words, headers=headers, values={"seconds": seconds})


# Problem details (RFC 9457), with a list of faults by parameter.

PROBLEM_MEDIA_TYPE = "application/problem+json"
ALLOW_ANY_ORIGIN: Header = (b"access-control-allow-origin", b"*")


def problem_of_exception(exc: Exception, request: Request) -> Response:
    """Return the problem response for an exception. Details of an unexpected one are only logged."""
    if isinstance(exc, BadRequest):
        return problem_response(400, exc.sentence, faults=exc.faults)
    if isinstance(exc, HttpRefusal):
        return problem_response(exc.status, str(exc), headers=exc.headers)
    if isinstance(exc, UsageError):
        return problem_response(exc.http_status, exc.sentences)
    if isinstance(exc, WindrowError) and exc.http_status == 503:
        logger.error("%s %s: %s", request.method, request.path, exc)
        words = f"The library cannot be read at the moment. Try again in {STORE_RETRY_SECONDS} seconds."
        return problem_response(503, words, headers=[(b"retry-after", str(STORE_RETRY_SECONDS).encode())])
    logger.error("%s %s failed", request.method, request.path, exc_info=exc)
    return problem_response(500, "The server met something that it was not made for.")


def problem_response(
    status: int, detail: str, *, faults: Sequence[ParameterFault] = (), headers: Sequence[Header] = ()
) -> Response:
    value: dict[str, Any] = {
        "type": "about:blank",
        "title": http.HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    if faults:
        value["errors"] = [fault._asdict() for fault in faults]
    body = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    kind: Header = (b"content-type", PROBLEM_MEDIA_TYPE.encode())
    return Response(status, body, [kind, NO_CACHE, ALLOW_ANY_ORIGIN, *DATA_HEADERS, *headers])
