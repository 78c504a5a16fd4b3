from __future__ import annotations

import asyncio
import threading
from functools import partial

import pytest

from windrow.faces.shared.crew import ClientGone, Crew
from windrow.faces.shared.refusal import Refused


def test_so_many_work_at_once_and_one_too_many_is_sent_away() -> None:
    async def run() -> None:
        crew, gate, started = Crew(at_once=1, most_waiting=1), threading.Event(), threading.Event()

        def work() -> int:
            started.set()
            gate.wait(30)
            return threading.get_ident()

        first = asyncio.create_task(crew.run(work))
        while not started.is_set():
            await asyncio.sleep(0)
        second = asyncio.create_task(crew.run(lambda: 2))
        await asyncio.sleep(0)
        with pytest.raises(Refused) as caught:
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
        crew = Crew(at_once=1, most_waiting=0)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                await crew.run(lambda: 1 // 0)

    asyncio.run(run())


def test_a_client_never_has_all_threads_and_only_so_many_requests_waiting() -> None:
    async def run() -> None:
        crew, gate = Crew(at_once=2, most_waiting=20, most_of_one=3), threading.Event()
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
        with pytest.raises(Refused) as caught:
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
        crew, gate = Crew(at_once=2, most_waiting=2), threading.Event()
        mine = [asyncio.create_task(crew.run(gate.wait, client="192.0.2.1")) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Refused):
            await crew.run(gate.wait, client="192.0.2.1")
        assert await crew.run(lambda: 1, client="192.0.2.2") == 1
        gate.set()
        assert await asyncio.gather(*mine) == [True, True]

    asyncio.run(run())


@pytest.mark.parametrize("client", ["", "192.0.2.1"])
def test_work_is_not_done_for_a_client_that_went_away_while_it_waited(client: str) -> None:
    async def run() -> None:
        crew, gate, started = Crew(at_once=1, most_waiting=9), threading.Event(), threading.Event()
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
        gate, crews = threading.Event(), [Crew(at_once=8) for _ in range(8)]
        held = [asyncio.create_task(crew.run(lambda: gate.wait(30))) for crew in crews for _ in range(8)]
        assert await Crew(at_once=1).run(lambda: 1) == 1
        assert await asyncio.to_thread(lambda: 2) == 2
        gate.set()
        assert all(await asyncio.gather(*held))

    asyncio.run(run())
