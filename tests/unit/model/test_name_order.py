"""Names in quotation marks are found with the family name first and with it last."""

from __future__ import annotations

import pytest

from windrow.model.document import Agent, Document, Text
from windrow.model.document_view import DocumentView
from windrow.model.highlighting import highlights
from windrow.model.matching import judge_of
from windrow.model.name_order import either_way
from windrow.model.query import Phrase


def ways(*words: str, field: str | None = "creator", slop: int = 0) -> set[tuple[str | None, str]]:
    return {(each.field, " ".join(each.words)) for each in either_way(Phrase(words, field, slop))}


def test_the_first_word_or_the_last_may_be_the_family_name() -> None:
    assert ways("Ida", "Aho") == {("creator", "Ida Aho"), ("creator", "Aho Ida")}
    assert ways("Ida", "Maria", "Aho") == {
        ("creator", "Ida Maria Aho"),
        ("creator", "Aho Ida Maria"),
        ("creator", "Maria Aho Ida"),
    }


def test_without_a_field_only_names_are_turned() -> None:
    assert ways("Ida", "Aho", field=None) == {
        (None, "Ida Aho"),
        ("creator", "Aho Ida"),
        ("contributor", "Aho Ida"),
    }


@pytest.mark.parametrize(
    "phrase",
    [
        Phrase(("Aho",), "creator"),
        Phrase(("Aho", "Aho"), "creator"),
        Phrase(("Ida", "Aho"), "title"),
        Phrase(("Ida", "Aho"), "creator", slop=1),
        Phrase(("one", "two", "three", "four", "five")),
    ],
)
def test_what_is_no_name_stays_as_it_is(phrase: Phrase) -> None:
    assert either_way(phrase) == (phrase,)


@pytest.mark.parametrize("written", ["Aho, Ida Maria", "Ida Maria Aho"])
@pytest.mark.parametrize("asked", ["Aho Ida Maria", "Ida Maria Aho"])
@pytest.mark.parametrize("field", ["creator", None])
def test_a_name_is_found_and_marked_whichever_way_it_is_written(
    written: str, asked: str, field: str | None
) -> None:
    document = Document(titles=(Text("Maria Aho Ida"),), creators=(Agent(written),))
    phrase = Phrase(tuple(asked.split()), field)
    assert judge_of(phrase)(DocumentView(document))
    assert highlights(written, phrase, field="creator") == [(0, len(written))]
    assert highlights("Maria Aho Ida", phrase, field="title") == []
