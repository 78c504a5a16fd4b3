"""The skip patterns of the settings. Pure; used by `rules`.

A pattern without a slash is a name, anywhere. One that ends with a slash is a folder's. One with a
slash before its end is a path from the top, in which `**` stands for any number of folders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from windrow.sources.files.name_patterns import match_any


@dataclass(frozen=True, slots=True)
class _Pattern:
    parts: tuple[str, ...]
    is_path: bool
    is_for_folders: bool


def is_skipped(path: str, skip: tuple[str, ...], *, is_folder: bool) -> bool:
    """Say whether a relative path is to be left out by itself; the folders above it are not looked at."""
    if not skip:
        return False
    names, paths = _sort_out(skip, is_folder=is_folder)
    if match_any(names)(path.rpartition("/")[2]):
        return True
    return bool(paths) and any(_matches(parts, path.split("/")) for parts in paths)


@lru_cache(maxsize=64)
def _sort_out(
    skip: tuple[str, ...], *, is_folder: bool
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Give the patterns for names and those for paths, each only if it can be about a file, or a folder."""
    patterns = [_read(text) for text in skip]
    meant = [pattern for pattern in patterns if pattern.parts and (is_folder or not pattern.is_for_folders)]
    names = tuple(pattern.parts[0] for pattern in meant if not pattern.is_path)
    return names, tuple(pattern.parts for pattern in meant if pattern.is_path)


def _read(text: str) -> _Pattern:
    parts = tuple(part for part in text.split("/") if part not in {"", "."})
    return _Pattern(parts, is_path="/" in text.rstrip("/"), is_for_folders=text.endswith("/"))


def _matches(pattern: Sequence[str], names: Sequence[str]) -> bool:
    """Match name by name, keeping every place in the pattern that can be reached: no backtracking."""
    places = _past_stars(pattern, {0})
    for name in names:
        stay = {place for place in places if place < len(pattern) and pattern[place] == "**"}
        move = {place + 1 for place in places if place < len(pattern) and match_any((pattern[place],))(name)}
        places = _past_stars(pattern, stay | move)
    return len(pattern) in places


def _past_stars(pattern: Sequence[str], places: set[int]) -> set[int]:
    """Add what follows each `**` that may stand for nothing; at the end it stands for something."""
    reached = set(places)
    for place in range(len(pattern) - 1):
        if place in reached and pattern[place] == "**":
            reached.add(place + 1)
    return reached
