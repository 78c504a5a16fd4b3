"""Every connection has a deadline at every moment, and there are bounds on how many there are."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from tests.servers.asgi import WAIT_SECONDS, AsgiServer
from windrow.serve.connection_limits import (
    MIN_SENT_BYTES,
    Admission,
    ConnectionLimits,
    ConnectionProgress,
    Deadlines,
    Phase,
)
from windrow.serve.http_protocol import BoundedProtocol

SHORT = 0.05
NEVER = 3600.0
LARGE = b"x" * 50_000_000
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def site(scope: Any, receive: Any, send: Any) -> None:
    """Answer without reading a body, except at /form; /large is large, and /stuck never answers."""
    path = scope["path"]
    if path == "/stuck":
        while (await receive())["type"] != "http.disconnect":
            pass
        return
    if path == "/form":
        while (await receive()).get("more_body"):
            pass
    body = LARGE if path == "/large" else b"hello"
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    view = memoryview(body)
    for start in range(0, len(body), 65_536):
        is_more = start + 65_536 < len(body)
        piece = bytes(view[start : start + 65_536])
        await send({"type": "http.response.body", "body": piece, "more_body": is_more})


def _protocol(
    *, limits: ConnectionLimits | None = None, lost: threading.Semaphore | None = None, **seconds: float
) -> type[BoundedProtocol]:
    """A protocol with these deadlines and, for all others, none that a test would live to see."""
    others = dict.fromkeys(("head", "body", "work", "send", "idle", "linger"), NEVER)

    class Tried(BoundedProtocol):
        deadlines = Deadlines(**(others | seconds))

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            if lost is not None:
                lost.release()

    Tried.limits = limits or ConnectionLimits()
    return Tried


class Connect:
    """Opens connections, and closes those that a test left open."""

    def __init__(self) -> None:
        self.stack = ExitStack()

    def __call__(self, server: AsgiServer, source: str = "127.0.0.1") -> socket.socket:
        """Open a connection from this address."""
        address = ("127.0.0.1", server.port)
        opened = socket.create_connection(address, timeout=WAIT_SECONDS, source_address=(source, 0))
        return self.stack.enter_context(opened)


@pytest.fixture
def connect() -> Iterator[Connect]:
    made = Connect()
    with made.stack:
        yield made


def _read(client: socket.socket) -> bytes:
    """Give everything until the server closes."""
    received = []
    try:
        while piece := client.recv(65_536):
            received.append(piece)
    except ConnectionResetError:
        pass
    return b"".join(received)


def _post(*lines: bytes) -> bytes:
    """The head of a form."""
    return b"".join(each + b"\r\n" for each in (b"POST /form HTTP/1.1", b"Host: x", *lines, b""))


def _get(*lines: bytes) -> bytes:
    """The head of a page, which is answered whatever follows it."""
    return b"".join(each + b"\r\n" for each in (b"GET / HTTP/1.1", b"Host: x", *lines, b""))


SMALL, HUGE, CHUNKED = b"Content-Length: 9", b"Content-Length: 99999999", b"Transfer-Encoding: chunked"
EXPECT, UPGRADE = b"Expect: 100-continue", b"Connection: Upgrade\r\nUpgrade: websocket"
STUCK = b"GET /stuck HTTP/1.1\r\nHost: x\r\n\r\n"
# A name, the deadline that must end it, what is sent, and how much of it has been answered by then.
STALLED = [
    ("nothing", "head", b"", 0),
    ("an empty line", "head", b"\r\n", 0),
    ("half of a first line", "head", b"GET / HT", 0),
    ("a head without end", "head", b"GET / HTTP/1.1\r\nHost: x\r\n", 0),
    ("a second head without end", "head", GET + b"GET / HTTP/1.1\r\nHost", 1),
    ("a body that does not come", "body", _post(SMALL), 0),
    ("a huge body that does not come", "body", _post(HUGE), 0),
    ("half of a body", "body", _post(SMALL) + b"abc", 0),
    ("a chunk without end", "body", _post(CHUNKED) + b"9\r\nabc", 0),
    ("a body that was asked for", "body", _post(EXPECT, SMALL), 0),
    ("an idle connection", "idle", GET, 1),
    ("an empty line after a request", "idle", GET + b"\r\n", 1),
    ("an upgrade", "idle", _get(UPGRADE), 1),
    ("a request that is never done", "work", STUCK, 0),
    ("requests behind one that is never done", "work", STUCK + GET * 50, 0),
    ("a huge body after an early answer", "linger", _get(HUGE), 1),
    ("a chunked body after an early answer", "linger", _get(CHUNKED), 1),
    ("a body that nobody asked for", "linger", _get(EXPECT, SMALL), 1),
    ("HTTP/1.0", "linger", b"GET / HTTP/1.0\r\n\r\n", 1),
    ("nonsense", "linger", b"nonsense\r\n\r\n", 0),
]


@pytest.mark.parametrize(
    ("deadline", "sent", "answers"), [each[1:] for each in STALLED], ids=[each[0] for each in STALLED]
)
@pytest.mark.parametrize("more", [b"", b"x"], ids=["", "and one byte"])
def test_a_client_that_stalls_is_hung_up_on(
    connect: Connect, deadline: str, sent: bytes, answers: int, more: bytes
) -> None:
    lost = threading.Semaphore(0)
    protocol = _protocol(lost=lost)
    seconds = dict.fromkeys(("head", "linger", deadline), SHORT)
    protocol.deadlines = replace(protocol.deadlines, **seconds)
    with AsgiServer(site, protocol=protocol) as server, connect(server) as client:
        client.sendall(sent)
        if more and answers:
            client.recv(1)  # so that the byte comes after the answer
        client.sendall(more)
        assert lost.acquire(timeout=WAIT_SECONDS)  # without the client's help: it does not close
        assert _read(client).count(b"200 OK") + (1 if more and answers else 0) >= answers


def test_a_client_that_does_not_finish_a_request_learns_why_it_is_hung_up_on(connect: Connect) -> None:
    with AsgiServer(site, protocol=_protocol(head=SHORT, body=SHORT)) as server:
        for sent in (b"GET / HT", b"POST /form HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"):
            with connect(server) as client:
                client.sendall(sent)
                assert _read(client).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("ending", [b"", b"Connection: close\r\n"])
def test_a_client_that_does_not_read_its_answer_is_hung_up_on(connect: Connect, ending: bytes) -> None:
    lost = threading.Semaphore(0)
    with AsgiServer(site, protocol=_protocol(lost=lost, send=SHORT)) as server, connect(server) as client:
        client.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n" + ending + b"\r\n")
        assert lost.acquire(timeout=WAIT_SECONDS)
        assert len(_read(client)) < len(LARGE)


def test_a_client_that_reads_too_little_at_a_time_is_hung_up_on(connect: Connect) -> None:
    lost = threading.Semaphore(0)
    with AsgiServer(site, protocol=_protocol(lost=lost, send=SHORT)) as server, connect(server) as client:
        client.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        read = 0
        while not lost.acquire(blocking=False):
            try:
                read += len(client.recv(1))
            except ConnectionResetError:
                assert lost.acquire(timeout=WAIT_SECONDS)
                break
            assert read < len(LARGE)


def test_a_slow_reader_gets_on_with_every_piece_that_it_takes() -> None:
    before = ConnectionProgress(Phase.SEND, 0, 1000)
    assert ConnectionProgress(Phase.SEND, 0, 1000 + MIN_SENT_BYTES).is_beyond(before)
    assert not ConnectionProgress(Phase.SEND, 0, 999 + MIN_SENT_BYTES).is_beyond(before)


def test_an_answer_that_is_being_made_gets_on_with_every_byte() -> None:
    before = ConnectionProgress(Phase.WORK, 3, 1000)
    assert ConnectionProgress(Phase.WORK, 3, 1001).is_beyond(before)
    assert not ConnectionProgress(Phase.WORK, 3, 1000).is_beyond(before)


def _refused(client: socket.socket) -> bool:
    """Whether a new connection is answered with 503; else a request on it is answered with 200."""
    client.sendall(GET)
    answer = client.recv(65_536)
    assert answer.startswith((b"HTTP/1.1 200 ", b"HTTP/1.1 503 "))
    return answer.startswith(b"HTTP/1.1 503 ")


def test_one_client_has_so_many_connections_and_others_are_not_affected(connect: Connect) -> None:
    limits = ConnectionLimits(100, per_client=3, trusted=["127.0.0.9"])
    with AsgiServer(site, protocol=_protocol(limits=limits)) as server:
        held = [connect(server, "127.0.0.2") for _ in range(3)]
        with connect(server, "127.0.0.2") as fourth:
            answer = _read(fourth)
            assert answer.startswith(b"HTTP/1.1 503 ")
            assert b"retry-after: 5\r\n" in answer
            assert b"connection: close\r\n" in answer
        assert not _refused(connect(server, "127.0.0.3"))
        trusted = [connect(server, "127.0.0.9") for _ in range(10)]
        assert [_refused(client) for client in trusted] == [False] * 10
        assert [_refused(client) for client in held] == [False] * 3  # those that were there go on


def test_refused_connections_do_not_linger_where_there_is_little_room(connect: Connect) -> None:
    lost = threading.Semaphore(0)
    limits = ConnectionLimits(4, per_client=2)
    with AsgiServer(site, protocol=_protocol(limits=limits, lost=lost)) as server:
        held = [connect(server, "127.0.0.2") for _ in range(2)]
        refused = [connect(server, "127.0.0.2") for _ in range(5)]
        for _ in refused:
            assert lost.acquire(timeout=WAIT_SECONDS)
        assert [_refused(client) for client in held] == [False] * 2


def test_a_client_with_all_its_connections_gets_another_for_one_that_has_been_answered(
    connect: Connect,
) -> None:
    limits = ConnectionLimits(100, per_client=3)
    with AsgiServer(site, protocol=_protocol(limits=limits)) as server:
        stranger = connect(server, "127.0.0.3")
        assert not _refused(stranger)
        waiting = connect(server, "127.0.0.2")  # its first request is on its way
        first, second = (connect(server, "127.0.0.2") for _ in range(2))
        for client in (first, second):
            assert not _refused(client)
        assert not _refused(connect(server, "127.0.0.2"))
        assert _read(first) == b""
        assert [_refused(client) for client in (second, waiting, stranger)] == [False] * 3


def test_an_answer_whose_reader_stalls_does_not_look_whole(connect: Connect) -> None:
    lost = threading.Semaphore(0)
    with (
        AsgiServer(large_of_unknown_size, protocol=_protocol(lost=lost, send=SHORT)) as server,
        connect(server) as client,
    ):
        client.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert lost.acquire(timeout=WAIT_SECONDS)
        with pytest.raises(ConnectionResetError):
            deque(iter(lambda: client.recv(65_536), b""), maxlen=0)


async def large_of_unknown_size(scope: Any, receive: Any, send: Any) -> None:
    """Answer with much, and without saying how much."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for start in range(0, len(LARGE), 65_536):
        await send({"type": "http.response.body", "body": LARGE[start : start + 65_536], "more_body": True})
    await send({"type": "http.response.body", "body": b""})


