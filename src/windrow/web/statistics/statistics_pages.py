"""The pages of statistics: overview, subjects, keyword analyser, comparison, data for analysts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windrow.index.protocol import UNITS, FacetCounts, FacetRequest, Index, Order, ValueCount
from windrow.model.counted_fields import split_department, split_institution
from windrow.model.query import Word
from windrow.search.request import SearchRequest
from windrow.stats.catalogue import OVERVIEW, StatisticsPage, list_pages, make_table
from windrow.stats.charts.drawing import bundle_name
from windrow.stats.comparison import MAX_COMPARED, choose_compared
from windrow.web.http.http_request import Request
from windrow.web.http.http_response import Response
from windrow.web.i18n.query_notices import explain_filter_notes, explain_mistakes
from windrow.web.layout.page_layout import PageLayout, render_page
from windrow.web.statistics.shown_tables import ShownTable, show_table
from windrow.web.statistics.statistics_context import STATISTICS_PATH, StatisticsContext, StatisticsLinks

MAX_CHOICES = 200
_COUNTED_TOGETHER = {
    "institution": "department",
    "department": "institution",
}  # departments belong to institutions


@dataclass(frozen=True, slots=True)
class FieldOption:
    """A value that can be selected in a form."""

    value: str
    label: str
    count: int | None
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class FieldChoices:
    """The values of one field."""

    field: str
    label: str
    options: tuple[FieldOption, ...]


def field_choices(index: Index, question: SearchRequest, field: str, frame: PageLayout) -> FieldChoices:
    """Return the values of a field, ignoring its own filter; years in descending order."""
    is_year = field == "year"
    query = question.query_without(field)
    (counts,) = index.tally(query, [FacetRequest(field, MAX_CHOICES, is_by_value=is_year)])
    if field in _COUNTED_TOGETHER and _COUNTED_TOGETHER[field] in question.filters:
        counts = _count_together(index, question, field)
    listed = list(reversed(counts.values)) if is_year else list(counts.values)
    chosen = [(value, frame.value(field, value)) for value in question.filters.get(field, ())]
    return FieldChoices(field, frame.label(field), _field_options(listed, dict(chosen)))


def _count_together(index: Index, question: SearchRequest, field: str) -> FacetCounts:
    """Count departments within the selected institutions, or vice versa: records may have several."""
    (units,) = index.tally(question.query_without(field), [UNITS])
    found: Counter[str] = Counter()
    for each in units.values:
        for other in question.filters[_COUNTED_TOGETHER[field]]:
            value = (split_department if field == "department" else split_institution)(other, each.value)
            if value:
                found[value] += each.count
    return FacetCounts(tuple(ValueCount(*item) for item in found.most_common(MAX_CHOICES)))


def comparable_institutions(
    index: Index, question: SearchRequest, chosen: Sequence[str]
) -> tuple[FieldOption, ...]:
    query = question.query_without("institution")
    (counts,) = index.tally(query, [FacetRequest("institution", MAX_CHOICES)])
    return _field_options(counts.values, {name: name for name in chosen})


def kept_form_values(question: SearchRequest, fields: Sequence[str]) -> list[tuple[str, str]]:
    """Return the search parameters that a form keeps besides the fields selected in it."""
    return [pair for pair in question.pairs() if pair[0] not in fields]


def _field_options(counted: Sequence[ValueCount], chosen: Mapping[str, str]) -> tuple[FieldOption, ...]:
    """Return the options; selected values that were not counted come first."""
    known = {each.value for each in counted}
    odd = [FieldOption(value, words, None, True) for value, words in chosen.items() if value not in known]
    usual = [FieldOption(each.value, each.value, each.count, each.value in chosen) for each in counted]
    return (*odd, *usual)


# The queries on the page for analysts are those of the how-to guide, whose test runs them.

SQL_EXAMPLE = """\
SELECT institution, year, count(*) AS records
FROM (SELECT unnest(institutions) AS institution, year FROM 'records.parquet' WHERE NOT deleted)
GROUP BY ALL
ORDER BY institution, year;
"""
PYTHON_EXAMPLE = """\
import pandas as pd

