"""Damaged index files: errors of Tantivy as StoreError, and verification of checksums.

Tantivy ends each file with a checksum, but checks only what it must read to open the file. `find_damage`
reads everything, which takes seconds for a large index, and so runs only after a failure or on request.
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

# Every access to Tantivy's files runs in one of these blocks, which convert its failures.

REBUILD = "Build it anew: windrow index --rebuild"
# The name of pyo3's exception, which is not exported; a BaseException, so that it is not caught by accident.
_PANIC = "PanicException"
# Texts of a ValueError about files; the last is about a document that was found but is not stored.
_OF_FILES = ("corrupt", "io error", "ioerror", "failed to open", "failed to lookup")


@contextmanager
def catching_panics() -> Iterator[None]:
    """Convert a panic, Tantivy's reaction to corrupt files, into StoreError."""
    try:
        yield
    except BaseException as exc:
        if not _is_panic(exc):
            raise
        raise _unreadable(exc) from exc


class QueryGuard:
    """A block that distinguishes damaged files from excessive requests, such as a long pattern.

    `on_failure` is called if the files are to blame. One instance serves all threads and blocks: a context
    manager made by a generator for each query would cost as much as a word of the query.
    """

    __slots__ = ("_on_failure",)

    def __init__(self, on_failure: Callable[[], None]) -> None:
        self._on_failure = on_failure

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, exc: BaseException | None, _trace: object) -> None:
        if exc is None:
            return
        told = _describe_error(exc)
        if isinstance(told, StoreError):
            self._on_failure()
        if told is not exc:
            raise told from exc


def _describe_error(exc: BaseException) -> BaseException:
    """Return the exception to raise instead; often the same."""
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
    """Return whether the files are to blame: Tantivy reports it, or a stored value cannot be decoded."""
    words = str(exc).lower()
    return type(exc) is not ValueError or any(word in words for word in _OF_FILES)


_META, _MANAGED = "meta.json", ".managed.json"  # the segments, and the files that belong to Tantivy
_PARTS = ("fast", "fieldnorm", "idx", "pos", "store", "term")  # the files of each segment
_TAIL = Struct("<II")  # at the end of a file: the length of the JSON before it, and a magic number
_MAGIC = 1337
_MAX_FOOTER_LENGTH = 10_000
_BLOCK = 1 << 20
_ATTEMPTS = 5  # a writer may delete files during the check


def find_damage(folder: Path) -> str:
    """Return a description of the damage to a generation; "" if all files are intact.

    Also "" if that cannot be found out now, as with too many open files or without permission to read.
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
    """Yield the files that must exist."""
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
