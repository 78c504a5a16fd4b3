"""The one line that is told of a run, out of what it printed."""

from __future__ import annotations

import pytest

from windrow.schedule.job_runner import MAX_SUMMARY_CHARACTERS, summarize_output

HARVEST = """exporting: 10 of 20
meadow: ok (run 4, 2 s)
  12 new, 3 changed, 0 deleted, 0 unchanged
  15 entries of 15 promised on 1 page; 4 requests, 0 retries, 9.1 kB
  · compared 15 identifiers with the library: 0 records had vanished
"""


def test_a_harvest_is_told_of_by_what_it_brought_and_not_by_how_many_requests_it_took() -> None:
    assert summarize_output(HARVEST) == "meadow: ok (run 4, 2 s); 12 new, 3 changed, 0 deleted, 0 unchanged"


def test_several_sources_are_told_of_by_the_line_that_adds_them_up() -> None:
    assert summarize_output(f"{HARVEST}2 sources: 2 ok; 12 new\n") == "2 sources: 2 ok; 12 new"


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("", ""),
        ("\n \n", ""),
        ("  only this\n", "only this"),
        ("one\ntwo\n", "two"),
        ("error: no such thing\n       Look again.\n", "no such thing"),
        (
            "hay: failed (run 1, 0 s)\n  0 new\n  ✗ no answer within 60 s\n  · a note\n",
            "no answer within 60 s",
        ),
        ("error: first\nerror: second\ngoodbye\n", "second"),
        ("a\x1b[31mb\tc", "a[31mb c"),
    ],
)
def test_an_error_comes_first_then_the_last_line_that_stands_for_itself(output: str, words: str) -> None:
    assert summarize_output(output) == words


def test_the_line_has_an_end() -> None:
    assert len(summarize_output("x" * 5000)) == MAX_SUMMARY_CHARACTERS
