"""One engine in a process of its own: `python -m bench.search.contender ENGINE build|ask|update FOLDER`.

The part `search` starts it and reads the line of JSON that it prints. The corpus is in memory before the
clock starts.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from random import Random
from typing import Protocol

from bench.search import corpus, ours, plain
from bench.search.questions import WARMING, Question, Row, draw
from windrow.index.tantivy.rows import Entry

CORPUS = "corpus"
UPDATED = 0.01  # of the records


class Engine(Protocol):
    """What answers questions."""

    def build(self, entries: Iterable[Entry]) -> None:
        """Take in everything; come back when it can be searched and nothing is merged any more."""

    def update(self, entries: Iterable[Entry]) -> None:
        """Put entries in the place of earlier ones; come back when they are found."""

    def ask(self, question: Question) -> int:
        """Answer a question; give how many documents there are to it."""


class Maker(Protocol):
    """What makes an engine in a folder, or opens one there."""

    def __call__(self, folder: Path, *, is_new: bool = False) -> Engine: ...


ENGINES: Mapping[str, Maker] = {"plain": plain.PlainIndex, "ours": ours.OurIndex}


def main(name: str, action: str, folder: str, number: str) -> None:
    """Do one thing with one engine and say what it took; the number is of records, or of the update."""
    gc.set_threshold(50_000, 20, 20)  # as under the `windrow` command, for both
    make, home, place = ENGINES[name], Path(folder), Path(folder) / name
    match action:
        case "build":
            entries = corpus.read(home / CORPUS)
            engine = make(place, is_new=True)
            said: object = _clocked(lambda: engine.build(entries)) | {"bytes": _size(place)}
        case "update":
            changed = _changed(home, version=int(number))
            engine = make(place)
            said = _clocked(lambda: engine.update(changed))
        case _:
            said = _answers(make(place), int(number))
    print(json.dumps(said))


def _clocked(work: Callable[[], None]) -> dict[str, float]:
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def _answers(engine: Engine, records: int) -> dict[str, dict[str, list[float]]]:
    """Ask everything once; give by row how long each took, and how many documents it found."""
    said: dict[str, dict[str, list[float]]] = {}
    clock = time.perf_counter
    for row in Row:
        questions = draw(row, records)
        for question in questions[:WARMING]:
            engine.ask(question)
        gc.collect()
        seconds: list[float] = []
        hits: list[float] = []
        for question in questions[WARMING:]:
            started = clock()
            found = engine.ask(question)
            seconds.append(clock() - started)
            hits.append(found)
        said[row] = {"seconds": seconds, "hits": hits}
    return said


def _changed(home: Path, *, version: int) -> list[Entry]:
    """Give one record in a hundred, drawn from all of them, in a new version."""
    records = int((home / f"{CORPUS}.records").read_text())
    chosen = Random(version).sample(range(1, records + 1), max(1, int(records * UPDATED)))
    return [corpus.entry(number, version=version) for number in chosen]


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main(*sys.argv[1:])