records = pd.read_parquet("records.parquet")
records = records[~records["deleted"]]
subjects = records.apply(lambda one: {*one["subjects"], *one["keywords"]}, axis=1).explode()
print(subjects.value_counts().head(10))
"""

RECORDS_SHOWN = 20  # of the keyword analyser
ANALYSED = ("institution", "department", "year")


@dataclass(frozen=True, slots=True)
class StatisticsViews:
    """The views of statistics."""

    desk: StatisticsContext

    def overview(self, request: Request) -> Response:
        """Return the overview: the most requested charts, and links to all pages."""
        question, frame = self.desk.asked(request)
        return self._show(
            "overview",
            (question, frame),
            title=frame.tongue.say("Statistics"),
            exhibits=self._exhibits(OVERVIEW, question, frame),
        )

    def page(self, request: Request, found: StatisticsPage) -> Response:
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
        question, frame = self.desk.asked(request)
        return self._show(
            "data",
            (question, frame),
            title=frame.tongue.say("The data for analysts"),
            sql=SQL_EXAMPLE,
            python=PYTHON_EXAMPLE,
        )

    def _keywords(self, found: StatisticsPage, question: SearchRequest, frame: PageLayout) -> Response:
        hits = self.desk.index.search(question.query, limit=RECORDS_SHOWN, order=Order.NEWEST)
        return self._show(
            "keywords",
            (question, frame),
            current=found,
            title=frame.tongue.tell(found.title),
            exhibits=self._exhibits(found.tables, question, frame),
            choices=[field_choices(self.desk.index, question, field, frame) for field in ANALYSED],
            kept=kept_form_values(question, ANALYSED),
            total=hits.total,
            cards=[hit.card for hit in hits.hits],
        )

    def _compare(self, found: StatisticsPage, question: SearchRequest, frame: PageLayout) -> Response:
        chosen = choose_compared(self.desk.population(question, frame)).institutions
        return self._show(
            "compare",
            (question, frame),
            current=found,
            title=frame.tongue.tell(found.title),
            exhibits=self._exhibits(found.tables, question, frame) if chosen else [],
            institutions=comparable_institutions(self.desk.index, question, chosen),
            most=MAX_COMPARED,
            kept=kept_form_values(question, ("institution",)),
        )

    def _has(self, field: str) -> bool:
        return self.desk.index.count(Word("*", field, is_pattern=True)) > 0

    def _exhibits(self, names: Sequence[str], question: SearchRequest, frame: PageLayout) -> list[ShownTable]:
        population, ways = self.desk.population(question, frame), StatisticsLinks(frame, question)
        return [show_table(make_table(name, population), ways, self.desk.drawer) for name in names]

    def _show(
        self,
        template: str,
        asked: tuple[SearchRequest, PageLayout],
        *,
        title: str,
        current: StatisticsPage | None = None,
        **values: Any,
    ) -> Response:
        question, frame = asked
        ways, tongue = StatisticsLinks(frame, question), frame.tongue
        is_whole = not question.pairs()
        return render_page(
            frame,
            f"statistics/{template}.html",
            title=title,
            canonical=frame.here.partition("?")[0] if is_whole else "",
            is_indexed=is_whole,
            current=current,
            pages=[
                (page.name, tongue.tell(page.title), tongue.tell(page.about))
                for page in list_pages(self.desk.own)
                if not page.needs or page == current or any(map(self._has, page.needs))
            ],
            ways=ways,
            conditions=ways.conditions(),
            notes=explain_filter_notes(question.notes, tongue),
            mistakes=explain_mistakes(question.mistakes, tongue),
            unfiltered=frame.inside(f"{STATISTICS_PATH}/{current.name if current else ''}"),
            bundle=frame.link(f"{STATISTICS_PATH}/{bundle_name()}") if bundle_name() else "",
            **values,
        )
