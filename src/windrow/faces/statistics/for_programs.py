"""Statistics for programs: a function a table, for the JSON API to answer with."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from windrow.faces.statistics.desk import Desk
from windrow.finding.question import Question
from windrow.stats.catalogue import make_table, tables_of
from windrow.stats.origin import Origin
from windrow.stats.writing import as_json

Answer = Callable[[Question], Mapping[str, object]]


def answers(desk: Desk) -> dict[str, Answer]:
    """Give for the name of each table what makes its JSON of a question."""
    return {name: _answer(desk, name) for name in tables_of(desk.own)}


def _answer(desk: Desk, name: str) -> Answer:
    def answer(question: Question) -> Mapping[str, object]:
        desk.check_ready(name, question)
        origin = Origin(desk.frames.looks.of(question.collection).title)
        return as_json(make_table(name, desk.counted(question, origin)))

    return answer
