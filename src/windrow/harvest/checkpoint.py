"""Where one list stands: its windows, when it was begun, where the next harvest starts.

Kept in the store, so that a killed run goes on from its last page; a look at a part of a list (`--from`,
`--until`, `--limit`) keeps its windows in memory only, and leaves no trace behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from windrow.harvest import windows
from windrow.harvest.server_time import GRACE
from windrow.harvest.windows import Stretch, fit
from windrow.harvest.work import Work
from windrow.model.run import Weight
from windrow.model.stamp import cut, read_stamp, write_stamp
from windrow.store import checkpoints, sources
from windrow.store.checkpoints import PLANNED, StoredWindow
from windrow.store.connection import Connection


class Checkpoint:
    """The windows of one list, (format, set)."""

    def __init__(self, work: Work, prefix: str, spec: str) -> None:
        self._work = work
        self._prefix = prefix
        self._spec = spec
        self._key = (work.source.id, prefix, spec)
        self._fleeting = 0  # windows kept in memory are numbered downwards
        self._started_at: str | None = None
        self.is_first = False  # the library has nothing of this list yet
        self.is_history = False  # from the beginning to now, not only what is new
        self.size: int | None = None  # of the list, when it was last harvested whole

    def open(self) -> list[StoredWindow]:
        """Give the windows that an earlier run left, or plan new ones."""
        work = self._work
        with work.store.writing() as connection:
            cursor = checkpoints.cursor(connection, *self._key)
            self.size = cursor.size if cursor else None
            found = [] if work.options.is_adhoc else self._left_over(connection)
            if not found:
                found = self._plan(connection)
        self._started_at = min((item.started_at for item in found if item.started_at), default=None)
        self.is_history = any(not item.since for item in found) and any(not item.until for item in found)
        if any(item.token for item in found):
            work.tell("resumed", "going on where an earlier run stopped", weight=Weight.NOTE)
        return found

    def _left_over(self, connection: Connection) -> list[StoredWindow]:
        """What an earlier run left, unless something else is wanted now."""
        if not self._is_as_before(connection):
            checkpoints.forget_list(connection, *self._key)
        elif self._work.options.is_full:
            checkpoints.discard_list(connection, *self._key)
        return checkpoints.left_over(connection, *self._key)

    def _is_as_before(self, connection: Connection) -> bool:
        """Is the source to be harvested from and until where it was? A list cut otherwise starts anew."""
        work, key = self._work, f"{self._prefix} {self._spec}"
        bounds = [work.settings.from_, work.settings.until]
        known = work.identity.get("bounds")
        known = known if isinstance(known, dict) else {}
        if known.get(key, [None, None]) == bounds:
            return True
        work.identity["bounds"] = {**known, key: bounds}
        sources.note(connection, work.source.id, identity=work.identity)
        return False

    def _plan(self, connection: Connection) -> list[StoredWindow]:
        work = self._work
        options, settings = work.options, work.settings
        cursor = checkpoints.cursor(connection, *self._key)
        since, until = options.since or settings.from_, options.until or settings.until
        is_going_on = cursor is not None and not options.is_full and not options.is_adhoc
        if is_going_on and cursor is not None:
            since = cursor.next_from or since
        self.is_first = cursor is None and not sources.has_records(connection, work.source.id)
        stretches = windows.plan(
            "none" if is_going_on else settings.window,
            fit(Stretch(since, until), work.granularity),
            earliest=work.earliest,
            now=work.now(),
            granularity=work.granularity,
        )
        return self._note(connection, stretches)

    def _note(self, connection: Connection, stretches: Sequence[Stretch]) -> list[StoredWindow]:
        work = self._work
        if not work.options.is_adhoc:
            planned = [(self._prefix, self._spec, item.since, item.until) for item in stretches]
            return checkpoints.plan(
                connection, work.source.id, work.run_id, planned, started_at=self._started_at
            )
        made: list[StoredWindow] = []
        for item in stretches:
            self._fleeting -= 1
            ends = (item.since, item.until)
            made.append(
                StoredWindow(
                    self._fleeting, self._prefix, self._spec, *ends, PLANNED, None, 0, None, self._started_at
                )
            )
        return made

    def replace(self, old: Sequence[StoredWindow], stretches: Sequence[Stretch]) -> list[StoredWindow]:
        """Put other windows in the place of these."""
        with self._work.store.writing() as connection:
            for window in old:
                checkpoints.drop(connection, window.id)
            return self._note(connection, stretches)

    def restart(self, window: StoredWindow) -> StoredWindow:
        """Take a window back to its start."""
        fresh = replace(window, token=None, seen=0, claimed=None)
        with self._work.store.writing() as connection:
            checkpoints.advance(
                connection, window.id, token=None, seen=0, claimed=None, started_at=window.started_at
            )
        return fresh

    def begun(self, started_at: str | None) -> None:
        """Note when the repository says it is: the first time counts for the whole list."""
        self._started_at = self._started_at or started_at

    @property
    def started_at(self) -> datetime | None:
        """The repository's own time at the start of this list."""
        return read_stamp(self._started_at or "")

    def close(self, window: StoredWindow, *, seen: int, claimed: int | None) -> None:
        """Note that a window came to its end."""
        with self._work.store.writing() as connection:
            checkpoints.advance(
                connection, window.id, token=None, seen=seen, claimed=claimed, started_at=self._started_at
            )
            checkpoints.finish(connection, window.id)

    def finish(self, *, size: int, is_complete: bool) -> None:
        """All windows are through. Where nothing lacks, the next harvest starts where this one did."""
        work = self._work
        if work.options.is_adhoc:
            return
        with work.store.writing() as connection:
            if is_complete:
                checkpoints.move_cursor(
                    connection,
                    *self._key,
                    next_from=self._next_from(),
                    size=size if self.is_history else None,
                    run_id=work.run_id,
                )
            checkpoints.discard_list(connection, *self._key)

    def _next_from(self) -> str:
        """The server's own time at the start, cut to its granularity; never the newest datestamp."""
        moment = self.started_at or self._work.now() - GRACE  # no page of it came: nothing to be missed
        return write_stamp(cut(moment, self._work.granularity), self._work.granularity)
