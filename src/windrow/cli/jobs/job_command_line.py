"""The command line of a job: where it starts among the words of `schedule add`, and whether it can be run.

It is parsed by the same parser that runs it later, up to the point where the command would start.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

import typer
import typer.core
import typer.main

from windrow.config.fields import shorten, suggest
from windrow.config.job_settings import NO_JOBS, OURSELVES
from windrow.errors import UsageError

_EXAMPLE = "For example: windrow schedule add nightly --daily --at 03:30 harvest"
_ONLY_PRINTING = frozenset({"--help", "-h"})
_OF_SOURCES = ("harvest", "refresh", "rebuild")
_OF_COLLECTIONS = "collection"  # where the name of a source is also accepted
_ENDLESS = ("run", "watch")
# The base class of the parser's errors; Typer has no public name for it.
_MisuseError: Any = typer.BadParameter.__base__


class CommandLast(typer.core.TyperCommand):
    """A command of the form NAME [OPTIONS] WORDS…: words from the first non-option on are not parsed."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments with the name moved behind the options, as the parser requires."""
        ctx.allow_interspersed_args = False
        if args and not args[0].startswith("-"):
            begin = self._begin(args)
            args = [*args[1:begin], args[0], *args[begin:]]
        return super().parse_args(ctx, args)

    def _begin(self, words: Sequence[str]) -> int:
        """Return the index of the first word after the name that is neither an option nor its value."""
        flags = {name for each in self.params if getattr(each, "is_flag", False) for name in _names(each)}
        place = 1
        while place < len(words) and words[place].startswith("-") and words[place] != "--":
            takes_value = "=" not in words[place] and words[place] not in flags | _ONLY_PRINTING
            place += 2 if takes_value else 1
        place += words[place : place + 1] == [
            "--"
        ]  # "--" stays before the name, where the parser recognizes it
        return min(place, len(words))


def _names(option: Any) -> list[str]:
    return [*option.opts, *option.secondary_opts]


def check_command(
    words: Sequence[str], *, sources: Collection[str], collections: Collection[str]
) -> tuple[str, ...]:
    """Return the words of a command line that Windrow can run; raise UsageError if it cannot."""
    words = tuple(words[1:] if words[:1] == [OURSELVES] else words)
    if not words:
        raise UsageError("nothing says what is to be done", hint=_EXAMPLE)
    if words[0] in NO_JOBS or words[:2] == _ENDLESS or not _ONLY_PRINTING.isdisjoint(words):
        raise UsageError(
            f"{_command_text(words)} is nothing to do at certain times",
            hint="Jobs are what ends by itself: harvest, index, export, quarantine retry, backup …",
        )
    parameters = _parse_command(words)
    if words[0] in _OF_SOURCES:
        _refuse_collections(words, parameters.get("names") or (), set(collections) - set(sources))
        _check_names(words, "source", parameters.get("names") or (), sources)
    if words[0] == _OF_COLLECTIONS and parameters.get("name"):
        _check_names(words, "collection", [parameters["name"]], {*collections, *sources})
    return words


def _parse_command(words: Sequence[str]) -> Mapping[str, Any]:
    """Return the parameters that the last verb among the words would be called with."""
    from windrow.cli.main import app

    try:
        return _descend(typer.main.get_command(app), OURSELVES, list(words), None)
    except _MisuseError as exc:
        path = exc.ctx.command_path if exc.ctx else OURSELVES
        problem = "it needs a verb" if type(exc).__name__ == "NoArgsIsHelpError" else exc.format_message()
        raise UsageError(f"{_command_text(words)}: {problem}", hint=f"Look at: {path} --help") from None


def _descend(command: Any, name: str, words: list[str], parent: Any) -> Mapping[str, Any]:
    """Parse words as a command would, down to the last verb, without running it."""
    context = command.make_context(name, words, parent=parent)
    left = [*context._protected_args, *context.args] if hasattr(command, "resolve_command") else []
    if not left:
        return cast("Mapping[str, Any]", context.params)
    inner_name, inner, rest = command.resolve_command(context, left)
    return _descend(inner, inner_name, rest, context)


def _refuse_collections(words: Sequence[str], names: Sequence[str], collections: Collection[str]) -> None:
    """Refuse a collection given in place of a source, and explain how to harvest a collection."""
    for name in names:
        if name in collections:
            raise UsageError(
                f"{_command_text(words)}: {shorten(name)} is a collection, not a source",
                hint=f"Say `collection update {name}`, or `collection import {name}` to take in only.",
            )


def _check_names(words: Sequence[str], noun: str, names: Sequence[str], known: Collection[str]) -> None:
    """Refuse unknown names; a source that will exist later has to be added first."""
    for name in names:
        if name not in known:
            raise UsageError(
                f"{_command_text(words)}: there is no {noun} {shorten(name)}.{suggest(name, known)}",
                hint=f"The {noun}s of this library: {', '.join(sorted(known)) or 'none yet'}.",
            )


def _command_text(words: Sequence[str]) -> str:
    return shorten(" ".join((OURSELVES, *words)))
