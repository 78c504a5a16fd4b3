"""The pages of statistics: an overview, one for each kind, the keyword analyser, the comparison, the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from windrow.faces.shared.frame import Frame, show
from windrow.faces.shared.noted import tell_filters
from windrow.faces.shared.query_mistakes import explain_all
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Response
from windrow.faces.statistics.analysts import PYTHON, SQL
from windrow.faces.statistics.choices import choices_of, institutions_of, kept_beside
from windrow.faces.statistics.desk import Desk
from windrow.faces.statistics.exhibits import Exhibit, exhibit
from windrow.faces.statistics.ways import PATH, Ways
from windrow.finding.question import Question
from windrow.index.protocol import Order
from windrow.model.query import Word
from windrow.stats.bundle import bundle_name
from windrow.stats.catalogue import OVERVIEW, Page, make_table, pages_of
from windrow.stats.comparing import MOST_COMPARED, compared

RECORDS = 20  # of the keyword analyser
ANALYSED = ("institution", "department", "year")


@dataclass(frozen=True, slots=True)
class Views:
    """Makes the pages."""

    desk: Desk

    def overview(self, request: Request) -> Response:
        """Give the first page: a chart each of the most asked, and links to all."""
        question, frame = self.desk.asked(request)
        return self._show(
            "overview",
            (question, frame),
            title=frame.tongue.say("Statistics"),
            exhibits=self._exhibits(OVERVIEW, question, frame),
        )

    def page(self, request: Request, found: Page) -> Response:
        """Give the page of one kind of statistics."""
        question, frame = self.desk.asked(request)
        if found.name == "keywords":
            return self._keywords(found, question, frame)
        if found.name == "compare":
            return self._compare(found, question, frame)
        return self._show(
            "one",
            (question, frame),
            current=found,
            title=frame.tongue.tell(found.title),
            exhibits=self._exhibits(found.tables, question, frame),
        )

    def data(self, request: Request) -> Response:
        """Give the page for analysts."""
        question, frame = self.desk.asked(request)
        return self._show(
            "data", (question, frame), title=frame.tongue.say("The data for analysts"), sql=SQL, python=PYTHON
        )

    def _keywords(self, found: Page, question: Question, frame: Frame) -> Response:
        hits = self.desk.index.search(question.query, limit=RECORDS, order=Order.NEWEST)
        return self._show(
            "keywords",
            (question, frame),
            current=found,
            title=frame.tongue.tell(found.title),
            exhibits=self._exhibits(found.tables, question, frame),
            choices=[choices_of(self.desk.index, question, field, frame) for field in ANALYSED],
            kept=kept_beside(question, ANALYSED),
            total=hits.total,
            cards=[hit.card for hit in hits.hits],
        )

    def _compare(self, found: Page, question: Question, frame: Frame) -> Response:
        chosen = compared(self.desk.population(question, frame)).institutions
        return self._show(
            "compare",
            (question, frame),
            current=found,
            title=frame.tongue.tell(found.title),
            exhibits=self._exhibits(found.tables, question, frame) if chosen else [],
            institutions=institutions_of(self.desk.index, question, chosen),
            most=MOST_COMPARED,
            kept=kept_beside(question, ("institution",)),
        )

    def _has(self, field: str) -> bool:
        return self.desk.index.count(Word("*", field, is_pattern=True)) > 0

    def _exhibits(self, names: Sequence[str], question: Question, frame: Frame) -> list[Exhibit]:
        population, ways = self.desk.population(question, frame), Ways(frame, question)
        return [exhibit(make_table(name, population), ways, self.desk.drawer) for name in names]

    def _show(
        self,
        template: str,
        asked: tuple[Question, Frame],
        *,
        title: str,
        current: Page | None = None,
        **values: Any,
    ) -> Response:
        question, frame = asked
        ways, tongue = Ways(frame, question), frame.tongue
        is_whole = not question.pairs()
        return show(
            frame,
            f"statistics/{template}.html",
            title=title,
            canonical=frame.here.partition("?")[0] if is_whole else "",
            is_indexed=is_whole,
            current=current,
            pages=[
                (page.name, tongue.tell(page.title), tongue.tell(page.about))
                for page in pages_of(self.desk.own)
                if not page.needs or page == current or any(map(self._has, page.needs))
            ],
            ways=ways,
            conditions=ways.conditions(),
            notes=tell_filters(question.notes, tongue),
            mistakes=explain_all(question.mistakes, tongue),
            unfiltered=frame.inside(f"{PATH}/{current.name if current else ''}"),
            bundle=frame.link(f"{PATH}/{bundle_name()}") if bundle_name() else "",
            **values,
        )
