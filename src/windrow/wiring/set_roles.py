"""What the sets of records say of them, brought up to date with the library and its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windrow.store import set_roles
from windrow.wiring.virtual_sets import follow_sets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from windrow.wiring.library import Library


def follow_roles(library: Library, *, changed: Sequence[str] = ()) -> bool:
    """Work out anew what sets say, where sets or settings changed; return whether that is something else.

    `changed` names sources whose records changed. No source is asked anything. Virtual sets follow: their
    queries may name institutions.
    """
    if library.store.is_read_only:
        return False  # whoever changes the library does this
    is_changed = set_roles.follow(library.store, library.config.set_rules, changed=changed)
    if is_changed:
        follow_sets(library, is_remapped=True)
    return is_changed
