"""`windrow init`: a new library."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from windrow.cli.state import JSON, print_json
from windrow.cli.terminal import hint, say


def add_to(app: typer.Typer) -> None:
    """Put these commands among the others."""
    app.command("init")(init)


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to make; it may exist.")] = Path(),
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Make a new library."""
    from windrow.wiring import create_library

    made = create_library(folder)
    if is_json:
        print_json({"library": str(made.resolve())})
        return
    say(f"Made the library {made.resolve()}")
    step = "" if folder == Path() else f"cd {folder} && "
    hint(f"Next: {step}windrow source add NAME URL")
