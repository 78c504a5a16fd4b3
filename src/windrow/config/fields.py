"""The description of one setting, carried by the dataclass field that holds its value.

`schema` makes each setting with `setting`, `optional` or `required`; `fields_of` gives the
descriptions back to everything made from them: defaults, checks, environment names, help, pages.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, cast

from windrow.config.addresses import MASK
from windrow.config.kinds import Kind, literal

T = TypeVar("T")
_DESCRIPTION = "windrow"


@dataclass(frozen=True, slots=True)
class Field:
    """One setting: its name in the file, its kind, its default as one would write it, its help.

    Of the settings in one `group` the closest layer that gives any counts alone.
    """

    key: str
    attribute: str
    kind: Kind[Any]
    help: str
    written: object = None  # the default as windrow.toml would have it; None: there is none
    absent: str = ""  # what is so when nothing is given and there is no default
    is_required: bool = False
    is_optional: bool = False
    is_secret: bool = False
    is_sampled: bool = False
    group: str = ""

    def read(self, value: object) -> object:
        """Give the typed value; an empty text clears an optional setting."""
        return None if self.is_optional and value == "" else self.kind.read(value)

    def parse(self, text: str) -> object:
        """Give the typed value of a text from the environment or the command line."""
        return self.read(self.kind.parse(text))

    def show(self, value: object) -> str:
        """Write the value for people, without what is secret; nothing for no value."""
        if self.is_secret:
            return MASK if value else ""
        # None is a value only where the kind says so ("never").
        return "" if value is None and self.is_optional else self.kind.show(value)

    @property
    def default(self) -> str:
        """What holds when nobody sets it, as the file would say it."""
        return self.absent or literal(self.written)


def setting(kind: Kind[T], default: object, help: str, *, absent: str = "", is_sampled: bool = False) -> T:  # noqa: A002
    """Make a setting that always has a value; the default is written as in windrow.toml."""
    field = Field("", "", kind, help, written=default, absent=absent, is_sampled=is_sampled)
    return dataclasses.field(default=kind.read(default), metadata={_DESCRIPTION: field})


def optional(
    kind: Kind[T],
    help: str,  # noqa: A002
    *,
    key: str = "",
    absent: str = "not set",
    is_secret: bool = False,
    is_sampled: bool = False,
    group: str = "",
) -> T | None:
    """Make a setting that may have no value."""
    field = Field(
        key,
        "",
        kind,
        help,
        absent=absent,
        is_optional=True,
        is_secret=is_secret,
        is_sampled=is_sampled,
        group=group,
    )
    return cast("T | None", dataclasses.field(default=None, metadata={_DESCRIPTION: field}))


def required(kind: Kind[T], help: str) -> T:  # noqa: A002
    """Make a setting that must be given."""
    field = Field("", "", kind, help, absent="must be given", is_required=True, is_sampled=True)
    return cast("T", dataclasses.field(metadata={_DESCRIPTION: field}))


def fields_of(settings: type[Settings]) -> Mapping[str, Field]:
    """Give the descriptions of a class of settings by their names in windrow.toml, in order."""
    return _fields_of(cast("Any", settings))  # the type checker thinks a class cannot be hashed


@cache
def _fields_of(settings: Any) -> Mapping[str, Field]:
    described = {}
    for held in dataclasses.fields(settings):
        field = held.metadata.get(_DESCRIPTION)
        if field is not None:
            key = field.key or held.name
            described[key] = dataclasses.replace(field, key=key, attribute=held.name)
    return described


class Settings:
    """What every group of settings shares: a repr that shows no secret."""

    __slots__ = ()

    def __repr__(self) -> str:
        shown = []
        for held in dataclasses.fields(cast("Any", self)):
            value, field = getattr(self, held.name), held.metadata.get(_DESCRIPTION)
            shown.append(f"{held.name}={field.show(value) if field else value!r}")
        return f"{type(self).__name__}({', '.join(shown)})"
