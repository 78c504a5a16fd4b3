"""The page of metadata formats: every reader that Windrow comes with."""

from __future__ import annotations

import inspect
from importlib import import_module
from types import ModuleType

from docs.makers.table import code, table
from windrow.formats.registry import BUILT_IN, Reader

_PREFACE = """\
# Metadata formats

Windrow keeps the metadata of every format exactly as it came. For the formats below it also knows how to read
them: what they say becomes a document with the same fields for all. A record is known by the root element of
its metadata; the prefix under which a repository offers it decides only where the root says too little.

A format that is not listed is harvested and kept all the same. Its fields are then picked out by their names,
as well as that goes.
"""


def make_page() -> str:
    """Write the page."""
    modules = sorted(map(import_module, BUILT_IN), key=lambda module: module.READER.name.lower())
    rows = [(code(module.READER.name), _prefixes(module.READER), _purpose(module)) for module in modules]
    parts = [
        _PREFACE,
        table(("Format", "Asked for as", "What it is"), rows),
        "## Root elements\n\nWhat each format is known by: the namespace, if any, and the element's name.\n",
        *(_roots(module.READER) for module in modules),
    ]
    return "\n".join(parts)


def _prefixes(reader: Reader) -> str:
    return ", ".join(
        map(code, sorted({reader.name, *reader.prefixes}, key=lambda text: (text.lower(), text)))
    )


def _roots(reader: Reader) -> str:
    names = sorted(root.replace("{", "").replace("}", " ").strip() for root in reader.roots)
    return f"### `{reader.name}`\n\n" + "".join(f"- {code(name)}\n" for name in names)


def _purpose(module: ModuleType) -> str:
    return inspect.cleandoc(module.__doc__ or "").partition("\n\n")[0]
