"""Zebra, the database and Z39.50 server of Index Data, with the courses of `courses` in it."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.fixtures import missing
from tests.servers.courses import Course, zebra_xml

_TABLES = Path("/usr/share/idzebra-2.0/tab")
_MODULES = "/usr/lib/x86_64-linux-gnu/idzebra-2.0/modules"
WAIT_SECONDS = 600
PER_FILE = 2000
# What of a course is found under which access point, in words (w), whole (p), as it stands (0), sorted (s).
# Events are there twice: as the service had them, and with the period first, under another attribute.
ABSTRACT = """
name course
attset gils.att
attset bib1.att
xelm /course/id Doc-id:0
xelm /course/title Title:w,Title:p,Title:s,Any:w
xelm /course/creator Author:w,Author:p,Author:s,Any:w
xelm /course/subject Subject-heading:w,Subject-heading:p,Any:w
xelm /course/abstract Abstract:w,Any:w
xelm /course/publisher Publisher:w,Publisher:p,Any:w
xelm /course/year Date-of-publication:n,Date-of-publication:w,Date-of-publication:s
xelm /course/event Order-Information:0
xelm /course/period Order-Process:0
"""
# Letters as Windrow folds them; without this, å is another letter than a to Zebra.
_LETTERS = """encoding utf-8
lowercase {0-9}{a-z}
uppercase {0-9}{A-Z}
space {\\001-\\040}!"#$%&'\\()*+,-./:;<=>?@\\[\\\\]^_`\\{|}~
map å a
map Å a
map ä a
map Ä a
map ö o
map Ö o
map é e
map ï i
"""
_INDEXES = """
index w
completeness 0
position 1
alwaysmatches 1
firstinfield 1
charmap words.chr

index p
completeness 1
charmap words.chr

index n
completeness 0
charmap numeric.chr

index 0
completeness 0
position 1
charmap @

sort s
completeness 1
charmap words.chr
"""


@contextmanager
def zebra(folder: Path, made: Iterable[Course]) -> Iterator[int]:
    """Index the courses, start the server and give its port."""
    if shutil.which("zebraidx") is None or shutil.which("zebrasrv") is None:
        missing("zebraidx and zebrasrv are not installed (package idzebra-2.0)")
    build(folder, made)
    with served(folder) as port:
        yield port


def build(folder: Path, made: Iterable[Course]) -> None:
    """Index the courses."""
    records = folder / "records"
    records.mkdir(parents=True)
    (folder / "words.chr").write_text(_LETTERS, encoding="utf-8")
    (folder / "default.idx").write_text(_INDEXES, encoding="utf-8")
    (folder / "course.abs").write_text(ABSTRACT, encoding="utf-8")
    (folder / "zebra.cfg").write_text(
        f"profilePath: {folder}:{_TABLES}\nmodulePath: {_MODULES}\nregister: {folder}/register:20G\n"
        f"lockDir: {folder}/lock\nencoding: utf-8\n"
        "recordType: grs.xml\nattset: bib1.att\nattset: gils.att\nisam: b\nstoreKeys: 1\nstoreData: 1\n",
        encoding="utf-8",
    )
    for name in ("register", "lock"):
        (folder / name).mkdir()
    for course in made:
        (records / f"{course.number:07}.xml").write_bytes(
            b'<?xml version="1.0" encoding="UTF-8"?>' + zebra_xml(course)
        )
    done = subprocess.run(
        ["zebraidx", "-c", str(folder / "zebra.cfg"), "update", str(records)],
        capture_output=True,
        timeout=WAIT_SECONDS,
        check=True,
    )
    if b"[warn]" in done.stderr:
        raise AssertionError(done.stderr.decode("utf-8", "replace")[:2000])


@contextmanager
def served(folder: Path) -> Iterator[int]:
    """Start the server and give its port."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    with (folder / "zebrasrv.log").open("wb") as log:
        process = subprocess.Popen(
            ["zebrasrv", "-T", "-c", str(folder / "zebra.cfg"), f"tcp:127.0.0.1:{port}"],
            stdout=log,
            stderr=log,
            cwd=folder,
        )
    try:
        _wait_for(process, port)
        yield port
    finally:
        process.terminate()
        process.wait(WAIT_SECONDS)


def _wait_for(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, "zebrasrv ended"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except ConnectionRefusedError:
            continue
        else:
            return
    raise AssertionError("zebrasrv does not answer")
