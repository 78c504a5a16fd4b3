"""The life of a run, whatever its kind: claimed, attempted, written down, given back."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

import windrow
from windrow.errors import BadXml, Interrupted, SourceBusy, StoreError, UpstreamBusy, UsageError
from windrow.harvest.options import Stopper
from windrow.harvest.run import MAX_PROBLEMS, Identity, running
from windrow.model.run import Outcome, Run, Severity
from windrow.store import leases, runs
from windrow.store.store import Store, create_store

HAY = Identity("hay", "https://hay.example/oai")
KINDS = pytest.mark.parametrize("kind", ["harvest", "retry", "rebuild", "refresh", "merge"])


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return create_store(tmp_path)


def last(store: Store) -> Run:
    with store.reading() as connection:
        found = runs.get(connection, runs.latest(connection, limit=1)[0].id)
    assert found is not None
    return found


def held(store: Store) -> list[str]:
    with store.reading() as connection:
        return list(leases.list_holders(connection))


@KINDS
def test_a_run_holds_its_claim_and_gives_it_back(store: Store, kind: str) -> None:
    with running(store, HAY, kind, arguments={"a": 1}) as attempt:
        assert held(store) == [leases.lease_name("hay", kind)]
        attempt.counters.seen += 3
    assert held(store) == []
    assert (attempt.run.kind, attempt.run.outcome, attempt.run.counters.seen) == (kind, Outcome.OK, 3)
    assert attempt.run.arguments == {"a": 1}


@KINDS
def test_ctrl_c_interrupts_it(store: Store, kind: str) -> None:
    def harvest() -> None:
        with running(store, HAY, kind, arguments={}) as attempt:
            attempt.counters.seen += 3
            attempt.note("odd", "it was odd")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        harvest()
    found = last(store)
    assert (found.outcome, found.counters.seen) == (Outcome.INTERRUPTED, 3)
    assert [problem.code for problem in found.problems] == ["odd"]
    assert held(store) == []


@KINDS
def test_a_store_that_takes_no_release_hides_neither_outcome_nor_error(
    store: Store, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def release(*_: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(leases, "release", release)
    with running(store, HAY, kind, arguments={}) as attempt:
        pass
    assert attempt.run.outcome is Outcome.OK


@KINDS
@pytest.mark.parametrize("error", [KeyboardInterrupt(), UsageError("no such column")])
def test_a_claim_that_could_not_be_given_back_is_given_back_before_the_next_run(
    store: Store, kind: str, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise StoreError("the disk is full")

    def harvest() -> None:
        with running(store, HAY, kind, arguments={}):
            raise error

    with monkeypatch.context() as patch:
        patch.setattr(leases, "release", refuse)
        with pytest.raises(type(error)):
            harvest()
    assert held(store) == [leases.lease_name("hay", kind)]
    with running(store, HAY, kind, arguments={}) as attempt:
        pass
    assert attempt.run.outcome is Outcome.OK
    assert held(store) == []


@KINDS
def test_each_beats_the_claim_that_it_holds(store: Store, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    beaten: list[str] = []
    monkeypatch.setattr(leases, "beat", lambda _, name: beaten.append(name))
    with running(store, HAY, kind, arguments={}) as attempt:
        attempt.beat(every_seconds=0)
        attempt.beat(every_seconds=3600)
    with running(store, HAY, kind, arguments={}) as attempt, store.writing() as connection:
        attempt.progress(connection)
        attempt.progress(connection)
    assert beaten == [leases.lease_name("hay", kind)] * 2


def test_what_the_source_does_wrong_is_a_problem_of_the_run(store: Store) -> None:
    with running(store, HAY, "harvest", arguments={}) as attempt:
        raise BadXml("it is cut", body=b"<a>")
    (problem,) = attempt.run.problems
    assert (attempt.run.outcome, problem.code, problem.weight) == (Outcome.FAILED, "badxml", Severity.FATAL)


@pytest.mark.parametrize("error", [BadXml("asked with S3CRET", body=b""), ValueError("S3CRET")])
def test_what_is_secret_is_hidden_in_whatever_ends_a_run(store: Store, error: Exception) -> None:
    with running(store, HAY, "harvest", arguments={}) as attempt:
        attempt.redact = lambda text: text.replace("S3CRET", "****")
        attempt.note("odd", "S3CRET", url="https://hay.example/?key=S3CRET")
        raise error
    found = [(problem.message, problem.url or "") for problem in attempt.run.problems]
    assert len(found) == 2
    assert "S3CRET" not in str(found)


def test_a_source_that_is_only_busy_is_tried_later(store: Store) -> None:
    with running(store, HAY, "harvest", arguments={}) as attempt:
        raise UpstreamBusy("come back", seconds=9.0)
    assert attempt.run.outcome is Outcome.SKIPPED


def test_trouble_of_our_own_is_raised_and_the_run_has_failed(store: Store) -> None:
    with pytest.raises(UsageError), running(store, HAY, "harvest", arguments={}):
        raise UsageError("there is no such column")
    (problem,) = last(store).problems
    assert (last(store).outcome, problem.code, problem.weight) == (
        Outcome.FAILED,
        "usageerror",
        Severity.FATAL,
    )
    assert problem.message.startswith("there is no such column")
    assert held(store) == []


def test_a_run_that_gives_way_to_another_one_is_tried_later(store: Store) -> None:
    with running(store, HAY, "refresh", arguments={}) as attempt:
        raise SourceBusy("hay is being harvested")
    assert attempt.run.outcome is Outcome.SKIPPED
    assert [problem.code for problem in attempt.run.problems] == ["busy"]


def test_an_error_of_the_last_step_is_written_down_without_secrets(store: Store) -> None:
    def fail() -> None:
        raise ValueError("S3CRET")

    def harvest() -> None:
        with running(store, HAY, "harvest", arguments={}) as attempt:
            attempt.redact = lambda text: text.replace("S3CRET", "****")
            attempt.before_end = fail

    with pytest.raises(ValueError, match="S3CRET"):
        harvest()
    (problem,) = last(store).problems
    assert (last(store).outcome, problem.code) == (Outcome.FAILED, "unexpected")
    assert "S3CRET" not in problem.message


def test_a_defect_in_a_deed_of_a_person_is_raised_and_written_down(store: Store) -> None:
    with pytest.raises(ZeroDivisionError), running(store, HAY, "merge", arguments={}, is_raising=True):
        raise ZeroDivisionError
    assert [problem.code for problem in last(store).problems] == ["unexpected"]
    assert held(store) == []


def test_a_request_to_stop_interrupts_an_asyncio_loop_inside(store: Store) -> None:
    stopper = Stopper()

    async def crawl() -> None:
        for _ in range(3):
            attempt.counters.seen += 1
            attempt.beat()
            await asyncio.sleep(0)
            stopper.stop()
            attempt.check()

    with running(store, HAY, "harvest", arguments={}, stopper=stopper) as attempt:
        asyncio.run(crawl())
    assert (attempt.run.outcome, attempt.run.counters.seen) == (Outcome.INTERRUPTED, 1)
    assert attempt.is_stopping


def test_what_has_to_be_done_at_the_end_is_done_however_it_ends(store: Store) -> None:
    done: list[str] = []
    for error in (None, Interrupted("stop"), BadXml("cut", body=b""), ValueError("a defect")):
        with running(store, HAY, "harvest", arguments={}) as attempt:
            attempt.before_end = lambda: done.append("before")
            attempt.at_end = lambda _: done.append("at")
            if error is not None:
                raise error
    assert done == ["before", "at"] * 4


def test_of_very_many_problems_the_first_are_told_and_the_rest_is_counted(store: Store) -> None:
    with running(store, HAY, "harvest", arguments={}) as attempt:
        for number in range(MAX_PROBLEMS + 7):
            attempt.note("odd", f"number {number}")
    assert len(attempt.run.problems) == MAX_PROBLEMS + 1
    assert attempt.run.problems[-1].message == "and 7 more"


def test_a_run_knows_what_the_source_was_before_it(store: Store) -> None:
    with running(store, HAY, "harvest", arguments={}) as first:
        pass
    with running(store, HAY._replace(url="https://oats.example/"), "harvest", arguments={}) as second:
        pass
    assert first.known is None
    assert second.known is not None
    assert (second.known.url, second.source.url) == ("https://hay.example/oai", "https://oats.example/")


def test_every_kind_of_run_has_the_same_life_cycle() -> None:
    """Whoever claims a source and writes down a run does it with `running`; steps are `record_step`'s."""
    root = Path(windrow.__file__).parent
    own = re.compile(r"\b(leases\.(take|release)|runs\.(start|end)|_insert_step|_finish_step|outbox\.take)\(")
    found = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if own.search(path.read_text(encoding="utf-8"))
    }
    assert found == {
        "harvest/run.py",
        "store/runs.py",
        "schedule/notifications.py",
        "cli/sources/source_command.py",  # removes a source while nobody has it, in one transaction
    }
    for name in ("harvest/run.py", "store/runs.py", "schedule/notifications.py"):
        assert "life_cycle.attempting(" in (root / name).read_text(encoding="utf-8"), name
