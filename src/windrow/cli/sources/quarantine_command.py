"""`windrow quarantine`: list, show, retry and dismiss records that could not be stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.invocation import (
    JSON,
    LIMIT,
    list_limit,
    opened_library,
    print_json,
    source_names,
    stopping_on_signals,
)
from windrow.cli.terminal import (
    format_time,
    plural,
    print_hint,
    print_line,
    print_table,
    printable,
    printable_lines,
)
from windrow.errors import NotFound, SourceBusy, UsageError, WindrowError

if TYPE_CHECKING:
    from windrow.harvest.options import Stopper
    from windrow.harvest.quarantine_retry import RetriedCase
    from windrow.store.harvests.quarantine_cases import QuarantineCase
    from windrow.wiring import Library

quarantine_app = typer.Typer(
    help="Records that could not be kept: why, and another try.", no_args_is_help=True
)
CASES_SHOWN = 100
_SHOWN_BYTES = 20_000
SOURCE = typer.Argument(metavar="[SOURCE]", help="Only of this source.", autocompletion=source_names)


@quarantine_app.command("list")
def list_cases(
    source: Annotated[str | None, SOURCE] = None,
    everything: Annotated[bool, typer.Option("--all", help="Closed and dismissed cases too.")] = False,
    limit: Annotated[int | None, LIMIT] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """List the records that wait, oldest first."""
    from windrow.store.harvests import quarantine_cases

    most = list_limit(limit, shown=CASES_SHOWN, is_json=is_json)
    with opened_library() as opened:
        if source is not None:
            opened.source(source)
        with opened.store.reading() as connection:
            found = quarantine_cases.list_cases(
                connection, source=source, include_resolved=everything, limit=most + 1
            )
            total, records = quarantine_cases.count_cases(connection, source=source)
    is_more, found = len(found) > most, found[:most]
    if is_json:
        print_json([case_as_dict(case) for case in found])
        return
    if not found:
        print_line("Nothing is in quarantine.")
        return
    rows = [
        (
            str(case.id),
            case.source,
            case.format,
            case.identifier or "(no identifier)",
            _state_prefix(case) + case.reason,
        )
        for case in found
    ]
    print_table(("case", "source", "format", "identifier", "reason"), rows, right="r")
    waiting = sum(case.resolved is None and case.dismissed is None for case in found)
    if total > records:
        print_hint(f"{plural(total, 'case')} about {plural(records, 'record')}: one a format and reason.")
    if total > waiting:
        print_hint(f"{total - waiting:,} more wait: --limit {total}")
    elif is_more:
        print_hint(f"There are more: --limit {2 * most}")
    print_hint(f"Look at one: windrow quarantine show {found[0].id}")
    print_hint("Try all again: windrow quarantine retry --all")


@quarantine_app.command("show")
def show_case(
    number: Annotated[int, typer.Argument(metavar="CASE", help="The case's number.")],
    raw: Annotated[bool, typer.Option("--raw", help="Only the bytes, exactly as they came.")] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Show one case: the reason, and what came."""
    import sys

    from windrow.store.harvests import quarantine_cases

    with opened_library() as opened, opened.store.reading() as connection:
        case = quarantine_cases.get(connection, number)
    if case is None:
        raise _unknown(number)
    if raw:
        sys.stdout.buffer.write(case.raw)
        sys.stdout.buffer.flush()
        return
    if is_json:
        values = {"case": case.id, "source": case.source, "run": case.run, "format": case.format}
        values |= {"identifier": case.identifier, "reason": case.reason, "created": case.created.isoformat()}
        values |= {"resolved": case.resolved.isoformat() if case.resolved else None}
        print_json(values | {"raw": case.raw.decode("utf-8", "replace")})
        return
    print_line(f"Case {case.id}: {printable(case.reason)}", style="bold")
    print_line(f"  identifier  {printable(case.identifier or '(none)')}")
    print_line(f"  source      {case.source}, {printable(case.format)}")
    print_line(f"  met         {format_time(case.created)}, last in run {case.run}")
    print_line(f"  state       {'closed ' + format_time(case.resolved) if case.resolved else 'waiting'}")
    _show_bytes(case.raw)


def _show_bytes(raw: bytes) -> None:
    if not raw:
        print_line("  Nothing of it was kept.")
        return
    print_line()
    print_line(printable_lines(raw[:_SHOWN_BYTES].decode("utf-8", "replace")))
    if len(raw) > _SHOWN_BYTES:
        print_hint(f"… {len(raw) - _SHOWN_BYTES:,} more bytes: --raw writes them all")


