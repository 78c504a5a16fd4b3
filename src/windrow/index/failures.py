"""Tantivy's failures as errors of ours: whatever reads or writes its files does so in one of these blocks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from windrow.errors import StoreError, UsageError

REBUILD = "Build it anew: windrow index --rebuild"
_PANIC = "PanicException"  # of pyo3, which lets nobody import it; a BaseException, so that nobody catches it
_OF_FILES = ("corrupt", "io error", "ioerror", "failed to open")  # words of a ValueError that is no refusal


@contextmanager
def catching_panics() -> Iterator[None]:
    """Make a panic, which is how Tantivy meets files that it did not write so, an error like others."""
    try:
        yield
    except BaseException as exc:
        if type(exc).__name__ != _PANIC:
            raise
        raise StoreError(f"the index cannot be read: {exc}", hint=REBUILD) from exc


@contextmanager
def asking() -> Iterator[None]:
    """Tell what is wrong with the files from what is too much asked, such as a pattern for too many words."""
    try:
        with catching_panics():
            yield
    except ValueError as exc:
        if _is_of_files(exc):
            raise StoreError(f"the index cannot be read: {exc}", hint=REBUILD) from exc
        raise UsageError(
            "this is too intricate to be looked for",
            hint="Ask for less at a time, or begin patterns with more letters.",
        ) from exc


def _is_of_files(exc: ValueError) -> bool:
    """Whether the files are to blame: Tantivy says so, or what it gave cannot be decoded."""
    words = str(exc).lower()
    return type(exc) is not ValueError or any(word in words for word in _OF_FILES)
