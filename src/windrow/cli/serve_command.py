"""`windrow serve` answers people, programs and harvesters over HTTP; `windrow z3950` answers Z39.50."""

from __future__ import annotations

import logging
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from windrow.cli.invocation import opened_library, print_json
from windrow.cli.terminal import print_hint, print_line
from windrow.config.serve_settings import DEFAULT_PORT
from windrow.config.settings_reference import help_text
from windrow.signals import handle_stop_signals

if TYPE_CHECKING:
    from windrow.serve.listener import Address
    from windrow.serve.server import LogTarget
    from windrow.wiring import Library


class Proxy(StrEnum):
    """The web servers that a configuration snippet can be printed for."""

    NGINX = "nginx"
    APACHE = "apache"


def add_serve(app: typer.Typer) -> None:
    app.command("serve")(serve)


def serve(
    *,
    host: Annotated[str | None, typer.Option("--host", help=help_text("serve.host"))] = None,
    port: Annotated[int | None, typer.Option("--port", "-p", help=help_text("serve.port"))] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", metavar="N", help=help_text("serve.workers"))
    ] = None,
    url: Annotated[str | None, typer.Option("--url", help=help_text("serve.url"))] = None,
    access_log: Annotated[
        str | None, typer.Option("--access-log", metavar="FILE", help=help_text("serve.access_log"))
    ] = None,
    z3950: Annotated[
        int | None, typer.Option("--z3950", metavar="PORT", help=help_text("z3950.port"))
    ] = None,
    no_watch: Annotated[
        bool, typer.Option("--no-watch", help="Do not take in changes of folders while serving.")
    ] = False,
    proxy: Annotated[
        Proxy | None,
        typer.Option("--print-config", help="Print what to tell a web server in front, and end."),
    ] = None,
    is_json: Annotated[
        bool, typer.Option("--json", help="Print the address as a line of JSON when ready, for programs.")
    ] = False,
) -> None:
    """Show the library: a site to search and browse, a JSON API, an OAI-PMH repository.

    The OAI-PMH base URL is /oai for the whole library and /oai/NAME for a source or a collection. What the
    index lacks is indexed meanwhile.
    """
    flags = {"host": host, "port": port, "workers": workers, "url": url, "access_log": access_log}
    given: dict[str, object] = {f"serve.{key}": value for key, value in flags.items()}
    with opened_library(given | {"z3950.port": z3950}) as opened:
        if proxy is not None:
            _print_config(opened, proxy)
        else:
            _serve(opened, is_json=is_json, is_watching=not no_watch)


def _print_config(opened: Library, proxy: Proxy) -> None:
    from windrow.serve.listener import public_url
    from windrow.serve.proxy_snippets import snippet

    settings = opened.config.serve
    print_line(
        snippet(proxy, public_url(settings, settings.port), host=settings.host, port=settings.port), end=""
    )


def _serve(opened: Library, *, is_json: bool, is_watching: bool) -> None:
    from windrow.serve.server import log_target
    from windrow.wiring.sets import follow_sets

    settings = opened.config.serve
    target = log_target(settings.access_log, folder=opened.folder, is_quiet=is_json or sys.stdout.isatty())
    follow_sets(opened)  # once here instead of in each worker; this also opens the library
    serve_it = _serve_with_workers if settings.workers > 1 else _serve_alone
    with _answering_z3950(opened) as z3950:
        is_interrupted = serve_it(opened, target, z3950, is_json=is_json, is_watching=is_watching)
    raise typer.Exit(130 if is_interrupted else 0)


@contextmanager
def _answering_z3950(opened: Library) -> Iterator[str]:
    """Answer Z39.50 during the block if the settings ask for it; yield the address, or ""."""
    if opened.config.z3950.port is None:
        yield ""
        return
    from windrow.wiring.z3950_service import serving_z3950

    with listen_z3950(opened) as (where, bound), serving_z3950(opened, bound):
        yield where


def _serve_alone(opened: Library, target: LogTarget, z3950: str, *, is_json: bool, is_watching: bool) -> bool:
    """Serve from this process until a signal. Return whether it was Ctrl-C."""
    from windrow.serve.listener import listen
    from windrow.serve.server import run_server
    from windrow.wiring.upkeep_threads import background_work
    from windrow.wiring.web_application import warm_up, web_app

    with listen(opened.config.serve) as address, background_work(opened, is_watching=is_watching):

        def ready() -> None:
            _announce_site(opened, address, z3950, is_json=is_json)
            warm_up(opened)

        app = web_app(opened, address.url, access_log=target.open())
        return run_server(app, address.socket, on_ready=ready, settings=opened.config.serve)


