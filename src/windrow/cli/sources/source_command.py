"""`windrow source`: list, show and remove sources."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.invocation import JSON, opened_library, print_json, source_names
from windrow.cli.sources.sets_command import sets
from windrow.cli.sources.source_check import check, compare
from windrow.cli.sources.source_edit import add, edit
from windrow.cli.sources.source_flags import KindFlags
from windrow.cli.terminal import (
    GAP,
    OUTCOME_STYLES,
    cut_to_terminal,
    display_width,
    format_time,
    plural,
    print_hint,
    print_line,
    print_table,
    printable,
    shorten,
    terminal_width,
)
from windrow.config.source_kinds import kind_of
from windrow.errors import UsageError

if TYPE_CHECKING:
    from windrow.config.schema import SourceSettings
    from windrow.config.settings_reference import Row
    from windrow.model.run import Run
    from windrow.store.harvests.checkpoints import StoredWindow
    from windrow.store.overview import ListProgress
    from windrow.store.records.set_hierarchy import StoredSet
    from windrow.store.sources import Holdings, SourceState
    from windrow.wiring import Library
    from windrow.wiring.source_kinds import Fact

# `windrow source list`.

_HEADERS = ("source", "records", "tombstones", "quarantined", "last run", "when (UTC)")
_LONG_HEADERS = ("formats", "address")
_RIGHT_ALIGNED_COLUMNS = (1, 2, 3)
_OUTCOME_COLUMN = 4


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One source in the list; `outcome` is a word for its last run."""

    name: str
    url: str
    formats: tuple[str, ...]
    is_configured: bool
    is_enabled: bool
    records: int
    tombstones: int
    quarantined: int
    outcome: str
    when: datetime | None

    def cells(self) -> tuple[str, ...]:
        when = f"{self.when:%Y-%m-%d %H:%M}" if self.when else ""
        counts = (f"{count:,}" for count in (self.records, self.tombstones, self.quarantined))
        return self.name, *counts, self.outcome, when

    def long_cells(self) -> tuple[str, str]:
        """Return the cells that need much width: formats and address."""
        marks = [", ".join(self.formats)]
        marks += [] if self.is_enabled else ["disabled"]
        marks += [] if self.is_configured else ["records kept, no longer in windrow.toml"]
        return printable("; ".join(filter(None, marks))), printable(self.url)


def list_(is_json: Annotated[bool, JSON] = False) -> None:
    """List the sources of the library."""
    with opened_library() as opened:
        lines = _source_rows(opened)
    if is_json:
        print_json([_row_as_dict(line) for line in lines])
    elif lines:
        _print_source_table(lines)
    else:
        print_line("There are no sources yet.")
        print_hint("Add one: windrow source add NAME URL   (look first: windrow source check URL)")


def _source_rows(opened: Library) -> list[SourceRow]:
    from windrow.store.overview import list_overviews

    configured = opened.config.sources
    lines = []
    for known in list_overviews(opened.store, configured):
        settings = configured.get(known.name)
        lines.append(
            SourceRow(
                known.name,
                settings.url if settings else known.url,
                settings.formats if settings else (),
                settings is not None,
                settings is None or settings.enabled,
                known.records,
                known.tombstones,
                known.quarantined,
                known.outcome,
                known.last.started if known.last else None,
            )
        )
    return lines


def _print_source_table(lines: Sequence[SourceRow]) -> None:
    """Print a row per source; on a narrow terminal, formats and address go below it."""
    rows = [line.cells() for line in lines]
    below = [line.long_cells() for line in lines]
    sizes = [max(map(display_width, column)) for column in zip(_HEADERS, *rows, strict=True)]
    format_size = max(display_width(cell) for cell, _ in (_LONG_HEADERS, *below))
    needed = (
        sum(sizes) + format_size + max(display_width(url) for _, url in below) + len(GAP) * (len(sizes) + 1)
    )
    is_wide = not sys.stdout.isatty() or needed <= terminal_width()
    _print_source_row(
        _HEADERS, sizes, style="dim", tail=_last_cells(_LONG_HEADERS, format_size) if is_wide else ""
    )
    for row, long in zip(rows, below, strict=True):
        _print_source_row(row, sizes, tail=_last_cells(long, format_size) if is_wide else "")
        if not is_wide:
            print_line(
                shorten(f"  {long[0]} from {long[1]}" if long[0] else f"  {long[1]}", terminal_width()),
                style="dim",
            )


