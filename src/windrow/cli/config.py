"""`windrow config`: what is set, and who set it."""

from __future__ import annotations

from typing import Annotated

import typer

from windrow.cli.state import JSON, library, print_json
from windrow.cli.terminal import columns, hint, say

app = typer.Typer(help="What is set, and who set it.", no_args_is_help=True)


@app.command("show")
def show(
    everything: Annotated[
        bool, typer.Option("--all", help="Also what nobody set, with its default.")
    ] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Show the settings, what they are and who set them. Secrets are hidden."""
    from windrow.config.describe import rows
    from windrow.config.load import DEFAULT

    with library() as opened:
        listed = rows(opened.config)
        path = opened.folder
    found = [row for row in listed if everything or row.origin != DEFAULT]
    if is_json:
        print_json(
            [{"key": row.key, "value": row.value, "origin": row.origin, "help": row.help} for row in found]
        )
        return
    if not found:
        say("Everything is as it comes.")
    else:
        columns(("setting", "set by", "value"), [(row.key, row.origin, row.value) for row in found])
    hint(f"The file: {path}/windrow.toml." + ("" if everything else " --all shows the defaults too."))
