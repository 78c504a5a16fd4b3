"""A library: one folder with its configuration, and the parts that are opened on first use."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from windrow.config.loader import find_library, load
from windrow.config.network_values import mask_mistyped
from windrow.config.schema import FILE_NAME, Config, SourceSettings
from windrow.errors import NotFound, UsageError, unwritable
from windrow.permissions import PRIVATE_FOLDER, create_private

if TYPE_CHECKING:
    from windrow.config.secrets import Mask
    from windrow.config.type_tables import TypeTables
    from windrow.extract.picture_store import PictureStore
    from windrow.extract.pool import Pool
    from windrow.index.generations import Generations
    from windrow.index.tantivy.live_index import LiveIndex
    from windrow.net.politeness import Hosts
    from windrow.search.databases import Databases
    from windrow.stats.charts.drawing import Drawer
    from windrow.store.store import Store
    from windrow.vocabularies.vocabulary_expansion import LiveExpander

INDEX = "index"  # the folder of the index, inside the library's


class Library:
    """One folder: its configuration is read at once, everything else on first use.

    Callbacks in `closing` run before the store is closed.
    """

    def __init__(self, config: Config, *, environ: Mapping[str, str]) -> None:
        self.config = config
        self.environ = environ
        self.closing = ExitStack()
        self._store: Store | None = None

    @property
    def folder(self) -> Path:
        return self.config.path

    @property
    def store(self) -> Store:
        """The store, opened and migrated on first use."""
        if self._store is None:
            from windrow.store.store import open_store  # noqa: PLC0415

            self._store = open_store(self.folder)
        return self._store

    @cached_property
    def types(self) -> TypeTables:
        """The tables of types, with the additions of the settings."""
        from windrow.config.type_tables import type_tables  # noqa: PLC0415

        return type_tables(self.config)

    @cached_property
    def index(self) -> LiveIndex:
        """The index, always in its newest state; empty until it is built."""
        from windrow.index.tantivy.live_index import LiveIndex  # noqa: PLC0415 - Tantivy is not needed everywhere

        return LiveIndex(self.folder / INDEX, types=self.types, year_starts=self.config.portal.year_starts)

    @cached_property
    def databases(self) -> Databases:
        """The databases of SRU and Z39.50: the library, its collections, sources and vocabularies."""
        from windrow.search.databases import library_databases  # noqa: PLC0415 - not needed everywhere
        from windrow.search.record_schemas import schema_lister  # noqa: PLC0415
        from windrow.vocabularies.zthes_database import VocabularyDatabases  # noqa: PLC0415

        return library_databases(
            self.config,
            self.index,
            self.store,
            schemas=schema_lister(self.store),
            others=VocabularyDatabases(self.store),
            expander=self.expander,
        )

    @cached_property
    def expander(self) -> LiveExpander | None:
        """The expansion of searches with vocabularies; None if no field is bound to one."""
        from windrow.vocabularies.vocabulary_expansion import make_expander  # noqa: PLC0415 - not needed everywhere

        return make_expander(self.config, self.store)

    @cached_property
    def generations(self) -> Generations:
        from windrow.index.generations import Generations  # noqa: PLC0415

        return Generations(self.folder / INDEX, self.types)

    @cached_property
    def drawer(self) -> Drawer:
        from windrow.stats.charts.drawing import Drawer  # noqa: PLC0415

        drawer = Drawer()
        self.closing.callback(drawer.engine.close)
        return drawer

    @cached_property
    def pool(self) -> Pool:
        """The process pool that reads documents, shared by all sources and pages."""
        from windrow.wiring.folder_source import make_pool  # noqa: PLC0415 - not needed without documents

        return make_pool(self)

    @cached_property
    def derived(self) -> PictureStore:
        from windrow.wiring.folder_source import make_derived  # noqa: PLC0415

        return make_derived(self)

    @cached_property
    def hosts(self) -> Hosts:
        """One request at a time to each host, for all clients of the library together."""
        from windrow.net.politeness import Hosts  # noqa: PLC0415

        return Hosts()

    @cached_property
    def mask(self) -> Mask:
        from windrow.config.secrets import mask_for  # noqa: PLC0415

        return mask_for(self.config, self.environ)

    def source(self, name: str) -> SourceSettings:
        """Return the settings of a source; the error lists the available ones."""
        found = self.config.sources.get(name)
        if found is None:
            known = ", ".join(sorted(self.config.sources)) or "none yet"
            shown = mask_mistyped(name)  # an address may have been given by mistake
            raise NotFound(f"there is no source {shown!r}", hint=f"The sources of this library: {known}.")
        return found

    def members(self, name: str = "") -> list[SourceSettings]:
        """Return the enabled sources of a collection, the source of that name, or without one, all."""
        sources, collection = self.config.sources, self.config.collections.get(name)
        if collection is None and name:
            if name in sources:
                return [sources[name]]
            known = ", ".join([*sorted(self.config.collections), *sorted(sources)]) or "none yet"
            raise NotFound(
                f"there is no collection {mask_mistyped(name)!r}", hint=f"Collections and sources: {known}."
            )
        names = sources if collection is None else collection.sources
        return [sources[each] for each in names if sources[each].enabled]

    def close(self) -> None:
        """Run the callbacks in `closing`, last first, and close the store."""
        self.closing.close()
        if self._store is not None:
            self._store.close()
            self._store = None


def open_library(
    explicit: str | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
) -> Library:
    """Open the library that was named, or the one at or above the working folder."""
    environ = os.environ if environ is None else environ
    folder = find_library(explicit, environ, Path.cwd())
    return Library(load(folder, environ=environ, flags=flags or {}), environ=environ)


def create_library(folder: Path, *, name: str | None = None) -> Path:
    """Create a library in a folder, named after it by default; existing files are kept."""
    from windrow.config.settings_reference import sample  # noqa: PLC0415
    from windrow.store.store import create_store  # noqa: PLC0415

    try:
        if (folder / FILE_NAME).exists():
            raise UsageError(f"{folder} is a library already", hint="`windrow doctor` looks it over.")
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"{folder} is a file; a library is a folder", hint="Choose another name.")
        folder.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
        # SQLite would only report that the database cannot be opened; the system reports why.
        tempfile.TemporaryFile(dir=folder).close()
        create_store(folder).close()
        create_private(folder / FILE_NAME, sample(name or folder.resolve().name).encode())
    except OSError as exc:
        raise unwritable(folder, exc) from exc
    return folder
