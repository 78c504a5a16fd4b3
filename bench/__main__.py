"""`python -m bench [PART…]`: measure the figures of docs/explain/speed.md, print and keep them.

The top of the bench: options in, a workspace made, the parts run in turn, a report out. Exit 0 when every
number counts, 1 when Windrow failed or lost a record somewhere, 2 when the bench cannot run here, 130
when it was interrupted.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from bench import report, website
from bench.errors import ContestantError, SetupError
from bench.measure import say
from bench.parts import (
    again,
    crawl,
    deep,
    disk,
    documents,
    gateway,
    getrecord,
    harvest,
    load,
    mapping,
    memory,
    modoai,
    provider,
    scale,
    search,
    searches,
    startup,
    z3950,
)
from bench.workspace import Workspace, open_workspace

RESULTS = Path(__file__).with_name("results")
# The library that `again` needs untouched is rebuilt by `mapping`, so it goes last.
PARTS: dict[str, Callable[[Workspace], list[report.Section]]] = {
    "harvest": harvest.measure_part,
    "memory": memory.measure_part,
    "disk": disk.measure_part,
    "again": again.measure_part,
    "startup": startup.measure_part,
    "provider": provider.measure_part,
    "getrecord": getrecord.measure_part,
    "deep": deep.measure_part,
    "load": load.measure_part,
    "modoai": modoai.measure_part,
    "mapping": mapping.measure_part,
}
RECORDS = 50_000
# Many records or large ones, and many minutes: only when asked for by name, each with its own number.
LARGE: dict[str, tuple[Callable[[Workspace], list[report.Section]], int]] = {
    "search": (search.measure_part, search.RECORDS),
    "documents": (documents.measure_part, documents.FILES),
    "crawl": (crawl.measure_part, crawl.PAGES),
    "gateway": (gateway.measure_part, gateway.RECORDS),  # before `scale`, which indexes the stock they share
    "searches": (searches.measure_part, searches.RECORDS),  # shares the stock too, and indexes it likewise
    "scale": (scale.measure_part, scale.RECORDS),
    "z3950": (z3950.measure_part, z3950.RECORDS),
}


def main(arguments: list[str]) -> int:
    """Run what was asked for; give the exit code."""
    options = _options(arguments)
    signal.signal(
        signal.SIGTERM, signal.default_int_handler
    )  # ended politely: servers stopped, folder removed
    try:
        where = report.machine()
        with open_workspace(
            records=options.records or RECORDS,
            rounds=options.rounds,
            per_page=tuple(options.per_page),
            is_large=options.large,
            files=options.files,
        ) as space:
            chosen = [name for name in (*PARTS, *LARGE) if name in options.parts] or list(PARTS)
            sections = [section for name in chosen for section in _measure(name, space, options.records)]
    except SetupError as exc:
        say(str(exc))
        return 2
    except KeyboardInterrupt:
        say("interrupted; nothing is kept")
        return 130
    print(report.render(sections, where))
    say(f"written to {report.write(options.results, sections, where)}")
    return 0 if all(section.is_good for section in sections) else 1


def _measure(name: str, space: Workspace, records: int | None) -> list[report.Section]:
    try:
        if name in LARGE:
            part, usual = LARGE[name]
            return part(replace(space, records=records or usual))
        return PARTS[name](space)
    except ContestantError as exc:  # one part without numbers must not cost the others theirs
        return [report.Section(name.capitalize(), ("fails",), [(str(exc),)], is_good=False)]


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench", description="Measure the figures of docs/explain/speed.md."
    )
    parser.add_argument(
        "parts",
        nargs="*",
        metavar="PART",
        help=f"{', '.join(PARTS)}: all of these when none is named; or {', '.join(LARGE)}",
    )
    usual = ", ".join(f"{name} {number:,}" for name, (_, number) in LARGE.items())
    parser.add_argument("--records", type=_positive, help=f"how many (default {RECORDS:,}; {usual})")
    parser.add_argument("--rounds", type=_positive, default=3, help="how often each runs (default 3)")
    parser.add_argument(
        "--per-page", type=_positive, nargs="+", default=[100, 1000], help="page sizes (default 100 1000)"
    )
    parser.add_argument(
        "--large",
        action="store_true",
        help="memory at ten times the records, about 1 GB of disk; of a crawl, at ten times the pages",
    )
    parser.add_argument(
        "--files", type=_positive, default=website.FILES, help="of the web site in modoai (default 5,268)"
    )
    parser.add_argument("--results", type=Path, default=RESULTS, help="where the report is kept")
    options = parser.parse_args(arguments)
    unknown = [part for part in options.parts if part not in (*PARTS, *LARGE)]
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}; choose from {', '.join((*PARTS, *LARGE))}")
    return options


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
