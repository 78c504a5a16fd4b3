"""Notifications about runs: whether one is due, its message, and the channels: mail, webhook, command."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import IO

from windrow.config.job_settings import ALWAYS, FAILURE, NEVER, JobSettings, NotifySettings
from windrow.config.loader import LIBRARY_VARIABLE
from windrow.config.schema import Config
from windrow.config.secrets import find_password, find_webhook_secret
from windrow.errors import ConfigError, Undelivered
from windrow.model.job_state import JobOutcome, JobRun, JobState
from windrow.schedule.cadence import find_zone
from windrow.store.outbox import NotificationState

# The command channel: a program started without a shell, given JSON on stdin, and limited in time.

_COMPLAINT_BYTES = 4096
_MAX_COMPLAINT_CHARACTERS = 200


def run_notifier(
    command: Sequence[str],
    said: bytes,
    *,
    folder: Path,
    environ: Mapping[str, str],
    timeout_seconds: float,
) -> None:
    """Run a program in the library's folder with the message on stdin.

    Raises Undelivered unless it exits with 0.
    """
    name = Path(command[0]).name
    about = {**environ, LIBRARY_VARIABLE: str(folder.resolve())}
    # A file instead of a pipe: endless output must not fill the memory.
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
            _kill_process(process)
        if process.returncode:
            raise Undelivered(f"the command {name} ended with {process.returncode}{_last_line(complaints)}")


def _kill_process(process: subprocess.Popen[bytes]) -> None:
    """Kill the program with all its children."""
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
    return f": {lines[-1][:_MAX_COMPLAINT_CHARACTERS]}" if lines else ""


# The decision whether a run is worth a message is pure, so that tests can simulate weeks. A failing job is
# reported at once, then about once a day while it keeps failing, and when it has recovered.

# Less than a day, because a job that fails every night fails at slightly different times.
REMINDER_SECONDS = 20 * 3600.0


class Occasion(StrEnum):
    """The reason for a message; part of the interface for programs."""

    FAILED = "failed"
    FAILING = "failing"  # again
    RECOVERED = "recovered"
    ENDED = "ended"
    TEST = "test"


def decide_occasion(
    tell: str, run: JobRun, failing: NotificationState | None, *, now: float
) -> Occasion | None:
    """Return the reason to report a finished run; None if there is none, or if it will be retried."""
    if tell == NEVER or run.retry_at is not None:
        return None
    if run.outcome is JobOutcome.FAILED:
        return _of_failure(tell, failing, now)
    if run.is_good and failing is not None and failing.at is not None:
        return Occasion.RECOVERED
    return Occasion.ENDED if tell == ALWAYS else None


def _of_failure(tell: str, failing: NotificationState | None, now: float) -> Occasion | None:
    if failing is None or failing.at is None:
        return Occasion.FAILED
    if tell == ALWAYS or (tell == FAILURE and now - failing.at >= REMINDER_SECONDS):
        return Occasion.FAILING
    return None


MAX_LINE_CHARACTERS = 400  # of the output
_LABEL = 10
_UNITS = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))


@dataclass(frozen=True, slots=True)
class Message:
    """A message for any channel. `title` contains only fixed words, because chat rooms interpret markup."""

    title: str
    text: str
    facts: dict[str, object]

    def as_json(self) -> bytes:
        """Return the message as JSON. Most chat rooms show `text`."""
        return json.dumps({"text": self.title} | self.facts, ensure_ascii=False).encode()


@dataclass(frozen=True, slots=True)
class RunReport:
    """The facts of a message. `lines` are the end of the run's output."""

    occasion: Occasion
    library: str
    job: JobSettings
    run: JobRun
    state: JobState | None
    failing: NotificationState | None  # the failures before and with this run; None: none
    lines: Sequence[str] = ()


def compose_message(report: RunReport) -> Message:
    title = f"{report.library}: {report.job.name} {_verdict(report)}"
    return Message(title, "\n".join((title, "", *_details(report))) + "\n", _facts(report, title))


def compose_test_message(library: str) -> Message:
    """Compose a message that only shows that messages arrive."""
    title = f"{library}: a message to see that messages arrive"
    facts: dict[str, object] = {"occasion": Occasion.TEST.value, "library": library, "title": title}
    return Message(title, f"{title}\n\nNothing has happened. Jobs will be told of in the same way.\n", facts)


def _verdict(report: RunReport) -> str:
    outcome = report.run.outcome.value if report.run.outcome else "running"
    failures = report.failing.failures if report.failing else 0
    if report.occasion is Occasion.RECOVERED:
        return f"is {outcome} again after {_counted(failures, 'failure')}"
    if report.failing and (report.occasion is Occasion.FAILING or failures > 1):
        since = _format_local_time(report.failing.since, report.job)
        return f"{outcome}: failing since {since}, {_counted(failures, 'failure')}"
    return outcome


