"""The commands in the documentation's blocks: found, split as a shell would, parsed as Windrow would."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from tests.docs.markdown import Block, Page
from windrow.cli.main import app

SHELLS = ("console", "sh")
_ENDS = frozenset(("&&", "||", ";", "|", "&", ">", ">>", "<", "2>", "(", ")", "{", "}"))


def lines(block: Block) -> list[str]:
    """Give the commands of a block, continuation lines joined: behind prompts in console, all in sh."""
    joined = block.text.replace("\\\n", " ").splitlines()
    if block.language == "console":
        return [line[2:].strip() for line in joined if line.startswith("$ ")]
    return [line.strip() for line in joined if line.strip() and not line.lstrip().startswith("#")]


def windrow_commands(page: Page) -> Iterator[list[str]]:
    """Give the arguments of every `windrow …` in a page's shell blocks."""
    for block in page.blocks:
        if block.language in SHELLS:
            for line in lines(block):
                yield from _calls(line)


def _calls(line: str) -> Iterator[list[str]]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    call: list[str] | None = None
    for word in lexer:
        if word in _ENDS:
            if call is not None:
                yield call
            call = None
        elif call is not None:
            call.append(word)
        elif word == "windrow":
            call = []
    if call is not None:
        yield call


def check(arguments: list[str]) -> None:
    """Parse arguments with the real command line; whatever is wrong with them is raised. Nothing runs."""
    command, context, words = _find(arguments)
    if words or not isinstance(command, TyperGroup):
        command.make_context(context.info_name, words, parent=context.parent)


def unknown_options(arguments: list[str]) -> set[str]:
    """Give the options that the command so named does not have; other words may be placeholders."""
    command, context, words = _find(arguments)
    known = {
        name for option in command.get_params(context) for name in (*option.opts, *option.secondary_opts)
    }
    return {word.partition("=")[0] for word in words if word.startswith("-")} - known


def _find(arguments: list[str]) -> tuple[Any, typer.Context, list[str]]:
    """Give the command that is meant, its context, and the words behind its name."""
    command: Any = get_command(app)
    context = typer.Context(command, info_name="windrow")
    words = _without_common(arguments, command, context)
    while isinstance(command, TyperGroup) and words and not words[0].startswith("-"):
        name = words.pop(0)
        found = command.get_command(context, name)
        assert found is not None, f"there is no command {context.command_path} {name}"
        command, context = found, typer.Context(found, info_name=name, parent=context)
    return command, context, words


def _without_common(arguments: list[str], root: Any, context: typer.Context) -> list[str]:
    """Take out the options of `windrow` itself: they stand in front, --library behind the verb as well."""
    known = {name: option.is_flag for option in root.get_params(context) for name in option.opts}
    words, rest = list(arguments), list[str]()
    while words:
        word = words.pop(0)
        is_common = word in known and (not rest or word == "--library")
        if not is_common:
            rest.append(word)
        elif not known[word]:
            words.pop(0)
    return rest
