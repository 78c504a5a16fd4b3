"""A library of the test's own with a source harvested into it, for the commands that look at what came."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.cli.sourcing import Cli
from tests.servers.oai import OaiServer
from windrow.demo.thesis_server import DemoServer
from windrow.store.store import Store
from windrow.wiring import open_library

NAME = "demo"


def harvested(cli: Cli, server: DemoServer | OaiServer, *formats: str, name: str = NAME) -> None:
    """Add the server as a source and harvest it."""
    wanted = [word for prefix in formats or ("oai_dc",) for word in ("--format", prefix)]
    assert cli("source", "add", name, server.url, "--no-check", *wanted).code == 0
    assert cli("harvest", name).code in (0, 3)


@contextmanager
def opened(cli: Cli) -> Iterator[Store]:
    """The library's store, to arrange what no command arranges."""
    library = open_library(str(cli.folder))
    try:
        yield library.store
    finally:
        library.close()
