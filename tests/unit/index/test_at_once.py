"""Many at once: readers while it is built anew, two that want to write, one that is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

from tests.flows.commanding import WAIT_SECONDS, environment
from tests.unit.index.grain import Grain, titled, titles
from windrow.index.feeder import follow
from windrow.index.tantivy.live_index import LiveIndex
from windrow.model.query import Everything, Word

RECORDS = 1500
_BUILDER = """
import sys
from pathlib import Path
from windrow.index import feeder
from windrow.index.generations import Generations
from windrow.store.store import open_store

def progress(done, total):
    print(done, flush=True)
    sys.stdin.readline()  # until somebody lets it go on

feeder.BATCH = 500
folder, is_rebuilding = Path(sys.argv[1]), sys.argv[2] == "rebuild"
generations = Generations(folder / "index")
feeder.follow(open_store(folder), generations, is_rebuilding=is_rebuilding, on_progress=progress)
"""


def filled(grain: Grain) -> None:
    grain.shelf.write(*(titled(f"a{number}", f"Hay {number}") for number in range(RECORDS)))


def builder(grain: Grain, how: str) -> subprocess.Popen[str]:
    """Another process that builds, and waits for a line after each batch."""
    return subprocess.Popen(
        [sys.executable, "-c", _BUILDER, str(grain.folder.parent), how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    )


def kill_after_a_batch(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "500"
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=WAIT_SECONDS)


def test_readers_never_fail_and_never_see_less_while_it_is_built_anew(grain: Grain) -> None:
    filled(grain)
    grain.follow()
    index = LiveIndex(grain.folder, clock=iter(range(1_000_000_000)).__next__)  # a look at every question
    stop, counts, failures = threading.Event(), set[int](), list[Exception]()

    def read() -> None:
        while not stop.is_set():
            try:
                counts.add(index.count(Everything()))
                counts.add(index.search(Word("hay"), limit=5).total)
            except Exception as exc:  # noqa: BLE001 - whatever it is, it is what the test looks for
                failures.append(exc)
                return

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for _ in range(3):
        grain.follow(is_rebuilding=True)
    stop.set()
    for reader in readers:
        reader.join()
    assert failures == []
    assert counts == {RECORDS}


def test_a_build_that_is_killed_loses_nothing_and_doubles_nothing(grain: Grain) -> None:
    filled(grain)
    kill_after_a_batch(builder(grain, "follow"))
    grain.shelf.write(titled("a7", "Straw"))
    grain.follow()
    index = LiveIndex(grain.folder)
    assert index.newest().records == RECORDS
    assert titles(index, "straw") == ["Straw"]


def test_a_rebuild_that_is_killed_leaves_the_old_index_in_use(grain: Grain) -> None:
    filled(grain)
    grain.follow()
    kill_after_a_batch(builder(grain, "rebuild"))
    assert LiveIndex(grain.folder).newest().records == RECORDS
    assert grain.generations.current() == "g-000001"
    assert not grain.follow().is_built  # nothing is amiss with it
    assert grain.follow(is_rebuilding=True).put == RECORDS


def test_a_second_writer_waits_for_the_first(grain: Grain) -> None:
    filled(grain)
    first = builder(grain, "follow")
    assert first.stdout is not None
    assert first.stdin is not None
    first.stdout.readline()
    assert follow(grain.store, grain.generations, is_waiting=False).is_busy
    results: list[int] = []
    second = threading.Thread(target=lambda: results.append(grain.follow().put))
    second.start()
    first.communicate("\n" * 9, timeout=WAIT_SECONDS)
    second.join(WAIT_SECONDS)
    assert results == [0]  # the first one did it all
    assert LiveIndex(grain.folder).newest().records == RECORDS


def test_a_commit_that_was_not_noted_is_made_again_without_doubles(grain: Grain) -> None:
    filled(grain)
    grain.follow()
    state = grain.generations.state("g-000001")
    assert state is not None
    note = Path(grain.folder / "g-000001" / "state.json")
    note.write_text(note.read_text().replace(f'"cursor": {state.cursor}', '"cursor": 700'))
    assert grain.follow().put == RECORDS - 700
    assert LiveIndex(grain.folder).newest().records == RECORDS
