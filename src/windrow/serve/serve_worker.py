"""`python -m windrow.serve.serve_worker`: one of several processes of `windrow serve`. Started by it only."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from collections.abc import Callable

from windrow.serve.server import LogTarget, run_server
from windrow.wiring import open_library
from windrow.wiring.web_application import warm_up, web_app


def main() -> None:
    """Serve at the socket that the parent opened, until the parent stops it or is gone."""
    descriptor, ready, described = sys.argv[1:]
    told = json.loads(described)
    opened = open_library(told["folder"])
    listening = socket.socket(fileno=int(descriptor))

    def announce() -> None:
        os.write(int(ready), b"r")
        os.close(int(ready))
        warm_up(opened)

    try:
        opened.store  # noqa: B018 - opens the store before readiness is reported
        app = web_app(opened, told["url"], access_log=LogTarget(told["log"]).open())
        settings = opened.config.serve
        run_server(app, listening, on_ready=announce, on_start=_watch_parent, settings=settings)
    finally:
        opened.close()


def _watch_parent(stop: Callable[[], None]) -> None:
    """Stop when the pipe from the parent closes: the parent has exited, even if it was killed."""

    def wait() -> None:
        while os.read(sys.stdin.fileno(), 1024):
            pass
        stop()

    threading.Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    main()
