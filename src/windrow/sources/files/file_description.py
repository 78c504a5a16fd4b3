"""What the library keeps of a file: the answer to GET without the file, and its description in Dublin Core.

`header` needs no more than what the folder says of a file and tells whether it changed; `describe` opens it
where somebody reads its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Protocol

from windrow.formats.dcmi_types import dcmi_type
from windrow.formats.http_header import EARLIEST_SECOND, LATEST_SECOND, write_http_header
from windrow.formats.plain_dc import write_plain_dc
from windrow.sources.files.describer import Describer, describers
from windrow.sources.files.mime import media_type
from windrow.sources.files.published import PublishedFolder
from windrow.sources.files.walk import FoundFile, Tree, open_visible

NANOSECONDS = 1_000_000_000

Trouble = Callable[[str, str], None]  # is told a path and what is wrong with it


def type_of(file: FoundFile) -> str:
    """Give a file's media type: as its folder declares it, else by its name."""
    return media_type(file.path, file.media_type)


class Timed(Protocol):
    """A file of which it is known when it was last written."""

    @property
    def mtime_ns(self) -> int:
        """In nanoseconds since 1970."""


def modified(file: Timed) -> int:
    """Give the Unix second in which a file was last modified, or the nearest that can be written down."""
    return min(max(file.mtime_ns // NANOSECONDS, EARLIEST_SECOND), LATEST_SECOND)


def header(file: FoundFile) -> bytes:
    """Give what GET would answer for a file, in the format http_header."""
    return write_http_header(type_of(file), file.size, modified(file))


def stamp_of(second: int) -> str:
    """Give a Unix second as OAI-PMH writes it."""
    return f"{datetime.fromtimestamp(second, UTC).isoformat()[:19]}Z"


def describe(folder: PublishedFolder, tree: Tree, file: FoundFile, *, on_trouble: Trouble) -> bytes:
    """Give a file's description in oai_dc: what it says of itself, then what its folder says of it.

    `tree` is the look at the folder that it is opened in.
    """
    kind = type_of(file)
    said = list(_said(tree, file, describers().get(kind, ()), on_trouble))
    technical = [
        ("date", stamp_of(modified(file))),
        ("type", dcmi_type(kind)),
        ("format", kind),
        ("format", f"{file.size} bytes"),
    ]
    return write_plain_dc([("identifier", folder.address(file.path)), *said, *technical])


def _said(
    tree: Tree, file: FoundFile, asked: tuple[Describer, ...], on_trouble: Trouble
) -> Iterator[tuple[str, str]]:
    if not asked or not file.size:
        return
    try:
        with open_visible(tree, file.path) as opened:
            beginning = opened.read(max(describer.most_bytes for describer in asked))
    except OSError as exc:
        on_trouble(file.path, f"could not be opened to be described: {exc.strerror or exc}")
        return
    for describer in asked:
        try:
            yield from list(describer.describe(beginning[: describer.most_bytes]))
        except Exception as exc:  # noqa: BLE001 - a plug-in is somebody else's code, a file is anybody's
            on_trouble(file.path, f"{type(describer).__name__} failed: {type(exc).__name__}: {exc}")
