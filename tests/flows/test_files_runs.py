"""A folder as a source: its runs, and looks at only what changed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.flows.commanding import windrow
from tests.flows.folders import NAME, NOW, OLD, URL, Site, make_site, stamp
from tests.flows.harvesting import problems, words
from windrow.errors import SourceBusy, UsageError
from windrow.harvest.folder import file_listing
from windrow.harvest.folder.file_listing import load_known_files
from windrow.harvest.options import HarvestOptions, Stopper
from windrow.model.run import Outcome, Severity
from windrow.store import leases
from windrow.store.leases import Claim
from windrow.store.records.record_reader import RecordReader
from windrow.wiring.folder_source import open_published_folder
from windrow.wiring.source_kinds import refuse_meaningless


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return make_site(tmp_path)


# Runs


def test_a_name_that_is_not_utf8_is_noted_and_the_rest_comes(site: Site) -> None:
    site.write("a.txt")
    (site.root / os.fsdecode(b"caf\xe9.txt")).write_text("x")
    run = site.harvest()
    assert run.outcome is Outcome.OK
    assert "not UTF-8" in words(run)
    assert site.live() == {"a.txt"}


def test_a_new_file_is_one_change_in_both_formats(site: Site) -> None:
    site.write("a.txt")
    site.write("b.txt")
    assert site.harvest().counters.added == 2
    site.write("c.txt")
    site.write("b.txt", "longer than it was", at=NOW)
    run = site.harvest(at=NOW + 60)
    assert (run.counters.added, run.counters.changed) == (1, 1)
    for path in ("a.txt", "b.txt", "c.txt"):
        assert {payload.prefix for payload in site.record(path).payloads} == {"oai_dc", "http_header"}
    with site.opened() as library, library.store.reading() as connection:
        changes = list(RecordReader().changes(connection, run.id))
    assert [change.kind for change in changes if change.identifier == f"{URL}c.txt"] == ["added"]


def test_a_limit_takes_some_and_says_nothing_of_the_others(site: Site) -> None:
    for number in range(5):
        site.write(f"{number}.txt")
    assert site.harvest(limit=2).counters.added == 2
    assert site.shelf.next_from(name=NAME) is None
    assert site.harvest().counters.added == 3
    limited = site.harvest(limit=1, at=NOW + 60)
    assert (limited.counters.seen, limited.counters.deleted) == (1, 0)
    assert len(site.live()) == 5


@pytest.mark.parametrize("option", [{"since": "2020-01-01"}, {"sets": ("a",)}, {"formats": ("mods",)}])
def test_what_only_a_repository_can_be_asked_is_refused(site: Site, option: dict[str, Any]) -> None:
    with site.opened() as library, pytest.raises(UsageError, match="www is a folder"):
        refuse_meaningless(library.source(NAME), HarvestOptions(**option))


def test_a_second_harvest_at_once_says_who_holds_the_folder(site: Site) -> None:
    site.write("a.txt")
    mine = leases.own_claim("windrow harvest")
    with site.opened() as library, library.store.writing() as connection:
        leases.take(connection, f"source {NAME}", Claim("windrow harvest", os.getppid(), mine.host, _birth()))
    with pytest.raises(SourceBusy, match=f"process {os.getppid()}"):
        site.harvest()


def _birth() -> str:
    return Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[19]


def test_a_harvest_that_is_stopped_says_so_and_the_next_one_goes_on(site: Site) -> None:
    for number in range(250):
        site.write(f"{number}.txt")
    stopper = Stopper()
    stopper.stop()
    with site.opened() as library:
        run = site.runner(library, stopper=stopper).run(HarvestOptions())
    assert run.outcome is Outcome.INTERRUPTED
    assert site.harvest().counters.added == 250


def test_files_are_stored_in_batches(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_listing, "BATCH", 10)
    for number in range(25):
        site.write(f"{number:02}.txt", at=OLD)
    run = site.harvest()
    assert run.counters.added == 25
    stamps = {path: site.record(f"{path:02}.txt").stamp for path in range(25)}
    assert {stamps[path] for path in range(10)} == {stamp(OLD)}
    # By then somebody may have asked: what comes later must be newer than that.
    assert {stamps[path] for path in range(10, 25)} == {stamp(NOW)}


# Looking only at what changed


def test_a_look_at_one_path_stores_what_changed_there_alone(site: Site) -> None:
    site.write("a.txt")
    site.write("b.txt")
    site.harvest()
    site.write("a.txt", "more", at=NOW + 30)
    site.write("b.txt", "more", at=NOW + 30)
    run = site.refresh("a.txt", at=NOW + 31)
    assert run is not None
    assert (run.counters.seen, run.counters.changed) == (1, 1)
    assert site.record("a.txt").stamp == stamp(NOW + 30)
    assert site.record("b.txt").stamp == stamp(OLD)


def test_a_look_at_a_folder_sees_what_is_below_it_and_what_was(site: Site) -> None:
    for path in ("a/1.txt", "a/b/2.txt", "a.txt", "ab/3.txt"):
        site.write(path)
    site.harvest()
    shutil.rmtree(site.root / "a")
    run = site.refresh("a", at=NOW + 31)
    assert run is not None
    assert run.counters.deleted == 2
    assert site.live() == {"a.txt", "ab/3.txt"}
    site.write("a/new/4.txt", at=NOW + 40)
    assert site.refresh("a/new", at=NOW + 41) is not None
    assert site.live() == {"a.txt", "ab/3.txt", "a/new/4.txt"}


def test_a_look_that_finds_nothing_new_leaves_no_run_behind(site: Site) -> None:
    site.write("a.txt")
    last = site.harvest()
    assert site.refresh(at=NOW + 60) is None
    assert site.refresh("a.txt", "no-such.txt", at=NOW + 60) is None
    site.write("b.txt", at=NOW + 70)
    run = site.refresh(at=NOW + 90)
    assert run is not None
    assert run.id == last.id + 1


def test_looks_that_find_nothing_new_are_noted_once_a_minute(site: Site) -> None:
    site.write("a.txt")
    site.harvest()
    noted: list[int | None] = []
    with site.opened() as library:
        runner, folder = site.runner(library), open_published_folder(library, library.source(NAME))
        for site.now in (NOW + 100, NOW + 130, NOW + 170, NOW + 180):
            assert runner.refresh() is None
            noted.append(load_known_files(library.store, folder).looked_at)
    assert noted == [NOW + 100, NOW + 100, NOW + 170, NOW + 170]


def test_a_folder_that_is_lost_was_not_looked_at(site: Site) -> None:
    site.write("a.txt")
    site.harvest()
    shutil.rmtree(site.root)
    with site.opened() as library:
        runner, folder = site.runner(library), open_published_folder(library, library.source(NAME))
        for site.now in (NOW + 100, NOW + 200):
            runner.refresh()
            assert load_known_files(library.store, folder).looked_at == NOW


@pytest.mark.parametrize("is_missing", [True, False], ids=["missing", "empty"])
def test_a_look_at_a_path_takes_nothing_where_the_whole_folder_is_lost(site: Site, is_missing: bool) -> None:
    site.write("a.txt")
    site.harvest()
    shutil.rmtree(site.root)
    if not is_missing:
        site.root.mkdir()
    run = site.refresh("a.txt", at=NOW + 60)
    assert run is not None
    assert run.outcome is Outcome.FAILED
    assert site.live() == {"a.txt"}


def test_trouble_that_lasts_is_told_once_and_its_end_too(site: Site) -> None:
    site.write("a.txt")
    site.harvest()
    moved = site.root.with_name("elsewhere")
    site.root.rename(moved)
    with site.opened() as library:
        runner = site.runner(library)
        first = runner.refresh()
        assert first is not None
        assert problems(first, weight=Severity.FATAL)
        assert runner.refresh() is None
        moved.rename(site.root)
        again = runner.refresh()
        assert again is not None
        assert again.outcome is Outcome.OK
        assert runner.refresh() is None


LOGIN = "RewriteEngine on\nRewriteCond %{HTTP_COOKIE} !session\nRewriteRule . /login [R,L]\n"


@pytest.mark.parametrize("text", [LOGIN, "Require all denied", "Nonsense"])
def test_a_folder_that_an_htaccess_closes_leaves_the_library(site: Site, text: str) -> None:
    site.write("a.txt")
    site.write("b/c.txt")
    site.harvest()
    site.write(".htaccess", text)
    run = site.refresh()
    assert run is not None
    assert run.outcome is Outcome.OK
    assert site.live() == set()


def test_what_is_not_understood_about_access_is_noted_with_file_and_line(site: Site) -> None:
    site.write("a.txt")
    site.write("b/c.txt")
    site.write("b/.htaccess", "# ours\nNonsense on\n")
    run = site.harvest()
    assert run.outcome is Outcome.OK
    assert site.live() == {"a.txt"}
    (note,) = problems(run, weight=Severity.NOTE)
    assert f"{site.root}/b/.htaccess, line 2: the directive nonsense" in note.message


# By the command line


def test_the_command_harvests_and_says_what_it_found(site: Site) -> None:
    site.write("a.txt")
    done = windrow(site.shelf, "harvest", NAME)
    assert done.returncode == 0
    assert "1 new, 0 changed, 0 deleted, 0 unchanged" in done.stdout
    assert "requests" not in done.stdout
