"""Files are read in processes of their own: whatever one does there costs that file and no other."""

from __future__ import annotations

import ctypes
import io
import json
import os
import platform
import signal
import socket
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from tests.fixtures import missing
from tests.unit.extract.trials import done, ends, opened, task, trial_pool
from windrow.errors import WindrowError, install_hint
from windrow.extract.child_process import Order, Worker
from windrow.extract.child_protocol import ANSWER_LENGTHS, Errand
from windrow.extract.confinement import LANDLOCK_CREATE, LANDLOCK_VERSION, MACHINES
from windrow.extract.pool import Limits, Pool, Task
from windrow.extract.reading_job import Job, Refusal, Result
from windrow.model.document import Heading
from windrow.model.file_content import Extract, Member

SMALL = Limits(memory_bytes=300_000_000, text_characters=1_000)


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pool]:
    with trial_pool(tmp_path, monkeypatch, limits=SMALL) as found:
        yield found


def text(outcome: Result | Refusal) -> str:
    assert isinstance(outcome, Result), outcome
    return outcome.extract.text[0]


def _has_landlock() -> bool:
    is_linux = sys.platform == "linux"
    return is_linux and ctypes.CDLL(None).syscall(LANDLOCK_CREATE, None, 0, LANDLOCK_VERSION) > 0


def code(outcome: Result | Refusal) -> str:
    assert isinstance(outcome, Refusal), outcome
    return outcome.code


def test_everything_a_reader_gives_comes_through_as_it_was(pool: Pool) -> None:
    (outcome,) = done(pool, "everything")
    assert outcome == Result(
        Extract(
            "text/plain",
            said=(("title", "Räksmörgås"), ("creator", "half ? a pair")),
            measured=(("pages", "2"),),
            text=("first ☃", "", "third ?"),
            is_paged=True,
            headings=(Heading("One", 1, 1), Heading("Two", 2, None)),
            members=(Member("a/b.txt", 3, 1_700_000_000), Member("c", 0)),
            notes=("a note",),
        )
    )


@pytest.mark.parametrize(
    ("deed", "expected", "reason"),
    [
        ("allocate", "memory", "it needed more than 300 MB of memory"),
        ("segfault", "crash", f"the reader crashed (signal {signal.SIGSEGV.value})"),
        ("abort", "crash", "the reader crashed (signal 6; perhaps it needed more than 300 MB of memory)"),
        ("exit", "crash", "the reader crashed (exit 7)"),
        ("leave", "crash", "the reader failed: SystemExit: 7"),
        ("fail of its own", "crash", "the reader failed: ValueError: of its own"),
        ("recurse", "unreadable", "it is nested too deeply"),
        ("refuse it is encrypted", "unreadable", "it is encrypted"),
        ("miss Pillow", "missing", f"reading it needs Pillow. {install_hint()}"),
        ("flood", "output", "it gave more than may be kept of one file"),
        ("members 5000000", "output", "it says more of itself than may be kept"),
    ],
)
def test_a_file_that_does_harm_is_refused_and_the_files_around_it_are_read(
    pool: Pool, deed: str, expected: str, reason: str
) -> None:
    before, harmful, after, last = done(pool, "before", deed, "after", "last")
    assert harmful == Refusal(reason, expected)  # type: ignore[arg-type]
    assert [text(outcome) for outcome in (before, after, last)] == ["before", "after", "last"]


def test_files_that_take_too_long_are_refused_and_the_next_ones_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deeds = ("spin", "sleep", "ignore_time")
    with trial_pool(tmp_path, monkeypatch, workers=3, limits=Limits(time_seconds=1)) as pool:
        *late, after = done(pool, *deeds, "after")
    assert late == [Refusal("it took longer than 1 s", "time")] * 3
    assert text(after) == "after"


