"""Jobs in the store: taken under a lease, taken over when it ends, never finished by two."""

from __future__ import annotations

import os
import socket
from dataclasses import replace

import pytest

from windrow.errors import NotFound, SourceBusy
from windrow.model.job_state import JobOutcome, JobState
from windrow.store import jobs
from windrow.store.jobs import ClaimedJob, NextAttempt, ScheduledJob
from windrow.store.leases import Claim, own_claim
from windrow.store.store import Store

LEASE = 60.0
HOURLY = ScheduledJob("hourly", "every hour", 1000.0, 1000.0)
NIGHTLY = ScheduledJob("nightly", "every night", 5000.0, 5000.0)
DEAD = Claim("a runner", 2**22 + 1, socket.gethostname(), "1")  # no process has that number
ELSEWHERE = Claim("a runner", 1, "elsewhere.example", "1")


def prepare(store: Store, *wanted: ScheduledJob) -> None:
    with store.writing() as connection:
        jobs.sync(connection, wanted)


def take(store: Store, now: float, claim: Claim = DEAD) -> ClaimedJob | None:
    with store.writing() as connection:
        return jobs.take(connection, claim=claim, now=now, lease_seconds=LEASE)


def taken(store: Store, now: float, claim: Claim = DEAD) -> ClaimedJob:
    found = take(store, now, claim)
    assert found is not None
    return found


def finish(
    store: Store,
    held: ClaimedJob,
    outcome: JobOutcome,
    *,
    now: float,
    onward: NextAttempt | None = None,
    is_final: bool = True,
) -> bool:
    onward = onward or NextAttempt(held.due + 3600, held.due + 3600)
    with store.writing() as connection:
        return jobs.finish(connection, held, outcome, onward, now=now, code=0, is_final=is_final)


def state(store: Store, name: str = "hourly", now: float = 0.0) -> JobState:
    with store.reading() as connection:
        found = jobs.get_state(connection, name, now=now)
    assert found is not None
    return found


def test_nothing_is_taken_before_it_is_due(store: Store) -> None:
    prepare(store, HOURLY)
    assert take(store, 999.9) is None
    assert taken(store, 1000.0).job == "hourly"


def test_the_one_that_has_been_due_the_longest_is_taken_first(store: Store) -> None:
    prepare(store, NIGHTLY, HOURLY)
    assert [taken(store, 6000).job, taken(store, 6000).job, take(store, 6000)] == ["hourly", "nightly", None]


def test_a_job_under_way_is_not_taken_again_as_long_as_its_lease_holds(store: Store) -> None:
    prepare(store, HOURLY)
    taken(store, 1000)
    assert take(store, 1059.9) is None


def test_a_beat_makes_the_lease_longer(store: Store) -> None:
    prepare(store, HOURLY)
    held = taken(store, 1000)
    with store.writing() as connection:
        assert jobs.beat(connection, held, now=1050, lease_seconds=LEASE)
    assert take(store, 1100) is None
    assert take(store, 1110) is not None


def test_a_dead_holder_s_job_is_taken_over_and_its_run_is_lost(store: Store) -> None:
    prepare(store, HOURLY)
    first = taken(store, 1000)
    second = taken(store, 1060)
    assert (second.due, second.attempt, second.losses) == (1000, 1, 1)
    assert second.run > first.run
    with store.reading() as connection:
        lost = jobs.get_run(connection, first.run)
    assert lost is not None
    assert (lost.outcome, lost.ended, lost.summary) == (JobOutcome.LOST, 1060, jobs.LOST)


@pytest.mark.parametrize("claim", [DEAD, ELSEWHERE], ids=["dead", "on another machine"])
def test_a_late_finisher_is_refused_and_changes_nothing(store: Store, claim: Claim) -> None:
    prepare(store, HOURLY)
    late, other = taken(store, 1000, claim), taken(store, 1060, claim)
    before = state(store, now=1061)
    assert not finish(store, late, JobOutcome.OK, now=1061)
    with store.writing() as connection:
        assert not jobs.beat(connection, late, now=1061, lease_seconds=LEASE)
    assert state(store, now=1061) == before
    assert before.running is not None
    assert before.running.id == other.run
    assert finish(store, other, JobOutcome.OK, now=1062)
    assert not finish(store, other, JobOutcome.FAILED, now=1063), "twice"
    assert state(store).last_good is not None


def test_a_holder_that_lives_here_gets_as_long_again_before_it_is_taken_over(store: Store) -> None:
    prepare(store, HOURLY)
    taken(store, 1000, own_claim("us"))
    assert take(store, 1060) is None, "its clock may have been put forward"
    assert take(store, 1119.9) is None
    assert taken(store, 1120).losses == 1


