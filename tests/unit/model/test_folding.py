"""Words of scripts without spaces between them."""

from __future__ import annotations

from windrow.model.folding import pieces_of, words_of


def test_of_scripts_without_spaces_each_letter_is_a_word() -> None:
    assert words_of("自由平等 and カナ 2024年") == ["自", "由", "平", "等", "and", "カ", "ナ", "2024", "年"]
    assert words_of("모든 인간") == ["모든", "인간"]
    assert pieces_of("*平等* fo*") == ["平", "等", "fo*"]
