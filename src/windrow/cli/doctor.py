"""`windrow doctor`: is everything in order?"""

from __future__ import annotations

from typing import Annotated

import typer

from windrow.cli.state import JSON, named_library, print_json
from windrow.cli.terminal import hint, printable, say

_STYLES = {"ok": "good", "note": "warn", "problem": "bad"}


def add_to(app: typer.Typer) -> None:
    """Put this command among the others."""
    app.command("doctor")(doctor)


def doctor(is_json: Annotated[bool, JSON] = False) -> None:
    """Look the library over: files, settings, database, disk, sources, quarantine, versions.

    Exit codes: 0 nothing is wrong, 1 something is.
    """
    from windrow.cli.checkup import look_over

    findings = look_over(named_library())
    if is_json:
        print_json(
            [
                {"level": item.level, "what": item.what, "detail": item.detail, "hint": item.hint or None}
                for item in findings
            ]
        )
    else:
        for item in findings:
            say(f"{item.level:<8}", style=_STYLES[item.level], end="")
            say(f"{item.what:<11} {printable(item.detail)}")
            if item.hint:
                hint(f"{'':<20}{item.hint}")
    raise typer.Exit(1 if any(item.level == "problem" for item in findings) else 0)
