"""Hooks of a job: programs that run `before` and `after` its command.

They run in the job's own process group, so that a time limit, a stop and the loss of the lease end them like
the command itself, whichever runner or host scheduler started the run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from windrow.config import job_settings
from windrow.config.job_settings import JobSettings
from windrow.config.kinds import render_duration
from windrow.config.loader import LIBRARY_VARIABLE, load
from windrow.config.secrets import Mask, mask_for
from windrow.errors import WindrowError
from windrow.model.job_state import outcome_of_exit_code

OK, FAILED, PARTIAL, LATER, INTERRUPTED = 0, 1, 3, 75, 130  # exit codes
STEP, CODE, OUTCOME = "WINDROW_JOB_STEP", "WINDROW_JOB_CODE", "WINDROW_JOB_OUTCOME"
BEFORE, AFTER = "before", "after"
_KILL_SECONDS = 5.0  # between SIGTERM and SIGKILL for a program that takes too long
_OUTPUT_SECONDS = 2.0  # for output that is left when the program has ended
_CHUNK = 65536
# Indented, so that the summary of a run is still taken from the output of the command itself.
_INDENT = b"    "


@dataclass(frozen=True, slots=True)
class JobHooks:
    """The hooks of one job. Their output goes to `out`."""

    settings: JobSettings
    folder: Path
    environ: Mapping[str, str]
    make_mask: Callable[[], Mask]
    out: IO[bytes]

    def around(self, command: Callable[[], int]) -> int:
        """Run the job's command between its hooks; return the exit code of the whole run.

        A failing `before` prevents the command; exit code 75 postpones the run. `after` runs whenever the
        command has run and was not stopped; the outcome is in its environment.
        """
        settings = self.settings
        if settings.before:
            code = self._run(BEFORE, settings.before, {})
            if code:
                return LATER if code == LATER else FAILED
        code = command()
        if not settings.after or code == INTERRUPTED or code < 0:
            return code
        about = {CODE: str(code), OUTCOME: outcome_of_exit_code(code).value}
        failed = self._run(AFTER, settings.after, about)
        return FAILED if failed and code in (OK, PARTIAL) else code

    def _run(self, step: str, words: Sequence[str], about: Mapping[str, str]) -> int:
        """Run a program to its end; return its exit code, or FAILED with the reason printed."""
        self._say(f"{step}: {job_settings.join_command_line(tuple(words))}")
        environ = {**self.environ, LIBRARY_VARIABLE: str(self.folder), STEP: step, **about}
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env=environ,
            )
        except (OSError, ValueError) as exc:
            reason = getattr(exc, "strerror", None) or exc
            return self._complain(f"{step}: {words[0]} cannot be started: {reason}")
        assert process.stdout is not None
        pump = threading.Thread(target=self._pump, args=(process.stdout,), name="output", daemon=True)
        pump.start()
        try:
            process.wait(self.settings.program_limit)
        except subprocess.TimeoutExpired:
            _terminate(process)
            limit = render_duration(self.settings.program_limit)
            return self._complain(f"{step}: {words[0]} was stopped after {limit}, its time limit")
        finally:
            pump.join(_OUTPUT_SECONDS)
        code = process.returncode
        if code == LATER and step == BEFORE:
            self._complain(f"{step}: {words[0]} asks for another try later (exit code 75)")
            return LATER
        if code:
            how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
            return self._complain(f"{step}: {words[0]} {how}")
        return 0

    def _pump(self, stream: IO[bytes]) -> None:
        """Forward the output of a program, without the library's secrets."""
        mask, is_line_begun = self.make_mask(), False
        read = stream.read1  # type: ignore[attr-defined]
        with suppress(OSError, ValueError):
            while some := read(_CHUNK):
                safe = mask.feed(some)
                if safe:
                    self._write(safe, is_line_begun)
                    is_line_begun = not safe.endswith(b"\n")
            rest = mask.feed(b"\n")  # a partial match of a secret that is complete now
            if is_line_begun or len(rest) > 1:
                self._write(rest, is_line_begun)

    def _write(self, some: bytes, is_line_begun: bool) -> None:
        first = b"" if is_line_begun else _INDENT
        body, end = (some[:-1], b"\n") if some.endswith(b"\n") else (some, b"")
        self.out.write(first + body.replace(b"\n", b"\n" + _INDENT) + end)
        self.out.flush()

    def _say(self, words: str) -> None:
        self.out.write(f"  {self.make_mask().text(words)}\n".encode("utf-8", "replace"))
        self.out.flush()

    def _complain(self, words: str) -> int:
        """Print an error, which becomes the summary of the run."""
        sys.stderr.write(f"error: {self.make_mask().text(words)}\n")
        sys.stderr.flush()
        return FAILED


def _terminate(process: subprocess.Popen[bytes]) -> None:
    """Terminate a program, then kill it. Its children end with the run."""
    process.terminate()
    try:
        process.wait(_KILL_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def run_to_exit_code(command: Callable[[], object]) -> int:
    """Run a command that ends with SystemExit; return the exit code."""
    try:
        command()
    except SystemExit as exc:
        if exc.code is None or isinstance(exc.code, int):
            return exc.code or 0
        sys.stderr.write(f"{exc.code}\n")
        return FAILED
    return 0


def read_hooks(environ: Mapping[str, str], name: str, folder: Path) -> JobHooks | None:
    """Return the hooks of a job; None if it has none, or if the settings cannot be read.

    The command itself reports unreadable settings.
    """
    try:
        config = load(folder, environ=environ)
    except (WindrowError, OSError):
        return None
    settings = config.jobs.get(name)
    if settings is None or not (settings.before or settings.after):
        return None
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    return JobHooks(settings, folder, environ, lambda: mask_for(config, environ), out)
