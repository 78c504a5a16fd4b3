"""`windrow backup`: a copy of the whole library, made while it is in use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from windrow.cli.state import JSON, library, print_json
from windrow.cli.terminal import hint, plural, say
from windrow.cli.ticker import Ticker

if TYPE_CHECKING:
    from windrow.exports.backup import Backup


def add_to(app: typer.Typer) -> None:
    """Put this command among the others."""
    app.command("backup", short_help="Copy the whole library, while it is in use.")(backup)


def backup(
    target: Annotated[
        str,
        typer.Argument(
            metavar="DIR|FILE.tar.zst", help="A folder that gets a dated copy, or the archive to write."
        ),
    ],
    keep: Annotated[
        int | None,
        typer.Option(
            "--keep", min=1, metavar="N", help="Leave the N newest copies; an archive's name is dated then."
        ),
    ] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Copy the whole library, while it is in use: settings, records, and every file beside them.

    The index and the output of jobs are left out. The copy is opened and looked over before it gets its name;
    to restore it, copy it back.
    """
    from windrow.exports.backup import back_up, find_place

    ticker = Ticker("copying pages", is_quiet=is_json)
    with library() as opened:
        place = find_place(opened.folder, target, keep=keep)
        try:
            made = back_up(opened.store, opened.folder, place, keep=keep, on_progress=ticker)
        finally:
            ticker.clear()
    if is_json:
        print_json(_as_dict(made))
        return
    _show(made)


def _show(made: Backup) -> None:
    from windrow.cli.summary import size

    held = f"{plural(made.records, 'record')}, {plural(made.files, 'file')}, {size(made.bytes)}"
    say(f"Copied to {made.path}: {held}; looked over and whole.")
    for each in made.removed:
        hint(f"Removed the older {each}")


def _as_dict(made: Backup) -> dict[str, object]:
    return {
        "backup": str(made.path),
        "records": made.records,
        "files": made.files,
        "bytes": made.bytes,
        "removed": [str(each) for each in made.removed],
    }
