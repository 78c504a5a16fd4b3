"""What pages load: styles, scripts and icons, named after their content, so that browsers keep them."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from windrow.faces.shared.refusal import Refused, check_read
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import DATA_HEADERS, FOR_EVER, VARY_ENCODING, Response

_FOLDER = Path(__file__).with_name("assets")
_KINDS = {
    ".css": b"text/css; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".svg": b"image/svg+xml",
}


def asset_name(name: str) -> str:
    """Give the name under which a file is served: windrow.css as windrow.0123456789ab.css."""
    return _names()[name]


async def serve_asset(request: Request, rest: str) -> Response:
    """Answer with a file; only the names that are served lead anywhere."""
    check_read(request.method)
    found = _assets().get(rest.removeprefix("/"))
    if found is None:
        raise Refused(404, "There is no such file.")
    kind, body = found
    return Response(200, body, [(b"content-type", kind), FOR_EVER, VARY_ENCODING, *DATA_HEADERS])


@cache
def _assets() -> dict[str, tuple[bytes, bytes]]:
    files = {_names()[path.name]: path for path in _FOLDER.iterdir() if path.suffix in _KINDS}
    return {name: (_KINDS[path.suffix], path.read_bytes()) for name, path in files.items()}


@cache
def _names() -> dict[str, str]:
    named = {}
    for path in _FOLDER.iterdir():
        if path.suffix in _KINDS:
            digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
            named[path.name] = f"{path.stem}.{digest}{path.suffix}"
    return named
