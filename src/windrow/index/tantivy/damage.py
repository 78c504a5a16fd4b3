"""Whether the files of a generation are as they were written: Tantivy ends each with a checksum.

It looks at them only as far as it must to open them, and believes the rest. This reads all: seconds for a
large index, and so only for whoever has a reason to ask.
"""

from __future__ import annotations

import errno
import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import SEEK_END
from pathlib import Path
from struct import Struct

from windrow.errors import QueryTooCostly, StoreError

# Tantivy's failures as errors of ours: whatever reads or writes its files does so in one of these blocks.

REBUILD = "Build it anew: windrow index --rebuild"
_PANIC = "PanicException"  # of pyo3, which lets nobody import it; a BaseException, so that nobody catches it
# Words of a ValueError that is no refusal; the last one's is a document that was found and is not there.
_OF_FILES = ("corrupt", "io error", "ioerror", "failed to open", "failed to lookup")


@contextmanager
def catching_panics() -> Iterator[None]:
    """Make a panic, which is how Tantivy meets files that it did not write so, an error like others."""
    try:
        yield
    except BaseException as exc:
        if not _is_panic(exc):
            raise
        raise _unreadable(exc) from exc


class QueryGuard:
    """A block that tells what is wrong with the files from what is too much asked, such as a long pattern.

    `on_failure` is called where the files are to blame. One serves all threads, block after block: around
    each question, a block made anew by a generator would cost as much as a word of it.
    """

    __slots__ = ("_on_failure",)

    def __init__(self, on_failure: Callable[[], None]) -> None:
        self._on_failure = on_failure

    def __enter__(self) -> None:
        """Nothing is done before anything fails."""

    def __exit__(self, _kind: object, exc: BaseException | None, _trace: object) -> None:
        if exc is None:
            return
        told = _describe_error(exc)
        if isinstance(told, StoreError):
            self._on_failure()
        if told is not exc:
            raise told from exc


def _describe_error(exc: BaseException) -> BaseException:
    """What to say instead of an exception; most say enough themselves."""
    if _is_panic(exc) or (isinstance(exc, ValueError) and _is_of_files(exc)):
        return _unreadable(exc)
    if isinstance(exc, ValueError):
        return QueryTooCostly("patterns")
    return exc


def _unreadable(exc: BaseException) -> StoreError:
    return StoreError(f"the index cannot be read: {exc}", hint=REBUILD)


def _is_panic(exc: BaseException) -> bool:
    return type(exc).__name__ == _PANIC


def _is_of_files(exc: ValueError) -> bool:
    """Return whether the files are to blame: Tantivy says so, or what it gave cannot be decoded."""
    words = str(exc).lower()
    return type(exc) is not ValueError or any(word in words for word in _OF_FILES)


_META, _MANAGED = "meta.json", ".managed.json"  # which segments there are, and which files are Tantivy's
_PARTS = ("fast", "fieldnorm", "idx", "pos", "store", "term")  # the files of each segment
_TAIL = Struct("<II")  # at a file's end: how long the JSON before it is, and the number that is always there
_MAGIC = 1337
_MAX_FOOTER_LENGTH = 10_000
_BLOCK = 1 << 20
_ATTEMPTS = 5  # a writer may take files away while they are looked at


def find_damage(folder: Path) -> str:
    """What is wrong with a generation, in words; nothing if all is as it was written.

    Nothing, too, if that cannot be found out now: there may be too many files open, or no right to read.
    """
    found = ""
    try:
        for _ in range(_ATTEMPTS):
            before = _read(folder / _META)
            found = _look(folder, before)
            if not found or _read(folder / _META) == before:
                break
    except OSError as exc:
        return f"the disk cannot read it: {exc.strerror}" if exc.errno == errno.EIO else ""
    return found


def _look(folder: Path, meta: bytes) -> str:
    try:
        names = list(_names(meta))
    except (ValueError, TypeError, LookupError):
        return f"{_META} cannot be read"
    if not _is_json(_read(folder / _MANAGED)):
        return f"{_MANAGED} cannot be read"
    return next(filter(None, (_fault(folder / name) for name in names)), "")


def _names(meta: bytes) -> Iterator[str]:
    """The files that there must be."""
    for segment in json.loads(meta)["segments"]:
        stem = str(segment["segment_id"]).replace("-", "")
        yield from (f"{stem}.{part}" for part in _PARTS)
        if segment["deletes"]:
            yield f"{stem}.{segment['deletes']['opstamp']}.del"


def _fault(path: Path) -> str:
    try:
        is_right = _is_right(path)
    except FileNotFoundError:
        return f"{path.name} is missing"
    except (ValueError, TypeError, LookupError):
        is_right = False
    return "" if is_right else f"{path.name} is not as it was written"


def _is_right(path: Path) -> bool:
    with path.open("rb") as file:
        size = file.seek(0, SEEK_END)
        if size < _TAIL.size:
            return False
        file.seek(size - _TAIL.size)
        length, magic = _TAIL.unpack(file.read(_TAIL.size))
        rest = size - _TAIL.size - length
        if magic != _MAGIC or length > _MAX_FOOTER_LENGTH or rest < 0:
            return False
        file.seek(rest)
        wanted = json.loads(file.read(length))["crc"]
        file.seek(0)
        found = 0
        while rest and (block := file.read(min(_BLOCK, rest))):
            found, rest = zlib.crc32(block, found), rest - len(block)
    return bool(found == wanted)


def _is_json(content: bytes) -> bool:
    try:
        json.loads(content)
    except ValueError:
        return False
    return True


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
