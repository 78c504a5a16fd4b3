from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.vocabularies.shelf import vocabulary
from tests.unit.web.portal.stage import Portal, staged
from windrow.vocabularies.vocabulary_files import import_vocabulary

BINDING = """
[collections.courses]
sources = ["hay"]
[collections.courses.vocabulary]
subject = "topics"
"""


@pytest.fixture
def courses(tmp_path: Path, catalogue: Catalogue) -> Iterator[Portal]:
    for number, subject in enumerate(("Finnish", "411", "Estonian", "Climate change", "hay")):
        catalogue.add(f"oai:hay.example:{number}", source="hay", title=f"Course {number}", subject=subject)
    vocabulary(catalogue.store, tmp_path)
    settings = '[sources.hay]\nurl = "https://hay.example/oai"\n' + BINDING
    with staged(tmp_path, catalogue, settings=settings) as served:
        yield served


def test_a_search_for_a_concept_shows_what_was_added(courses: Portal) -> None:
    page = courses.page("/search?q=subject:400")
    assert "3 results" in page.words
    assert (
        "“subject:400” is Languages in topics. Also searched: Språk, Kielet. With 4 concepts below it."
        in (page.words)
    )


def test_what_was_added_is_named_in_the_language_of_the_reader(courses: Portal) -> None:
    assert "är Språk i topics" in courses.page("/search?q=subject:400", language="sv").words
    assert "on Kielet sanastossa topics" in courses.page("/search?q=subject:400", language="fi").words


def test_the_words_as_written_are_a_click_away_and_so_is_the_way_back(courses: Portal) -> None:
    page = courses.page("/search?q=ilmastonmuutos")
    assert "Course 3" in page.words
    without = courses.page(page.link("Only the words as written"))
    assert "Course 3" not in without.words
    back = courses.page(without.link("Search for synonyms and narrower concepts, too"))
    assert "Course 3" in back.words


def test_facets_show_concepts_that_lead_down_the_tree(courses: Portal) -> None:
    page = courses.page("/search", language="sv")
    inside = courses.page(page.link("Språk 3"), language="sv")
    assert "3 träffar" in inside.words
    assert "Ämne: Språk" in inside.words  # the filter, by its label
    below = courses.page(inside.link("Finska språk 3"), language="sv")
    assert courses.page(below.link("Estniska 1"), language="sv").links("Course 2")


def test_an_update_of_the_vocabulary_changes_the_page(
    courses: Portal, catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("windrow.vocabularies.vocabulary_expansion.LOOK_SECONDS", 0.0)
    assert "Languages" in courses.page("/search?q=subject:400").words
    path = tmp_path / "new.csv"
    path.write_text("code,label@en\n400,Tongues\n", encoding="utf-8")
    import_vocabulary(catalogue.store, "topics", path, is_new=False)
    assert "Tongues" in courses.page("/search?q=subject:400").words


def test_without_a_binding_nothing_is_said(portal: Portal) -> None:
    page = portal.page("/search?q=hay&vocabulary=off")
    assert "Only the words as written" not in page.words
    assert "synonyms" not in page.words
