"""`windrow index`: the index brought up to date, built anew, looked at, compared with the library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.state import JSON, library, print_json, stopping_on_signals
from windrow.cli.summary import size
from windrow.cli.terminal import columns, hint, iso_moment, plural, say
from windrow.cli.ticker import Ticker
from windrow.errors import UsageError

if TYPE_CHECKING:
    from windrow.index.checking import Checked
    from windrow.index.feeder import Fed
    from windrow.wiring import Library

RESTART = "windrow index makes it anew. What was started before an upgrade and still runs is to be restarted."
SETTINGS = "`windrow index` rebuilds it. Restart the servers that started before the settings changed."

app = typer.Typer(
    help="What makes records findable: brought up to date by itself while serving and after harvests.",
    invoke_without_command=True,
)


@app.callback()
def follow(
    context: typer.Context,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Build all of it anew, aside; searches go on meanwhile.")
    ] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Bring the index up to date with the library; make it where there is none."""
    if context.invoked_subcommand is not None:
        return
    from windrow.wiring.indexing import follow_index
    from windrow.wiring.serving import make_servable

    with library() as opened, stopping_on_signals() as stopper:
        holder = opened.generations.writer()
        if holder and not is_json:
            hint(f"{holder} is writing to the index, if it still runs; this waits for it.")
        ticker = Ticker("indexed", is_quiet=is_json)
        done = follow_index(opened, is_rebuilding=rebuild, on_progress=ticker, stopper=stopper)
        ticker.clear()
        make_servable(opened, heed=stopper.check)
        records = opened.index.newest().records
    if is_json:
        print_json(_as_dict(done, records))
    else:
        _show(done, records)


def _as_dict(done: Fed, records: int) -> dict[str, Any]:
    return {
        "records": records,
        "put": done.put,
        "removed": done.removed,
        "sources_removed": done.sources,
        "unreadable": done.unreadable,
        "built": done.is_built,
        "held": done.is_held,
        "reason": done.reason,
        "seconds": round(done.seconds, 3),
    }


def _show(done: Fed, records: int) -> None:
    if done.is_held:
        _show_held(done)
        return
    if done.is_built:
        say(f"Built a new index, because {done.reason}: ", end="")
    if done.put or done.removed or done.sources:
        speed = (done.put + done.removed) / max(done.seconds, 1e-6)
        say(
            f"{plural(done.put, 'record')} indexed, {done.removed:,} removed"
            f" ({done.seconds:.1f} s, {speed:,.0f} a second)"
        )
    elif not done.is_built:
        say("Nothing is new.")
    else:
        say("the library is empty")
    if done.sources:
        say(f"  {plural(done.sources, 'source')} that the library has no more: all of it removed")
    if done.unreadable:
        say(f"  {plural(done.unreadable, 'record')} cannot be mapped: found by identifier only", style="warn")
        hint("See why: windrow rebuild")
    say(f"{plural(records, 'record')} can be found.")


def _show_held(done: Fed) -> None:
    from windrow.index.feeder import LET_GO

    if done.is_built:
        say(f"Built {done.generation}: {plural(done.put, 'record')}. It waits.")
    say("The index is held: somebody went back to an older generation, and it stays as it is.", style="warn")
    hint(LET_GO)


@app.command("status")
def status(is_json: Annotated[bool, JSON] = False) -> None:
    """Say how far the index is, and how large."""
    from windrow.index.failures import REBUILD
    from windrow.index.feeder import LET_GO

    with library() as opened:
        found = _status(opened)
    if is_json:
        print_json(found)
        return
    if found["damaged"]:
        say(f"The index cannot be read: {found['damaged']}.", style="bad")
        hint(REBUILD)
        return
    if found["generation"] is None:
        say("There is no index yet.")
        hint("Next: windrow index")
        return
    say(f"Generation   {found['generation']}, {size(found['bytes'])}")
    say(f"Records      {found['records']:,}")
    if found["held_since"]:
        since = iso_moment(found["held_since"])
        say(f"Held         since {since}: nothing follows or replaces it", style="warn")
        hint(LET_GO)
    if found["made_otherwise"]:
        by = "this version, with other settings" if found["other_settings"] else "another version of Windrow"
        say(f"Made by      {by}", style="warn")
        hint(SETTINGS if found["other_settings"] else RESTART)
    say(f"Up to date   {_how_far(found['behind'], is_other=found['made_otherwise'])}")
    say(f"Written      {iso_moment(found['when'])}")
    if found["waiting"]:
        say(f"Waiting      {found['waiting']}: windrow collection activate")