def test_one_whose_holder_may_live_does_not_keep_others_from_being_taken(store: Store) -> None:
    prepare(store, HOURLY, NIGHTLY)
    taken(store, 4999, own_claim("us"))
    assert taken(store, 5060).job == "nightly"


def test_a_good_end_sets_the_next_time_and_ends_a_row_of_failures(store: Store) -> None:
    prepare(store, HOURLY)
    assert finish(store, taken(store, 1000), JobOutcome.FAILED, now=1001)
    failing = state(store)
    assert (failing.failing_since, failing.failures, failing.due) == (1001, 1, 4600)
    assert finish(store, taken(store, 4600), JobOutcome.FAILED, now=4601)
    assert (state(store).failing_since, state(store).failures) == (1001, 2)
    assert finish(store, taken(store, 8200), JobOutcome.PARTIAL, now=8201)
    well = state(store)
    assert (well.failing_since, well.failures, well.due, well.at) == (None, 0, 11800, 11800)
    assert well.last is not None
    assert well.last == well.last_good


def test_an_attempt_that_is_tried_again_does_not_count_as_failed(store: Store) -> None:
    prepare(store, HOURLY)
    onward = NextAttempt(1000, 1300, attempt=1, tries=1)
    assert finish(store, taken(store, 1000), JobOutcome.FAILED, now=1001, onward=onward, is_final=False)
    found = state(store)
    assert (found.failing_since, found.failures, found.attempt) == (None, 0, 1)
    assert found.last is not None
    assert found.last.retry_at == 1300
    assert take(store, 1299) is None
    again = taken(store, 1300)
    assert (again.due, again.attempt, again.tries) == (1000, 2, 2)


def test_a_paused_job_is_not_taken_until_it_is_resumed(store: Store) -> None:
    prepare(store, HOURLY)
    with store.writing() as connection:
        assert jobs.pause(connection, "hourly")
    assert state(store).is_paused
    assert take(store, 9000) is None
    with store.writing() as connection:
        assert jobs.resume(connection, "hourly", due=9500, at=9500)
        assert not jobs.resume(connection, "hourly", due=1, at=1), "it does not rest"
        assert not jobs.pause(connection, "unheard-of")
    assert take(store, 9499) is None
    assert taken(store, 9500).due == 9500


def test_a_job_of_the_host_s_scheduler_is_taken_by_name_only(store: Store) -> None:
    prepare(store, replace(HOURLY, is_hosted=True))
    assert take(store, 9000) is None
    with store.reading() as connection:
        assert jobs.next_at(connection) is None
    with store.writing() as connection:
        held = jobs.take_named(connection, "hourly", claim=DEAD, now=500, lease_seconds=LEASE)
    assert held.due == 1000
    with store.writing() as connection, pytest.raises(SourceBusy, match=r"hourly is being run by process"):
        jobs.take_named(connection, "hourly", claim=ELSEWHERE, now=501, lease_seconds=LEASE)


def test_a_job_by_name_is_taken_over_when_its_lease_ended(store: Store) -> None:
    prepare(store, HOURLY)
    with store.writing() as connection:
        first = jobs.take_named(connection, "hourly", claim=DEAD, now=0, lease_seconds=LEASE)
    with store.writing() as connection:
        second = jobs.take_named(connection, "hourly", claim=ELSEWHERE, now=60, lease_seconds=LEASE)
    assert not finish(store, first, JobOutcome.OK, now=61)
    assert finish(store, second, JobOutcome.OK, now=61)


def test_a_name_that_no_job_has_is_an_error_with_a_hint(store: Store) -> None:
    with store.writing() as connection, pytest.raises(NotFound, match="no job 'hourli'") as caught:
        jobs.take_named(connection, "hourli", claim=DEAD, now=0, lease_seconds=LEASE)
    assert "schedule list" in caught.value.hint


def test_the_next_moment_is_when_something_is_due_or_a_lease_ends(store: Store) -> None:
    with store.reading() as connection:
        assert jobs.next_at(connection) is None
    prepare(store, HOURLY, NIGHTLY)
    with store.reading() as connection:
        assert jobs.next_at(connection) == 1000
    taken(store, 1000)
    with store.reading() as connection:
        assert jobs.next_at(connection) == 1060


def test_a_job_with_the_same_cadence_keeps_its_state(store: Store) -> None:
    prepare(store, HOURLY)
    finish(store, taken(store, 1000), JobOutcome.FAILED, now=1001)
    again = replace(HOURLY, due=7777.0, at=7777.0)
    with store.reading() as connection:
        assert jobs.is_in_step(connection, [again])
    before = state(store)
    prepare(store, again)
    assert state(store) == before


