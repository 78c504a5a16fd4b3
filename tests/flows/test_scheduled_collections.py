"""Collections that maintain themselves, on a controlled clock: hourly, two at once, and a growing one daily.

The harvests are real, of repositories on the loopback; only the clock is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

from tests.flows.harvesting import Shelf, make_shelf
from tests.servers.http import Reply
from tests.servers.items import Item, dublin_core, make_items
from tests.servers.oai import NOW, OaiServer
from windrow.config.editor import add_job
from windrow.model.job_state import JobRun, JobState
from windrow.model.query import Everything
from windrow.model.run import EXIT_CODES
from windrow.schedule.job_claims import JobClaims
from windrow.schedule.job_runner import JobRunner
from windrow.schedule.scheduled_job import Job, build_jobs
from windrow.store import jobs
from windrow.store.jobs import ClaimedJob
from windrow.store.leases import own_claim
from windrow.wiring import Library
from windrow.wiring.indexing import follow_index

MINUTE = timedelta(minutes=1)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class Done:
    """A run that is over as soon as it was begun."""

    def __init__(self, code: int, words: str) -> None:
        self._code = code
        self._words = words

    def poll(self) -> int:
        return self._code

    def keep(self, deadline: float, grace_seconds: float) -> None:
        """It needs no more time."""

    def stop(self) -> None:
        """It has."""

    def kill(self) -> None:
        """It is over."""

    def last_words(self) -> str:
        return self._words


class Calendar:
    """A library whose jobs run while a test lets time pass; the servers live in the same time."""

    def __init__(self, shelf: Shelf, library: Library, *servers: OaiServer) -> None:
        self._shelf = shelf
        self._library = library
        self._servers = servers
        self.now = NOW
        for server in servers:
            server.now = NOW
        known = build_jobs(library.config.jobs)
        desk = JobClaims(library.store, own_claim("a test"), clock=self._clock, lease_seconds=60)
        self._runner = JobRunner(
            desk, lambda: known, self._begin, clock=self._clock, monotonic=self._clock, most=4
        )
        self._runner.poll()

    def pass_time(self, length: timedelta, *, step: timedelta = MINUTE) -> None:
        """Let time go by, minute by minute."""
        end = self.now + length
        while self.now < end:
            self.now += step
            for server in self._servers:
                server.now = self.now
            self._runner.poll()
            self._runner.poll()

    def runs(self, name: str | None = None) -> list[JobRun]:
        """Every run, the first one first."""
        with self._library.store.reading() as connection:
            return jobs.list_runs(connection, name, limit=1000)[::-1]

    def state(self, name: str) -> JobState:
        with self._library.store.reading() as connection:
            found = jobs.get_state(connection, name, now=self._clock())
        assert found is not None
        return found

    def _clock(self) -> float:
        return self.now.timestamp()

    def _begin(self, job: Job, taken: ClaimedJob, on_end: Callable[[], None]) -> Done:
        """Do what the command of the job would: harvest, and bring the index up to date."""
        verb, source = job.command
        assert verb == "harvest"
        run = self._shelf.harvest(name=source)
        follow_index(self._library)
        found = self._library.index.count(Everything())
        return Done(EXIT_CODES[run.outcome] if run.outcome else 1, f"{found} records can be found")


@contextmanager
def maintained(tmp_path: Path, every: dict[str, str], *servers: OaiServer) -> Iterator[Calendar]:
    """A library with a source for each server and a job for each source."""
    shelf = make_shelf(tmp_path)
    for (name, cadence), server in zip(every.items(), servers, strict=True):
        shelf.add(server.url, name=name)
        add_job(shelf.folder, f"keep-{name}", {"run": f"harvest {name}", "every": cadence, "attempts": 1})
    library = shelf.open()
    try:
        yield Calendar(shelf, library, *servers)
    finally:
        library.close()


def hours(runs: list[JobRun]) -> list[datetime]:
    return [datetime.fromtimestamp(run.started, UTC) for run in runs]


def test_an_hourly_collection_is_built_every_hour_for_a_day(tmp_path: Path) -> None:
    with (
        OaiServer(make_items(12)) as server,
        maintained(tmp_path, {"theses": "hourly"}, server) as calendar,
    ):
        calendar.pass_time(DAY)
        runs = calendar.runs("keep-theses")
        assert hours(runs) == [NOW + HOUR * number for number in range(1, 25)]
        assert {(run.outcome, run.code, run.summary) for run in runs} == {
            ("ok", 0, "12 records can be found")
        }


def test_two_collections_due_in_the_same_minute_both_complete_every_hour(tmp_path: Path) -> None:
    with (
        OaiServer(make_items(12)) as one,
        OaiServer([Item(f"oai:other.example:{n}", NOW, (), dublin_core(f"O {n}")) for n in range(5)]) as two,
        maintained(tmp_path, {"theses": "hourly", "articles": "hourly"}, one, two) as calendar,
    ):
        calendar.pass_time(DAY)
        expected = [NOW + HOUR * number for number in range(1, 25)]
        for name in ("keep-theses", "keep-articles"):
            assert hours(calendar.runs(name)) == expected
            assert {run.outcome for run in calendar.runs(name)} == {"ok"}
        assert calendar.runs()[-1].summary == "17 records can be found"


def test_a_daily_collection_grows_from_ten_to_eighty_records_in_seven_days(tmp_path: Path) -> None:
    with (
        OaiServer(make_items(10)) as server,
        maintained(tmp_path, {"theses": "daily"}, server) as calendar,
    ):
        calendar.pass_time(DAY, step=10 * MINUTE)
        for day in range(1, 8):
            for number in range(10):
                name = f"oai:test.example:day-{day}-{number}"
                server.put(Item(name, calendar.now, ("art",), dublin_core(f"Day {day}, number {number}")))
            calendar.pass_time(DAY, step=10 * MINUTE)
        runs = calendar.runs()
        assert [(run.outcome, run.summary) for run in runs] == [
            ("ok", f"{count} records can be found") for count in range(10, 90, 10)
        ]
        gaps = {later.started - earlier.started for earlier, later in pairwise(runs)}
        assert gaps == {DAY.total_seconds()}


def test_a_source_that_fails_for_a_day_keeps_its_schedule_and_recovers(tmp_path: Path) -> None:
    with (
        OaiServer(make_items(3)) as server,
        maintained(tmp_path, {"theses": "6 hours"}, server) as calendar,
    ):
        calendar.pass_time(DAY, step=10 * MINUTE)
        honest, server.handle = server.handle, lambda _request: Reply(status=500, body=b"down")
        calendar.pass_time(DAY, step=10 * MINUTE)
        failing = calendar.state("keep-theses")
        assert failing.failures == 4
        assert failing.failing_since is not None
        assert failing.last_good is not None
        assert failing.due is not None
        assert failing.due > calendar.now.timestamp()
        server.handle = honest
        calendar.pass_time(DAY, step=10 * MINUTE)
        assert [str(run.outcome) for run in calendar.runs()] == ["ok"] * 4 + ["failed"] * 4 + ["ok"] * 4
        assert calendar.state("keep-theses").failing_since is None
