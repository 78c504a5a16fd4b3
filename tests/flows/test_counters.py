"""What a run counts: held to what really became of the records, and the same wherever it is shown.

The oracle compares the library before a run with the library after it, record by record, and knows nothing of
how the run came there.
"""

from __future__ import annotations

import json
import random
import re
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.flows.commanding import WAIT_SECONDS, running, windrow
from tests.flows.harvesting import Shelf, make_shelf, words
from tests.flows.serving import serving
from tests.flows.test_resume import HoldsFrom, until
from tests.servers.fault import Asked, Fault, Page
from tests.servers.faults import lists, records, tokens
from tests.servers.items import Item, dublin_core, make_items
from tests.servers.oai import NOW, OaiServer
from windrow.harvest.run_diff import diff_run
from windrow.model.run import Outcome, Run
from windrow.store import runs

KINDS = ("added", "changed", "supplemented", "moved", "restored", "deleted")
Known = Mapping[str, tuple[bool, Mapping[str, bytes], tuple[str, ...]]]


@dataclass
class InOneFormat(Fault):
    """Some records are other in one format than in the others: broken, deleted, or with another title."""

    broken: set[tuple[str, str]] = field(default_factory=set)
    deleted: set[tuple[str, str]] = field(default_factory=set)
    titles: dict[tuple[str, str], str] = field(default_factory=dict)
    _asked: threading.local = field(default_factory=threading.local, init=False)

    def reinterpret(self, asked: Asked) -> Asked:
        self._asked.prefix = asked.prefix
        return asked

    def item(self, item: Item) -> Item:
        key = (self._asked.prefix, item.identifier)
        if key in self.deleted:
            return replace(item, payload=None)
        return replace(item, payload=dublin_core(self.titles[key])) if key in self.titles else item

    def record(self, xml: str, item: Item, verb: str) -> str:
        is_broken = (self._asked.prefix, item.identifier) in self.broken
        return re.sub(r"<metadata>.*</metadata>", "", xml) if is_broken else xml


@dataclass
class PageTwice(Fault):
    """The second page of a list comes a second time, under another token, before the third."""

    def page(self, page: Page) -> Page:
        if page.index == 1 and page.token and "again" not in (page.asked.token or ""):
            return replace(page, token=self.server.token_for(page.asked, page.asked.offset) + "again")
        return page

    def read_token(self, text: str, request: object) -> str:
        return text.removesuffix("again")


def known(shelf: Shelf) -> Known:
    """Everything that the library holds, as plain values."""
    return {
        name: (
            record.is_deleted,
            {each.prefix: each.data for each in record.payloads},
            tuple(sorted(record.sets)),
        )
        for name, record in shelf.records().items()
    }


def oracle(before: Known, after: Known) -> Counter[str]:
    """Count what became of records, from how they were and how they are."""
    found: Counter[str] = Counter()
    for name, (is_deleted, payloads, sets) in after.items():
        was_deleted, old_payloads, old_sets = before.get(name, (None, {}, ()))
        if was_deleted is None:
            found["deleted" if is_deleted else "added"] += 1
        elif was_deleted != is_deleted:
            found["deleted" if is_deleted else "restored"] += 1
        elif any(payloads.get(prefix) != data for prefix, data in old_payloads.items()):
            found["changed"] += 1
        elif set(payloads) != set(old_payloads):
            found["supplemented"] += 1
        elif sets != old_sets:
            found["moved"] += 1
    return found


def check(shelf: Shelf, run: Run, before: Known) -> Counter[str]:
    """Hold the counters, the differences and the quarantine of a run to the oracle."""
    expected = oracle(before, known(shelf))
    counted = run.counters.as_dict()
    assert {kind: counted[kind] for kind in KINDS} == {kind: expected[kind] for kind in KINDS}, words(run)
    assert _differences(shelf, run.id) == {kind: expected[kind] for kind in KINDS}
    mine = [case for case in shelf.quarantined() if case.run == run.id]
    assert counted["quarantined"] == len({case.identifier or case.id for case in mine})
    return expected


def _differences(shelf: Shelf, run_id: int) -> dict[str, int]:
    library = shelf.open()
    try:
        with library.store.reading() as connection:
            return diff_run(connection, run_id, limit=3).counts
    finally:
        library.close()


def _stored_run(shelf: Shelf, run_id: int) -> Run:
    library = shelf.open()
    try:
        with library.store.reading() as connection:
            found = runs.get(connection, run_id)
    finally:
        library.close()
    assert found is not None
    return found


def _name(number: int) -> str:
    return f"oai:test.example:{number}"


