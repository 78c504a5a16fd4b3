"""cron, through the user's `crontab` command: read, change the job's line, write and verify, else restore."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from windrow.errors import ConfigError, HostError
from windrow.schedule.cadence import Cadence
from windrow.schedule.hosts.host_scheduler import library_mark, require_local, run_command

# A user's crontab as bytes: the single line of a job is inserted, replaced, found or removed. All other bytes
# are preserved: no decoding, no trimming, no added newline.

_WORD = b"windrow-job"
MAX_COMMAND_BYTES = 990  # bytes; Debian's cron refuses 1000
_NOT_SAID = re.compile(r"[\n\r\0\\]")  # a line cannot contain the first three, and crons differ on the last


def insert_line(table: bytes, line: bytes, job: str, mark: str) -> bytes:
    """Return the table with the line of a job: in place of the old one, else after the last whole line."""
    lines = table.split(b"\n")
    places = _find_lines(lines, job, mark)
    if not places:
        lines.insert(len(lines) - 1, line)
        return b"\n".join(lines)
    lines[places[0]] = line
    return b"\n".join(each for place, each in enumerate(lines) if place not in places[1:])


def remove_line(table: bytes, job: str, mark: str) -> bytes:
    lines = table.split(b"\n")
    places = _find_lines(lines, job, mark)
    return b"\n".join(each for place, each in enumerate(lines) if place not in places)


def has_line(table: bytes, job: str, mark: str) -> bool:
    return bool(_find_lines(table.split(b"\n"), job, mark))


def render_line(expression: str, command: Sequence[str], job: str, mark: str) -> bytes:
    """Render the line of a job. The mark at its end is a comment to the shell."""
    if any(_NOT_SAID.search(word) for word in command):
        raise ConfigError(
            "A line break or a backslash in a path cannot be written into a crontab.",
            hint="Use --host systemd.",
        )
    # To cron, an unescaped % ends the command.
    words = os.fsencode(shlex.join(command)).replace(b"%", rb"\%")
    rest = words + _ending(job, mark)
    if len(rest) > MAX_COMMAND_BYTES:
        raise ConfigError("The path of the library is too long for a crontab.", hint="Use --host systemd.")
    return expression.encode("ascii") + b" " + rest


def sets_zone(table: bytes) -> str | None:
    """Return the zone that the table sets for its times, for crons that support it."""
    found = re.findall(rb"^[ \t]*CRON_TZ[ \t]*=[ \t]*[\"']?([^\"'\s]+)", table, re.MULTILINE)
    return found[-1].decode("ascii", "replace") if found else None


def _ending(job: str, mark: str) -> bytes:
    return b" # %s %s %s" % (_WORD, job.encode("utf-8"), mark.encode("ascii"))


def _find_lines(lines: list[bytes], job: str, mark: str) -> list[int]:
    """Find the lines of a job: not commented out, and with the mark at the end."""
    ending = _ending(job, mark)
    # The last piece has no line break, so it is not one of Windrow's lines.
    whole = lines[:-1]
    return [
        place
        for place, line in enumerate(whole)
        if line.rstrip(b" \t\r").endswith(ending) and not line.lstrip().startswith(b"#")
    ]


_CANNOT = (
    "Cron can say hourly, daily, weekly, monthly, yearly, weekdays, minutes that divide an hour, hours that "
    "divide a day, or any cron expression; for all else, leave out --host."
)
_LISTED_AS = {b"\r": rb"\r", b"\b": rb"\b"}
_NONE = ("no crontab for", "no such file")  # the second is BusyBox


class Cron:
    """The crontab of the current user."""

    def install(self, job: str, cadence: Cadence, command: Sequence[str], library: Path) -> str:
        """Write or replace the line of a job; return a message."""
        if cadence.cron is None:
            raise ConfigError(f"Cron cannot say {cadence.words}.", hint=_CANNOT)
        require_local(cadence, "Cron")
        mark = library_mark(library)
        line = render_line(cadence.cron, command, job, mark)
        with _locked():
            table = _read()
            _refuse_other_zone(table or b"", cadence)
            _write(insert_line(table or b"", line, job, mark), table)
        return f"A line in your crontab runs {job} {cadence.words}."

    def remove(self, job: str, library: Path) -> bool:
        """Remove the line of a job; return False if there was none."""
        mark = library_mark(library)
        with _locked():
            table = _read()
            if table is None or not has_line(table, job, mark):
                return False
            _write(remove_line(table, job, mark), table)
        return True

    def installed(self, job: str, library: Path) -> bool:
        return has_line(_read() or b"", job, library_mark(library))


def _refuse_other_zone(table: bytes, cadence: Cadence) -> None:
    """Refuse a table with a CRON_TZ: some crons shift every time below it, others do not support it."""
    zone = sets_zone(table)
    if zone is not None and zone != cadence.timezone:
        raise ConfigError(
            f"Your crontab sets CRON_TZ to {zone}, and this job is in {cadence.timezone}.",
            hint=f"Give the job --timezone {zone}, or use --host systemd.",
        )


def _read() -> bytes | None:
    """Return the user's crontab; None if there is none."""
    answer = run_command(("crontab", "-l"))
    if answer.code == 0:
        return _as_kept(answer.output)
    if any(words in answer.words.lower() for words in _NONE):
        return None
    raise HostError(f"Your crontab cannot be read: {answer.words or answer.code}.")


