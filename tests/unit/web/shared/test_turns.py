from __future__ import annotations

from collections.abc import Iterator

import pytest

from windrow.web.http.thread_pools import StreamSlots


class Clock:
    """Time that passes when it is told to."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def pieces() -> Iterator[bytes]:
    yield from (b"one", b"two", b"three", b"four")


def test_there_are_so_many_turns_and_one_that_is_given_back_is_had_again() -> None:
    turns = StreamSlots(2, clock=Clock())
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
    turns = StreamSlots(2, idle_seconds=20, clock=clock)
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
    turns = StreamSlots(1, idle_seconds=20, clock=clock)
    slow = turns.take(pieces())
    assert slow is not None
    for seconds in (100, 200, 300):
        clock.seconds = seconds
        assert next(slow)


def test_closing_what_was_taken_away_gives_nothing_back_twice() -> None:
    clock = Clock()
    turns = StreamSlots(1, idle_seconds=20, clock=clock)
    still = turns.take(pieces())
    assert still is not None
    clock.seconds = 30
    assert turns.take(pieces()) is not None
    still.close()
    assert turns.take(pieces()) is None


def test_a_client_has_so_many_turns_and_has_one_back_with_its_last_piece() -> None:
    turns = StreamSlots(3, most_of_one=1, clock=Clock())
    first = turns.take(iter([b"hay"]), "ann")
    assert first is not None
    assert turns.take(iter([b"straw"]), "ann") is None
    assert turns.take(iter([b"oats"]), "bo") is not None
    assert next(first) == b"hay"
    with pytest.raises(StopIteration):
        next(first)
    assert turns.take(iter([b"straw"]), "ann") is not None


def test_slow_readers_neither_keep_others_waiting_nor_lose_their_files() -> None:
    clock = Clock()
    turns = StreamSlots(2, most_open=4, slow_seconds=2, idle_seconds=20, clock=clock)
    slow = [turns.take(pieces()), turns.take(pieces())]
    assert turns.take(pieces()) is None
    clock.seconds = 100
    prompt = [turns.take(pieces()), turns.take(pieces())]
    assert turns.take(pieces()) is None
    for each in (*slow, *prompt):
        assert each is not None
        assert [next(each) for _ in range(4)] == [b"one", b"two", b"three", b"four"]


def test_when_too_many_are_open_one_that_is_not_read_is_broken_off() -> None:
    clock = Clock()
    turns = StreamSlots(1, most_open=2, slow_seconds=2, idle_seconds=20, clock=clock)
    still = turns.take(pieces())
    clock.seconds = 15
    slow = turns.take(pieces())
    assert still is not None
    assert slow is not None
    clock.seconds = 19
    assert turns.take(pieces()) is None
    clock.seconds = 20
    assert turns.take(pieces()) is not None
    assert next(slow) == b"one"
    with pytest.raises(ConnectionAbortedError):
        next(still)


def test_a_piece_that_takes_long_to_make_does_not_cost_its_reader_the_turn() -> None:
    clock = Clock()
    turns = StreamSlots(1, idle_seconds=20, clock=clock)
    others = []

    def costly() -> Iterator[bytes]:
        clock.seconds += 60
        others.append(turns.take(pieces()))
        yield b"one"
        yield b"two"

    steady = turns.take(costly())
    assert steady is not None
    assert (next(steady), next(steady)) == (b"one", b"two")
    assert others == [None]
