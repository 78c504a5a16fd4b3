"""A folder as a source: what goes from the library, and what must never go."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.flows.folders import NAME, NOW, OLD, Site, make_site, stamp
from tests.flows.harvesting import words
from windrow.config.editor import change_source
from windrow.model.run import Outcome


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return make_site(tmp_path)


def test_a_file_that_is_gone_becomes_a_tombstone_dated_when_it_was_noticed(site: Site) -> None:
    site.write("a.txt")
    site.write("b.txt")
    site.harvest()
    site.remove("b.txt")
    run = site.harvest(at=NOW + 60)
    assert (run.counters.deleted, run.counters.unchanged) == (1, 1)
    record = site.record("b.txt")
    assert record.is_deleted
    assert record.stamp == stamp(NOW + 60)
    assert record.sets == ("mime:text:plain",)
    assert site.harvest(at=NOW + 120).counters.deleted == 0


def test_a_file_that_comes_back_is_a_record_again(site: Site) -> None:
    site.write("a.txt")
    site.write("b.txt", at=OLD)
    site.harvest()
    site.remove("b.txt")
    site.harvest(at=NOW + 60)
    site.write("b.txt", at=OLD)
    run = site.harvest(at=NOW + 120)
    assert run.counters.restored == 1
    assert not site.record("b.txt").is_deleted
    assert site.record("b.txt").stamp == stamp(NOW + 120)


def test_a_file_that_is_hidden_now_is_gone(site: Site) -> None:
    site.write("a.txt")
    site.write("drafts/b.txt")
    site.harvest()
    change_source(site.shelf.folder, NAME, {"skip": ["drafts/"]})
    assert site.harvest(at=NOW + 60).counters.deleted == 1
    assert site.live() == {"a.txt"}


@pytest.mark.parametrize("is_missing", [True, False], ids=["missing", "empty"])
def test_a_folder_that_is_missing_or_empty_takes_nothing_with_it(site: Site, is_missing: bool) -> None:
    site.write("a.txt")
    site.write("b/c.txt")
    site.harvest()
    shutil.rmtree(site.root)
    if not is_missing:
        site.root.mkdir()
    run = site.harvest(at=NOW + 60)
    assert run.outcome is Outcome.FAILED
    assert str(site.root) in words(run)
    assert site.live() == {"a.txt", "b/c.txt"}
    assert site.shelf.next_from(name=NAME) == stamp(NOW)


def test_a_folder_that_was_emptied_on_purpose_can_be_taken_at_its_word(site: Site) -> None:
    site.write("a.txt")
    site.harvest()
    site.remove("a.txt")
    run = site.harvest(at=NOW + 60, is_reconciling=True)
    assert run.outcome is Outcome.OK
    assert site.live() == set()


def test_an_empty_folder_is_no_problem_before_there_was_anything(site: Site) -> None:
    assert site.harvest().outcome is Outcome.OK


def test_a_folder_inside_that_cannot_be_read_keeps_its_files(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    is_root = os.geteuid() == 0
    for parent in list(tmp_path.parents)[:3] if is_root else ():
        parent.chmod(parent.stat().st_mode | 0o055)
    if is_root:
        os.seteuid(65534)
    try:
        site = make_site(tmp_path)
        for path in ("a.txt", "dark/b.txt", "dark/deep/c.txt", "darker.txt"):
            site.write(path)
        site.harvest()
        (site.root / "dark").chmod(0o055)
        site.remove("darker.txt")
        run = site.harvest(at=NOW + 60)
        (site.root / "dark").chmod(0o755)
        assert run.outcome is Outcome.PARTIAL
        assert "dark could not be looked at" in words(run)
        assert site.live() == {"a.txt", "dark/b.txt", "dark/deep/c.txt"}
        assert site.harvest(at=NOW + 120).outcome is Outcome.OK
    finally:
        if is_root:
            os.seteuid(0)


def test_a_new_address_gives_every_file_a_new_identifier(site: Site) -> None:
    site.write("a.txt", at=OLD)
    site.harvest()
    change_source(site.shelf.folder, NAME, {"url": "https://new.example.org/"})
    run = site.harvest(at=NOW + 60)
    assert (run.counters.added, run.counters.deleted) == (1, 1)
    assert "the address was https://www.example.org/" in words(run)
    new = site.shelf.records(name=NAME)["https://new.example.org/a.txt"]
    assert new.stamp == stamp(NOW + 60)  # whoever asked the day before must hear of it
    assert site.record("a.txt").is_deleted
