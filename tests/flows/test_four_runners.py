"""Four runners, two thousand due jobs, and somebody who kills runners at random: all done, none twice."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import pairwise
from pathlib import Path
from time import monotonic

import pytest

from tests.flows.commanding import environment
from tests.flows.one_runner import DUE, JOBS, all_jobs
from windrow.model.job_state import JobOutcome
from windrow.store import jobs
from windrow.store.store import FILE, Store, create_store

RUNNERS = 4
KILLS = 12
LONGEST_SECONDS = 150
ROOT = Path(__file__).parents[2]


class Crew:
    """Runner processes; whoever is killed is replaced."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._all: list[subprocess.Popen[bytes]] = []
        for _ in range(RUNNERS):
            self.hire()

    def hire(self) -> None:
        words = [sys.executable, "-m", "tests.flows.one_runner", str(self._folder)]
        self._all.append(subprocess.Popen(words, cwd=ROOT, env=environment()))

    def living(self) -> list[subprocess.Popen[bytes]]:
        return [process for process in self._all if process.poll() is None]

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()
        self.hire()

    def dismiss(self) -> None:
        for process in self.living():
            process.kill()
            process.wait()

    def wait(self, seconds: float) -> list[int]:
        end = monotonic() + seconds
        return [process.wait(max(0.1, end - monotonic())) for process in self._all]


@contextmanager
def crew(folder: Path) -> Iterator[Crew]:
    made = Crew(folder)
    try:
        yield made
    finally:
        made.dismiss()


def done(store: Store) -> int:
    with store.reading() as connection:
        return int(connection.execute("SELECT COUNT(*) FROM job_run WHERE outcome = 'ok'").scalar())


def wait_for(store: Store, count: int, crew: Crew) -> None:
    """Wait until so many jobs are done; time is only what bounds a test that fails."""
    end, pause = monotonic() + LONGEST_SECONDS, threading.Event()
    while done(store) < count:
        assert monotonic() < end, f"{done(store)} of {count} done"
        assert crew.living(), "all runners ended"
        pause.wait(0.02)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = create_store(tmp_path)
    with made.writing() as connection:
        jobs.sync(connection, [job.scheduled(DUE.timestamp() - 1) for job in all_jobs().values()])
    yield made
    made.close()


def test_every_job_is_done_once_however_many_runners_are_killed(store: Store, tmp_path: Path) -> None:
    chance = random.Random(20261)
    with crew(tmp_path) as runners:
        for number in range(1, KILLS + 1):
            wait_for(store, JOBS * number // (KILLS + 2), runners)
            runners.kill(chance.choice(runners.living()))
            if number == KILLS // 2:
                wait_until_taken_over(store, *halt_one_at_work(store, tmp_path, runners))
                wait_until_refused(tmp_path / "notes")  # before it is killed itself
        runners.wait(LONGEST_SECONDS)
    check_store(store)
    check_notes(store, (tmp_path / "notes").read_text().splitlines())


def halt_one_at_work(store: Store, folder: Path, crew: Crew) -> tuple[subprocess.Popen[bytes], list[int]]:
    """Stop a runner that has jobs under way but is not just writing; give it, and the numbers of its runs."""
    pause = threading.Event()
    for _ in range(1000):
        for process in crew.living():
            process.send_signal(signal.SIGSTOP)
            held = under_way(store, process.pid)
            if held and can_write(folder):
                return process, held
            process.send_signal(signal.SIGCONT)
            pause.wait(0.02)
    raise AssertionError("no runner was ever at work")


def under_way(store: Store, pid: int) -> list[int]:
    open_runs = "SELECT id FROM job_run WHERE pid = ? AND outcome IS NULL"
    with store.reading() as connection:
        return connection.execute(open_runs, (pid,)).scalars()


def can_write(folder: Path) -> bool:
    with closing(sqlite3.connect(folder / FILE, timeout=0.3, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False
        return True


def wait_until_taken_over(store: Store, halted: subprocess.Popen[bytes], held: list[int]) -> None:
    """Let it go on when all that it had is in other hands."""
    end, pause = monotonic() + LONGEST_SECONDS, threading.Event()
    while set(held) & set(under_way(store, halted.pid)):
        assert monotonic() < end, "nobody took over"
        pause.wait(0.05)
    halted.send_signal(signal.SIGCONT)


def wait_until_refused(notes: Path) -> None:
    end, pause = monotonic() + LONGEST_SECONDS, threading.Event()
    while not any(line.startswith("refused ") for line in notes.read_text().splitlines()):
        assert monotonic() < end, "nobody was late"
        pause.wait(0.05)


def check_store(store: Store) -> None:
    with store.reading() as connection:
        runs = jobs.list_runs(connection, limit=JOBS * 10)
        states = jobs.list_states(connection, now=DUE.timestamp())
    completed = Counter(run.job for run in runs if run.outcome is JobOutcome.OK)
    assert completed == dict.fromkeys(all_jobs(), 1), "each exactly as often as due"
    others = Counter(run.outcome for run in runs if run.outcome is not JobOutcome.OK)
    assert set(others) <= {JobOutcome.LOST, JobOutcome.INTERRUPTED}
    assert others[JobOutcome.LOST] > 0, "no runner was killed at work"
    assert {state.running for state in states} == {None}
    assert {state.failures for state in states} == {0}
    assert {state.due is not None and state.due > DUE.timestamp() for state in states} == {True}


def check_notes(store: Store, lines: list[str]) -> None:
    """See that no job was at work twice at once, by what the runs themselves noted."""
    begun: dict[str, dict[int, float]] = defaultdict(dict)
    ended: dict[int, float] = {}
    for kind, name, run, *when in map(str.split, lines):
        assert kind != "twice", f"{name} ran twice at once"
        if kind == "begin":
            begun[name][int(run)] = float(when[0])
        elif kind == "end":
            ended[int(run)] = float(when[0])
    assert len(begun) == JOBS
    with store.reading() as connection:
        for name, starts in begun.items():
            order = sorted(starts.items(), key=lambda item: item[1])
            for (earlier, _), (later, start) in pairwise(order):
                assert ended.get(earlier, start) <= start, f"{name}: run {earlier} and run {later} overlap"
            kept = {run.id: run.outcome for run in jobs.list_runs(connection, name)}
            assert set(starts) <= set(kept), "a run that the store knows nothing of"
            for number, outcome in kept.items():
                assert outcome is not JobOutcome.OK or number in ended
                # Whoever ran it was killed, or woke too late, before it could say so.
                assert number not in ended or outcome in (JobOutcome.OK, JobOutcome.LOST)
    refused = [int(run) for kind, _, run, *_ in map(str.split, lines) if kind == "refused"]
    assert refused, "nobody was late"
    with store.reading() as connection:
        outcomes = {run: getattr(jobs.get_run(connection, run), "outcome", None) for run in refused}
    assert set(outcomes.values()) <= {JobOutcome.LOST}, "a late end changed something"
