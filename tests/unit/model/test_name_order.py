"""Names in quotation marks are found with the family name first and with it last."""

from __future__ import annotations

import pytest

from windrow.model.document import Agent, Document, Text
from windrow.model.document_view import DocumentView
from windrow.model.matching import compile_query
from windrow.model.query import Phrase
from windrow.model.text.highlighting import highlights
from windrow.model.text.proper_names import with_inverted_name


def ways(*words: str, field: str | None = "creator", slop: int = 0) -> set[tuple[str | None, str]]:
    return {(each.field, " ".join(each.words)) for each in with_inverted_name(Phrase(words, field, slop))}


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
    assert with_inverted_name(phrase) == (phrase,)


@pytest.mark.parametrize("written", ["Aho, Ida Maria", "Ida Maria Aho"])
@pytest.mark.parametrize("asked", ["Aho Ida Maria", "Ida Maria Aho"])
@pytest.mark.parametrize("field", ["creator", None])
def test_a_name_is_found_and_marked_whichever_way_it_is_written(
    written: str, asked: str, field: str | None
) -> None:
    document = Document(titles=(Text("Maria Aho Ida"),), creators=(Agent(written),))
    phrase = Phrase(tuple(asked.split()), field)
    assert compile_query(phrase)(DocumentView(document))
    assert highlights(written, phrase, field="creator") == [(0, len(written))]
    assert highlights("Maria Aho Ida", phrase, field="title") == []
