from __future__ import annotations

from contextlib import ExitStack
from functools import partial

from windrow.web.http.rate_limits import RequestLimiter, RequestLimits


class Clock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def ask(gate: RequestLimiter, client: str, times: int = 1) -> list[int]:
    """Make requests that are done at once; give what the gate said to each."""
    said = []
    for _ in range(times):
        seconds = gate.enter(client)
        if not seconds:
            gate.leave(client)
        said.append(seconds)
    return said


def test_after_its_burst_a_client_has_its_rate() -> None:
    clock = Clock()
    gate = RequestLimiter(RequestLimits(per_second=2, burst=3), clock=clock)
    assert ask(gate, "a", 4) == [0, 0, 0, 1]
    clock.now += 0.5
    assert ask(gate, "a", 2) == [0, 1]
    clock.now += 100
    assert ask(gate, "a", 4) == [0, 0, 0, 1]


def test_a_refused_request_costs_nothing() -> None:
    clock = Clock()
    gate = RequestLimiter(RequestLimits(per_second=1, burst=1), clock=clock)
    assert ask(gate, "a", 50) == [0] + [1] * 49
    clock.now += 1
    assert ask(gate, "a") == [0]


def test_whoever_waits_as_long_as_told_is_let_in() -> None:
    clock = Clock()
    gate = RequestLimiter(RequestLimits(per_second=0.1, burst=2), clock=clock)
    assert ask(gate, "a", 2) == [0, 0]
    seconds = ask(gate, "a")[0]
    assert seconds == 10
    clock.now += seconds
    assert ask(gate, "a") == [0]


def test_clients_do_not_pay_for_one_another() -> None:
    gate = RequestLimiter(RequestLimits(per_second=1, burst=1), clock=Clock())
    assert ask(gate, "a", 2) == [0, 1]
    assert ask(gate, "b") == [0]


def test_without_a_rate_only_what_happens_at_once_is_limited() -> None:
    gate = RequestLimiter(RequestLimits(per_second=0, at_once=2), clock=Clock())
    assert set(ask(gate, "a", 1000)) == {0}
    assert [gate.enter("a") for _ in range(3)] == [0, 0, 1]
    gate.leave("a")
    assert gate.enter("a") == 0


def test_of_many_answers_the_one_that_waited_longest_makes_room_for_another() -> None:
    clock = Clock()
    gate = RequestLimiter(RequestLimits(answers_in_all=2, slow_seconds=2), clock=clock)
    broken_off: list[int] = []
    with ExitStack() as stack:
        for number in range(4):
            stack.enter_context(gate.delivering(1, partial(broken_off.append, number)))
            clock.now += 1
        assert broken_off == [0, 1]
        assert gate.enter("a") == 0
        assert gate.waiting_bytes == 2


def test_answers_that_nobody_reads_keep_others_out_for_a_moment_only() -> None:
    clock = Clock()
    broken_off: list[str] = []
    gate = RequestLimiter(RequestLimits(bytes_in_all=100, slow_seconds=2), clock=clock)
    with (
        gate.delivering(60, lambda: broken_off.append("slow")),
        gate.delivering(60, lambda: broken_off.append("read")) as read,
    ):
        assert gate.enter("") == 5
        clock.now += 3
        read.get_on()
        assert gate.enter("") == 0
        assert broken_off == ["slow"]
        assert gate.waiting_bytes == 60
    assert gate.waiting_bytes == 0


def test_an_answer_that_is_read_is_never_broken_off() -> None:
    clock = Clock()
    gate = RequestLimiter(RequestLimits(bytes_in_all=50, slow_seconds=2), clock=clock)
    broken_off: list[str] = []
    with gate.delivering(60, lambda: broken_off.append("read")) as read:
        for _ in range(20):
            clock.now += 1
            read.get_on()
            assert gate.enter("b") == 5
        assert broken_off == []
        clock.now += 3
        assert gate.enter("b") == 0
    assert broken_off == ["read"]


def test_the_memory_of_clients_is_bounded_and_forgets_the_quiet_first() -> None:
    clock = Clock()
    gate = RequestLimiter(RequestLimits(per_second=1, burst=1, most_clients=100), clock=clock)
    for number in range(100):
        ask(gate, f"quiet {number}")
    clock.now += 10
    assert ask(gate, "busy") == [0]
    assert ask(gate, "busy") == [1]
    for number in range(10_000):
        ask(gate, f"flood {number}")
    assert len(gate._pace) <= 101