def test_a_connection_that_ended_no_longer_counts(connect: Connect) -> None:
    lost = threading.Semaphore(0)
    protocol = _protocol(limits=ConnectionLimits(100, per_client=2), lost=lost)
    with AsgiServer(site, protocol=protocol) as server:
        for _ in range(10):
            with connect(server) as client:
                assert not _refused(client)
            assert lost.acquire(timeout=WAIT_SECONDS)


class Held:
    """A connection that is in one phase, and counts how often it is looked at."""

    looks = 0

    def __init__(self, peer: str = "192.0.2.1", phase: Phase = Phase.HEAD) -> None:
        self.peer = peer
        self._phase = phase
        self.is_open = True

    @property
    def phase(self) -> Phase:
        Held.looks += 1
        return self._phase

    def abort(self) -> None:
        self.is_open = False


def _is_too_many(limits: ConnectionLimits, peer: str) -> bool:
    return limits.admit(Held(peer)) is Admission.TOO_MANY


def test_clients_of_ipv6_are_counted_by_their_network() -> None:
    limits = ConnectionLimits(100, per_client=1)
    assert not _is_too_many(limits, "2001:db8:1:2::1")
    assert _is_too_many(limits, "2001:db8:1:2:ffff::9")
    assert not _is_too_many(limits, "2001:db8:1:3::1")
    assert not _is_too_many(limits, "::ffff:192.0.2.1")
    assert _is_too_many(limits, "192.0.2.1")


