"""Where the access log of `windrow serve` goes: to a file, to stdout or nowhere."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from windrow.config.serving import NO_LOG, STDOUT_LOG
from windrow.errors import WindrowError, explain_write

if TYPE_CHECKING:
    from windrow.faces.shared.access_log import AccessLog


@dataclass(frozen=True, slots=True)
class LogTarget:
    """A place for the log: "none", "-" or the path of a file."""

    place: str

    def open(self) -> AccessLog | None:
        """Give the log, or None where none is wanted."""
        from windrow.faces.shared.access_log import AccessLog

        if self.place == NO_LOG:
            return None
        if self.place == STDOUT_LOG:
            return AccessLog(descriptor=sys.stdout.fileno())
        return AccessLog(Path(self.place))


def log_target(setting: str | None, *, folder: Path, is_quiet: bool) -> LogTarget:
    """Give the place that was asked for; a file that cannot be written is an error now, not later."""
    if not setting:
        return LogTarget(NO_LOG if is_quiet else STDOUT_LOG)
    if setting in (NO_LOG, STDOUT_LOG):
        return LogTarget(setting)
    path = folder / setting
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o640))
    except OSError as exc:
        words, advice = explain_write(exc, path)
        raise WindrowError(
            f"the access log {path} cannot be written: {words}",
            hint=f"{advice} --access-log names another file.",
        ) from exc
    return LogTarget(str(path))
