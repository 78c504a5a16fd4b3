from __future__ import annotations

import pytest

from tests.oracle.memory_index import MemoryIndex
from windrow.index.protocol import FacetRequest, Index
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Agent, Document
from windrow.model.query import Everything
from windrow.search import value_lists
from windrow.search.request import read_request

NAMES = ("Äng, Bo", "Ang, Åsa", "Mower, Ann", "3M", "'t Hooft, G.", "42", "–dash", "Łoś, E", "Žižek, S", "月")
INDEX = MemoryIndex(
    Entry(number, "hay", f"oai:hay:{number}", (), Document(creators=(Agent(name),)))
    for number, name in enumerate(NAMES)
)


def pages(letter: str, limit: int) -> list[str]:
    found, after = [], ""
    while True:
        page = value_lists.list_under_letter(INDEX, "creator", letter=letter, after=after, limit=limit)
        found += [value.value for value in page.values]
        if page.next is None:
            return found
        after = page.next


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_every_value_is_under_its_letter_however_long_the_pages(limit: int) -> None:
    initials = value_lists.list_under_letter(INDEX, "creator").initials
    found = {initial.value: pages(initial.value, limit) for initial in initials}
    assert sorted(name for names in found.values() for name in names) == sorted(NAMES)
    assert {letter: len(names) for letter, names in found.items()} == {
        initial.value: initial.count for initial in initials
    }
    assert found["A"] == ["Ang, Åsa", "Äng, Bo"]
    assert set(found["#"]) == {"3M", "'t Hooft, G.", "42", "–dash"}


def test_a_letter_is_taken_whatever_its_case_and_accents() -> None:
    assert pages("ä", 10) == pages("A", 10) == ["Ang, Åsa", "Äng, Bo"]


def test_a_letter_that_nothing_begins_with_has_no_values() -> None:
    assert pages("Q", 10) == []


def test_what_begins_with_no_letter_is_found_behind_every_alphabet() -> None:
    names = ("Aa", "zz", "{brace", "Øy", "жук", "“Mark”", "ꙮ", "→ arrow", "月")
    index = MemoryIndex(
        Entry(number, "hay", str(number), (), Document(creators=(Agent(name),)))
        for number, name in enumerate(names)
    )
    found = value_lists.list_under_letter(index, "creator", letter="#").values
    assert {each.value for each in found} == {"{brace", "“Mark”", "→ arrow"}


def test_names_can_be_those_of_a_question() -> None:
    question = read_request([("q", "creator:ang")])
    found = value_lists.list_under_letter(INDEX, "creator", question)
    assert [each.value for each in found.values] == ["Ang, Åsa", "Äng, Bo"]
    assert [each.value for each in found.initials] == ["A"]


def test_without_a_letter_all_values_are_walked_through() -> None:
    assert sorted(pages("", 3)) == sorted(NAMES)


def test_institutions_have_their_departments_in_the_order_of_their_names(theses: Index) -> None:
    shelf = value_lists.list_institutions(theses)
    assert [each.value for each in shelf.values] == sorted(each.value for each in shelf.values)
    assert len(shelf.values) == 5
    (counts,) = theses.tally(Everything(), [FacetRequest("institution", 100)])
    assert {each.value: each.count for each in shelf.values} == {
        each.value: each.count for each in counts.values
    }
    assert all(each.within for each in shelf.values)


def test_years_are_listed_in_order_and_types_by_their_number(theses: Index) -> None:
    years = [int(each.value) for each in value_lists.list_values(theses, "year").values]
    assert years == list(range(2005, 2025))
    counts = [each.count for each in value_lists.list_values(theses, "type").values]
    assert counts == sorted(counts, reverse=True)


def test_a_list_can_be_narrowed_by_a_question(theses: Index) -> None:
    question = read_request([("language", "sv")])
    assert [each.value for each in value_lists.list_values(theses, "language", question).values] == ["sv"]


def test_the_newest_are_those_that_came_last(theses: Index) -> None:
    assert [hit.card.number for hit in value_lists.list_newest(theses, limit=3)] == [300, 299, 298]
    assert len(value_lists.list_newest(theses, limit=10_000)) == 100
