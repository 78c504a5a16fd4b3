"""The gateway bench: its verdicts, what it changes, and all of it once over a small library."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import nginx, sitemap_rounds, stock
from bench.crawler import Visited
from bench.errors import SetupError
from bench.measure import Usage
from bench.parts import gateway
from bench.sitemap_rounds import Changes
from bench.workspace import open_workspace

from tests.fixtures import missing
from windrow.store.store import create_store, open_store

RECORDS = 1_000  # a full list of each source needs nearly as many
PAGES, OTHERS = 40, 10


def visited(cpu_ms: float) -> Visited:
    return Visited(100, cpu_ms, 1.0, [0.001] * 100, 5_000)


def cells(name: str, *milliseconds: float) -> dict[str, str]:
    return dict(
        zip(gateway.HEADERS, gateway._row(name, [visited(each) for each in milliseconds]), strict=True)
    )


def timed(name: str, *seconds: float) -> dict[str, str]:
    runs = [Usage(each, each, 1_000_000) for each in seconds]
    return dict(zip(sitemap_rounds.HEADERS, sitemap_rounds._row(name, runs, 3), strict=True))


def test_a_page_meets_its_limit_by_its_best_round() -> None:
    found = cells(gateway.RECORD, 3.0, 1.5)
    assert (found["CPU ms"], found["spread"], found["met"], found["asked"]) == ("1.500", "2.00", "yes", "200")
    assert cells(gateway.RECORD, 2.0)["met"] == "NO"
    assert cells(gateway.RECORD_AGAIN, 0.31)["met"] == "NO"


def test_a_page_without_a_limit_has_no_verdict() -> None:
    assert (cells(gateway.LIST, 28.0)["limit ms"], cells(gateway.LIST, 28.0)["met"]) == ("", "")


def test_sitemaps_have_a_limit_after_changes_only() -> None:
    again = sitemap_rounds.AGAIN.format(1000)
    assert (timed(again, 2.4, 1.9)["met"], timed(again, 2.1)["met"]) == ("yes", "NO")
    assert timed(sitemap_rounds.FILES, 9.0)["met"] == ""


@pytest.mark.parametrize("records", [1_000, 20_000, 1_000_000])
@pytest.mark.parametrize("turn", [0, 1, 5])
def test_changes_are_of_records_that_are_there_and_of_every_source(records: int, turn: int) -> None:
    numbers = Changes(Path(), records).numbers(turn)
    assert 1 <= min(numbers) < max(numbers) <= records
    assert len({stock.source_of(each) for each in numbers}) == len(stock.SOURCES)


def test_changes_are_others_the_next_time() -> None:
    changes = Changes(Path(), 1_000_000)
    assert set(changes.numbers(0)).isdisjoint(changes.numbers(1))


def test_changes_change_as_many_records_and_add_none(tmp_path: Path) -> None:
    create_store(tmp_path).close()
    stock.main(str(tmp_path), "1", "100", "0")
    stock.main(str(tmp_path), "3", "10", "40", "9")
    store = open_store(tmp_path)
    with store.reading() as connection:
        rows = connection.execute("SELECT COUNT(*), SUM(seq <> id) FROM record").all()
    store.close()
    assert [tuple(row) for row in rows] == [(100, 10)]


def test_a_small_library_is_measured_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "PAGES", PAGES)
    monkeypatch.setattr(gateway, "OTHERS", OTHERS)
    monkeypatch.setattr(gateway, "FILES", OTHERS)
    try:
        nginx.executable()
    except SetupError as exc:
        missing(str(exc))
    with open_workspace(records=RECORDS, rounds=1, per_page=(100,), is_large=False, files=1) as space:
        pages, memory, sitemaps = gateway.measure_part(space)
    asked = {row[0]: row[pages.headers.index("asked")] for row in pages.rows}
    assert (asked[gateway.RECORD], asked[gateway.RECORD_PACKED]) == ("20", "20")
    assert asked[f"getrecord, {stock.PREFIX}"] == "10"
    assert {gateway.RECORD_AGAIN, gateway.LIST_AGAIN, gateway.FLOOR_AGAIN} < asked.keys()
    assert len(memory.rows) == 4
    assert [row[sitemaps.headers.index("files made")] for row in sitemaps.rows] == ["4"] * 4