def _details(report: RunReport) -> Iterator[str]:
    run, job, state = report.run, report.job, report.state
    yield _line("what", f"windrow {job.run}")
    yield _line("in words", _plain_line(run.summary))
    yield _line("due", _format_local_time(run.due, job))
    yield _line("started", _format_local_time(run.started, job))
    if run.ended is not None:
        tries = f", at attempt {run.attempt}" if run.attempt > 1 else ""
        yield _line("took", f"{_format_duration(run.ended - run.started)}{tries}")
    if state is not None and state.last_good is not None and not run.is_good:
        yield _line("last good", _format_local_time(state.last_good.started, job))
    if state is not None and state.at is not None and not state.is_paused:
        yield _line("next", _format_local_time(state.at, job))
    if run.log:
        yield _line("output", f"windrow run log {run.id}")
    if report.lines:
        yield from ("", "Its last lines:", *(f"    {_plain_line(line)}" for line in report.lines))


def _facts(report: RunReport, title: str) -> dict[str, object]:
    run, state, failing = report.run, report.state, report.failing
    return {
        "occasion": report.occasion.value,
        "library": report.library,
        "title": title,
        "job": report.job.name,
        "command": f"windrow {report.job.run}",
        "run": run.id,
        "outcome": run.outcome.value if run.outcome else None,
        "code": run.code,
        "attempt": run.attempt,
        "summary": run.summary,
        "due": _iso(run.due),
        "started": _iso(run.started),
        "ended": _iso(run.ended),
        "failing_since": _iso(failing.since) if failing else None,
        "failures": failing.failures if failing else 0,
        "next": _iso(state.at) if state else None,
        "log": run.log or None,
    }


def _plain_line(line: str) -> str:
    """Return a line without control characters, which mail readers may not handle."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in line[:MAX_LINE_CHARACTERS])


def _line(label: str, value: str) -> str:
    return f"{label:{_LABEL}} {value}".rstrip()


def _format_local_time(seconds: float, job: JobSettings) -> str:
    try:
        zone = find_zone(job.timezone)
    except ConfigError:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"
    return f"{datetime.fromtimestamp(seconds, zone):%Y-%m-%d %H:%M %Z}"


def _iso(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _format_duration(seconds: float) -> str:
    """Format a duration in its two largest units."""
    left = max(0, round(seconds))
    parts: list[str] = []
    for unit, size in _UNITS:
        count, left = divmod(left, size)
        if count or (unit == "s" and not parts):
            parts.append(f"{count} {unit}")
    return " ".join(parts[:2])


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun if count == 1 else noun + 's'}"


# The channels: mail, webhook, command. All that are configured are used.

MAIL, WEBHOOK, COMMAND = "mail", "webhook", "command"


@dataclass(frozen=True, slots=True)
class NotificationChannel:
    """One channel; `send` raises Undelivered if the message did not arrive."""

    name: str
    send: Callable[[Message], None]


def configured_channels(config: Config, *, environ: Mapping[str, str]) -> list[NotificationChannel]:
    """Return the configured channels. Passwords are read only when something is sent."""
    return list(_build_channels(config, environ))


def _build_channels(config: Config, environ: Mapping[str, str]) -> Iterator[NotificationChannel]:
    notify = config.notify
    if notify.mail_to:
        yield NotificationChannel(MAIL, partial(_send_mail, notify, environ))
    if notify.webhook:
        yield NotificationChannel(WEBHOOK, partial(_send_webhook, notify, config.library.contact, environ))
    if notify.command:
        yield NotificationChannel(COMMAND, partial(_send_to_command, notify, config.path, environ))


def _send_mail(notify: NotifySettings, environ: Mapping[str, str], message: Message) -> None:
    from windrow.net.smtp import MailServer, send_mail  # noqa: PLC0415 - only needed for mail

    if not notify.smtp_host or not notify.mail_from:  # the settings check both
        raise Undelivered("mail needs `smtp_host` and `mail_from` in [notify]")
    server = MailServer(
        notify.smtp_host,
        notify.smtp_port,
        notify.tls,
        notify.username,
        _secret(find_password, notify, environ),
        notify.timeout,
    )
    send_mail(server, sender=notify.mail_from, to=notify.mail_to, subject=message.title, text=message.text)


def _send_webhook(
    notify: NotifySettings, contact: str | None, environ: Mapping[str, str], message: Message
) -> None:
    from windrow.net.webhook import Webhook, post_json  # noqa: PLC0415

    secret = _secret(find_webhook_secret, notify, environ)
    hook = Webhook(notify.webhook or "", secret, notify.timeout, contact or None)
    post_json(hook, message.as_json())


def _send_to_command(
    notify: NotifySettings, folder: Path, environ: Mapping[str, str], message: Message
) -> None:
    run_notifier(
        notify.command or (),
        message.as_json(),
        folder=folder,
        environ=environ,
        timeout_seconds=notify.timeout,
    )


def _secret(
    find: Callable[..., str | None], notify: NotifySettings, environ: Mapping[str, str]
) -> str | None:
    try:
        return find(notify, environ=environ)
    except ConfigError as exc:
        raise Undelivered(str(exc), hint=exc.hint) from exc
