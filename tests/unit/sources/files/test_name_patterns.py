"""Patterns over names: right where they are simple, refused where they could take long."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.thorough import tries
from windrow.sources.files.name_patterns import match_any, match_expression, match_glob


def test_shell_patterns_match_whole_names_in_any_case() -> None:
    matches = match_any(("*.bak", "core"))
    assert [name for name in ("a.bak", "A.BAK", "core", "cores", "a.bak.txt") if matches(name)] == [
        *("a.bak", "A.BAK", "core"),
    ]
    assert not match_any(())("anything")


def test_a_block_of_names_is_meant_to_the_letter() -> None:
    assert match_glob("*.Txt")("a.Txt")
    assert not match_glob("*.Txt")("a.txt")


@pytest.mark.parametrize(
    "expression",
    [
        *(
            r"\.(php|txt)$",
            "^a",
            "",
            "a|b|",
            r"^\.ht",
            r"(?i)\.PDF$",
            r"^(?!index)",
            r"[^]a-z\]]+",
            "a{2,3}b{2}",
        ),
        *(r"(~|\.sw[op]|\.bak)?$", r"^#.*#$", "a.*?b", "x{1}y{,3}", r"^(?:a|b(?:c|d))$", "[]]", r"^\d+-\w+$"),
    ],
)
def test_ordinary_expressions_match_as_they_should(expression: str) -> None:
    matches = match_expression(expression)
    assert matches is not None
    for name in ("a.php", "index.html", ".htaccess", "aab.PDF", "#x#", "b", "2024-plan", "a.b.c~", "]"):
        assert matches(name) == (re.search(expression, name) is not None)


@pytest.mark.parametrize(
    "expression",
    [
        *(
            "(a+)+$",
            "(a|a)*$",
            "(a*)*b",
            "(.*a){20}",
            "a*a*a*a*b",
            "(a?){30}a",
            "a?" * 30 + "a" * 30,
            ".*.*.*x",
        ),
        *(
            r"(a)\1",
            "(",
            ")",
            "[",
            "*a",
            "(?P<n>a)",
            "(?(1)a|b)",
            "[[:alpha:]]",
            "[a&&b]",
            "(?x) a",
            "(a){,9}b",
        ),
        *("(" * 30 + "a" + ")" * 30, "\\", "a)b", "(?i", r"(?:a{1,99999}){1,99999}"),
    ],
)
def test_an_expression_that_is_wrong_or_could_take_long_is_refused(expression: str) -> None:
    assert match_expression(expression) is None


@settings(max_examples=tries(300), deadline=None)
@example("a*a*b")
@given(st.text(alphabet="ab.*+?|()[]{},12^$\\", max_size=25))
def test_whatever_is_accepted_is_answered(expression: str) -> None:
    matches = match_expression(expression)
    if matches is not None:
        assert matches("a" * 250) == (re.search(expression, "a" * 250) is not None)
