"""Which piece of a long text is shown."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.model.text.highlighting import cut_snippet, highlights
from windrow.protocols.query.query_parser import parse_query

FILL = "nothing to see in this sentence. " * 20


def shown(text: str, query: str, length: int = 60) -> tuple[str, list[str]]:
    spans = highlights(text, parse_query(query).query, field="description", language="en")
    piece, marks = cut_snippet(text, spans, length=length)
    return piece, [piece[start:end] for start, end in marks]


def test_a_short_text_is_shown_whole() -> None:
    assert shown("Hay and straw.", "straw") == ("Hay and straw.", ["straw"])


def test_a_text_without_marks_is_shown_from_its_start() -> None:
    piece, marks = shown(FILL, "straw")
    assert piece == "nothing to see in this sentence. nothing to see in this…"
    assert marks == []


def test_the_piece_with_most_different_words_is_shown() -> None:
    text = f"{FILL}hay hay hay {FILL}hay and straw and {FILL}"
    piece, marks = shown(text, "hay straw")
    assert marks == ["hay", "straw"]
    assert piece.startswith("…")
    assert piece.endswith("…")


def test_the_end_of_a_text_has_nothing_left_out_behind_it() -> None:
    piece, marks = shown(f"{FILL}and then hay.", "hay")
    assert piece.endswith("and then hay.")
    assert marks == ["hay"]


def test_words_are_not_cut() -> None:
    piece, _ = shown(f"{FILL}hay {FILL}", "hay")
    assert set(piece.strip("…").split()) <= set(f"{FILL} hay".split())


def test_a_text_without_spaces_is_cut_all_the_same() -> None:
    piece, _ = cut_snippet("日" * 1000, [(500, 501)], length=50)
    assert len(piece) == 52


def test_a_mark_longer_than_the_piece_is_cut_with_it() -> None:
    piece, marks = cut_snippet("x" * 1000, [(100, 900)], length=50)
    assert marks == [(1, 51)]
    assert piece == "…" + "x" * 50 + "…"


def test_very_many_marks_are_weighed_in_one_walk() -> None:
    # Were it worse than linear, this would not come back.
    text = "hay " * 100_000
    piece, marks = cut_snippet(text, [(place, place + 3) for place in range(0, 400_000, 4)])
    assert len(marks) > 50
    assert len(piece) <= 242


@settings(deadline=None)
@given(
    text=st.text(st.sampled_from("ab ."), max_size=300),
    cuts=st.lists(st.integers(0, 300), max_size=12).map(sorted),
    length=st.integers(1, 120),
)
def test_marks_stay_on_what_they_mark(text: str, cuts: list[int], length: int) -> None:
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    spans = [(low, high) for low, high in pairs if low < high <= len(text)]
    piece, marks = cut_snippet(text, spans, length=length)
    assert len(piece) <= max(length, len(text) if len(text) <= length else 0) + 2
    assert piece.strip("…") in text
    assert all(0 <= low < high <= len(piece) for low, high in marks)
    marked = {text[low:high] for low, high in spans}
    assert all(any(piece[low:high] in whole for whole in marked) for low, high in marks)
    assert bool(marks) is bool(spans)


@pytest.mark.parametrize("length", [10, 60, 240])
def test_a_piece_is_about_as_long_as_was_asked_for(length: int) -> None:
    piece, _ = shown(f"{FILL}hay {FILL}", "hay", length)
    assert length / 2 <= len(piece) <= length + 2
