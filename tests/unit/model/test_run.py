"""One outcome for each mixture of problems, and counters that add up."""

from __future__ import annotations

import pytest

from windrow.model.run import EXIT_CODES, Counters, Outcome, Problem, Severity, decide_outcome

NOTE = Problem("n", "worth knowing", Severity.NOTE)
PROBLEM = Problem("p", "left out")
FATAL = Problem("f", "could not go on", Severity.FATAL)
BUSY = Problem("busy", "come back later", Severity.FATAL)
BUSY_NOTE = Problem("busy", "came back later", Severity.NOTE)


@pytest.mark.parametrize(
    ("problems", "counters", "outcome"),
    [
        ([], Counters(), Outcome.OK),
        ([NOTE, BUSY_NOTE], Counters(pages=1), Outcome.OK),
        ([PROBLEM], Counters(), Outcome.PARTIAL),
        ([NOTE, PROBLEM], Counters(pages=1), Outcome.PARTIAL),
        ([], Counters(quarantined=1), Outcome.PARTIAL),
        ([FATAL], Counters(), Outcome.FAILED),
        ([FATAL, PROBLEM, NOTE], Counters(pages=9), Outcome.FAILED),
        ([FATAL], Counters(quarantined=1), Outcome.FAILED),
        ([BUSY], Counters(), Outcome.SKIPPED),
        ([BUSY, NOTE], Counters(), Outcome.SKIPPED),
        ([BUSY], Counters(pages=1), Outcome.PARTIAL),
        ([BUSY, FATAL], Counters(), Outcome.FAILED),
    ],
)
def test_the_outcome_follows_from_problems_and_counters(
    problems: list[Problem], counters: Counters, outcome: Outcome
) -> None:
    assert decide_outcome(problems, counters=counters) is outcome
    assert decide_outcome(problems[::-1], counters=counters) is outcome


@pytest.mark.parametrize("problems", [[], [NOTE], [PROBLEM], [FATAL], [BUSY]])
def test_an_interrupted_run_is_interrupted_whatever_else_it_is(problems: list[Problem]) -> None:
    assert decide_outcome(problems, counters=Counters(), is_interrupted=True) is Outcome.INTERRUPTED


def test_every_outcome_has_an_exit_code_of_its_own() -> None:
    assert set(EXIT_CODES) == set(Outcome)
    assert len(set(EXIT_CODES.values())) == len(Outcome)
    assert EXIT_CODES[Outcome.OK] == 0


def test_counters_add_up_field_by_field() -> None:
    total = Counters(seen=1, added=2)
    total.add(Counters(seen=10, deleted=3))
    assert total == Counters(seen=11, added=2, deleted=3)
    assert total.as_dict() == Counters(**total.as_dict()).as_dict()
