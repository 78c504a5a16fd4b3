"""Things on their way through a thread: in order, none lost, and nobody waits for what does not move."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event, Timer

import pytest

from windrow.index.tantivy.index_writer import MAX_WAITING, STILL_SECONDS, Sender

LONG_SECONDS = 30


class Gate:
    """Takes things as long as it is open."""

    def __init__(self) -> None:
        self.open = Event()
        self.taken: list[int] = []
        self.sender = Sender(self._take)

    def _take(self, thing: int) -> None:
        assert self.open.wait(LONG_SECONDS)
        self.taken.append(thing)


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.open.set()
    gate.sender.close()


def test_what_is_put_is_sent_when_put_comes_back(gate: Gate) -> None:
    gate.open.set()
    gate.sender.put([1, 2])
    gate.sender.put([3])
    assert gate.taken == [1, 2, 3]


def test_nobody_waits_while_nothing_is_taken_and_all_comes_in_its_order(gate: Gate) -> None:
    for batch in range(MAX_WAITING):
        gate.sender.put([2 * batch, 2 * batch + 1])
    assert gate.taken == []
    gate.open.set()
    gate.sender.finish()
    assert gate.taken == list(range(2 * MAX_WAITING))


def test_only_so_much_may_wait(gate: Gate) -> None:
    for batch in range(MAX_WAITING):
        gate.sender.put([batch])
    later = Timer(10 * STILL_SECONDS, gate.open.set)
    later.start()
    gate.sender.put([MAX_WAITING])
    assert gate.taken == list(range(MAX_WAITING + 1))
    later.join()


def test_what_waits_is_given_up_in_the_end(gate: Gate) -> None:
    gate.sender.put([1])
    gate.sender.put([2])
    Timer(10 * STILL_SECONDS, gate.open.set).start()
    gate.sender.close()
    assert gate.taken == [1]


def test_what_fails_is_told_by_every_call_from_then_on_and_nothing_more_is_sent() -> None:
    taken: list[int] = []

    def fail(thing: int) -> None:
        taken.append(thing)
        if thing == 2:
            raise ValueError("no room")

    sender = Sender(fail)
    sender.put([1])
    for batch in ([2, 3], [4]):
        with pytest.raises(ValueError, match="no room"):
            sender.put(batch)
    with pytest.raises(ValueError, match="no room"):
        sender.finish()
    sender.close()
    assert taken == [1, 2]


def test_it_can_be_closed_before_anything_was_put_and_its_thread_ends(gate: Gate) -> None:
    Sender(print).close()
    gate.open.set()
    gate.sender.put([1])
    thread = gate.sender._thread
    gate.sender.close()
    assert thread is not None
    assert not thread.is_alive()