@pytest.mark.parametrize(("deed", "number"), [("spin_unclocked", signal.SIGXCPU), ("sleep", signal.SIGALRM)])
def test_the_system_ends_a_child_that_takes_too_long_when_nobody_else_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deed: str, number: signal.Signals
) -> None:
    limits = Limits(time_seconds=0.1 if deed == "sleep" else 1)
    with trial_pool(tmp_path, monkeypatch, limits=limits):
        worker = Worker(limits)
        assert worker.give(Order(opened(deed), Errand("all", Job("trial.txt")))) is None
        try:
            assert worker._process is not None
            assert worker._process.wait(60) == -number
        finally:
            worker.close()


def test_a_child_that_had_nothing_to_do_for_long_has_all_its_time_for_the_next_file(pool: Pool) -> None:
    done(pool, "first")
    (worker,) = pool._idle
    worker.deadline = 0.0  # as it is when more than the time for one file has passed
    assert worker.give(Order(opened("later"), Errand("all", Job("trial.txt")))) is None
    assert worker.deadline > time.monotonic()


def test_a_child_that_closes_its_line_is_ended(pool: Pool) -> None:
    harmful, after = done(pool, "close", "after")
    assert code(harmful) == "crash"
    assert text(after) == "after"


def test_an_answer_that_makes_no_sense_is_not_believed(pool: Pool) -> None:
    said = ANSWER_LENGTHS.pack(2, 0, 0) + b"[]"
    harmful, after = done(pool, f"say {said.hex()}", "after")
    assert harmful == Refusal("the reader's answer makes no sense", "output")
    assert text(after) == "after"


def test_two_answers_to_one_file_do_not_give_the_next_one_what_is_not_its_own(pool: Pool) -> None:
    answer = b'{"number":1,"reason":"forged","code":"no such code","last":false}'
    said = ANSWER_LENGTHS.pack(len(answer), 0, 0) + answer
    forged, after, last = done(pool, f"say {said.hex()}", "after", "last")
    assert forged == Refusal("forged", "crash")
    assert after == Refusal("the reader answered what nobody asked", "output")
    assert text(last) == "last"


def test_text_beyond_the_limit_is_left_out_and_a_note_says_so(pool: Pool) -> None:
    (outcome,) = done(pool, "text 5000")
    assert isinstance(outcome, Result)
    assert outcome.extract.text == ("x" * 1_000,)
    assert outcome.extract.notes == ("Only the beginning of its text was kept, 1,000 characters at most.",)


def test_what_a_reader_started_ends_with_the_pool(pool: Pool) -> None:
    (outcome,) = done(pool, "fork")
    started = int(text(outcome))
    assert not ends(started, seconds=0)
    pool.close()
    assert ends(started)


def test_a_reader_cannot_write_files(pool: Pool, tmp_path: Path) -> None:
    target = tmp_path / "written"
    (outcome,) = done(pool, f"write {target}")
    assert code(outcome) == "crash"
    assert not target.exists() or not target.stat().st_size


def test_a_reader_cannot_change_or_remove_files(pool: Pool, tmp_path: Path) -> None:
    if not _has_landlock():
        missing("this kernel cannot forbid changes to files")
    original = tmp_path / "original"
    original.write_text("as it was")
    outcomes = done(
        pool, f"write {original}", f"remove {original}", f"start echo x > {original}; rm {original}"
    )
    assert [code(outcome) for outcome in outcomes[:2]] == ["crash", "crash"]
    assert text(outcomes[2]) == ""
    assert original.read_text() == "as it was"


def test_a_reader_may_start_a_program_that_writes_nowhere(pool: Pool) -> None:
    (outcome,) = done(pool, "start echo seen; echo unseen > /dev/null")
    assert text(outcome) == "seen\n"


def test_a_reader_reaches_no_network(pool: Pool) -> None:
    if sys.platform != "linux" or platform.machine() not in MACHINES:
        missing("this system cannot forbid sockets")
    with socket.create_server(("127.0.0.1", 0)) as server:
        (outcome,) = done(pool, f"connect {server.getsockname()[1]}")
    assert isinstance(outcome, Refusal)
    assert "Permission denied" in outcome.reason


