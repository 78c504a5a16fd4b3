"""What commands that ask the index see to first: that there is one, and how far behind the library it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windrow.cli.terminal import hint, iso_moment, plural
from windrow.errors import UsageError

if TYPE_CHECKING:
    from windrow.wiring import Library


def check_indexed(opened: Library, *, purpose: str) -> None:
    """See that there is an index and that it can be read; where it lacks changes, say so on stderr."""
    from windrow.index.feeder import LET_GO, changes_behind
    from windrow.index.live import NONE

    opened.index.check()
    found = opened.generations.current_state()
    if found is None:
        raise UsageError(f"there is no index to {purpose} yet", hint="Make it: windrow index")
    if opened.index.generation == NONE:
        raise UsageError("another version of Windrow made the index", hint="Make it anew: windrow index")
    behind = changes_behind(opened.store, found[1].cursor)
    held = opened.generations.hold()
    if held is not None:
        since = iso_moment(held.since)
        hint(f"{found[0]} is held since {since}, behind by {plural(behind, 'change')}. {LET_GO}")
    elif behind:
        hint(f"{plural(behind, 'change')} of the library are not indexed yet: windrow index")
