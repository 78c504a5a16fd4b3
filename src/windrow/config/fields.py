"""The description of one setting, carried by the dataclass field of its value, and the layers of values.

`schema` declares each setting with `setting`, `optional` or `required`; `fields_of` returns the
descriptions, from which defaults, checks, environment names, help texts and pages are made.
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
    """One setting: its name in the file, its kind, its default as written in the file, its help.

    If settings share a `group`, only the closest layer that sets any of them counts.
    """

    key: str
    attribute: str
    kind: Kind[Any]
    help: str
    written: object = None  # the default as in windrow.toml; None: there is none
    absent: str = ""  # the effect of an optional setting without a value
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
        """Return the value for people, without secrets; "" for no value."""
        if self.is_secret:
            return MASK if value else ""
        # None is a value only if the kind allows it ("never").
        return "" if value is None and self.is_optional else self.kind.show(value)

    @property
    def default(self) -> str:
        """The default in words, as written in the file."""
        return self.absent or literal(self.written)


def setting(kind: Kind[T], default: object, help: str, *, absent: str = "", is_sampled: bool = False) -> T:  # noqa: A002
    """Declare a setting that always has a value; the default is written as in windrow.toml."""
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
    field = Field("", "", kind, help, absent="must be given", is_required=True, is_sampled=True)
    return cast("T", dataclasses.field(metadata={_DESCRIPTION: field}))


def fields_of(settings: type[Settings]) -> Mapping[str, Field]:
    """Return the descriptions of a class of settings by their names in windrow.toml, in order."""
    return _fields_of(cast("Any", settings))  # mypy assumes that a class is not hashable


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
    """The base class of all groups of settings: its repr shows no secrets."""

    __slots__ = ()

    def __repr__(self) -> str:
        shown = []
        for held in dataclasses.fields(cast("Any", self)):
            value, field = getattr(self, held.name), held.metadata.get(_DESCRIPTION)
            shown.append(f"{held.name}={field.show(value) if field else value!r}")
        return f"{type(self).__name__}({', '.join(shown)})"


# The layers: file, environment and flags, with every value typed and checked. `loader` merges them. A value
# that a closer layer overrides is checked nevertheless.

PREFIX = "WINDROW"
_LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class LayerValue:
    """A value and its origin: the name of the file, the variable or the flag."""

    value: object = field(repr=False)  # may be a secret
    origin: str


Layer = Mapping[str, LayerValue]


def suggest(word: str, known: Iterable[str]) -> str:
    """Return " Did you mean …?" if a known word is similar, otherwise ""."""
    # Long words are cut: the comparison takes quadratic time.
    close = difflib.get_close_matches(word[:_LONGEST_SHOWN], list(known), n=1)
    return f' Did you mean "{close[0]}"?' if close else ""


def shorten(word: str) -> str:
    """Return a word for use in a message: quoted, shortened, an address without its secrets."""
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
    """Return the environment variable of a setting: WINDROW_HARVEST_TIMEOUT for harvest, timeout."""
    return "_".join((PREFIX, *keys)).upper().replace("-", "_").replace(".", "_")


def read_environment(keys: tuple[str, ...], fields: Mapping[str, Field], environ: Mapping[str, str]) -> Layer:
    """Read the variables of one table. An empty variable counts as not set."""
    prefix = variable(*keys, "")
    if not any(name.startswith(prefix) for name in environ):
        return {}  # the usual case, and there may be thousands of sources
    layer = {}
    for key, described in fields.items():
        name = variable(*keys, key)
        if environ.get(name):
            layer[key] = LayerValue(_parse(described, environ[name], name), name)
    return layer


def read_flag(described: Field, value: object) -> LayerValue:
    """Read the value of a flag: text as in the environment, or a value as in the file."""
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
