"""`windrow z3950`: the library for clients of Z39.50, in a process of its own."""

from __future__ import annotations

import logging
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from windrow.cli.signals import on_stop
from windrow.cli.state import library, print_json
from windrow.cli.terminal import hint
from windrow.config.describe import help_text
from windrow.config.z3950 import DEFAULT_PORT

if TYPE_CHECKING:
    from windrow.wiring import Library


def add_to(app: typer.Typer) -> None:
    """Put this command among the others."""
    app.command("z3950", short_help="Answer clients of Z39.50.")(z3950)


def z3950(
    *,
    host: Annotated[str | None, typer.Option("--host", help=help_text("z3950.host"))] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", "-p", help=f"The port to listen on; 0 takes any free one. [{DEFAULT_PORT}]"),
    ] = None,
    is_json: Annotated[
        bool, typer.Option("--json", help="Print the address as a line of JSON when ready, for programs.")
    ] = False,
) -> None:
    """Answer clients of Z39.50: Koha, Alma, reference managers, yaz-client.

    The database `Default` is the whole library; each collection, source and vocabulary is one of its own
    name. `windrow serve --z3950 PORT` does the same beside the pages.
    """
    with library({"z3950.host": host, "z3950.port": port}) as opened, listening_at(opened) as (where, bound):
        if _run(opened, bound, lambda: _announce(opened, where, bound, is_json=is_json)):
            raise typer.Exit(130)


@contextmanager
def listening_at(opened: Library) -> Iterator[tuple[str, socket.socket]]:
    """Open the socket that the settings ask for, and say where it is: host:port."""
    from windrow.cli.serve_address import open_socket

    settings = opened.config.z3950
    bound = open_socket(settings.host, DEFAULT_PORT if settings.port is None else settings.port)
    with bound:
        shown = f"[{settings.host}]" if ":" in settings.host else settings.host
        yield f"{shown}:{bound.getsockname()[1]}", bound


def _announce(opened: Library, where: str, bound: socket.socket, *, is_json: bool) -> None:
    if is_json:
        print_json({"address": where, "port": bound.getsockname()[1], "databases": opened.databases.names()})
        sys.stdout.flush()
        return
    typer.echo(f"Answering Z39.50 for {opened.config.library.name} at {where}", err=True)
    typer.echo(f"  databases  {', '.join(opened.databases.names())}", err=True)
    if opened.generations.current() is None:
        hint("The library has no index, so nothing can be searched: run `windrow index`.")
    hint(f"Try it: yaz-client {where}/Default")
    hint("Press Ctrl-C to stop.")


def _run(opened: Library, bound: socket.socket, announce: Callable[[], None]) -> bool:
    """Announce that it answers, and answer until a signal comes; return whether it was Ctrl-C."""
    import signal

    from windrow.wiring.z3950 import run_target, z3950_target

    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
    signals: list[int] = []
    stops: list[Callable[[], object]] = []

    def handle(number: int, _frame: FrameType | None) -> None:
        signals.append(number)
        for stop in stops:
            stop()

    def started(stop: Callable[[], object]) -> None:
        stops.append(stop)
        announce()
        if signals:  # one that came before there was anything to stop
            stop()

    with on_stop(handle):
        run_target(z3950_target(opened), bound, started)
    return signal.SIGINT in signals
