"""The verdicts of the scale bench, and the pages that it finds by itself."""

from __future__ import annotations

from bench.parts import scale
from bench.visits import Cost, Kind


def cells(kind: Kind, *costs: Cost) -> dict[str, str]:
    return dict(zip(scale.HEADERS, scale._row(kind, list(costs)), strict=True))


def test_a_page_meets_its_limit_by_its_best_round() -> None:
    kind = Kind("results", ("/search",) * 4, 100)
    found = cells(kind, Cost(120, 200, 5_000), Cost(80, 250, 5_000))
    assert (found["CPU ms"], found["met"], found["spread"], found["asked"]) == ("80.0", "yes", "1.50", "4")
    assert cells(kind, Cost(101, 200, 5_000))["met"] == "NO"


def test_a_page_without_a_limit_has_no_verdict() -> None:
    found = cells(Kind("record", ("/record",)), Cost(0, 1, 10))
    assert (found["limit ms"], found["met"], found["spread"]) == ("", "", "")


def test_pages_of_statistics_are_found_with_and_without_a_filter() -> None:
    page = '<a href="/statistics/growth?q=a">…</a><a href="/statistics/pages">…</a><a href="/search">…</a>'
    assert scale.LINKED.findall(page) == ["/statistics/growth", "/statistics/pages"]


def test_what_is_asked_in_one_round_is_not_asked_in_the_next() -> None:
    first, second = (
        {path for kind in scale._results(number) if "word" in kind.name for path in kind.paths}
        for number in (1, 2)
    )
    assert first
    assert first.isdisjoint(second)