def test_no_limit_is_no_limit() -> None:
    limits = ConnectionLimits(2000)
    assert not any(_is_too_many(limits, "192.0.2.1") for _ in range(1000))


def test_where_descriptors_are_few_one_client_cannot_have_them_all() -> None:
    limits = ConnectionLimits(10, per_client=200)
    assert [_is_too_many(limits, "192.0.2.1") for _ in range(10)] == [False] * 5 + [True] * 5


@pytest.mark.parametrize(
    ("phase", "peers", "most_looks"),
    [
        pytest.param(Phase.HEAD, 50, 1, id="many clients that send nothing"),
        pytest.param(Phase.WORK, 50, 100, id="many clients whose requests are at work"),
        pytest.param(Phase.HEAD, 1, 100, id="one client that sends nothing"),
        pytest.param(Phase.IDLE, 1, 1, id="one client that was answered"),
    ],
)
def test_a_connection_to_a_full_server_costs_the_same_however_many_there_are(
    phase: Phase, peers: int, most_looks: int
) -> None:
    limits = ConnectionLimits(4000, per_client=4000)
    for number in range(4000):
        limits.admit(Held(f"192.0.2.{number % peers}", phase))
    Held.looks = 0
    for _ in range(10):
        limits.admit(Held("192.0.2.0", phase))
    assert Held.looks <= 10 * most_looks


