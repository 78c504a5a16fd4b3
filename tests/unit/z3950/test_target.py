"""The listener: limits, deadlines, hostile bytes, and its end."""

from __future__ import annotations

import asyncio
import random
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

import pytest

from tests.thorough import IS_THOROUGH
from tests.unit.protocols.z3950.messages import EXAMPLES, init, present, search
from tests.unit.protocols.z3950.test_pdus import mutated
from tests.unit.search.catalogue import Catalogue
from windrow.protocols.z3950.ber import Framer
from windrow.protocols.z3950.pdus import Close, CloseReason, read_pdu, write_pdu
from windrow.search.databases import Databases, LibraryDatabase
from windrow.z3950.session import Session, Terms
from windrow.z3950.target import Busy, Limits, Target

T = TypeVar("T")
SESSIONS = 20_000 if IS_THOROUGH else 300


class Inline:
    """Does work at once."""

    async def run(self, work: Callable[[], T], *, client: str = "") -> T:
        return work()


class Full:
    """Has no room for any work."""

    async def run(self, work: Callable[[], T], *, client: str = "") -> T:
        raise Busy("There is much to do.")


@pytest.fixture
def terms(tmp_path: Path) -> Iterator[Terms]:
    catalogue = Catalogue(tmp_path)
    for place in range(1, 6):
        catalogue.add(f"oai:hay:{place}", title=f"Hay {place}")
    database = LibraryDatabase("Default", "", catalogue.index(), catalogue.store, schemas=lambda: ("dc",))
    yield Terms(Databases((database,)))
    catalogue.close()


