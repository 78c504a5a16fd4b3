"""Windrow as its users run it: the installed command, one library a folder, nothing imported.

Used by `contestants`, `providers` and the parts that look at a harvested library.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from bench import servers
from bench.errors import ContestantError
from bench.measure import PROJECT, environment, last_line

SETUP_SECONDS = 120.0
DATABASE = "windrow.db"
SOURCE = "bench"
NO_LOG = ("--access-log", "none")  # the peers write none
BY_VALUE = "16 MB"  # larger than any file of the bench: all of them travel inside the records


def executable() -> str | None:
    """Give the command beside the Python that runs the bench, else the one on PATH."""
    beside = Path(sys.executable).with_name("windrow")
    return str(beside) if beside.exists() else shutil.which("windrow")


def absent() -> str:
    """Say why Windrow cannot run here; nothing when it can."""
    return "" if executable() else "not installed"


def command(library: Path, *arguments: str) -> list[str]:
    """Give a command line that works on a library."""
    return [executable() or "windrow", "--library", str(library), *arguments]


def make(library: Path, url: str, *, prefix: str = "oai_dc") -> None:
    """Make a library with the one source `bench`."""
    setup([executable() or "windrow", "init", str(library)])
    setup(command(library, "source", "add", SOURCE, url, "--format", prefix, "--no-check"))


def publish(library: Path, folder: Path, url: str) -> None:
    """Make a library whose one source `bench` is a folder that a web server shows at `url`."""
    setup([executable() or "windrow", "init", str(library)])
    line = ("source", "add", SOURCE, str(folder), "--url", url, "--kind", "files")
    setup(command(library, *line, "--set-option", f"by_value={BY_VALUE}"))


@contextmanager
def serving(library: Path, folder: Path, *options: str, source: str = SOURCE) -> Iterator[servers.Server]:
    """Run `windrow serve` until the block ends; the address given is the base URL of one source."""
    line = command(library, "serve", "--port", "0", "--json", "--no-watch", *(options or NO_LOG))
    with servers.running(line, folder) as server:
        yield replace(server, url=f"{server.url.rstrip('/')}/oai/{source}")


def setup(line: list[str], *, limit_seconds: float = SETUP_SECONDS) -> None:
    """Run an untimed step; raise ContestantError with what it said when it does not end with 0."""
    done = subprocess.run(
        line, capture_output=True, timeout=limit_seconds, check=False, env=environment(), cwd=PROJECT
    )
    if done.returncode:
        what = " ".join(word for word in line[1:] if not word.startswith(("-", "/")))
        raise ContestantError(f"windrow {what}: exit {done.returncode}: {last_line(done.stderr)}")


def identifiers(library: Path) -> Iterator[str]:
    """Give what the library holds, read from its database and not from what the run says about itself."""
    try:
        with closing(sqlite3.connect(f"file:{library / DATABASE}?mode=ro", uri=True)) as database:
            for (identifier,) in database.execute("SELECT identifier FROM record WHERE NOT is_deleted"):
                yield identifier
    except sqlite3.Error as exc:
        raise ContestantError(f"{DATABASE} cannot be read: {exc}") from exc


def database_bytes(library: Path) -> int:
    """Give the size of the database, with what still lies in its write-ahead log."""
    return sum(path.stat().st_size for path in library.glob(f"{DATABASE}*"))


def changed(library: Path) -> int:
    """How many records the library's last run added or changed, by the numbers of their last changes."""
    query = (
        "SELECT count(*) FROM record WHERE seq > "
        "(SELECT coalesce(max(seq), 0) FROM moment WHERE run_id < (SELECT max(id) FROM run))"
    )
    try:
        with closing(sqlite3.connect(library / DATABASE)) as connection:
            return int(connection.execute(query).fetchone()[0])
    except sqlite3.Error as exc:
        raise ContestantError(f"{DATABASE} cannot be read: {exc}") from exc


def forget_leaves(library: Path) -> None:
    """Take the lists for crawlers out of a library, as if nobody had ever asked for them."""
    with closing(sqlite3.connect(library / DATABASE)) as connection, connection:
        connection.execute("DELETE FROM leaf")
        connection.execute("DELETE FROM setting WHERE key LIKE 'leaf!_%' ESCAPE '!'")
        connection.execute("DROP INDEX IF EXISTS record_leaf")


def are_leaves_true(library: Path) -> bool:
    """Whether the lists for crawlers hold every change: seen from here, so that the server is not asked."""
    with closing(sqlite3.connect(f"file:{library / DATABASE}?mode=ro", uri=True)) as connection:
        found = dict(connection.execute("SELECT key, value FROM setting WHERE key IN ('seq', 'leaf_seq')"))
    return found.get("seq") == found.get("leaf_seq")


def mapped(library: Path) -> int:
    """How many records the library's last `rebuild` made documents of."""
    with closing(sqlite3.connect(library / DATABASE)) as connection:
        row = connection.execute(
            "SELECT counters FROM run WHERE kind = 'rebuild' AND outcome = 'ok' ORDER BY id DESC LIMIT 1"
        ).fetchone()
    return int(json.loads(row[0])["seen"]) if row else 0