def _how_far(behind: int, *, is_other: bool) -> str:
    if behind:
        return f"no, behind by {plural(behind, 'change')}"
    return "no, it is to be made anew" if is_other else "yes"


def _status(opened: Library) -> dict[str, Any]:
    from windrow.index.feeder import changes_behind
    from windrow.index.layout import shape
    from windrow.index.swapping import waiting

    generations = opened.generations
    held = generations.hold()
    told = {
        "damaged": opened.index.trouble or None,
        "held_since": held.since if held else None,
        "waiting": waiting(generations),
    }
    found = generations.current_state()
    if found is None:
        nothing = {"generation": None, "records": 0, "behind": None, "bytes": 0, "when": None}
        return nothing | {"whole": False, "made_otherwise": False, "other_settings": False} | told
    name, state = found
    return told | {
        "generation": name,
        "records": opened.index.newest().records,
        "behind": changes_behind(opened.store, state.cursor),
        "bytes": generations.size(),
        "when": state.when,
        "whole": state.is_whole,
        "made_otherwise": (state.shape, state.mark) != (shape(), generations.mark),
        "other_settings": generations.has_other_settings(state),
    }


@app.command("check")
def check(
    fix: Annotated[bool, typer.Option("--fix", help="Put right what differs.")] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Compare the index with the library, record by record.

    Exit codes: 0 they agree, 1 they do not, or the index is damaged.
    """
    with library() as opened:
        checked = _check(opened)
        is_fixed = fix and not checked.is_right
        if is_fixed:
            _mend(opened, checked)
            after = _check(opened)
    result = after if is_fixed else checked
    if is_json:
        print_json(_check_as_dict(checked) | {"fixed": is_fixed and result.is_right})
    else:
        _show_check(checked, is_fixed=is_fixed and result.is_right)
    raise typer.Exit(0 if result.is_right else 1)


def _check(opened: Library) -> Checked:
    from windrow.index.checking import check as compare
    from windrow.index.live import LiveIndex

    index = LiveIndex(opened.generations.folder, types=opened.types)
    index.examine()
    found = opened.generations.current_state()
    if found is None:
        raise UsageError("there is no index to check", hint="Make it: windrow index")
    return compare(opened.store, index.newest(), cursor=found[1].cursor)


def _mend(opened: Library, checked: Checked) -> None:
    from windrow.index.feeder import mend
    from windrow.wiring.indexing import follow_index

    if follow_index(opened).is_built:  # from what the library has: there is nothing left to put right
        return
    mend(opened.store, opened.generations, lacking=checked.lacking, surplus=checked.surplus)


def _check_as_dict(checked: Checked) -> dict[str, Any]:
    return {
        "agree": checked.is_right,
        "in_library": checked.stored,
        "in_index": checked.indexed,
        "lacking": len(checked.lacking),
        "surplus": len(checked.surplus),
        "differences": [difference._asdict() for difference in checked.named],
    }


def _show_check(checked: Checked, *, is_fixed: bool) -> None:
    say(f"In the library  {plural(checked.stored, 'record')}")
    say(f"In the index    {plural(checked.indexed, 'record')}")
    if checked.is_right:
        say("They agree.", style="good")
        return
    total = len(checked.lacking) + len(checked.surplus)
    say(f"{plural(total, 'record differs', 'records differ')}:", style="bad")
    rows = [(str(each.number), each.source, each.identifier, each.reason) for each in checked.named]
    columns(("number", "source", "identifier", "why"), rows, right="r")
    if total > len(rows):
        hint(f"and {total - len(rows):,} more")
    if is_fixed:
        say("Put right.", style="good")
    else:
        hint("Put right what differs: windrow index check --fix")