def test_a_connection_behind_many_at_work_is_found_in_time() -> None:
    limits = ConnectionLimits(1000)
    for _ in range(999):
        limits.admit(Held(phase=Phase.WORK))
    silent = Held()
    limits.admit(silent)
    answers = [limits.admit(Held(phase=Phase.WORK)) for _ in range(20)]
    assert not silent.is_open
    assert answers.count(Admission.ADMITTED) == 1


def test_where_all_are_at_work_the_client_with_most_connections_gives_way() -> None:
    limits = ConnectionLimits(9, per_client=8)
    small = [Held("192.0.2.1", Phase.WORK) for _ in range(2)]
    large = [Held("192.0.2.2", Phase.WORK) for _ in range(7)]
    for each in (*small, *large):
        limits.admit(each)
    newcomers = [Held("192.0.2.3", Phase.WORK) for _ in range(9)]
    answers = [limits.admit(each) for each in newcomers]
    assert all(each.is_open for each in small)
    assert answers.count(Admission.ADMITTED) == 3  # then both have about as many
    assert [each.is_open for each in large].count(False) == 3


def test_who_got_on_is_closed_after_those_who_did_not() -> None:
    limits = ConnectionLimits(3)
    first, _second, third = held = [Held() for _ in range(3)]
    for each in held:
        limits.admit(each)
    limits.note_progress(first)
    limits.admit(Held())
    assert [each.is_open for each in held] == [True, False, True]
    limits.forget(third)
    limits.admit(Held())
    assert [each.is_open for each in (first, third)] == [True, True]


def test_a_client_that_has_enough_costs_no_other_client_a_connection() -> None:
    limits = ConnectionLimits(4, per_client=2)
    others = [Held("192.0.2.2"), Held("192.0.2.3")]
    for each in (*others, Held(), Held()):
        limits.admit(each)
    assert limits.admit(Held()) is Admission.TOO_MANY
    assert [each.is_open for each in others] == [True, True]


def test_a_full_server_lets_go_of_whoever_waited_longest(connect: Connect) -> None:
    with AsgiServer(site, protocol=_protocol(limits=ConnectionLimits(3))) as server:
        first, second, third = (_asked(connect, server) for _ in range(3))
        fourth = _asked(connect, server)
        assert _read(first) == b""
        assert [_refused(each) for each in (second, third, fourth)] == [False] * 3


def _asked(connect: Connect, server: AsgiServer) -> socket.socket:
    """A connection that has been used once."""
    client = connect(server)
    assert not _refused(client)
    return client


def test_a_full_server_at_work_refuses_politely_and_goes_on(connect: Connect) -> None:
    begun, done = threading.Semaphore(0), asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        loops.append(asyncio.get_running_loop())
        begun.release()
        await done.wait()
        await site(scope, receive, send)

    with AsgiServer(slow, protocol=_protocol(limits=ConnectionLimits(3))) as server:
        held = [connect(server) for _ in range(3)]
        for client in held:
            client.sendall(GET)
            assert begun.acquire(timeout=WAIT_SECONDS)
        with connect(server) as fourth:
            assert _read(fourth).startswith(b"HTTP/1.1 503 ")
        loops[0].call_soon_threadsafe(done.set)
        assert [client.recv(65_536)[:15] for client in held] == [b"HTTP/1.1 200 OK"] * 3


def test_a_request_that_the_server_has_no_more_time_for_is_told_so(
    connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    begun = threading.Event()
    found: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []

    async def stuck(scope: Any, receive: Any, send: Any) -> None:
        task = asyncio.current_task()
        assert task is not None
        found.append((asyncio.get_running_loop(), task))
        begun.set()
        await asyncio.Event().wait()

    with AsgiServer(stuck, protocol=_protocol()) as server, connect(server) as client:
        client.sendall(GET)
        assert begun.wait(WAIT_SECONDS)
        loop, task = found[0]
        loop.call_soon_threadsafe(task.cancel)  # as uvicorn does when the time to finish is over
        answer = _read(client)
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after: 5\r\n" in answer
    assert not caplog.records


@pytest.mark.parametrize("phase", Phase)
def test_no_phase_is_without_a_deadline(phase: Phase) -> None:
    assert 0 < Deadlines().of(phase) <= 600


@pytest.fixture
def few_descriptors() -> Callable[[int], int]:
    """Run `most_connections` in a process that may open so many files."""

    def count(limit: int) -> int:
        code = "from windrow.serve import connection_limits as limits; print(limits.raise_connection_limit())"
        command = ["sh", "-c", f'ulimit -n {limit}; exec "$0" -c "$1"', sys.executable, code]
        return int(subprocess.run(command, capture_output=True, check=True, text=True).stdout)

    return count


def test_connections_leave_descriptors_for_everything_else(few_descriptors: Callable[[int], int]) -> None:
    assert few_descriptors(128) == 64
    assert few_descriptors(1024) == 768
