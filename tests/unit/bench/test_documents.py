"""The bench's documents: of every kind, always the same, no two alike, and read whole by both sides."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from bench import documents
from bench.contestants import PEERS
from bench.measure import PROJECT

FILES = 24


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("documents")
    documents.write(made, FILES)
    return made


def read(line: list[str], out: Path) -> dict[str, dict[str, object]]:
    subprocess.run([sys.executable, *line, str(out)], check=True, cwd=PROJECT, timeout=300)
    lines = map(json.loads, (out / "documents").read_text().splitlines())
    return {said["path"]: said for said in lines}


def test_every_kind_is_there_and_no_two_files_are_the_same(folder: Path) -> None:
    paths = [path for path in folder.rglob("*") if path.is_file()]
    assert {path.suffix[1:] for path in paths} == set(documents.KINDS)
    assert len({hashlib.sha256(path.read_bytes()).digest() for path in paths}) == FILES


def test_the_same_number_makes_the_same_file() -> None:
    for _, make in documents.KINDS.values():
        assert make(7) == make(7)
        assert make(7) != make(8)


def test_the_plain_loop_and_the_readers_find_the_same_texts_and_pictures(
    folder: Path, tmp_path: Path
) -> None:
    plain = read([str(PEERS / "documents_plain.py"), str(folder)], tmp_path / "plain")
    ours = read(["-m", "bench.documents_pool", str(folder)], tmp_path / "ours")
    assert len(plain) == len(ours) == FILES
    for path, said in ours.items():
        if path.endswith((".pdf", ".txt", ".docx")):
            assert _words(said["text"]) == _words(plain[path]["text"])
    drawn = [{picture.name for picture in (tmp_path / who).glob("*.jpg")} for who in ("plain", "ours")]
    assert drawn[0] == drawn[1] != set()


def _words(text: object) -> list[str]:
    assert isinstance(text, list)
    return " ".join(text).split()
