"""The page for what is not there, or not yet: in the reader's language, with the menu and a search box."""

from __future__ import annotations

from windrow.errors import NotFound
from windrow.faces.shared.catalogues import message
from windrow.faces.shared.frame import Frames, show
from windrow.faces.shared.readiness import NOT_READY
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Response

NOTHING = message("There is nothing at this address.")
_FAILED = message("This did not work")
_TITLES = {404: message("Nothing here"), 503: message("Come back a little later")}


def show_missing(frames: Frames, request: Request, exc: Refused | NotFound) -> Response:
    """Give the page that says why there is no other."""
    status = exc.status if isinstance(exc, Refused) else 404
    headers = exc.headers if isinstance(exc, Refused) else ()
    frame = frames.frame(request)
    say = frame.tongue.say
    title = say(_TITLES.get(status, _FAILED))
    words = say(NOTHING) if status == 404 else say(NOT_READY) if str(exc) == NOT_READY else str(exc)
    return show(frame, "shared/missing.html", *headers, title=title, words=words, status=status)
