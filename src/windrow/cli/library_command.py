"""`windrow init`, `windrow config` and `windrow backup`: the commands about a library as a whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from windrow.cli.invocation import JSON, named_library_folder, opened_library, print_json
from windrow.cli.progress import Ticker
from windrow.cli.terminal import plural, print_hint, print_line, print_table
from windrow.errors import UsageError

if TYPE_CHECKING:
    from windrow.exports.backup import Backup

# `windrow init`.


def add_init(app: typer.Typer) -> None:
    app.command("init")(init)


def init(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="DIR",
            help="The folder to make; it may exist. Else the one that --library names, else the one at hand.",
            show_default=False,
        ),
    ] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Make a new library."""
    from windrow.wiring import create_library

    path = _folder_for_library(folder, named_library_folder())
    made = create_library(path)
    if is_json:
        print_json({"library": str(made.resolve())})
        return
    print_line(f"Made the library {made.resolve()}")
    step = "" if path == Path() else f"cd {path} && "
    print_hint(f"Next: {step}windrow source add NAME URL")


def _folder_for_library(folder: Path | None, named: str | None) -> Path:
    """Return the folder for the new library; UsageError if argument and --library name different ones."""
    if folder is None or named is None:
        return folder or Path(named or "")
    if folder.resolve() != Path(named).resolve():
        raise UsageError(
            f"--library names {named}, and the command {folder}", hint="Name the folder to make once."
        )
    return folder


# `windrow config`.

config_app = typer.Typer(help="Show the settings, and who set each of them.", no_args_is_help=True)


@config_app.command("show")
def show(
    everything: Annotated[
        bool, typer.Option("--all", help="Also settings that have their default value.")
    ] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Show the settings, what they are and who set them. Secrets are hidden."""
    from windrow.config.loader import DEFAULT
    from windrow.config.settings_reference import rows

    with opened_library() as opened:
        listed = rows(opened.config)
        path = opened.folder
    found = [row for row in listed if everything or row.origin != DEFAULT]
    if is_json:
        print_json(
            [{"key": row.key, "value": row.value, "origin": row.origin, "help": row.help} for row in found]
        )
        return
    if not found:
        print_line("Everything is as it comes.")
    else:
        print_table(("setting", "set by", "value"), [(row.key, row.origin, row.value) for row in found])
    print_hint(f"The file: {path}/windrow.toml." + ("" if everything else " --all shows the defaults too."))


def add_backup(app: typer.Typer) -> None:
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
    with opened_library() as opened:
        place = find_place(opened.folder, target, keep=keep)
        try:
            made = back_up(opened.store, opened.folder, place, keep=keep, on_progress=ticker)
        finally:
            ticker.clear()
    if is_json:
        print_json(_backup_as_dict(made))
        return
    _show_backup(made)


def _show_backup(made: Backup) -> None:
    from windrow.cli.run_summary import format_size

    held = f"{plural(made.records, 'record')}, {plural(made.files, 'file')}, {format_size(made.bytes)}"
    print_line(f"Copied to {made.path}: {held}; looked over and whole.")
    for each in made.removed:
        print_hint(f"Removed the older {each}")


def _backup_as_dict(made: Backup) -> dict[str, object]:
    return {
        "backup": str(made.path),
        "records": made.records,
        "files": made.files,
        "bytes": made.bytes,
        "removed": [str(each) for each in made.removed],
    }