def _as_kept(listed: bytes) -> bytes:
    """Return the true bytes of a listed table.

    Debian's `crontab -l` lists a carriage return and a backspace as two letters each, so its output cannot be
    written back; `crontab -e` passes the true bytes to the editor, which here only prints them.
    """
    if not any(shown in listed for shown in _LISTED_AS.values()):
        return listed
    kept = run_command(("crontab", "-e"), told={"EDITOR": "cat", "VISUAL": "cat"}).output
    if listed not in (kept, _as_listed(kept)):
        raise HostError("Your crontab has carriage returns or backspaces that cannot be kept as they are.")
    return kept


def _as_listed(kept: bytes) -> bytes:
    for byte, shown in _LISTED_AS.items():
        kept = kept.replace(byte, shown)
    return kept


def _write(table: bytes, before: bytes | None) -> None:
    """Write a crontab and verify it; restore the old one on failure."""
    if table == before:
        return
    problem = _replace(table)
    now = _read()
    if problem is None and (now or b"") == table:
        return
    if now != before:
        _put_back(before, problem)
    raise HostError(f"Your crontab could not be written: {_reason(problem, table)}. It is as it was.")


def _replace(table: bytes) -> str | None:
    """Pass a table to `crontab`, or remove an empty one; return its error message, or None."""
    answer = run_command(("crontab", "-"), table) if table else run_command(("crontab", "-r"))
    return (answer.words or f"exit code {answer.code}") if answer.code else None


def _put_back(before: bytes | None, problem: str | None) -> None:
    complaint = _replace(before or b"")
    if (_read() or b"") == (before or b""):
        return
    kept = tempfile.NamedTemporaryFile(prefix="crontab-", delete=False)  # noqa: SIM115
    with kept:
        kept.write(before or b"")
    raise HostError(
        f"Your crontab could not be written{_complaint_suffix(problem)}"
        f" nor put back{_complaint_suffix(complaint)}.",
        hint=f"What it was is in {kept.name}: `crontab {kept.name}` puts it back.",
    )


def _complaint_suffix(complaint: str | None) -> str:
    return f" ({complaint})" if complaint else ""


def _reason(problem: str | None, table: bytes) -> str:
    if not table.endswith(b"\n"):
        return "its last line has no line break at its end, add one with `crontab -e`"
    return problem or "what was read back is not what was written"


@contextlib.contextmanager
def _locked() -> Iterator[None]:
    """Lock the crontab against other Windrow processes of this user; `crontab` itself has no lock."""
    try:
        import fcntl  # noqa: PLC0415 - missing on Windows, which has no cron either
    except ImportError:
        yield
        return
    path = Path(tempfile.gettempdir()) / f"windrow-crontab-{os.getuid()}.lock"
    with contextlib.ExitStack() as stack:
        # Without a place for the lock, the table is still verified after writing.
        with contextlib.suppress(OSError):
            number = os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            stack.callback(os.close, number)
            fcntl.flock(number, fcntl.LOCK_EX)
        yield
