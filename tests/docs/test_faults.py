"""Every fault on the page of faults that Windrow copes with is backed by a test that exists."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.docs.markdown import Link, links_in, page
from tests.servers.faults import FAULTS

FAULTS_PAGE = page("docs/explain/faults.md")


def _entries() -> list[str]:
    """The items of the list, each whole."""
    return re.split(r"^- ", FAULTS_PAGE.text, flags=re.MULTILINE)[1:]


def _proofs(entry: str) -> list[Link]:
    return [link for link in links_in(entry) if "/tests/" in link.target]


@cache
def _names(path: Path) -> frozenset[str]:
    """What a file of tests proves: its tests by name, and the faults it names."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    tests = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return frozenset({name for name in tests if name.startswith("test_")} | (texts & set(FAULTS)))


def test_the_list_is_there_and_long() -> None:
    assert len(_entries()) >= 30


@pytest.mark.parametrize("entry", _entries(), ids=lambda entry: entry.split("**")[1][:60])
def test_a_fault_in_the_list_names_tests_that_exist(entry: str) -> None:
    proofs = _proofs(entry)
    assert proofs, "no test is linked"
    for proof in proofs:
        path = (FAULTS_PAGE.path.parent / proof.target).resolve()
        assert path.is_file(), f"{proof.target} does not exist"
        assert proof.title in _names(path), f"{proof.target} proves nothing called {proof.title!r}"
