"""Runs, their counters and their problems, as the store remembers them."""

from __future__ import annotations

from datetime import timedelta

from tests.contracts.store.shelf import NOW, Shelf
from windrow.model.run import Counters, Outcome, Problem, Severity
from windrow.store import runs


def test_a_run_is_remembered_from_start_to_end(shelf: Shelf) -> None:
    with shelf.store.writing() as connection:
        number = runs.start(
            connection, shelf.source_id, "harvest", now=NOW, arguments={"sets": ["a"], "n": 1}
        )
    with shelf.store.reading() as connection:
        begun = runs.get(connection, number)
    assert begun is not None
    assert (begun.source, begun.kind, begun.started) == ("hay", "harvest", NOW)
    assert (begun.ended, begun.outcome, begun.claimed, begun.counters) == (None, None, None, Counters())
    assert begun.arguments == {"sets": ["a"], "n": 1}
    later = NOW + timedelta(minutes=3)
    with shelf.store.writing() as connection:
        runs.progress(connection, number, Counters(pages=2, seen=7, added=5), 40)
        runs.end(connection, number, outcome=Outcome.PARTIAL, now=later)
    with shelf.store.reading() as connection:
        ended = runs.get(connection, number)
    assert ended is not None
    assert (ended.ended, ended.outcome, ended.claimed) == (later, Outcome.PARTIAL, 40)
    assert ended.counters == Counters(pages=2, seen=7, added=5)


def test_problems_are_remembered_and_the_same_one_counted(shelf: Shelf) -> None:
    number = shelf.start_run()
    odd = Problem("odd", "a page was odd", Severity.NOTE, "https://hay.example/oai", "files/x.xml")
    bad = Problem("bad", "a page was bad")
    with shelf.store.writing() as connection:
        runs.add_problems(connection, number, [odd, bad, bad, bad])
        runs.add_problems(connection, number, [])
    with shelf.store.reading() as connection:
        found = runs.get(connection, number)
    assert found is not None
    assert found.problems == (odd, Problem("bad", "a page was bad (3 times)"))


def test_more_problems_than_anyone_reads_are_counted(shelf: Shelf) -> None:
    number = shelf.start_run()
    with shelf.store.writing() as connection:
        many = [Problem("p", f"problem {place}") for place in range(runs.MAX_PROBLEMS + 25)]
        runs.add_problems(connection, number, many)
    with shelf.store.reading() as connection:
        found = runs.get(connection, number)
    assert found is not None
    assert len(found.problems) == runs.MAX_PROBLEMS + 1
    assert found.problems[-1] == Problem("more", "25 more problems are not listed", Severity.NOTE)


def test_the_oldest_runs_of_a_kind_are_forgotten_with_their_problems(shelf: Shelf) -> None:
    with shelf.store.writing() as connection:
        harvest = runs.start(connection, shelf.source_id, "harvest", now=NOW, arguments={})
        numbers = [
            runs.start(connection, shelf.source_id, "refresh", now=NOW, arguments={}) for _ in range(5)
        ]
        runs.add_problems(connection, numbers[0], [Problem("bad", "a page was bad")])
        runs.prune(connection, shelf.source_id, "refresh", keep=2)
        assert [run.id for run in runs.latest(connection)] == [*reversed(numbers[3:]), harvest]
        assert connection.execute("SELECT COUNT(*) FROM problem").scalar() == 0
        runs.prune(connection, shelf.source_id, "refresh", keep=2)
        assert len(runs.latest(connection)) == 3


def test_runs_are_listed_newest_first(shelf: Shelf) -> None:
    numbers = [shelf.start_run() for _ in range(3)]
    other = Shelf(shelf.store, "straw").start_run()
    with shelf.store.reading() as connection:
        assert [run.id for run in runs.latest(connection)] == [other, *reversed(numbers)]
        assert [run.id for run in runs.latest(connection, source="hay", limit=2)] == numbers[:0:-1]
        assert [run.id for run in runs.latest(connection, before=numbers[1])] == numbers[:1]
        assert runs.latest(connection, source="nobody") == []
        assert runs.get(connection, 999) is None
