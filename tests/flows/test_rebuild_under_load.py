"""A library is searched while its index is built anew, killed half-way, activated, and gone back from.

No search fails, and each answer is that of one generation. WINDROW_LOAD_RECORDS sets how many records.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from tests.contracts.store.shelf import Shelf, gone, live
from tests.flows.commanding import environment
from tests.flows.crowd import PATIENCE_SECONDS, Crowd, Question, parsed
from tests.flows.serving import serving
from windrow.index.feeder import follow
from windrow.index.generations import Generations
from windrow.index.tantivy.damage import find_damage
from windrow.model.record import Record
from windrow.store import runs
from windrow.store.store import open_store
from windrow.wiring import create_library

RECORDS = int(os.environ.get("WINDROW_LOAD_RECORDS", "100000"))
GONE = RECORDS // 10  # of them in the new state
CLIENTS = 4
PAGE = 2_000
OLD, NEW = "old", "new"
TITLES = {OLD: "Meadow", NEW: "Pasture"}
TOTALS = {OLD: RECORDS, NEW: RECORDS - GONE}
_DC = (
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>%s n%d</dc:title>'
    "<dc:subject>%s</dc:subject></oai_dc:dc>"
)
# Builds until half is done, says so, and waits to be killed.
_HALF = """
import sys
from windrow.index.feeder import build_aside
from windrow.wiring import open_library

def stop_at_half(done, total):
    if done * 2 >= total:
        print("half", flush=True)
        sys.stdin.read()

library = open_library(sys.argv[1])
build_aside(library.store, library.generations, on_progress=stop_at_half)
"""


def test_no_search_fails_and_none_is_mixed_while_the_index_is_built_killed_and_activated(
    tmp_path: Path,
) -> None:
    folder = create_library(tmp_path / "library")
    generations = Generations(folder / "index")
    _write(folder, OLD)
    _index(folder, generations)
    with serving(folder, "--workers", "2") as server, Crowd(server.port, _question, clients=CLIENTS) as crowd:
        crowd.wait_for(OLD)
        _write(folder, NEW)
        crowd.wait_for(OLD)
        assert crowd.seen[NEW] == 0, "what is held was followed"

        with crowd.thinking():
            _kill_half_way(folder)
        crowd.wait_for(OLD)
        assert crowd.seen[NEW] == 0
        assert _history(folder) == [("build", "killed", "g-000002"), ("build", "ok", "g-000001")]
        assert generations.current() == "g-000001"

        with crowd.thinking():
            _windrow(folder, "collection", "build")
        crowd.wait_for(OLD)
        assert crowd.seen[NEW] == 0, "what was built was searched before it was activated"
        _windrow(folder, "collection", "activate")
        crowd.wait_for(NEW)

        _windrow(folder, "collection", "rollback")
        crowd.wait_for(OLD)
    assert crowd.wrong == []
    assert set(crowd.seen) == {OLD, NEW}
    for name in generations.names():
        assert find_damage(generations.path(name)) == ""


def _write(folder: Path, state: str) -> None:
    """Put every record into the library, as it is in a state."""
    store = open_store(folder)
    writer = Shelf(store, "hay").writer()
    for start in range(0, RECORDS, PAGE):
        page = [_record(number, state) for number in range(start, min(start + PAGE, RECORDS))]
        with store.writing() as connection:
            writer.write(connection, page)
    store.close()


def _record(number: int, state: str) -> Record:
    name = f"oai:hay.example:{number}"
    if state == NEW and number < GONE:
        return gone(name)
    return live(name, (_DC % (TITLES[state], number, state)).encode(), declarations=b"")


def _index(folder: Path, generations: Generations) -> None:
    """Build the first generation, and hold it: the server is to leave it as it is."""
    store = open_store(folder)
    follow(store, generations)
    store.close()
    generations.make_current("g-000001", held_since="2024-06-01T12:00:00+00:00")


def _question(chance: random.Random) -> Question:
    """Something whose answer is known: everything with its numbers, or a single record."""
    if chance.random() < 0.2:
        return Question("/api/v1/search?q=*&facet=subject&facet=source&per_page=5", _judge_all)
    number = chance.randrange(GONE, RECORDS)
    if chance.random() < 0.5:
        return Question(f"/api/v1/search?q={quote(f'n{number}')}&facet=subject", _judge_one(number))
    return Question(f"/search?q={quote(f'n{number}')}", _judge_page)


def _judge_all(body: bytes) -> str:
    found = parsed(body)
    state = next(state for state, total in TOTALS.items() if total == found["total"])
    subjects, sources = (
        [(each["value"], each["count"]) for each in facet["values"]] for facet in found["facets"]
    )
    assert subjects == [(state, found["total"])], found
    assert sources == [("hay", found["total"])], found
    assert {item["title"].split()[0] for item in found["items"]} == {TITLES[state]}, found
    return state


def _judge_one(number: int) -> Callable[[bytes], str]:
    def judge(body: bytes) -> str:
        found = parsed(body)
        (item,) = found["items"]
        state = next(state for state, word in TITLES.items() if item["title"] == f"{word} n{number}")
        assert [each["value"] for each in found["facets"][0]["values"]] == [state], found
        return state

    return judge


def _judge_page(body: bytes) -> str:
    (state,) = [state for state, word in TITLES.items() if word.encode() in body]
    return state


def _kill_half_way(folder: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _HALF, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == b"half\n"
        finally:
            process.kill()


def _windrow(folder: Path, *arguments: str) -> None:
    line = [sys.executable, "-c", "from windrow.cli.main import main; main()", "-L", str(folder), *arguments]
    done = subprocess.run(
        line, capture_output=True, text=True, timeout=PATIENCE_SECONDS, env=environment(), check=False
    )
    assert done.returncode == 0, done.stderr


def _history(folder: Path) -> list[tuple[str, str, str]]:
    store = open_store(folder)
    with store.reading() as connection:
        found = [(step.kind.value, step.word, step.generation) for step in runs.list_steps(connection)]
    store.close()
    return [each for each in found if each[0] == "build"]
