"""The quickstart and the tutorial work when they are followed to the letter."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.markdown import page
from tests.docs.walkthrough import follow, is_like


@pytest.mark.parametrize("name", ["README.md", "docs/quickstart.md"])
def test_the_quickstart_works_to_the_letter(name: str, tmp_path: Path) -> None:
    follow(page(name), tmp_path, {})
    assert (tmp_path / "theses" / "windrow.db").stat().st_size > 100_000


def test_the_tutorial_works_to_the_letter(tmp_path: Path) -> None:
    follow(page("docs/tutorial/first-library.md"), tmp_path, {})
    assert any(tmp_path.rglob("*.csv"))


@pytest.mark.parametrize(
    ("output", "expected", "verdict"),
    [
        ("demo: ok (run 1, 2 s)\n", "demo: ok (run 1, … s)", True),
        ("demo: failed (run 1, 2 s)\n", "demo: ok (run 1, … s)", False),
        ("a\nb\nc\n", "a\n…\nc", True),
        ("a\nc\n", "a\n…\nc", True),
        ("a\nb\n", "a", False),
        ("whatever\n", "", True),
    ],
)
def test_a_documented_output_is_compared_with_what_came(output: str, expected: str, verdict: bool) -> None:
    assert is_like(output, expected) is verdict
