"""What went wrong, as problem details (RFC 9457): a status, a sentence, and every fault by its parameter."""

from __future__ import annotations

import http
import json
import logging
from collections.abc import Sequence
from typing import Any

from windrow.errors import UsageError, WindrowError
from windrow.faces.shared.faults import BadRequest, Fault
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import DATA_HEADERS, NO_CACHE, Header, Response

MEDIA_TYPE = "application/problem+json"
ANYWHERE: Header = (b"access-control-allow-origin", b"*")
STORE_SECONDS = 30
logger = logging.getLogger("windrow.serve")


def problem_of(exc: Exception, request: Request) -> Response:
    """Give the response for an exception. What nobody foresaw is logged, and told without details."""
    if isinstance(exc, BadRequest):
        return problem(400, exc.sentence, faults=exc.faults)
    if isinstance(exc, Refused):
        return problem(exc.status, str(exc), headers=exc.headers)
    if isinstance(exc, UsageError):
        return problem(exc.http_status, exc.sentences)
    if isinstance(exc, WindrowError) and exc.http_status == 503:
        logger.error("%s %s: %s", request.method, request.path, exc)
        words = f"The library cannot be read at the moment. Try again in {STORE_SECONDS} seconds."
        return problem(503, words, headers=[(b"retry-after", str(STORE_SECONDS).encode())])
    logger.error("%s %s failed", request.method, request.path, exc_info=exc)
    return problem(500, "The server met something that it was not made for.")


def problem(
    status: int, detail: str, *, faults: Sequence[Fault] = (), headers: Sequence[Header] = ()
) -> Response:
    """Give a problem as a response."""
    value: dict[str, Any] = {
        "type": "about:blank",
        "title": http.HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    if faults:
        value["errors"] = [fault._asdict() for fault in faults]
    body = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    kind: Header = (b"content-type", MEDIA_TYPE.encode())
    return Response(status, body, [kind, NO_CACHE, ANYWHERE, *DATA_HEADERS, *headers])
