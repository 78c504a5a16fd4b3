"""The entry point of `windrow`: the table of commands, and the handling of errors and secrets."""

from __future__ import annotations

import atexit
import gc
import os
import re
import sys
import traceback
from functools import partial
from importlib import import_module
from typing import Annotated, Any

import typer
import typer.core
import typer.main

from windrow import __version__
from windrow.cli.invocation import report_error, set_library_folder
from windrow.cli.terminal import Verbosity, add_mask, masked_output, set_verbosity
from windrow.errors import WindrowError, unwritable

_MAY_HAVE_PARAMETERS = re.compile("[?&;#%]")
_PUBLIC = "--public-query"
# By task, in the order in which a new user needs them.
_TASKS: dict[str, dict[str, str]] = {  # module under windrow.cli, and the app or function in it
    "Begin": {
        "demo": "demo_command:add_demo",
        "init": "library_command:add_init",
        "config": "library_command:config_app",
        "doctor": "doctor_command:add_doctor",
    },
    "Bring records in": {
        "source": "sources.source_command:source_app",
        "harvest": "sources.harvest_command:add_harvest",
        "crawl": "sources.crawl_command:crawl_app",
        "refresh": "sources.harvest_command:add_refresh",
        "quarantine": "sources.quarantine_command:quarantine_app",
        "diff": "records.record_command:add_diff",
    },
    "Keep the library current": {
        "schedule": "jobs.schedule_command:schedule_app",
        "worker": "jobs.worker_command:add_worker",
        "run": "jobs.run_command:run_app",
        "notify": "jobs.worker_command:notify_app",
    },
    "Look at records": {
        "search": "records.search_command:add_search",
        "stats": "records.stats_command:add_stats",
        "record": "records.record_command:record_app",
        "document": "records.document_command:document_app",
        "trace": "records.trace_command:add_trace",
    },
    "Share the library": {
        "serve": "serve_command:add_serve",
        "z3950": "serve_command:add_z3950",
        "sitemap": "records.export_command:sitemap_app",
        "export": "records.export_command:add_export",
        "backup": "library_command:add_backup",
    },
    "Build and improve it": {
        "index": "records.index_command:index_app",
        "collection": "sources.collection_command:collection_app",
        "vocabulary": "records.vocabulary_command:vocabulary_app",
        "rebuild": "records.index_command:add_rebuild",
    },
}
_COMMANDS = {name: place for commands in _TASKS.values() for name, place in commands.items()}
_MAX_SENTENCE_LENGTH = 400


class _PlainGroup(typer.core.TyperGroup):
    """Commands whose help lists each of them with its whole first sentence, on as many lines as it takes."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        self._format_section("Commands", self.list_commands(ctx), ctx, formatter)

    def _format_section(self, title: str, names: list[str], ctx: Any, formatter: Any) -> None:
        found = [(name, self.get_command(ctx, name)) for name in names]
        rows = [
            (name, command.get_short_help_str(_MAX_SENTENCE_LENGTH))
            for name, command in found
            if command is not None and not command.hidden
        ]
        with formatter.section(title):
            formatter.write_dl([(name.ljust(_NAME_COLUMNS), words) for name, words in rows])


def _verbosity_options(taken: set[str]) -> list[Any]:
    """Return the options that every command has, without the short ones that are `taken`."""
    options = []
    for verbosity, short, words in (
        (Verbosity.VERBOSE, "-v", "Print every request to a server, too."),
        (Verbosity.QUIET, "-q", "Print results and errors only."),
    ):
        long = f"--{verbosity.value}"
        options.append(
            typer.core.TyperOption(
                param_decls=[f"verbosity_{verbosity.value}", long, *({short} - taken)],
                is_flag=True,
                default=False,
                expose_value=False,
                is_eager=True,
                callback=partial(_choose_verbosity, verbosity),
                help=words,
            )
        )
    return options


def _choose_verbosity(verbosity: Verbosity, _context: Any, _option: Any, is_chosen: bool) -> None:
    if is_chosen:
        set_verbosity(verbosity)


def _add_verbosity(command: Any) -> None:
    """Give a command and those below it the options of verbosity, before its --help."""
    if not any(each.name == "verbosity_quiet" for each in command.params):
        taken = {each for parameter in command.params for each in parameter.opts}
        command.params += _verbosity_options(taken)
    for inner in getattr(command, "commands", {}).values():
        _add_verbosity(inner)


_NAME_COLUMNS = max(map(len, _COMMANDS))  # the same in all sections


class _Commands(_PlainGroup):
    """The commands, imported on demand: importing all of them takes as long as running a short command."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for task, commands in _TASKS.items():
            self._format_section(task, list(commands), ctx, formatter)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """Return a command; None if there is none of that name, after importing all for suggestions."""
        for name in (cmd_name,) if cmd_name in _COMMANDS else _COMMANDS:
            if name not in self.commands:
                self.commands[name] = _load(name)
        return self.commands.get(cmd_name)


