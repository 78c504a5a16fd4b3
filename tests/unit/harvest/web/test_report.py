"""What a crawl reports, in words."""

from __future__ import annotations

import re

import pytest

from windrow.harvest.web.report import KINDS, Report


def told(kind: str, times: int) -> str:
    report = Report()
    report.count(kind, "www.example.edu", times=times)
    (problem,) = report.problems()
    return problem.message


@pytest.mark.parametrize(
    ("kind", "one", "many"),
    [
        (
            "gone",
            "1 address on www.example.edu leads to nothing (404 or 410)",
            "2 addresses on www.example.edu lead to nothing (404 or 410)",
        ),
        (
            "unavailable",
            "1 address on www.example.edu could not be had so far; it is tried again",
            "2 addresses on www.example.edu could not be had so far; they are tried again",
        ),
        (
            "status-5xx",
            "www.example.edu answered 1 request with a server error",
            "www.example.edu answered 2 requests with a server error",
        ),
        (
            "redirect-loop",
            "www.example.edu leads back to itself (once)",
            "www.example.edu leads back to itself (2 times)",
        ),
    ],
)
def test_one_and_several_are_worded_as_english_has_it(kind: str, one: str, many: str) -> None:
    assert (told(kind, 1), told(kind, 2)) == (one, many)


@pytest.mark.parametrize("kind", KINDS)
def test_no_message_about_one_thing_has_the_words_for_several(kind: str) -> None:
    assert not re.search(r"\b1 (further )?(?!address\b)\w+s\b", told(kind, 1))
    assert not re.match(r"1 .* (are|were|have|lie|lead|repeat|ask|wait) ", told(kind, 1))
