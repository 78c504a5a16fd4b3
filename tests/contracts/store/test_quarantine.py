"""Quarantine: each case once, open until it is resolved."""

from __future__ import annotations

from datetime import timedelta

from tests.contracts.store.shelf import NOW, Shelf, live
from windrow.model.record import Reject
from windrow.store import sources
from windrow.store.harvests import quarantine_cases
from windrow.store.harvests import quarantine_cases as store_cases
from windrow.store.harvests.quarantine_cases import QuarantinedRecord

LATER = NOW + timedelta(days=1)


def put(shelf: Shelf, *rejects: Reject, prefix: str = "oai_dc") -> int:
    with shelf.store.writing() as connection:
        return quarantine_cases.put(
            connection, shelf.source_id, shelf.start_run_in(connection), prefix, rejects, now=NOW
        )


def cases(shelf: Shelf, *, include_resolved: bool = False) -> list[QuarantinedRecord]:
    with shelf.store.reading() as connection:
        return quarantine_cases.list_waiting(connection, include_resolved=include_resolved)


def test_a_reject_is_kept_with_its_bytes_and_its_reason(shelf: Shelf) -> None:
    assert put(shelf, Reject("no header", b"<record/>"), Reject("broken", b"<x>", "a")) == 2
    first, second = cases(shelf)
    assert (first.source, first.identifier, first.reason, first.raw) == (
        "hay",
        None,
        "no header",
        b"<record/>",
    )
    assert (second.identifier, second.format, second.run) == ("a", "oai_dc", shelf.run_id)
    assert (second.created, second.resolved) == (NOW, None)
    with shelf.store.reading() as connection:
        assert quarantine_cases.get(connection, second.id) == second
        assert quarantine_cases.get(connection, 999) is None


def test_the_same_case_is_kept_once_with_its_latest_bytes(shelf: Shelf) -> None:
    put(shelf, Reject("broken", b"<x>", "a"), Reject("no header", b"<y/>"))
    assert put(shelf, Reject("broken", b"<x2>", "a"), Reject("no header", b"<y/>")) == 2
    found = cases(shelf)
    assert [(case.identifier, case.raw) for case in found] == [("a", b"<x2>"), (None, b"<y/>")]
    assert {case.run for case in found} == {shelf.run_id}


def test_another_reason_format_or_nameless_piece_is_another_case(shelf: Shelf) -> None:
    put(shelf, Reject("broken", b"<x>", "a"), Reject("no header", b"<y/>"))
    put(shelf, Reject("otherwise broken", b"<x>", "a"), Reject("no header", b"<z/>"))
    put(shelf, Reject("broken", b"<x>", "a"), prefix="marcxml")
    assert len(cases(shelf)) == 5


def test_a_case_resolved_is_open_no_more(shelf: Shelf) -> None:
    put(shelf, Reject("broken", b"<x>", "a"), Reject("broken", b"<x>", "b"))
    first, second = cases(shelf)
    with shelf.store.writing() as connection:
        quarantine_cases.resolve(connection, first.id, now=LATER)
    assert [case.id for case in cases(shelf)] == [second.id]
    (closed, _) = cases(shelf, include_resolved=True)
    assert closed.resolved == LATER
    put(shelf, Reject("broken", b"<x>", "a"))
    assert [case.identifier for case in cases(shelf)] == ["b", "a"]


def test_cases_of_records_that_a_run_stored_after_all_are_resolved(shelf: Shelf) -> None:
    put(shelf, *[Reject("broken", b"<x>", name) for name in ("a", "b")])
    put(shelf, Reject("broken", b"<x>", "a"), prefix="marcxml")
    Shelf(shelf.store, "straw").write(live("b"))
    shelf.write(live("a"))
    with shelf.store.writing() as connection:
        count = quarantine_cases.resolve_stored(
            connection, shelf.source_id, shelf.run_id, "oai_dc", now=LATER
        )
    assert count == 1
    assert [(case.identifier, case.format) for case in cases(shelf)] == [("b", "oai_dc"), ("a", "marcxml")]


def test_cases_are_found_by_source_and_identifier(shelf: Shelf) -> None:
    put(shelf, *[Reject("broken", b"<x>", name) for name in ("a", "b", "c")])
    put(Shelf(shelf.store, "straw"), Reject("broken", b"<x>", "a"))
    with shelf.store.reading() as connection:
        assert [case.source for case in quarantine_cases.list_waiting(connection, identifier="a")] == [
            "hay",
            "straw",
        ]
        assert len(quarantine_cases.list_waiting(connection, source="hay", limit=2)) == 2
        assert quarantine_cases.list_waiting(connection, source="nobody") == []
        of_hay = sources.find(connection, "hay")
        assert of_hay is not None
        assert store_cases.find_cases_of_record(connection, of_hay.id, "a") == [1]
        assert store_cases.find_cases_of_record(connection, of_hay.id, "z") == []


def test_of_a_huge_piece_only_the_beginning_is_kept(shelf: Shelf) -> None:
    put(shelf, Reject("huge", b"x" * (quarantine_cases.MAX_RAW_BYTES + 10), "a"))
    assert len(cases(shelf)[0].raw) == quarantine_cases.MAX_RAW_BYTES
    put(shelf, Reject("huge", b"x" * (quarantine_cases.MAX_RAW_BYTES + 10)))
    put(shelf, Reject("huge", b"x" * (quarantine_cases.MAX_RAW_BYTES + 20)))
    assert len(cases(shelf)) == 2
