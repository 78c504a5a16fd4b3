"""The sets that queries make: seen to have no mistakes, and brought up to date with the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windrow.store.records import derived_sets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from windrow.wiring.library import Library


def check_sets(library: Library) -> None:
    """See that the queries of virtual sets have no mistakes; ConfigError before anything is done."""
    if library.config.oai_sets:
        from windrow.harvest.set_membership import read_definitions  # noqa: PLC0415 - few libraries have any

        read_definitions(library.config.oai_sets.values())


def follow_sets(library: Library, *, is_remapped: bool = False) -> None:
    """Bring the members of virtual sets up to date; all of them anew where documents read differently."""
    if library.store.is_read_only:
        return  # whoever changes the library does this
    with library.store.reading() as connection:
        if not library.config.oai_sets and not derived_sets.list_virtual_sets(connection):
            return
    if is_remapped:
        with library.store.writing() as connection:
            derived_sets.reset_membership(connection)
    from windrow.harvest.set_membership import update_memberships  # noqa: PLC0415 - few libraries have any

    starts = library.config.portal.year_starts
    update_memberships(library.store, library.config.oai_sets.values(), year_starts=starts)


# What the sets of records say of them, brought up to date with the library and its settings.


def follow_roles(library: Library, *, changed: Sequence[str] = ()) -> bool:
    """Work out anew what sets say, where sets or settings changed; return whether that is something else.

    `changed` names sources whose records changed. No source is asked anything. Virtual sets follow: their
    queries may name institutions.
    """
    if library.store.is_read_only:
        return False  # whoever changes the library does this
    is_changed = derived_sets.update_set_roles(library.store, library.config.set_rules, changed=changed)
    if is_changed:
        follow_sets(library, is_remapped=True)
    return is_changed
