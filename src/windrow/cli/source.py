"""`windrow source`: where records come from."""

from __future__ import annotations

from typing import Annotated

import typer

from windrow.cli.state import JSON, err, library, out, print_json

app = typer.Typer(help="Where records come from.", no_args_is_help=True)


@app.command("add")
def add(
    name: Annotated[str, typer.Argument(help="A short name: lower-case letters, digits, dots, dashes.")],
    url: Annotated[str, typer.Argument(help="The OAI-PMH base URL.")],
    formats: Annotated[
        list[str] | None, typer.Option("--format", metavar="PREFIX", help="A metadata format; repeatable.")
    ] = None,
    sets: Annotated[list[str] | None, typer.Option("--set", metavar="SPEC", help="Only this set; repeatable.")] = None,
    no_check: Annotated[bool, typer.Option("--no-check", help="Do not ask the repository first.")] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Add a source to the library."""
    from windrow.config import edit

    settings: dict[str, object] = {"url": url}
    if formats:
        settings["formats"] = list(formats)
    if sets:
        settings["sets"] = list(sets)
    with library() as opened:
        edit.add_source(opened.folder, name, settings)
    if is_json:
        print_json({"source": name, **settings})
        return
    out().print(f"Added {name}.")
    err().print(f"Next: windrow harvest {name}", style="dim")
