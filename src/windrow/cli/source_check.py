"""`windrow source check`: a repository probed before it is added, and what each finding means."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.completion import source_names
from windrow.cli.source_asking import LATER, Steps, asking, library_if_any, named_or_new
from windrow.cli.source_options import base_url
from windrow.cli.state import JSON, print_json
from windrow.cli.terminal import hint, plural, printable, say, terminal_width
from windrow.config.schema import FILES
from windrow.errors import NotOai, Unreachable, UpstreamBusy, UpstreamError

if TYPE_CHECKING:
    from windrow.sources.files.published import PublishedFolder
    from windrow.sources.findings.finding import Finding
    from windrow.sources.probe import Report
    from windrow.wiring import Library

_STYLES = {"good": "good", "note": "warn", "problem": "bad"}
_GRADE_WIDTH = 7
_NARROWEST = 40


def check(
    ctx: typer.Context,
    target: Annotated[
        str,
        typer.Argument(
            metavar="URL|NAME", help="An OAI-PMH base URL, or a source.", autocompletion=source_names
        ),
    ],
    prefix: Annotated[
        str | None,
        typer.Option("--format", metavar="PREFIX", help="The metadata format to try. [default: oai_dc]"),
    ] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Look a repository over before harvesting it.

    About a dozen requests; nothing is stored. A source that is a folder is looked at.

    Exit codes: 0 it can be harvested, 1 it cannot, 75 it asked to come back later.
    """
    from windrow.sources.probe import Probe
    from windrow.wiring.folders import published

    target = base_url(target) if "://" in target else target
    steps = Steps(is_quiet=is_json)
    with library_if_any(ctx) as opened:
        config, settings = named_or_new(opened, target)
        if opened is not None and settings.kind == FILES:
            _check_folder(published(opened, settings), is_json=is_json)
            return
        wanted = prefix or (settings.formats[0] if settings.name == target else None)
        with asking(opened, config, settings, steps) as client:
            probe = Probe(
                client,
                prefix=wanted,
                on_step=steps.step,
                waits=steps.waits,
                delay_seconds=settings.delay,
                late_days=_late_days(opened, settings.name),
                rules=config.set_rules(settings.name),
            )
            report = probe.run()
    if is_json:
        print_json(_as_dict(report))
    else:
        _show(report, settings.name if opened and settings.name in opened.config.sources else None)
    raise typer.Exit(report.failure.exit_code if report.failure else 0)


def _late_days(opened: Library | None, name: str) -> int | None:
    """Return by how many days harvests of a source have met records that were listed late."""
    from windrow.store import sources

    if opened is None:
        return None
    with opened.store.reading() as connection:
        state = sources.find(connection, name)
    found = state.identity.get("late_days") if state is not None else None
    return found if isinstance(found, int) else None


def _check_folder(folder: PublishedFolder, *, is_json: bool) -> None:
    """A folder is asked nothing: it is looked at."""
    from windrow.cli.folder_view import show_survey, survey

    found = survey(folder)
    if is_json:
        print_json({"folder": str(folder.root), "url": folder.url, **found.as_dict()})
    else:
        show_survey(folder, found)


def _as_dict(report: Report) -> dict[str, Any]:
    return {
        "url": report.url,
        "is_harvestable": report.failure is None,
        "moved_to": report.moved_to,
        "reason": str(report.failure) if report.failure else None,
        "hint": _advice(report.failure) if report.failure else None,
        "format": report.format,
        "requests": report.requests,
        "findings": [
            {
                "topic": item.topic,
                "grade": item.grade.value,
                "found": item.found,
                "windrow": item.action,
                "facts": dict(item.facts),
            }
            for item in report.findings
        ],
    }


def _show(report: Report, name: str | None) -> None:
    from windrow.harvest.identity import edit_command
    from windrow.sources.findings.finding import brief

    topics = max((len(item.topic) for item in report.findings), default=0)
    for item in report.findings:
        _show_finding(item, topics)
    if report.failure is not None:
        say("It cannot be harvested: ", style="bad", end="")
        say(printable(brief(str(report.failure))))
        hint(_advice(report.failure))
        return
    say("It can be harvested: ", style="good", end="")
    say(f"{_tally(report.findings)} ({plural(report.requests, 'request')}).")
    if name is None:
        hint(f"Next: windrow source add NAME {printable(report.moved_to or report.url)}")
    elif report.moved_to is not None:
        hint(f"It has moved: {printable(edit_command(name, report.moved_to))}")


def _advice(failure: UpstreamError) -> str:
    """What to do next; the errors' own hints send people here."""
    if isinstance(failure, NotOai) and failure.hint == NotOai.hint:
        return "Is this the OAI-PMH base URL? It often ends in /oai, /oai/request, /cgi/oai2 or /oai2d."
    if isinstance(failure, UpstreamBusy):
        return LATER
    if isinstance(failure, Unreachable):
        return "Check the address in a browser, and the network from here."
    return failure.hint or "Ask the people who run the repository, and show them this."


def _show_finding(item: Finding, topics: int) -> None:
    """One line; on a terminal folded under itself where it is too long."""
    words = item.found + (f" → Windrow {item.action}" if item.action else "")
    head = f"{item.grade:<{_GRADE_WIDTH}}"
    say(head, style=_STYLES[item.grade], end="")
    lines = [printable(words)]
    if sys.stdout.isatty():
        room = max(terminal_width() - len(head) - topics - 5, _NARROWEST)
        lines = textwrap.wrap(lines[0], room, break_on_hyphens=False) or [""]
    say(f"  {item.topic:<{topics}}  {lines[0]}")
    for line in lines[1:]:
        say(" " * (len(head) + topics + 4) + line)


def _tally(findings: Sequence[Finding]) -> str:
    counts = {grade: sum(item.grade == grade for item in findings) for grade in _STYLES}
    problems = plural(counts["problem"], "problem") if counts["problem"] else "no problems"
    return f"{counts['good']} good, {plural(counts['note'], 'note')}, {problems}"
