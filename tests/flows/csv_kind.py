"""The package of the how-to about kinds of sources, installed: a kind that is not built in."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.docs.markdown import page
from windrow.config import source_kinds

HOWTO = "docs/howto/add-a-source-kind.md"
ROWS = "isbn,title,creator,date\n1,On hay,Aho,2001\n2,On oats,Bo,2002\n"


@contextmanager
def csv_kind(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Write the package of the how-to into a folder where Python finds it."""
    for block in page(HOWTO).blocks:
        if block.words:
            file = site / block.words[0]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, encoding="utf-8")
    project = tomllib.loads((site / "pyproject.toml").read_text())["project"]
    information = site / "csv_source-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: csv-source\nVersion: 1.0\n")
    ((group, entries),) = project["entry-points"].items()
    lines = [f"[{group}]", *(f"{key} = {value}" for key, value in entries.items())]
    (information / "entry_points.txt").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(site)
    source_kinds.plugged_in_kinds.cache_clear()
    try:
        yield site
    finally:
        source_kinds.plugged_in_kinds.cache_clear()
        for name in [each for each in sys.modules if each.partition(".")[0] == "csv_source"]:
            del sys.modules[name]
