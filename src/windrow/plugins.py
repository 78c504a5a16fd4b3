"""What other packages bring: entry points, loaded for the registries of formats and of describers."""

from __future__ import annotations

from typing import Any

from windrow.errors import ConfigError


def plugged_in(group: str, noun: str) -> list[Any]:
    """Give what installed packages offer under a group; ConfigError, in the noun's name, if one is broken."""
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