def test_a_reader_sees_nothing_of_its_surroundings(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_SECRET", "hush")
    (outcome,) = done(pool, "look")
    seen = json.loads(text(outcome))
    assert "A_SECRET" not in seen["environment"]
    assert seen["folder"] == "/"
    assert seen["core"] == [0, 0]
    assert seen["descriptors"] <= 6  # three that lead nowhere, the line, the file, the folder it looks at


def test_a_file_that_cannot_be_opened_is_gone(pool: Pool, tmp_path: Path) -> None:
    absent = Task("absent", lambda: (tmp_path / "absent").open("rb"), Job("absent"))
    outcomes = {given.key: outcome for given, outcome in pool.work([absent, task("there")])}
    assert outcomes["absent"] == Refusal("it could not be opened: No such file or directory", "gone")
    assert text(outcomes["there"]) == "there"


def test_one_child_reads_many_files_and_is_replaced_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with trial_pool(tmp_path, monkeypatch, limits=Limits(jobs=3)) as pool:
        tasks = [task("look", key=number) for number in range(7)]
        outcomes = {given.key: outcome for given, outcome in pool.work(tasks)}
    numbers = [json.loads(text(outcomes[key]))["pid"] for key in range(7)]
    assert [numbers.count(number) for number in dict.fromkeys(numbers)] == [3, 3, 1]


def test_a_child_that_keeps_much_memory_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with trial_pool(tmp_path, monkeypatch) as pool:
        fat, after = done(pool, "bloat", "look")
    assert int(text(fat)) != json.loads(text(after))["pid"]


def test_few_children_wait_for_the_next_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with trial_pool(tmp_path, monkeypatch, workers=3) as pool:
        tasks = [task("look", key=number) for number in range(3)]
        numbers = {json.loads(text(outcome))["pid"] for _, outcome in pool.work(tasks)}
        waiting = {worker._process.pid for worker in pool._idle if worker._process is not None}
        assert (len(numbers), len(waiting)) == (3, 2)
        assert all(ends(number) for number in numbers - waiting)


def test_a_child_that_died_while_idle_is_replaced_without_blame(pool: Pool) -> None:
    (first,) = done(pool, "look")
    number = json.loads(text(first))["pid"]
    os.kill(number, signal.SIGKILL)
    assert ends(number)
    (second,) = done(pool, "after")
    assert text(second) == "after"


def test_no_more_is_taken_than_two_files_a_worker_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = []

    def tasks() -> Iterator[Task]:
        for number in range(50):
            taken.append(number)
            yield task("word", key=number)

    with trial_pool(tmp_path, monkeypatch, workers=2) as pool:
        for given, (_, outcome) in enumerate(pool.work(tasks()), start=1):
            assert text(outcome) == "word"
            assert len(taken) <= given + 2 * 2
    assert len(taken) == 50


def test_whoever_stops_early_leaves_no_child_at_work(pool: Pool) -> None:
    outcomes = pool.work(task("look", key=number) for number in range(10))
    _, first = next(outcomes)
    outcomes.close()  # type: ignore[attr-defined]
    assert ends(json.loads(text(first))["pid"])
    (after,) = done(pool, "after")
    assert text(after) == "after"


def test_threads_share_a_pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[str] = []
    with trial_pool(tmp_path, monkeypatch, workers=2) as pool:

        def work() -> None:
            found.extend(text(outcome) for outcome in done(pool, "one", "two", "three"))

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(found) == ["one"] * 3 + ["three"] * 3 + ["two"] * 3


def test_a_closed_pool_leaves_no_child(pool: Pool) -> None:
    (first,) = done(pool, "look")
    pool.close()
    assert ends(json.loads(text(first))["pid"])
    (second,) = done(pool, "look")
    assert ends(json.loads(text(second))["pid"])


def test_a_child_ends_when_its_parent_has_gone(pool: Pool) -> None:
    (first,) = done(pool, "look")
    number = json.loads(text(first))["pid"]
    worker = pool._idle[0]
    assert worker._socket is not None
    worker._socket.shutdown(socket.SHUT_RDWR)
    assert worker._process is not None
    assert worker._process.wait(30) == 0
    assert ends(number)


def test_a_child_that_cannot_start_is_an_error_and_no_fault_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "windrow").mkdir()
    (tmp_path / "windrow" / "__init__.py").touch()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))  # a Windrow without readers, before the real one
    with pytest.raises(WindrowError, match="does not start"):
        done(Pool(1), "word")


