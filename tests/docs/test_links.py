"""Every link inside the project leads somewhere."""

from __future__ import annotations

import pytest

from tests.docs.markdown import ROOT, Page, pages


def _is_inside(target: str) -> bool:
    return "://" not in target and not target.startswith("mailto:")


@pytest.mark.parametrize("page", pages(), ids=str)
def test_every_link_within_the_project_resolves(page: Page) -> None:
    broken = []
    for link in page.links:
        if not _is_inside(link.target):
            continue
        name, _, anchor = link.target.partition("#")
        path = (page.path.parent / name).resolve() if name else page.path
        is_there = path.exists() and path.is_relative_to(ROOT)
        if not is_there or (anchor and anchor not in Page(path).anchors):
            broken.append(link.target)
    assert not broken


def test_every_page_of_the_documentation_can_be_reached_from_the_readme() -> None:
    start = (ROOT / "README.md").resolve()
    reached, waiting = {start}, [start]
    while waiting:
        found = Page(waiting.pop())
        for link in found.links:
            target = (found.path.parent / link.target.partition("#")[0]).resolve()
            if _is_inside(link.target) and target.suffix == ".md" and target not in reached:
                reached.add(target)
                waiting.append(target)
    assert {page.path.resolve() for page in pages()} <= reached