def _load(name: str) -> Any:
    module, attribute = _COMMANDS[name].split(":")
    command = getattr(import_module(f"windrow.cli.{module}"), attribute)
    holder = typer.Typer(rich_markup_mode=None)
    if isinstance(command, typer.Typer):
        holder.add_typer(command, name=name, cls=_PlainGroup)
    else:
        command(holder)
    made = typer.main.get_group(holder).commands[name]
    _add_verbosity(made)
    return made


app = typer.Typer(
    cls=_Commands,
    name="windrow",
    help="Bring metadata in from repositories, folders and web sites, keep it in one library, and show it.",
    epilog="`windrow COMMAND --help` has the options of a command.",
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
    is_verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print every request to a server, too.")
    ] = False,
    is_quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print results and errors only.")] = False,
    version: Annotated[  # noqa: ARG001 - its callback does the work
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    set_library_folder(library_)
    set_verbosity(Verbosity.QUIET if is_quiet else Verbosity.VERBOSE if is_verbose else Verbosity.NORMAL)


def main() -> None:
    """Run the command line, and exit with its exit code."""
    # By default the garbage collector runs every 700 new objects, which takes longer than some commands do.
    gc.set_threshold(50_000, 20, 20)
    atexit.register(gc.freeze)  # no collection at exit either
    arguments = _move_library_option_first(sys.argv[1:])
    with masked_output():
        _hide_credentials(arguments)
        _run(arguments)


def _hide_credentials(arguments: list[str]) -> None:
    """Hide the credentials of addresses in the arguments, even if the command line cannot be parsed."""
    whole = "\n".join(arguments)
    found = re.findall(r"://([^\s/?#]*)@", whole)
    # An address without its scheme or with a typing mistake: recognized by the user and password before the
    # @.
    found += re.findall(r"(?m)(?:^|[/=])([^\s/?#:@=]+:[^\s/?#]+)@", whole)
    if found:
        from windrow.config.secrets import Mask

        add_mask(Mask(each.partition(":")[2] or each for each in found))
    if (
        _MAY_HAVE_PARAMETERS.search(whole) and "--pqf" not in arguments
    ):  # identifiers of events contain semicolons
        from windrow.config.network_values import parameters_in
        from windrow.config.secrets import Mask

        # In errors alone: identifiers of records may be addresses too, and are printed unchanged.
        add_mask(Mask(parameters_in(whole, _public_names(arguments))), in_errors_alone=True)
        if "source" in arguments:  # prints addresses itself; in a mistyped one, parameters look like a path
            slipped = " ".join(word for word in whole.split() if "?" not in word)
            add_mask(Mask(parameters_in(slipped)))


def _public_names(arguments: list[str]) -> list[str]:
    pairs = zip(["", *arguments], arguments, strict=False)
    return [
        word.removeprefix(f"{_PUBLIC}=")
        for option, word in pairs
        if _PUBLIC in (option, word.partition("=")[0])
    ]


def _run(arguments: list[str]) -> None:
    try:
        app(args=arguments)
    except WindrowError as exc:
        sys.exit(report_error(exc, is_json="--json" in arguments))
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as exc:
        sys.exit(report_error(_system_error(exc), is_json=False))
    except Exception as exc:  # noqa: BLE001 - last resort: report any error as a sentence
        if os.environ.get("WINDROW_DEBUG"):
            traceback.print_exc()  # printed here, where secrets in it are masked
            sys.exit(1)
        sys.exit(report_error(_unexpected_error(exc), is_json="--json" in arguments))


def _system_error(exc: OSError) -> WindrowError:
    """Return the error for a file or an output that the system refuses."""
    if exc.filename is None:
        return unwritable("the output", exc, WindrowError)
    return unwritable(os.fsdecode(exc.filename2 or exc.filename), exc, WindrowError)


def _unexpected_error(exc: Exception) -> WindrowError:
    """Return the error for an unexpected exception. Stored data is kept."""
    return WindrowError(
        f"something went wrong inside Windrow: {type(exc).__name__}: {exc}",
        hint="What was stored is not lost. The same command with WINDROW_DEBUG=1 shows where it happened.",
    )


def _move_library_option_first(arguments: list[str]) -> list[str]:
    """Move --library before the verb: it is accepted in both places."""
    for index, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument == "--library" and index + 1 < len(arguments):
            return [*arguments[index : index + 2], *arguments[:index], *arguments[index + 2 :]]
        if argument.startswith("--library="):
            return [argument, *arguments[:index], *arguments[index + 1 :]]
    return arguments
