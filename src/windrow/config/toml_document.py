"""TOML files as values and as text, with the position of each statement.

The standard reader returns values without positions. The scanner here returns positions without values, for
lines in error messages and for edits that touch no other statement. It requires text that the standard
reader has accepted.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from windrow.errors import ConfigError

_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*|\n|[\[\]{}]|[^\s\"'#\[\]{}]+",
    re.DOTALL,
)
_PART = r"""(?:"(?:\\.|[^"\\\n])*"|'[^'\n]*'|[A-Za-z0-9_-]+)"""
_KEY = re.compile(rf"\[{{0,2}}[ \t]*({_PART}(?:[ \t]*\.[ \t]*{_PART})*)")

Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """A table header or an assignment: its full path and its lines, counted from 0, both included."""

    path: Keys
    is_header: bool
    first: int
    last: int


def statements(text: str) -> list[Statement]:
    """Return the statements of a valid TOML text in order. Comments and blank lines belong to none."""
    found: list[Statement] = []
    table: Keys = ()
    for start, first, last in _logical_lines(text):
        is_header = text[start] == "["
        key = _key_path(text, start)
        table = key if is_header else table
        found.append(Statement(key if is_header else table + key, is_header, first, last))
    return found


def find_line(text: str, path: Keys) -> int | None:
    """Return the line, counted from 1, of the most specific statement about a path; None if there is none."""
    best: Statement | None = None
    for statement in statements(text):
        fits = path[: len(statement.path)] == statement.path or statement.path[: len(path)] == path
        if fits and (best is None or _closeness(statement, path) > _closeness(best, path)):
            best = statement
    return best.first + 1 if best else None


def _closeness(statement: Statement, path: Keys) -> int:
    return min(len(statement.path), len(path))


def _logical_lines(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield the offset, the first and the last line of everything that is not blank or a comment."""
    line = depth = first = 0
    start = -1
    for token in _TOKEN.finditer(text):
        word = token[0]
        if word == "\n" and depth == 0 and start >= 0:
            yield start, first, line
            start = -1
        elif word[0] not in "#\n" and start < 0:
            start, first = token.start(), line
        depth += (word in "[{") - (word in "]}")
        line += word.count("\n")
    if start >= 0:
        yield start, first, line


def _key_path(text: str, start: int) -> Keys:
    match = _KEY.match(text, start)
    if match is None:
        return ()
    parts = []
    inner: object = tomllib.loads(f"{match[1]} = 0")
    while isinstance(inner, dict):
        part, inner = next(iter(inner.items()))
        parts.append(part)
    return tuple(parts)


# windrow.toml as text and plain values. Unreadable files become a ConfigError with line and column.

MAX_FILE_BYTES = 4 * 1024 * 1024
BYTE_ORDER_MARK = "\ufeff"  # added by some editors on Windows; not allowed by TOML
_PLACE = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Document:
    """A TOML file: its path, its text and its values."""

    path: Path
    text: str = field(repr=False)  # may contain secrets
    values: Mapping[str, object] = field(repr=False)

    def problem(self, keys: tuple[str, ...], message: str, *, hint: str | None = None) -> ConfigError:
        """Return an error about a key, with the line where it was found."""
        line = find_line(self.text, keys)
        if line is None and keys[0].endswith("s"):  # [collection.NAME] counts as [collections.NAME]
            line = find_line(self.text, (keys[0].removesuffix("s"), *keys[1:]))
        place = f"{self.path}, line {line}" if line else f"{self.path}"
        return ConfigError(f"{place}: {message}", hint=hint)


def read_document(path: Path) -> Document:
    """Read a TOML file; a ConfigError names the line and column of a syntax error."""
    return parse_document(path, read_text(path))


def read_text(path: Path) -> str:
    """Return the text of a file unchanged; a ConfigError if it cannot be read."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except OSError as exc:
        raise ConfigError(f"{path} cannot be read: {exc.strerror}.") from exc
    if len(content) > MAX_FILE_BYTES:
        raise ConfigError(f"{path} is larger than {MAX_FILE_BYTES} bytes; that cannot be a configuration.")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as exc:
        line = content.count(b"\n", 0, exc.start) + 1
        raise ConfigError(
            f"{path}, line {line}: this is not UTF-8.", hint="Save the file as UTF-8."
        ) from None


def parse_document(path: Path, text: str) -> Document:
    """Parse the text of a TOML file; the path is for errors."""
    text = text.removeprefix(BYTE_ORDER_MARK)
    try:
        return Document(path, text, tomllib.loads(text))
    except RecursionError:
        raise ConfigError(f"{path}: this is nested too deeply.") from None
    except ValueError as exc:  # TOMLDecodeError, or plain ValueError for numbers of thousands of digits
        raise ConfigError(_explain(path, text, str(exc))) from None


def _explain(path: Path, text: str, message: str) -> str:
    match = _PLACE.fullmatch(message)
    if match is None:
        return f"{path}: this is not TOML: {message}."
    line = match[2] or text.count("\n") + 1
    column = match[3] or len(text) - text.rfind("\n")
    return f"{path}, line {line}, column {column}: this is not TOML: {match[1]}."
