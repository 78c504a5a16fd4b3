"""An embargo that ends changes no record: the index follows all the same, once a day."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

from tests.flows.harvesting import Shelf, make_shelf
from tests.servers.items import NAMESPACES, Item
from tests.servers.oai import NOW, OaiServer
from windrow.index import feeder
from windrow.model.query import Value
from windrow.wiring import Library
from windrow.wiring.indexing import follow_index

ENDS = ("2031-05-01", "2040", "", "1999-01-01")
FUTURE = date(2032, 1, 1)


def library_with(tmp_path: Path) -> tuple[Shelf, Library]:
    items = [
        Item(
            f"oai:test.example:{number}",
            NOW,
            (),
            f"<oai_dc:dc {NAMESPACES}><dc:title>Moss</dc:title>"
            "<dc:rights>info:eu-repo/semantics/embargoedAccess</dc:rights>"
            f"<dc:date>{f'info:eu-repo/date/embargoEnd/{end}' if end else '2020'}</dc:date></oai_dc:dc>",
        )
        for number, end in enumerate(ENDS)
    ]
    with OaiServer(items) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
    library = shelf.open()
    follow_index(library)
    return shelf, library


def test_only_records_whose_embargo_has_ended_are_taken_in_again(tmp_path: Path) -> None:
    _, library = library_with(tmp_path)
    try:
        assert library.index.count(Value("Embargoed", "access")) == 3
        assert library.index.count(Value("Open access", "access")) == 1
        again = feeder.reindex_ended_embargoes(library.store, library.generations, library.index, FUTURE)
        assert again == 1  # the one that ends in 2031, and not what has no end or a later one
    finally:
        library.close()


def test_embargoes_are_looked_through_once_a_day(tmp_path: Path) -> None:
    _, library = library_with(tmp_path)
    try:
        today = datetime.now(UTC).date()
        assert not feeder.are_embargoes_due(library.generations, today)  # the index was built just now
        assert feeder.are_embargoes_due(library.generations, FUTURE)
        feeder.note_embargoes(library.generations, date(2020, 1, 1))
        assert follow_index(library).put == 0
        assert not feeder.are_embargoes_due(library.generations, datetime.now(UTC).date())
        (library.generations.folder / "embargoes").write_bytes(b"\xff")
        assert feeder.are_embargoes_due(library.generations, today)
    finally:
        library.close()


def test_an_index_that_calls_something_embargoed_wrongly_is_put_right(tmp_path: Path) -> None:
    """As on the day after the end: what is indexed is not what the record says today."""
    shelf, library = library_with(tmp_path)
    try:
        again = feeder.reindex_ended_embargoes(
            library.store, library.generations, library.index, date(2041, 1, 1)
        )
        assert again == 2
        feeder.note_embargoes(library.generations, date(2020, 1, 1))
        with library.generations.writing("somebody else"):
            other = shelf.open()
            try:
                assert (
                    feeder.reindex_ended_embargoes(other.store, other.generations, other.index, FUTURE) == 0
                )
                assert feeder.are_embargoes_due(other.generations, FUTURE)  # not done, so it is still due
            finally:
                other.close()
    finally:
        library.close()
