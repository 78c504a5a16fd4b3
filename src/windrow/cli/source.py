"""`windrow source`: where records come from. The verbs, put together; each has a file of its own."""

from __future__ import annotations

import typer

from windrow.cli.source_add import add
from windrow.cli.source_check import check
from windrow.cli.source_compare import compare
from windrow.cli.source_edit import edit
from windrow.cli.source_list import list_
from windrow.cli.source_options import KindFlags
from windrow.cli.source_remove import remove
from windrow.cli.source_sets import sets
from windrow.cli.source_show import show

app = typer.Typer(help="Where records come from.", no_args_is_help=True)

app.command("add", cls=KindFlags)(add)
app.command("list")(list_)
app.command("show")(show)
app.command("edit", cls=KindFlags)(edit)
app.command("sets")(sets)
app.command("remove")(remove)
app.command("check")(check)
app.command("compare")(compare)
