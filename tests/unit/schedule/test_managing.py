"""Jobs as their owner handles them: each action is done whole, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from windrow.config.loader import load
from windrow.errors import ConfigError, NotFound, WindrowError
from windrow.model.job_state import JobOutcome
from windrow.schedule.cadence import Cadence
from windrow.schedule.job_manager import JobManager
from windrow.store import jobs as table
from windrow.store.jobs import NextAttempt
from windrow.store.leases import own_claim
from windrow.store.store import Store, create_store

NOON = datetime(2024, 6, 1, 12, tzinfo=UTC)
DAY = 86400.0
NIGHTLY: dict[str, object] = {
    "run": "harvest",
    "every": "daily",
    "at": "03:30",
    "timezone": "Europe/Helsinki",
}
TOML = "# ours\n[library]\nname = 'Barn'\n"


class Ledger:
    """A scheduler of a machine that writes its records into a dictionary, as long as it is let."""

    def __init__(self) -> None:
        self.records: dict[str, str] = {}
        self.is_broken = False

    def install(self, job: str, cadence: Cadence, command: Sequence[str], library: Path) -> str:
        self._heed()
        self.records[job] = f"{cadence.cron} {' '.join(command[-3:])} in {library.name}"
        return f"noted {job}"

    def remove(self, job: str, library: Path) -> bool:
        self._heed()
        return self.records.pop(job, None) is not None and library.is_dir()

    def installed(self, job: str, library: Path) -> bool:
        return job in self.records and library.is_dir()

    def _heed(self) -> None:
        if self.is_broken:
            raise WindrowError("the ledger is locked")


class Owner:
    """An owner of a library, on a day of the test's own."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.folder = folder
        self.store = store
        self.now = NOON.timestamp()
        self.hosts = {name: Ledger() for name in ("cron", "systemd")}
        self.jobs = JobManager(
            folder, store, environ={}, clock=lambda: self.now, find_host=self.hosts.__getitem__
        )

    @property
    def toml(self) -> str:
        return (self.folder / "windrow.toml").read_text(encoding="utf-8")

    def ran(self, name: str, outcome: JobOutcome) -> None:
        claim = own_claim("a test")
        with self.store.writing() as connection:
            taken = table.take_named(connection, name, claim=claim, now=self.now, lease_seconds=60)
            onward = NextAttempt(self.now + DAY, self.now + DAY)
            assert table.finish(connection, taken, outcome, onward, now=self.now, summary="so it went")


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    folder = tmp_path / "barn"
    folder.mkdir()
    (folder / "windrow.toml").write_text(TOML, encoding="utf-8")
    return Owner(folder, create_store(folder))


def test_a_new_job_is_in_the_file_and_the_store_knows_when_it_is_due(owner: Owner) -> None:
    entry, words = owner.jobs.add("nightly", NIGHTLY)
    assert words == ""
    assert owner.toml.startswith(TOML)
    assert load(owner.folder, environ={}).jobs["nightly"] == entry.settings
    assert entry.cadence is not None
    assert entry.cadence.words == "every day at 03:30 (Europe/Helsinki)"
    assert entry.state is not None
    assert entry.following(owner.now) == datetime(2024, 6, 2, 0, 30, tzinfo=UTC)
    assert entry.state.due == datetime(2024, 6, 2, 0, 30, tzinfo=UTC).timestamp()
    assert [each.day for each in entry.times(owner.now, 3)] == [2, 3, 4]


