"""Which sources a job harvests, by its command line: for the pages, and for who adds a source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from windrow.config.jobs import JobSettings
from windrow.config.schema import Config

_HARVEST, _COLLECTION = "harvest", "collection"
# Options of `harvest` whose next word is their value, and so no source; a test holds it to the command.
WITH_VALUE = frozenset({"--from", "--until", "--set", "--format", "--limit", "--jobs", "-j"})
_TAKING_IN = frozenset({"import", "update"})  # what is done to a collection and harvests its sources


def sources_of(job: JobSettings, config: Config) -> frozenset[str]:
    """Give the names of the sources that a job harvests; none where it does something else."""
    names = names_in(job)
    if names is None:
        return frozenset()
    if not names:
        return _enabled(config)
    return frozenset(source for name in names for source in _of(name, config))


def names_in(job: JobSettings) -> list[str] | None:
    """Give what a job names to be harvested, there or not: none is everything; None: it harvests nothing."""
    words = job.words
    if words[0] == _HARVEST:
        return list(_arguments(words[1:]))
    if words[0] == _COLLECTION and words[1:2] and words[1] in _TAKING_IN:
        return list(_arguments(words[2:]))
    return None


def _arguments(words: Sequence[str]) -> Iterator[str]:
    """Give the words that are neither options nor their values."""
    before = ""
    for word in words:
        if not word.startswith("-") and before not in WITH_VALUE:
            yield word
        before = word


def _of(name: str, config: Config) -> tuple[str, ...]:
    """Give the sources of a collection, or the one that is called so."""
    if name in config.collections:
        return tuple(config.collections[name].sources)
    return (name,) if name in config.sources else ()


def _enabled(config: Config) -> frozenset[str]:
    return frozenset(name for name, each in config.sources.items() if each.enabled)
