"""The public address of the site, and the static files that pages load.

Styles, scripts and icons have a hash of their content in their name, so that browsers may keep them forever.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from urllib.parse import urlsplit

from windrow.web.http.http_request import HttpRefusal, Request, check_read
from windrow.web.http.http_response import DATA_HEADERS, IMMUTABLE_CACHE, VARY_ENCODING, Response

_ASSETS_FOLDER = Path(__file__).with_name("assets")
_ASSET_TYPES = {
    ".css": b"text/css; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".svg": b"image/svg+xml",
}


def fingerprinted_name(name: str) -> str:
    """Return the name under which a file is served: windrow.css as windrow.0123456789ab.css."""
    return _fingerprinted_names()[name]


async def serve_asset(request: Request, rest: str) -> Response:
    """Serve a static file; only known names exist."""
    check_read(request.method)
    found = _load_assets().get(rest.removeprefix("/"))
    if found is None:
        raise HttpRefusal(404, "There is no such file.")
    kind, body = found
    return Response(200, body, [(b"content-type", kind), IMMUTABLE_CACHE, VARY_ENCODING, *DATA_HEADERS])


@cache
def _load_assets() -> dict[str, tuple[bytes, bytes]]:
    files = {
        _fingerprinted_names()[path.name]: path
        for path in _ASSETS_FOLDER.iterdir()
        if path.suffix in _ASSET_TYPES
    }
    return {name: (_ASSET_TYPES[path.suffix], path.read_bytes()) for name, path in files.items()}


@cache
def _fingerprinted_names() -> dict[str, str]:
    named = {}
    for path in _ASSETS_FOLDER.iterdir():
        if path.suffix in _ASSET_TYPES:
            digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
            named[path.name] = f"{path.stem}.{digest}{path.suffix}"
    return named


@dataclass(frozen=True)  # without slots, for the cached properties
class SiteAddress:
    """The public address of an application, without a trailing slash, and its title.

    Links use only its path: a page then works under every address that reaches it.
    """

    url: str
    title: str
    assets: str = "/static"  # path of the style sheets, relative to `url`

    @cached_property
    def path(self) -> str:
        """Return the public path of the application; empty at the root of a host."""
        return urlsplit(self.url).path.rstrip("/")

    @cached_property
    def home(self) -> str:
        return self.path or "/"

    @cached_property
    def style(self) -> str:
        return self.asset("windrow.css")

    @cached_property
    def icon(self) -> str:
        return self.asset("windrow.svg")

    @cached_property
    def script(self) -> str:
        return self.asset("windrow.js")

    def asset(self, name: str) -> str:
        return f"{self.path}{self.assets}/{fingerprinted_name(name)}"
