"""The language switch: it stores the choice in a cookie and redirects to where the reader was."""

from __future__ import annotations

import re

from windrow.web.http.http_request import HttpRefusal, Request, parse_query_string
from windrow.web.http.http_response import NO_CACHE, NO_INDEX, PAGE_HEADERS, Response
from windrow.web.i18n.translation import PAGE_LANGUAGES
from windrow.web.layout.page_layout import LANGUAGE_COOKIE
from windrow.web.layout.site import SiteAddress

YEAR_SECONDS = 31_536_000
# A path of this site: one slash, then nothing that a browser could take for another host or a header.
_SITE_PATH = re.compile(r"/(?![/\\])[!-\[\]-~]{0,4000}")


class LanguageSwitch:
    """The view of `/language?to=sv&back=/…`."""

    def __init__(self, site: SiteAddress) -> None:
        self._site = site

    def __call__(self, request: Request, rest: str) -> Response:  # noqa: ARG002 - a view
        """Set the cookie and redirect back; never to another site."""
        pairs = dict(parse_query_string(request.query))
        code = pairs.get("to", "")
        if code not in PAGE_LANGUAGES:
            raise HttpRefusal(404, f"The pages are in {', '.join(PAGE_LANGUAGES.values())}.")
        back = pairs.get("back", "/")
        location = self._site.path + (back if _SITE_PATH.fullmatch(back) else "/")
        secure = "; Secure" if self._site.url.startswith("https://") else ""
        path = self._site.path or "/"
        cookie = (
            f"{LANGUAGE_COOKIE}={code}; Path={path}; Max-Age={YEAR_SECONDS}; SameSite=Lax; HttpOnly{secure}"
        )
        headers = [(b"location", location.encode()), (b"set-cookie", cookie.encode("ascii", "ignore"))]
        return Response(303, b"", [*headers, NO_CACHE, NO_INDEX, *PAGE_HEADERS])
