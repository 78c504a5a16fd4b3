"""The page for what is not there, not yet, or too much: in the reader's language, with a search box."""

from __future__ import annotations

from windrow.errors import NotFound, QueryTooCostly, UsageError
from windrow.faces.shared.catalogues import message
from windrow.faces.shared.frame import Frames, show
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Response
from windrow.faces.shared.tongue import Tongue

NOTHING = message("There is nothing at this address.")
COSTLY = {
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
_FAILED = message("This did not work")
_TITLES = {
    404: message("Nothing here"),
    414: message("Too long"),
    503: message("Come back a little later"),
}


def show_missing(frames: Frames, request: Request, exc: Refused | UsageError) -> Response:
    """Give the page that says why there is no other."""
    status = exc.status if isinstance(exc, Refused) else exc.http_status
    headers = exc.headers if isinstance(exc, Refused) else ()
    frame = frames.frame(request)
    title = frame.tongue.say(_TITLES.get(status, _FAILED))
    words = _words(exc, frame.tongue)
    return show(frame, "shared/missing.html", *headers, title=title, words=words, status=status)


def _words(exc: Refused | UsageError, tongue: Tongue) -> str:
    if isinstance(exc, NotFound) or (isinstance(exc, Refused) and exc.status == 404):
        return tongue.say(NOTHING)
    if isinstance(exc, QueryTooCostly):
        return tongue.say(COSTLY[exc.reason])
    if isinstance(exc, UsageError):
        return exc.sentences
    return refusal_words(exc, tongue)


def refusal_words(exc: Refused, tongue: Tongue) -> str:
    """Return the sentence of a refusal in a language, or as it is where that has no translation."""
    # Without values it may quote what a stranger wrote, braces and all.
    return tongue.say(exc.message, **exc.values) if exc.values or "{" not in exc.message else str(exc)