def _print_source_row(cells: Sequence[str], sizes: Sequence[int], *, style: str = "", tail: str) -> None:
    padded = [
        " " * (size - display_width(cell)) + cell
        if place in _RIGHT_ALIGNED_COLUMNS
        else cell + " " * (size - display_width(cell))
        for place, (cell, size) in enumerate(zip(cells, sizes, strict=True))
    ]
    print_line(GAP.join(padded[:_OUTCOME_COLUMN]) + GAP, style=style, end="")
    print_line(padded[_OUTCOME_COLUMN], style=style or OUTCOME_STYLES.get(cells[_OUTCOME_COLUMN], ""), end="")
    print_line((GAP + GAP.join([*padded[_OUTCOME_COLUMN + 1 :], tail])).rstrip(), style=style)


def _last_cells(cells: Sequence[str], size: int) -> str:
    return cells[0] + " " * (size - display_width(cells[0])) + GAP + cells[1]


def _row_as_dict(line: SourceRow) -> dict[str, Any]:
    return {
        "source": line.name,
        "url": line.url,
        "formats": list(line.formats),
        "is_configured": line.is_configured,
        "is_enabled": line.is_enabled,
        "records": line.records,
        "tombstones": line.tombstones,
        "quarantined": line.quarantined,
        "last_run": None
        if line.when is None
        else {"outcome": line.outcome, "started": line.when.isoformat()},
    }


# `windrow source show`: all data is read from the store at one time.

RECENT_RUNS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """One source: its settings, its description of itself, and its harvests."""

    settings: SourceSettings
    rows: Sequence[Row]
    state: SourceState | None = None  # None before the first harvest
    holdings: Holdings | None = None
    sets: Sequence[StoredSet] = ()
    lists: Sequence[ListProgress] = ()
    runs: Sequence[tuple[Run, str]] = ()  # each with the word for its outcome
    host: str = ""
    not_before: datetime | None = None  # the host asked not to be contacted before this time
    has_more_runs: bool = False  # than `runs` holds
    told: Sequence[Fact] = ()  # from its kind


def gather_facts(opened: Library, name: str) -> SourceFacts:
    """Return the facts about a source; NotFound if there is no such source."""
    from windrow.config.schema import INHERITED
    from windrow.config.settings_reference import rows
    from windrow.store import runs, sources
    from windrow.store.overview import ListProgress, outcome_word, read_list_progress
    from windrow.store.records.set_hierarchy import list_sets
    from windrow.wiring.source_kinds import kind_for

    settings = opened.source(name)
    prefix = f"sources.{name}."
    own = [row for row in rows(opened.config) if row.key.startswith(prefix)]
    own.sort(
        key=lambda row: row.key.removeprefix(prefix) in INHERITED
    )  # settings that only sources have come first
    host = _host(settings.url)
    not_before = opened.store.memory.not_before(host) if host else None
    lists, told = settings.lists, kind_for(settings).facts(opened, settings)
    with opened.store.reading() as connection:
        state = sources.find(connection, name)
        if state is None:
            fresh = [ListProgress(*each) for each in lists]
            return SourceFacts(settings, own, lists=fresh, host=host, not_before=not_before, told=told)
        latest = runs.latest(connection, source=name, limit=RECENT_RUNS_SHOWN + 1)
        return SourceFacts(
            settings,
            own,
            state,
            sources.holdings(connection, state.id),
            list_sets(connection, state.id),
            read_list_progress(connection, state.id, lists),
            [(run, outcome_word(connection, run)) for run in latest[:RECENT_RUNS_SHOWN]],
            host,
            not_before,
            has_more_runs=len(latest) > RECENT_RUNS_SHOWN,
            told=told,
        )


