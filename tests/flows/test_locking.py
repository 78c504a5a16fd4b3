"""Two harvests of one source at once, and those who read meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows.commanding import WAIT_SECONDS, running, windrow
from tests.flows.harvesting import Shelf, make_shelf
from tests.flows.test_resume import HoldsFrom, until
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from windrow.errors import SourceBusy
from windrow.model.run import Outcome
from windrow.store import leases
from windrow.store.leases import Claim

LEASE = "source test"


def claimed(shelf: Shelf, claim: Claim) -> None:
    """Let somebody else have claimed the source."""
    library = shelf.open()
    try:
        with library.store.writing() as connection:
            leases.take(connection, LEASE, claim)
    finally:
        library.close()


def test_a_second_harvest_says_who_holds_the_source_and_tries_later(tmp_path: Path) -> None:
    fault = HoldsFrom(2)
    with OaiServer(make_items(25), fault) as server:
        shelf = make_shelf(tmp_path, server)
        with running(shelf, "harvest", "test") as first:
            server.wait_for_requests(3)
            second = windrow(shelf, "harvest", "test")
            assert second.returncode == 75
            assert f"process {first.pid}" in second.stderr
            sent = len(server.requests)
            with pytest.raises(SourceBusy, match=f"process {first.pid}"):
                shelf.harvest()
            assert len(server.requests) == sent
            fault.release.set()
            first.communicate(timeout=WAIT_SECONDS)
            assert first.returncode == 0
        assert shelf.harvest().outcome == Outcome.OK


def test_the_claim_of_a_dead_process_lapses(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server)
        dead = subprocess.Popen([sys.executable, "-c", ""])
        mine = leases.own_claim("windrow harvest")
        claimed(shelf, Claim("windrow harvest", dead.pid, mine.host, "1"))
        dead.wait(WAIT_SECONDS)
        assert shelf.harvest().outcome == Outcome.OK


def test_the_claim_of_a_process_whose_number_was_used_again_lapses(tmp_path: Path) -> None:
    mine = leases.own_claim("windrow harvest")
    if not mine.birth:
        pytest.skip("this system does not tell when a process was started")
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server)
        claimed(shelf, Claim("windrow harvest", os.getpid(), mine.host, "another birth"))
        assert shelf.harvest().outcome == Outcome.OK


def test_other_sources_can_be_harvested_meanwhile(tmp_path: Path) -> None:
    fault = HoldsFrom(2)
    with OaiServer(make_items(25), fault) as slow, OaiServer(make_items(25)) as other:
        shelf = make_shelf(tmp_path, slow)
        shelf.add(other.url, name="other")
        with running(shelf, "harvest", "test") as first:
            slow.wait_for_requests(3)
            assert shelf.harvest(name="other").outcome == Outcome.OK
            fault.release.set()
            first.communicate(timeout=WAIT_SECONDS)
        assert first.returncode == 0
        assert len(shelf.records()) == len(shelf.records(name="other")) == 25


def test_several_processes_may_read_while_one_writes(tmp_path: Path) -> None:
    first, second = HoldsFrom(3), HoldsFrom(6)
    with OaiServer(make_items(100), first, second) as server:
        shelf = make_shelf(tmp_path, server)
        with running(shelf, "harvest", "test") as writer:
            until(lambda: len(shelf.records()) == 20)
            library = shelf.open()
            try:
                with library.store.reading() as connection:
                    before = connection.execute("SELECT COUNT(*) FROM record").scalar_one()
                    first.release.set()
                    until(lambda: len(shelf.records()) == 50)
                    after = connection.execute("SELECT COUNT(*) FROM record").scalar_one()
            finally:
                library.close()
            second.release.set()
            writer.communicate(timeout=WAIT_SECONDS)
        assert writer.returncode == 0
        assert before == after == 20, "a reader sees one unchanging state"
        assert len(shelf.records()) == 100
