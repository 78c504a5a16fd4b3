"""A text as plain words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.model.query import Word, all_of
from windrow.model.text.folding import split_words
from windrow.protocols.query.query_parser import parse_query, query_for_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Class 1A -1B, 1959", "Class 1A 1B 1959"),
        ("This is NOT hay", r"This is \NOT hay"),
        ("Hay?s and 5*HB", "Hay s and 5 HB"),
        (r"Ho\v{r}ava $c\bar{s}$", "Ho v r ava c bar s"),
        ("title:hay ISBN 9789513912345", r"title hay \ISBN 9789513912345"),
        ("...", ""),
    ],
)
def test_no_sign_is_left(text: str, words: str) -> None:
    assert query_for_words(text) == words


_SCRAPS = st.sampled_from(["NOT ", "OR", " ", "-", "isbn ", "12345678", "hay:", "(", '"', "\\", "*"])


@given(text=st.text(max_size=60) | st.lists(_SCRAPS).map("".join))
def test_each_word_of_a_text_is_asked_for_and_nothing_else(text: str) -> None:
    assert parse_query(query_for_words(text)).query == all_of(map(Word, split_words(text)))
    assert parse_query(query_for_words(text)).mistakes == ()
