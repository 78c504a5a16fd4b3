"""Entry points of other packages: the extensions for the registries of formats and describers."""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder
from typing import Any

from windrow.errors import ConfigError


def load_plugins(group: str, noun: str) -> list[Any]:
    """Return the objects registered in a group; ConfigError, naming `noun`, if one is broken."""
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
    """Return whether any package may have entry points in the group.

    Nearly always none has, and reading a few files is much faster than loading `importlib.metadata`.
    """
    if any(hasattr(finder, "find_distributions") for finder in sys.meta_path if finder is not PathFinder):
        return True  # an importer that may have packages outside any folder
    return any(_names(place or os.curdir, f"[{group}]".encode()) for place in dict.fromkeys(sys.path))


def _names(place: str, section: bytes) -> bool:
    """Return whether a package in a folder has this section, or the place is no folder."""
    try:
        with os.scandir(place) as listing:
            packages = [
                each.path for each in listing if each.name.endswith((".dist-info", ".egg-info", ".egg"))
            ]
    except FileNotFoundError:
        return False
    except OSError:  # may be an archive with packages
        return True
    return any(path.endswith(".egg") or section in _entry_points(path) for path in packages)


def _entry_points(package: str) -> bytes:
    try:
        with open(os.path.join(package, "entry_points.txt"), "rb") as file:
            return file.read()
    except OSError:  # most packages have none
        return b""
