"""What pages about a record are called."""

from __future__ import annotations

import pytest

from windrow.model.document import Agent, Document, Text
from windrow.web.i18n.translation import get_translator
from windrow.web.layout.page_text import foreign_language, headline

ENGLISH = get_translator("en")


def test_the_first_title_and_the_first_abstract_are_taken() -> None:
    document = Document(
        titles=(Text("Heinä", "fi"), Text("Hay", "en")), descriptions=(Text("Of hay."), Text("Heinästä."))
    )
    assert headline(document, ENGLISH) == ("Heinä", "fi", "Heinä", "Of hay.")


@pytest.mark.parametrize("title", ["", " ", "\u200b", "\x85"])
def test_a_title_that_nobody_sees_is_none(title: str) -> None:
    assert headline(Document(titles=(Text(title),)), ENGLISH).title == "Without a title"


def test_what_is_long_is_cut_for_the_head_and_whole_for_the_page() -> None:
    found = headline(Document(titles=(Text("word " * 100),), descriptions=(Text("word " * 100),)), ENGLISH)
    assert len(found.title) > 400
    assert len(found.short) <= 122
    assert len(found.description) <= 302


def test_without_an_abstract_it_is_told_who_made_it_and_when() -> None:
    document = Document(creators=(Agent("Höök, Åsa"), Agent("Hay, B")), publishers=("Hay Press",), year=2012)
    assert headline(document, ENGLISH).description == "Höök, Åsa; Hay, B · Hay Press · 2012"
    assert headline(Document(year=2012), ENGLISH).description == "2012"
    assert not headline(Document(), ENGLISH).description


def test_nothing_in_the_head_turns_what_stands_beside_it_or_breaks_its_line() -> None:
    document = Document(
        titles=(Text("\u202eyah\u202c \u2066of"),), descriptions=(Text("One.\n\n\u202eTwo."),)
    )
    found = headline(document, ENGLISH)
    assert (found.short, found.description) == ("yah of", "One. Two.")


@pytest.mark.parametrize(
    ("language", "told"), [("fi", "fi"), ("SWE", "swe"), ("en", ""), ("und", ""), (None, ""), ('"x', "")]
)
def test_only_other_languages_that_are_known_are_told(language: str | None, told: str) -> None:
    assert foreign_language(language, ENGLISH) == told
