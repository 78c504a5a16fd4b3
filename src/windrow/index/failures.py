"""Tantivy's failures as errors of ours: whatever reads or writes its files does so in one of these blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from windrow.errors import QueryTooCostly, StoreError

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


class Asking:
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
        told = _told(exc)
        if isinstance(told, StoreError):
            self._on_failure()
        if told is not exc:
            raise told from exc


def _told(exc: BaseException) -> BaseException:
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
    """Whether the files are to blame: Tantivy says so, or what it gave cannot be decoded."""
    words = str(exc).lower()
    return type(exc) is not ValueError or any(word in words for word in _OF_FILES)
