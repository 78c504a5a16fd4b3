"""A user's crontab as bytes: our one line for a job put in, replaced, found, taken out. `cron` does the rest.

Every other byte stays: no decoding, no trimming, no newline where there was none.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence

from windrow.errors import ConfigError

_WORD = b"windrow-job"
LONGEST_COMMAND = 990  # bytes; Debian's cron refuses 1000
_NOT_SAID = re.compile(r"[\n\r\0\\]")  # a line cannot hold the first three, and crons differ on the last


def put(table: bytes, line: bytes, job: str, mark: str) -> bytes:
    """Give the table with this line for a job: where the old one stood, else after the last whole line."""
    lines = table.split(b"\n")
    places = _places(lines, job, mark)
    if not places:
        lines.insert(len(lines) - 1, line)
        return b"\n".join(lines)
    lines[places[0]] = line
    return b"\n".join(each for place, each in enumerate(lines) if place not in places[1:])


def take_out(table: bytes, job: str, mark: str) -> bytes:
    """Give the table without the line of a job."""
    lines = table.split(b"\n")
    places = _places(lines, job, mark)
    return b"\n".join(each for place, each in enumerate(lines) if place not in places)


def holds(table: bytes, job: str, mark: str) -> bool:
    """Whether there is a line of this job."""
    return bool(_places(table.split(b"\n"), job, mark))


def render_line(expression: str, command: Sequence[str], job: str, mark: str) -> bytes:
    """Write our line. The mark at its end is a comment to the shell that cron hands the command to."""
    if any(_NOT_SAID.search(word) for word in command):
        raise ConfigError(
            "A line break or a backslash in a path cannot be written into a crontab.",
            hint="Use --host systemd.",
        )
    # Cron takes a bare % for the end of the command.
    words = os.fsencode(shlex.join(command)).replace(b"%", rb"\%")
    rest = words + _ending(job, mark)
    if len(rest) > LONGEST_COMMAND:
        raise ConfigError("The path of the library is too long for a crontab.", hint="Use --host systemd.")
    return expression.encode("ascii") + b" " + rest


def sets_zone(table: bytes) -> str | None:
    """Give the zone that the table sets for its times, where cron knows of such a thing."""
    found = re.findall(rb"^[ \t]*CRON_TZ[ \t]*=[ \t]*[\"']?([^\"'\s]+)", table, re.MULTILINE)
    return found[-1].decode("ascii", "replace") if found else None


def _ending(job: str, mark: str) -> bytes:
    return b" # %s %s %s" % (_WORD, job.encode("utf-8"), mark.encode("ascii"))


def _places(lines: list[bytes], job: str, mark: str) -> list[int]:
    """Find our lines: not commented out, and with our mark at the end."""
    ending = _ending(job, mark)
    # The last piece has no line break: it is no line, and not ours.
    whole = lines[:-1]
    return [
        place
        for place, line in enumerate(whole)
        if line.rstrip(b" \t\r").endswith(ending) and not line.lstrip().startswith(b"#")
    ]
