"""Two documents compared field by field."""

from __future__ import annotations

from windrow.harvest.run_diff import FieldChange, compare_documents
from windrow.model.document import Agent, Document, Text

OLD = Document(titles=(Text("One", "en"),), creators=(Agent("Ek, Bo"), Agent("Ås, Li", "editor")), year=2001)


def test_the_same_document_differs_in_nothing() -> None:
    assert compare_documents(OLD, OLD) == ()


def test_only_what_came_and_went_is_told() -> None:
    new = Document(titles=OLD.titles, creators=(Agent("Ek, Bo"), Agent("Ny, Al")), year=2001)
    assert compare_documents(OLD, new) == (FieldChange("creators", ("Ås, Li (editor)",), ("Ny, Al",)),)


def test_an_addition_takes_nothing_away() -> None:
    new = Document(titles=OLD.titles, creators=OLD.creators, year=2001, keywords=("law",))
    assert compare_documents(OLD, new) == (FieldChange("keywords", (), ("law",)),)


def test_another_order_is_a_change() -> None:
    new = Document(titles=OLD.titles, creators=OLD.creators[::-1], year=2001)
    names = ("Ek, Bo", "Ås, Li (editor)")
    assert compare_documents(OLD, new) == (FieldChange("creators", names, names[::-1]),)


def test_a_language_is_part_of_a_title() -> None:
    new = Document(titles=(Text("One", "sv"),), creators=OLD.creators, year=2001)
    assert compare_documents(OLD, new) == (FieldChange("titles", ("One (en)",), ("One (sv)",)),)


def test_numbers_and_extras_are_compared_too() -> None:
    new = Document(titles=OLD.titles, creators=OLD.creators, year=2002, extra={"dc:format": ("pdf",)})
    assert compare_documents(OLD, new) == (
        FieldChange("year", ("2001",), ("2002",)),
        FieldChange("extra", (), ("dc:format: pdf",)),
    )


def test_where_people_work_is_told_with_them() -> None:
    new = Document(
        titles=OLD.titles, creators=(Agent("Ek, Bo", affiliations=("A", "B")), OLD.creators[1]), year=2001
    )
    assert compare_documents(OLD, new) == (FieldChange("creators", ("Ek, Bo",), ("Ek, Bo (A; B)",)),)
