"""`windrow`: the commands, put together."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer
import typer.core

from windrow import __version__
from windrow.cli import (
    config,
    demo,
    diff,
    doctor,
    export,
    harvest,
    library,
    quarantine,
    rebuild,
    record,
    run,
    source,
    trace,
)
from windrow.cli.state import complain, name_library
from windrow.errors import WindrowError

# In the order in which a new user needs them.
_ORDER = (
    "demo",
    "init",
    "source",
    "harvest",
    "run",
    "diff",
    "record",
    "trace",
    "quarantine",
    "export",
    "rebuild",
)


class _Commands(typer.core.TyperGroup):
    """The commands, in our order: typer puts single ones before groups."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Give the names as `--help` lists them."""
        known = super().list_commands(ctx)
        return sorted(known, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER))


app = typer.Typer(
    cls=_Commands,
    name="windrow",
    help="Bring metadata in from OAI-PMH repositories and keep it in one library.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(f"windrow {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    library_: Annotated[
        str | None,
        typer.Option(
            "--library",
            "-L",
            metavar="DIR",
            help="The library's folder. Else WINDROW_LIBRARY, else the folder at hand.",
        ),
    ] = None,
    version: Annotated[  # noqa: ARG001 - its callback does the work
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    name_library(library_)


demo.add_to(app)
library.add_to(app)
app.add_typer(source.app, name="source")
harvest.add_to(app)
app.add_typer(run.app, name="run")
diff.add_to(app)
app.add_typer(record.app, name="record")
trace.add_to(app)
app.add_typer(quarantine.app, name="quarantine")
export.add_to(app)
rebuild.add_to(app)
app.add_typer(config.app, name="config")
doctor.add_to(app)


def main() -> None:
    """Run the command line; end with the exit code of what happened."""
    arguments = _library_first(sys.argv[1:])
    try:
        app(args=arguments)
    except WindrowError as exc:
        sys.exit(complain(exc, is_json="--json" in arguments))
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as exc:
        sys.exit(complain(WindrowError(f"cannot read or write: {exc}"), is_json=False))
    except Exception as exc:
        if os.environ.get("WINDROW_DEBUG"):
            raise
        sys.exit(complain(_unforeseen(exc), is_json="--json" in arguments))


def _unforeseen(exc: Exception) -> WindrowError:
    """Give the error for what should not happen; what was stored stays."""
    return WindrowError(
        f"something went wrong inside Windrow: {type(exc).__name__}: {exc}",
        hint="What was stored is not lost. The same command with WINDROW_DEBUG=1 shows where it happened.",
    )


def _library_first(arguments: list[str]) -> list[str]:
    """Let --library stand behind the verb too, where people put it."""
    for index, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument == "--library" and index + 1 < len(arguments):
            return [*arguments[index : index + 2], *arguments[:index], *arguments[index + 2 :]]
        if argument.startswith("--library="):
            return [argument, *arguments[:index], *arguments[index + 1 :]]
    return arguments
