"""How Windrow is installed: what the plain install holds, and that advice names what exists."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAMES = {"PIL": "pillow", "charset_normalizer": "charset-normalizer"}  # of packages, by module


def texts() -> list[tuple[str, str]]:
    paths = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("src/**/*.py")]
    return [(str(path), path.read_text(encoding="utf-8")) for path in paths if path.name != "CHANGELOG.md"]


def test_advice_to_install_names_no_package_index_entry() -> None:
    wrong = re.compile(r"pip install ['\"]?windrow|install_hint\(f|as\s+`windrow\[")
    assert [name for name, text in texts() if wrong.search(text)] == []


def test_advice_to_install_names_extras_that_exist() -> None:
    said = re.compile(r"install_hint\(['\"](\w+)['\"]\)|pip install '\.\[(\w+)\]'")
    named = {first or second for _, text in texts() for first, second in said.findall(text)}
    assert named
    assert named <= set(PROJECT["optional-dependencies"])


def test_the_plain_install_reads_documents() -> None:
    plain = {Requirement(each).name for each in PROJECT["dependencies"]}
    imported = set()
    for path in (ROOT / "src/windrow/extract").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported.add(node.module.partition(".")[0])
            elif isinstance(node, ast.Import):
                imported |= {each.name.partition(".")[0] for each in node.names}
    needed = {NAMES.get(each, each) for each in imported & {*NAMES, "py3langid", "pypdfium2", "tinytag"}}
    assert len(needed) == 5
    assert needed <= plain
    assert PROJECT["optional-dependencies"]["documents"] == []  # kept for `windrow[documents]`
