"""The description of one setting, carried by the dataclass field that holds its value.

`schema` makes each setting with `setting`, `optional` or `required`; `fields_of` gives the
descriptions back to everything made from them: defaults, checks, environment names, help, pages.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar, cast

from windrow.config.kinds import Kind, SettingError, literal
from windrow.config.network_values import MASK, mask_mistyped
from windrow.config.toml_document import Document
from windrow.errors import ConfigError

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
        """Return the typed value; an empty text clears an optional setting."""
        return None if self.is_optional and value == "" else self.kind.read(value)

    def parse(self, text: str) -> object:
        """Return the typed value of a text from the environment or the command line."""
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
    """Return the descriptions of a class of settings by their names in windrow.toml, in order."""
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


# What each place says: the file, the environment, the flags; every value typed and checked.
# `load` lays the layers over one another. A value that a closer layer covers is checked all the same.

PREFIX = "WINDROW"
_LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class LayerValue:
    """A value somebody set, and who: the file's name, the variable's, the flag's."""

    value: object = field(repr=False)  # may be a secret
    origin: str


Layer = Mapping[str, LayerValue]


def suggest(word: str, known: Iterable[str]) -> str:
    """Return " Did you mean …?" when something known looks much like the word, else nothing."""
    # Long words are cut: the comparison takes time by the square of their length.
    close = difflib.get_close_matches(word[:_LONGEST_SHOWN], list(known), n=1)
    return f' Did you mean "{close[0]}"?' if close else ""


def shorten(word: str) -> str:
    """Return a word from outside fit for a message: quoted, not too long, an address without its secrets."""
    word = mask_mistyped(word)
    return repr(word if len(word) <= _LONGEST_SHOWN else word[: _LONGEST_SHOWN - 1] + "…")


def read_table(
    document: Document, keys: tuple[str, ...], fields: Mapping[str, Field], table: object
) -> Layer:
    """Read one table of the file by the descriptions of its settings."""
    where = ".".join(keys)
    if not isinstance(table, Mapping):
        raise document.problem(keys, f"{where} must be a table, written as [{where}].")
    layer = {}
    for key, value in table.items():
        if key not in fields:
            message = f"[{where}] has no setting {shorten(key)}.{suggest(key, fields)}"
            raise document.problem((*keys, key), message, hint=f"It has: {', '.join(fields)}.")
        try:
            layer[key] = LayerValue(fields[key].read(value), document.path.name)
        except SettingError as exc:
            raise document.problem((*keys, key), f"{where}.{key} {exc}.") from None
    return layer


def variable(*keys: str) -> str:
    """Return the environment variable for a setting: WINDROW_HARVEST_TIMEOUT for harvest, timeout."""
    return "_".join((PREFIX, *keys)).upper().replace("-", "_").replace(".", "_")


def read_environment(keys: tuple[str, ...], fields: Mapping[str, Field], environ: Mapping[str, str]) -> Layer:
    """Read the variables of one table. One that is set to nothing counts as not set."""
    prefix = variable(*keys, "")
    if not any(name.startswith(prefix) for name in environ):
        return {}  # nearly always, and there may be thousands of sources
    layer = {}
    for key, described in fields.items():
        name = variable(*keys, key)
        if environ.get(name):
            layer[key] = LayerValue(_parse(described, environ[name], name), name)
    return layer


def read_flag(described: Field, value: object) -> LayerValue:
    """Read what a flag says: text as the environment has it, or a value as the file has it."""
    name = "--" + described.key.replace("_", "-")
    if isinstance(value, str):
        return LayerValue(_parse(described, value, name), name)
    try:
        return LayerValue(described.read(value), name)
    except SettingError as exc:
        raise ConfigError(f"{name} {exc}.") from None


def _parse(described: Field, text: str, name: str) -> object:
    try:
        return described.parse(text)
    except SettingError as exc:
        raise ConfigError(f"{name} {exc}.") from None
