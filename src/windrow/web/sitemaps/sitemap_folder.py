"""Sitemaps written to a folder, for a web server that serves static files itself.

Only files that changed since the last time are written. A note beside them records what is there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from windrow import __version__
from windrow.errors import UsageError, unwritable
from windrow.exports.output_file import open_output
from windrow.store.connection import Connection
from windrow.store.published import list_pages
from windrow.store.store import Store
from windrow.web.http.compression import gzip
from windrow.web.sitemaps import sitemap_files
from windrow.web.sitemaps.sitemap_files import PAGES_NAME, SitemapFile, Sitemaps

NOTE_NAME = ".written.json"
FileMarks = dict[str, list[object]]


@dataclass(slots=True)
class WrittenFolder:
    """The result of writing."""

    files: int = 0  # now in the folder, without the index
    written: int = 0
    removed: int = 0


def write_sitemap_folder(
    store: Store,
    sitemaps: Sitemaps,
    folder: Path,
    *,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> WrittenFolder:
    """Update the sitemaps in a folder: `sitemap.xml`, and the files under `sitemaps`."""
    inner = _prepare_folder(folder)
    before, now, done = _read_note(inner, sitemaps.url), FileMarks(), WrittenFolder()
    with store.reading() as connection:
        listed, _ = sitemaps.listed(connection)
        for each in _sitemap_files(connection, sitemaps):
            now[each.name] = [each.seq, each.run[-1].last_id]
            if before.get(each.name) != now[each.name] or not _file_path(inner, each.name).is_file():
                _write_atomically(_file_path(inner, each.name), gzip(sitemaps.file(connection, each)))
                done.written += 1
            on_progress(len(now), len(listed) - 1)
    _write_if_changed(_file_path(inner, PAGES_NAME), gzip(sitemaps.pages()))
    _write_if_changed(folder / "sitemap.xml", sitemaps.index(listed))
    for name in before.keys() - now.keys():
        if Path(name).name == name:  # a note edited by hand must not lead outside the folder
            _file_path(inner, name).unlink(missing_ok=True)
            done.removed += 1
    _write_note(inner, sitemaps.url, now)
    done.files = len(listed)
    return done


def _prepare_folder(folder: Path) -> Path:
    inner = folder / "sitemaps"
    try:
        inner.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise unwritable(inner, exc, UsageError) from exc
    return inner


def _sitemap_files(connection: Connection, sitemaps: Sitemaps) -> Iterator[SitemapFile]:
    for section in list_pages.list_sections(connection, sitemap_files.LEAVES_PER_FILE):
        found = sitemaps.find(connection, section.name, section.number)
        if found is not None:
            yield found


def _file_path(inner: Path, name: str) -> Path:
    return inner / f"{name}.xml.gz"


def _write_if_changed(path: Path, body: bytes) -> None:
    """Write a file if it differs: web servers report the modification time as Last-Modified."""
    if not path.is_file() or path.read_bytes() != body:
        _write_atomically(path, body)


def _write_atomically(path: Path, body: bytes) -> None:
    with open_output(str(path)) as stream:
        stream.write(body)


def _read_note(inner: Path, url: str) -> FileMarks:
    """Read the note; empty if it is for another address or from another version of Windrow."""
    try:
        found = json.loads((inner / NOTE_NAME).read_bytes())
        return dict(found["files"]) if found["made"] == [__version__, url] else {}
    except (OSError, ValueError, TypeError, KeyError):
        return {}


def _write_note(inner: Path, url: str, files: FileMarks) -> None:
    _write_atomically(inner / NOTE_NAME, json.dumps({"made": [__version__, url], "files": files}).encode())