def _serve_with_workers(
    opened: Library, target: LogTarget, z3950: str, *, is_json: bool, is_watching: bool
) -> bool:
    """Serve with worker processes, and do the background work here. Return whether Ctrl-C ended it."""
    from windrow.serve.listener import listen
    from windrow.serve.worker_processes import run_workers
    from windrow.wiring.upkeep_threads import background_work

    settings = opened.config.serve
    with listen(settings) as address, background_work(opened, is_watching=is_watching):

        def ready() -> None:
            _announce_site(opened, address, z3950, is_json=is_json)

        return run_workers(opened.folder, address, count=settings.workers, target=target, on_ready=ready)


def _announce_site(opened: Library, address: Address, z3950: str, *, is_json: bool) -> None:
    if is_json:
        where = {"url": address.url, "base_url": f"{address.url}/oai", "port": address.port}
        print_json(where | ({"z3950": z3950} if z3950 else {}))
        sys.stdout.flush()
        return
    typer.echo(f"Serving {opened.config.library.name}", err=True)
    typer.echo(f"  for people        {address.url}/", err=True)
    typer.echo(f"  for programs      {address.url}/api/v1/", err=True)
    typer.echo(f"  for crawlers      {address.url}/sitemap.xml", err=True)
    typer.echo(f"  OAI-PMH base URL  {address.url}/oai", err=True)
    if z3950:
        typer.echo(f"  Z39.50            {z3950}/Default", err=True)
    if address.listening != address.url:
        typer.echo(f"  listening at      {address.listening}", err=True)
    if opened.store.is_read_only:
        print_hint("The library is read-only: it is served as it is, and changes that others make are shown.")
        if opened.generations.current() is None:
            print_hint(
                "It has no index, so nothing can be searched: run `windrow index` where it can be written to."
            )
    if not opened.config.oai.admin_email:
        print_hint(
            "Identify names nobody to write to yet: set admin_email in [oai], or contact in [library]."
        )
    print_hint("Press Ctrl-C to stop.")


# `windrow z3950`: a Z39.50 target in a process of its own.


def add_z3950(app: typer.Typer) -> None:
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
    with (
        opened_library({"z3950.host": host, "z3950.port": port}) as opened,
        listen_z3950(opened) as (where, bound),
    ):
        if _run_z3950(opened, bound, lambda: _announce_target(opened, where, bound, is_json=is_json)):
            raise typer.Exit(130)


@contextmanager
def listen_z3950(opened: Library) -> Iterator[tuple[str, socket.socket]]:
    """Open the socket that the settings ask for; yield its address as host:port."""
    from windrow.serve.listener import open_socket

    settings = opened.config.z3950
    bound = open_socket(settings.host, DEFAULT_PORT if settings.port is None else settings.port)
    with bound:
        shown = f"[{settings.host}]" if ":" in settings.host else settings.host
        yield f"{shown}:{bound.getsockname()[1]}", bound


def _announce_target(opened: Library, where: str, bound: socket.socket, *, is_json: bool) -> None:
    if is_json:
        print_json({"address": where, "port": bound.getsockname()[1], "databases": opened.databases.names()})
        sys.stdout.flush()
        return
    typer.echo(f"Answering Z39.50 for {opened.config.library.name} at {where}", err=True)
    typer.echo(f"  databases  {', '.join(opened.databases.names())}", err=True)
    if opened.generations.current() is None:
        print_hint("The library has no index, so nothing can be searched: run `windrow index`.")
    print_hint(f"Try it: yaz-client {where}/Default")
    print_hint("Press Ctrl-C to stop.")


def _run_z3950(opened: Library, bound: socket.socket, announce: Callable[[], None]) -> bool:
    """Announce the target and answer until a signal. Return whether it was Ctrl-C."""
    import signal

    from windrow.wiring.z3950_service import run_target, z3950_target

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
        if signals:  # a signal arrived before the target could be stopped
            stop()

    with handle_stop_signals(handle):
        run_target(z3950_target(opened), bound, started)
    return signal.SIGINT in signals