def _put(server: OaiServer, number: int, title: str, *, sets: tuple[str, ...] = ("art",)) -> None:
    server.put(Item(_name(number), server.now - timedelta(hours=1), sets, dublin_core(title)))


@pytest.mark.parametrize("formats", [("oai_dc",), ("oai_dc", "kk"), ("oai_dc", "kk", "marcxml")])
def test_a_record_that_changes_in_several_formats_counts_once(
    tmp_path: Path, formats: tuple[str, ...]
) -> None:
    with OaiServer(make_items(25), formats=formats) as server:
        shelf = make_shelf(tmp_path, server, formats=list(formats))
        first = shelf.harvest()
        assert check(shelf, first, {}) == {"added": 25}
        assert first.counters.seen == 25 * len(formats)
        assert first.counters.unchanged == first.counters.duplicates == 0
        before = known(shelf)
        server.now = NOW + timedelta(days=1)
        for number in (1, 2, 3):
            _put(server, number, "New")
        _put(server, 99, "Another")
        server.delete(_name(5), server.now - timedelta(hours=1))
        second = shelf.harvest()
        assert check(shelf, second, before) == {"changed": 3, "added": 1, "deleted": 1}


def test_a_record_left_as_it_was_in_two_formats_is_unchanged_once(tmp_path: Path) -> None:
    with OaiServer(make_items(25), formats=("oai_dc", "kk")) as server:
        shelf = make_shelf(tmp_path, server, formats=["oai_dc", "kk"])
        shelf.harvest()
        run = shelf.harvest(is_full=True)
    assert run.counters.unchanged == 25
    assert (run.counters.seen, run.counters.duplicates, run.counters.touched) == (50, 0, 0)


def test_a_record_that_changes_in_the_last_format_only_is_changed_and_not_unchanged(tmp_path: Path) -> None:
    other = InOneFormat()
    with OaiServer(make_items(10), other, formats=("oai_dc", "kk")) as server:
        shelf = make_shelf(tmp_path, server, formats=["oai_dc", "kk"])
        shelf.harvest()
        before = known(shelf)
        other.titles["kk", _name(4)] = "Only here"
        run = shelf.harvest(is_full=True)
        assert check(shelf, run, before) == {"changed": 1}
        assert run.counters.unchanged == 9


def test_a_further_format_is_told_apart_from_a_change(tmp_path: Path) -> None:
    with OaiServer(make_items(10), formats=("oai_dc", "kk")) as server:
        shelf = make_shelf(tmp_path, server, formats=["oai_dc"])
        shelf.harvest()
        before = known(shelf)
        shelf.change(formats=["oai_dc", "kk"])
        server.now = NOW + timedelta(days=1)
        _put(server, 3, "New")
        run = shelf.harvest()
        assert check(shelf, run, before) == {"supplemented": 9, "changed": 1}


def test_records_in_several_sets_count_once(tmp_path: Path) -> None:
    both = [replace(item, sets=("art", "law")) for item in make_items(12)]
    with OaiServer([*both, Item(_name(50), NOW, ("law",), dublin_core("Law"))]) as server:
        shelf = make_shelf(tmp_path, server, sets=["art", "law"])
        first = shelf.harvest()
        assert check(shelf, first, {}) == {"added": 13}
        assert first.counters.unchanged == 0
        before = known(shelf)
        server.now = NOW + timedelta(days=1)
        _put(server, 2, "New", sets=("art", "law"))
        _put(server, 3, "Title 3", sets=("law",))
        second = shelf.harvest()
        assert check(shelf, second, before) == {"changed": 1, "moved": 1}
        third = shelf.harvest(is_full=True)
        assert third.counters.unchanged == 13


def test_a_record_bad_in_one_format_and_fine_in_another_is_counted_as_both(tmp_path: Path) -> None:
    other = InOneFormat(broken={("kk", _name(4)), ("kk", _name(5)), ("marcxml", _name(5))})
    with OaiServer(make_items(10), other, formats=("oai_dc", "kk", "marcxml")) as server:
        shelf = make_shelf(tmp_path, server, formats=["oai_dc", "kk", "marcxml"])
        run = shelf.harvest()
        assert check(shelf, run, {}) == {"added": 10}
        assert (run.outcome, run.counters.quarantined) == (Outcome.PARTIAL, 2)
        assert {(case.format, case.identifier) for case in shelf.quarantined()} == other.broken
        other.broken.clear()
        before = known(shelf)
        assert check(shelf, shelf.harvest(is_full=True), before) == {"supplemented": 2}
        assert shelf.quarantined() == []


