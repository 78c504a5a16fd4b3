"""Windows under way, cursors for the next time, and what a source is known by."""

from __future__ import annotations

from tests.contracts.store.shelf import NOW, Shelf, gone, live
from windrow.model.record import Reject
from windrow.store import sources
from windrow.store.harvests import checkpoints, quarantine_cases
from windrow.store.harvests.checkpoints import DONE, PLANNED, RUNNING, Cursor, StoredWindow


def plan(shelf: Shelf, *stretches: tuple[str, str, str | None, str | None]) -> list[StoredWindow]:
    run_id = shelf.start_run()
    with shelf.store.writing() as connection:
        return checkpoints.plan(connection, shelf.source_id, run_id, stretches, started_at="2024")


def left(shelf: Shelf, prefix: str = "oai_dc", spec: str = "") -> list[StoredWindow]:
    with shelf.store.reading() as connection:
        return checkpoints.find_unfinished(connection, shelf.source_id, prefix, spec)


def cursor(shelf: Shelf, prefix: str = "oai_dc", spec: str = "") -> Cursor | None:
    with shelf.store.reading() as connection:
        return checkpoints.cursor(connection, shelf.source_id, prefix, spec)


def test_windows_are_planned_and_found_again_in_the_order_of_time(shelf: Shelf) -> None:
    late, early, first = plan(
        shelf,
        ("oai_dc", "", "2022", None),
        ("oai_dc", "", "2021", "2022"),
        ("oai_dc", "", None, "2021"),
    )
    assert left(shelf) == [first, early, late]
    assert first == StoredWindow(first.id, "oai_dc", "", None, "2021", PLANNED, None, 0, None, "2024")
    assert left(shelf, "marcxml") == []
    assert left(shelf, spec="s") == []


def test_a_window_knows_how_far_it_is(shelf: Shelf) -> None:
    (window,) = plan(shelf, ("oai_dc", "", None, None))
    with shelf.store.writing() as connection:
        checkpoints.advance(connection, window.id, token="t/2", seen=200, claimed=900, started_at="2024-06")
    (found,) = left(shelf)
    assert (found.state, found.token, found.seen, found.claimed) == (RUNNING, "t/2", 200, 900)
    assert found.started_at == "2024-06"
    with shelf.store.writing() as connection:
        checkpoints.finish(connection, window.id)
    (done,) = left(shelf)
    assert (done.state, done.token) == (DONE, None)


def test_windows_go_one_by_one_or_with_their_list(shelf: Shelf) -> None:
    first, second = plan(shelf, ("oai_dc", "", None, "2020"), ("oai_dc", "", "2020", None))
    (other,) = plan(shelf, ("oai_dc", "s", None, None))
    with shelf.store.writing() as connection:
        checkpoints.drop(connection, first.id)
    assert left(shelf) == [second]
    with shelf.store.writing() as connection:
        checkpoints.discard_list(connection, shelf.source_id, "oai_dc", "")
    assert left(shelf) == []
    assert left(shelf, spec="s") == [other]


def test_a_cursor_stands_where_it_was_moved_to(shelf: Shelf) -> None:
    assert cursor(shelf) is None
    move(shelf, next_from="2024-01-01", size=10)
    assert cursor(shelf) == Cursor("2024-01-01", 10)
    move(shelf, next_from="2024-02-01", size=None)
    assert cursor(shelf) == Cursor("2024-02-01", 10)
    move(shelf, next_from=None, size=12)
    assert cursor(shelf) == Cursor(None, 12)
    assert cursor(shelf, "marcxml") is None
    assert cursor(shelf, spec="s") is None


def move(shelf: Shelf, *, next_from: str | None, size: int | None) -> None:
    with shelf.store.writing() as connection:
        checkpoints.move_cursor(
            connection, shelf.source_id, "oai_dc", "", next_from=next_from, size=size, run_id=1
        )


def test_forgotten_cursors_are_those_of_one_source(shelf: Shelf) -> None:
    other = Shelf(shelf.store, "straw")
    move(shelf, next_from="2024", size=1)
    move(other, next_from="2024", size=1)
    with shelf.store.writing() as connection:
        checkpoints.forget_cursors(connection, shelf.source_id)
    assert cursor(shelf) is None
    assert cursor(other) is not None


def test_a_source_is_made_once_and_remembers_what_was_found_out(shelf: Shelf) -> None:
    with shelf.store.writing() as connection:
        sources.note(connection, shelf.source_id, identity={"name": "Hay"}, sets_at=NOW, reconciled_at=NOW)
        state = sources.ensure(connection, "hay", "https://hay.example/oai")
    assert (state.id, state.identity) == (shelf.source_id, {"name": "Hay"})
    assert (state.sets_at, state.reconciled_at) == (NOW, NOW)
    with shelf.store.reading() as connection:
        assert sources.find(connection, "straw") is None


def test_what_a_source_holds_is_counted(shelf: Shelf) -> None:
    shelf.write(live("a", sets=("s",)), live("b"), gone("c"))
    shelf.write(live("a", b"<y/>", sets=("s",)), prefix="marcxml")
    with shelf.store.writing() as connection:
        quarantine_cases.put(
            connection, shelf.source_id, shelf.run_id, "oai_dc", [Reject("r", b"x")], now=NOW
        )
    with shelf.store.reading() as connection:
        found = sources.holdings(connection, shelf.source_id)
    assert (found.records, found.tombstones, found.quarantined, found.sets) == (2, 1, 1, 1)
    assert found.payloads == {"oai_dc": 2, "marcxml": 1}
