"""What the library keeps of a file: the answer to GET without the file, and its description in Dublin Core.

`header` needs no more than what the folder says of a file and tells whether it changed; `describe` opens it
where somebody reads its kind.
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

# What reads a description out of files of some kind: the plug-in point, and who is plugged in.
# An installed package adds one as an entry point of the group `windrow.describers`. `describe` asks those
# that read a file's media type.

ENTRY_POINTS = "windrow.describers"
BUILT_IN = ("windrow.sources.files.html_head",)  # each offers one as DESCRIBER


class Describer(Protocol):
    """Finds out what a file says of itself."""

    media_types: frozenset[str]  # those it reads
    most_bytes: int  # how much of a file's beginning it wants to see

    def describe(self, beginning: bytes) -> Iterable[tuple[str, str]]:
        """Return elements of Dublin Core with their words, such as ("title", "Home"), in the order to show.

        A beginning without sense gives nothing. Whatever is raised is noted and costs the file nothing but
        its description.
        """
        ...


@cache
def describers() -> dict[str, tuple[Describer, ...]]:
    """Return those that are plugged in by the media types they read; the built-in ones come last."""
    found: dict[str, tuple[Describer, ...]] = {}
    for describer in (
        *load_plugins(ENTRY_POINTS, "describer"),
        *(import_module(module).DESCRIBER for module in BUILT_IN),
    ):
        for media_type in describer.media_types:
            found[media_type] = (*found.get(media_type, ()), describer)
    return found


NANOSECONDS = 1_000_000_000

OnDescriberError = Callable[[str, str], None]  # is told a path and what is wrong with it


def file_media_type(file: FoundFile) -> str:
    """Return a file's media type: as its folder declares it, else by its name."""
    return guess_media_type(file.path, file.media_type)


class TimedFile(Protocol):
    """A file of which it is known when it was last written."""

    @property
    def mtime_ns(self) -> int:
        """In nanoseconds since 1970."""


def modified_second(file: TimedFile) -> int:
    """Return the Unix second in which a file was last modified, or the nearest that can be written down."""
    return min(max(file.mtime_ns // NANOSECONDS, EARLIEST_SECOND), LATEST_SECOND)


def http_header(file: FoundFile) -> bytes:
    """Return what GET would answer for a file, in the format http_header."""
    return write_http_header(file_media_type(file), file.size, modified_second(file))


def format_second(second: int) -> str:
    """Return a Unix second as OAI-PMH writes it."""
    return f"{datetime.fromtimestamp(second, UTC).isoformat()[:19]}Z"


def describe(folder: PublishedFolder, tree: Tree, file: FoundFile, *, on_trouble: OnDescriberError) -> bytes:
    """Return a file's description in oai_dc: what it says of itself, then what its folder says of it.

    `tree` is the look at the folder that it is opened in.
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
        except Exception as exc:  # noqa: BLE001 - a plug-in is somebody else's code, a file is anybody's
            on_trouble(file.path, f"{type(describer).__name__} failed: {type(exc).__name__}: {exc}")
