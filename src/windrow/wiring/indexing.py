"""The index of a library, brought up to date with its store."""

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
    """Bring the index up to date with the store, or build it anew.

    One that another version of Windrow, or a process with other settings, has rebuilt since this process
    began is left to that process.
    """
    library.store.check_writable()
    follow_roles(library)
    if not is_rebuilding:
        library.index.look()  # only who reads the index notices that it is damaged, and notes it
        if library.index.is_overtaken:
            return IndexUpdate(
                is_overtaken=True
            )  # not even the right to write is taken: whoever has it feeds it
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
