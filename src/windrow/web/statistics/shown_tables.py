"""Statistics tables on pages: labels and numbers in the page's language, charts, rows with links, and files.

The column of a field has the field's configured label, if there is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from markupsafe import Markup

from windrow.errors import CannotDraw
from windrow.model.controlled_values import NORMALISED
from windrow.model.thesaurus import Expander
from windrow.search.filters import TopicLabels
from windrow.search.request import SearchRequest
from windrow.stats.catalogue import make_table
from windrow.stats.charts.chart import chart_title, describe_cut, make_chart
from windrow.stats.charts.drawing import Drawer, bundle_name
from windrow.stats.table import (
    ENGLISH,
    Cell,
    ConceptName,
    EventValue,
    Form,
    Kind,
    Label,
    LanguageCode,
    Message,
    Numbers,
    Row,
    Table,
    ratio_digits,
)
from windrow.web.i18n.translation import Translator
from windrow.web.i18n.value_labels import value_label
from windrow.web.layout.page_layout import PageLayout, render_template
from windrow.web.layout.page_text import strip_invisible, truncate
from windrow.web.layout.theme import LABELS, Theme
from windrow.web.statistics.statistics_context import STATISTICS_PATH, StatisticsContext, StatisticsLinks

_NO_BREAK = "\N{NO-BREAK SPACE}"
_NORDIC_NUMBERS: Numbers = {
    "decimal": ",",
    "thousands": _NO_BREAK,
    "grouping": [3],
    "currency": ["", ""],
    "percent": f"{_NO_BREAK}%",
}
# The fields by their labels in tables.
_FIELDS = {words: field for field, words in LABELS.items()} | {
    "Creator": "creator",
    "Description": "description",
    "Identifiers": "identifier",
}


@dataclass(frozen=True, slots=True)
class TableTranslator:
    """Implements `windrow.stats.table.Words` for one language of the pages."""

    tongue: Translator
    look: Theme
    topics: TopicLabels | None = None
    expander: Expander | None = None  # for fields with vocabularies

    @property
    def numbers(self) -> Numbers:
        return ENGLISH.numbers if self.tongue.code == "en" else _NORDIC_NUMBERS

    def say(self, label: Label) -> str:
        if isinstance(label, str):
            return label
        own = self.look.own_label(_FIELDS.get(label.text, ""), self.tongue)
        if own:
            return own
        values = tuple(
            (name, self._named(value) if isinstance(value, str) else value) for name, value in label.values
        )
        return self.tongue.tell(Message(label.text, values))

    def cell(self, value: Cell, kind: Kind) -> str:
        if value is None:
            return ""
        if isinstance(value, datetime):
            return self.tongue.moment(value)
        if isinstance(value, str):
            return self._value(kind.value, value)
        return self.say(value) if isinstance(value, Message) else self._number(value, kind)

    def _named(self, value: str) -> str:
        """Translate a code or a concept; what comes from records stays unchanged."""
        if isinstance(value, LanguageCode):
            return self.tongue.language(value)
        if isinstance(value, EventValue):
            labels = (self._value(kind.value, value) for kind in (Kind.PLACE, Kind.PERIOD))
            return next((label for label in labels if label != value), value)
        if not isinstance(value, ConceptName):
            return value
        fields = (*NORMALISED, "subject")
        labels = (value_label(field, value, self.tongue, self.look.types, self.topics) for field in fields)
        return next((label for label in labels if label != value), value)

    def _value(self, field: str, value: str) -> str:
        if self.expander is not None and field in self.expander.fields:
            label = self.expander.label(field, value, self.tongue.code, self.look.name or None)
            if label is not None:
                return label
        return value_label(field, value, self.tongue, self.look.types, self.topics)

    def _number(self, value: float, kind: Kind) -> str:
        match kind:
            case Kind.SHARE:
                return self.tongue.share(value)
            case Kind.CHANGE:
                return f"× {self.tongue.number(value, 2)}"
            case Kind.RATIO:
                return self.tongue.number(value, ratio_digits(value))
            case Kind.DECIMAL:
                return self.tongue.number(value, 1)
            case _:
                return self.tongue.number(value)


TABLE_FILES = (("csv", "CSV"), ("json", "JSON"))
CHART_FILES = (("svg", "SVG"), ("png", "PNG"))
_MAX_CELL_LENGTH = 200


class ShownCell(NamedTuple):
    """A cell: its text, its link, and whether it is a number."""

    text: str
    address: str = ""
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table with everything that a template needs."""

    name: str
    title: str
    whole_title: str
    drawing: Markup  # empty if there is none
    is_of_own_size: bool  # its width depends on its data, so it is not stretched to the page
    is_undrawn: bool  # there should be a chart, but drawing failed
    spec: str  # the address of the chart's specification
    headings: tuple[ShownCell, ...]
    rows: tuple[tuple[ShownCell, ...], ...]
    cut: str  # a note on how much of it is drawn, if not all
    summary: str  # empty if there is none
    notes: tuple[ShownCell, ...]
    files: tuple[tuple[str, str], ...]  # names and addresses


