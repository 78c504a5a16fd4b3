"""The kind of value that says how people browse: structures of one field, or of one within another.

`title`, `folder > year`, `extra:shelf mark > creator`. The portal has a page for each: `finding.classifying`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from windrow.config.kinds import Kind, SettingError, is_clean

EXTRA = "extra:"  # before the name of a field that only some files have
CLASSIFIED = (
    "title",
    "creator",
    "contributor",
    "year",
    "month",
    "date",
    "folder",
    "subject",
    "keyword",
    "type",
    "language",
    "format",
    "size",
    "publisher",
    "journal",
    "institution",
    "department",
    "source",
    "set",
)
MOST_STRUCTURES = 20
DEEPEST = 2
LONGEST_NAME = 64
BETWEEN = ">"
_ODD = re.compile(r"[^a-z0-9]+")
_RULE = f"fields are: {', '.join(CLASSIFIED)}, and {EXTRA}NAME for any other that files have"


class Structure(NamedTuple):
    """One way to browse: its fields, the outer one first."""

    fields: tuple[str, ...]

    @property
    def slug(self) -> str:
        """What it is called in addresses."""
        plain = (_ODD.sub("-", field.lower().removeprefix(EXTRA)).strip("-") for field in self.fields)
        return "-".join(plain)

    def __str__(self) -> str:
        return f" {BETWEEN} ".join(self.fields)


def structure_of(text: str) -> Structure:
    """Read what a setting says: a date is browsed by its year, and alone by the months in that."""
    fields = tuple(" ".join(part.split()) for part in text.split(BETWEEN))
    if fields == ("date",):
        return Structure(("year", "month"))
    return Structure(tuple("year" if field == "date" else field for field in fields))


def _read_structure(value: object) -> str:
    if not isinstance(value, str) or not is_clean(value):
        raise SettingError('must be a list of texts such as "title" or "folder > year"')
    structure = structure_of(value)
    if len(structure.fields) > DEEPEST:
        raise SettingError(f'must have {DEEPEST} fields at most in a structure, such as "folder > year"')
    if not all(map(_is_field, structure.fields)):
        raise SettingError(f"must be made of fields, one alone or one > another; {_RULE}")
    if len(set(structure.fields)) < len(structure.fields):
        raise SettingError("must have no field within itself")
    return str(structure)


def _is_field(field: str) -> bool:
    name = field.removeprefix(EXTRA)
    return field in CLASSIFIED or (name != field and 0 < len(name.strip()) <= LONGEST_NAME)


def _read_structures(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise SettingError('must be a list such as ["title", "folder > year"]')
    if len(value) > MOST_STRUCTURES:
        raise SettingError(f"must have {MOST_STRUCTURES} structures at most")
    found = tuple(map(_read_structure, value))
    slugs = [structure_of(text).slug for text in found]
    if len(set(slugs)) < len(slugs) or not all(slugs):
        raise SettingError("must have no two structures that would have the same address")
    return found


STRUCTURES: Kind[tuple[str, ...]] = Kind(
    "list of fields, or of fields within fields",
    _read_structures,
    lambda text: [part for part in text.split(",") if part.strip()],
    ", ".join,
)