def test_a_new_cadence_is_a_new_due_time(store: Store) -> None:
    prepare(store, HOURLY)
    changed = ScheduledJob("hourly", "every two hours", 2000.0, 2010.0)
    with store.reading() as connection:
        assert not jobs.is_in_step(connection, [changed])
    prepare(store, changed)
    assert (state(store).due, state(store).at) == (2000, 2010)


def test_a_cadence_changed_while_it_runs_stands_when_it_ends(store: Store) -> None:
    prepare(store, HOURLY)
    held = taken(store, 1000)
    prepare(store, ScheduledJob("hourly", "every two hours", 2000.0, 2010.0))
    assert finish(store, held, JobOutcome.OK, now=1001)
    assert (state(store).due, state(store).at) == (2000, 2010)


def test_a_job_that_is_gone_leaves_its_runs(store: Store) -> None:
    prepare(store, HOURLY)
    finish(store, taken(store, 1000), JobOutcome.OK, now=1001)
    prepare(store)
    with store.reading() as connection:
        assert jobs.list_states(connection, now=1002) == []
        assert [run.outcome for run in jobs.list_runs(connection, "hourly")] == [JobOutcome.OK]


def test_a_job_removed_and_added_again_while_it_runs_is_not_begun_a_second_time(store: Store) -> None:
    prepare(store, HOURLY)
    held = taken(store, 1000)
    prepare(store)
    with store.reading() as connection:
        assert jobs.list_states(connection, now=1001) == []
        assert jobs.is_in_step(connection, [])
    prepare(store, replace(HOURLY, due=1010.0, at=1010.0))
    assert take(store, 1020) is None
    assert finish(store, held, JobOutcome.OK, now=1021)
    assert taken(store, 1021).due == 1010


def test_a_job_removed_while_it_runs_is_gone_once_that_ended(store: Store) -> None:
    prepare(store, HOURLY)
    held = taken(store, 1000)
    prepare(store)
    assert finish(store, held, JobOutcome.OK, now=1001)
    prepare(store)
    with store.reading() as connection:
        assert connection.execute("SELECT COUNT(*) FROM job").scalar() == 0
        assert [run.outcome for run in jobs.list_runs(connection)] == [JobOutcome.OK]


def test_a_job_that_gets_the_name_of_one_removed_while_it_ran_does_not_rest_as_that_did(store: Store) -> None:
    prepare(store, HOURLY)
    finish(store, taken(store, 1000), JobOutcome.FAILED, now=1001)
    taken(store, 4600)
    with store.writing() as connection:
        jobs.pause(connection, "hourly")
    prepare(store)
    prepare(store, replace(HOURLY, due=9000.0, at=9000.0))
    found = state(store, now=4601)
    assert (found.is_paused, found.failing_since, found.failures) == (False, None, 0)


def test_a_run_may_be_for_a_later_time_than_it_was_taken_for(store: Store) -> None:
    prepare(store, HOURLY)
    with store.writing() as connection:
        held = jobs.take(connection, claim=DEAD, now=9000, lease_seconds=LEASE)
        assert held is not None
        held = jobs.redate(connection, held, 8200)
        jobs.note_missed(connection, "hourly", due=4600, summary="two passed", claim=DEAD, now=9000)
    assert finish(store, held, JobOutcome.OK, now=9001, onward=NextAttempt(11800, 11800))
    found = state(store)
    assert found.last is not None
    assert (found.last.due, found.due) == (8200, 11800), "what was missed is not the last run"
    with store.reading() as connection:
        assert [run.outcome for run in jobs.list_runs(connection)] == [JobOutcome.MISSED, JobOutcome.OK]


def test_who_runs_a_job_and_since_when_is_known_while_its_lease_holds(store: Store) -> None:
    prepare(store, HOURLY)
    taken(store, 1002, own_claim("windrow serve"))
    running = state(store, now=1003)
    assert running.running_since == 1002
    assert running.holder == f"process {os.getpid()} on {socket.gethostname()} (windrow serve)"
    assert (state(store, now=1062).running, state(store, now=1062).holder) == (None, "")


def test_old_runs_of_a_job_are_forgotten(store: Store) -> None:
    prepare(store, HOURLY, NIGHTLY)
    for place in range(5):
        finish(store, taken(store, 1000 + place * 3600), JobOutcome.OK, now=1001 + place * 3600)
    with store.writing() as connection:
        before = jobs.list_runs(connection, "hourly")
        others = jobs.list_runs(connection, "nightly")
        jobs.prune_runs(connection, "hourly", keep=2)
        assert jobs.list_runs(connection, "hourly") == before[:2]
        assert jobs.list_runs(connection, "nightly") == others != []
