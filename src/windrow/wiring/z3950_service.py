"""The library as a Z39.50 target: settings, thread pools, and its thread beside a web server."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from windrow.index.tantivy.query_costs import PUBLIC
from windrow.protocols.z3950.z3950_registry import Profile
from windrow.sources.files.apache.htpasswd import has_password
from windrow.store.published import record_listing
from windrow.web.http.clients import Networks, client_prefix
from windrow.web.http.http_request import HttpRefusal
from windrow.web.http.thread_pools import SearchPools
from windrow.z3950.session import Terms
from windrow.z3950.target import Busy, Limits, Target

if TYPE_CHECKING:
    from windrow.wiring.library import Library

T = TypeVar("T")


class _SearchPool:
    """The thread pools for searches, as the Z39.50 target uses them."""

    def __init__(self) -> None:
        self._crew = SearchPools()

    async def run(self, work: Callable[[], T], *, client: str = "") -> T:
        try:
            return await self._crew.run(work, client=client)
        except HttpRefusal as exc:
            raise Busy(str(exc)) from exc


def z3950_terms(library: Library) -> Terms:
    """Return the databases and limits that a library offers to Z39.50 clients."""
    settings = library.config.z3950
    record_listing.prepare_index(library.store)  # the index by which the formats of a source are found
    library.index.limit_costs(PUBLIC)
    return Terms(
        library.databases,
        profile=Profile(settings.profile),
        charset=settings.charset,
        most_result_sets=settings.result_sets,
        largest_message=settings.message,
        authenticate=partial(has_password, settings.users_file) if settings.users_file else None,
    )


def z3950_target(library: Library) -> Target:
    settings = library.config.z3950
    limits = Limits(
        connections=settings.sessions,
        connections_per_client=settings.sessions_per_client,
        idle=settings.idle,
        session=settings.session,
        allowed=Networks(settings.allow) if settings.allow else None,
        client_of=client_prefix,
    )
    return Target(z3950_terms(library), _SearchPool(), limits)


def run_target(
    target: Target, listening: socket.socket, started: Callable[[Callable[[], object]], None]
) -> None:
    """Answer at a socket until stopped; `started` is called with a function that stops it from any thread."""

    async def serve() -> None:
        loop, stop = asyncio.get_running_loop(), asyncio.Event()
        started(lambda: loop.call_soon_threadsafe(stop.set))
        await target.serve(listening, stop)

    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(serve())


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return the factory of uvloop's event loop, if it is installed."""
    try:
        import uvloop  # noqa: PLC0415 - not available on every system
    except ImportError:
        return None
    return uvloop.new_event_loop


@contextmanager
def serving_z3950(library: Library, listening: socket.socket) -> Iterator[None]:
    """Answer at a socket in a thread during the block."""
    target, ready = z3950_target(library), threading.Event()
    stops: list[Callable[[], object]] = []

    def started(stop: Callable[[], object]) -> None:
        stops.append(stop)
        ready.set()

    def run() -> None:
        try:
            run_target(target, listening, started)
        finally:
            ready.set()  # also if it could not start

    thread = threading.Thread(target=run, name="z3950", daemon=True)
    thread.start()
    ready.wait()
    try:
        yield
    finally:
        for stop in stops:
            stop()
        thread.join()
