"""First letters as a language lists them, and whole lists in its order, over every back end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tests.contracts.index.hay import entry
from windrow.index.protocol import Index, ValueCount
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Agent, Document
from windrow.model.query import Word
from windrow.model.text.collation import collation
from windrow.search import value_lists

Make = Callable[[Sequence[Entry]], Index]
NAMES = ("Aho", "aaltonen", "Åberg", "Ärling", "Öberg", "Oja", "Ødegård", "Zorn", "Éluard", "4H", "Яблочков")


def _entry(number: int, *names: str) -> Entry:
    return entry(number, Document(creators=tuple(map(Agent, names)), publishers=names, keywords=names))


LIBRARY = [
    *(_entry(number, name) for number, name in enumerate(NAMES, start=1)),
    _entry(20, "Aho", "Åberg", "Åkesson"),
]


def _letters(counted: Sequence[ValueCount]) -> dict[str, int]:
    return {each.value: each.count for each in counted}


@pytest.mark.parametrize("field", ["creator", "keyword", "publisher"])
def test_letters_after_z_are_counted_by_themselves(make_index: Make, field: str) -> None:
    index = make_index(LIBRARY)
    swedish = _letters(index.initials(field, language="sv"))
    assert list(swedish) == ["A", "E", "O", "Z", "Å", "Ä", "Ö", "Я", "#"]
    assert (swedish["A"], swedish["Å"], swedish["Ä"], swedish["Ö"], swedish["O"]) == (3, 2, 1, 2, 1)
    english = _letters(index.initials(field))
    assert (english["A"], english["O"]) == (5, 3)
    assert "Å" not in english


def test_only_what_the_query_finds_is_counted(make_index: Make) -> None:
    found = make_index(LIBRARY).initials("creator", query=Word("Åkesson", "creator"), language="fi")
    assert _letters(found) == {"A": 1, "Å": 1}


@pytest.mark.parametrize("most", [2, 3, 2000])  # letters are gone through one by one, or not
@pytest.mark.parametrize("language", ["sv", "fi", "en"])
def test_pages_go_through_all_values_in_the_order_of_the_language(
    make_index: Make, language: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(value_lists, "MAX_SORTED", most)
    index, order = make_index(LIBRARY), collation(language)
    for letter in ("", "A", "Å", "Ä", "Ö", "O", "Z", "E", "Q"):
        seen: list[str] = []
        after = ""
        for _ in range(20):
            page = value_lists.list_under_letter(
                index, "creator", letter=letter, after=after, limit=3, language=language
            )
            seen += [each.value for each in page.values]
            if page.next is None:
                break
            after = page.next
        shown = order.letter(letter)
        wanted = [name for name in (*NAMES, "Åkesson") if not letter or order.initial(name) == shown]
        assert seen == sorted(wanted, key=lambda name: (order.key(name), name)), letter


def test_spellings_that_fold_alike_are_all_listed(make_index: Make) -> None:
    names = ("Höök", "HÖÖK", "höök", "Hook", "Håkan")
    index = make_index([_entry(number, name) for number, name in enumerate(names, start=1)])
    seen, after = [], ""
    for _ in range(10):
        page = value_lists.list_under_letter(
            index, "creator", letter="H", after=after, limit=1, language="sv"
        )
        seen += [each.value for each in page.values]
        if page.next is None:
            break
        after = page.next
    assert seen == ["Hook", "Håkan", "HÖÖK", "Höök", "höök"]
