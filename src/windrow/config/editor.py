"""Adding, changing and removing a source or a job in windrow.toml, every other byte kept.

Each edit works on the lines of that one table (`passages`), is compared with what it was meant to
say, and is loaded, before the file is replaced. What fails leaves the file as it was.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, MutableMapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from windrow.config import checks, passages
from windrow.config.atomic import replace_file
from windrow.config.document import BYTE_ORDER_MARK, Document, parse_document, read_text
from windrow.config.fields import Field, Settings, fields_of
from windrow.config.jobs import JobSettings
from windrow.config.kinds import SettingError
from windrow.config.layers import shorten, suggest
from windrow.config.load import settle
from windrow.config.passages import Table
from windrow.config.schema import FILE_NAME, JOBS, OAI, SOURCES, SourceSettings
from windrow.config.source_kinds import every_field, find_kind, readable_fields
from windrow.config.turns import turn_at
from windrow.errors import ConfigError, NotFound

Change = Callable[[Table], None]  # what an edit does to the values of the file
Rewrite = Callable[[str], str]  # what it does to the text
_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class _Noun:
    """What there is any number of: where its tables are, what one is called, what it has."""

    section: str
    word: str
    kind: type[Settings]


_SOURCE = _Noun(SOURCES, "source", SourceSettings)
_JOB = _Noun(JOBS, "job", JobSettings)


def add_source(
    path: Path, name: str, settings: Mapping[str, object], *, environ: Mapping[str, str] = _NOTHING
) -> None:
    """Add a source at the end of windrow.toml (`path`: the file or its folder).

    Settings go by their names in the file and as the file has them ("30s", ["oai_dc"]); None is left
    out. What the environment sets counts when the outcome is checked.
    """
    _add(_SOURCE, path, name, settings, environ)


def change_source(
    path: Path, name: str, changes: Mapping[str, object], *, environ: Mapping[str, str] = _NOTHING
) -> None:
    """Change settings of a source in windrow.toml; None takes a setting out, which restores its default."""
    _change(_SOURCE, path, name, changes, environ)


def remove_source(path: Path, name: str, *, environ: Mapping[str, str] = _NOTHING) -> None:
    """Take a source out of windrow.toml, with the comments among its lines; those above it stay."""
    _remove(_SOURCE, path, name, environ)


def add_job(
    path: Path, name: str, settings: Mapping[str, object], *, environ: Mapping[str, str] = _NOTHING
) -> None:
    """Add a job at the end of windrow.toml, as `add_source` adds a source."""
    _add(_JOB, path, name, settings, environ)


def change_job(
    path: Path, name: str, changes: Mapping[str, object], *, environ: Mapping[str, str] = _NOTHING
) -> None:
    """Change settings of a job in windrow.toml, as `change_source` does."""
    _change(_JOB, path, name, changes, environ)


def remove_job(path: Path, name: str, *, environ: Mapping[str, str] = _NOTHING) -> None:
    """Take a job out of windrow.toml, as `remove_source` does with a source."""
    _remove(_JOB, path, name, environ)


def _add(
    noun: _Noun, path: Path, name: str, settings: Mapping[str, object], environ: Mapping[str, str]
) -> None:
    table = {key: value for key, value in _checked(noun, name, settings).items() if value is not None}

    def change(values: Table) -> None:
        if name in _tables(noun, values):
            message = f"There is already a {noun.word} {name}."
            raise ConfigError(message, hint="Choose another name, or change it.")
        values.setdefault(noun.section, {})[name] = table

    _edit(noun, path, change, lambda text: passages.append(text, noun.section, name, table), environ)


def _change(
    noun: _Noun, path: Path, name: str, changes: Mapping[str, object], environ: Mapping[str, str]
) -> None:
    checked = _checked(noun, name, changes, _kind_in(path, name) if noun is _SOURCE else None)

    def change(values: Table) -> None:
        passages.apply(_existing(noun, values, name), checked)

    _edit(noun, path, change, lambda text: passages.rewrite(text, noun.section, name, checked), environ)


def _remove(noun: _Noun, path: Path, name: str, environ: Mapping[str, str]) -> None:
    def change(values: Table) -> None:
        _existing(noun, values, name)
        del values[noun.section][name]

    _edit(noun, path, change, lambda text: passages.cut(text, noun.section, name), environ)


def _edit(noun: _Noun, path: Path, change: Change, rewrite: Rewrite, environ: Mapping[str, str]) -> None:
    """Rewrite the file so that its values change as told, and in no other way."""
    file = path / FILE_NAME if path.is_dir() else path
    with turn_at(file):
        _edit_alone(noun, file, change, rewrite, environ)


def _edit_alone(
    noun: _Noun, file: Path, change: Change, rewrite: Rewrite, environ: Mapping[str, str]
) -> None:
    whole = read_text(file)
    is_dos = "\r\n" in whole and whole.count("\r\n") == whole.count("\n")
    before = parse_document(file, whole.replace("\r\n", "\n") if is_dos else whole)
    wanted = cast("Table", deepcopy(before.values))
    change(wanted)
    after = _first_true_to(noun, wanted, before, (rewrite, lambda text: _rewrite_all(text, change)))
    settle(after, environ=environ)
    text = after.text.replace("\n", "\r\n") if is_dos else after.text
    mark = BYTE_ORDER_MARK * whole.startswith(BYTE_ORDER_MARK)
    if mark + text != whole:
        replace_file(file, (mark + text).encode())


def _first_true_to(noun: _Noun, wanted: Table, before: Document, rewrites: tuple[Rewrite, ...]) -> Document:
    """Give the outcome of the first rewriting that says exactly what is wanted.

    The first touches only the table's own lines; the second can follow any way to write TOML.
    """
    for rewrite in rewrites:
        try:
            text = rewrite(before.text)
            values = tomllib.loads(text)
        except (AttributeError, LookupError, TypeError, ValueError):  # tomlkit's own are all of these
            continue
        if _significant(noun, values) == _significant(noun, wanted):
            return Document(before.path, text, values)
    raise ConfigError(
        f"{before.path} is written in a way that no program can edit safely.", hint="Edit it by hand."
    )


def _rewrite_all(text: str, change: Change) -> str:
    import tomlkit  # noqa: PLC0415  (only edits need it)

    document = tomlkit.parse(text)
    change(document)
    return tomlkit.dumps(document)


def _significant(noun: _Noun, values: Mapping[str, Any]) -> dict[str, Any]:
    """Give the values without an empty table of sources or jobs, which says the same as none."""
    return {key: value for key, value in values.items() if key != noun.section or value}


def _fields(noun: _Noun, settings: Mapping[str, object], kind: object) -> Mapping[str, Field]:
    """Return what there is to set; of an unknown kind what any kind has, and `load` refuses it."""
    if noun is not _SOURCE:
        return fields_of(noun.kind)
    kind = settings.get("kind") or kind or OAI
    try:
        return readable_fields(find_kind(kind))
    except SettingError:
        return every_field()


def _checked(
    noun: _Noun, name: str, settings: Mapping[str, object], existing: object = None
) -> dict[str, Any]:
    """Give settings by the file's names and in the reference's order, once each is a possible one."""
    problem = checks.name_problem(name, noun.word)
    if problem:
        raise ConfigError(problem)
    fields = _fields(noun, settings, existing)
    by_attribute = {field.attribute: key for key, field in fields.items()}
    named = {by_attribute.get(key, key): value for key, value in settings.items()}
    for key, value in named.items():
        if key not in fields:
            raise ConfigError(f"A {noun.word} has no setting {shorten(key)}.{suggest(key, fields)}")
        try:
            fields[key].read(value) if value is not None else None
        except SettingError as exc:
            raise ConfigError(f"{noun.section}.{name}.{key} {exc}.") from None
    return {key: _plain(named[key]) for key in fields if key in named}


def _kind_in(path: Path, name: str) -> object:
    """Return the kind of a source as the file has it, where it has one that can be read."""
    file = path / FILE_NAME if path.is_dir() else path
    tables = parse_document(file, read_text(file)).values.get(SOURCES, {})
    table = tables.get(name) if isinstance(tables, Mapping) else None
    return table.get("kind") if isinstance(table, Mapping) else None


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _tables(noun: _Noun, values: Table) -> Table:
    tables = values.get(noun.section, {})
    if not isinstance(tables, MutableMapping):
        raise ConfigError(f"{noun.section} must be tables, each written as [{noun.section}.NAME].")
    return tables


def _existing(noun: _Noun, values: Table, name: str) -> Table:
    tables = _tables(noun, values)
    if name not in tables:
        raise NotFound(f"There is no {noun.word} {shorten(name)}.{suggest(name, tables)}")
    if not isinstance(tables[name], MutableMapping):
        raise ConfigError(f"The {noun.word} {name} must be a table, written as [{noun.section}.{name}].")
    return cast("Table", tables[name])
