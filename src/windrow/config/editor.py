"""Add, change and remove a source or a job in windrow.toml, with all other bytes kept.

Each edit changes the lines of one table. Before the file is replaced, the result is compared with the
intended values and loaded. An edit that fails leaves the file unchanged.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
import threading
import tomllib
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import ExitStack, contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from windrow.config import validation
from windrow.config.fields import Field, Settings, fields_of, shorten, suggest
from windrow.config.job_settings import JobSettings
from windrow.config.kinds import SettingError
from windrow.config.loader import load_document
from windrow.config.schema import FILE_NAME, JOBS, OAI, SOURCES, SourceSettings
from windrow.config.source_kinds import every_field, find_kind, readable_fields
from windrow.config.toml_document import (
    BYTE_ORDER_MARK,
    Document,
    Statement,
    parse_document,
    read_text,
    statements,
)
from windrow.errors import ConfigError, NotFound, StoreError, StoreFull, explain_write

# The passages of windrow.toml for one table: appended, rewritten, removed. Pure text in and out, with "\n"
# as line end. A table can be written in more ways than these functions support, so the caller checks the
# result.

Table = MutableMapping[str, Any]


def append_table(text: str, section: str, name: str, table: Mapping[str, Any]) -> str:
    """Append a named table: [sources.NAME] for the section sources."""
    import tomlkit  # noqa: PLC0415  (only edits need it)

    inner = tomlkit.table()
    for key, value in table.items():
        inner[key] = toml_item(value)
    outer = tomlkit.table(is_super_table=True)
    outer[name] = inner
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return text + gap + tomlkit.dumps({section: outer})


def rewrite_table(text: str, section: str, name: str, changes: Mapping[str, Any]) -> str:
    """Change settings within the only passage of a table; LookupError if there is not exactly one."""
    import tomlkit  # noqa: PLC0415

    passages = _passages(text, section, name)
    if len(passages) != 1 or not passages[0][0].is_header:
        raise LookupError(name)
    lines = _lines(text)
    first, last = passages[0][0].first, passages[0][-1].last
    # Only these lines are passed on: the comments after them belong to the next section, and tomlkit would
    # put new settings below those.
    passage = tomlkit.parse("".join(lines[first : last + 1]).removesuffix("\n") + "\n")
    apply_changes(cast("Any", passage)[section][name], changes)
    return "".join([*lines[:first], tomlkit.dumps(passage), *lines[last + 1 :]])


def remove_table(text: str, section: str, name: str) -> str:
    """Remove every passage of a table, with the blank line before it."""
    lines = _lines(text)
    headers = {statement.first for statement in statements(text) if statement.is_header}
    for passage in reversed(_passages(text, section, name)):
        first, end = passage[0].first, _end_of_remarks(lines, passage[-1].last + 1, headers)
        is_apart = first == 0 or not lines[first - 1].strip()
        if is_apart and end < len(lines) and not lines[end].strip():
            end += 1
        elif is_apart and first and end == len(lines):
            first -= 1
        del lines[first:end]
    return "".join(lines)


def apply_changes(table: Table, changes: Mapping[str, Any]) -> None:
    """Set each key to its new value; None removes it."""
    for key, value in changes.items():
        if value is None:
            table.pop(key, None)
        else:
            table[key] = toml_item(value)


def toml_item(value: Any) -> Any:
    """Return a value ready to be written: a table inline, so that it does not swallow the keys after it."""
    import tomlkit  # noqa: PLC0415

    if not isinstance(value, Mapping):
        return value
    table = tomlkit.inline_table()
    table.update(value)
    return table


def _passages(text: str, section: str, name: str) -> list[list[Statement]]:
    """Return the runs of neighbouring statements that belong to a table."""
    runs = groupby(statements(text), key=lambda statement: statement.path[:2] == (section, name))
    return [list(run) for is_about, run in runs if is_about]


def _end_of_remarks(lines: list[str], start: int, headers: set[int]) -> int:
    """Return the line after the comments that follow directly, unless they are directly above a header."""
    end = start
    while end < len(lines) and lines[end].lstrip().startswith("#"):
        end += 1
    return start if end in headers else end


def _lines(text: str) -> list[str]:
    # Not splitlines: it also breaks at characters that TOML allows within a line.
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    return lines if lines[-1] else lines[:-1]


# After a crash the file has the old content or the new, never half of either.


def replace_file(path: Path, content: bytes) -> None:
    """Replace the content of an existing file, keeping its mode and, if permitted, its owner and group.

    If the group cannot be kept, the group permissions are removed: they were meant for another group. A
    symbolic link stays a link: its target is replaced.
    """
    target = path.resolve()
    try:
        _replace(target, content, target.stat())
    except OSError as exc:
        words, hint = explain_write(exc, target)
        kind = StoreFull if exc.errno in {errno.ENOSPC, errno.EDQUOT} else StoreError
        raise kind(f"{path} cannot be written: {words}. It is as it was.", hint=hint) from exc


def _replace(target: Path, content: bytes, before: os.stat_result) -> None:
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        mode = stat.S_IMODE(before.st_mode)
        if hasattr(os, "chown"):
            mode &= ~(0 if _is_given(temporary, before) else stat.S_IRWXG)
        Path(temporary).chmod(mode)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _is_given(path: str, before: os.stat_result) -> bool:
    """Set the owner and group of a file to those of another. Return whether its group is now the same."""
    for owner in (
        before.st_uid,
        -1,
    ):  # only root may change the owner; a group may be changed to one of the user's own
        with suppress(PermissionError):
            os.chown(path, owner, before.st_gid)
            return True
    return os.stat(path).st_gid == before.st_gid


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power failure, on systems where a folder can be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# Edits of windrow.toml are serialized: reading, changing and writing must not interleave with another edit.
# Each edit takes the lock; a caller with several edits may hold it around them.

_held_locks = threading.local()  # the folders that this thread has locked


@contextmanager
def edit_lock(file: Path) -> Iterator[None]:
    """Wait until no other process or thread edits this file. The lock is reentrant.

    The folder is locked, so that no lock file is left behind. Where that is impossible, as on some network
    file systems, edits continue without a lock.
    """
    folder = file.resolve().parent
    held: set[Path] = _held_locks.__dict__.setdefault("held", set())
    if folder in held:
        yield
        return
    with ExitStack() as stack:
        _lock(folder, stack)
        held.add(folder)
        try:
            yield
        finally:
            held.discard(folder)


def _lock(folder: Path, stack: ExitStack) -> None:
    try:
        import fcntl  # noqa: PLC0415 - not available on Windows
    except ImportError:
        return
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        stack.callback(os.close, handle)
        fcntl.flock(handle, fcntl.LOCK_EX)


Change = Callable[[Table], None]  # what an edit does to the values of the file
Rewrite = Callable[[str], str]  # what it does to the text
_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class _TableKind:
    """A kind of named tables: its section, its noun, its settings."""

    section: str
    word: str
    kind: type[Settings]


_SOURCE = _TableKind(SOURCES, "source", SourceSettings)
_JOB = _TableKind(JOBS, "job", JobSettings)


def add_source(
    path: Path, name: str, settings: Mapping[str, object], *, environ: Mapping[str, str] = _NOTHING
) -> None:
    """Add a source at the end of windrow.toml (`path`: the file or its folder).

    Settings are named and written as in the file ("30s", ["oai_dc"]); None is omitted. Settings from the
    environment count when the result is checked.
    """
    _add(_SOURCE, path, name, settings, environ)


def change_source(
    path: Path, name: str, changes: Mapping[str, object], *, environ: Mapping[str, str] = _NOTHING
) -> None:
    """Change settings of a source in windrow.toml; None removes a setting, which restores its default."""
    _change(_SOURCE, path, name, changes, environ)


def remove_source(path: Path, name: str, *, environ: Mapping[str, str] = _NOTHING) -> None:
    """Remove a source from windrow.toml, with the comments among its lines; those above it are kept."""
    _remove(_SOURCE, path, name, environ)


def add_job(
    path: Path, name: str, settings: Mapping[str, object], *, environ: Mapping[str, str] = _NOTHING
) -> None:
    """Add a job at the end of windrow.toml; see `add_source`."""
    _add(_JOB, path, name, settings, environ)


def change_job(
    path: Path, name: str, changes: Mapping[str, object], *, environ: Mapping[str, str] = _NOTHING
) -> None:
    """Change settings of a job in windrow.toml; see `change_source`."""
    _change(_JOB, path, name, changes, environ)


def remove_job(path: Path, name: str, *, environ: Mapping[str, str] = _NOTHING) -> None:
    """Remove a job from windrow.toml; see `remove_source`."""
    _remove(_JOB, path, name, environ)


def _add(
    noun: _TableKind, path: Path, name: str, settings: Mapping[str, object], environ: Mapping[str, str]
) -> None:
    table = {key: value for key, value in _checked(noun, name, settings).items() if value is not None}

    def change(values: Table) -> None:
        if name in _tables(noun, values):
            message = f"There is already a {noun.word} {name}."
            raise ConfigError(message, hint="Choose another name, or change it.")
        values.setdefault(noun.section, {})[name] = table

    _edit(noun, path, change, lambda text: append_table(text, noun.section, name, table), environ)


def _change(
    noun: _TableKind, path: Path, name: str, changes: Mapping[str, object], environ: Mapping[str, str]
) -> None:
    checked = _checked(noun, name, changes, _kind_in(path, name) if noun is _SOURCE else None)

    def change(values: Table) -> None:
        apply_changes(_existing(noun, values, name), checked)

    _edit(noun, path, change, lambda text: rewrite_table(text, noun.section, name, checked), environ)


def _remove(noun: _TableKind, path: Path, name: str, environ: Mapping[str, str]) -> None:
    def change(values: Table) -> None:
        _existing(noun, values, name)
        del values[noun.section][name]

    _edit(noun, path, change, lambda text: remove_table(text, noun.section, name), environ)


def _edit(noun: _TableKind, path: Path, change: Change, rewrite: Rewrite, environ: Mapping[str, str]) -> None:
    """Rewrite the file so that its values change as intended, and in no other way."""
    file = path / FILE_NAME if path.is_dir() else path
    with edit_lock(file):
        _edit_alone(noun, file, change, rewrite, environ)


def _edit_alone(
    noun: _TableKind, file: Path, change: Change, rewrite: Rewrite, environ: Mapping[str, str]
) -> None:
    whole = read_text(file)
    is_dos = "\r\n" in whole and whole.count("\r\n") == whole.count("\n")
    before = parse_document(file, whole.replace("\r\n", "\n") if is_dos else whole)
    wanted = cast("Table", deepcopy(before.values))
    change(wanted)
    after = _first_matching(noun, wanted, before, (rewrite, lambda text: _rewrite_all(text, change)))
    load_document(after, environ=environ)
    text = after.text.replace("\n", "\r\n") if is_dos else after.text
    mark = BYTE_ORDER_MARK * whole.startswith(BYTE_ORDER_MARK)
    if mark + text != whole:
        replace_file(file, (mark + text).encode())


def _first_matching(
    noun: _TableKind, wanted: Table, before: Document, rewrites: tuple[Rewrite, ...]
) -> Document:
    """Return the result of the first rewrite that has exactly the intended values.

    The first one touches only the table's own lines; the second supports every way to write TOML.
    """
    for rewrite in rewrites:
        try:
            text = rewrite(before.text)
            values = tomllib.loads(text)
        except (
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
        ):  # tomlkit's own exceptions derive from these
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


def _significant(noun: _TableKind, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values without an empty table of sources or jobs, which is equivalent to none."""
    return {key: value for key, value in values.items() if key != noun.section or value}


