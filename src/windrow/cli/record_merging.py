"""`windrow record merge`, `unmerge` and `merges`: identifiers that lead to another record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windrow.cli.harvest import follow_index
from windrow.cli.state import library, print_json, stopping_on_signals
from windrow.cli.terminal import columns, hint, moment, printable, say

if TYPE_CHECKING:
    from windrow.store.aliases import Merge


def merge_records(source: str, old: str, new: str, *, is_unseen_allowed: bool, is_json: bool) -> None:
    """Let `old` lead to `new`, and say so."""
    from windrow.wiring.single_records import merge

    with library() as opened, stopping_on_signals() as stopper:
        run = merge(opened, source, old, new, is_unseen_allowed=is_unseen_allowed)
        follow_index(opened, stopper, is_quiet=is_json)
    if is_json:
        print_json(
            {
                "source": source,
                "merged": old,
                "into": new,
                "run": run.id,
                "withdrawn": bool(run.counters.deleted),
            }
        )
        return
    say(f"{printable(old)} now leads to {printable(new)} (run {run.id})")
    if run.counters.deleted:
        say("  Its own record is a tombstone from now on, and a harvest does not bring it back.")
    hint(f"Undo it: windrow record unmerge {source} {printable(old)}")


def unmerge_record(source: str, old: str, *, is_json: bool) -> None:
    """Let `old` stand for itself again, and say what follows."""
    from windrow.wiring.single_records import unmerge

    with library() as opened:
        unmerge(opened, source, old)
    if is_json:
        print_json({"source": source, "unmerged": old})
        return
    say(f"{printable(old)} leads nowhere else any more")
    hint(f"Its record stays a tombstone until a harvest lists it: windrow harvest {source} --full")


def list_merges(source: str | None, *, is_json: bool) -> None:
    """Print what was merged, of one source or of all."""
    from windrow.store import aliases

    with library() as opened:
        if source is not None:
            opened.source(source)
        with opened.store.reading() as connection:
            found = aliases.listed(connection, source)
    if is_json:
        print_json([_as_dict(each) for each in found])
    elif not found:
        hint("Nothing was merged.")
    else:
        rows = [(each.source, each.identifier, _target(each), moment(each.at)) for each in found]
        columns(("source", "merged", "leads to", "since"), rows)


def _as_dict(merge: Merge) -> dict[str, object]:
    return {
        "source": merge.source,
        "merged": merge.identifier,
        "into": merge.into,
        "leads_to": merge.leads_to,
        "dead_end": merge.is_dead_end,
        "at": merge.at.isoformat(),
    }


def _target(merge: Merge) -> str:
    return f"{merge.leads_to} (deleted)" if merge.is_dead_end else merge.leads_to
