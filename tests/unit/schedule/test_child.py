"""A job's own process: it says how it ended, it ends with its runner, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from windrow.config.secrets import Mask
from windrow.schedule.job_process import KEPT_BYTES, ProcessChild, boot_time, render_lease
from windrow.schedule.run_logs import log_name, open_log, read_log

WAIT_SECONDS = 60
GUARDED = "from windrow.schedule.job_process import watch_stdin; watch_stdin()\n"
STAY = "import threading; print('ready', flush=True); threading.Event().wait()\n"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups are of POSIX")


class Watched:
    """A child with its output, and the moment when it has ended."""

    def __init__(self, script: str, **options: object) -> None:
        self.output = bytearray()
        self.is_ready = threading.Event()
        self.has_ended = threading.Event()
        self.child = ProcessChild(
            [sys.executable, "-c", script],
            environ=dict(os.environ),
            on_end=self.has_ended.set,
            sinks=[self._write],
            **options,  # type: ignore[arg-type]
        )

    def _write(self, some: bytes) -> None:
        self.output += some
        self.is_ready.set()

    def code(self) -> int | None:
        assert self.has_ended.wait(WAIT_SECONDS)
        return self.child.poll()


@contextmanager
def watched(script: str, **options: object) -> Iterator[Watched]:
    made = Watched(script, **options)
    try:
        yield made
    finally:
        made.child.kill()
        assert made.has_ended.wait(WAIT_SECONDS)


@pytest.mark.parametrize("code", [0, 1, 3, 75, 130])
def test_its_exit_code_is_known_when_it_has_ended(code: int) -> None:
    with watched(f"raise SystemExit({code})") as run:
        assert run.code() == code


def test_a_signal_that_ended_it_is_a_negative_code() -> None:
    with watched(STAY) as run:
        assert run.is_ready.wait(WAIT_SECONDS)
        assert run.child.poll() is None
        run.child.stop()
        assert run.code() == -signal.SIGTERM


def test_a_log_has_what_a_mask_held_back_when_it_has_ended(tmp_path: Path) -> None:
    log = open_log(tmp_path, "nightly", 1, mask=Mask(["correct horse"]))
    has_ended = threading.Event()
    ProcessChild(
        [sys.executable, "-c", "print('done: co', end='')"],
        environ=dict(os.environ),
        on_end=has_ended.set,
        sinks=[log],
        error_sinks=[log],
    )
    assert has_ended.wait(WAIT_SECONDS)
    assert read_log(tmp_path, log_name("nightly", 1)) == "done: co"


def test_all_that_it_printed_is_there_when_it_has_ended() -> None:
    script = "import sys\nfor n in range(20000): print('line', n)\nsys.stderr.write('last')"
    with watched(script) as run:
        assert run.code() == 0
        lines = run.output.decode().splitlines()
        assert lines[:2] + lines[-2:] == ["line 0", "line 1", "line 19999", "last"]
        assert run.child.last_words().endswith("last")
        assert len(run.child.last_words()) == KEPT_BYTES


def test_errors_go_apart_where_somebody_watches() -> None:
    errors: list[bytes] = []
    script = "import sys; print('result'); sys.stderr.write('error')"
    with watched(script, error_sinks=[errors.append]) as run:
        assert run.code() == 0
        assert (bytes(run.output), b"".join(errors)) == (b"result\n", b"error")


def test_a_sink_that_fails_does_not_keep_it_from_ending() -> None:
    def full(_some: bytes) -> None:
        raise OSError("no space left")

    with watched("import sys; sys.stderr.write('x' * 1000000)", error_sinks=[full]) as run:
        assert run.code() == 0


def test_secrets_are_not_in_its_last_words() -> None:
    with watched("print('password is hush')", clean=lambda words: words.replace("hush", "…")) as run:
        assert run.code() == 0
        assert run.child.last_words() == "password is …\n"


def test_to_kill_it_kills_what_it_began() -> None:
    with watched(_parent_of_two(STAY)) as run:
        assert run.is_ready.wait(WAIT_SECONDS)
        run.child.kill()
        assert run.code() == -signal.SIGKILL
        assert _is_gone(int(run.output.split()[0]))


def test_what_it_leaves_running_behind_is_ended_with_it() -> None:
    with watched(_parent_of_two("")) as run:
        assert run.code() == 0
        assert _is_gone(int(run.output.split()[0]))


def test_it_ends_when_its_runner_is_killed(tmp_path: Path) -> None:
    with _runner(tmp_path, GUARDED + STAY) as (runner, child):
        assert not _is_gone(child, wait=False)
        runner.kill()
        runner.wait(WAIT_SECONDS)
        assert _is_gone(child)


def test_it_ends_by_force_when_it_does_not_heed_the_end_of_its_runner(tmp_path: Path) -> None:
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    with _runner(tmp_path, GUARDED + deaf + STAY) as (runner, child):
        runner.kill()
        runner.wait(WAIT_SECONDS)
        assert _is_gone(child)


def test_it_ends_when_its_runner_is_halted_and_its_lease_not_kept() -> None:
    with watched(GUARDED + STAY) as run:
        assert run.is_ready.wait(WAIT_SECONDS)
        run.child.keep(boot_time() + 0.1, 0.1)
        assert run.code() == -signal.SIGTERM


def test_it_goes_on_as_long_as_its_lease_is_kept() -> None:
    script = GUARDED + "import sys, threading; print('ready', flush=True); threading.Event().wait(0.6)\n"
    with watched(script) as run:
        assert run.is_ready.wait(WAIT_SECONDS)
        run.child.keep(boot_time() + 0.3, 0.1)
        run.child.keep(boot_time() + WAIT_SECONDS, 0.1)
        assert run.code() == 0


def test_a_command_finds_nothing_on_its_stdin() -> None:
    with watched(GUARDED + "import sys; print(repr(sys.stdin.read()))") as run:
        run.child.keep(boot_time() + WAIT_SECONDS, 0.1)
        assert run.code() == 0
        assert run.output == b"''\n"


def test_a_lease_is_a_line() -> None:
    assert render_lease(12.5, 0.25) == b"12.5 0.25\n"


def _parent_of_two(then: str) -> str:
    """A process that begins another, says its number and goes on."""
    inner = "import threading; threading.Event().wait()"
    begin = f"import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', {inner!r}])\n"
    return begin + "print(p.pid, flush=True)\n" + then


@contextmanager
def _runner(folder: Path, script: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A process that holds a child with this script; give both, the child by its number."""
    holder = f"""
import os, sys, threading
from windrow.schedule.job_process import ProcessChild, boot_time
said = threading.Event()
def hear(some): said.set()
command = [sys.executable, "-c", {script!r}]
child = ProcessChild(command, environ=dict(os.environ), on_end=said.set, sinks=[hear])
child.keep(boot_time() + 1000, 0.2)
said.wait()
print(child._process.pid, flush=True)
threading.Event().wait()
"""
    process = subprocess.Popen([sys.executable, "-c", holder], stdout=subprocess.PIPE, text=True, cwd=folder)
    try:
        assert process.stdout is not None
        yield process, int(process.stdout.readline())
    finally:
        process.kill()
        process.communicate(timeout=WAIT_SECONDS)


def _is_gone(pid: int, *, wait: bool = True) -> bool:
    """Say whether a process has ended, in a while; a zombie that nobody looks after has."""
    return _until(lambda: _state(pid) in ("", "Z", "X"), tries=WAIT_SECONDS * 20 if wait else 1)


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def _until(is_so: Callable[[], bool], *, tries: int) -> bool:
    pause = threading.Event()
    return any(is_so() or pause.wait(0.05) for _ in range(tries))