def show_table(table: Table, ways: StatisticsLinks, drawer: Drawer) -> ShownTable:
    words = TableTranslator(ways.frame.tongue, ways.frame.look, ways.frame.topics, ways.frame.expander)
    chart = make_chart(table, words=words, address=ways.records)
    drawing, is_undrawn = Markup(), False
    if chart is not None:
        try:
            drawing = Markup(drawer.svg(chart, numbers=words.numbers, name=table.name))  # noqa: S704 - sanitised
        except CannotDraw:
            is_undrawn = True
    kinds = (*TABLE_FILES, *CHART_FILES) if drawing else TABLE_FILES
    return ShownTable(
        table.name,
        words.say(table.title),
        strip_invisible(chart_title(table, words)),
        drawing,
        _has_own_size(table),
        is_undrawn,
        ways.file(table.name, "vl.json"),
        tuple(
            ShownCell(strip_invisible(words.say(column.label)), "", column.kind.is_number)
            for column in table.columns
        ),
        tuple(_row_cells(row, table, words, ways) for row in table.rows),
        describe_cut(table, words),
        strip_invisible(words.say(table.summary)) if table.summary else "",
        tuple(
            ShownCell(strip_invisible(words.say(note)), ways.records(note.leads_to) if note.leads_to else "")
            for note in table.notes
        ),
        tuple((name, ways.file(table.name, suffix)) for suffix, name in kinds),
    )


def _row_cells(
    row: Row, table: Table, words: TableTranslator, ways: StatisticsLinks
) -> tuple[ShownCell, ...]:
    """Return the cells of a row; the naming one links to its records."""
    named = table.place(_naming_column(table))
    address = ways.records(row.filter) if row.filter else ""
    return tuple(
        ShownCell(
            truncate(words.cell(cell, column.kind), _MAX_CELL_LENGTH),
            address if place == named else "",
            column.kind.is_number,
        )
        for place, (column, cell) in enumerate(zip(table.columns, row.cells, strict=True))
    )


def _has_own_size(table: Table) -> bool:
    """Return whether the number of columns depends on the data, so that a chart may be tiny or very wide."""
    return table.drawing is not None and table.drawing.form is Form.HEAT and bool(table.drawing.series)


def _naming_column(table: Table) -> str:
    drawing = table.drawing
    if drawing is None:
        return table.columns[0].name
    return drawing.named or drawing.category


# The chart of the home page shows records per institution; if no record has one, per year.

LANDING_TABLES = ("institutions", "growth")  # the first of these that is not empty


def render_landing_chart(desk: StatisticsContext, question: SearchRequest, frame: PageLayout) -> Markup:
    """Return the chart and its table as markup; empty if there is nothing to draw."""
    population = desk.population(question, frame)
    tables = (make_table(name, population) for name in LANDING_TABLES)
    table = next((each for each in tables if each.rows), None)
    if table is None:
        return Markup()
    ways = StatisticsLinks(frame, question)
    made = render_template(
        "statistics/landing.html",
        spoken=frame.tongue,
        site=frame.site,
        exhibit=show_table(table, ways, desk.drawer),
        more=ways.page(),
        bundle=frame.link(f"{STATISTICS_PATH}/{bundle_name()}") if bundle_name() else "",
    )
    return Markup(made.decode())  # noqa: S704 - rendered by a template, which escapes
