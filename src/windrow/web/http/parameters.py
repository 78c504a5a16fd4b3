"""What a request may say: each parameter once, with its bounds. Checks and description come from here.

Unlike the pages, which work around nonsense, the API and files refuse it: a program that misspells a filter
would otherwise count everything and never know.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from windrow.faces.shared.faults import BadRequest, Fault
from windrow.finding.filters import is_span
from windrow.wire.query.parse import LONGEST_QUERY

LONGEST_TEXT = LONGEST_QUERY
_LONGEST_NUMBER = 9  # digits
_LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its name, what it is for, and what it may be."""

    name: str
    about: str
    choices: tuple[str, ...] = ()
    bounds: tuple[int, int] | None = None  # of a number
    is_span: bool = False  # a year, or years as in 2010..2014 or 2010/11..2013/14
    is_repeatable: bool = False
    is_required: bool = False
    is_in_path: bool = False
    default: str | int | None = None
    example: str | int | None = None

    def fault(self, value: str) -> str | None:
        """Say what is wrong with a value; None for nothing."""
        if self.bounds is not None:
            low, high = self.bounds
            is_number = value.isascii() and value.isdecimal() and len(value) <= _LONGEST_NUMBER
            return (
                None if is_number and low <= int(value) <= high else f"must be a number from {low} to {high}"
            )
        if self.choices and value not in self.choices:
            return f"must be one of {', '.join(self.choices)}"
        if self.is_span and not is_span(value):
            return "must be a year, or years as in 2010..2014, 2010.. or ..2014"
        return f"may have {LONGEST_TEXT:,} characters at most" if len(value) > LONGEST_TEXT else None

    def schema(self) -> dict[str, Any]:
        """Give its JSON Schema."""
        found: dict[str, Any] = {"type": "string"}
        if self.bounds is not None:
            found = {"type": "integer", "minimum": self.bounds[0], "maximum": self.bounds[1]}
        elif self.choices:
            found["enum"] = list(self.choices)
        elif self.is_span:
            year = r"(\d{4}/\d{2}|\d{1,4})"
            found["pattern"] = rf"^({year}|{year}\.\.{year}?|\.\.{year})$"
        else:
            found["maxLength"] = LONGEST_TEXT
        if self.default is not None:
            found["default"] = self.default
        return {"type": "array", "items": found} if self.is_repeatable else found


@dataclass(frozen=True, slots=True)
class Asked:
    """The parameters of one request, found good."""

    pairs: tuple[tuple[str, str], ...]  # of the query, in its order
    path: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, str | int | None] = field(default_factory=dict)

    def all(self, name: str) -> tuple[str, ...]:
        """Every value of a parameter, each once."""
        return tuple(dict.fromkeys(value for key, value in self.pairs if key == name))

    def text(self, name: str) -> str:
        """The value of a parameter, or its default; empty where there is neither."""
        found = self.path.get(name) or next(iter(self.all(name)), None)
        if found is None:
            default = self.defaults.get(name)
            return "" if default is None else str(default)
        return found

    def number(self, name: str) -> int:
        """The value of a parameter with bounds, or its default."""
        return int(self.text(name))

    def without(self, *names: str) -> list[tuple[str, str]]:
        """The pairs of the query but for some."""
        return [(key, value) for key, value in self.pairs if key not in names]


def check(
    parameters: Sequence[Parameter], pairs: Iterable[tuple[str, str]], path: Mapping[str, str]
) -> Asked:
    """Give what is asked, or say everything that is wrong with it. Empty values count as not given."""
    known = {parameter.name: parameter for parameter in parameters}
    given = tuple((name, value.strip()) for name, value in pairs if value.strip())
    faults = [*_faults(known, given), *_lacking(known, given, path)]
    faults += _faults(known, tuple(path.items()))
    if faults:
        raise BadRequest(faults)
    defaults = {name: parameter.default for name, parameter in known.items()}
    return Asked(given, path, defaults)


def _faults(known: Mapping[str, Parameter], given: Sequence[tuple[str, str]]) -> Iterable[Fault]:
    seen: set[str] = set()
    for name, value in given:
        parameter = known.get(name)
        if parameter is None:
            yield Fault(name[:_LONGEST_SHOWN], _unknown(name, known))
            continue
        if name in seen and not parameter.is_repeatable:
            yield Fault(name, "may be given once only")
        seen.add(name)
        fault = parameter.fault(value)
        if fault is not None:
            yield Fault(name, fault)


def _lacking(
    known: Mapping[str, Parameter], given: Sequence[tuple[str, str]], path: Mapping[str, str]
) -> Iterable[Fault]:
    there = {name for name, _ in given} | {name for name, value in path.items() if value}
    for name, parameter in known.items():
        if parameter.is_required and name not in there:
            yield Fault(name, "must be given")


def _unknown(name: str, known: Mapping[str, Parameter]) -> str:
    names = [each.name for each in known.values() if not each.is_in_path]
    near = get_close_matches(name[:_LONGEST_SHOWN], names, n=1)
    if near:
        return f"is no parameter here; did you mean {near[0]}?"
    return "is no parameter here" + (f"; there are {', '.join(names)}" if names else ", and there are none")
