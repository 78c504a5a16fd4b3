"""The demo's library: made or found again, and where its repository's time stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from windrow.cli.demo_documents import SOURCE as DOCUMENTS
from windrow.cli.demo_documents import add_documents, missing
from windrow.errors import UsageError

if TYPE_CHECKING:
    from windrow.config.schema import SourceSettings
    from windrow.wiring import Library

SOURCE = "demo"
NAME = "Windrow demo"
FORMATS = ("oai_dc",)  # which every repository has, and in which nothing names an institution
_LOOPBACK = "http://127.0.0.1:"
_NOWHERE = "http://127.0.0.1:9/oai"  # until the repository has said its address


@dataclass(frozen=True, slots=True)
class Begun:
    """What the repository must be like to go on with this library."""

    records: int
    days: int
    is_whole: bool  # everything was harvested once


def prepare(path: Path) -> bool:
    """Make the library unless it is there; give True when it was made. No other library is touched."""
    from windrow.config.edit import add_source
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
    create_library(path, name=NAME)
    add_source(path, SOURCE, {"url": _NOWHERE, "formats": list(FORMATS)})
    return True


def _is_demo(sources: Mapping[str, SourceSettings]) -> bool:
    ours = SOURCE in sources and set(sources) <= {SOURCE, DOCUMENTS}
    return ours and sources[SOURCE].url.startswith(_LOOPBACK)


def open_demo(path: Path, records: int, *, asked: int | None) -> Begun:
    """Find out how far the library is. The repository's time is what the last harvest was told."""
    from windrow.demo.theses import DAY_SECONDS, TODAY
    from windrow.model.stamp import read_stamp
    from windrow.store import checkpoints, sources
    from windrow.wiring import open_library

    opened = open_library(str(path), environ={})
    try:
        with opened.store.reading() as connection:
            state = sources.find(connection, SOURCE)
            if state is None:
                return Begun(records, 0, is_whole=False)
            cursors = [checkpoints.cursor(connection, state.id, prefix, "") for prefix in FORMATS]
            left = checkpoints.left_over(connection, state.id, FORMATS[0], "")
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
    times = [read_stamp(cursor.next_from or "") for cursor in whole]
    latest = max((int(time.timestamp()) for time in times if time), default=TODAY)
    return Begun(size, max(0, (latest - TODAY) // DAY_SECONDS), is_whole=len(whole) == len(FORMATS))


def point(path: Path, url: str) -> Library:
    """Give the library with its source at the repository's address of today: the port differs each time.

    Where documents can be read, the folder with some is there as well.
    """
    from windrow.config.edit import change_source
    from windrow.store import sources
    from windrow.wiring import open_library

    change_source(path, SOURCE, {"url": url})
    if not missing():
        add_documents(path)
    opened = open_library(str(path), environ={})
    with opened.store.writing() as connection:
        sources.move(connection, SOURCE, url)
    return opened
