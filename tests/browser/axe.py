"""What axe finds wrong with a page."""

from __future__ import annotations

from pathlib import Path

import axe_core_python  # type: ignore[import-untyped]
from playwright.sync_api import Page

AXE = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def faults(page: Page) -> list[str]:
    """Give what keeps somebody out of a page as it is now."""
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{each['id']}: {node['html'][:200]}: {node['failureSummary']}"
        for each in found["violations"]
        for node in each["nodes"][:1]
    ]
