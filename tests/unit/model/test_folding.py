"""Words as they are compared, in every script."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.model.text.folding import (
    fold,
    fold_in_place,
    folded_words,
    pattern_pieces,
    signed_words,
    split_words,
)

# Where tables know most letters, and some that they do not know.
WESTERN = st.characters(max_codepoint=0x17F) | st.sampled_from("–—’‘”“…\u0301\u0308\u00ad\u200bﬁ日ÅßæÞ½²µ")


@given(st.text(WESTERN))
def test_letters_by_a_table_are_folded_as_all_others(text: str) -> None:
    beyond = "\u0394"  # a capital that no table has: with it, the text is folded the long way
    assert fold(text) == fold(text + beyond)[:-1]
    assert folded_words(text) == folded_words(f"{text} {beyond}")[:-1]
    if not signed_words(fold(text)):  # "A#" is one word to search for, and stays "a#" in the text
        assert folded_words(text) == split_words(fold(text))
    placed = fold_in_place(text)
    if placed is not None:
        assert len(placed) == len(text)
        assert re.findall("[0-9a-z]+", placed) == folded_words(text)


@given(st.text(st.characters(max_codepoint=0x24F)))
def test_what_differs_only_in_case_and_accents_is_the_same_word(text: str) -> None:
    assert folded_words(unicodedata.normalize("NFD", text)) == folded_words(text)
    assert fold(fold(text)) == fold(text)


def test_a_sign_behind_a_letter_with_an_accent_is_no_part_of_a_word() -> None:
    assert folded_words("À#") == folded_words("A\u0300#") == folded_words("À# Δ")[:-1] == ["a"]


def test_of_scripts_without_spaces_each_letter_is_a_word() -> None:
    assert folded_words("自由平等 and カナ 2024年") == [
        "自",
        "由",
        "平",
        "等",
        "and",
        "カ",
        "ナ",
        "2024",
        "年",
    ]
    assert folded_words("모든 인간") == ["모든", "인간"]
    assert pattern_pieces("*平等* fo*") == ["平", "等", "fo*"]


@pytest.mark.parametrize("joint", ["\u00ad", "\u200b", "\u2060", "\ufeff", "\u00ad\u200b"])
@pytest.mark.parametrize("letters", ["inform", "näyttö", "лампа"])
def test_what_cannot_be_seen_ends_no_word(joint: str, letters: str) -> None:
    text = f"{joint}{letters[:3]}{joint}{letters[3:]} hay"
    assert folded_words(text) == [fold(letters), "hay"]
    assert split_words(text) == [letters, "hay"]
    assert fold_in_place(text) is None
    assert pattern_pieces(f"in{joint}f*") == ["inf*"]


def test_a_space_without_width_ends_a_word_where_there_is_no_other() -> None:
    assert folded_words("ភាសា\u200bខ្មែរ") == split_words("ភាសា\u200bខ្មែរ") == ["ភាសា", "ខ្មែរ"]
    assert folded_words("ภาษา\u00adไทย") == ["ภาษาไทย"]


def test_a_joint_that_has_a_meaning_stays() -> None:
    assert folded_words("می\u200cخواهم") == ["می", "خواهم"]


def test_a_star_alone_beside_a_word_asks_for_nothing_more() -> None:
    assert pattern_pieces("node.*") == ["node"]
    assert pattern_pieces("*:hay-*-straw.**") == ["hay", "*", "straw"]
    assert pattern_pieces("*:*") == ["*"]


@pytest.mark.parametrize(
    ("other", "plain"),
    [("C\uff03", "C#"), ("C\u266f minor", "C# minor"), ("C\uff0b\uff0b", "C++"), ("\uff0eNET", ".NET")],
)
def test_a_sign_of_a_name_is_the_same_in_its_other_forms(other: str, plain: str) -> None:
    assert folded_words(other) == folded_words(plain)
    assert split_words(other) == split_words(plain)
    assert [found[1:] for found in signed_words(other)] == [found[1:] for found in signed_words(plain)]