@quarantine_app.command("retry")
def retry(
    numbers: Annotated[list[int] | None, typer.Argument(metavar="[CASE]...", help="Cases by number.")] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--source", "-s", metavar="NAME", help="All of this source.", autocompletion=source_names
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All that wait.")] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Ask the sources for quarantined records again, each by its identifier; read files again.

    Exit codes: 0 none is left of those asked for, 3 some remain, 75 a source is busy or not to be asked yet.
    """
    with opened_library() as opened, stopping_on_signals() as stopper:
        wanted = _chosen_cases(opened, numbers or [], source, everything=everything)
        if not wanted:
            print_json([]) if is_json else print_line("Nothing is in quarantine.")
            return
        results, failures = _retry_all(opened, wanted, stopper)
    if is_json:
        print_json(
            [
                case_as_dict(item.case) | {"verdict": item.verdict.value, "now": item.reason}
                for item in results
            ]
        )
    else:
        _show_results(results, failures)
    if stopper.is_stopping:
        raise typer.Exit(130)
    if any(isinstance(failure, SourceBusy) for failure in failures) and not results:
        raise typer.Exit(75)
    raise typer.Exit(3 if any(item.is_open for item in results) or failures else 0)


@quarantine_app.command("dismiss")
def dismiss(
    numbers: Annotated[list[int] | None, typer.Argument(metavar="[CASE]...", help="Cases by number.")] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--source", "-s", metavar="NAME", help="All of this source.", autocompletion=source_names
        ),
    ] = None,
    is_undone: Annotated[bool, typer.Option("--undo", help="Wait for them again.")] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Do without quarantined records: they are neither asked for nor reported by later harvests.

    A record that comes whole all the same is stored.
    """
    from datetime import UTC, datetime

    from windrow.store.harvests import quarantine_cases

    if bool(numbers) + bool(source) != 1:
        raise UsageError(
            "name the cases to dismiss: numbers, or --source NAME",
            hint="`windrow quarantine list` lists them.",
        )
    with opened_library() as opened:
        if source is not None:
            opened.source(source)
        with opened.store.writing() as connection:
            found = quarantine_cases.list_cases(connection, source=source, include_resolved=True)
            known = {case.id: case for case in found}
            for number in numbers or []:
                if number not in known:
                    raise _unknown(number)
            wanted = [known[number] for number in dict.fromkeys(numbers or known)]
            open_ones = [case for case in wanted if case.resolved is None]
            chosen = [case for case in open_ones if (case.dismissed is not None) is is_undone]
            now = None if is_undone else datetime.now(UTC).replace(microsecond=0)
            for case in chosen:
                quarantine_cases.dismiss_case(connection, case.id, now=now)
    if is_json:
        print_json([case.id for case in chosen])
        return
    said = "waits again" if is_undone else "dismissed"
    print_line(
        f"{plural(len(chosen), 'case')} {said if len(chosen) == 1 else said.replace('waits', 'wait')}."
    )


def _state_prefix(case: QuarantineCase) -> str:
    if case.resolved:
        return "closed: "
    return "dismissed: " if case.dismissed else ""


def _chosen_cases(
    opened: Library, numbers: list[int], source: str | None, *, everything: bool
) -> list[QuarantineCase]:
    from windrow.store.harvests import quarantine_cases

    if bool(numbers) + bool(source) + everything != 1:
        raise UsageError(
            "say which cases to try again: numbers, or --source NAME, or --all",
            hint="`windrow quarantine list` lists them.",
        )
    if source is not None:
        opened.source(source)
    with opened.store.reading() as connection:
        found = quarantine_cases.list_cases(connection, source=source, include_resolved=bool(numbers))
    if not numbers:
        return found
    known = {case.id: case for case in found}
    for number in numbers:
        if number not in known:
            raise _unknown(number)
    return [known[number] for number in dict.fromkeys(numbers) if known[number].resolved is None]


def _retry_all(
    opened: Library, wanted: list[QuarantineCase], stopper: Stopper
) -> tuple[list[RetriedCase], list[WindrowError]]:
    """Retry source by source; an unreachable source does not stop the others."""
    from windrow.cli.harvest_progress import progress_observer

    results: list[RetriedCase] = []
    failures: list[WindrowError] = []
    with progress_observer(is_quiet=False) as observer:
        for name in dict.fromkeys(case.source for case in wanted):
            mine = [case for case in wanted if case.source == name]
            try:
                results += _retry_source(opened, name, mine, observer, stopper)
            except WindrowError as exc:
                failures.append(exc)
            if stopper.is_stopping:
                break
    return results, failures


def _retry_source(
    opened: Library, name: str, mine: list[QuarantineCase], observer: Any, stopper: Stopper
) -> list[RetriedCase]:
    from windrow.wiring.source_kinds import Watch, kind_for

    settings = opened.source(name)
    watch = Watch(observer=observer, stopper=stopper)
    run, results = kind_for(settings).retry(opened, settings, mine, watch)
    for problem in run.problems if run is not None else ():
        if problem.weight.value == "fatal":
            print_hint(f"{name}: {printable(problem.message)}")
    return results


def _show_results(results: list[RetriedCase], failures: list[WindrowError]) -> None:
    from windrow.cli.invocation import report_error
    from windrow.harvest.quarantine_retry import CaseOutcome

    words = {
        CaseOutcome.STORED: "stored",
        CaseOutcome.GONE: "the source no longer has it; the case is closed",
        CaseOutcome.NAMELESS: "has no identifier to ask for; the next harvest meets it again",
        CaseOutcome.UNASKED: "was not asked for",
    }
    for item in results:
        style = "warn" if item.is_open else "good"
        print_line(f"case {item.case.id} ", style=style, end="")
        said = words.get(item.verdict) or f"still bad: {printable(item.reason)}"
        print_line(f"{printable(item.case.identifier or '')} {said}".strip())
    for failure in failures:
        report_error(failure)
    stored = sum(not item.is_open for item in results)
    print_line(f"{plural(stored, 'case')} closed, {len(results) - stored:,} left.")


def _unknown(number: int) -> NotFound:
    return NotFound(f"there is no case {number} in quarantine", hint="`windrow quarantine list` lists them.")


def case_as_dict(case: QuarantineCase) -> dict[str, Any]:
    return {
        "case": case.id,
        "source": case.source,
        "run": case.run,
        "format": case.format,
        "identifier": case.identifier,
        "reason": case.reason,
        "bytes": case.size,
        "created": case.created.isoformat(),
        "resolved": case.resolved.isoformat() if case.resolved else None,
        "dismissed": case.dismissed.isoformat() if case.dismissed else None,
    }
