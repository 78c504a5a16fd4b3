"""A folder kept fresh: every test waits for the run it expects, and for no time."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue

import pytest

from tests.flows.folders import NAME, Site, make_site
from tests.unit.sources.files.planting import protect
from windrow.harvest import background_threads
from windrow.harvest.background_threads import MAX_CHANGED_PATHS, condense_paths
from windrow.model.run import Outcome, Run
from windrow.store import leases
from windrow.store.leases import Claim
from windrow.wiring import Library
from windrow.wiring.upkeep_threads import source_watchers

PATIENCE_SECONDS = 30


class Kept:
    """A site that is kept fresh, and the runs that did it."""

    def __init__(self, site: Site, library: Library, runs: Queue[Run]) -> None:
        self.site = site
        self.library = library
        self._runs = runs

    def run(self) -> Run:
        """Wait for the next run."""
        return self._runs.get(timeout=PATIENCE_SECONDS)

    def ends(self, outcome: Outcome) -> None:
        """Wait until a run ends so: what was stored is seen before its run is told of."""
        while self.run().outcome is not outcome:
            pass

    def until(self, live: set[str]) -> None:
        """Wait until the library has just these files."""
        while self.site.live() != live:
            self.run()


@contextmanager
def kept(site: Site) -> Iterator[Kept]:
    stop, runs = threading.Event(), Queue[Run]()
    with site.opened() as library:
        keepers = source_watchers(library, stop, on_changed=runs.put)
        for keeper in keepers:
            keeper.start()
        try:
            yield Kept(site, library, runs)
        finally:
            stop.set()
            for keeper in keepers:
                keeper.join(PATIENCE_SECONDS)
                assert not keeper.is_alive()


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return make_site(tmp_path)


def test_what_is_there_at_the_start_comes_in_and_then_every_change(site: Site) -> None:
    site.write("a.txt")
    with kept(site) as keeping:
        assert keeping.run().counters.added == 1
        site.write("b/c.txt")
        keeping.until({"a.txt", "b/c.txt"})
        site.remove("a.txt")
        keeping.until({"b/c.txt"})
        (site.root / "b").rename(site.root / "d")
        keeping.until({"d/c.txt"})


def test_a_folder_that_is_looked_at_every_so_often_is_kept_fresh_as_well(tmp_path: Path) -> None:
    site = make_site(tmp_path, poll="100ms")
    with kept(site) as keeping:
        site.write("a.txt")
        keeping.until({"a.txt"})
        site.write("b.txt")
        keeping.until({"a.txt", "b.txt"})


def test_a_new_htaccess_bears_on_all_files_of_its_folder(site: Site) -> None:
    site.write("open.txt")
    site.write("closed/a/b.txt")
    with kept(site) as keeping:
        keeping.until({"open.txt", "closed/a/b.txt"})
        protect(site.root / "closed", "Require all denied\n")
        keeping.until({"open.txt"})


def test_a_source_that_somebody_else_works_on_is_tried_again(
    site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    heard = threading.Event()
    monkeypatch.setattr(background_threads, "_MIN_RESCAN_PAUSE_SECONDS", 0.001)
    handler = logging.Handler()
    handler.emit = lambda record: heard.set() if "somebody else" in record.getMessage() else None  # type: ignore[method-assign]
    logging.getLogger("windrow.harvest.background_threads").addHandler(handler)
    site.write("a.txt")
    claim = Claim("windrow harvest", os.getppid(), leases.own_claim("").host, _birth())
    with site.opened() as library, library.store.writing() as connection:
        leases.take(connection, f"source {NAME}", claim)
    try:
        with kept(site) as keeping:
            assert heard.wait(PATIENCE_SECONDS)
            with keeping.library.store.writing() as connection:
                leases.release(connection, f"source {NAME}", claim)
            assert keeping.run().counters.added == 1
    finally:
        logging.getLogger("windrow.harvest.background_threads").removeHandler(handler)


def _birth() -> str:
    return Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[19]


def test_a_folder_that_is_lost_is_told_of_and_taken_up_again(tmp_path: Path) -> None:
    site = make_site(tmp_path, poll="100ms")
    site.write("a.txt")
    with kept(site) as keeping:
        keeping.until({"a.txt"})
        site.root.rename(tmp_path / "elsewhere")
        keeping.ends(Outcome.FAILED)
        (tmp_path / "elsewhere").rename(site.root)
        keeping.ends(Outcome.OK)
        assert site.live() == {"a.txt"}


def test_disabled_folders_and_repositories_are_left_alone(tmp_path: Path) -> None:
    site = make_site(tmp_path, enabled=False)
    site.shelf.add("https://repository.example.org/oai")
    with site.opened() as library:
        assert source_watchers(library, threading.Event()) == []


@pytest.mark.parametrize(
    ("changed", "looked_at"),
    [
        ({"a.txt"}, ["a.txt"]),
        ({"a", "a/b", "a/b/c", "ab"}, ["a", "ab"]),
        ({"a-b", "a", "a/b"}, ["a", "a-b"]),
        ({"a/.htaccess", "a/b.txt"}, ["a"]),
        ({".htaccess"}, None),
        ({f"{number}" for number in range(MAX_CHANGED_PATHS + 1)}, None),
    ],
)
def test_only_what_changed_is_looked_at_and_nothing_twice(
    changed: set[str], looked_at: list[str] | None
) -> None:
    assert condense_paths(changed) == looked_at
