"""Claims: one holder at a time, and none that outlives its process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from tests.fixtures import missing
from windrow.errors import SourceBusy
from windrow.store import leases
from windrow.store.leases import Claim
from windrow.store.store import Store

NAME = "source hay"
# Says who it is, and waits to be killed.
_CLAIM = """
import sys
from windrow.store.leases import own_claim
print(own_claim("").pid, own_claim("").birth, flush=True)
sys.stdin.read()
"""


def take(store: Store, claim: Claim) -> None:
    with store.writing() as connection:
        leases.take(connection, NAME, claim)


def holder(store: Store) -> tuple[Claim, bool] | None:
    with store.reading() as connection:
        return leases.list_holders(connection).get(NAME)


def dead_pid() -> int:
    """The number of a process that has ended; nobody has it again before this test is over."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def test_a_free_name_is_taken_and_given_back(store: Store) -> None:
    claim = leases.own_claim("a test")
    take(store, claim)
    assert holder(store) == (claim, True)
    with store.writing() as connection:
        leases.release(connection, NAME, claim)
    assert holder(store) is None


def test_a_name_held_by_a_living_process_is_refused_and_the_holder_named(store: Store) -> None:
    claim = leases.own_claim("windrow harvest")
    take(store, claim)
    with pytest.raises(SourceBusy) as caught:
        take(store, leases.own_claim("windrow rebuild"))
    words = str(caught.value)
    assert NAME in words
    assert f"process {os.getpid()} on {claim.host}" in words
    assert "windrow harvest" in words
    assert holder(store) == (claim, True)


def test_a_dead_process_s_claim_is_taken_over(store: Store) -> None:
    take(store, replace(leases.own_claim("dead"), pid=dead_pid(), birth="1"))
    assert holder(store) is not None
    mine = leases.own_claim("alive")
    take(store, mine)
    assert holder(store) == (mine, True)


def test_a_process_that_was_killed_and_that_nobody_asks_after_holds_nothing(store: Store) -> None:
    mine = leases.own_claim("now")
    if not mine.birth:
        missing("this system does not tell when a process was started")
    process = subprocess.Popen([sys.executable, "-c", _CLAIM], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    pid, birth = process.stdout.readline().decode().split()
    theirs = replace(mine, owner="killed", pid=int(pid), birth=birth)
    take(store, theirs)
    assert holder(store) == (theirs, True)
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and keeps its number
    assert holder(store) == (theirs, False)
    take(store, mine)
    process.communicate()


def test_a_number_used_again_by_another_process_is_no_claim(store: Store) -> None:
    mine = leases.own_claim("now")
    if not mine.birth:
        missing("this system does not tell when a process was started")
    take(store, replace(mine, owner="before", birth="1"))
    assert holder(store) == (replace(mine, owner="before", birth="1"), False)
    take(store, mine)
    assert holder(store) == (mine, True)


def test_a_claim_from_another_machine_holds_while_it_is_renewed(store: Store) -> None:
    far = Claim("windrow harvest", 1, "another.example", "1")
    take(store, far)
    with pytest.raises(SourceBusy, match=r"process 1 on another\.example"):
        take(store, leases.own_claim("here"))


def test_a_claim_from_another_machine_lapses_when_nobody_renews_it(store: Store) -> None:
    far = Claim("windrow harvest", 1, "another.example", "1")
    take(store, far)
    with store.writing() as connection:
        long_ago = int(time.time()) - leases.STALE_SECONDS - 1
        connection.execute("UPDATE lease SET beat = ?", (long_ago,))
    assert holder(store) == (far, False)
    with store.writing() as connection:
        leases.beat(connection, NAME)
    assert holder(store) == (far, True)
    with store.writing() as connection:
        connection.execute("UPDATE lease SET beat = ?", (long_ago,))
    take(store, leases.own_claim("here"))


def test_giving_back_what_another_has_taken_over_is_a_no_op(store: Store) -> None:
    lapsed = replace(leases.own_claim("dead"), pid=dead_pid(), birth="1")
    take(store, lapsed)
    mine = leases.own_claim("alive")
    take(store, mine)
    with store.writing() as connection:
        leases.release(connection, NAME, lapsed)
    assert holder(store) == (mine, True)


def test_names_are_claimed_each_by_itself(store: Store) -> None:
    take(store, leases.own_claim("one"))
    with store.writing() as connection:
        leases.take(connection, "source straw", leases.own_claim("two"))
    with store.reading() as connection:
        assert set(leases.list_holders(connection)) == {NAME, "source straw"}
