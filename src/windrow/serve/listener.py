"""The listening socket of `windrow serve`, shared by all its processes, and its public address."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from windrow.config.serve_settings import ServeSettings
from windrow.errors import WindrowError

BACKLOG = 2048
# The kernel closes connections whose client has not acknowledged anything for this long.
STALLED_SECONDS = 120
_ANY_ADDRESS = ("0.0.0.0", "::", "")  # noqa: S104 - to recognise it, not to listen there


@dataclass(frozen=True, slots=True)
class Address:
    """An open socket, its port, and its public and its local address."""

    socket: socket.socket
    port: int
    url: str
    listening: str


@contextmanager
def listen(settings: ServeSettings) -> Iterator[Address]:
    """Open the socket that the settings ask for; errors include what to do."""
    opened = open_socket(settings.host, settings.port)
    port = opened.getsockname()[1]
    try:
        yield Address(opened, port, public_url(settings, port), local_url(settings.host, port))
    finally:
        opened.close()


def public_url(settings: ServeSettings, port: int) -> str:
    """Return the public address, without a slash at its end."""
    return (settings.url or local_url(settings.host, port)).rstrip("/")


def local_url(host: str, port: int) -> str:
    """Return the address of a host and port; for a wildcard host, with the machine's name."""
    name = socket.gethostname() if host in _ANY_ADDRESS else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}"


def open_socket(host: str, port: int) -> socket.socket:
    """Open a listening socket; errors include what to do."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as exc:
        raise WindrowError(
            f"{host} is no address of this machine: {exc.strerror}", hint="Give another with --host."
        ) from exc
    family, kind, protocol, _, place = found[0]
    opened = socket.socket(family, kind, protocol)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STALLED_SECONDS * 1000)
        opened.bind(place)
        opened.listen(BACKLOG)
    except OSError as exc:
        opened.close()
        raise _explain(exc, host, port) from exc
    return opened


def _explain(exc: OSError, host: str, port: int) -> WindrowError:
    if exc.errno == errno.EADDRINUSE:
        return WindrowError(
            f"port {port} of {host} is taken by another program",
            hint=f"Stop that one, or choose another: --port {port + 1}, or --port 0 for any free one.",
        )
    if exc.errno == errno.EACCES:
        return WindrowError(
            f"port {port} is only for the system's own programs",
            hint="Choose one above 1023, and put a web server in front: --print-config nginx.",
        )
    return WindrowError(f"cannot listen at {host}, port {port}: {exc.strerror}", hint="Check --host.")
