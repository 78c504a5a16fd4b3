"""Which sources a job harvests, derived from its command line.

Pages show it, and `source add` uses it to report whether a job will harvest the new source.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from windrow.config.job_settings import JobSettings
from windrow.config.loader import load
from windrow.config.schema import FILE_NAME, Config
from windrow.errors import WindrowError

# Jobs can be added while the library is being served, so pages that show them read windrow.toml again.

_Looks = tuple[int, int, int]


def current_config(config: Config) -> Config:
    """Return the settings as they are now; the given ones if the file is missing or wrong."""
    try:
        found = (config.path / FILE_NAME).stat()
    except OSError:
        return config
    return _read(config.path, (found.st_mtime_ns, found.st_size, found.st_ino)) or config


@lru_cache(maxsize=16)
def _read(folder: Path, looks: _Looks) -> Config | None:  # noqa: ARG001 - part of the cache key: changes with the file
    try:
        return load(folder, environ=os.environ)
    except (WindrowError, OSError):
        return None


_HARVEST, _COLLECTION = "harvest", "collection"
# Options of `harvest` whose next word is a value, not a source; a test compares them with the command.
WITH_VALUE = frozenset({"--from", "--until", "--set", "--format", "--limit", "--jobs", "-j"})
_TAKING_IN = frozenset({"import", "update"})  # verbs of `collection` that harvest its sources


def sources_of(job: JobSettings, config: Config) -> frozenset[str]:
    """Return the names of the sources that a job harvests; empty if it does something else."""
    names = names_in(job)
    if names is None:
        return frozenset()
    if not names:
        return _enabled(config)
    return frozenset(source for name in names for source in _sources_named(name, config))


def names_in(job: JobSettings) -> list[str] | None:
    """Return the names of what a job harvests, existing or not: [] means all; None: it does not harvest."""
    words = job.words
    if words[0] == _HARVEST:
        return list(_positional_arguments(words[1:]))
    if words[0] == _COLLECTION and words[1:2] and words[1] in _TAKING_IN:
        return list(_positional_arguments(words[2:]))
    return None


def _positional_arguments(words: Sequence[str]) -> Iterator[str]:
    before = ""
    for word in words:
        if not word.startswith("-") and before not in WITH_VALUE:
            yield word
        before = word


def _sources_named(name: str, config: Config) -> tuple[str, ...]:
    """Return the sources of a collection, or the source of that name."""
    if name in config.collections:
        return tuple(config.collections[name].sources)
    return (name,) if name in config.sources else ()


def _enabled(config: Config) -> frozenset[str]:
    return frozenset(name for name, each in config.sources.items() if each.enabled)
