"""Many sources at once: a few at a time, one stream a host, and one that fails leaves the others be."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from threading import Barrier, Lock

from tests.flows.commanding import windrow
from tests.flows.harvesting import Shelf, Sleepless, make_shelf
from tests.servers.faults import transport
from tests.servers.http import Reply, Request
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from windrow.errors import SourceBusy, WindrowError
from windrow.harvest.many_sources import harvest_many
from windrow.harvest.options import HarvestOptions, NullObserver
from windrow.model.run import Outcome, Run
from windrow.store.sources import addresses
from windrow.wiring.harvesting import harvest


def harvest_all(shelf: Shelf, *names: str, jobs: int) -> dict[str, Run | WindrowError]:
    """Harvest these sources at the same time."""
    library, stopper = shelf.open(), Sleepless()
    library.store  # noqa: B018 - opened once, not in each thread
    try:
        return harvest_many(
            names,
            lambda name: harvest(library, name, HarvestOptions(), observer=NullObserver(), stopper=stopper),
            jobs=jobs,
            stopper=stopper,
        )
    finally:
        library.close()


class Crowd:
    """Counts how many requests a server has at the same moment."""

    def __init__(self, server: OaiServer) -> None:
        self._honest = server.handle
        self._lock = Lock()
        self._now = 0
        self.most = 0
        server.handle = self._handle

    def _handle(self, request: Request) -> Reply:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        try:
            return self._honest(request)
        finally:
            with self._lock:
                self._now -= 1


def test_sources_on_one_host_are_never_asked_two_things_at_once(tmp_path: Path) -> None:
    with OaiServer(make_items(60)) as server:
        crowd = Crowd(server)
        shelf = make_shelf(tmp_path)
        names = [f"source-{number}" for number in range(4)]
        for name in names:
            shelf.add(f"{server.url}?site={name}", name=name)
        results = harvest_all(shelf, *names, jobs=4)
        assert [run.outcome for run in results.values() if isinstance(run, Run)] == [Outcome.OK] * 4
        assert crowd.most == 1
        assert server.connections == 4
        assert all(len(shelf.records(name=name)) == 60 for name in names)


def test_sources_on_several_hosts_are_harvested_at_the_same_time(tmp_path: Path) -> None:
    meeting = Barrier(3, timeout=30)

    def wait(server: OaiServer) -> None:
        honest = server.handle

        def handle(request: Request) -> Reply:
            if request.arguments["verb"] == "Identify":
                meeting.wait()  # breaks unless all three are here
            return honest(request)

        server.handle = handle

    with OaiServer(make_items(5)) as a, OaiServer(make_items(5)) as b, OaiServer(make_items(5)) as c:
        shelf = make_shelf(tmp_path)
        for name, server in {"a": a, "b": b, "c": c}.items():
            wait(server)
            shelf.add(server.url, name=name)
        results = harvest_all(shelf, "a", "b", "c", jobs=3)
    assert [run.outcome for run in results.values() if isinstance(run, Run)] == [Outcome.OK] * 3


def test_a_source_that_fails_leaves_the_others_be(tmp_path: Path) -> None:
    down = transport.Resetting(times=None, verbs=("Identify",))
    with OaiServer(make_items(25)) as good, OaiServer(make_items(25), down) as bad:
        shelf = make_shelf(tmp_path)
        shelf.add(bad.url, name="bad")
        shelf.add(good.url, name="good")
        results = harvest_all(shelf, "bad", "good", jobs=1)
        assert {name: run.outcome for name, run in results.items() if isinstance(run, Run)} == {
            "bad": Outcome.FAILED,
            "good": Outcome.OK,
        }
        assert len(shelf.records(name="good")) == 25


def test_a_source_that_is_busy_leaves_the_others_be(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path)
        shelf.add(server.url, name="one")
        shelf.add(server.url, name="two")
        results = harvest_all(shelf, "one", "two", "one", jobs=3)
    assert isinstance(results["two"], Run)
    assert isinstance(results["one"], Run | SourceBusy)


def test_the_command_harvests_all_enabled_sources_and_gives_the_worst_exit_code(tmp_path: Path) -> None:
    down = transport.Resetting(times=None, verbs=("Identify",))
    with OaiServer(make_items(25)) as good, OaiServer(make_items(25), down) as bad:
        shelf = make_shelf(tmp_path)
        shelf.add(good.url, name="good")
        shelf.add(bad.url, name="bad")
        shelf.add(bad.url, name="off", enabled=False)
        done = windrow(shelf, "harvest", "--jobs", "2", "--json")
        assert done.returncode == 1, done.stderr
        told = {each["source"]: each["outcome"] for each in json.loads(done.stdout)}
        assert told == {"good": "ok", "bad": "failed"}


def test_sources_harvested_together_for_the_first_time_keep_their_order(tmp_path: Path) -> None:
    """Of an identifier that several have, the repository shows the record of the first."""
    names = [f"source-{number}" for number in (3, 1, 4, 2, 5)]
    with OaiServer(make_items(1)) as server:
        shelf = make_shelf(tmp_path)
        for name in names:
            shelf.add(f"{server.url}?site={name}", name=name)
        assert windrow(shelf, "harvest", "--jobs", "5").returncode == 0
    library = shelf.open()
    with library.store.reading() as connection:
        assert list(addresses(connection)) == names
    library.close()


def test_sources_not_yet_begun_are_left_out_when_somebody_asks_to_stop(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path)
        for name in ("a", "b", "c"):
            shelf.add(server.url, name=name)
        library, stopper = shelf.open(), Sleepless()
        library.store  # noqa: B018
        stopper.stop()
        try:
            results = harvest_many(
                ["a", "b", "c"],
                lambda name: harvest(
                    library, name, HarvestOptions(), observer=NullObserver(), stopper=stopper
                ),
                jobs=1,
                stopper=stopper,
            )
        finally:
            library.close()
    assert {run.outcome for run in results.values() if isinstance(run, Run)} <= {Outcome.INTERRUPTED}
    assert server.requests == []


def test_the_modules_of_a_harvest_do_not_load_the_index_writer() -> None:
    code = (
        "import sys, windrow.harvest.many_sources, windrow.wiring.harvesting, windrow.wiring.oai_source\n"
        "sys.exit('windrow.index.feeder' in sys.modules or 'tantivy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
