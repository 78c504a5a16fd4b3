"""Which sources a job harvests, by its command line: for the pages, and for who adds a source."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from windrow.config.job_settings import JobSettings
from windrow.config.loader import load
from windrow.config.schema import FILE_NAME, Config
from windrow.errors import WindrowError

# The settings as windrow.toml has them now, for who shows jobs: those are added while it serves.

_Looks = tuple[int, int, int]


def current_config(config: Config) -> Config:
    """Return these settings as they are now; as they were, where the file is gone or wrong."""
    try:
        found = (config.path / FILE_NAME).stat()
    except OSError:
        return config
    return _read(config.path, (found.st_mtime_ns, found.st_size, found.st_ino)) or config


@lru_cache(maxsize=16)
def _read(folder: Path, looks: _Looks) -> Config | None:  # noqa: ARG001 - another look is another file
    try:
        return load(folder, environ=os.environ)
    except (WindrowError, OSError):
        return None


_HARVEST, _COLLECTION = "harvest", "collection"
# Options of `harvest` whose next word is their value, and so no source; a test holds it to the command.
WITH_VALUE = frozenset({"--from", "--until", "--set", "--format", "--limit", "--jobs", "-j"})
_TAKING_IN = frozenset({"import", "update"})  # what is done to a collection and harvests its sources


def sources_of(job: JobSettings, config: Config) -> frozenset[str]:
    """Return the names of the sources that a job harvests; none where it does something else."""
    names = names_in(job)
    if names is None:
        return frozenset()
    if not names:
        return _enabled(config)
    return frozenset(source for name in names for source in _sources_named(name, config))


def names_in(job: JobSettings) -> list[str] | None:
    """Return what a job names to be harvested, there or not: none is everything; None: it harvests nothing."""
    words = job.words
    if words[0] == _HARVEST:
        return list(_positional_arguments(words[1:]))
    if words[0] == _COLLECTION and words[1:2] and words[1] in _TAKING_IN:
        return list(_positional_arguments(words[2:]))
    return None


def _positional_arguments(words: Sequence[str]) -> Iterator[str]:
    """Yield the words that are neither options nor their values."""
    before = ""
    for word in words:
        if not word.startswith("-") and before not in WITH_VALUE:
            yield word
        before = word


def _sources_named(name: str, config: Config) -> tuple[str, ...]:
    """Return the sources of a collection, or the one that is called so."""
    if name in config.collections:
        return tuple(config.collections[name].sources)
    return (name,) if name in config.sources else ()


def _enabled(config: Config) -> frozenset[str]:
    return frozenset(name for name, each in config.sources.items() if each.enabled)
