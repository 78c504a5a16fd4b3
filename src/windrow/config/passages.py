"""The passages of windrow.toml that hold one source, or one job: written, rewritten, cut out. For `edit`.

Pure text in, text out. Line ends are "\\n" here. Whether the outcome says what was wanted is for
`edit` to check: a table can be written in more ways than these functions follow.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from itertools import groupby
from typing import Any, cast

from windrow.config.layout import Statement, statements

Table = MutableMapping[str, Any]


def append(text: str, section: str, name: str, table: Mapping[str, Any]) -> str:
    """Add a table with a name at the end: [sources.NAME], where the section is sources."""
    import tomlkit  # noqa: PLC0415  (only edits need it)

    inner = tomlkit.table()
    for key, value in table.items():
        inner[key] = item(value)
    outer = tomlkit.table(is_super_table=True)
    outer[name] = inner
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return text + gap + tomlkit.dumps({section: outer})


def rewrite(text: str, section: str, name: str, changes: Mapping[str, Any]) -> str:
    """Change settings within the one passage that holds a table; LookupError where there is not one."""
    import tomlkit  # noqa: PLC0415

    passages = _passages(text, section, name)
    if len(passages) != 1 or not passages[0][0].is_header:
        raise LookupError(name)
    lines = _lines(text)
    first, last = passages[0][0].first, passages[0][-1].last
    # Only these lines are handed over: the comments after them belong to the next section, and
    # tomlkit would put new settings below those.
    passage = tomlkit.parse("".join(lines[first : last + 1]).removesuffix("\n") + "\n")
    apply(cast("Any", passage)[section][name], changes)
    return "".join([*lines[:first], tomlkit.dumps(passage), *lines[last + 1 :]])


def cut(text: str, section: str, name: str) -> str:
    """Take out every passage that holds a table, with the blank line that set it apart."""
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


def apply(table: Table, changes: Mapping[str, Any]) -> None:
    """Set each key to its new value; None takes it out."""
    for key, value in changes.items():
        if value is None:
            table.pop(key, None)
        else:
            table[key] = item(value)


def item(value: Any) -> Any:
    """Make a value ready to be written: a table in one line, so that no key after it becomes its own."""
    import tomlkit  # noqa: PLC0415

    if not isinstance(value, Mapping):
        return value
    table = tomlkit.inline_table()
    table.update(value)
    return table


def _passages(text: str, section: str, name: str) -> list[list[Statement]]:
    """Give the runs of neighbouring statements that are about a table."""
    runs = groupby(statements(text), key=lambda statement: statement.path[:2] == (section, name))
    return [list(run) for is_about, run in runs if is_about]


def _end_of_remarks(lines: list[str], start: int, headers: set[int]) -> int:
    """Give the line after the comments that follow at once, unless they stand right above a header."""
    end = start
    while end < len(lines) and lines[end].lstrip().startswith("#"):
        end += 1
    return start if end in headers else end


def _lines(text: str) -> list[str]:
    # Not splitlines: it also breaks at characters that TOML allows within a line.
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    return lines if lines[-1] else lines[:-1]
