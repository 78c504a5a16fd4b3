"""The stored description of a file: the headers of its HTTP response, and Dublin Core.

`http_header` needs only the directory entry and shows whether the file has changed; `describe` opens the file
if there is a describer for its media type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from typing import Protocol

from windrow.formats.dublin_core.oai_dc import write_plain_dc
from windrow.formats.http_header import EARLIEST_SECOND, LATEST_SECOND, write_http_header
from windrow.formats.windrow_document import dcmi_type
from windrow.plugins import load_plugins
from windrow.sources.files.media_types import guess_media_type
from windrow.sources.files.published_folder import PublishedFolder
from windrow.sources.files.visible_files import FoundFile, Tree, open_visible

# Describers, the extension point for reading metadata from files. An installed package adds one as an entry
# point of the group `windrow.describers`; `describe` runs those for a file's media type.

ENTRY_POINTS = "windrow.describers"
BUILT_IN = ("windrow.sources.files.html_head",)  # each defines DESCRIBER


class Describer(Protocol):
    """Reads the metadata embedded in a file."""

    media_types: frozenset[str]  # the types it reads
    most_bytes: int  # how many bytes from the beginning of a file it needs

    def describe(self, beginning: bytes) -> Iterable[tuple[str, str]]:
        """Return Dublin Core elements with their values in display order, such as ("title", "Home").

        Return nothing for a beginning that cannot be read. An exception is reported, and the file only lacks
        its description.
        """
        ...


@cache
def describers() -> dict[str, tuple[Describer, ...]]:
    """Return the installed describers by media type; the built-in ones come last."""
    found: dict[str, tuple[Describer, ...]] = {}
    for describer in (
        *load_plugins(ENTRY_POINTS, "describer"),
        *(import_module(module).DESCRIBER for module in BUILT_IN),
    ):
        for media_type in describer.media_types:
            found[media_type] = (*found.get(media_type, ()), describer)
    return found


NANOSECONDS = 1_000_000_000

OnDescriberError = Callable[[str, str], None]  # called with a path and the error


def file_media_type(file: FoundFile) -> str:
    """Return a file's media type: as declared by its folder, else by its name."""
    return guess_media_type(file.path, file.media_type)


class TimedFile(Protocol):
    """A file with its modification time."""

    @property
    def mtime_ns(self) -> int:
        """In nanoseconds since 1970."""


def modified_second(file: TimedFile) -> int:
    """Return the Unix second of a file's last modification, limited to the years 1 to 9999."""
    return min(max(file.mtime_ns // NANOSECONDS, EARLIEST_SECOND), LATEST_SECOND)


def http_header(file: FoundFile) -> bytes:
    """Return the response headers of a GET for a file, in the format http_header."""
    return write_http_header(file_media_type(file), file.size, modified_second(file))


def format_second(second: int) -> str:
    return f"{datetime.fromtimestamp(second, UTC).isoformat()[:19]}Z"


def describe(folder: PublishedFolder, tree: Tree, file: FoundFile, *, on_trouble: OnDescriberError) -> bytes:
    """Return a file's description in oai_dc: its embedded metadata first, then what its folder adds.

    `tree` is the view of the folder in which the file is opened.
    """
    kind = file_media_type(file)
    said = list(_collect_elements(tree, file, describers().get(kind, ()), on_trouble))
    technical = [
        ("date", format_second(modified_second(file))),
        ("type", dcmi_type(kind)),
        ("format", kind),
        ("format", f"{file.size} bytes"),
    ]
    return write_plain_dc([("identifier", folder.address(file.path)), *said, *technical])


def _collect_elements(
    tree: Tree, file: FoundFile, asked: tuple[Describer, ...], on_trouble: OnDescriberError
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
        except Exception as exc:  # noqa: BLE001 - plug-ins are third-party code, and files may contain anything
            on_trouble(file.path, f"{type(describer).__name__} failed: {type(exc).__name__}: {exc}")
