"""The settings of jobs, of their runner and of notifications; part of `schema`.

`every`, `at` and `on` are interpreted by `schedule`, which makes a cadence of them.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from windrow.config import kinds
from windrow.config.fields import Settings, optional, required, setting
from windrow.config.kinds import Kind, SettingError
from windrow.config.network_values import HOST, MAIL, MAILS, URL, mask_url

# Command lines: split like a shell does, but never passed to one.

OURSELVES = "windrow"
_ADDRESS = re.compile(r"https?://[^\s\"'<>]+", re.IGNORECASE)
# Jobs with these commands would never end, or be jobs about jobs.
NO_JOBS = ("schedule", "worker", "serve", "demo", "init")


def split_command_line(line: str) -> tuple[str, ...]:
    """Return the words of a command line; SettingError for an unclosed quote."""
    try:
        return tuple(shlex.split(line))
    except ValueError:
        raise SettingError("must be a command line, with every quote closed") from None


def join_command_line(words: tuple[str, ...]) -> str:
    return shlex.join(words)


def addresses_in(words: Iterable[str]) -> Iterator[str]:
    """Yield the addresses in the words of a command line. They may contain keys."""
    for word in words:
        yield from _ADDRESS.findall(word)


def _show(words: Iterable[str]) -> str:
    return join_command_line(tuple(_ADDRESS.sub(lambda found: mask_url(found[0]), word) for word in words))


def _read_ours(value: object) -> str:
    words = split_command_line(kinds.TEXT.read(value))
    words = words[1:] if words[:1] == (OURSELVES,) else words
    if not words or words[0].startswith("-"):
        raise SettingError('must be a command line of windrow, such as "harvest theseus"')
    if words[0] in NO_JOBS:
        raise SettingError(f"must not begin with {words[0]}: that is nothing to do at certain times")
    return join_command_line(words)


def _read_foreign(value: object) -> tuple[str, ...]:
    words = split_command_line(kinds.TEXT.read(value))
    if not words or not words[0]:
        raise SettingError("must be a command line, such as '/usr/local/bin/tell --quiet'")
    return words


def _read_arguments(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not value or len(value) > kinds.MOST_LINES:
        raise SettingError(
            'must be a list: a program and its arguments, such as ["/usr/local/bin/fetch", "-q"]'
        )
    words = tuple(map(kinds.TEXT.read, value))
    if not words[0]:
        raise SettingError("must begin with a program")
    return words


OUR_COMMAND: Kind[str] = Kind(
    "command line of windrow", _read_ours, show=lambda line: _show(split_command_line(line))
)
COMMAND: Kind[tuple[str, ...]] = Kind("command line", _read_foreign, show=_show)
ARGUMENTS: Kind[tuple[str, ...]] = Kind(
    "program and its arguments", _read_arguments, lambda text: list(split_command_line(text)), _show
)

OWN_RUNNER = "here"  # the runner of Windrow itself
HOSTS = (OWN_RUNNER, "cron", "systemd", "launchd", "schtasks")
SKIP, QUEUE = "skip", "queue"
FAILURE, CHANGE, ALWAYS, NEVER = TELLING = ("failure", "change", "always", "never")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ScheduleSettings(Settings):
    """How jobs are run."""

    in_serve: bool = setting(
        kinds.FLAG, True, "Whether `windrow serve` runs the jobs as well; else `windrow worker` does."
    )
    jobs: int = setting(
        kinds.count(1, 256, "jobs"), 2, "How many jobs one runner has under way at the same time."
    )
    lease: float = setting(
        kinds.duration("1s", "1d"),
        "1m",
        "How long a job stays with a runner that gives no sign of life before another takes it over.",
    )
    grace: float = setting(
        kinds.duration("0s", "1d"), "30s", "How long a run that is told to stop may take before it is killed."
    )
    log_bytes: int = setting(
        kinds.size("1 kB", "1 GB"), "1 MB", "How much of the output of one run is kept, its end above all."
    )
    keep_logs: int = setting(
        kinds.count(1, 100_000, "runs"), 100, "Of how many runs of a job the output is kept."
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class JobSettings(Settings):
    """One job: what it does, and when."""

    name: str
    run: str = required(
        OUR_COMMAND,
        'What is done: a command line of Windrow without its first word, such as "harvest theseus".',
    )
    every: str = required(
        kinds.TEXT,
        "How often: hourly, daily, weekly, monthly, yearly, weekdays, weekends, 6 hours, 20 minutes, 2 days,"
        " or a cron expression of five fields.",
    )
    at: str | None = optional(
        kinds.TEXT, "The time of day, such as 03:30; of hourly jobs the minute, such as :15.", absent="00:00"
    )
    on: str | None = optional(
        kinds.TEXT,
        "The day: of weekly jobs mon, tue, …; of monthly ones 1 to 31, or last; of yearly ones 12-24.",
        absent="the first one",
    )
    timezone: str = setting(kinds.TEXT, "UTC", "The time zone of these times, such as Europe/Helsinki.")
    host: str = setting(
        kinds.choice(*HOSTS),
        OWN_RUNNER,
        "Who begins it: Windrow itself, or a scheduler of this machine that calls `windrow schedule run`.",
    )
    overlap: str = setting(
        kinds.choice(SKIP, QUEUE),
        SKIP,
        "What becomes of a time that comes while it still runs: left out, or made up for right after.",
    )
    jitter: float = setting(
        kinds.duration("0s", "1d"),
        "0s",
        "By how much it may begin later than said, so that many jobs do not begin at once.",
    )
    time_limit: float | None = setting(
        kinds.duration_or_never("1s", "365d"), "1d", "How long a run may take before it is ended."
    )
    attempts: int = setting(
        kinds.count(1, 100, "tries"), 3, "How often a run is tried before it counts as failed."
    )
    backoff: float = setting(
        kinds.duration("0s", "7d"), "5m", "The pause before the second try; it doubles with each further one."
    )
    catch_up: bool = setting(
        kinds.FLAG, True, "Whether times missed while nothing ran are made up for, once for all of them."
    )
    before: tuple[str, ...] | None = optional(
        ARGUMENTS,
        "A program of yours to run first, without a shell: a list of the program and its arguments. If it"
        " fails, the run has failed and the command is not run.",
    )
    after: tuple[str, ...] | None = optional(
        ARGUMENTS,
        "A program of yours to run after the command, however that went. If it fails, the run has failed.",
    )
    program_limit: float = setting(
        kinds.duration("1s", "365d"), "1h", "How long `before` and `after` may each take."
    )
    tell: str = setting(
        kinds.choice(*TELLING),
        FAILURE,
        "When to notify: on failures, on a change between good and bad, on every run, or never.",
    )

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the command line, without `windrow`."""
        return split_command_line(self.run)


