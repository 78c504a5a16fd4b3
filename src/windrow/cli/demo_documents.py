"""The demo's second collection: a folder of documents, made on the spot, read and indexed like any other."""

from __future__ import annotations

import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from windrow.cli.terminal import plural, say
from windrow.errors import Interrupted, WindrowError

if TYPE_CHECKING:
    from windrow.harvest.stopping import Stopper
    from windrow.model.run import Run
    from windrow.wiring import Library

SOURCE, COLLECTION = "island", "documents"
FOLDER = "documents"  # in the library's
NEEDED = {"PIL": "Pillow", "pypdfium2": "pypdfium2", "tinytag": "tinytag"}
_COLLECTIONS = """
[collections.theses]
title = "Theses"
sources = ["demo"]

[collections.documents]
title = "Documents of an island"
sources = ["island"]
intro = "Pictures, leaflets, sounds and notes of an island that does not exist, read from a folder."
browse = ["title", "folder", "creator", "subject > format", "date"]
facets = ["media", "folder", "creator", "subject", "year", "language", "size"]
"""


def missing() -> str:
    """Give the names of what reads documents and is not installed; nothing where all is."""
    return ", ".join(name for module, name in NEEDED.items() if find_spec(module) is None)


def add_documents(path: Path) -> None:
    """Make the folder in the library and put it into its settings, with a collection for each kind of record.

    What is there already stays as it is.
    """
    from windrow.config.edit import add_source
    from windrow.config.load import load
    from windrow.config.schema import FILE_NAME
    from windrow.demo.island.folder import make_folder

    make_folder(path / FOLDER)
    if SOURCE in load(path, environ={}).sources:
        return
    add_source(path, SOURCE, {"kind": "files", "content": "documents", "folder": FOLDER})
    with (path / FILE_NAME).open("a", encoding="utf-8") as end:
        end.write(_COLLECTIONS)


def read_documents(opened: Library, *, stopper: Stopper, is_quiet: bool) -> Run | None:
    """Harvest the folder, and say how that went; None where what reads documents is not installed."""
    from windrow.cli.progress import watching
    from windrow.harvest.options import HarvestOptions
    from windrow.model.run import Outcome
    from windrow.wiring.harvesting import harvest

    if lacking := missing():
        if not is_quiet:
            say(f"Documents are left out: {lacking} not installed (pip install 'windrow[documents]')")
        return None
    if not is_quiet:
        say("A folder of documents is made: pictures, PDFs, sounds, notes; reading them …")
    started = time.perf_counter()
    with watching(is_quiet=is_quiet) as observer:
        run = harvest(opened, SOURCE, HarvestOptions(), observer=observer, stopper=stopper)
    if run.outcome is Outcome.INTERRUPTED:
        raise Interrupted("stopped", hint="`windrow demo` goes on where it was.")
    if run.outcome is not Outcome.OK:
        reasons = "; ".join(problem.message for problem in run.problems)
        raise WindrowError(f"the demo's documents ended as {run.outcome}: {reasons}")
    if not is_quiet:
        _show(run, time.perf_counter() - started)
    return run


def _show(run: Run, seconds: float) -> None:
    counters = run.counters
    new = f"{counters.added:,} new" if counters.added else "nothing new"
    say(f"  {plural(counters.seen, 'document')}, {new}, in {seconds:.1f} s")
