"""A table as a chart: what faces and the command line ask for, before it is drawn. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from windrow.stats.charts import bodies
from windrow.stats.charts.bodies import Matter
from windrow.stats.charts.frame import Spec, framed, titled
from windrow.stats.charts.points import Address, drawable, points_of, series_of
from windrow.stats.message import message
from windrow.stats.table import Form, Table, full_title
from windrow.stats.words import ENGLISH, Words

Body = Callable[[Matter], Spec]
BODIES: Mapping[Form, Body] = {
    Form.BARS: bodies.bars,
    Form.SERIES: bodies.columns,
    Form.HISTOGRAM: bodies.columns,
    Form.LINES: bodies.lines,
    Form.SHARES: bodies.shares,
    Form.GROUPED: bodies.grouped,
    Form.HEAT: bodies.heat,
    Form.CHANGES: bodies.changes,
}


def chart_of(table: Table, *, words: Words = ENGLISH, address: Address = lambda _: "") -> Spec | None:
    """Give the chart of a table; None where there is nothing to draw."""
    drawing = table.drawing
    if drawing is None or not table.rows:
        return None
    points = points_of(table, words, address)
    if all(point.value is None for point in points):
        return None
    kind = table.columns[table.place(drawing.values[0])].kind
    legend = words.say(table.columns[table.place(drawing.series)].label) if drawing.series else ""
    axis = words.say(drawing.axis) if drawing.axis else ""
    body = BODIES[drawing.form](Matter(points, series_of(table, words), kind, legend, axis))
    return framed(body, points, description_of(table, words))


def picture_of(table: Table, *, words: Words = ENGLISH) -> Spec | None:
    """Give the chart as a file has it: it says what it shows and what not, and leads nowhere."""
    chart = chart_of(table, words=words)
    return titled(chart, title_of(table, words), cut_of(table, words)) if chart else None


def cut_of(table: Table, words: Words = ENGLISH) -> str:
    """Say how many rows of a table its chart shows, where it does not show all; else nothing."""
    if table.drawing is None or len(table.rows) <= table.drawing.most:
        return ""
    drawn, count = table.drawing.most, len(table.rows)
    return words.say(message("The chart shows the first {drawn} of {count} rows.", drawn=drawn, count=count))


def title_of(table: Table, words: Words = ENGLISH) -> str:
    """Give the whole title: what, from when to when, of what."""
    return drawable(full_title(table, words.say(table.title)))


def description_of(table: Table, words: Words = ENGLISH) -> str:
    """Give what a chart shows, in words, for those who do not see it."""
    summary = f" {words.say(table.summary)}" if table.summary else ""
    cut = cut_of(table, words)
    return f"{title_of(table, words)}.{drawable(summary)}{f' {cut}' if cut else ''}"
