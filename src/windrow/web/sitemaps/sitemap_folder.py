"""Sitemaps written to a folder, for a web server that gives files away itself: beside `face`, from `making`.

What changed since last time is written, and nothing else is touched. A note beside them says what is there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from windrow import __version__
from windrow.errors import UsageError, unwritable
from windrow.exports.target import writing_to
from windrow.faces.shared.compression import gzip
from windrow.faces.sitemaps import making
from windrow.faces.sitemaps.making import PAGES, File, Sitemaps
from windrow.store import leaves
from windrow.store.connection import Connection
from windrow.store.store import Store

NOTE = ".written.json"
Marks = dict[str, list[object]]


@dataclass(slots=True)
class Written:
    """What was done."""

    files: int = 0  # that there are now, without the index
    written: int = 0
    removed: int = 0


def write_folder(
    store: Store,
    sitemaps: Sitemaps,
    folder: Path,
    *,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Written:
    """Bring the sitemaps in a folder up to date: `sitemap.xml`, and the files under `sitemaps`."""
    inner = _ready(folder)
    before, now, done = _noted(inner, sitemaps.url), Marks(), Written()
    with store.reading() as connection:
        listed, _ = sitemaps.listed(connection)
        for each in _files(connection, sitemaps):
            now[each.name] = [each.seq, each.run[-1].last_id]
            if before.get(each.name) != now[each.name] or not _place(inner, each.name).is_file():
                _put(_place(inner, each.name), gzip(sitemaps.file(connection, each)))
                done.written += 1
            on_progress(len(now), len(listed) - 1)
    _renew(_place(inner, PAGES), gzip(sitemaps.pages()))
    _renew(folder / "sitemap.xml", sitemaps.index(listed))
    for name in before.keys() - now.keys():
        if Path(name).name == name:  # a note that somebody wrote by hand leads to nothing elsewhere
            _place(inner, name).unlink(missing_ok=True)
            done.removed += 1
    _note(inner, sitemaps.url, now)
    done.files = len(listed)
    return done


def _ready(folder: Path) -> Path:
    inner = folder / "sitemaps"
    try:
        inner.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise unwritable(inner, exc, UsageError) from exc
    return inner


def _files(connection: Connection, sitemaps: Sitemaps) -> Iterator[File]:
    for section in leaves.sections(connection, making.FILE_LEAVES):
        found = sitemaps.find(connection, section.name, section.number)
        if found is not None:
            yield found


def _place(inner: Path, name: str) -> Path:
    return inner / f"{name}.xml.gz"


def _renew(path: Path, body: bytes) -> None:
    """Write what is not there already: a web server tells the time of a file as that of its last change."""
    if not path.is_file() or path.read_bytes() != body:
        _put(path, body)


def _put(path: Path, body: bytes) -> None:
    with writing_to(str(path)) as stream:
        stream.write(body)


def _noted(inner: Path, url: str) -> Marks:
    """What was written there last; nothing where it was for another address, or by another Windrow."""
    try:
        found = json.loads((inner / NOTE).read_bytes())
        return dict(found["files"]) if found["made"] == [__version__, url] else {}
    except (OSError, ValueError, TypeError, KeyError):
        return {}


def _note(inner: Path, url: str, files: Marks) -> None:
    _put(inner / NOTE, json.dumps({"made": [__version__, url], "files": files}).encode())
