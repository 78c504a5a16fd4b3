from __future__ import annotations

from collections.abc import Iterator

import pytest

from windrow.faces.shared.turns import Turns


class Clock:
    """Time that passes when it is told to."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def pieces() -> Iterator[bytes]:
    yield from (b"one", b"two", b"three", b"four")


def test_there_are_so_many_turns_and_one_that_is_given_back_is_had_again() -> None:
    turns = Turns(2, clock=Clock())
    first, second = turns.take(pieces()), turns.take(pieces())
    assert first is not None
    assert second is not None
    assert turns.take(pieces()) is None
    first.close()
    first.close()
    assert turns.take(pieces()) is not None
    assert turns.take(pieces()) is None


def test_a_reader_who_stands_still_loses_the_turn_to_whoever_wants_it() -> None:
    clock = Clock()
    turns = Turns(2, idle_seconds=20, clock=clock)
    still, steady = turns.take(pieces()), turns.take(pieces())
    assert still is not None
    assert steady is not None
    assert next(still) == b"one"
    clock.seconds = 15
    assert next(steady) == b"one"
    clock.seconds = 25
    late = turns.take(pieces())
    assert late is not None
    with pytest.raises(ConnectionAbortedError):
        next(still)
    assert (next(steady), next(late)) == (b"two", b"one")


def test_a_slow_reader_keeps_the_turn_as_long_as_nobody_else_wants_it() -> None:
    clock = Clock()
    turns = Turns(1, idle_seconds=20, clock=clock)
    slow = turns.take(pieces())
    assert slow is not None
    for seconds in (100, 200, 300):
        clock.seconds = seconds
        assert next(slow)


def test_closing_what_was_taken_away_gives_nothing_back_twice() -> None:
    clock = Clock()
    turns = Turns(1, idle_seconds=20, clock=clock)
    still = turns.take(pieces())
    assert still is not None
    clock.seconds = 30
    assert turns.take(pieces()) is not None
    still.close()
    assert turns.take(pieces()) is None
