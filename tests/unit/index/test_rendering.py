"""Questions to Tantivy: not longer than the library that they are asked of needs."""

from __future__ import annotations

import pytest

from tests.contracts.index.back_ends import Shelf
from tests.contracts.index.hay import LIBRARY, entry
from windrow.index.tantivy.layout import TEXT
from windrow.index.tantivy.rendering import Renderer
from windrow.model.document import Document, HeldFile, Text
from windrow.model.query import Phrase, Query, Word

ANYWHERE = [
    Word("meadows"),
    Word("mead*", is_pattern=True),
    Word("meadow", edits=1),
    Word("e-mail"),
    Phrase(("meadows",)),
    Phrase(("hay", "meadow")),
    Phrase(("hay", "meadow"), slop=3),
]
FILE = Document(
    titles=(Text("Scanned", "en"),),
    languages=("en",),
    file=HeldFile("barn/scan.pdf", "application/pdf", 0, "00", text=("The lofts were full of fodder.",)),
)


def rendered(query: Query, *, has_texts: bool, is_scored: bool) -> str:
    renderer = Renderer(lambda _field, _start, _limit: [], lambda: has_texts)
    return str(renderer.render(query, is_scored=is_scored))


@pytest.mark.parametrize("is_scored", [True, False])
@pytest.mark.parametrize("query", ANYWHERE, ids=str)
def test_texts_of_files_are_asked_for_only_where_there_may_be_any(query: Query, is_scored: bool) -> None:
    asked = {has: rendered(query, has_texts=has, is_scored=is_scored) for has in (True, False)}
    assert len(asked[False]) < len(asked[True])


def test_what_is_asked_for_in_the_field_of_texts_is_asked_there_in_any_case() -> None:
    query = Word("meadows", TEXT)
    asked = {rendered(query, has_texts=has, is_scored=False) for has in (True, False)}
    assert len(asked) == 1


@pytest.mark.parametrize("query", [Word("fodder"), Word("loft"), Phrase(("full", "of"))], ids=str)
def test_the_first_file_of_a_library_is_found_by_its_text_as_soon_as_it_is_there(query: Query) -> None:
    shelf = Shelf()
    shelf.put(LIBRARY)
    before = shelf.index()
    assert before.count(query) == before.search(query).total == 0
    shelf.put([entry(9, FILE)])
    after = shelf.index()
    assert after.count(query) == after.search(query).total == 1
    assert before.count(query) == 0
