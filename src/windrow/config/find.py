"""Which folder is the library: the first thing every command asks."""

from __future__ import annotations

import os.path
from collections.abc import Mapping
from pathlib import Path

from windrow.config.schema import FILE_NAME
from windrow.errors import LibraryMissing

VARIABLE = "WINDROW_LIBRARY"


def find_library(explicit: str | None, environ: Mapping[str, str], cwd: Path) -> Path:
    """Give the library's folder: the one named, else WINDROW_LIBRARY's, else the one at hand or above it."""
    if explicit is not None:
        return _named(explicit, "--library", cwd)
    if environ.get(VARIABLE):
        return _named(environ[VARIABLE], VARIABLE, cwd)
    for folder in (cwd, *cwd.parents):
        if _is_library(folder):
            return folder
    raise LibraryMissing(f"There is no {FILE_NAME} in {cwd} or any folder above it.")


def _named(folder: str, who: str, cwd: Path) -> Path:
    path = cwd / folder
    if not _is_library(path):
        raise LibraryMissing(f"{who} says {folder!r}, but there is no {FILE_NAME} in {path}.")
    return path


def _is_library(folder: Path) -> bool:
    # Unlike Path.is_file, this says no where looking is forbidden or the name is impossible.
    return os.path.isfile(folder / FILE_NAME)
