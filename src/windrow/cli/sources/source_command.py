"""`windrow source show`: one source from all sides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.completion import source_names
from windrow.cli.source_facts import Facts, gather
from windrow.cli.state import JSON, library, print_json
from windrow.cli.terminal import OUTCOME_STYLES, columns, cut, hint, moment, plural, printable, say
from windrow.config.source_kinds import kind_of

if TYPE_CHECKING:
    from windrow.store.checkpoints import StoredWindow
    from windrow.store.sets import StoredSet

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
    with library() as opened:
        facts = gather(opened, name)
    if is_json:
        print_json(_as_dict(facts))
        return
    _show_identity(facts)
    _show_holdings(facts)
    _show_next(facts)
    _show_runs(facts)
    _show_settings(facts)
    if facts.state is None:
        hint(f"Next: windrow harvest {name}")


def _heading(words: str) -> None:
    say()
    say(words, style="bold")


def _line(label: str, words: str) -> None:
    say(cut(f"  {label:<{_LABEL}} {printable(words)}"))


def _show_identity(facts: Facts) -> None:

    identity = facts.state.identity if facts.state else {}
    title = str(identity.get("name") or "")
    say(facts.settings.name + (f": {printable(title)}" if title else ""), style="bold")
    _line("address", facts.settings.url)
    for key, label in _IDENTITY.items():
        value = identity.get(key)
        words = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value or "")
        if words and key != "name" and not (key == "base_url" and words == facts.settings.url):
            _line(label, words)
    for fact in facts.told:
        _line(fact.label, fact.text)
    if not facts.settings.enabled:
        _line("disabled", "not harvested unless it is named")


def _show_holdings(facts: Facts) -> None:
    _heading("In the library")
    if facts.holdings is None:
        say("  nothing yet: it was never harvested")
        return
    held = facts.holdings
    _line("records", f"{held.records:,}, and {plural(held.tombstones, 'tombstone')}")
    for prefix, count in held.payloads.items():
        _line(f"as {printable(prefix)}", f"{count:,}")
    if held.quarantined:
        _line("quarantined", f"{held.quarantined:,} (windrow quarantine list {facts.settings.name})")
    _line("sets", f"{held.sets:,}")
    largest = sorted((item for item in facts.sets if not item.merged_into), key=lambda item: -item.records)
    for item in largest[:_LARGEST_SETS]:
        words = f"{item.records:>9,}  {printable(item.spec)}  {printable(item.name)}"
        say(cut(" " * (_LABEL + 3) + words.rstrip()))
    for line in _merged(facts.sets):
        _line("", line)


def _merged(sets: Sequence[StoredSet]) -> Iterator[str]:
    twins = [item for item in sets if item.merged_into]
    for item in twins[:_MERGED_SHOWN]:
        yield f"{item.spec} is {item.merged_into} listed again"
    if len(twins) > _MERGED_SHOWN:
        yield f"and {len(twins) - _MERGED_SHOWN:,} more are listed twice"


def _show_next(facts: Facts) -> None:
    """Show where the next harvest of each list begins; only some kinds harvest from a date on."""
    has_dates = "since" in kind_of(facts.settings).harvest_options
    if not has_dates and facts.not_before is None and not any(each.unfinished for each in facts.lists):
        return
    _heading("The next harvest")
    for each in facts.lists:
        since = each.next_from or facts.settings.from_ or "the beginning"
        if has_dates:
            _line(f"{each.format} {each.spec}".strip(), f"from {since}")
        for window in each.unfinished:
            _line("unfinished", _describe(window))
    if facts.not_before is not None:
        _line("not before", f"{moment(facts.not_before)}: {facts.host} asked for it")


def _describe(window: StoredWindow) -> str:
    amount = f"{window.seen:,} of {window.claimed:,}" if window.claimed else f"{window.seen:,}"
    place = f"{window.format} {window.spec}".strip()
    return f"{place}, {window.since or 'the beginning'} to {window.until or 'now'}: {amount} entries so far"


def _show_runs(facts: Facts) -> None:
    if not facts.runs:
        return
    _heading("Its last runs")
    rows = [
        [
            f"  {run.id}",
            word,
            moment(run.started),
            *(f"{count:,}" for count in (run.counters.added, run.counters.changed, run.counters.deleted)),
        ]
        for run, word in facts.runs
    ]
    styles = [OUTCOME_STYLES[word] if word != "ok" else "" for _, word in facts.runs]
    columns(("  run", "outcome", "started", "new", "changed", "deleted"), rows, right="   rrr", styles=styles)


def _show_settings(facts: Facts) -> None:
    _heading("Settings, and who set them")
    keys = [row.key.rpartition(".")[2] for row in facts.rows]
    rows = [(f"  {key}", row.value or "–", row.origin) for key, row in zip(keys, facts.rows, strict=True)]
    columns(("  setting", "value", "set by"), rows)


def _as_dict(facts: Facts) -> dict[str, Any]:
    from windrow.cli.summary import run_as_dict

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
        "more_runs": facts.has_more_runs,  # `windrow run list --source` has all
        "settings": {
            row.key.rpartition(".")[2]: {"value": row.value, "origin": row.origin} for row in facts.rows
        },
    }
