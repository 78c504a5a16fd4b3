"""`windrow schedule`: what is done at certain times. The verbs, put together; each has a file of its own."""

from __future__ import annotations

import typer

from windrow.cli.schedule_add import add
from windrow.cli.schedule_command import CommandLast
from windrow.cli.schedule_edit import edit
from windrow.cli.schedule_list import list_
from windrow.cli.schedule_next import next_
from windrow.cli.schedule_remove import remove
from windrow.cli.schedule_rest import pause, resume
from windrow.cli.schedule_run import run
from windrow.cli.schedule_show import show
from windrow.cli.schedule_template import add_template

app = typer.Typer(help="What is done at certain times, by itself.", no_args_is_help=True)

app.command("add", cls=CommandLast)(add)
app.command("add-template")(add_template)
app.command("list")(list_)
app.command("show")(show)
app.command("edit", cls=CommandLast)(edit)
app.command("remove")(remove)
app.command("pause")(pause)
app.command("resume")(resume)
app.command("run")(run)
app.command("next")(next_)