class Wire:
    """The client's side of one connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self.writer = writer
        self._framer = Framer(1 << 24)
        self._waiting: list[bytes] = []

    async def receive(self) -> Any:
        """Return the next message; None for the end."""
        while not self._waiting:
            try:
                data = await self._reader.read(1 << 16)
            except ConnectionResetError:
                return None
            if not data:
                return None
            self._waiting = self._framer.feed(data)
        return read_pdu(self._waiting.pop(0))

    async def ask(self, message: Any) -> Any:
        self.writer.write(message if isinstance(message, bytes) else write_pdu(message))
        return await self.receive()


def _run(
    target: Target,
    story: Callable[[Callable[[], Awaitable[Wire]]], Awaitable[None]],
    loop: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> None:
    """Let clients connect to a target as the story has it."""

    async def play() -> None:
        bound = socket.create_server(("127.0.0.1", 0))
        port, stop = bound.getsockname()[1], asyncio.Event()
        wires: list[Wire] = []

        async def connect() -> Wire:
            wires.append(Wire(*await asyncio.open_connection("127.0.0.1", port)))
            return wires[-1]

        serving = asyncio.create_task(target.serve(bound, stop))
        try:
            await story(connect)
        finally:
            stop.set()
            await serving
            for wire in wires:
                wire.writer.close()
        assert target.connections == 0

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(play())


class Breaking(Target):
    """A target whose clients are gone as soon as their search is done."""

    def __init__(self, terms: Terms) -> None:
        super().__init__(terms, self)
        self._writers: list[asyncio.StreamWriter] = []

    async def run(self, work: Callable[[], T], *, client: str = "") -> T:
        done = work()
        self._writers[-1].transport.abort()
        with suppress(OSError):
            await self._writers[-1].wait_closed()
        return done

    async def _guarded(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, address: str, client: Any
    ) -> None:
        self._writers.append(writer)
        await super()._guarded(reader, writer, address, client)


def test_a_client_that_is_gone_before_its_answer_is_no_failure(
    terms: Terms, caplog: pytest.LogCaptureFixture
) -> None:
    async def story(connect: Callable[[], Awaitable[Wire]]) -> None:
        wire = await connect()
        await wire.ask(init())
        assert await wire.ask(search("@attr 1=4 hay")) is None

    uvloop = pytest.importorskip("uvloop")  # which raises where others say nothing
    _run(Breaking(terms), story, uvloop.new_event_loop)
    assert caplog.records == []


def test_a_session_goes_from_init_to_close(terms: Terms) -> None:
    async def story(connect: Callable[[], Awaitable[Wire]]) -> None:
        wire = await connect()
        assert (await wire.ask(init())).result
        assert (await wire.ask(search("@attr 1=4 hay"))).result_count == 5
        assert (await wire.ask(present(1, 5))).number_of_records_returned == 5
        assert (await wire.ask(Close(close_reason=0))).close_reason == CloseReason.FINISHED
        assert await wire.receive() is None

    _run(Target(terms, Inline()), story)


@pytest.mark.parametrize(
    ("octets", "reason"),
    [
        (b"GET / HTTP/1.1\r\n\r\n" * 5, CloseReason.PROTOCOL_ERROR),
        (b"\x30\x80" * 5000, CloseReason.PROTOCOL_ERROR),
        (b"\xb6\x84\x7f\xff\xff\xff", CloseReason.PROTOCOL_ERROR),
        (write_pdu(search("hay")), CloseReason.PROTOCOL_ERROR),  # before Init
        (b"\xbf\x3d\x00", CloseReason.PROTOCOL_ERROR),  # a message that there is not
    ],
)
def test_what_is_malformed_ends_in_a_close(terms: Terms, octets: bytes, reason: int) -> None:
    async def story(connect: Callable[[], Awaitable[Wire]]) -> None:
        wire = await connect()
        assert (await wire.ask(octets)).close_reason == reason
        assert await wire.receive() is None

    _run(Target(terms, Inline()), story)


def test_addresses_that_are_not_allowed_are_cut_off(terms: Terms) -> None:
    async def story(connect: Callable[[], Awaitable[Wire]]) -> None:
        wire = await connect()
        assert await wire.ask(init()) is None

    _run(Target(terms, Inline(), Limits(allowed=frozenset(("10.1.2.3",)))), story)


def test_one_client_has_only_so_many_sessions(terms: Terms) -> None:
    async def story(connect: Callable[[], Awaitable[Wire]]) -> None:
        first, second = await connect(), await connect()
        assert (await first.ask(init())).result
        assert (await second.ask(init())).result
        third = await connect()
        assert (await third.receive()).close_reason == CloseReason.RESOURCES
        assert (await first.ask(search("hay"))).search_status

    _run(Target(terms, Inline(), Limits(connections_per_client=2)), story)


@pytest.mark.parametrize(
    ("limits", "octets", "reason"),
    [
        (Limits(idle=0.01), b"", CloseReason.LACK_OF_ACTIVITY),
        (Limits(message=0.01), write_pdu(init())[:20], CloseReason.PROTOCOL_ERROR),
        (Limits(session=0.01), b"", CloseReason.RESOURCES),
    ],
)
def test_a_client_that_takes_too_long_is_let_go(
    terms: Terms, limits: Limits, octets: bytes, reason: int
) -> None:
    async def story(connect: Callable[[], Awaitable[Wire]]) -> None:
        wire = await connect()
        assert (await wire.ask(octets)).close_reason == reason
        assert await wire.receive() is None

    _run(Target(terms, Inline(), limits), story)


def test_a_pool_without_room_ends_the_session_with_the_reason(terms: Terms) -> None:
    async def story(connect: Callable[[], Awaitable[Wire]]) -> None:
        wire = await connect()
        found = await wire.ask(init())
        assert (found.close_reason, found.diagnostic_information) == (
            CloseReason.RESOURCES,
            "There is much to do.",
        )

    _run(Target(terms, Full()), story)


def test_a_search_and_the_records_after_it_take_one_turn_of_the_pool_once_a_client_asks_for_both(
    terms: Terms,
) -> None:
    class Counting(Inline):
        turns = 0

        async def run(self, work: Callable[[], T], *, client: str = "") -> T:
            self.turns += 1
            return work()

    pool = Counting()

    async def story(connect: Callable[[], Awaitable[Wire]]) -> None:
        wire = await connect()
        await wire.ask(init())
        turns = []
        for _ in range(3):
            before = pool.turns
            assert (await wire.ask(search("@attr 1=4 hay"))).result_count == 5
            assert len((await wire.ask(present(1, 2))).records.value) == 2
            turns.append(pool.turns - before)
        assert turns == [2, 1, 1]

    with patch("windrow.z3950.target.Session", partial(Session, clock=lambda: 0.0)):
        _run(Target(terms, pool), story)


def test_an_exception_ends_one_session_only(
    terms: Terms, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    answer = Session.answer

    def fail(self: Session, message: Any) -> Any:
        if getattr(message, "result_set_name", "") == "bad":
            raise ZeroDivisionError
        return answer(self, message)

    monkeypatch.setattr(Session, "answer", fail)

    async def story(connect: Callable[[], Awaitable[Wire]]) -> None:
        one, other = await connect(), await connect()
        assert (await one.ask(init())).result
        assert (await other.ask(init())).result
        assert (await one.ask(search("hay", name="bad"))).close_reason == CloseReason.SYSTEM_PROBLEM
        assert (await other.ask(search("hay"))).search_status

    _run(Target(terms, Inline()), story)
    assert "a session failed" in caplog.text


def test_a_server_that_stops_says_so(terms: Terms) -> None:
    wires: list[Wire] = []

    async def play() -> None:
        bound, stop = socket.create_server(("127.0.0.1", 0)), asyncio.Event()
        target = Target(terms, Inline())
        serving = asyncio.create_task(target.serve(bound, stop))
        wires.append(Wire(*await asyncio.open_connection("127.0.0.1", bound.getsockname()[1])))
        assert (await wires[0].ask(init())).result
        stop.set()
        assert (await wires[0].receive()).close_reason == CloseReason.SHUTDOWN
        await serving
        wires[0].writer.close()

    asyncio.run(play())


def test_mutated_sessions_end_in_answers_or_a_close(terms: Terms, caplog: pytest.LogCaptureFixture) -> None:
    """Each connection sends messages of which some are mutated, in any order, and goes."""
    seed = random.Random().randrange(1 << 30)
    chance = random.Random(seed)
    samples = [write_pdu(message) for message in EXAMPLES]
    terms = replace(terms, most_result_sets=3)

    async def story(connect: Callable[[], Awaitable[Wire]]) -> None:
        for _ in range(SESSIONS):
            wire = await connect()
            assert (await wire.ask(init())).result
            for _ in range(chance.randint(1, 6)):
                octets = chance.choice(samples)
                wire.writer.write(mutated(octets, chance) if chance.random() < 0.7 else octets)
            if wire.writer.can_write_eof():
                wire.writer.write_eof()
            while await wire.receive() is not None:
                pass
            wire.writer.close()

    _run(Target(terms, Inline()), story)
    assert "a session failed" not in caplog.text, f"seed {seed}: {caplog.text}"
