"""`windrow notify`: who is told of jobs, tried out by day and not found out at night."""

from __future__ import annotations

from typing import Annotated

import typer

from windrow.cli.state import JSON, library, print_json
from windrow.cli.terminal import printable, say
from windrow.errors import UsageError

app = typer.Typer(help="Who is told how jobs went.", no_args_is_help=True)


@app.callback()
def nothing() -> None:
    """Keep the verb: a group with a single command would lose it."""


@app.command("test")
def send_test(is_json: Annotated[bool, JSON] = False) -> None:
    """Send a message by every way that [notify] names: mail, webhook, command.

    Exit codes: 0 all arrived, 1 one did not.
    """
    from windrow.wiring.scheduling import make_teller

    with library() as opened:
        tried = make_teller(opened).try_out()
    if not tried:
        raise UsageError(
            "there is nobody to tell", hint="Set mail_to and smtp_host, webhook or command in [notify]."
        )
    if is_json:
        print_json(
            {way: {"arrived": not problem, "problem": problem or None} for way, problem in tried.items()}
        )
    else:
        for way, problem in tried.items():
            say(f"{way}: ", end="")
            say(printable(problem) or "sent", style="bad" if problem else "good")
    raise typer.Exit(int(any(tried.values())))
