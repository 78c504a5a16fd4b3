"""Who may see a file, as an expression over one person. Pure; built by `htaccess`, asked by `access`.

Answers are True, False and None. None is "cannot be told from here" (a condition on the environment,
a directory service) and stays None when negated, so that it never lets anybody in.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias


class Person(NamedTuple):
    """Somebody whose password was right."""

    name: str
    groups: frozenset[str]


@dataclass(frozen=True, slots=True)
class Fixed:
    """The same for everybody."""

    value: bool | None


@dataclass(frozen=True, slots=True)
class ValidUser:
    """Anybody with a right password."""


@dataclass(frozen=True, slots=True)
class UserIn:
    """One of these people."""

    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class GroupIn:
    """A member of one of these groups."""

    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Negated:
    """Whoever is not meant."""

    of: Requirement


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One of these is enough."""

    parts: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    """Each of these is needed."""

    parts: tuple[Requirement, ...]


Requirement: TypeAlias = Fixed | ValidUser | UserIn | GroupIn | Negated | AnyOf | AllOf

OPEN = Fixed(True)
CLOSED = Fixed(False)
UNKNOWN = Fixed(None)


def holds(requirement: Requirement, person: Person | None) -> bool | None:
    """Say whether a person meets a requirement.

    Without a person: True where everybody does, False where nobody can, None where it depends on who asks.
    """
    match requirement:
        case Fixed(value):
            return value
        case Negated(inner):
            held = holds(inner, person)
            return None if held is None else not held
        case AnyOf(parts):
            return _any(holds(part, person) for part in parts)
        case AllOf(parts):
            held = _any(holds(Negated(part), person) for part in parts)
            return None if held is None else not held
    if person is None:
        return None
    match requirement:
        case UserIn(names):
            return person.name in names
        case GroupIn(names):
            return not names.isdisjoint(person.groups)
    return True


def is_unknown(requirement: Requirement) -> bool:
    """Say whether any part of it depends on what cannot be told from here."""
    match requirement:
        case Negated(inner):
            return is_unknown(inner)
        case AnyOf(parts) | AllOf(parts):
            return any(is_unknown(part) for part in parts)
    return requirement == UNKNOWN


def names_people(requirement: Requirement) -> bool:
    """Say whether a name and a password can make a difference."""
    match requirement:
        case Negated(inner):
            return names_people(inner)
        case AnyOf(parts) | AllOf(parts):
            return any(names_people(part) for part in parts)
    return not isinstance(requirement, Fixed)


def _any(answers: Iterable[bool | None]) -> bool | None:
    seen = set(answers)
    if True in seen:
        return True
    return None if None in seen else False
