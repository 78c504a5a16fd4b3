"""`windrow source remove`: a source taken out of windrow.toml, and its records out of the store."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.completion import source_names
from windrow.cli.state import JSON, library, print_json
from windrow.cli.terminal import hint, plural, say
from windrow.errors import UsageError

if TYPE_CHECKING:
    from windrow.store.sources import Holdings, SourceState
    from windrow.wiring import Library


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
    with library() as opened:
        state, holdings = _known(opened, name)
        if keep_records and name not in opened.config.sources:
            raise UsageError(f"{name} is no longer in windrow.toml; only its records are left")
        words = _describe(name, holdings, is_kept=keep_records)
        if not dry_run:
            _confirm(words, is_sure=yes)
            has_documents = name in opened.config.sources and opened.source(name).has_documents
            _remove(opened, name, None if keep_records else state)
            if has_documents and not keep_records:
                from windrow.wiring.documents import prune_pictures

                prune_pictures(opened)
            if opened.generations.current() is not None and not keep_records:
                from windrow.wiring.indexing import follow_index

                follow_index(opened, is_waiting=False)  # whoever writes to it now will see it, too
    if is_json:
        print_json(_as_dict(name, holdings, is_kept=keep_records, is_removed=not dry_run))
        return
    say(f"Would remove {words}." if dry_run else f"Removed {words}.")
    if keep_records and holdings is not None and not dry_run:
        hint(f"The records stay until: windrow source remove {name}")
    for job in _left_without(opened, name):
        hint(f"The job {job} names it, and will fail: windrow schedule edit {job}, or schedule remove {job}")


def _left_without(opened: Library, name: str) -> list[str]:
    """Give the jobs that name this source."""
    from windrow.config.job_sources import names_in

    return [job.name for job in opened.config.jobs.values() if name in (names_in(job) or ())]


def _known(opened: Library, name: str) -> tuple[SourceState | None, Holdings | None]:
    """Give what the store has of a source, be it in windrow.toml or not; NotFound where nobody has it."""
    from windrow.store import sources

    with opened.store.reading() as connection:
        state = sources.find(connection, name)
        holdings = sources.holdings(connection, state.id) if state else None
    if state is None:
        opened.source(name)
    return state, holdings


def _describe(name: str, holdings: Holdings | None, *, is_kept: bool) -> str:
    if holdings is None:
        return f"the source {name}, of which nothing was harvested"
    amount = f"{plural(holdings.records, 'record')} and {plural(holdings.tombstones, 'tombstone')}"
    if holdings.quarantined:
        amount += f", {holdings.quarantined:,} in quarantine"
    return f"the source {name}; {amount} stay" if is_kept else f"the source {name} with {amount}"


def _confirm(words: str, *, is_sure: bool) -> None:
    """Ask a person; a program must have said --yes."""
    if is_sure:
        return
    if not sys.stdin.isatty():
        raise UsageError(
            f"this would remove {words}", hint="Say --yes if you mean it; --dry-run only shows what would go."
        )
    if not typer.confirm(f"Remove {words}?", err=True):
        raise UsageError("nothing was removed", hint="")


def _remove(opened: Library, name: str, going: SourceState | None) -> None:
    """Both or neither: the store commits only when windrow.toml has been written."""
    from windrow.config import edit
    from windrow.store import leases, sources

    claim, lease = leases.ourselves("windrow source remove"), f"source {name}"
    with opened.store.writing() as connection:
        leases.take(connection, lease, claim)  # nobody is harvesting it
        if going is not None:
            sources.forget(connection, going.id)
        leases.release(connection, lease, claim)
        if name in opened.config.sources:
            edit.remove_source(opened.folder, name, environ=os.environ)


def _as_dict(name: str, holdings: Holdings | None, *, is_kept: bool, is_removed: bool) -> dict[str, Any]:
    return {
        "source": name,
        "is_removed": is_removed,
        "is_kept": is_kept,
        "records": holdings.records if holdings else 0,
        "tombstones": holdings.tombstones if holdings else 0,
        "quarantined": holdings.quarantined if holdings else 0,
    }
