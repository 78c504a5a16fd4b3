from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.unit.vocabularies.library import Expanding, entries, index_of
from tests.unit.vocabularies.shelf import table, vocabulary
from windrow.index.protocol import Index
from windrow.search.facets import Facet, FacetValue, count_facets
from windrow.search.request import SearchRequest, read_request
from windrow.store.store import Store
from windrow.vocabularies.vocabulary_view import VocabularyView

BASE = "vocabulary://topics/"


def asked(topics: VocabularyView, *pairs: tuple[str, str], language: str = "sv") -> SearchRequest:
    question = read_request(pairs, expander=Expanding({"theses": {"subject": [topics]}}))
    return replace(question, language=language)


def facet(index: Index, question: SearchRequest, limit: int = 10) -> Facet:
    return count_facets(index, question, ["subject"], limit=limit)[0]


def shown(facet: Facet) -> dict[str, int]:
    return {value.label or value.value: value.count for value in facet.values}


def test_values_are_counted_as_concepts_with_those_below_them(topics: VocabularyView, index: Index) -> None:
    found = facet(index, asked(topics))
    assert found.is_tree
    assert shown(found) == {
        "Naturvetenskap": 5,
        "Språk": 3,
        "climate": 1,
        "Changes of climate change policy": 1,
    }


def test_labels_are_in_the_language_of_the_reader(topics: VocabularyView, index: Index) -> None:
    assert "Luonnontieteet" in shown(facet(index, asked(topics, language="fi")))


def test_a_chosen_concept_shows_what_is_below_it(topics: VocabularyView, index: Index) -> None:
    question = asked(topics, ("subject", f"{BASE}310"))
    found = facet(index, question)
    (top,) = [value for value in found.values if value.within]
    (chosen,) = top.within
    assert (top.value, chosen.value, chosen.is_selected) == (f"{BASE}300", f"{BASE}310", True)
    assert {value.label: value.count for value in chosen.within} == {
        "Havsnivåhöjning": 1,
        "Glaciärsmältning": 1,
    }


def test_a_click_finds_what_was_counted(topics: VocabularyView, index: Index) -> None:
    def check(value: FacetValue) -> None:
        question = asked(topics, *parse_qsl(urlsplit(value.address).query))
        assert index.count(question.query) == value.count
        for each in value.within:
            check(each)

    for value in facet(index, asked(topics)).values:
        check(value)


def test_a_long_list_has_the_values_as_they_are(topics: VocabularyView, index: Index) -> None:
    found = facet(index, asked(topics), limit=1000)
    assert not found.is_tree
    assert {value.value for value in found.values} >= {"310", "klimatförändring", "climate"}


def test_with_several_vocabularies_a_field_is_counted_by_its_values(
    topics: VocabularyView, store: Store, tmp_path: Path, index: Index
) -> None:
    other = vocabulary(store, tmp_path, table({"1": ()}), "other")
    bindings = {"theses": {"subject": [topics]}, "maps": {"subject": [other]}}
    question = read_request([], expander=Expanding(bindings))
    assert "310" in {value.value for value in facet(index, question).values}


@pytest.mark.parametrize("is_real", [False, True])
def test_concepts_in_a_circle_are_counted_too(store: Store, tmp_path: Path, *, is_real: bool) -> None:
    circle = vocabulary(store, tmp_path, table({"1": ("2",), "2": ("1",)}), "circle")
    index = index_of(entries({1: ("1",), 2: ("2",)}), tmp_path / "index", is_real=is_real)
    question = read_request([], expander=Expanding({"theses": {"subject": [circle]}}))
    found = facet(index, question)
    assert {value.count for value in found.values} == {2}


def test_a_record_with_two_values_below_a_concept_counts_once(topics: VocabularyView, tmp_path: Path) -> None:
    index = index_of(entries({1: ("311", "312", "310")}), tmp_path / "index", is_real=True)
    found = facet(index, asked(topics))
    assert [value.count for value in found.values] == [1]


def test_the_only_top_concept_shows_what_is_below_it(store: Store, tmp_path: Path) -> None:
    tree = vocabulary(store, tmp_path, table({"1": (), "2": ("1",), "3": ("1",), "4": ("3",)}), "tree")
    index = index_of(entries({1: ("1",), 2: ("2",), 3: ("4",)}), tmp_path / "index", is_real=True)
    found = facet(index, read_request([], expander=Expanding({"theses": {"subject": [tree]}})))
    assert [(value.label, value.count) for value in found.values] == [("label 1", 3)]
    assert [(value.label, value.count) for value in found.values[0].within] == [
        ("label 2", 1),
        ("label 3", 1),
    ]
