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
        named = frozenset(words[1:]) & config.sources.keys()
        return named or frozenset(name for name, each in config.sources.items() if each.enabled)
    if words[0] == _COLLECTION and words[1:2] and words[1] in _TAKING_IN:
        groups = (config.collections[name].sources for name in words[2:] if name in config.collections)
        return frozenset(source for group in groups for source in group)
    return frozenset()
