"""The flags that `schedule add` and `schedule edit` share, and how they become settings of windrow.toml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer

from windrow.config.command_lines import split
from windrow.config.describe import help_text
from windrow.config.fields import fields_of
from windrow.config.jobs import JobSettings
from windrow.config.kinds import SettingError
from windrow.config.layers import shorten, suggest
from windrow.errors import UsageError


def _help(key: str) -> str:
    return help_text(f"jobs.NAME.{key}")


Hourly = Annotated[bool, typer.Option("--hourly", help="Every hour.")]
Daily = Annotated[bool, typer.Option("--daily", help="Every day.")]
Weekly = Annotated[bool, typer.Option("--weekly", help="Every week.")]
Monthly = Annotated[bool, typer.Option("--monthly", help="Every month.")]
Yearly = Annotated[bool, typer.Option("--yearly", help="Every year.")]
Every = Annotated[
    str | None,
    typer.Option("--every", metavar="TEXT", help="Any other: '6 hours', '20 minutes', '2 days', weekdays."),
]
Cron = Annotated[
    str | None, typer.Option("--cron", metavar="EXPR", help="A cron expression, such as '*/30 * * * *'.")
]
At = Annotated[str | None, typer.Option("--at", metavar="TIME", help=_help("at"))]
On = Annotated[str | None, typer.Option("--on", metavar="DAY", help=_help("on"))]
Timezone = Annotated[
    str | None,
    typer.Option(
        "--timezone",
        metavar="ZONE",
        help="The time zone, such as Europe/Helsinki. [default: that of this machine]",
    ),
]
Host = Annotated[
    str | None, typer.Option("--host", metavar="here|cron|systemd|launchd|schtasks", help=_help("host"))
]
Overlap = Annotated[str | None, typer.Option("--overlap", metavar="skip|queue", help=_help("overlap"))]
Jitter = Annotated[str | None, typer.Option("--jitter", metavar="TIME", help=_help("jitter"))]
TimeLimit = Annotated[str | None, typer.Option("--time-limit", metavar="TIME", help=_help("time_limit"))]
Attempts = Annotated[int | None, typer.Option("--attempts", metavar="N", help=_help("attempts"))]
Backoff = Annotated[str | None, typer.Option("--backoff", metavar="TIME", help=_help("backoff"))]
CatchUp = Annotated[bool | None, typer.Option("--catch-up/--no-catch-up", help=_help("catch_up"))]
Before = Annotated[
    str | None,
    typer.Option(
        "--before", metavar="LINE", help="A program to run first, with its arguments; no shell reads it."
    ),
]
After = Annotated[
    str | None, typer.Option("--after", metavar="LINE", help="The same, to run after the command.")
]
ProgramLimit = Annotated[
    str | None, typer.Option("--program-limit", metavar="TIME", help=_help("program_limit"))
]
Tell = Annotated[
    str | None, typer.Option("--tell", metavar="failure|change|always|never", help=_help("tell"))
]


def frequency(words: Mapping[str, bool], every: str | None, cron: str | None) -> str | None:
    """Give the one thing that was said about how often; None where nothing was."""
    said = {f"--{word}": word for word, is_said in words.items() if is_said}
    said |= {flag: text for flag, text in (("--every", every), ("--cron", cron)) if text is not None}
    if len(said) > 1:
        raise UsageError(f"{' and '.join(said)}: a job has one cadence", hint="Make it two jobs.")
    return next(iter(said.values()), None)


def program(line: str | None, flag: str) -> list[str] | None:
    """Return a program and its arguments as windrow.toml has them."""
    try:
        return None if line is None else list(split(line))
    except SettingError as exc:
        raise UsageError(f"{flag} {exc}") from None


def checked(settings: Mapping[str, object]) -> dict[str, object]:
    """Give what was said, as windrow.toml would have it; UsageError names the flag that is wrong."""
    fields = fields_of(JobSettings)
    given = {key: value for key, value in settings.items() if value is not None}
    for key, value in given.items():
        try:
            fields[key].read(value)
        except SettingError as exc:
            raise UsageError(f"--{key.replace('_', '-')} {exc}") from None
    return given


def check_keys(keys: tuple[str, ...]) -> None:
    """Refuse names that are no settings of a job, and those that it cannot be without."""
    fields = fields_of(JobSettings)
    for key in keys:
        if key not in fields:
            raise UsageError(
                f"a job has no setting {shorten(key)}.{suggest(key, fields)}",
                hint=f"It has: {', '.join(fields)}.",
            )
        if fields[key].is_required:
            raise UsageError(f"a job cannot be without {key}")
