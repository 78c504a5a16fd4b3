"""The chart on the first page of a library or collection, ready for any template.

It has the records per institution; where no record has one, those of each year.
"""

from __future__ import annotations

from markupsafe import Markup

from windrow.faces.shared.frame import Frame
from windrow.faces.shared.pages import render
from windrow.faces.statistics.desk import Desk
from windrow.faces.statistics.exhibits import exhibit
from windrow.faces.statistics.ways import PATH, Ways
from windrow.finding.question import Question
from windrow.stats.bundle import bundle_name
from windrow.stats.catalogue import make_table

LANDING = ("institutions", "growth")  # the first of these that has anything in it


def landing_chart(desk: Desk, question: Question, frame: Frame) -> Markup:
    """Give the chart and its table as markup; nothing where there is nothing to draw."""
    population = desk.population(question, frame)
    tables = (make_table(name, population) for name in LANDING)
    table = next((each for each in tables if each.rows), None)
    if table is None:
        return Markup()
    ways = Ways(frame, question)
    made = render(
        "statistics/landing.html",
        spoken=frame.tongue,
        site=frame.site,
        exhibit=exhibit(table, ways, desk.drawer),
        more=ways.page(),
        bundle=frame.link(f"{PATH}/{bundle_name()}") if bundle_name() else "",
    )
    return Markup(made.decode())  # noqa: S704 - a template made it, and escaped everything
