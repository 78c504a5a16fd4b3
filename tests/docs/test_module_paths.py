"""Modules that the documentation names exist, under the name that it gives them."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from tests.docs.markdown import ROOT, Page, guides, page, pages

_FILE = re.compile(r"(?:[a-z0-9_]+/)*[a-z0-9_]+\.(?:py|toml)")
_DOTTED = re.compile(r"windrow(?:\.[a-z0-9_]+)+(?:\.[A-Z]\w*)?")
_FLOW = re.compile(r"(?:[a-z0-9_]+/)+[a-z0-9_]+")  # as the page on the architecture names modules
_ROOTS = (ROOT, ROOT / "src", ROOT / "src" / "windrow")  # a table of packages names files inside them
_PACKAGES = tuple(path for path in _ROOTS[-1].iterdir() if path.is_dir())
_SETTINGS = frozenset(("windrow.toml", "pyproject.toml"))
_GROUPS = re.compile(r'entry-points\."([\w.]+)"')
ARCHITECTURE = page("docs/explain/architecture.md")
WRITTEN = [each for each in guides() if str(each) != "CHANGELOG.md"]  # by hand, about the code as it is now


def _is_there(name: str) -> bool:
    return any((root / name).exists() for root in (*_ROOTS, *_PACKAGES))


def _examples() -> set[str]:
    """Entry-point groups, and the files that the pages on extension tell people to write."""
    found = {name for each in pages() for name in _GROUPS.findall(each.text)}
    return found | {word for each in pages() for block in each.blocks for word in block.words}


@pytest.mark.parametrize("page", WRITTEN, ids=str)
def test_a_file_that_a_page_names_with_its_folder_exists(page: Page) -> None:
    named = {text for text in page.codes if _FILE.fullmatch(text) and "/" in text}
    assert not [name for name in named - _examples() if not _is_there(name)]


@pytest.mark.parametrize("page", WRITTEN, ids=str)
def test_a_module_or_class_that_a_page_names_can_be_imported(page: Page) -> None:
    named = {text for text in page.codes if _DOTTED.fullmatch(text)} - _examples() - _SETTINGS
    for name in named:
        module, _, last = name.rpartition(".")
        if last[0].isupper():
            assert hasattr(import_module(module), last), name
        elif not name.endswith((".db", ".toml", ".lock")):
            import_module(name)


def test_every_module_in_the_flows_exists() -> None:
    flows = ARCHITECTURE.section("Four flows and a harvest")
    named = {text for text in re.findall(r"`([^`\n]+)`", flows) if _FLOW.fullmatch(text)} - {"src/windrow"}
    assert len(named) > 60
    assert not [name for name in named if not _is_there(f"{name}.py")]
