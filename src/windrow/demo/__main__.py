"""The demo repository as a process of its own: `python -m windrow.demo`. What `windrow demo` harvests.

Says its address on the first line. Each line "later" on stdin lets a day pass and is answered with the
number of days so far. It ends when stdin does, so that it never outlives whoever started it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until stdin ends."""
    parser = argparse.ArgumentParser(prog="python -m windrow.demo", description="Serve invented theses.")
    parser.add_argument("--records", type=int, default=5000, help="how many at the start")
    parser.add_argument("--days", type=int, default=0, help="how many days have passed already")
    chosen = parser.parse_args(arguments)
    with DemoServer(Repository(chosen.records, revision=chosen.days)) as server:
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
