"""Adding, changing and removing a source in windrow.toml, every other byte kept.

Each edit works on the lines of that one source (`passages`), is compared with what it was meant to
say, and is loaded, before the file is replaced. What fails leaves the file as it was.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, MutableMapping
from copy import deepcopy
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from windrow.config import checks, passages
from windrow.config.atomic import replace_file
from windrow.config.document import BYTE_ORDER_MARK, Document, parse_document, read_text
from windrow.config.fields import fields_of
from windrow.config.kinds import SettingError
from windrow.config.layers import shorten, suggest
from windrow.config.load import settle
from windrow.config.passages import Table
from windrow.config.schema import FILE_NAME, SOURCES, SourceSettings
from windrow.errors import ConfigError, NotFound

Change = Callable[[Table], None]  # what an edit does to the values of the file
Rewrite = Callable[[str], str]  # what it does to the text
_NOTHING: Mapping[str, str] = MappingProxyType({})


def add_source(
    path: Path, name: str, settings: Mapping[str, object], *, environ: Mapping[str, str] = _NOTHING
) -> None:
    """Add a source at the end of windrow.toml (`path`: the file or its folder).

    Settings go by their names in the file and as the file has them ("30s", ["oai_dc"]); None is left
    out. What the environment sets counts when the outcome is checked.
    """
    table = {key: value for key, value in _checked(name, settings).items() if value is not None}

    def change(values: Table) -> None:
        if name in _sources(values):
            raise ConfigError(f"There is already a source {name}.", hint="Choose another name, or change it.")
        values.setdefault(SOURCES, {})[name] = table

    _edit(path, change, lambda text: passages.append(text, name, table), environ)


def change_source(
    path: Path, name: str, changes: Mapping[str, object], *, environ: Mapping[str, str] = _NOTHING
) -> None:
    """Change settings of a source in windrow.toml; None takes a setting out, which restores its default."""
    checked = _checked(name, changes)

    def change(values: Table) -> None:
        passages.apply(_existing(values, name), checked)

    _edit(path, change, lambda text: passages.rewrite(text, name, checked), environ)


def remove_source(path: Path, name: str, *, environ: Mapping[str, str] = _NOTHING) -> None:
    """Take a source out of windrow.toml, with the comments among its lines; those above it stay."""

    def change(values: Table) -> None:
        _existing(values, name)
        del values[SOURCES][name]

    _edit(path, change, lambda text: passages.cut(text, name), environ)


def _edit(path: Path, change: Change, rewrite: Rewrite, environ: Mapping[str, str]) -> None:
    """Rewrite the file so that its values change as told, and in no other way."""
    file = path / FILE_NAME if path.is_dir() else path
    whole = read_text(file)
    is_dos = "\r\n" in whole and whole.count("\r\n") == whole.count("\n")
    before = parse_document(file, whole.replace("\r\n", "\n") if is_dos else whole)
    wanted = cast("Table", deepcopy(before.values))
    change(wanted)
    after = _first_true_to(wanted, before, (rewrite, lambda text: _rewrite_all(text, change)))
    settle(after, environ=environ)
    text = after.text.replace("\n", "\r\n") if is_dos else after.text
    mark = BYTE_ORDER_MARK * whole.startswith(BYTE_ORDER_MARK)
    if mark + text != whole:
        replace_file(file, (mark + text).encode())


def _first_true_to(wanted: Table, before: Document, rewrites: tuple[Rewrite, ...]) -> Document:
    """Give the outcome of the first rewriting that says exactly what is wanted.

    The first touches only the source's own lines; the second can follow any way to write TOML.
    """
    for rewrite in rewrites:
        try:
            text = rewrite(before.text)
            values = tomllib.loads(text)
        except (AttributeError, LookupError, TypeError, ValueError):  # tomlkit's own are all of these
            continue
        if _significant(values) == _significant(wanted):
            return Document(before.path, text, values)
    raise ConfigError(
        f"{before.path} is written in a way that no program can edit safely.", hint="Edit it by hand."
    )


def _rewrite_all(text: str, change: Change) -> str:
    import tomlkit  # noqa: PLC0415  (only edits need it)

    document = tomlkit.parse(text)
    change(document)
    return tomlkit.dumps(document)


def _significant(values: Mapping[str, Any]) -> dict[str, Any]:
    """Give the values without an empty table of sources, which says the same as none."""
    return {key: value for key, value in values.items() if key != SOURCES or value}


def _checked(name: str, settings: Mapping[str, object]) -> dict[str, Any]:
    """Give settings by the file's names and in the reference's order, once each is a possible one."""
    problem = checks.name_problem(name)
    if problem:
        raise ConfigError(problem)
    fields = fields_of(SourceSettings)
    by_attribute = {field.attribute: key for key, field in fields.items()}
    named = {by_attribute.get(key, key): value for key, value in settings.items()}
    for key, value in named.items():
        if key not in fields:
            raise ConfigError(f"A source has no setting {shorten(key)}.{suggest(key, fields)}")
        try:
            fields[key].read(value) if value is not None else None
        except SettingError as exc:
            raise ConfigError(f"{SOURCES}.{name}.{key} {exc}.") from None
    return {key: _plain(named[key]) for key in fields if key in named}


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _sources(values: Table) -> Table:
    sources = values.get(SOURCES, {})
    if not isinstance(sources, MutableMapping):
        raise ConfigError("sources must be tables, each written as [sources.NAME].")
    return sources


def _existing(values: Table, name: str) -> Table:
    sources = _sources(values)
    if name not in sources:
        raise NotFound(f"There is no source {shorten(name)}.{suggest(name, sources)}")
    if not isinstance(sources[name], MutableMapping):
        raise ConfigError(f"The source {name} must be a table, written as [sources.{name}].")
    return cast("Table", sources[name])