def test_a_record_broken_in_every_pass_is_quarantined_once(tmp_path: Path) -> None:
    """Windows are cut in two and taken again, so that the same records come broken many times."""
    broken = [records.NoMetadata(_name(number)) for number in range(0, 40, 2)]
    with OaiServer(make_items(60), tokens.Expiring(after_pages=1), *broken, page_size=5) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert check(shelf, run, {}) == {"added": 40}
        assert run.counters.quarantined == 20
        again = shelf.harvest(is_full=True)
        assert again.counters.quarantined == 20


def test_a_page_that_comes_twice_counts_its_records_once(tmp_path: Path) -> None:
    faults = (PageTwice(), records.NoMetadata(_name(12)), records.NoIdentifier(_name(13)))
    with OaiServer(make_items(35), *faults) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        check(shelf, run, {})
    assert (run.counters.added, run.counters.quarantined) == (33, 2)
    assert run.counters.unchanged == 0
    distinct = run.counters.added + run.counters.unchanged + run.counters.quarantined
    assert run.counters.seen - run.counters.duplicates >= distinct


def test_a_record_broken_in_the_list_and_whole_by_itself_is_not_quarantined(tmp_path: Path) -> None:
    """Only the list breaks: the rest of it is fetched one by one."""

    @dataclass
    class OnlyInLists(records.NoMetadata):
        def record(self, xml: str, item: Item, verb: str) -> str:
            return super().record(xml, item, verb) if verb == "ListRecords" else xml

    with OaiServer(make_items(35), OnlyInLists(_name(2)), lists.WrongSize("40")) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        check(shelf, run, {})
        assert run.counters.added == 35, words(run)
        assert run.counters.quarantined == 0


def test_what_is_fetched_one_by_one_counts_once(tmp_path: Path) -> None:
    with OaiServer(make_items(15), formats=("oai_dc", "kk")) as server:
        shelf = make_shelf(tmp_path, server, mode="one-by-one", formats=["oai_dc", "kk"])
        assert check(shelf, shelf.harvest(), {}) == {"added": 15}
        before = known(shelf)
        server.now = NOW + timedelta(days=1)
        _put(server, 1, "New")
        server.delete(_name(2), server.now - timedelta(hours=1))
        assert check(shelf, shelf.harvest(), before) == {"changed": 1, "deleted": 1}


def test_what_vanished_without_a_word_counts_as_deleted_once(tmp_path: Path) -> None:
    with OaiServer(make_items(25), formats=("oai_dc", "kk"), deleted="no") as server:
        shelf = make_shelf(tmp_path, server, formats=["oai_dc", "kk"])
        shelf.harvest()
        before = known(shelf)
        server.now = NOW + timedelta(days=1)
        for number in (3, 4):
            server.delete(_name(number), server.now)
        run = shelf.harvest(is_reconciling=True, is_full=True)
        assert check(shelf, run, before) == {"deleted": 2}
        before = known(shelf)
        server.now = NOW + timedelta(days=2)
        _put(server, 3, "Back")
        assert check(shelf, shelf.harvest(), before) == {"restored": 1}


def test_a_record_deleted_and_restored_in_one_run_counts_as_what_it_came_to(tmp_path: Path) -> None:
    """One format says that a record is deleted, the next one that it is not, and the other way round."""
    other = InOneFormat()
    with OaiServer(make_items(6), other, formats=("oai_dc", "kk")) as server:
        shelf = make_shelf(tmp_path, server, formats=["oai_dc", "kk"])
        shelf.harvest()
        before = known(shelf)
        other.deleted |= {("oai_dc", _name(1)), ("kk", _name(2))}
        other.titles["kk", _name(1)] = "Other"
        first = shelf.harvest(is_full=True)
        assert check(shelf, first, before) == {"changed": 1, "deleted": 1}
        second = shelf.harvest(is_full=True).counters
        assert (second.changed, second.unchanged) == (1, 5), "stored anew, with the same content"
        assert (second.deleted, second.restored) == (0, 0)
        assert _differences(shelf, 3)["changed"] == sum(_differences(shelf, 3).values()) == 1


def test_a_record_that_is_new_and_gone_within_one_run_counts_as_deleted(tmp_path: Path) -> None:
    other = InOneFormat(deleted={("kk", _name(1)), ("oai_dc", _name(2))})
    with OaiServer(make_items(4), other, formats=("oai_dc", "kk")) as server:
        shelf = make_shelf(tmp_path, server, formats=["oai_dc", "kk"])
        assert check(shelf, shelf.harvest(), {}) == {"added": 3, "deleted": 1}


