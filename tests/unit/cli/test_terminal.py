"""Words on a terminal: safe, in columns, of the right width."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.cli import terminal


@given(st.text())
def test_nothing_printable_moves_the_cursor(text: str) -> None:
    shown = terminal.printable(text)
    assert "\n" not in shown
    assert not any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in shown)


@given(st.text())
def test_lines_stay_lines_and_nothing_else_gets_through(text: str) -> None:
    shown = terminal.printable_lines(text)
    assert shown.count("\n") == text.count("\n")
    assert not any(unicodedata.category(letter) == "Cc" for letter in shown if letter != "\n")


@pytest.mark.parametrize(
    "text", ["plain", "Höök, Åsa", "日本語", "co\u00adoperate", "مرحبا", "naïve — “quoted”"]
)
def test_ordinary_words_stay_as_they_are(text: str) -> None:
    assert terminal.printable(text) == text


def test_what_turns_the_writing_direction_is_shown() -> None:
    assert terminal.printable("a\u202eb") == "a\\u202eb"


def test_an_escape_is_shown_as_a_picture() -> None:
    assert terminal.printable("\x1b[31m") == "\u241b[31m"


def test_wide_letters_take_two_columns() -> None:
    assert terminal.display_width("日本") == 4
    assert terminal.display_width("e\u0301") == 1


@given(st.text(), st.integers(min_value=2, max_value=40))
def test_a_shortened_line_fits(text: str, most: int) -> None:
    assert terminal.display_width(terminal.shorten(terminal.printable(text), most)) <= most


def test_columns_are_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.print_table(("name", "count"), [("日本", "1"), ("ab", "1,000")], right=" r")
    assert capsys.readouterr().out == "name  count\n日本      1\nab    1,000\n"


def test_counts_agree_with_their_nouns() -> None:
    assert terminal.plural(1, "record") == "1 record"
    assert terminal.plural(2000, "thesis", "theses") == "2,000 theses"


def test_a_table_fits_the_terminal_and_keeps_its_narrow_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    terminal.print_table(("case", "identifier", "reason"), [("12", "i" * 90, "r" * 70)], right="r")
    row = capsys.readouterr().out.splitlines()[1]
    assert terminal.display_width(row) == 60
    assert row.startswith("  12  iiii")
    assert "…  rrrr" in row
