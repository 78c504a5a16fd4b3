"""Which sources a job harvests, by its command line: for the pages, and for who adds a source."""

from __future__ import annotations

from windrow.config.jobs import JobSettings
from windrow.config.schema import Config

_HARVEST, _COLLECTION = "harvest", "collection"
_TAKING_IN = frozenset({"import", "update"})  # what is done to a collection and harvests its sources


def sources_of(job: JobSettings, config: Config) -> frozenset[str]:
    """Give the names of the sources that a job harvests; none where it does something else."""
    words = job.words
    if words[0] == _HARVEST:
        return frozenset(words[1:]) & config.sources.keys() or _enabled(config)
    if words[0] == _COLLECTION and words[1:2] and words[1] in _TAKING_IN:
        names = [word for word in words[2:] if not word.startswith("-")]
        return (
            frozenset(source for name in names for source in _of(name, config)) if names else _enabled(config)
        )
    return frozenset()


def _of(name: str, config: Config) -> tuple[str, ...]:
    """Give the sources of a collection, or the one that is called so."""
    if name in config.collections:
        return tuple(config.collections[name].sources)
    return (name,) if name in config.sources else ()


def _enabled(config: Config) -> frozenset[str]:
    return frozenset(name for name, each in config.sources.items() if each.enabled)
