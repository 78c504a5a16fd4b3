"""A folder as a source: what comes into the library, what changes, what goes, and what must never go."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.flows.commanding import windrow
from tests.flows.folders import DAY, NAME, NOW, URL, Site, make_site, stamp
from tests.flows.harvesting import problems, words
from tests.unit.sources.files.planting import protect
from windrow.config.edit import change_source
from windrow.errors import SourceBusy, UsageError
from windrow.formats.registry import read
from windrow.harvest import files
from windrow.harvest.differences import differences
from windrow.harvest.options import HarvestOptions
from windrow.harvest.stopping import Stopper
from windrow.model.document import Document
from windrow.model.run import Outcome, Weight
from windrow.store import leases
from windrow.store.guards import GUARD, guards_of
from windrow.store.leases import Claim
from windrow.store.present import combinations

OLD = NOW - 10 * DAY


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return make_site(tmp_path)


def document(site: Site, path: str) -> Document:
    payload = site.record(path).payload("oai_dc")
    assert payload is not None
    return read(payload.data, payload.declarations, "oai_dc")


def header(site: Site, path: str) -> str:
    payload = site.record(path).payload("http_header")
    assert payload is not None
    return payload.data.decode()


# What a file becomes


def test_every_file_is_a_record_in_two_formats_dated_as_the_file(site: Site) -> None:
    site.write("index.html", "<title>Home</title>", at=OLD)
    site.write("a/photo.jpg", b"\xff\xd8", at=OLD + 5)
    run = site.harvest()
    assert run.outcome is Outcome.OK
    assert (run.counters.added, run.counters.seen, run.counters.supplemented) == (2, 2, 0)
    record = site.record("a/photo.jpg")
    assert record.stamp == stamp(OLD + 5)
    assert record.sets == ("mime:image:jpeg",)
    assert {payload.prefix for payload in record.payloads} == {"oai_dc", "http_header"}
    assert "<http:Content-Type>image/jpeg</" in header(site, "a/photo.jpg")
    assert "<http:Content-Length>2</" in header(site, "a/photo.jpg")
    assert document(site, "index.html").title == "Home"


def test_a_description_has_the_address_the_type_and_the_size(site: Site) -> None:
    site.write("a/data.csv", "1,2\n", at=OLD)
    site.harvest()
    found = document(site, "a/data.csv")
    assert found.fulltext == f"{URL}a/data.csv" or found.landing == f"{URL}a/data.csv"
    assert found.types == ("Dataset",)
    assert found.extra["dc:format"] == ("text/csv", "4 bytes")


def test_names_of_any_kind_have_addresses(site: Site) -> None:
    for name in ("ö x+.svg", "100%.txt", 'a&b\'s "q".txt', "q?x#y.txt", "new\nline.txt"):
        site.write(name)
    site.harvest()
    assert site.live() == {
        "%C3%B6%20x+.svg",
        "100%25.txt",
        "a&b's%20%22q%22.txt",
        "q%3Fx%23y.txt",
        "new%0Aline.txt",
    }


def test_the_sets_of_media_types_have_names_and_parents(site: Site) -> None:
    site.write("drawing.svg")
    site.harvest()
    found = {item.spec: (item.name, item.parent, item.records) for item in site.shelf.sets(name=NAME)}
    assert found == {
        "mime": ("Files by media type", None, 0),
        "mime:image": ("image", "mime", 0),
        "mime:image:svg~2Bxml": ("image/svg+xml", "mime:image", 1),
    }


def test_a_library_inside_the_folder_is_never_shown(tmp_path: Path) -> None:
    site = make_site(tmp_path, skip=["*.tmp"])
    change_source(site.shelf.folder, NAME, {"folder": str(tmp_path)})
    (tmp_path / "index.html").write_text("x")
    site.harvest()
    assert site.live() == {"index.html"}


# What a folder protects


def test_a_protected_file_is_in_a_set_that_nobody_is_shown(site: Site) -> None:
    site.write("open.txt")
    site.write("closed/a.txt")
    protect(site.root / "closed", "Require valid-user\n")
    site.harvest()
    assert site.record("closed/a.txt").sets == ("mime:text:plain",)
    assert {item.spec for item in site.shelf.sets(name=NAME)} == {"mime", "mime:text", "mime:text:plain"}
    with site.opened() as library, library.store.reading() as connection:
        assert guards_of(connection, 1, f"{URL}closed/a.txt") == {"closed"}
        assert guards_of(connection, 1, f"{URL}open.txt") == frozenset()
        assert frozenset({"mime:text:plain", f"{GUARD}closed"}) in combinations(connection, 1).values()


def test_a_file_that_comes_under_protection_is_a_change_and_moves_its_date(site: Site) -> None:
    site.write("closed/a.txt")
    site.harvest()
    protect(site.root / "closed", "Require valid-user\n")
    run = site.harvest(at=NOW + 60)
    assert run.counters.changed == 1
    assert site.record("closed/a.txt").stamp == stamp(NOW + 60)
    assert site.harvest(at=NOW + 120).counters.unchanged == 1
    with site.opened() as library, library.store.reading() as connection:
        assert guards_of(connection, 1, f"{URL}closed/a.txt") == {"closed"}


def test_a_tombstone_stays_under_the_protection_of_its_file(site: Site) -> None:
    site.write("open.txt")
    site.write("closed/a.txt")
    protect(site.root / "closed", "Require valid-user\n")
    site.harvest()
    site.remove("closed/a.txt")
    assert site.harvest(at=NOW + 60).counters.deleted == 1
    with site.opened() as library, library.store.reading() as connection:
        assert guards_of(connection, 1, f"{URL}closed/a.txt") == {"closed"}


# What changes, and when it is dated


def test_unchanged_files_stay_as_they_are(site: Site) -> None:
    site.write("a.html", "<title>A</title>")
    site.harvest()
    before = site.record("a.html")
    run = site.harvest(at=NOW + 60)
    assert (run.counters.unchanged, run.counters.changed, run.counters.added) == (1, 0, 0)
    assert site.record("a.html") == before


def test_unchanged_files_are_not_opened(site: Site) -> None:
    site.write("a.html", "<title>A</title>")
    site.harvest()
    site.write("a.html", "<title>B</title>")  # the same size and time: nobody can tell without reading
    assert site.harvest(at=NOW + 60).counters.unchanged == 1
    assert document(site, "a.html").title == "A"


def test_a_full_harvest_describes_every_file_again(site: Site) -> None:
    site.write("a.html", "<title>A</title>")
    site.write("b.html", "<title>B</title>")
    site.harvest()
    site.write("a.html", "<title>C</title>")
    run = site.harvest(at=NOW + 60, is_full=True)
    assert (run.counters.changed, run.counters.unchanged) == (1, 1)
    assert document(site, "a.html").title == "C"
    assert site.record("a.html").stamp == stamp(NOW + 60)
    assert site.record("b.html").stamp == stamp(OLD)


def test_a_new_modification_time_alone_changes_a_record(site: Site) -> None:
    site.write("a.txt", at=OLD)
    site.harvest()
    site.write("a.txt", at=NOW + 30)
    run = site.harvest(at=NOW + 60)
    assert run.counters.changed == 1
    assert site.record("a.txt").stamp == stamp(NOW + 30)


def test_what_was_written_while_the_last_look_went_on_is_read_again(site: Site) -> None:
    site.write("a.html", "<title>A</title>", at=NOW)
    site.harvest(at=NOW)
    site.write("a.html", "<title>B</title>", at=NOW)  # in the same second, of the same size
    assert site.harvest(at=NOW + 60).counters.changed == 1
    assert document(site, "a.html").title == "B"
    assert site.harvest(at=NOW + 120).counters.unchanged == 1


@pytest.mark.parametrize("age", [1, 60, 3650 * DAY])
def test_a_file_that_comes_with_an_old_date_is_dated_when_it_was_seen(site: Site, age: int) -> None:
    site.write("a.txt")
    site.harvest(at=NOW)
    site.write("unpacked.txt", at=NOW - age)
    site.harvest(at=NOW + 60)
    assert site.record("unpacked.txt").stamp == stamp(NOW + 60)
    assert f"<dc:date>{stamp(NOW - age)}</dc:date>" in _payload(site, "unpacked.txt")


def test_a_file_that_changes_to_an_older_date_is_dated_when_it_was_seen(site: Site) -> None:
    site.write("a.txt", at=NOW - 50)
    site.harvest(at=NOW)
    site.write("a.txt", "restored from a copy", at=NOW - 5000)
    site.harvest(at=NOW + 60)
    assert site.record("a.txt").stamp == stamp(NOW + 60)


def test_a_date_in_the_future_is_not_believed(site: Site) -> None:
    site.write("a.txt", at=NOW + 1000 * DAY)
    site.harvest(at=NOW)
    assert site.record("a.txt").stamp == stamp(NOW)


@pytest.mark.parametrize("second", [0, -1, 253402300799 + DAY])
def test_dates_at_the_ends_of_time_are_kept_within_it(site: Site, second: int) -> None:
    site.write("a.txt", at=second)
    run = site.harvest(at=NOW)
    assert run.outcome is Outcome.OK
    assert site.record("a.txt").stamp == stamp(min(second, NOW))


def test_whoever_asks_since_the_last_look_hears_of_everything_that_came_after_it(site: Site) -> None:
    """Files with any dates come between looks; nothing new is ever dated before the look that missed it."""
    for day in range(5):
        looked_at = site.now
        before = set(site.shelf.records(name=NAME)) if day else set()
        for age in (1, 30, 90, 100 * DAY):
            site.write(f"{day}/{age}.txt", at=site.now + 50 - age)
        site.harvest(at=looked_at + 50)
        if day:
            late = [record for name, record in site.shelf.records(name=NAME).items() if name not in before]
            assert len(late) == 4
            assert all(record.stamp >= stamp(looked_at) for record in late)


def test_the_difference_that_a_harvest_made_can_be_shown(site: Site) -> None:
    site.write("a.html", "<title>A</title>")
    site.write("b.txt")
    site.harvest()
    site.write("a.html", "<title>New</title>", at=NOW + 10)
    site.remove("b.txt")
    run = site.harvest(at=NOW + 60)
    with site.opened() as library, library.store.reading() as connection:
        found = differences(connection, run.id, limit=None)
    assert (found.counts["changed"], found.counts["deleted"]) == (1, 1)
    assert ("titles", ("A",), ("New",)) in [
        (change.name, change.gone, change.come) for item in found.touched for change in item.fields
    ]


# What goes


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
    assert run.counters.changed == 1
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


# Runs


def test_a_name_that_is_not_utf8_is_noted_and_the_rest_comes(site: Site) -> None:
    site.write("a.txt")
    (site.root / os.fsdecode(b"caf\xe9.txt")).write_text("x")
    run = site.harvest()
    assert run.outcome is Outcome.OK
    assert "not UTF-8" in words(run)
    assert site.live() == {"a.txt"}


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
    with pytest.raises(UsageError, match="www is a folder"):
        site.harvest(**option)


def test_a_second_harvest_at_once_says_who_holds_the_folder(site: Site) -> None:
    site.write("a.txt")
    mine = leases.ourselves("windrow harvest")
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
    monkeypatch.setattr(files, "BATCH", 10)
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
        assert problems(first, weight=Weight.FATAL)
        assert runner.refresh() is None
        moved.rename(site.root)
        again = runner.refresh()
        assert again is not None
        assert again.outcome is Outcome.OK
        assert runner.refresh() is None


# By the command line


def test_the_command_harvests_and_says_what_it_found(site: Site) -> None:
    site.write("a.txt")
    done = windrow(site.shelf, "harvest", NAME)
    assert done.returncode == 0
    assert "1 new, 0 changed, 0 deleted, 0 unchanged" in done.stdout
    assert "requests" not in done.stdout


def _payload(site: Site, path: str) -> str:
    payload = site.record(path).payload("oai_dc")
    assert payload is not None
    return payload.data.decode()