def test_a_killed_run_and_the_one_that_goes_on_count_each_record_once(tmp_path: Path) -> None:
    with OaiServer(make_items(60), HoldsFrom(4), formats=("oai_dc", "kk")) as server:
        shelf = make_shelf(tmp_path, server, timeout="30s", formats=["oai_dc", "kk"])
        with running(shelf, "harvest", "test") as process:
            server.wait_for_requests(5)
            until(lambda: len(shelf.records()) == 30)
            process.kill()
            process.wait(WAIT_SECONDS)
        killed, middle = _stored_run(shelf, 1), known(shelf)
        check(shelf, killed, {})
        assert (killed.outcome, killed.counters.added) == (None, 30)
        for fault in server.faults:
            assert isinstance(fault, HoldsFrom)
            fault.release.set()
        server.faults = []
        run = shelf.harvest()
        check(shelf, run, middle)
    assert (run.counters.added, run.counters.supplemented) == (30, 30)


@pytest.mark.parametrize("seed", range(6))
def test_whatever_happens_at_the_source_the_counters_are_right(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    formats = ("oai_dc", "kk", "marcxml")[: 1 + seed % 3]
    other = InOneFormat()
    with OaiServer(make_items(30), other, PageTwice(), formats=formats, page_size=7) as server:
        specs = ["art", "law"] if seed % 2 else []
        shelf = make_shelf(tmp_path, server, formats=list(formats), sets=specs)
        before: Known = {}
        for day in range(4):
            server.now = NOW + timedelta(days=day)
            for number in chance.sample(range(40), 12 if day else 0):
                _happen(server, other, chance, number, formats)
            run = shelf.harvest(is_full=chance.random() < 0.4)
            check(shelf, run, before)
            before = known(shelf)


def _happen(
    server: OaiServer, other: InOneFormat, chance: random.Random, number: int, formats: tuple[str, ...]
) -> None:
    is_there = any(each.identifier == _name(number) and each.payload for each in server.items)
    deed = chance.choice(["put", "delete", "move", "break", "title"])
    sets = tuple(chance.sample(["art", "law", "art:music"], chance.randint(1, 2)))
    if deed == "delete" and is_there:
        server.delete(_name(number), server.now - timedelta(hours=1))
        return
    _put(server, number, f"Title {number}" if deed == "move" else f"Day {server.now.day}", sets=sets)
    if deed == "break":
        other.broken ^= {(chance.choice(formats), _name(number))}
    if deed == "title":
        other.titles[chance.choice(formats), _name(number)] = f"Other {server.now.day}"


def test_every_place_shows_the_same_numbers(tmp_path: Path) -> None:
    other = InOneFormat()
    formats = ["oai_dc", "kk"]
    with OaiServer(make_items(25), other, formats=tuple(formats)) as server:
        shelf = make_shelf(tmp_path, server, formats=formats)
        shelf.harvest()
        server.now = NOW + timedelta(days=1)
        for number in (1, 2, 3):
            _put(server, number, "New")
        server.delete(_name(4), server.now - timedelta(hours=1))
        _put(server, 5, "Broken")
        other.broken |= {(prefix, _name(5)) for prefix in formats}
        printed = windrow(shelf, "harvest", "test")
    assert printed.returncode == 3, printed.stderr
    assert "0 new, 3 changed, 1 deleted, 0 unchanged, 1 quarantined" in printed.stdout
    (line,) = (each for each in windrow(shelf, "run", "list").stdout.splitlines() if " partial " in each)
    assert line.split()[-4:] == ["0", "3", "1", "1"]
    counts = _json(shelf, "diff", "2")["counts"]
    assert {kind: count for kind, count in counts.items() if count} == {"changed": 3, "deleted": 1}
    for found in (_json(shelf, "run", "show", "2"), _json(shelf, "run", "list")[0]):
        counters = found["counters"]
        assert {kind: counters[kind] for kind in counts} == counts
        assert (counters["quarantined"], counters["unchanged"]) == (1, 0)
    assert _json(shelf, "source", "show", "test")["holdings"]["quarantined"] == 1
    assert _json(shelf, "source", "list")[0]["quarantined"] == 1
    assert "1 record," in windrow(shelf, "doctor").stdout
    listed = windrow(shelf, "quarantine", "list")
    assert "2 cases about 1 record" in listed.stdout + listed.stderr
    with serving(shelf.folder) as served:
        (source,) = json.loads(served.ask("/api/v1/sources").body)["items"]
        assert source["quarantined"] == 1
        page = served.ask("/status/test").body.decode()
    row = next(each for each in page.split("<tr") if "partial" in each and "Changed" in each)
    assert re.findall(r'class="number"[^>]*>([\d,]+)<', row) == ["0", "3", "1"]
    assert "1 record could not be kept" in page


def _json(shelf: Shelf, *arguments: str) -> Any:
    found = windrow(shelf, *arguments, "--json")
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)