def test_a_program_that_is_not_there_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    with pytest.raises(WindrowError, match=r"does not start: .*No such file"):
        done(Pool(1), "word")


def test_a_name_too_long_to_be_sent_is_refused(pool: Pool) -> None:
    long = Task("long", opened("word"), Job("n" * 100_000))
    ((_, outcome),) = pool.work([long])
    assert outcome == Refusal("its name is too long", "unreadable")


def test_a_picture_is_of_the_size_that_was_asked_for(pool: Pool) -> None:
    outcome = pool.picture(opened(_png()), Job("a.png", size=160))
    assert isinstance(outcome, bytes)
    with Image.open(io.BytesIO(outcome)) as image:
        assert image.size == (160, 80)


def test_a_file_is_read_and_drawn_in_one_go(pool: Pool) -> None:
    ((_, outcome),) = pool.work([Task(0, opened(_png()), Job("a.png"))])
    assert isinstance(outcome, Result)
    assert ("width", "400") in outcome.extract.measured
    assert outcome.picture is not None
    with Image.open(io.BytesIO(outcome.picture)) as image:
        assert image.size == (320, 160)


def test_a_member_of_an_archive_is_a_file_of_its_own(pool: Pool) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as package:
        package.writestr("in/a.png", _png())
        package.writestr("in/a.txt", "member")
    file = opened(archive.getvalue())
    assert pool.member(file, Job("a.zip", member="in/a.png")) == _png()
    assert isinstance(pool.picture(file, Job("a.zip", member="in/a.png")), bytes)
    ((_, outcome),) = pool.work([Task(0, file, Job("a.zip", member="in/a.txt"))])
    assert text(outcome) == "member"
    absent = pool.member(file, Job("a.zip", member="in/b.png"))
    assert isinstance(absent, Refusal)
    assert absent.code == "unreadable"


def _png() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (400, 200), "red").save(file, "PNG")
    return file.getvalue()


def test_there_is_no_picture_of_plain_text(pool: Pool) -> None:
    outcome = pool.picture(opened("word"), Job("word.txt"))
    assert isinstance(outcome, Refusal)
    assert outcome.code == "unreadable"


def test_a_member_that_hangs_or_crashes_costs_itself_and_not_its_neighbours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deeds = {
        "1.txt": "first",
        "2.txt": "segfault",
        "3.txt": "third",
        "4.txt": "spin",
        "5.txt": "fifth",
        "6.txt": "allocate",
        "7.txt": "seventh",
        "8.txt": "exit",
        "9.txt": "ninth",
    }
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, deed in deeds.items():
            archive.writestr(name, deed)
    limits = Limits(time_seconds=1, memory_bytes=300_000_000)
    tasks = [Task(name, lambda: path.open("rb"), Job(name, "", name)) for name in deeds]
    with trial_pool(tmp_path, monkeypatch, limits=limits) as pool:
        outcomes = {each.key: outcome for each, outcome in pool.work(iter(tasks))}
    codes = {name: outcome.code for name, outcome in outcomes.items() if isinstance(outcome, Refusal)}
    assert codes == {"2.txt": "crash", "4.txt": "time", "6.txt": "memory", "8.txt": "crash"}
    words = [text(outcomes[name]) for name in ("1.txt", "3.txt", "5.txt", "7.txt", "9.txt")]
    assert words == ["first", "third", "fifth", "seventh", "ninth"]
