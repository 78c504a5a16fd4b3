"""The verdicts of the search bench: a limit that is missed says so, and so do hits that differ."""

from __future__ import annotations

from bench.parts import search
from bench.parts.search import Rounds
from bench.search.questions import Row


def rounds(*milliseconds: float, hits: tuple[float, ...] = (3, 5)) -> Rounds:
    """One round a number, in which every answer took so long."""
    made = Rounds()
    for each in milliseconds:
        made.keep("ask", {row.value: {"seconds": [each / 1e3] * 2, "hits": list(hits)} for row in Row})
    return made


def cells(plain: Rounds, ours: Rounds) -> dict[str, str]:
    return dict(zip(search.QUESTION_HEADERS, search._question_row(Row.TERM, plain, ours), strict=True))


def test_a_question_is_within_its_limit_up_to_one_and_a_half_times_and_a_fifth_of_a_millisecond() -> None:
    assert cells(rounds(0.2), rounds(0.49))["met"] == "yes"
    assert cells(rounds(0.2), rounds(0.51))["met"] == "NO"


def test_the_best_round_counts_and_the_spread_is_told() -> None:
    found = cells(rounds(0.4, 0.2), rounds(0.3, 0.6))
    assert (found["plain p50 ms"], found["Windrow p50 ms"]) == ("0.200", "0.300")
    assert (found["p50 ÷ plain"], found["limit ms"], found["spread"]) == ("1.50", "0.500", "2.00, 2.00")


def test_answers_that_differ_are_told_though_their_sum_is_the_same() -> None:
    assert cells(rounds(1), rounds(1))["hits"] == "8"
    assert cells(rounds(1), rounds(1, hits=(5, 3)))["hits"].startswith("DIFFER in 2")


def test_feeding_is_compared_by_its_best_rounds() -> None:
    theirs, mine = [{"wall": 10.0}, {"wall": 12.0}], [{"wall": 15.0}, {"wall": 12.9}]
    row = search._feeding_row("index", theirs, mine, "wall", 1.3)
    assert row == ("index", "10.00", "12.90", "1.29", "1.3", "yes", "1.20, 1.16")
    assert search._feeding_row("index", theirs, mine, "wall", 1.2)[5] == "NO"