def _fields(noun: _TableKind, settings: Mapping[str, object], kind: object) -> Mapping[str, Field]:
    """Return the settings that exist; for an unknown kind those of all kinds, so that `load` refuses it."""
    if noun is not _SOURCE:
        return fields_of(noun.kind)
    kind = settings.get("kind") or kind or OAI
    try:
        return readable_fields(find_kind(kind))
    except SettingError:
        return every_field()


def _checked(
    noun: _TableKind, name: str, settings: Mapping[str, object], existing: object = None
) -> dict[str, Any]:
    """Return validated settings by the file's names, in the order of the reference."""
    problem = validation.name_problem(name, noun.word)
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
    """Return the kind of a source in the file, if it can be read."""
    file = path / FILE_NAME if path.is_dir() else path
    tables = parse_document(file, read_text(file)).values.get(SOURCES, {})
    table = tables.get(name) if isinstance(tables, Mapping) else None
    return table.get("kind") if isinstance(table, Mapping) else None


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _tables(noun: _TableKind, values: Table) -> Table:
    tables = values.get(noun.section, {})
    if not isinstance(tables, MutableMapping):
        raise ConfigError(f"{noun.section} must be tables, each written as [{noun.section}.NAME].")
    return tables


def _existing(noun: _TableKind, values: Table, name: str) -> Table:
    tables = _tables(noun, values)
    if name not in tables:
        raise NotFound(f"There is no {noun.word} {shorten(name)}.{suggest(name, tables)}")
    if not isinstance(tables[name], MutableMapping):
        raise ConfigError(f"The {noun.word} {name} must be a table, written as [{noun.section}.{name}].")
    return cast("Table", tables[name])
