"""`windrow run`: what was done, when, and how it went."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli import run_log, run_watch
from windrow.cli.completion import source_names
from windrow.cli.state import JSON, LIMIT, library, most_listed, print_json
from windrow.cli.terminal import OUTCOME_STYLES, columns, hint, moment, printable, say
from windrow.errors import NotFound

if TYPE_CHECKING:
    from windrow.model.run import Problem, Run

app = typer.Typer(help="What was done, when, and how it went.", no_args_is_help=True)
app.command("watch")(run_watch.watch)
app.command("log")(run_log.log)
RUNS_SHOWN = 20
_MARKS = {"note": "·", "problem": "!", "fatal": "✗"}


@app.command("list")
def list_runs(
    source: Annotated[
        str | None,
        typer.Option(
            "--source", "-s", metavar="NAME", help="Only of this source.", autocompletion=source_names
        ),
    ] = None,
    limit: Annotated[int | None, LIMIT] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """List runs, newest first."""
    from windrow.store import runs
    from windrow.store.outcomes import outcome_word

    with library() as opened:
        if source is not None:
            opened.source(source)
        most = most_listed(limit, shown=RUNS_SHOWN, is_json=is_json)
        with opened.store.reading() as connection:
            found = [
                (run, outcome_word(connection, run))
                for run in runs.latest(connection, source=source, limit=most + 1)
            ]
    is_more, found = len(found) > most, found[:most]
    if is_json:
        print_json([as_dict(run, state) for run, state in found])
    elif not found:
        say("Nothing has been harvested yet." if source is None else f"{source} has not been harvested yet.")
        hint(f"Next: windrow harvest {source or ''}".rstrip())
    else:
        _show_list(found)
        if is_more:
            hint(f"There are more: --limit {2 * most}")


def _show_list(found: list[tuple[Run, str]]) -> None:
    rows = [
        (
            str(run.id),
            run.source,
            run.kind,
            f"{run.started:%Y-%m-%d %H:%M}",
            _took(run),
            state,
            *(f"{count:,}" for count in (run.counters.added, run.counters.changed, run.counters.deleted)),
            f"{run.counters.quarantined:,}",
        )
        for run, state in found
    ]
    headers = ("run", "source", "kind", "started (UTC)", "took", "outcome", "new", "changed", "gone", "bad")
    columns(headers, rows, right="r   r rrrr", styles=[_row_style(state) for _, state in found])


def _row_style(state: str) -> str:
    return "" if state == "ok" else OUTCOME_STYLES.get(state, "")


@app.command("show")
def show_run(
    number: Annotated[int, typer.Argument(metavar="RUN", help="The run's number.")],
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Show one run: its numbers, its arguments, everything that went wrong and the pages kept."""
    from windrow.store.outcomes import outcome_word

    with library() as opened, opened.store.reading() as connection:
        run = find_run(connection, number)
        state = outcome_word(connection, run)
        folder = opened.folder
    if is_json:
        print_json(as_dict(run, state))
        return
    say(f"Run {run.id}: {run.kind} of {run.source}: ", end="")
    say(state, style=OUTCOME_STYLES.get(state, ""))
    ended = f", ended {moment(run.ended)} after {_took(run)}" if run.ended else ""
    say(f"  started {moment(run.started)}{ended}")
    if state == "killed":
        say("  Its process is gone without a word; what it had stored stays.")
    if run.arguments:
        said = ", ".join(f"{name.removeprefix('is_')}: {value}" for name, value in run.arguments.items())
        say(f"  asked for: {printable(said)}")
    _show_counters(run)
    _show_problems(run.problems, str(folder))
    hint(_next_step(run, state))


def find_run(connection: Any, number: int) -> Run:
    """Give a run, or say which there are."""
    from windrow.store import runs

    run = runs.get(connection, number)
    if run is None:
        newest = runs.latest(connection, limit=1)
        known = (
            f"The newest is {newest[0].id}; `windrow run list` lists them."
            if newest
            else "There is none yet."
        )
        raise NotFound(f"there is no run {number}", hint=known)
    return run


def as_dict(run: Run, state: str) -> dict[str, Any]:
    """Give a run as plain values, with how it stands."""
    from windrow.cli.summary import run_as_dict

    return run_as_dict(run) | {"state": state}


def _show_counters(run: Run) -> None:
    from windrow.cli.summary import size

    counters = run.counters.as_dict()
    words = {"seen": "entries", "bytes": "received", "quarantined": "quarantined"}
    claimed = f" of {run.claimed:,} promised" if run.claimed is not None else ""
    for name, count in counters.items():
        if count:
            value = size(count) if name == "bytes" else f"{count:,}" + (claimed if name == "seen" else "")
            say(f"  {words.get(name, name):<12} {value}")


def _show_problems(problems: tuple[Problem, ...], folder: str) -> None:
    for problem in problems:
        style = {"fatal": "bad", "problem": "warn"}.get(problem.weight.value, "")
        say(f"  {_MARKS[problem.weight.value]} ", style=style, end="")
        say(f"{problem.code}: {printable(problem.message)}")
        if problem.url:
            say(f"      asked: {printable(problem.url)}", style="dim")
        if problem.kept:
            say(f"      the page as it came: {folder}/{problem.kept}", style="dim")


def _next_step(run: Run, state: str) -> str:
    if run.counters.quarantined:
        return f"The bad records: windrow quarantine list {run.source}"
    if state in ("killed", "interrupted", "failed") and run.kind == "harvest":
        return f"Go on from the last page stored: windrow harvest {run.source}"
    return f"What it changed: windrow diff {run.id}"


def _took(run: Run) -> str:
    from windrow.cli.summary import duration

    return duration((run.ended - run.started).total_seconds()) if run.ended else ""
