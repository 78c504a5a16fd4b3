"""The demo's last act: the library indexed and served, its address printed and opened in a browser."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from windrow.cli.demo_documents import COLLECTION, FOLDER
from windrow.cli.demo_documents import SOURCE as DOCUMENTS
from windrow.cli.serve_address import Address, listen
from windrow.cli.terminal import plural, say
from windrow.cli.ticker import Ticker
from windrow.errors import WindrowError
from windrow.model.query import Everything

if TYPE_CHECKING:
    from windrow.config.serving import ServeSettings
    from windrow.wiring import Library


def index_demo(opened: Library, *, is_quiet: bool) -> None:
    """Make what was harvested findable."""
    from windrow.wiring.indexing import follow_index

    ticker = Ticker("indexing", is_quiet=is_quiet)
    follow_index(opened, on_progress=ticker)
    ticker.clear()


def serve_demo(opened: Library, *, port: int | None, is_opening: bool) -> bool:
    """Serve until Ctrl-C or SIGTERM; give whether it was Ctrl-C. Without a port: the usual, or a free one."""
    from windrow.cli.serve_server import run_server
    from windrow.wiring.keeping import keeping
    from windrow.wiring.serving import warm_up, web_app

    with _listening(opened.config.serve, port) as address, keeping(opened):

        def ready() -> None:
            _announce(opened, address)
            warm_up(opened)
            if is_opening and _has_browser():
                webbrowser.open(address.url)

        app = web_app(opened, address.url)
        return run_server(app, address.socket, on_ready=ready, settings=opened.config.serve)


@contextmanager
def _listening(settings: ServeSettings, port: int | None) -> Iterator[Address]:
    with ExitStack() as stack:
        try:
            wanted = replace(settings, port=settings.port if port is None else port)
            address = stack.enter_context(listen(wanted))
        except WindrowError:
            if port is not None:
                raise
            address = stack.enter_context(listen(replace(settings, port=0)))  # for a demo, any will do
        yield address


def _announce(opened: Library, address: Address) -> None:
    say()
    say(f"Open {address.url}/", style="bold")
    say(f"  search      {address.url}/search?q=sustainable")
    if DOCUMENTS in opened.config.sources:
        say(f"  documents   {address.url}/collection/{COLLECTION}")
        say(f"  gallery     {address.url}/gallery")
    say(f"  statistics  {address.url}/statistics/")
    say(f"  OAI-PMH     {address.url}/oai")
    say(f"  {plural(opened.index.count(Everything()), 'record')} can be found. Press Ctrl-C to stop.")
    if DOCUMENTS in opened.config.sources:
        say(f"  Put a file of yours into {opened.folder / FOLDER}: it is taken in at once.")


def _has_browser() -> bool:
    """Is somebody sitting here who would see it?"""
    if not sys.stdout.isatty():
        return False
    return sys.platform in ("darwin", "win32") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
