"""`windrow demo`: harvest invented theses over HTTP, read a folder of documents, and show the result."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.invocation import named_library_folder, print_json, stopping_on_signals
from windrow.cli.terminal import plural, print_line
from windrow.errors import Interrupted, UpstreamError

if TYPE_CHECKING:
    from windrow.cli.demo_steps import LibraryOverview
    from windrow.demo.thesis_server import DemoChild
    from windrow.harvest.options import Stopper
    from windrow.model.run import Run
    from windrow.wiring import Library

DEFAULT_LIBRARY_FOLDER = "demo-library"
RECORDS = 5000


def add_demo(app: typer.Typer) -> None:
    app.command("demo")(demo)


def demo(
    records: Annotated[
        int | None,
        typer.Option(
            "--records", min=1, max=10_000_000, metavar="N", help=f"How many theses.  [{RECORDS:,}]"
        ),
    ] = None,
    folder: Annotated[
        str | None,
        typer.Option("--library", metavar="DIR", help=f"The library to make.  [{DEFAULT_LIBRARY_FOLDER}]"),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", "-p", min=0, max=65535, help="Where to serve.  [8000, or any free one]"),
    ] = None,
    no_serve: Annotated[
        bool, typer.Option("--no-serve", help="End after the look, without serving pages.")
    ] = False,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address only; open no browser.")
    ] = False,
    is_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, for programs, and end without serving pages.")
    ] = False,
) -> None:
    """See it work: harvest a repository of invented theses and a folder of documents, and look at both.

    The repository runs on this machine, in a process of its own, and is harvested over HTTP. The folder is
    made in the library. Run it again to see that only changes are fetched.
    """
    path = Path(folder or named_library_folder() or DEFAULT_LIBRARY_FOLDER)
    with stopping_on_signals() as stopper:
        serving = None if no_serve or is_json else Serving(port, is_opening=not no_browser)
        is_interrupted = _Demo(path, stopper, is_json=is_json).run(records, serving)
    if is_interrupted:
        raise typer.Exit(130)


@dataclass(frozen=True, slots=True)
class Serving:
    """Where the pages are served, and whether a browser is opened."""

    port: int | None
    is_opening: bool


class _Demo:
    """One demonstration, from the start of the repository to the last hint."""

    def __init__(self, path: Path, stopper: Stopper, *, is_json: bool) -> None:
        self._path = path
        self._stopper = stopper
        self._is_json = is_json
        self._runs: list[Run] = []
        self._read: Run | None = None  # the run that read the documents

    def run(self, records: int | None, serving: Serving | None) -> bool:
        """Show everything. Return whether Ctrl-C ended it."""
        from windrow.cli.demo_steps import open_at_address, prepare_library, read_progress
        from windrow.demo.thesis_server import DemoChild

        is_made = prepare_library(self._path)
        begun = read_progress(self._path, records or RECORDS, asked=records)
        self._say(f"{'Made' if is_made else 'Found'} the library {self._path}", style="bold")
        with DemoChild(records=begun.records, days=begun.days) as child:
            opened = open_at_address(self._path, child.url)
            try:
                if not begun.is_whole:
                    self._first(opened, begun.records)
                self._later(opened, child)
                self._documents(opened)
                self._end(opened)
                return self._serve(opened, serving) if serving else False
            finally:
                opened.close()

    def _first(self, opened: Library, records: int) -> None:
        from windrow.cli.demo_steps import show_first

        self._say(f"A repository of {plural(records, 'thesis', 'theses')} is up; harvesting all of it …")
        run, seconds = self._harvest(opened)
        if not self._is_json:
            show_first(run, seconds)

    def _later(self, opened: Library, child: DemoChild) -> None:
        """Let a day pass in the repository, and harvest what changed."""
        from windrow.cli.demo_steps import show_later

        child.later()
        self._say("A day passes in the repository; harvesting again …")
        run, seconds = self._harvest(opened)
        if not self._is_json:
            show_later(run, _counts(opened, run), seconds)

    def _documents(self, opened: Library) -> None:
        from windrow.cli.demo_steps import read_documents

        self._read = read_documents(opened, stopper=self._stopper, is_quiet=self._is_json)

    def _harvest(self, opened: Library) -> tuple[Run, float]:
        from windrow.cli.demo_steps import THESIS_SOURCE
        from windrow.cli.harvest_progress import progress_observer
        from windrow.harvest.options import HarvestOptions
        from windrow.model.run import Outcome
        from windrow.wiring.harvesting import harvest

        started = time.perf_counter()
        with progress_observer(is_quiet=self._is_json) as observer:
            run = harvest(opened, THESIS_SOURCE, HarvestOptions(), observer=observer, stopper=self._stopper)
        self._runs.append(run)
        if run.outcome is Outcome.INTERRUPTED:
            raise Interrupted("stopped", hint="`windrow demo` goes on from the last page stored.")
        if run.outcome is not Outcome.OK:
            reasons = "; ".join(problem.message for problem in run.problems)
            raise UpstreamError(f"the demo's harvest ended as {run.outcome}: {reasons}")
        return run, time.perf_counter() - started

    def _end(self, opened: Library) -> None:
        from windrow.cli.demo_steps import (
            DEMO_FORMATS,
            THESIS_SOURCE,
            index_demo,
            show_next,
            show_overview,
            survey_library,
        )

        self._say("Indexing it …")
        index_demo(opened, is_quiet=self._is_json)

        found = survey_library(
            opened, THESIS_SOURCE, DEMO_FORMATS[0], stopper=self._stopper, is_quiet=self._is_json
        )
        if self._is_json:
            print_json(_as_dict(self._path, found, self._runs, self._read))
            return
        show_overview(found)
        show_next(self._path, found, self._runs)

    def _serve(self, opened: Library, serving: Serving) -> bool:
        from windrow.cli.demo_steps import serve_demo

        return serve_demo(opened, port=serving.port, is_opening=serving.is_opening)

    def _say(self, line: str, *, style: str = "") -> None:
        if not self._is_json:
            print_line(line, style=style)


def _counts(opened: Library, run: Run) -> dict[str, int]:
    from windrow.harvest.run_diff import diff_run

    with opened.store.reading() as connection:
        return diff_run(connection, run.id, limit=0).counts


def _as_dict(path: Path, found: LibraryOverview, runs: list[Run], read: Run | None) -> dict[str, Any]:
    from windrow.cli.run_summary import run_as_dict

    return {
        "library": str(path.resolve()),
        "records": found.records,
        "tombstones": found.tombstones,
        "mapped": found.mapped,
        "raw_bytes": found.raw_bytes,
        "disk_bytes": found.disk_bytes,
        "institutions": dict(found.institutions.most_common()),
        "years": {str(year): found.years[year] for year in sorted(found.years)},
        "languages": dict(found.languages.most_common()),
        "keywords": dict(found.keywords.most_common(20)),
        "samples": [{"identifier": identifier, "title": title} for identifier, title in found.samples],
        "runs": [run_as_dict(run) for run in runs],
        "documents": run_as_dict(read) if read else None,
    }
