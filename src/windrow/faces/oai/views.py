"""What answers at an address: the whole library, a collection or one source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from windrow.config.schema import Config
from windrow.config.source_kinds import kind_of
from windrow.errors import NotFound


@dataclass(frozen=True, slots=True)
class View:
    """A repository of ours: its name in the address, what people call it, the sources it is made of."""

    name: str
    title: str
    sources: tuple[str, ...]
    origins: Mapping[str, str]  # the base URLs of those that were harvested from another repository
    is_one: bool  # one source as it is; in others, each source is a set that holds its own
    keeps_stamps: bool = False  # its records are dated as in the source: files, by their modification


def find_view(config: Config, name: str) -> View:
    """Give the repository of this name, "" for the whole library."""
    library = config.oai.name or config.library.name or config.path.resolve().name
    origins = {each.name: each.url for each in config.sources.values() if kind_of(each).is_repository}
    if not name:
        return View("", library, tuple(config.sources), origins, is_one=False)
    collection = config.collections.get(name)
    if collection is not None:
        return View(name, collection.title or name, collection.sources, origins, is_one=False)
    source = config.sources.get(name)
    if source is None:
        raise NotFound(f"there is no source or collection {name!r}")
    keeps_stamps = kind_of(source).keeps_datestamps
    return View(name, f"{library}: {name}", (name,), origins, is_one=True, keeps_stamps=keeps_stamps)