def _host(url: str) -> str:
    from windrow.net.address import parse_address

    try:
        return parse_address(url).key
    except UsageError:
        return ""


_LARGEST_SETS = 5
_MERGED_SHOWN = 5
_IDENTITY = {
    "name": "name",
    "moved_to": "moved to",
    "base_url": "own address",
    "admins": "run by",
    "earliest": "earliest",
    "granularity": "granularity",
    "negotiated": "dates taken",
    "deletion": "deletions",
}
_LABEL = 13


def show(
    name: Annotated[str, typer.Argument(help="The source.", autocompletion=source_names)],
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Show all about a source: records, sets, runs, settings."""
    with opened_library() as opened:
        facts = gather_facts(opened, name)
    if is_json:
        print_json(_facts_as_dict(facts))
        return
    _show_identity(facts)
    _show_holdings(facts)
    _show_next(facts)
    _show_runs(facts)
    _show_settings(facts)
    if facts.state is None:
        print_hint(f"Next: windrow harvest {name}")


def _print_heading(words: str) -> None:
    print_line()
    print_line(words, style="bold")


def _print_labelled(label: str, words: str) -> None:
    print_line(cut_to_terminal(f"  {label:<{_LABEL}} {printable(words)}"))


def _show_identity(facts: SourceFacts) -> None:

    identity = facts.state.identity if facts.state else {}
    title = str(identity.get("name") or "")
    print_line(facts.settings.name + (f": {printable(title)}" if title else ""), style="bold")
    _print_labelled("address", facts.settings.url)
    for key, label in _IDENTITY.items():
        value = identity.get(key)
        words = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value or "")
        if words and key != "name" and not (key == "base_url" and words == facts.settings.url):
            _print_labelled(label, words)
    for fact in facts.told:
        _print_labelled(fact.label, fact.text)
    if not facts.settings.enabled:
        _print_labelled("disabled", "not harvested unless it is named")


def _show_holdings(facts: SourceFacts) -> None:
    _print_heading("In the library")
    if facts.holdings is None:
        print_line("  nothing yet: it was never harvested")
        return
    held = facts.holdings
    _print_labelled("records", f"{held.records:,}, and {plural(held.tombstones, 'tombstone')}")
    for prefix, count in held.payloads.items():
        _print_labelled(f"as {printable(prefix)}", f"{count:,}")
    if held.quarantined:
        _print_labelled(
            "quarantined", f"{held.quarantined:,} (windrow quarantine list {facts.settings.name})"
        )
    _print_labelled("sets", f"{held.sets:,}")
    largest = sorted((item for item in facts.sets if not item.merged_into), key=lambda item: -item.records)
    for item in largest[:_LARGEST_SETS]:
        words = f"{item.records:>9,}  {printable(item.spec)}  {printable(item.name)}"
        print_line(cut_to_terminal(" " * (_LABEL + 3) + words.rstrip()))
    for line in _merged(facts.sets):
        _print_labelled("", line)


def _merged(sets: Sequence[StoredSet]) -> Iterator[str]:
    twins = [item for item in sets if item.merged_into]
    for item in twins[:_MERGED_SHOWN]:
        yield f"{item.spec} is {item.merged_into} listed again"
    if len(twins) > _MERGED_SHOWN:
        yield f"and {len(twins) - _MERGED_SHOWN:,} more are listed twice"


def _show_next(facts: SourceFacts) -> None:
    """Print where the next harvest of each list starts; only some kinds harvest incrementally by date."""
    has_dates = "since" in kind_of(facts.settings).harvest_options
    if not has_dates and facts.not_before is None and not any(each.unfinished for each in facts.lists):
        return
    _print_heading("The next harvest")
    for each in facts.lists:
        since = each.next_from or facts.settings.from_ or "the beginning"
        if has_dates:
            _print_labelled(f"{each.format} {each.spec}".strip(), f"from {since}")
        for window in each.unfinished:
            _print_labelled("unfinished", _describe_window(window))
    if facts.not_before is not None:
        _print_labelled("not before", f"{format_time(facts.not_before)}: {facts.host} asked for it")


def _describe_window(window: StoredWindow) -> str:
    amount = f"{window.seen:,} of {window.claimed:,}" if window.claimed else f"{window.seen:,}"
    place = f"{window.format} {window.spec}".strip()
    return f"{place}, {window.since or 'the beginning'} to {window.until or 'now'}: {amount} entries so far"


def _show_runs(facts: SourceFacts) -> None:
    if not facts.runs:
        return
    _print_heading("Its last runs")
    rows = [
        [
            f"  {run.id}",
            word,
            format_time(run.started),
            *(f"{count:,}" for count in (run.counters.added, run.counters.changed, run.counters.deleted)),
        ]
        for run, word in facts.runs
    ]
    styles = [OUTCOME_STYLES[word] if word != "ok" else "" for _, word in facts.runs]
    print_table(
        ("  run", "outcome", "started", "new", "changed", "deleted"), rows, right="   rrr", styles=styles
    )


def _show_settings(facts: SourceFacts) -> None:
    _print_heading("Settings, and who set them")
    keys = [row.key.rpartition(".")[2] for row in facts.rows]
    rows = [(f"  {key}", row.value or "–", row.origin) for key, row in zip(keys, facts.rows, strict=True)]
    print_table(("  setting", "value", "set by"), rows)


def _facts_as_dict(facts: SourceFacts) -> dict[str, Any]:
    from windrow.cli.run_summary import run_as_dict

    held = facts.holdings
    merged = [item for item in facts.sets if item.merged_into]
    return {
        "source": facts.settings.name,
        "url": facts.settings.url,
        "kind": facts.settings.kind,
        "facts": {fact.label: fact.text for fact in facts.told},
        "identity": dict(facts.state.identity) if facts.state else None,
        "holdings": None
        if held is None
        else {
            "records": held.records,
            "tombstones": held.tombstones,
            "quarantined": held.quarantined,
            "sets": held.sets,
            "payloads": dict(held.payloads),
        },
        "sets": [
            {"spec": item.spec, "name": item.name, "parent": item.parent, "records": item.records}
            for item in facts.sets
            if not item.merged_into
        ],
        "merged_sets": [{"spec": item.spec, "same_as": item.merged_into} for item in merged],
        "next": [
            {
                "format": item.format,
                "set": item.spec or None,
                "from": item.next_from or facts.settings.from_,
            }
            for item in facts.lists
        ],
        "unfinished": [
            {
                "format": item.format,
                "set": item.spec or None,
                "from": item.since,
                "until": item.until,
                "seen": item.seen,
                "claimed": item.claimed,
            }
            for each in facts.lists
            for item in each.unfinished
        ],
        "not_before": facts.not_before.isoformat() if facts.not_before else None,
        "runs": [run_as_dict(run) | {"outcome": word} for run, word in facts.runs],
        "more_runs": facts.has_more_runs,  # `windrow run list --source` lists all
        "settings": {
            row.key.rpartition(".")[2]: {"value": row.value, "origin": row.origin} for row in facts.rows
        },
    }


# `windrow source remove`: takes a source out of windrow.toml, and its records out of the store.


def remove(
    name: Annotated[str, typer.Argument(help="The source.", autocompletion=source_names)],
    keep_records: Annotated[
        bool, typer.Option("--keep-records", help="Take it out of windrow.toml only.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go; change nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Remove a source, and everything the library holds of it."""
    with opened_library() as opened:
        state, holdings = _find_holdings(opened, name)
        if keep_records and name not in opened.config.sources:
            raise UsageError(f"{name} is no longer in windrow.toml; only its records are left")
        words = _describe_holdings(name, holdings, is_kept=keep_records)
        if not dry_run:
            _confirm(words, is_sure=yes)
            has_documents = name in opened.config.sources and opened.source(name).has_documents
            _remove(opened, name, None if keep_records else state)
            if has_documents and not keep_records:
                from windrow.wiring.folder_source import prune_pictures

                prune_pictures(opened)
            if opened.generations.current() is not None and not keep_records:
                from windrow.wiring.indexing import follow_index

                follow_index(
                    opened, is_waiting=False
                )  # if another process is writing to the index, it will apply the removal
    if is_json:
        print_json(_removal_as_dict(name, holdings, is_kept=keep_records, is_removed=not dry_run))
        return
    print_line(f"Would remove {words}." if dry_run else f"Removed {words}.")
    if keep_records and holdings is not None and not dry_run:
        print_hint(f"The records stay until: windrow source remove {name}")
    for job in _jobs_naming(opened, name):
        print_hint(
            f"The job {job} names it, and will fail: windrow schedule edit {job}, or schedule remove {job}"
        )


def _jobs_naming(opened: Library, name: str) -> list[str]:
    from windrow.config.job_sources import names_in

    return [job.name for job in opened.config.jobs.values() if name in (names_in(job) or ())]


def _find_holdings(opened: Library, name: str) -> tuple[SourceState | None, Holdings | None]:
    """Return what the store holds of a source, in windrow.toml or not; NotFound if nothing is held."""
    from windrow.store import sources

    with opened.store.reading() as connection:
        state = sources.find(connection, name)
        holdings = sources.holdings(connection, state.id) if state else None
    if state is None:
        opened.source(name)
    return state, holdings


def _describe_holdings(name: str, holdings: Holdings | None, *, is_kept: bool) -> str:
    if holdings is None:
        return f"the source {name}, of which nothing was harvested"
    amount = f"{plural(holdings.records, 'record')} and {plural(holdings.tombstones, 'tombstone')}"
    if holdings.quarantined:
        amount += f", {holdings.quarantined:,} in quarantine"
    return f"the source {name}; {amount} stay" if is_kept else f"the source {name} with {amount}"


def _confirm(words: str, *, is_sure: bool) -> None:
    """Ask a person to confirm; programs must pass --yes."""
    if is_sure:
        return
    if not sys.stdin.isatty():
        raise UsageError(
            f"this would remove {words}", hint="Say --yes if you mean it; --dry-run only shows what would go."
        )
    if not typer.confirm(f"Remove {words}?", err=True):
        raise UsageError("nothing was removed", hint="")


def _remove(opened: Library, name: str, going: SourceState | None) -> None:
    """Remove both or neither: the store commits only after windrow.toml has been written."""
    from windrow.config import editor
    from windrow.store import leases, sources

    claim, lease = leases.own_claim("windrow source remove"), f"source {name}"
    with opened.store.writing() as connection:
        leases.take(connection, lease, claim)  # makes sure that no process is harvesting it
        if going is not None:
            sources.forget(connection, going.id)
        leases.release(connection, lease, claim)
        if name in opened.config.sources:
            editor.remove_source(opened.folder, name, environ=os.environ)


def _removal_as_dict(
    name: str, holdings: Holdings | None, *, is_kept: bool, is_removed: bool
) -> dict[str, Any]:
    return {
        "source": name,
        "is_removed": is_removed,
        "is_kept": is_kept,
        "records": holdings.records if holdings else 0,
        "tombstones": holdings.tombstones if holdings else 0,
        "quarantined": holdings.quarantined if holdings else 0,
    }


# The verbs of `windrow source`, put together.

source_app = typer.Typer(
    help="Check, add, edit and remove the sources that records come from.", no_args_is_help=True
)

source_app.command("add", cls=KindFlags)(add)
source_app.command("list")(list_)
source_app.command("show")(show)
source_app.command("edit", cls=KindFlags)(edit)
source_app.command("sets")(sets)
source_app.command("remove")(remove)
source_app.command("check")(check)
source_app.command("compare")(compare)
