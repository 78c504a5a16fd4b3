"""A folder as a source: what its files become, what changes in the library, and how it is dated."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest
from lxml import etree

from tests.flows.folders import DAY, NAME, NOW, OLD, URL, Site, make_site, stamp
from tests.servers.asgi import AsgiServer
from tests.unit.sources.files.planting import protect
from windrow.config.editor import change_source
from windrow.formats.registry import read
from windrow.harvest.folder.file_listing import FilesRunner
from windrow.harvest.options import HarvestOptions
from windrow.harvest.run_diff import diff_run
from windrow.model.document import Document
from windrow.model.run import Outcome
from windrow.sources.files.digital_items import FileDeriver
from windrow.store.harvests.folder_state import read_set_combinations
from windrow.store.records.set_hierarchy import GUARD, find_guards
from windrow.web.oai.oai_provider import GRACE_SECONDS, OaiRepository
from windrow.wiring.folder_source import open_published_folder
from windrow.wiring.web_application import web_app


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
        assert find_guards(connection, 1, f"{URL}closed/a.txt") == {"closed"}
        assert find_guards(connection, 1, f"{URL}open.txt") == frozenset()
        assert (
            frozenset({"mime:text:plain", f"{GUARD}closed"}) in read_set_combinations(connection, 1).values()
        )


def test_a_file_that_comes_under_protection_is_a_change_and_moves_its_date(site: Site) -> None:
    site.write("closed/a.txt")
    site.harvest()
    protect(site.root / "closed", "Require valid-user\n")
    run = site.harvest(at=NOW + 60)
    assert run.counters.changed + run.counters.moved == 1
    assert site.record("closed/a.txt").stamp == stamp(NOW + 60)
    assert site.harvest(at=NOW + 120).counters.unchanged == 1
    with site.opened() as library, library.store.reading() as connection:
        assert find_guards(connection, 1, f"{URL}closed/a.txt") == {"closed"}


def test_a_tombstone_stays_under_the_protection_of_its_file(site: Site) -> None:
    site.write("open.txt")
    site.write("closed/a.txt")
    protect(site.root / "closed", "Require valid-user\n")
    site.harvest()
    site.remove("closed/a.txt")
    assert site.harvest(at=NOW + 60).counters.deleted == 1
    with site.opened() as library, library.store.reading() as connection:
        assert find_guards(connection, 1, f"{URL}closed/a.txt") == {"closed"}


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
    assert site.record("a.txt").stamp == stamp(NOW + 60)
    site.write("a.txt", at=NOW + 99)
    site.harvest(at=NOW + 100)
    assert site.record("a.txt").stamp == stamp(NOW + 99)


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


@dataclass
class Follower:
    """A harvester of the folder's repository that asks for what came since the answer before."""

    site: Site
    known: dict[str, str] = field(default_factory=dict)  # datestamps by path
    since: str | None = None

    def ask(self) -> str:
        """Ask once; return when the answer says it was given."""
        pairs = [("verb", "ListIdentifiers"), ("metadataPrefix", "oai_dc")]
        pairs += [("from", self.since)] if self.since else []
        with self.site.opened() as library:
            repository = OaiRepository(
                library.store,
                library.config,
                base_url="https://library.example",
                derivers={NAME: FileDeriver(open_published_folder(library, library.source(NAME)))},
                clock=lambda: self.site.now,
            )
            answer = repository.answer(NAME, pairs)
        for header in etree.fromstring(answer).iter("{*}header"):
            identifier, dated = header.findtext("{*}identifier"), header.findtext("{*}datestamp")
            assert identifier is not None
            assert dated is not None
            self.known[identifier.removeprefix(URL)] = dated
        self.since = etree.fromstring(answer).findtext("{*}responseDate")
        assert self.since is not None
        return self.since


def test_answers_are_dated_by_the_clock_however_long_ago_the_folder_was_looked_at(site: Site) -> None:
    site.write("a.txt")
    site.harvest(at=NOW)
    for later in (1, 60, 86, 30 * DAY):
        site.now = NOW + later
        assert Follower(site).ask() == stamp(NOW + later - GRACE_SECONDS)


def test_what_is_served_is_dated_by_the_clock_as_well(site: Site) -> None:
    site.write("a.txt")
    started = int(time.time())
    site.harvest(at=started - 600)
    with site.opened() as library, AsgiServer(web_app(library, "https://library.example")) as server:
        answer = server.ask(f"/oai/{NAME}?verb=ListIdentifiers&metadataPrefix=oai_dc")
    dated = etree.fromstring(answer.body).findtext("{*}responseDate")
    assert dated is not None
    assert dated >= stamp(started - GRACE_SECONDS)


@pytest.mark.parametrize("seed", range(5))
def test_a_harvester_that_asks_since_its_last_answer_misses_nothing(site: Site, seed: int) -> None:
    """Files of any dates come, change and go, looks and answers come at any time, in any order."""
    choice = random.Random(seed)
    site.write("first.txt")
    site.harvest(at=NOW)
    follower = Follower(site)
    for step in range(30):
        site.now += choice.choice([0, 0, 1, 2, 60])
        name, age = f"{choice.randrange(6)}.txt", choice.choice([-5, 0, 0, 1, 2, 3, 59, 90, 100 * DAY])
        site.write(name, f"step {step}", at=site.now - age)
        for act in choice.choices(["ask", "look", "wait"], k=3):
            if act == "ask":
                follower.ask()
            elif act == "look":
                site.harvest()
            else:
                site.now += choice.choice([1, 3])
    site.harvest()
    site.now += 1
    follower.ask()
    held = {path: site.record(path).stamp for path in site.live()}
    assert follower.known == held


def test_what_takes_long_to_store_is_dated_when_it_is_stored(site: Site) -> None:
    site.write("a.txt")
    site.write("gone.txt")
    site.harvest(at=NOW)
    site.remove("gone.txt")
    site.write("a.txt", "changed", at=NOW + 100)
    site.write("new.txt", at=NOW + 100)
    ticks = count(NOW + 100, 10)  # every look at the clock comes ten seconds after the one before
    with site.opened() as library:
        folder = open_published_folder(library, library.source(NAME))
        clock = lambda: datetime.fromtimestamp(next(ticks), UTC)  # noqa: E731
        FilesRunner(folder, store=library.store, now=clock).run(HarvestOptions())
    last = stamp(next(ticks) - 10)
    stamps = {path: site.record(path).stamp for path in ("a.txt", "new.txt", "gone.txt")}
    assert stamps == dict.fromkeys(stamps, last)


def test_the_difference_that_a_harvest_made_can_be_shown(site: Site) -> None:
    site.write("a.html", "<title>A</title>")
    site.write("b.txt")
    site.harvest()
    site.write("a.html", "<title>New</title>", at=NOW + 10)
    site.remove("b.txt")
    run = site.harvest(at=NOW + 60)
    with site.opened() as library, library.store.reading() as connection:
        found = diff_run(connection, run.id, limit=None)
    assert (found.counts["changed"], found.counts["deleted"]) == (1, 1)
    assert ("titles", ("A",), ("New",)) in [
        (change.name, change.gone, change.come) for item in found.touched for change in item.fields
    ]


def _payload(site: Site, path: str) -> str:
    payload = site.record(path).payload("oai_dc")
    assert payload is not None
    return payload.data.decode()
