"""Departments counted inside their own institutions.

A record may belong to several institutions, with a department in each. A tally of departments within
institutions would count each of its departments in all of its institutions, so the two are indexed together
as one value, and counted as such.
"""

from __future__ import annotations

from collections.abc import Collection

from windrow.index.protocol import MOST_VALUES, Counted, Counts, Tally
from windrow.model.facts import WITHIN, department_in

UNITS = Tally("unit", MOST_VALUES)


def with_departments(institutions: Counts, units: Counts, *, most: int) -> Counts:
    """Return institutions with their departments inside them, at most so many of each, most records first."""
    wanted = {each.value for each in institutions.values}
    inside: dict[str, list[Counted]] = {}
    for each in units.values:  # most records first
        institution = _institution(each.value, wanted)
        found = inside.setdefault(institution, [])
        if institution and len(found) < most:
            found.append(Counted(department_in(institution, each.value), each.count))
    values = (each._replace(within=tuple(inside.get(each.value, ()))) for each in institutions.values)
    return Counts(tuple(values), institutions.others)


def _institution(unit: str, names: Collection[str]) -> str:
    """Return whose department this is: a name may have the sign between the two inside it."""
    end = unit.find(WITHIN)
    while end >= 0:
        if unit[:end] in names:
            return unit[:end]
        end = unit.find(WITHIN, end + 1)
    return ""
