"""Virtual sets and set roles: checked, and kept up to date with the store and the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windrow.store.records import derived_sets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from windrow.wiring.library import Library


def check_sets(library: Library) -> None:
    """Check the queries of virtual sets; ConfigError before anything is done."""
    if library.config.oai_sets:
        from windrow.harvest.set_membership import read_definitions  # noqa: PLC0415 - few libraries have any

        read_definitions(library.config.oai_sets.values())


def follow_sets(library: Library, *, is_remapped: bool = False) -> None:
    """Update the members of virtual sets; completely if documents are mapped differently."""
    if library.store.is_read_only:
        return  # done by the process that changes the library
    with library.store.reading() as connection:
        if not library.config.oai_sets and not derived_sets.list_virtual_sets(connection):
            return
    if is_remapped:
        with library.store.writing() as connection:
            derived_sets.reset_membership(connection)
    from windrow.harvest.set_membership import update_memberships  # noqa: PLC0415 - few libraries have any

    starts = library.config.portal.year_starts
    update_memberships(library.store, library.config.oai_sets.values(), year_starts=starts)


def follow_roles(library: Library, *, changed: Sequence[str] = ()) -> bool:
    """Recompute the roles of sets if sets or settings changed. Return whether the roles changed.

    `changed` names sources whose records changed. No source is contacted. Virtual sets are updated too,
    because their queries may name institutions.
    """
    if library.store.is_read_only:
        return False  # done by the process that changes the library
    is_changed = derived_sets.update_set_roles(library.store, library.config.set_rules, changed=changed)
    if is_changed:
        follow_sets(library, is_remapped=True)
    return is_changed
