"""What can be picked in the forms of statistics: values with their counts, and what is picked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from windrow.faces.shared.frame import Frame
from windrow.finding.question import Question
from windrow.index.protocol import Counted, Counts, Index, Tally
from windrow.index.units import UNITS
from windrow.model.facts import department_in, institution_of

MOST_CHOICES = 200
_TOGETHER = {"institution": "department", "department": "institution"}  # a department is one of its own


@dataclass(frozen=True, slots=True)
class Option:
    """One value to pick."""

    value: str
    label: str
    count: int | None
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Choices:
    """The values of one field."""

    field: str
    label: str
    options: tuple[Option, ...]


def choices_of(index: Index, question: Question, field: str, frame: Frame) -> Choices:
    """Give the values of a field among what is asked beside it; years from the last to the first."""
    is_year = field == "year"
    query = question.query_without(field)
    (counts,) = index.tally(query, [Tally(field, MOST_CHOICES, is_by_value=is_year)])
    if field in _TOGETHER and _TOGETHER[field] in question.filters:
        counts = _together(index, question, field)
    listed = list(reversed(counts.values)) if is_year else list(counts.values)
    chosen = [(value, frame.value(field, value)) for value in question.filters.get(field, ())]
    return Choices(field, frame.label(field), _options(listed, dict(chosen)))


def _together(index: Index, question: Question, field: str) -> Counts:
    """Count departments in the institutions that are chosen, or the other way round: a record has several."""
    (units,) = index.tally(question.query_without(field), [UNITS])
    found: Counter[str] = Counter()
    for each in units.values:
        for other in question.filters[_TOGETHER[field]]:
            value = (department_in if field == "department" else institution_of)(other, each.value)
            if value:
                found[value] += each.count
    return Counts(tuple(Counted(*item) for item in found.most_common(MOST_CHOICES)))


def institutions_of(index: Index, question: Question, chosen: Sequence[str]) -> tuple[Option, ...]:
    """Give the institutions that can be compared, those with the most records first."""
    query = question.query_without("institution")
    (counts,) = index.tally(query, [Tally("institution", MOST_CHOICES)])
    return _options(counts.values, {name: name for name in chosen})


def kept_beside(question: Question, fields: Sequence[str]) -> list[tuple[str, str]]:
    """Give what a form keeps of a question beside the fields that can be picked in it."""
    return [pair for pair in question.pairs() if pair[0] not in fields]


def _options(counted: Sequence[Counted], chosen: Mapping[str, str]) -> tuple[Option, ...]:
    """Values to pick; those chosen come with their words, and first where they were not counted."""
    known = {each.value for each in counted}
    odd = [Option(value, words, None, True) for value, words in chosen.items() if value not in known]
    usual = [Option(each.value, each.value, each.count, each.value in chosen) for each in counted]
    return (*odd, *usual)
