"""The sets that queries make: seen to have no mistakes, and brought up to date with the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windrow.store import virtual_sets

if TYPE_CHECKING:
    from windrow.wiring.library import Library


def check_sets(library: Library) -> None:
    """See that the queries of virtual sets have no mistakes; ConfigError before anything is done."""
    if library.config.oai_sets:
        from windrow.harvest.virtual_sets import read_definitions  # noqa: PLC0415 - few libraries have any

        read_definitions(library.config.oai_sets.values())


def follow_sets(library: Library, *, is_remapped: bool = False) -> None:
    """Bring the members of virtual sets up to date; all of them anew where documents read differently."""
    if library.store.is_read_only:
        return  # whoever changes the library does this
    with library.store.reading() as connection:
        if not library.config.oai_sets and not virtual_sets.definitions(connection):
            return
    if is_remapped:
        with library.store.writing() as connection:
            virtual_sets.restart(connection)
    from windrow.harvest.virtual_sets import follow  # noqa: PLC0415 - few libraries have any

    starts = library.config.portal.year_starts
    follow(library.store, library.config.oai_sets.values(), year_starts=starts)
