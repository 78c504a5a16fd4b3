"""The engines of the search bench find what the documents hold: a peer that is wrong measures nothing."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from bench.search import corpus
from bench.search.contender import ENGINES, Engine
from bench.search.ours import query_of
from bench.search.questions import PER_ROW, WARMING, Row, draw

from windrow.index.tantivy.rows import Entry
from windrow.model.document_view import DocumentView
from windrow.model.matching import compile_query

ASKED = 60


@cache
def some() -> list[Entry]:
    return list(corpus.entries(400))


@pytest.fixture(scope="module", params=list(ENGINES))
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Engine:
    made = ENGINES[request.param](tmp_path_factory.mktemp("index") / "here", is_new=True)
    made.build(some())
    return made


def view(entry: Entry) -> DocumentView:
    return DocumentView(entry.document, source=entry.source, sets=entry.sets, identifier=entry.identifier)


@cache
def views() -> list[DocumentView]:
    return list(map(view, some()))


@pytest.mark.parametrize("row", Row)
def test_every_question_is_answered_with_what_the_documents_hold(engine: Engine, row: Row) -> None:
    questions = draw(row, len(some()))[:ASKED]
    for question in questions:
        judge = compile_query(query_of(question))
        assert engine.ask(question) == sum(map(judge, views())), question


@pytest.mark.parametrize("row", Row)
def test_no_question_is_asked_twice(row: Row) -> None:
    questions = draw(row, 5_000)
    assert len(questions) == len(set(questions)) == PER_ROW + WARMING
    assert draw(row, 5_000) == questions


@pytest.mark.parametrize("name", list(ENGINES))
def test_an_update_takes_the_place_of_what_was_there(name: str, tmp_path: Path) -> None:
    first = ENGINES[name](tmp_path / "here", is_new=True)
    first.build(some()[:50])
    again = ENGINES[name](tmp_path / "here")
    changed = [corpus.entry(number, version=1) for number in range(1, 26)]
    again.update(changed)
    held = [*map(view, changed), *views()[25:50]]
    for question in draw(Row.FIELDED, 50)[:ASKED]:
        judge = compile_query(query_of(question))
        assert again.ask(question) == sum(map(judge, held)), question
