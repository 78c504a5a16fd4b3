"""The steps of `windrow demo`: prepare its library, harvest, read documents, index, print an overview, serve.

The demo's library is reused when the command is run again: the clock of the invented repository continues
where the last harvest ended, so only changes are fetched. Besides the repository there is a folder of
documents, made in the library and indexed like any other.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
import webbrowser
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from windrow.cli.progress import Ticker
from windrow.cli.run_summary import format_size
from windrow.cli.terminal import cut_to_terminal, display_width, plural, print_line, printable, shorten
from windrow.errors import Interrupted, UsageError, WindrowError
from windrow.model.counted_fields import document_keywords
from windrow.model.query import Everything
from windrow.serve.listener import Address, listen

if TYPE_CHECKING:
    from windrow.config.schema import SourceSettings
    from windrow.config.serve_settings import ServeSettings
    from windrow.harvest.options import Stopper
    from windrow.model.document import Document
    from windrow.model.run import Run
    from windrow.wiring import Library

# The folder of documents, the demo's second collection.

DOCUMENT_SOURCE, DOCUMENT_COLLECTION = "island", "documents"
DOCUMENTS_FOLDER = "documents"  # inside the library's folder
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


def missing_packages() -> str:
    """Return the names of the missing packages that reading documents needs; empty if all are installed."""
    return ", ".join(name for module, name in NEEDED.items() if find_spec(module) is None)


def add_documents(path: Path) -> None:
    """Create the folder of documents, and add it and a collection per kind of record to the settings.

    Existing files and settings are kept.
    """
    from windrow.config.editor import add_source
    from windrow.config.loader import load
    from windrow.config.schema import FILE_NAME
    from windrow.demo.island_folder import make_folder

    make_folder(path / DOCUMENTS_FOLDER)
    if DOCUMENT_SOURCE in load(path, environ={}).sources:
        return
    add_source(path, DOCUMENT_SOURCE, {"kind": "files", "content": "documents", "folder": DOCUMENTS_FOLDER})
    with (path / FILE_NAME).open("a", encoding="utf-8") as end:
        end.write(_COLLECTIONS)


def read_documents(opened: Library, *, stopper: Stopper, is_quiet: bool) -> Run | None:
    """Harvest the folder and print the outcome; None if packages for reading documents are missing."""
    from windrow.cli.harvest_progress import progress_observer
    from windrow.harvest.options import HarvestOptions
    from windrow.model.run import Outcome
    from windrow.wiring.harvesting import harvest

    if lacking := missing_packages():
        if not is_quiet:
            print_line(f"Documents are left out: {lacking} not installed (pip install 'windrow[documents]')")
        return None
    if not is_quiet:
        print_line("A folder of documents is made: pictures, PDFs, sounds, notes; reading them …")
    started = time.perf_counter()
    with progress_observer(is_quiet=is_quiet) as observer:
        run = harvest(opened, DOCUMENT_SOURCE, HarvestOptions(), observer=observer, stopper=stopper)
    if run.outcome is Outcome.INTERRUPTED:
        raise Interrupted("stopped", hint="`windrow demo` goes on where it was.")
    if run.outcome is not Outcome.OK:
        reasons = "; ".join(problem.message for problem in run.problems)
        raise WindrowError(f"the demo's documents ended as {run.outcome}: {reasons}")
    if not is_quiet:
        _show_document_run(run, time.perf_counter() - started)
    return run


def _show_document_run(run: Run, seconds: float) -> None:
    counters = run.counters
    new = f"{counters.added:,} new" if counters.added else "nothing new"
    print_line(f"  {plural(counters.seen, 'document')}, {new}, in {seconds:.1f} s")


# The last step: index the library, serve it, and open its address in a browser.


def index_demo(opened: Library, *, is_quiet: bool) -> None:
    from windrow.wiring.indexing import follow_index

    ticker = Ticker("indexing", is_quiet=is_quiet)
    follow_index(opened, on_progress=ticker)
    ticker.clear()


def serve_demo(opened: Library, *, port: int | None, is_opening: bool) -> bool:
    """Serve until Ctrl-C or SIGTERM. Return whether it was Ctrl-C.

    Without a port, the usual one is used, or any free one.
    """
    from windrow.serve.server import run_server
    from windrow.wiring.upkeep_threads import background_work
    from windrow.wiring.web_application import warm_up, web_app

    with _open_listener(opened.config.serve, port) as address, background_work(opened):

        def ready() -> None:
            _announce_demo(opened, address)
            warm_up(opened)
            if is_opening and _has_browser():
                webbrowser.open(address.url)

        app = web_app(opened, address.url)
        return run_server(app, address.socket, on_ready=ready, settings=opened.config.serve)


@contextmanager
def _open_listener(settings: ServeSettings, port: int | None) -> Iterator[Address]:
    with ExitStack() as stack:
        try:
            wanted = replace(settings, port=settings.port if port is None else port)
            address = stack.enter_context(listen(wanted))
        except WindrowError:
            if port is not None:
                raise
            address = stack.enter_context(listen(replace(settings, port=0)))  # any port will do for a demo
        yield address


def _announce_demo(opened: Library, address: Address) -> None:
    print_line()
    print_line(f"Open {address.url}/", style="bold")
    print_line(f"  search      {address.url}/search?q=sustainable")
    if DOCUMENT_SOURCE in opened.config.sources:
        print_line(f"  documents   {address.url}/collection/{DOCUMENT_COLLECTION}")
        print_line(f"  gallery     {address.url}/gallery")
    print_line(f"  statistics  {address.url}/statistics/")
    print_line(f"  OAI-PMH     {address.url}/oai")
    print_line(f"  {plural(opened.index.count(Everything()), 'record')} can be found. Press Ctrl-C to stop.")
    if DOCUMENT_SOURCE in opened.config.sources:
        print_line(f"  Put a file of yours into {opened.folder / DOCUMENTS_FOLDER}: it is taken in at once.")


def _has_browser() -> bool:
    """Return whether a browser window would be seen: there is a terminal and a display."""
    if not sys.stdout.isatty():
        return False
    return sys.platform in ("darwin", "win32") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )


# The demo's library, and the time its repository has reached.

THESIS_SOURCE = "demo"
LIBRARY_NAME = "Windrow demo"
DEMO_FORMATS = ("oai_dc",)  # supported by every repository; names no institution
_LOOPBACK = "http://127.0.0.1:"
_NOWHERE = "http://127.0.0.1:9/oai"  # until the repository has reported its address


@dataclass(frozen=True, slots=True)
class DemoProgress:
    """The state the repository must have to continue with this library."""

    records: int
    days: int
    is_whole: bool  # the first harvest was completed


def prepare_library(path: Path) -> bool:
    """Create the library unless it exists. Return whether it was created. No other library is touched."""
    from windrow.config.editor import add_source
    from windrow.config.schema import FILE_NAME
    from windrow.wiring import create_library, open_library

    if (path / FILE_NAME).is_file():
        opened = open_library(str(path), environ={})
        sources = opened.config.sources
        opened.close()
        if not _is_demo(sources):
            raise UsageError(
                f"{path} is a library already, and not a demo's", hint="Choose another folder: --library DIR"
            )
        return False
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError(
            f"{path} is there already, and not empty", hint="Choose another folder: --library DIR"
        )
    create_library(path, name=LIBRARY_NAME)
    add_source(path, THESIS_SOURCE, {"url": _NOWHERE, "formats": list(DEMO_FORMATS)})
    return True


def _is_demo(sources: Mapping[str, SourceSettings]) -> bool:
    ours = THESIS_SOURCE in sources and set(sources) <= {THESIS_SOURCE, DOCUMENT_SOURCE}
    return ours and sources[THESIS_SOURCE].url.startswith(_LOOPBACK)


def read_progress(path: Path, records: int, *, asked: int | None) -> DemoProgress:
    """Return the progress of the library. The repository's time is the one of the last harvest."""
    from windrow.demo.theses import DAY_SECONDS, TODAY
    from windrow.model.record import parse_datestamp
    from windrow.store import sources
    from windrow.store.harvests import checkpoints
    from windrow.wiring import open_library

    opened = open_library(str(path), environ={})
    try:
        with opened.store.reading() as connection:
            state = sources.find(connection, THESIS_SOURCE)
            if state is None:
                return DemoProgress(records, 0, is_whole=False)
            cursors = [checkpoints.cursor(connection, state.id, prefix, "") for prefix in DEMO_FORMATS]
            left = checkpoints.find_unfinished(connection, state.id, DEMO_FORMATS[0], "")
    finally:
        opened.close()
    whole = [cursor for cursor in cursors if cursor is not None]
    size = next((cursor.size for cursor in whole if cursor.size), None)
    size = size or next((window.claimed for window in left if window.claimed), None) or records
    if asked is not None and asked != size:
        raise UsageError(
            f"{path} was made with {size:,} theses",
            hint=f"Remove the folder, or choose another with --library DIR, to have {asked:,}.",
        )
    times = [parse_datestamp(cursor.next_from or "") for cursor in whole]
    latest = max((int(time.timestamp()) for time in times if time), default=TODAY)
    return DemoProgress(
        size, max(0, (latest - TODAY) // DAY_SECONDS), is_whole=len(whole) == len(DEMO_FORMATS)
    )


def open_at_address(path: Path, url: str) -> Library:
    """Return the library with the repository's current address: its port differs each time.

    If documents can be read, the folder of documents is added too.
    """
    from windrow.config.editor import change_source
    from windrow.store import sources
    from windrow.wiring import open_library

    change_source(path, THESIS_SOURCE, {"url": url})
    if not missing_packages():
        add_documents(path)
    opened = open_library(str(path), environ={})
    with opened.store.writing() as connection:
        sources.move(connection, THESIS_SOURCE, url)
    return opened


_BARS = 8
_BAR_WIDTH = 30
_LABEL = 42
_BLOCKS = " ▁▂▃▄▅▆▇█"
_HEIGHT = 2


def show_first(run: Run, seconds: float) -> None:
    counters = run.counters
    speed = counters.seen / max(seconds, 0.001)
    formats = " and ".join(DEMO_FORMATS)
    print_line(
        f"  {plural(counters.seen, 'entry', 'entries')} ({formats}) in {seconds:.1f} s: "
        f"{speed:,.0f} a second over HTTP, {format_size(counters.bytes)} received"
    )


def show_later(run: Run, counts: Mapping[str, int], seconds: float) -> None:
    parts = [f"{counts[kind]:,} {word}" for kind, word in _WORDS.items() if counts.get(kind)]
    asked = f"{plural(run.counters.requests, 'request')}, {plural(run.counters.seen, 'entry', 'entries')}"
    print_line(f"  {', '.join(parts) or 'nothing new'}; {asked}, {seconds:.1f} s")


_WORDS = {"added": "new", "changed": "corrected", "deleted": "withdrawn", "restored": "back again"}


def show_overview(found: LibraryOverview) -> None:
    print_line()
    print_line("What is in it", style="bold")
    share = 100 * found.disk_bytes / found.raw_bytes if found.raw_bytes else 0
    print_line(f"  {plural(found.records, 'thesis', 'theses')} and {plural(found.tombstones, 'tombstone')}")
    print_line(
        f"  {format_size(found.raw_bytes)} of XML in {format_size(found.disk_bytes)} on disk ({share:.0f} %)"
    )
    if found.mapped < found.records:
        print_line(f"  counted below: a sample of {found.mapped:,}")
    _bars("Universities", found.institutions)
    _years(found.years)
    _bars("Languages", found.languages)
    _bars("Keywords", found.keywords)
    if found.samples:
        print_line()
        print_line("Three of them" if len(found.samples) == 3 else "For example", style="bold")
        for identifier, title in found.samples:
            print_line(cut_to_terminal(f"  {printable(title)}"))
            print_line(f"    {printable(identifier)}", style="dim")


def _bars(title: str, counts: Counter[str]) -> None:
    top = counts.most_common(_BARS)
    if not top:
        return
    print_line()
    print_line(title, style="bold")
    label = min(_LABEL, max(display_width(name) for name, _ in top))
    most = top[0][1]
    for name, count in top:
        shown = shorten(printable(name), label)
        print_line(f"  {shown}{' ' * (label - display_width(shown))} {count:>7,} ", end="")
        print_line("█" * max(1, round(_BAR_WIDTH * count / most)), style="bar")


def _years(counts: Counter[int]) -> None:
    """Print a column for each year, two lines high."""
    if not counts:
        return
    first, last, most = min(counts), max(counts), max(counts.values())
    print_line()
    print_line("Years", style="bold")
    levels = [round(_HEIGHT * 8 * counts.get(year, 0) / most) for year in range(first, last + 1)]
    for row in reversed(range(_HEIGHT)):
        print_line(
            "  " + "".join(_BLOCKS[max(0, min(8, level - 8 * row))] * 2 for level in levels), style="bar"
        )
    print_line(
        f"  {first}{' ' * (2 * len(levels) - 8)}{last}, most in {counts.most_common(1)[0][0]} ({most:,})"
    )


def show_next(folder: Path, found: LibraryOverview, runs: Sequence[Run]) -> None:
    windrow = _program_name()
    identifier = found.samples[0][0] if found.samples else ""
    print_line()
    print_line("Try these next", style="bold")
    lines = [
        f"cd {_shell_quoted(str(folder))}",
        f"{windrow} source list",
        f"{windrow} source sets demo",
        f"{windrow} search sustainable",
        f"{windrow} stats trends",
        f"{windrow} record show {_shell_quoted(identifier)}",
        f"{windrow} diff {runs[-1].id}",
        f"{windrow} export --format csv --output theses.csv",
        f"{windrow} rebuild",
        f"{windrow} serve",
        f"{windrow} doctor",
    ]
    for line in lines:
        print_line(f"  {line}")


def _program_name() -> str:
    """Return how to call this program: its name if the shell finds it, otherwise its path."""
    if shutil.which("windrow"):
        return "windrow"
    beside = Path(sys.executable).with_name("windrow")
    return (
        _shell_quoted(str(beside))
        if beside.exists()
        else f"{_shell_quoted(sys.executable)} -m windrow.cli.main"
    )


def _shell_quoted(text: str) -> str:
    import shlex

    return shlex.quote(text)


# A sample of this size shows the same distribution, sooner.

MAX_MAPPED_RECORDS = 10_000
SAMPLE_TITLES = 3
MAX_INSTITUTIONS = 100


@dataclass(slots=True)
class LibraryOverview:
    """The numbers of a demo library."""

    records: int = 0
    tombstones: int = 0
    mapped: int = 0
    raw_bytes: int = 0
    disk_bytes: int = 0
    institutions: Counter[str] = field(default_factory=Counter)
    years: Counter[int] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    keywords: Counter[str] = field(default_factory=Counter)
    samples: list[tuple[str, str]] = field(default_factory=list)  # (identifier, title)

    def add(self, document: Document) -> None:
        self.mapped += 1
        if document.year:
            self.years[document.year] += 1
        self.languages.update(document.languages)
        self.keywords.update(document_keywords(document))


def survey_library(
    opened: Library, name: str, prefix: str, *, stopper: Stopper, is_quiet: bool
) -> LibraryOverview:
    """Map the records of a source in one format and count their values."""
    from windrow.formats.registry import read
    from windrow.index.protocol import FacetRequest
    from windrow.model.query import Value
    from windrow.store import sources
    from windrow.store.records.payloads import PayloadReader

    found, ticker = LibraryOverview(), Ticker("looking", is_quiet=is_quiet)
    with opened.store.reading() as connection:
        state = sources.find(connection, name)
        assert state is not None
        held = sources.holdings(connection, state.id)
        reader = PayloadReader(state.id)
        found.records, found.tombstones, found.raw_bytes = (
            held.records,
            held.tombstones,
            reader.totals(connection)[1],
        )
        every = max(1, -(-found.records // MAX_MAPPED_RECORDS))
        place = 0
        while pieces := reader.batch(connection):
            for _, its_prefix, declarations, payload in pieces:
                if its_prefix == prefix:
                    place += 1
                    if place % every == 0:
                        found.add(read(payload, declarations, prefix))
            ticker(found.mapped, found.records // every)
            stopper.check()
    ticker.clear()
    (counts,) = opened.index.tally(Value(name, "source"), [FacetRequest("institution", MAX_INSTITUTIONS)])
    found.institutions.update({each.value: each.count for each in counts.values})
    found.disk_bytes = sum(path.stat().st_size for path in opened.folder.glob("windrow.db*"))
    found.samples = _samples(opened, name, prefix)
    return found


def _samples(opened: Library, name: str, prefix: str) -> list[tuple[str, str]]:
    from windrow.formats.registry import read
    from windrow.store.records.record_reader import RecordReader

    with opened.store.reading() as connection:
        first = next(iter(RecordReader().batches(connection, sources=[name], prefix=prefix)), [])
    chosen = [record for record in first if record.payloads][7 :: max(1, len(first) // SAMPLE_TITLES)][
        :SAMPLE_TITLES
    ]
    samples = []
    for record in chosen or first[:1]:
        payload = record.payload(prefix)
        if payload is not None:
            document = read(payload.data, payload.declarations, prefix)
            samples.append((record.identifier, document.title or ""))
    return samples
