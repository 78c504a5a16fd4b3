"""What is in a library in numbers: how many records, of how many institutions, from when to when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from windrow.faces.shared.frame import Frame
from windrow.finding.question import Question
from windrow.index.protocol import MOST_VALUES, Index, Tally
from windrow.index.units import UNITS, with_departments
from windrow.model.academic_years import year_at
from windrow.stats.years import period_of

_MOST_YEARS = 1000


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, what it counts, and the path where that is listed."""

    words: str
    label: str
    path: str


def figures_of(index: Index, question: Question, frame: Frame, *, now: datetime) -> list[Figure]:
    """Give the figures, under the fields' own labels where they have some; of what there is none, nothing."""
    tongue, own = frame.tongue, frame.own_label
    tallies = [Tally(name, MOST_VALUES) for name in ("institution", "department", "language")]
    tallies.append(UNITS)
    years_tally = Tally("year", _MOST_YEARS, is_by_value=True)
    *counted, units, years = index.tally(question.query, [*tallies, years_tally])
    total = index.count(question.query)
    institutions, _, languages = (len(each.values) for each in counted)
    # Law at one university and law at another are two departments.
    inside = with_departments(counted[0], units, most=MOST_VALUES)
    own_names = {one.value for each in inside.values for one in each.within}
    departments = sum(len(each.within) for each in inside.values) + sum(
        each.value not in own_names for each in counted[1].values
    )
    this_year = year_at(now.date(), index.year_starts)
    several, period = tongue.several, period_of(years.values, this_year=this_year)  # as the charts have it
    found = [
        (total, several("record", "records", total), "/search"),
        (
            institutions,
            own("institution") or several("institution", "institutions", institutions),
            "/browse/institutions",
        ),
        (
            departments,
            own("department") or several("department", "departments", departments),
            "/browse/institutions",
        ),
        (languages, own("language") or several("language", "languages", languages), "/browse/languages"),
    ]
    figures = [Figure(tongue.number(number), label, path) for number, label, path in found if number]
    if period:
        figures.append(Figure(period, own("year") or tongue.say("years of publication"), "/browse/years"))
    return [Figure(each.words, each.label, question.address(each.path)) for each in figures]
