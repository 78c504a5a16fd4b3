"""What commands that ask the index see to first: that there is one, and how far behind the library it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windrow.cli.terminal import hint, plural
from windrow.errors import UsageError

if TYPE_CHECKING:
    from windrow.wiring import Library


def check_indexed(opened: Library, *, purpose: str) -> None:
    """See that there is an index; where it lacks changes, say so on stderr."""
    from windrow.index.feeder import changes_behind

    name = opened.generations.current()
    state = opened.generations.state(name) if name else None
    if state is None:
        raise UsageError(f"there is no index to {purpose} yet", hint="Make it: windrow index")
    behind = changes_behind(opened.store, state.cursor)
    if behind:
        hint(f"{plural(behind, 'change')} of the library are not indexed yet: windrow index")
