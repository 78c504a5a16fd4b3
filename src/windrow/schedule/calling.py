"""A program of the owner's that is told of runs: started without a shell, given JSON, bounded in time."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from windrow.config.find import VARIABLE
from windrow.errors import Undelivered

_COMPLAINT_BYTES = 4096
_LONGEST_COMPLAINT = 200


def call(
    command: Sequence[str],
    said: bytes,
    *,
    folder: Path,
    environ: Mapping[str, str],
    timeout_seconds: float,
) -> None:
    """Run a program in the library's folder with this on its stdin; Undelivered unless it ends with 0."""
    name = Path(command[0]).name
    about = {**environ, VARIABLE: str(folder.resolve())}
    # A file and not a pipe: one that prints without end must not fill our memory.
    with tempfile.TemporaryFile() as complaints:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=complaints,
                cwd=folder,
                env=about,
                start_new_session=True,
            )
        except (OSError, ValueError) as exc:
            reason = getattr(exc, "strerror", None) or exc
            raise Undelivered(f"the command {name} cannot be started: {reason}") from exc
        try:
            process.communicate(said, timeout=timeout_seconds)
        except subprocess.TimeoutExpired:
            raise Undelivered(f"the command {name} took longer than {timeout_seconds:g} seconds") from None
        finally:
            _end(process)
        if process.returncode:
            raise Undelivered(f"the command {name} ended with {process.returncode}{_last_line(complaints)}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Leave nothing behind of what it began."""
    with suppress(ProcessLookupError, PermissionError):
        if process.returncode is None and hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        elif process.returncode is None:
            process.kill()
    process.wait()
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()


def _last_line(file: IO[bytes]) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _COMPLAINT_BYTES))
    text = file.read().decode("utf-8", "replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return f": {lines[-1][:_LONGEST_COMPLAINT]}" if lines else ""
