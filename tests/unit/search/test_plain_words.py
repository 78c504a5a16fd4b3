"""Titles with signs in them, copied into the box: found at once, or offered as plain words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.oracle.memory_index import MemoryIndex
from windrow.index.generations import Generations
from windrow.index.protocol import Index
from windrow.index.tantivy.index_writer import TantivyWriter
from windrow.index.tantivy.live_index import LiveIndex
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Document, Text
from windrow.search.request import read_request
from windrow.search.spelling import offer_words

FOUND = (
    "Production of var(chi)-grains in the field",
    "“Mow”-ing into autumn",
    "Time: a short history of scythes",
    "Source: the river and its meadows",
    "Year: the making of a hay calendar",
    "Language: an introduction to the words of mowers",
    "Mowers (MOW)-Axial at AZ BB:13:16(ASM)-Locus F",
)
OFFERED = (
    "Pupils of class 1A -1B, 1959",
    "Barn alert: this is NOT a drill",
    "Hay in China?s barns",
    "Blocking of mowers in 5*HB liquids",
    "Haying in Ho\\v{r}ava-type barns",
    "Scythes in $h\\bar{s}$ states",
    "Farmer Guide- -A practical way",
    "Three???sided barns",
    "Barns of type ?1 and ?2",
    "Source: the river",
)
TITLES = (*FOUND, *OFFERED)
ENTRIES = [
    Entry(number, "hay", f"oai:hay:{number}", (), Document(titles=(Text(title, "en"),)))
    for number, title in enumerate(TITLES)
]


@pytest.fixture(scope="module", params=["memory", "tantivy"])
def index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Index:
    return MemoryIndex(ENTRIES) if request.param == "memory" else _written(tmp_path_factory.mktemp("index"))


def _written(folder: Path) -> Index:
    generations = Generations(folder)
    name = generations.begin()
    writer = TantivyWriter(generations, name, is_new=True)
    writer.put(ENTRIES)
    writer.commit(len(ENTRIES))
    writer.close(is_settling=True)
    generations.make_current(name)
    return LiveIndex(folder)


@pytest.mark.parametrize("title", FOUND)
def test_a_title_is_found_as_it_stands(index: Index, title: str) -> None:
    question = read_request([("q", title)])
    found = index.search(question.query, limit=5)
    assert [hit.card.title for hit in found.hits] == [title]
    assert question.mistakes == ()


@pytest.mark.parametrize("title", OFFERED)
def test_a_title_whose_signs_are_operators_is_offered_as_plain_words(index: Index, title: str) -> None:
    question = read_request([("q", title), ("source", "hay"), ("page", "3")])
    assert index.count(question.query) == 0
    offered = offer_words(index, question, 0)
    assert offered is not None
    found = index.search(offered.question.query, limit=5)
    assert title in [hit.card.title for hit in found.hits]
    assert offered.total == found.total
    assert (offered.question.page, offered.question.filters) == (1, {"source": ("hay",)})


@pytest.mark.parametrize("text", ["xyzzy mowers", "title:xyzzy", "-xyzzy -mowers", "", "..."])
def test_what_finds_nothing_as_words_either_is_not_offered(index: Index, text: str) -> None:
    assert offer_words(index, read_request([("q", text)]), 0) is None


def test_what_was_found_needs_no_other_reading(index: Index) -> None:
    assert offer_words(index, read_request([("q", "barns -mowers")]), 3) is None
