from __future__ import annotations

from windrow.faces.shared.gate import Gate, Limits


class Clock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def ask(gate: Gate, client: str, times: int = 1) -> list[int]:
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
    gate = Gate(Limits(per_second=2, burst=3), clock=clock)
    assert ask(gate, "a", 4) == [0, 0, 0, 1]
    clock.now += 0.5
    assert ask(gate, "a", 2) == [0, 1]
    clock.now += 100
    assert ask(gate, "a", 4) == [0, 0, 0, 1]


def test_a_refused_request_costs_nothing() -> None:
    clock = Clock()
    gate = Gate(Limits(per_second=1, burst=1), clock=clock)
    assert ask(gate, "a", 50) == [0] + [1] * 49
    clock.now += 1
    assert ask(gate, "a") == [0]


def test_whoever_waits_as_long_as_told_is_let_in() -> None:
    clock = Clock()
    gate = Gate(Limits(per_second=0.1, burst=2), clock=clock)
    assert ask(gate, "a", 2) == [0, 0]
    seconds = ask(gate, "a")[0]
    assert seconds == 10
    clock.now += seconds
    assert ask(gate, "a") == [0]


def test_clients_do_not_pay_for_one_another() -> None:
    gate = Gate(Limits(per_second=1, burst=1), clock=Clock())
    assert ask(gate, "a", 2) == [0, 1]
    assert ask(gate, "b") == [0]


def test_without_a_rate_only_what_happens_at_once_is_limited() -> None:
    gate = Gate(Limits(per_second=0, at_once=2), clock=Clock())
    assert set(ask(gate, "a", 1000)) == {0}
    assert [gate.enter("a") for _ in range(3)] == [0, 0, 1]
    gate.leave("a")
    assert gate.enter("a") == 0


def test_all_together_are_limited_too() -> None:
    gate = Gate(Limits(at_once_in_all=2), clock=Clock())
    assert [gate.enter(client) for client in ("a", "", "b")] == [0, 0, 5]
    gate.leave("")
    assert gate.enter("b") == 0


def test_answers_that_nobody_reads_keep_others_out() -> None:
    gate = Gate(Limits(bytes_in_all=100), clock=Clock())
    gate.waiting_bytes = 100
    assert gate.enter("") == 5
    gate.waiting_bytes = 99
    assert gate.enter("") == 0


def test_the_memory_of_clients_is_bounded_and_forgets_the_quiet_first() -> None:
    clock = Clock()
    gate = Gate(Limits(per_second=1, burst=1, most_clients=100), clock=clock)
    for number in range(100):
        ask(gate, f"quiet {number}")
    clock.now += 10
    assert ask(gate, "busy") == [0]
    assert ask(gate, "busy") == [1]
    for number in range(10_000):
        ask(gate, f"flood {number}")
    assert len(gate._pace) <= 101
