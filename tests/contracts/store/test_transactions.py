"""All or nothing, and nobody sees half of it."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.contracts.store.shelf import NOW, BackEnd, Shelf, live
from windrow.model.record import Reject
from windrow.store.harvests import checkpoints, quarantine_cases
from windrow.store.records.record_reader import RecordReader, count_records

EVERYTHING = ("record", "payload", "block", "envelope", "source_set", "set_group", "set_member", "quarantine")


class Broke(Exception):
    """What a test raises in the middle of a transaction."""


def test_a_page_and_its_checkpoint_are_kept_together_or_not_at_all(shelf: Shelf) -> None:
    writer = shelf.writer()
    with shelf.store.writing() as connection:
        stretch = ("oai_dc", "", None, None)
        (window,) = checkpoints.plan(connection, shelf.source_id, shelf.run_id, [stretch])
    before, last = {name: shelf.count(name) for name in EVERYTHING}, shelf.last_seq()
    with pytest.raises(Broke), shelf.store.writing() as connection:  # noqa: PT012 - all of it is one step
        writer.write(connection, [live("a", sets=("s",)), live("b")])
        quarantine_cases.put(
            connection, shelf.source_id, shelf.run_id, "oai_dc", [Reject("r", b"x")], now=NOW
        )
        checkpoints.advance(connection, window.id, token="t", seen=2, claimed=9, started_at=None)
        raise Broke
    assert {name: shelf.count(name) for name in EVERYTHING} == before
    assert shelf.last_seq() == last
    with shelf.store.reading() as connection:
        (found,) = checkpoints.find_unfinished(connection, shelf.source_id, "oai_dc", "")
    assert found == window


def test_a_reader_sees_one_state_while_a_writer_commits(shelf: Shelf) -> None:
    shelf.write(live("a", b"<x>1</x>"))
    with shelf.store.reading() as before:
        assert count_records(before) == 1
        shelf.write(live("a", b"<x>2</x>"), live("b"))
        with shelf.store.reading() as after:
            assert count_records(after) == 2
        assert count_records(before) == 1
        (record,) = RecordReader().find(before, "a")
        assert record.payloads[0].data == b"<x>1</x>"


def test_a_reader_sees_nothing_of_a_transaction_under_way(shelf: Shelf) -> None:
    writer = shelf.writer()
    with shelf.store.writing() as connection:
        writer.write(connection, [live("a")])
        with shelf.store.reading() as other:
            assert count_records(other) == 0
    with shelf.store.reading() as other:
        assert count_records(other) == 1


READER = """
import sys
from pathlib import Path
from tests.contracts.store.shelf import BACK_ENDS
from windrow.store.records.record_reader import count_records
(back_end,) = [item for item in BACK_ENDS if item.name == sys.argv[2]]
store = back_end.open(Path(sys.argv[1]))
for _ in sys.stdin:
    with store.reading() as connection:
        print(count_records(connection), flush=True)
        sys.stdin.readline()
        print(count_records(connection), flush=True)
store.close()
"""


def test_another_process_reads_a_stable_state_while_this_one_writes(
    back_end: BackEnd, shelf: Shelf, tmp_path: Path
) -> None:
    shelf.write(live("a"))
    command = [sys.executable, "-c", READER, str(tmp_path), back_end.name]
    root = Path(__file__).resolve().parents[3]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True, cwd=root) as reader:
        assert reader.stdin is not None
        assert reader.stdout is not None

        def ask() -> int:
            assert reader.stdin is not None
            assert reader.stdout is not None
            reader.stdin.write("\n")
            reader.stdin.flush()
            return int(reader.stdout.readline())

        assert ask() == 1
        shelf.write(live("b"))
        assert ask() == 1
        assert ask() == 2
        shelf.write(live("c"))
        assert ask() == 2
        reader.stdin.close()
        assert reader.wait() == 0


def test_threads_take_turns_at_writing(shelf: Shelf) -> None:
    shelves = [Shelf(shelf.store, f"source-{number}") for number in range(4)]

    def work(mine: Shelf) -> None:
        for number in range(10):
            mine.write(live(f"n{number}"))

    threads = [threading.Thread(target=work, args=(mine,)) for mine in shelves]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shelf.count("record") == 40
    assert shelf.last_seq() == 40


def test_what_is_settled_is_in_the_file_itself(back_end: BackEnd, shelf: Shelf, tmp_path: Path) -> None:
    shelf.write(live("a"))
    shelf.store.settle()
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "windrow.db").write_bytes((tmp_path / "windrow.db").read_bytes())
    opened = back_end.open(copy)
    with opened.reading() as connection:
        assert count_records(connection) == 1
    opened.close()
