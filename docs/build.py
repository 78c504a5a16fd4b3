"""`python -m docs.build`: writes the reference pages from the code, so that they cannot say anything else.

Each page has a maker in `makers`; the tests compare what a maker gives with what is in `reference/`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from docs.makers import api, commands, errors, exit_codes, formats, query, relational, sru, store, z3950
from windrow.config import settings_reference

REFERENCE = Path(__file__).with_name("reference")
MAKERS: Mapping[str, Callable[[], str]] = {
    "api.md": api.make_page,
    "cli.md": commands.make_page,
    "configuration.md": settings_reference.reference,
    "errors.md": errors.make_page,
    "exit-codes.md": exit_codes.make_page,
    "formats.md": formats.make_page,
    "query-language.md": query.make_page,
    "sqlite-export.md": relational.make_page,
    "sru.md": sru.make_page,
    "store.md": store.make_page,
    "z3950.md": z3950.make_page,
}


def pages() -> dict[str, str]:
    """Give every reference page as it should be now, by file name."""
    return {name: make().rstrip() + "\n" for name, make in MAKERS.items()}


def main() -> None:
    """Write the pages that differ from what is there; say which."""
    REFERENCE.mkdir(exist_ok=True)
    for name, text in pages().items():
        path = REFERENCE / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"wrote docs/reference/{name}\n")


if __name__ == "__main__":
    main()
