"""What each place says: the file, the environment, the flags; every value typed and checked.

`load` lays the layers over one another. A value that a closer layer covers is checked all the same.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from windrow.config.addresses import mask_mistyped
from windrow.config.document import Document
from windrow.config.fields import Field
from windrow.config.kinds import SettingError
from windrow.errors import ConfigError

PREFIX = "WINDROW"
_LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Given:
    """A value somebody set, and who: the file's name, the variable's, the flag's."""

    value: object = field(repr=False)  # may be a secret
    origin: str


Layer = Mapping[str, Given]


def suggest(word: str, known: Iterable[str]) -> str:
    """Give " Did you mean …?" when something known looks much like the word, else nothing."""
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
            layer[key] = Given(fields[key].read(value), document.path.name)
        except SettingError as exc:
            raise document.problem((*keys, key), f"{where}.{key} {exc}.") from None
    return layer


def variable(*keys: str) -> str:
    """Give the environment variable for a setting: WINDROW_HARVEST_TIMEOUT for harvest, timeout."""
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
            layer[key] = Given(_parse(described, environ[name], name), name)
    return layer


def read_flag(described: Field, value: object) -> Given:
    """Read what a flag says: text as the environment has it, or a value as the file has it."""
    name = "--" + described.key.replace("_", "-")
    if isinstance(value, str):
        return Given(_parse(described, value, name), name)
    try:
        return Given(described.read(value), name)
    except SettingError as exc:
        raise ConfigError(f"{name} {exc}.") from None


def _parse(described: Field, text: str, name: str) -> object:
    try:
        return described.parse(text)
    except SettingError as exc:
        raise ConfigError(f"{name} {exc}.") from None
