"""`python -m windrow.demo`: the demo repository in a process of its own, for people and for `windrow demo`.

It prints its address on the first line. For each line "later" on stdin it lets a day pass and answers with
the number of days so far. It ends with its stdin, so that it never outlives its parent.
"""

from __future__ import annotations

import argparse
import errno
import sys
from collections.abc import Sequence

from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer

_MAX_PORT = 65_535


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m windrow.demo", description="Serve invented theses.")
    parser.add_argument("--records", type=int, default=5000, help="how many at the start")
    parser.add_argument("--days", type=int, default=0, help="how many days have passed already")
    parser.add_argument("--port", type=int, default=0, help="where to listen [any free port]")
    chosen = parser.parse_args(arguments)
    if not 0 <= chosen.port <= _MAX_PORT:
        parser.error(f"--port must be a number from 0 to {_MAX_PORT}")
    try:
        with DemoServer(Repository(chosen.records, revision=chosen.days), port=chosen.port) as server:
            _serve(server)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as exc:
        if exc.errno != errno.EADDRINUSE:
            raise
        parser.error(f"port {chosen.port} is taken; choose another one with --port")


def _serve(server: DemoServer) -> None:
    _say(server.url)
    for line in sys.stdin:
        if line.strip() == "later":
            server.repository = server.repository.later()
            _say(str(server.repository.revision))


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
