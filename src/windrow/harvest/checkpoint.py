"""Where one list stands: its windows, when it was begun, where the next harvest starts.

Kept in the store, so that a killed run goes on from its last page; a look at a part of a list (`--from`,
`--until`, `--limit`) keeps its windows in memory only, and leaves no trace behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from windrow.harvest import windows
from windrow.harvest.server_time import GRACE
from windrow.harvest.windows import Stretch, fit
from windrow.harvest.work import Work
from windrow.model.run import Weight
from windrow.model.stamp import Granularity, cut, read_stamp, write_stamp
from windrow.store import checkpoints, listed, sources
from windrow.store.checkpoints import PLANNED, StoredWindow
from windrow.store.connection import Connection

MAX_AUTO_OVERLAP = timedelta(days=3)
USUAL_PAGE = 50  # records, where the size of a source's pages is not known yet


class Checkpoint:
    """The windows of one list, (format, set)."""

    def __init__(self, work: Work, prefix: str, spec: str, *, is_again: bool = False) -> None:
        self._work = work
        self._is_again = is_again  # all of the list once more, beside the harvest proper
        self._is_fleeting = work.options.is_adhoc or is_again
        self._prefix = prefix
        self._spec = spec
        self._key = (work.source.id, prefix, spec)
        self._fleeting = 0  # windows kept in memory are numbered downwards
        self._started_at: str | None = None
        self.since: str | None = None  # where the last harvest of this list began; None if none was complete
        self.is_resumed = False  # an earlier run has left windows
        self.is_history = False  # from the beginning to now, not only what is new
        self.size: int | None = None  # of the list, when it was last harvested whole

    def open(self) -> list[StoredWindow]:
        """Give the windows that an earlier run left, or plan new ones."""
        work = self._work
        with work.store.writing() as connection:
            found = [] if self._is_fleeting else self._left_over(connection)
            cursor = checkpoints.cursor(connection, *self._key)
            self.size = cursor.size if cursor else None
            self.since = cursor.next_from if cursor else None
            self.is_resumed = bool(found)
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
        is_going_on = cursor is not None and not options.is_full and not self._is_fleeting
        if is_going_on and cursor is not None:
            since = self._with_overlap(connection, cursor.next_from, since)
        stretches = windows.plan(
            "none" if is_going_on else settings.window,
            fit(Stretch(since, until), work.granularity),
            earliest=work.earliest,
            now=work.now(),
            granularity=work.granularity,
        )
        return self._note(connection, stretches)

    def _with_overlap(self, connection: Connection, next_from: str | None, bound: str | None) -> str | None:
        """Return where to start: before the last harvest, for records that are listed late.

        An import at night may give its records the datestamps of the day before. The setting `overlap` says
        how far to go back. Without it, as far as one page of known records reaches, so that the answer takes
        no more requests than one that starts where the last harvest did.
        """
        work, moment = self._work, read_stamp(next_from or "")
        if moment is None:
            return next_from or bound
        if work.settings.overlap is not None:
            start = moment - timedelta(seconds=work.settings.overlap)
        else:
            start = self._one_page_back(connection, moment)
        lowest = read_stamp(work.settings.from_ or "")
        start = max(start, lowest) if lowest is not None else start
        return write_stamp(cut(start, work.granularity), work.granularity)

    def _one_page_back(self, connection: Connection, moment: datetime) -> datetime:
        work = self._work
        lowest = cut(moment - MAX_AUTO_OVERLAP, work.granularity)
        known = work.identity.get("page_size")
        most = max(1, (known if isinstance(known, int) else USUAL_PAGE) // 2)
        since = write_stamp(lowest, Granularity.DAY)  # the beginning of any way to write it
        stamps = listed.recent_stamps(connection, work.source.id, since, most + 1)
        if len(stamps) <= most:
            return lowest
        beyond = read_stamp(stamps[-1])  # and all that are as old as this one are too many
        if beyond is None:
            return moment
        return min(max(lowest, cut(beyond, work.granularity) + work.granularity.step), moment)

    def _note(self, connection: Connection, stretches: Sequence[Stretch]) -> list[StoredWindow]:
        work = self._work
        if not self._is_fleeting:
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

    def seen(self) -> int:
        """Return how many entries the windows of this list have brought, those of an earlier run included."""
        with self._work.store.reading() as connection:
            return sum(item.seen for item in checkpoints.left_over(connection, *self._key))

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
        if self._is_fleeting:
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
