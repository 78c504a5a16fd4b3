"""A peer's provider behind HTTP, on a free port, the answer made where the request came in.

Two ways, to show where the difference comes from. `documented`: under Python's own wsgiref, as such libraries
are tried out, and as their documentation shows them. `tuned`: under uvicorn, the server that Windrow runs
under and the lightest there is for Python here, with all done for the library that its interface allows.
No thread, no framework, no log in either.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Awaitable, Callable, Iterable
from typing import Any
from urllib.parse import parse_qsl
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

Answer = Callable[[dict[str, str]], bytes]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
DOCUMENTED, TUNED = WAYS = ("documented", "tuned")
HOST = "127.0.0.1"
CONTENT_TYPE = "text/xml; charset=utf-8"


def serve(way: str, make: Callable[[str], Answer]) -> None:
    """Say where, and answer until the process is told to stop; `make` gets the base URL."""
    {TUNED: _under_uvicorn, DOCUMENTED: _under_wsgiref}[way](make)


def _under_uvicorn(make: Callable[[str], Answer]) -> None:
    import uvicorn  # noqa: PLC0415  (the other way does without)

    listener = socket.create_server((HOST, 0))
    answer = make(_say(listener.getsockname()[1]))

    async def app(scope: dict[str, Any], _receive: Receive, send: Send) -> None:
        body = answer(dict(parse_qsl(scope["query_string"].decode("ascii"))))
        headers = [(b"content-type", CONTENT_TYPE.encode()), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    config = uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off")  # type: ignore[arg-type, unused-ignore]
    uvicorn.Server(config).run(sockets=[listener])


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


def _under_wsgiref(make: Callable[[str], Answer]) -> None:
    def app(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        body = answer(dict(parse_qsl(environ["QUERY_STRING"])))
        start("200 OK", [("Content-Type", CONTENT_TYPE), ("Content-Length", str(len(body)))])
        return [body]

    server: WSGIServer = make_server(HOST, 0, app, handler_class=_Quiet)
    answer = make(_say(server.server_port))
    server.serve_forever()


def _say(port: int) -> str:
    url = f"http://{HOST}:{port}/oai"
    print(json.dumps({"url": url}), flush=True)  # the socket listens: who comes before we answer waits
    return url
