"""What other packages bring: entry points, loaded for the registries of formats and of describers."""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder
from typing import Any

from windrow.errors import ConfigError


def load_plugins(group: str, noun: str) -> list[Any]:
    """Return what installed packages offer under a group; ConfigError, in the noun's name, if one is broken."""
    if not _is_offered(group):
        return []
    from importlib.metadata import entry_points  # noqa: PLC0415 - seldom needed, and slow to import

    loaded = []
    for entry in entry_points(group=group):
        try:
            loaded.append(entry.load())
        except (ImportError, AttributeError) as exc:
            raise ConfigError(
                f"the {noun} {entry.name} ({entry.value}) cannot be loaded: {exc}",
                hint="Reinstall the package that brings it, or remove it.",
            ) from exc
    return loaded


def _is_offered(group: str) -> bool:
    """Return whether anybody may offer something. Nearly always nobody does, and a look at files soon tells so."""
    if any(hasattr(finder, "find_distributions") for finder in sys.meta_path if finder is not PathFinder):
        return True  # which may know packages that lie in no folder
    return any(_names(place or os.curdir, f"[{group}]".encode()) for place in dict.fromkeys(sys.path))


def _names(place: str, section: bytes) -> bool:
    """Return whether a package in a folder has such a section among its entry points, or the place is no folder."""
    try:
        with os.scandir(place) as listing:
            packages = [
                each.path for each in listing if each.name.endswith((".dist-info", ".egg-info", ".egg"))
            ]
    except FileNotFoundError:
        return False
    except OSError:  # an archive with packages in it, perhaps
        return True
    return any(path.endswith(".egg") or section in _entry_points(path) for path in packages)


def _entry_points(package: str) -> bytes:
    try:
        with open(os.path.join(package, "entry_points.txt"), "rb") as file:
            return file.read()
    except OSError:  # most have none
        return b""
