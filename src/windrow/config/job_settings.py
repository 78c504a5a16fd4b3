"""The settings of jobs, and of whoever runs them; `schema` has them among the others.

What `every`, `at` and `on` mean is for `schedule` to say, which reads them into a cadence. Who is told of
runs is in `notify`.
"""

from __future__ import annotations

from dataclasses import dataclass

from windrow.config import command_lines, kinds
from windrow.config.fields import Settings, optional, required, setting

HERE = "here"  # Windrow's own runner
HOSTS = (HERE, "cron", "systemd", "launchd", "schtasks")
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
    """One job: what is done, and when."""

    name: str
    run: str = required(
        command_lines.OUR_COMMAND,
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
        HERE,
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
        command_lines.ARGUMENTS,
        "A program of yours to run first, without a shell: a list of the program and its arguments. If it"
        " fails, the run has failed and the command is not run.",
    )
    after: tuple[str, ...] | None = optional(
        command_lines.ARGUMENTS,
        "A program of yours to run after the command, however that went. If it fails, the run has failed.",
    )
    program_limit: float = setting(
        kinds.duration("1s", "365d"), "1h", "How long `before` and `after` may each take."
    )
    tell: str = setting(
        kinds.choice(*TELLING),
        FAILURE,
        "When people are told: of failures, of a change between good and bad, of every run, of none.",
    )

    @property
    def words(self) -> tuple[str, ...]:
        """The command line in its words, without `windrow`."""
        return command_lines.split(self.run)