@pytest.mark.parametrize(
    "settings",
    [
        NIGHTLY | {"every": "fortnightly"},
        NIGHTLY | {"timezone": "Europe/Helsingfors"},
        NIGHTLY | {"run": "serve"},
        NIGHTLY | {"every": "0 0 30 2 *", "at": None},
        NIGHTLY | {"jitter": "often"},
    ],
)
def test_a_job_that_cannot_be_is_not_added(owner: Owner, settings: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        owner.jobs.add("nightly", settings)
    assert owner.toml == TOML
    assert owner.jobs.entries() == []


def test_a_job_of_the_host_has_its_record_there_from_the_first_to_the_last(owner: Owner) -> None:
    cron, systemd = owner.hosts["cron"], owner.hosts["systemd"]
    entry, words = owner.jobs.add("nightly", NIGHTLY | {"host": "cron"})
    assert words == "noted nightly"
    assert entry.state is not None
    assert entry.state.is_hosted
    assert cron.records == {"nightly": "30 3 * * * schedule run nightly in barn"}
    owner.jobs.change("nightly", {"at": "04:00"})
    assert cron.records == {"nightly": "0 4 * * * schedule run nightly in barn"}
    owner.jobs.change("nightly", {"host": "systemd"})
    assert (cron.records, list(systemd.records)) == ({}, ["nightly"])
    assert owner.jobs.remove("nightly")
    assert systemd.records == {}
    assert owner.toml == TOML


@pytest.mark.parametrize(
    "act",
    [
        lambda jobs: jobs.add("other", NIGHTLY | {"host": "cron"}),
        lambda jobs: jobs.change("nightly", {"at": "05:00"}),
        lambda jobs: jobs.change("nightly", {"host": "systemd"}),
        lambda jobs: jobs.change("nightly", {"host": "here"}),
        lambda jobs: jobs.remove("nightly"),
    ],
)
def test_where_the_hosts_scheduler_fails_everything_is_as_it_was(
    owner: Owner, act: Callable[[JobManager], object]
) -> None:
    owner.jobs.add("nightly", NIGHTLY | {"host": "cron"})
    cron, before = owner.hosts["cron"], owner.toml
    records = dict(cron.records)
    cron.is_broken = True
    with pytest.raises(WindrowError, match="the ledger is locked"):
        act(owner.jobs)
    assert (owner.toml, cron.records, owner.hosts["systemd"].records) == (before, records, {})
    assert [entry.name for entry in owner.jobs.entries()] == ["nightly"]


def test_a_record_that_nobody_can_reach_any_more_can_be_left(owner: Owner) -> None:
    owner.jobs.add("nightly", NIGHTLY | {"host": "cron"})
    owner.hosts["cron"].is_broken = True
    assert not owner.jobs.remove("nightly", is_record_left=True)
    assert owner.toml == TOML


def test_a_job_rests_until_it_is_resumed_and_is_then_due_at_its_next_time(owner: Owner) -> None:
    owner.jobs.add("nightly", NIGHTLY)
    paused = owner.jobs.pause("nightly")
    assert paused.is_paused
    assert paused.following(owner.now) is None
    owner.now += 10 * DAY
    resumed = owner.jobs.resume("nightly")
    assert not resumed.is_paused
    assert resumed.following(owner.now) == datetime(2024, 6, 12, 0, 30, tzinfo=UTC)


def test_a_job_written_by_hand_can_rest_before_any_runner_saw_it(owner: Owner) -> None:
    text = TOML + '[jobs.often]\nrun = "index"\nevery = "20 minutes"\n'
    (owner.folder / "windrow.toml").write_text(text, encoding="utf-8")
    assert owner.jobs.entry("often").state is None
    assert owner.jobs.pause("often").is_paused
    assert owner.toml == text


def test_a_job_whose_times_cannot_be_read_is_listed_with_the_reason_and_harms_no_other(owner: Owner) -> None:
    text = TOML + '[jobs.broken]\nrun = "index"\nevery = "now and then"\n'
    (owner.folder / "windrow.toml").write_text(text, encoding="utf-8")
    owner.jobs.add("nightly", NIGHTLY)
    broken, nightly = owner.jobs.entries()
    assert (broken.name, broken.cadence, broken.following(owner.now)) == ("broken", None, None)
    assert "now and then" in broken.problem
    assert broken.times(owner.now, 5) == []
    assert nightly.following(owner.now) is not None
    with pytest.raises(ConfigError, match="now and then"):
        owner.jobs.pause("broken")


def test_runs_are_told_newest_first_and_stay_when_the_job_goes(owner: Owner) -> None:
    owner.jobs.add("nightly", NIGHTLY)
    owner.ran("nightly", JobOutcome.OK)
    owner.ran("nightly", JobOutcome.FAILED)
    state = owner.jobs.entry("nightly").state
    assert state is not None
    assert state.failing_since == owner.now
    owner.jobs.remove("nightly")
    assert [run.outcome for run in owner.jobs.runs("nightly", limit=5)] == [JobOutcome.FAILED, JobOutcome.OK]
    assert len(owner.jobs.runs("nightly", limit=1)) == 1


@pytest.mark.parametrize("verb", ["entry", "remove", "pause", "resume"])
def test_a_job_that_is_not_there_is_told_with_those_that_are(owner: Owner, verb: str) -> None:
    owner.jobs.add("nightly", NIGHTLY)
    with pytest.raises(NotFound, match="Did you mean") as refused:
        getattr(owner.jobs, verb)("nigtly")
    assert refused.value.hint == "The jobs of this library: nightly."