# Notifications: who receives the outcomes of jobs, and by which channels.

STARTTLS, TLS, PLAIN = "starttls", "tls", "none"
_PASSWORD, _SECRET = "password", "webhook_secret"  # groups of settings


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NotifySettings(Settings):
    """Notifications by mail, webhook and command: every configured one is used."""

    mail_to: tuple[str, ...] = setting(MAILS, [], "Who gets mail.")
    mail_from: str | None = optional(
        MAIL, "Whom the mail is from.", absent="the library's contact, where that is a mail address"
    )
    smtp_host: str | None = optional(HOST, "The mail server that takes it.")
    smtp_port: int | None = optional(
        kinds.count(1, 65535, "port"), "Its port.", absent="587 with starttls, 465 with tls, 25 with none"
    )
    tls: str = setting(
        kinds.choice(STARTTLS, TLS, PLAIN),
        STARTTLS,
        "How the connection to it is kept private: begun in the clear, from the start, or not at all.",
    )
    username: str | None = optional(kinds.TEXT, "The user name at the mail server, if it asks for one.")
    password: str | None = optional(
        kinds.TEXT, "The password there. Better kept out of the file.", is_secret=True, group=_PASSWORD
    )
    password_file: str | None = optional(
        kinds.PATH, "A file whose first line is that password.", group=_PASSWORD
    )
    password_env: str | None = optional(
        kinds.VARIABLE, "The environment variable that holds that password.", group=_PASSWORD
    )
    webhook: str | None = optional(
        URL, "An address that gets a POST with JSON. Shown nowhere: many have a key in them.", is_secret=True
    )
    webhook_secret: str | None = optional(
        kinds.TEXT,
        "What that POST is signed with. Better kept out of the file.",
        is_secret=True,
        group=_SECRET,
    )
    webhook_secret_file: str | None = optional(
        kinds.PATH, "A file whose first line is what it is signed with.", group=_SECRET
    )
    webhook_secret_env: str | None = optional(
        kinds.VARIABLE, "The environment variable that holds what it is signed with.", group=_SECRET
    )
    command: tuple[str, ...] | None = optional(
        COMMAND, "A program that is started, without a shell, with the same JSON on its standard input."
    )
    timeout: float = setting(kinds.duration("1s", "1d"), "30s", "How long each of these ways may take.")
