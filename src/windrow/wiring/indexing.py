"""Keep the index of a library up to date with its store."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from windrow.index import feeder
from windrow.index.feeder import IndexUpdate
from windrow.wiring.sets import follow_roles

if TYPE_CHECKING:
    from windrow.index.feeder import Progress, StopSignal
    from windrow.wiring.library import Library


def follow_index(
    library: Library,
    *,
    owner: str = "windrow index",
    is_rebuilding: bool = False,
    is_waiting: bool = True,
    on_progress: Progress | None = None,
    stopper: StopSignal | None = None,
) -> IndexUpdate:
    """Update the index from the store, or rebuild it.

    If another version of Windrow, or a process with other settings, has rebuilt the index since this
    process started, the index is left to that process.
    """
    library.store.check_writable()
    follow_roles(library)
    if not is_rebuilding:
        library.index.look()  # damage is only noticed and recorded when the index is read
        if library.index.is_overtaken:
            return IndexUpdate(
                is_overtaken=True
            )  # the writer's lock is not taken either: its holder feeds the index
    done = feeder.follow(
        library.store,
        library.generations,
        owner=owner,
        is_rebuilding=is_rebuilding,
        is_waiting=is_waiting,
        was_ours=library.index.was_ours,
        on_progress=on_progress,
        stopper=stopper,
    )
    library.index.look()
    today = datetime.now(UTC).date()
    if done.is_built:
        feeder.note_embargoes(library.generations, today)
    elif not (done.is_busy or done.is_held or done.is_overtaken) and feeder.are_embargoes_due(
        library.generations, today
    ):
        done.put += feeder.reindex_ended_embargoes(library.store, library.generations, library.index, today)
        library.index.look()
    return done
