from __future__ import annotations

import asyncio
import threading
from functools import partial
from typing import Any

import pytest

from windrow.index.protocol import Deferred, is_quick_answer_wanted
from windrow.web.http.http_request import HttpRefusal
from windrow.web.http.thread_pools import (
    MAX_PER_CLIENT,
    MAX_SEARCHES_WAITING,
    SEARCH_THREADS,
    ClientGone,
    SearchPools,
    ThreadPool,
)


def test_so_many_work_at_once_and_one_too_many_is_sent_away() -> None:
    async def run() -> None:
        crew, gate, started = ThreadPool(at_once=1, most_waiting=1), threading.Event(), threading.Event()

        def work() -> int:
            started.set()
            gate.wait(30)
            return threading.get_ident()

        first = asyncio.create_task(crew.run(work))
        while not started.is_set():
            await asyncio.sleep(0)
        second = asyncio.create_task(crew.run(lambda: 2))
        await asyncio.sleep(0)
        with pytest.raises(HttpRefusal) as caught:
            await crew.run(lambda: 3)
        assert caught.value.status == 503
        assert not second.done()
        gate.set()
        assert await first != threading.get_ident()
        assert await second == 2
        assert await crew.run(lambda: 4) == 4

    asyncio.run(run())


def test_work_that_fails_gives_its_place_back() -> None:
    async def run() -> None:
        crew = ThreadPool(at_once=1, most_waiting=0)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                await crew.run(lambda: 1 // 0)

    asyncio.run(run())


def test_a_client_never_has_all_threads_and_only_so_many_requests_waiting() -> None:
    async def run() -> None:
        crew, gate = ThreadPool(at_once=2, most_waiting=20, most_of_one=3), threading.Event()
        started = [threading.Event() for _ in range(3)]

        def work(number: int) -> int:
            started[number].set()
            gate.wait(30)
            return number

        mine = [asyncio.create_task(crew.run(partial(work, n), client="192.0.2.1")) for n in range(2)]
        while not started[0].is_set():
            await asyncio.sleep(0)
        third = asyncio.create_task(crew.run(lambda: 9, client="192.0.2.1"))
        await asyncio.sleep(0)
        with pytest.raises(HttpRefusal) as caught:
            await crew.run(lambda: 10, client="192.0.2.1")
        assert caught.value.status == 503
        other = asyncio.create_task(crew.run(lambda: work(2), client="192.0.2.2"))
        while not started[2].is_set():
            await asyncio.sleep(0)
        assert not started[1].is_set()
        gate.set()
        assert await asyncio.gather(*mine, third, other) == [0, 1, 9, 2]
        assert await crew.run(lambda: 11, client="192.0.2.1") == 11

    asyncio.run(run())


def test_one_client_never_has_all_places_however_few_there_are() -> None:
    async def run() -> None:
        crew, gate = ThreadPool(at_once=2, most_waiting=2), threading.Event()
        mine = [asyncio.create_task(crew.run(gate.wait, client="192.0.2.1")) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(HttpRefusal):
            await crew.run(gate.wait, client="192.0.2.1")
        assert await crew.run(lambda: 1, client="192.0.2.2") == 1
        gate.set()
        assert await asyncio.gather(*mine) == [True, True]

    asyncio.run(run())


@pytest.mark.parametrize("client", ["", "192.0.2.1"])
def test_work_is_not_done_for_a_client_that_went_away_while_it_waited(client: str) -> None:
    async def run() -> None:
        crew, gate, started = ThreadPool(at_once=1, most_waiting=9), threading.Event(), threading.Event()
        done: list[str] = []

        def work() -> bool:
            started.set()
            return gate.wait(30)

        first = asyncio.create_task(crew.run(work, client=client))
        while not started.is_set():
            await asyncio.sleep(0)
        second, third = (
            asyncio.create_task(crew.run(partial(done.append, name), client=client, is_gone=is_gone))
            for name, is_gone in (("gone", lambda: True), ("there", lambda: False))
        )
        await asyncio.sleep(0)
        gate.set()
        assert await first
        with pytest.raises(ClientGone):
            await second
        await third
        assert done == ["there"]
        assert await crew.run(lambda: 1, client=client, is_gone=lambda: True) == 1  # it did not have to wait

    asyncio.run(run())


def test_work_of_one_crew_does_not_wait_for_that_of_another() -> None:
    async def run() -> None:
        gate, crews = threading.Event(), [ThreadPool(at_once=8) for _ in range(8)]
        held = [asyncio.create_task(crew.run(lambda: gate.wait(30))) for crew in crews for _ in range(8)]
        assert await ThreadPool(at_once=1).run(lambda: 1) == 1
        assert await asyncio.to_thread(lambda: 2) == 2
        gate.set()
        assert all(await asyncio.gather(*held))

    asyncio.run(run())


class Held:
    """A pool of one thread that is busy, what waits for it, and the order in which that is done."""

    def __init__(self, *, most_waiting: int = 200) -> None:
        self.crew = ThreadPool(at_once=1, most_waiting=most_waiting)
        self.done: list[str] = []
        self._gate = threading.Event()
        held = asyncio.create_task(self.crew.run(lambda: self._gate.wait(30)))
        self._tasks: list[asyncio.Task[Any]] = [held]

    def ask(self, name: str, client: str) -> asyncio.Task[None]:
        """Put a request behind the others."""
        task = asyncio.create_task(self.crew.run(partial(self.done.append, name), client=client))
        self._tasks.append(task)
        return task

    async def let_go(self) -> list[str]:
        """Wait until all are done; return their names in that order."""
        await asyncio.sleep(0)
        self._gate.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        return self.done


def test_a_newcomer_waits_for_one_request_of_each_other_client_and_not_for_all_of_them() -> None:
    async def run() -> None:
        held = Held()
        for number in range(10):
            held.ask("many", "192.0.2.1")
            held.ask("some", "198.51.100.1") if number < 2 else None
        await asyncio.sleep(0)
        held.ask("new", "203.0.113.1")
        done = await held.let_go()
        assert done.index("new") <= 2
        assert sorted(done[:3]) == ["many", "new", "some"]
        assert len(done) == 13

    asyncio.run(run())


def test_a_network_with_many_addresses_does_not_keep_others_waiting() -> None:
    async def run() -> None:
        held = Held()
        for number in range(100):
            held.ask("many", f"192.0.2.{number}")
        await asyncio.sleep(0)
        held.ask("new", "203.0.113.1")
        assert (await held.let_go()).index("new") <= 2

    asyncio.run(run())


def test_a_client_that_asked_much_is_not_passed_over_for_ever() -> None:
    async def run() -> None:
        held = Held()
        for _ in range(3):
            held.ask("first", "192.0.2.1")
        await asyncio.sleep(0)
        for client in range(20):
            for _ in range(5):
                held.ask("others", f"203.0.{client}.1")
        done = await held.let_go()
        assert max(place for place, name in enumerate(done) if name == "first") < 70

    asyncio.run(run())


def test_in_a_full_queue_a_newcomer_takes_the_last_place_of_a_client_with_several() -> None:
    async def run() -> None:
        held = Held(most_waiting=4)
        many = [held.ask(f"many {number}", "192.0.2.1") for number in range(2)]
        other = [held.ask(f"other {number}", "198.51.100.1") for number in range(2)]
        await asyncio.sleep(0)
        new = held.ask("new", "203.0.113.1")
        for _ in range(3):
            await asyncio.sleep(0)
        refused = [task for task in (*many, *other) if task.done()]
        assert len(refused) == 1
        assert isinstance(refused[0].exception(), HttpRefusal)
        done = await held.let_go()
        assert new.exception() is None
        assert len(done) == 4

    asyncio.run(run())


def test_a_request_that_is_cancelled_while_it_waits_leaves_its_place_to_the_next() -> None:
    async def run() -> None:
        held = Held()
        first, second = held.ask("first", "192.0.2.1"), held.ask("second", "192.0.2.1")
        await asyncio.sleep(0)
        first.cancel()
        assert await held.let_go() == ["second"]
        assert second.done()
        assert await held.crew.run(lambda: 1, client="192.0.2.1") == 1

    asyncio.run(run())


def test_quick_searches_never_wait_for_slow_ones() -> None:
    async def run() -> None:
        crew, gate, started = SearchPools(), threading.Event(), threading.Semaphore(0)

        def slow() -> bool:
            if is_quick_answer_wanted():
                raise Deferred
            started.release()
            return gate.wait(30)

        count = SEARCH_THREADS + MAX_SEARCHES_WAITING
        held = [asyncio.create_task(crew.run(slow, client=f"10.{number}.0.1")) for number in range(count)]
        for _ in range(SEARCH_THREADS):
            assert await asyncio.to_thread(started.acquire, timeout=30)
        assert await crew.run(lambda: 1, client="192.0.2.1") == 1
        gate.set()
        assert all(await asyncio.gather(*held))

    asyncio.run(run())


def test_one_client_has_no_more_slow_searches_waiting_than_others_do() -> None:
    async def run() -> None:
        crew, gate = SearchPools(), threading.Event()

        def slow() -> bool:
            if is_quick_answer_wanted():
                raise Deferred
            return gate.wait(30)

        mine = [asyncio.create_task(crew.run(slow, client="192.0.2.1")) for _ in range(MAX_PER_CLIENT + 5)]
        refused = next(asyncio.as_completed(mine))
        with pytest.raises(HttpRefusal):
            await refused
        gate.set()
        outcomes = await asyncio.gather(*mine, return_exceptions=True)
        assert outcomes.count(True) == MAX_PER_CLIENT

    asyncio.run(run())
