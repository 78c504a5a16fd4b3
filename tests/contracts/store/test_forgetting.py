"""A source forgotten leaves nothing behind, and takes nothing of another with it."""

from __future__ import annotations

from tests.contracts.store.shelf import NOW, Shelf, gone, live
from windrow.model.record import Reject
from windrow.model.run import Problem
from windrow.store import leases, runs, sources
from windrow.store.crawl_workers import CrawlWorkers
from windrow.store.frontier import Control, Found, Frontier
from windrow.store.harvests import checkpoints, folder_state, list_comparison, quarantine_cases
from windrow.store.harvests.folder_state import KnownFile
from windrow.store.records.payloads import SAMPLES
from windrow.store.records.set_hierarchy import name_sets

SHARED = {
    "setting",
    "format",
    "envelope",
    "lease",
    "host",
    "moment",
    "virtual_set",
    "visit",
    "job",
    "job_run",
    "outbox",
    "build",
    "vocabulary",
    "concept",
    "concept_name",
    "concept_word",
    "concept_link",
    "concept_below",
    "concept_top",
    "vocabulary_graph",
    "crawl_host",
    "crawl_robots",
}  # which belong to no one source


def fill(shelf: Shelf) -> None:
    """Put something into every table that a source can have rows in."""
    shelf.write(
        *[live(f"n{number}", f"<x>{number}</x>".encode() * 9, sets=("s",)) for number in range(SAMPLES)]
    )
    shelf.write(live("n1", b"<y/>"), gone("n2"))
    shelf.write(live("n3", b"<z/>"), prefix="marcxml")
    with shelf.store.writing() as connection:
        runs.add_problems(connection, shelf.run_id, [Problem("p", "problem")])
        quarantine_cases.put(
            connection, shelf.source_id, shelf.run_id, "oai_dc", [Reject("r", b"x")], now=NOW
        )
        checkpoints.plan(connection, shelf.source_id, shelf.run_id, [("oai_dc", "", None, None)])
        checkpoints.move_cursor(connection, shelf.source_id, "oai_dc", "", next_from="2024", size=1, run_id=1)
        list_comparison.add(connection, shelf.run_id, ["n1"])
        list_comparison.mark_tombstones(connection, shelf.source_id, ["n2"], at=NOW.isoformat())
        name_sets(connection, shelf.source_id, [("s", "Sets"), ("s:t", "More")])
        connection.execute("INSERT INTO virtual_member SELECT 1, MAX(id) FROM record")
        number = shelf.source_id
        group = "SELECT MAX(id), '{}', 1 FROM set_group WHERE source_id = ?"
        connection.execute(f"INSERT INTO set_role {group}", (number,))
        connection.execute("INSERT INTO leaf VALUES (?, 1, 1, 2, 2, 1, 3)", (number,))
        connection.execute("INSERT INTO alias VALUES (?, 'old', 1, 0)", (number,))
        folder_state.put_files(connection, number, [KnownFile("a.txt", "", "n1", 1, 1, "")])
        refresh = "INSERT INTO refresh SELECT MAX(id), source_id, 1, 1, '' FROM record WHERE source_id = ?"
        connection.execute(refresh, (number,))
        frontier = Frontier(number)
        frontier.add(connection, [Found("https://hay.example/", "hay.example", "https://hay.example/")])
        frontier.set_control(connection, Control())
        CrawlWorkers(number).join(connection, leases.own_claim("crawl"), interval=lambda _: 0.0)


def counts(shelf: Shelf) -> dict[str, int]:
    with shelf.store.reading() as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").scalars()
    return {name: shelf.count(name) for name in names if name not in SHARED}


def test_nothing_is_left_of_a_source_in_any_table(shelf: Shelf) -> None:
    fill(shelf)
    assert {name for name, count in counts(shelf).items() if not count} == set(), "a table was left unfilled"
    with shelf.store.writing() as connection:
        sources.forget(connection, shelf.source_id)
    assert {name: count for name, count in counts(shelf).items() if count} == {}


def test_a_run_that_takes_the_number_of_a_forgotten_one_does_not_inherit_its_changes(shelf: Shelf) -> None:
    shelf.write(live("a"))
    forgotten = shelf.run_id
    with shelf.store.writing() as connection:
        sources.forget(connection, shelf.source_id)
    again = Shelf(shelf.store)
    again.write(live("b"))
    assert again.run_id == forgotten
    assert again.changes() == [("added", "b")]


def test_a_source_that_takes_the_number_of_a_forgotten_one_knows_none_of_its_addresses(shelf: Shelf) -> None:
    fill(shelf)
    with shelf.store.writing() as connection:
        sources.forget(connection, shelf.source_id)
    again = Shelf(shelf.store)
    assert again.source_id == shelf.source_id
    with shelf.store.reading() as connection:
        assert list(Frontier(again.source_id).pages(connection)) == []


def test_another_source_is_as_it_was(shelf: Shelf) -> None:
    other = Shelf(shelf.store, "straw")
    fill(other)
    before, record = counts(other), other.find("n1")
    fill(shelf)
    with shelf.store.writing() as connection:
        sources.forget(connection, shelf.source_id)
    assert counts(other) == before | {"source": 1}
    assert other.find("n1") == record


def test_a_source_harvested_again_after_it_was_forgotten_goes_on_in_the_sequence(shelf: Shelf) -> None:
    shelf.write(live("a", b"<x>1</x>"))
    before = shelf.find("a").seq
    with shelf.store.writing() as connection:
        sources.forget(connection, shelf.source_id)
    again = Shelf(shelf.store)
    again.write(live("a", b"<x>2</x>"))
    assert again.find("a").seq > before
    assert again.find("a").payloads[0].data == b"<x>2</x>"
    with shelf.store.reading() as connection:
        assert connection.execute("SELECT COUNT(*) FROM history").scalar_one() == 0
