"""Browsing structures: values, values within them, and the documents at the end."""

from __future__ import annotations

import pytest

from tests.oracle.entries import sample_entries
from tests.oracle.memory_index import MemoryIndex
from windrow.config.collection_values import CLASSIFIED, Structure, parse_structure
from windrow.index.protocol import Index
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Agent, Document, DocumentDate, HeldFile, Text
from windrow.model.query import Everything, Value, all_of
from windrow.search import value_lists
from windrow.search.value_lists import Class, Level, list_documents, list_inner_classes, list_outer_classes

ALL = Everything()


def paper(number: int, path: str, title: str, year: int, month: int = 5, *, shelf: str = "") -> Entry:
    document = Document(
        titles=(Text(title),),
        creators=(Agent(f"Mower, {title}"),),
        dates=(DocumentDate(f"{year}-{month:02}-03"),),
        year=year,
        extra={"doc:shelf": (shelf,)} if shelf else {},
        file=HeldFile(path, "application/pdf", 1, ""),
    )
    return Entry(number, "barn", path, (), document)


INDEX = MemoryIndex(
    [
        paper(1, "root.pdf", "Hay", 2012, shelf="B"),
        paper(2, "a/one.pdf", "“Straw”", 2014, 1, shelf="A"),
        paper(3, "a/two.pdf", "Änger", 2014, 12),
        paper(4, "a/b/three.pdf", "7 rakes", 2013),
        paper(5, "c/four.pdf", "Hens", 2014, 12, shelf="b=1"),
    ]
)


def outer(text: str, index: Index = INDEX) -> list[tuple[str, int]]:
    return [(each.value, each.count) for each in list_outer_classes(index, ALL, parse_structure(text)).found]


def titles(text: str, *chosen: str) -> list[str]:
    found = list_documents(INDEX, ALL, parse_structure(text), chosen)
    return [hit.card.title for hit in found.hits]


def test_titles_are_listed_by_their_first_letters() -> None:
    assert outer("title") == [("#", 1), ("A", 1), ("H", 2), ("S", 1)]
    assert titles("title", "H") == ["Hay", "Hens"]
    assert titles("title", "#") == ["7 rakes"]


def test_years_and_months_come_the_latest_first() -> None:
    assert outer("year") == [("2014", 3), ("2013", 1), ("2012", 1)]
    found = list_outer_classes(INDEX, ALL, parse_structure("date")).found
    assert found[0] == Class("2014", 3, (Class("2014-12", 2), Class("2014-01", 1)))
    assert titles("date", "2014", "2014-12") == ["Änger", "Hens"]


def test_folders_are_gone_into_one_by_one() -> None:
    assert outer("folder") == [("a", 3), ("c", 1)]
    assert titles("folder") == ["Hay"]  # in none
    (inside,) = list_inner_classes(INDEX, ALL, parse_structure("folder"), "a")
    assert inside.found == (Class("a/b", 1),)
    assert titles("folder", "a") == ["Änger", "“Straw”"]
    assert titles("folder", "a/b") == ["7 rakes"]


def test_a_second_field_is_counted_within_the_first() -> None:
    found = list_outer_classes(INDEX, ALL, parse_structure("folder > year")).found
    assert found[0] == Class("a", 3, (Class("2014", 2), Class("2013", 1)))
    assert titles("folder > year", "a", "2014") == ["Änger", "“Straw”"]
    folders, years = list_inner_classes(INDEX, ALL, parse_structure("folder > year"), "a")
    assert (folders.field, years.field) == ("folder", "year")
    assert years.found == (Class("2014", 2), Class("2013", 1))


def test_any_other_field_is_browsed_by_its_name() -> None:
    assert outer("extra:Shelf") == [("A", 1), ("B", 1), ("b=1", 1)]
    assert titles("extra:shelf", "b=1") == ["Hens"]
    assert outer("extra:none") == []


def test_many_values_are_listed_letter_by_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_lists, "MANY", 3)
    found = list_outer_classes(INDEX, ALL, parse_structure("creator"))
    assert found.letters == (("M", 5),)
    assert len(found.found) == 5
    monkeypatch.setattr(value_lists, "MANY", 1)
    found = list_outer_classes(INDEX, ALL, parse_structure("folder"), letter="C")
    assert (found.letter, [each.value for each in found.found]) == ("C", ["c"])
    assert list_outer_classes(INDEX, ALL, parse_structure("folder"), letter="Z").letter == "A"


def test_documents_come_page_by_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_lists, "DOCUMENTS_PER_PAGE", 2)
    structure = parse_structure("year")
    assert len(list_documents(INDEX, ALL, structure, ["2014"]).hits) == 2
    (last,) = list_documents(INDEX, ALL, structure, ["2014"], page=2).hits
    assert last.card.title == "“Straw”"


def test_only_what_the_question_finds_is_listed() -> None:
    query = Value("barn", "source")
    assert list_outer_classes(
        INDEX, all_of([query, Value("2012", "year")]), parse_structure("title")
    ).found == (Class("H", 1),)


# A set has those below it, too, which are not counted there.
COUNTED = [*(field for field in CLASSIFIED if field not in ("date", "set")), "extra:camera"]


@pytest.mark.parametrize("field", COUNTED)
def test_a_count_is_what_is_listed_under_it(theses: Index, field: str) -> None:
    structure = Structure((field,))
    found = list_outer_classes(theses, ALL, structure).found
    assert found, field
    for each in found[:5]:
        wanted = Level(field).condition(each.value)
        assert theses.count(wanted) == each.count, each


@pytest.mark.parametrize(
    "text", ["folder > format", "format > extra:camera", "extra:camera > folder", "date"]
)
def test_counts_within_are_what_is_listed_under_both(theses: Index, text: str) -> None:
    structure = parse_structure(text)
    for each in list_outer_classes(theses, ALL, structure).found[:5]:
        for inner in each.within:
            assert list_documents(theses, ALL, structure, (each.value, inner.value)).total == inner.count


def test_the_sample_has_something_to_browse() -> None:
    index = MemoryIndex(sample_entries(50))
    assert all(each.within for each in list_outer_classes(index, ALL, parse_structure("format > size")).found)
