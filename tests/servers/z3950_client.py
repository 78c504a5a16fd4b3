"""A client of Z39.50 for tests that ask much: blocking, with the messages of `windrow.protocols.z3950`."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from tests.unit.protocols.z3950.messages import init, present, search
from windrow.protocols.z3950 import z3950_registry
from windrow.protocols.z3950.ber import Framer
from windrow.protocols.z3950.pdus import Close, NamePlusRecord, read_pdu, write_pdu

WAIT_SECONDS = 120


class Client:
    """One connection."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=WAIT_SECONDS)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._framer = Framer(1 << 28)
        self._waiting: list[bytes] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def send(self, message: Any) -> None:
        self._socket.sendall(message if isinstance(message, bytes) else write_pdu(message))

    def receive(self) -> Any:
        """Return the next message; None where the connection is closed."""
        while not self._waiting:
            data = self._socket.recv(1 << 16)
            if not data:
                return None
            self._waiting = self._framer.feed(data)
        return read_pdu(self._waiting.pop(0))

    def ask(self, message: Any) -> Any:
        """Send a message and return the answer."""
        self.send(message)
        return self.receive()

    def close(self) -> Any:
        """End the session; return the last message."""
        return self.ask(Close(close_reason=0))

    def count(self, pqf: str, **others: Any) -> int:
        """Return how many records a query finds; an assertion where it fails."""
        found = self.ask(search(pqf, **others))
        assert found.search_status, (pqf, found.records)
        total: int = found.result_count
        return total

    def records(
        self,
        total: int,
        *,
        syntax: str = z3950_registry.XML,
        element_set: str | None = None,
        step: int = 1000,
    ) -> Iterator[bytes]:
        """Yield the records of the last query."""
        start = 1
        while start <= total:
            asked = present(start, min(step, total - start + 1), syntax=syntax, element_set=element_set)
            found = self.ask(asked)
            assert found.records is not None
            assert found.records.name == "responseRecords", found.records
            for record in found.records.value:
                yield content_of(record)
            start += len(found.records.value)


def content_of(record: NamePlusRecord) -> bytes:
    """Return a record in octets; an assertion where a diagnostic is in its place."""
    assert record.record.name == "retrievalRecord", record
    octets: bytes = record.record.value.octets
    return octets


@contextmanager
def connected(port: int, **others: Any) -> Iterator[Client]:
    """Connect, and begin a session."""
    with Client(port) as client:
        response = client.ask(init(size=1 << 26, **others))
        assert response.result
        yield client
