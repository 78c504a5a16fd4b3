"""Where each statement of a TOML text stands: for the line in an error, and for edits that touch no other.

The standard reader gives values without places. This one gives places without values, and only for
text that the standard reader has accepted.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

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
    """List the statements of a valid TOML text in order. Comments and blank lines are in none."""
    found: list[Statement] = []
    table: Keys = ()
    for start, first, last in _logical_lines(text):
        is_header = text[start] == "["
        key = _key_path(text, start)
        table = key if is_header else table
        found.append(Statement(key if is_header else table + key, is_header, first, last))
    return found


def find_line(text: str, path: Keys) -> int | None:
    """Give the line, counted from 1, of the statement that says most about a path; None if none does."""
    best: Statement | None = None
    for statement in statements(text):
        fits = path[: len(statement.path)] == statement.path or statement.path[: len(path)] == path
        if fits and (best is None or _closeness(statement, path) > _closeness(best, path)):
            best = statement
    return best.first + 1 if best else None


def _closeness(statement: Statement, path: Keys) -> int:
    return min(len(statement.path), len(path))


def _logical_lines(text: str) -> Iterator[tuple[int, int, int]]:
    """Give the offset, the first and the last line of everything that is not blank or comment."""
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
