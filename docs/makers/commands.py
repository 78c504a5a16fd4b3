"""The page of the command line: every command, argument and option, as `--help` knows them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from docs.makers.table import code, table
from windrow.cli.main import app

_PREFACE = """\
# The command line

Results go to stdout, everything else to stderr. Every command that prints has `--json`. What the exit codes
mean is on a [page of its own](exit-codes.md). `--library DIR` may stand before or behind the command; without
it the library is the folder that `WINDROW_LIBRARY` names, else the folder at hand or one above it.

Every command has `-q` (`--quiet`), which prints results and errors only, and `-v` (`--verbose`), which prints
every request to a server as well, on stderr and without secrets. They may stand before or behind the command;
`-q` behind `windrow export` is `--query`.

`windrow --install-completion` teaches your shell to complete commands, options and the names of sources.
"""
# The shell's own, the same for every command.
_LEFT_OUT = frozenset(
    ("help", "install_completion", "show_completion", "verbosity_quiet", "verbosity_verbose")
)

Found = tuple[TyperCommand, typer.Context]


def make_page() -> str:
    """Write the page."""
    root = get_command(app)
    assert isinstance(root, TyperGroup)
    context = typer.Context(root, info_name="windrow")
    listed = list(commands(root, context))
    parts = [_PREFACE, _contents(listed), "## `windrow`\n", _options(root, context)]
    parts += [_section(command, inner) for command, inner in listed]
    return "\n".join(part for part in parts if part)


def commands(group: TyperGroup, context: typer.Context) -> Iterator[Found]:
    """Give every command that does something, in the order of `--help`."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        inner = typer.Context(command, info_name=name, parent=context)
        if isinstance(command, TyperGroup):
            yield from commands(command, inner)
        elif isinstance(command, TyperCommand):
            yield command, inner


def _contents(listed: list[Found]) -> str:
    rows = [
        (f"[`{inner.command_path}`](#{inner.command_path.replace(' ', '-')})", _first_line(command))
        for command, inner in listed
    ]
    return table(("Command", "What it does"), rows)


def _first_line(command: TyperCommand) -> str:
    return inspect.cleandoc(command.help or "").partition("\n")[0]


def _section(command: TyperCommand, context: typer.Context) -> str:
    usage = " ".join([context.command_path, *map(_placeholder, command.collect_usage_pieces(context))])
    text = inspect.cleandoc(command.help or "").rstrip()
    heading = f"## `{context.command_path}`\n\n```text\n{usage}\n```\n\n{text}\n"
    return "\n".join(filter(None, (heading, _arguments(command, context), _options(command, context))))


def _placeholder(piece: str) -> str:
    """What stands for an argument, in capitals as people are used to."""
    return piece.strip("{}").upper()


def _arguments(command: TyperCommand, context: typer.Context) -> str:
    rows = [
        (code(_placeholder(parameter.make_metavar(context))), parameter.help or "")
        for parameter in command.get_params(context)
        if isinstance(parameter, TyperArgument)
    ]
    return table(("Argument", "What it is"), rows) if rows else ""


def _options(command: TyperCommand | TyperGroup, context: typer.Context) -> str:
    rows = [
        (_spelling(parameter, context), _described(parameter))
        for parameter in command.get_params(context)
        if isinstance(parameter, TyperOption) and parameter.name not in _LEFT_OUT and not parameter.hidden
    ]
    return table(("Option", "What it does"), rows) if rows else ""


def _spelling(option: TyperOption, context: typer.Context) -> str:
    names = ", ".join([*sorted(option.opts, key=len, reverse=True), *option.secondary_opts])
    value = "" if option.is_flag else f" {option.make_metavar(context)}"
    return code(names + value)


def _described(option: TyperOption) -> str:
    """The help, and the default where there is one to speak of and the help does not name it."""
    words = option.help or ""
    is_worth_saying = not option.is_flag and option.default not in (None, "", ()) and "[default" not in words
    default = getattr(option.default, "value", option.default)
    return f"{words} [default: {default}]" if is_worth_saying else words
