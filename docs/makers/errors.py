"""The page of errors: the tree in `errors.py`, what each means, how it ends a command, what to do."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from docs.makers.table import code, table
from windrow.errors import WindrowError

_PREFACE = """\
# Errors

When a command cannot do what it was asked, it says `error:`, what went wrong and what to do about it, on
stderr. With `--json` the same comes on stdout as `{"error": …, "message": …, "hint": …}`; `error` is one of
the names below. A bad record is never an error of a run: it goes to
[quarantine](../howto/quarantine.md).
"""


def make_page() -> str:
    """Write the page."""
    rows = [
        ("· " * depth + code(kind.__name__), _meaning(kind), str(kind.exit_code), str(kind.hint))
        for depth, kind in walk(WindrowError)
    ]
    return _PREFACE + "\n" + table(("Error", "What it means", "Exit code", "What to do"), rows)


def walk(kind: type[WindrowError], depth: int = 0) -> Iterator[tuple[int, type[WindrowError]]]:
    """Give an error and all below it, parents first, with how deep in the tree each is."""
    yield depth, kind
    for child in kind.__subclasses__():
        yield from walk(child, depth + 1)


def _meaning(kind: type[WindrowError]) -> str:
    return inspect.cleandoc(kind.__doc__ or "").partition("\n\n")[0]
