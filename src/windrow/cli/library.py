"""`windrow init`: a new library."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from windrow.cli.state import JSON, named_library, print_json
from windrow.cli.terminal import hint, say
from windrow.errors import UsageError


def add_to(app: typer.Typer) -> None:
    """Put these commands among the others."""
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

    path = _place(folder, named_library())
    made = create_library(path)
    if is_json:
        print_json({"library": str(made.resolve())})
        return
    say(f"Made the library {made.resolve()}")
    step = "" if path == Path() else f"cd {path} && "
    hint(f"Next: {step}windrow source add NAME URL")


def _place(folder: Path | None, named: str | None) -> Path:
    """Where to make it: in the folder that either of the two names; UsageError where they name two."""
    if folder is None or named is None:
        return folder or Path(named or "")
    if folder.resolve() != Path(named).resolve():
        raise UsageError(
            f"--library names {named}, and the command {folder}", hint="Name the folder to make once."
        )
    return folder
