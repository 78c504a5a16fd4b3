"""The switch between languages: remembers the choice in a cookie, and leads back to where somebody was."""

from __future__ import annotations

import re

from windrow.faces.shared.frame import COOKIE
from windrow.faces.shared.pairs import query_pairs
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import NO_CACHE, NO_INDEX, PAGE_HEADERS, Response
from windrow.faces.shared.site import Site
from windrow.faces.shared.tongue import TONGUES

YEAR_SECONDS = 31_536_000
# A path of this site: one slash, then nothing that a browser could read as another host or as a new header.
_INSIDE = re.compile(r"/(?![/\\])[!-\[\]-~]{0,4000}")


class Switching:
    """Answers at `/language?to=sv&back=/…`."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def __call__(self, request: Request, rest: str) -> Response:  # noqa: ARG002 - a view
        """Set the cookie, and lead back; never to another site."""
        pairs = dict(query_pairs(request.query))
        code = pairs.get("to", "")
        if code not in TONGUES:
            raise Refused(404, f"The pages are in {', '.join(TONGUES.values())}.")
        back = pairs.get("back", "/")
        location = self._site.path + (back if _INSIDE.fullmatch(back) else "/")
        secure = "; Secure" if self._site.url.startswith("https://") else ""
        path = self._site.path or "/"
        cookie = f"{COOKIE}={code}; Path={path}; Max-Age={YEAR_SECONDS}; SameSite=Lax; HttpOnly{secure}"
        headers = [(b"location", location.encode()), (b"set-cookie", cookie.encode("ascii", "ignore"))]
        return Response(303, b"", [*headers, NO_CACHE, NO_INDEX, *PAGE_HEADERS])
