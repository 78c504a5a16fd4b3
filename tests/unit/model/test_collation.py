"""Lists in the order of the reader's language."""

from __future__ import annotations

import pytest

from windrow.model.text.collation import collation

NAMES = ["Zorn", "Öberg", "aho", "Åkesson", "Ärling", "Oja", "Ødegård", "Éluard", "Eco", "Яблочков", "Ahå"]
NORDIC = ["aho", "Ahå", "Eco", "Éluard", "Oja", "Zorn", "Åkesson", "Ärling", "Öberg", "Ødegård", "Яблочков"]
PLAIN = ["Ahå", "aho", "Åkesson", "Ärling", "Eco", "Éluard", "Öberg", "Ødegård", "Oja", "Zorn", "Яблочков"]


@pytest.mark.parametrize(
    ("language", "ordered"), [("sv", NORDIC), ("fi", NORDIC), ("en", PLAIN), ("", PLAIN)]
)
def test_letters_come_where_the_language_has_them(language: str, ordered: list[str]) -> None:
    assert sorted(NAMES, key=collation(language).key) == ordered


def test_a_text_is_listed_under_its_letter() -> None:
    swedish, english = collation("sv"), collation("en")
    assert [swedish.initial(name) for name in ("Öberg", "Ødegård", "åhus", "Éluard", "4H", "")] == list(
        "ÖÖÅE##"
    )
    assert [english.initial(name) for name in ("Öberg", "Ødegård", "åhus")] == list("OOA")
    assert (swedish.letter("å"), english.letter("å"), swedish.letter(" 1 "), swedish.letter("")) == (
        "Å",
        "A",
        "1",
        "",
    )


def test_a_key_gives_back_what_an_index_calls_it() -> None:
    for name in NAMES:
        for language in ("sv", "en"):
            order = collation(language)
            assert order.folded(order.key(name)) == collation("").key(name)
