"""What is written in several ways is found by each of them, in the oracle's index and in the real one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contracts.index.hay import entry
from windrow.index.protocol import Index
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Agent, Document, Subject, Text
from windrow.model.text.proper_names import _initial_keys, _spelling_keys, name_keys
from windrow.protocols.query.query_parser import parse_query

Make = Callable[[Sequence[Entry]], Index]


def found(index: Index, text: str) -> list[int]:
    return sorted(hit.card.number for hit in index.search(parse_query(text).query, limit=50).hits)


def ranked(index: Index, text: str) -> list[int]:
    return [hit.card.number for hit in index.search(parse_query(text).query, limit=50).hits]


def by(*names: str) -> list[Entry]:
    return [
        entry(number, Document(titles=(Text("On work"),), creators=(Agent(name),)))
        for number, name in enumerate(names)
    ]


def titled(*titles: str, language: str | None = None) -> list[Entry]:
    return [entry(number, Document(titles=(Text(title, language),))) for number, title in enumerate(titles)]


PEOPLE = by(
    "Kinnunen, Ulla",
    "Kinnunen, Taru",
    "Kinnunen, U.",
    "Aho, Anna-Maija",
    "Tolkien, John Ronald Reuel",
    "van der Berg, Jan",
    "Ida Niemi",
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Kinnunen U", [0, 2]),
        ("kinnunen u", [0, 2]),
        ("U. Kinnunen", [0, 2]),
        ("Kinnunen, U.", [0, 2]),
        ("creator:(Kinnunen U)", [0, 2]),
        ("Kinnunen T", [1]),
        ("Kinnunen X", []),
        ("Aho A-M", [3]),
        ("Aho AM", [3]),
        ("A.-M. Aho", [3]),
        ("Tolkien JRR", [4]),
        ("J. R. R. Tolkien", [4]),
        ("Tolkien, J.R.R.", [4]),
        ("Tolkien JRX", []),
        ("van der Berg J", [5]),
        ("J van der Berg", [5]),
        ("Niemi I", [6]),
        ("I Niemi", [6]),
        ('"Kinnunen U"', [2]),
        ("contributor:(Kinnunen U)", []),
    ],
)
def test_people_are_found_as_reference_lists_write_them(
    make_index: Make, text: str, expected: list[int]
) -> None:
    assert found(make_index(PEOPLE), text) == expected


@given(st.from_regex(r"\A[A-Za-zäüØ' -]{1,12}(, [A-Za-zé.-]{1,8}( [A-Z]\.)?)?\Z"))
def test_the_quick_way_to_the_keys_of_a_name_is_the_way(name: str) -> None:
    assert name_keys(name) == tuple(dict.fromkeys((*_initial_keys(name), *_spelling_keys(name))))


def test_the_exact_name_comes_before_the_one_that_begins_so(make_index: Make) -> None:
    assert ranked(make_index(PEOPLE), "Kinnunen U")[0] == 2


@pytest.mark.parametrize("text", ["Müller", "Mueller", "Muller", "creator:mueller", "Müller H", "H Mueller"])
def test_umlauts_are_found_in_each_of_their_spellings(make_index: Make, text: str) -> None:
    index = make_index(by("Müller, Hans", "Mueller, Heike", "Muller, Hugo", "Møller, Hanne"))
    assert found(index, text) == [0, 1, 2]


@pytest.mark.parametrize("text", ["O'Brien", "O’Brien", "OBrien", "O Brien"])
def test_apostrophes_in_names_make_no_difference(make_index: Make, text: str) -> None:
    assert found(make_index(by("O'Brien, Ann", "O’Brien, Bo", "Bright, Cy")), text) == [0, 1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C++", [0]),
        ("c++", [0]),
        ("C#", [1]),
        (".NET", [2]),
        (".net", [2]),
        ("C", [3]),
        ('"C++ in"', [0]),
        ("title:C#", [1]),
        ("C++ -C#", [0]),
    ],
)
def test_signs_tell_programming_languages_apart(make_index: Make, text: str, expected: list[int]) -> None:
    index = make_index(titled("C++ in a week", "C# for all", "Web services with .NET", "Programming in C"))
    assert found(index, text) == expected


@pytest.mark.parametrize("text", ["e-learning", "elearning", "e learning", "e\u2011learning", "E-Learning"])
def test_hyphens_may_be_left_out(make_index: Make, text: str) -> None:
    index = make_index(
        [
            *titled("E-learning at work", "Elearning at work", "e\u2010learning at work", "Learning at work"),
            entry(4, Document(subjects=(Subject("e-learning"),))),
            entry(5, Document(descriptions=(Text("Much e-learning."),))),
        ]
    )
    assert found(index, text) == [0, 1, 2, 4, 5]


def test_apostrophes_may_be_left_out(make_index: Make) -> None:
    index = make_index(titled("Children's books", "Children’s books", "Childrens books", language="en"))
    for text in ("children's", "children’s", "childrens"):
        assert found(index, text) == [0, 1, 2], text


def test_ligatures_and_dashes_make_no_difference(make_index: Make) -> None:
    index = make_index(titled("The eﬃcient ﬁeld — a study", "The efficient field - a study"))
    for text in ("efficient field", "eﬃcient ﬁeld", '"field – a study"', '"field a study"'):
        assert found(index, text) == [0, 1], text


def test_accents_that_stand_apart_are_part_of_their_letters(make_index: Make) -> None:
    index = make_index(titled("Diciona\u0301rio da li\u0301ngua", "Dicionário da língua"))
    for text in ('"dicionário da língua"', '"Diciona\u0301rio da li\u0301ngua"', "dicionario lingua"):
        assert found(index, text) == [0, 1], text


@pytest.mark.parametrize(
    ("text", "title"),
    [("date", "Data"), ("organ", "Org"), ("date", "Data mining"), ("planet", "Plan"), ("poster", "Post")],
)
def test_words_of_unknown_language_do_not_meet_by_accident(make_index: Make, text: str, title: str) -> None:
    assert found(make_index(titled(title)), text) == []


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("kauppa", "Kaupan tulevaisuus"),
        ("lapset", "Lasten hyvinvointi päiväkodissa"),
        ("skola", "Skolans utveckling"),
        ("cars", "Car parks"),
        ("vesi", "Veden laatu"),
    ],
)
def test_titles_of_unknown_language_are_found_in_other_forms(make_index: Make, text: str, title: str) -> None:
    abstract = "The study describes how the work was done and what came of it."
    document = Document(titles=(Text(title),), descriptions=(Text(abstract),), languages=("fi",))
    assert found(make_index([entry(1, document)]), text) == [1]
    assert found(make_index(titled(title)), text) == [0]
