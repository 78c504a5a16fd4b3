from __future__ import annotations

import asyncio
import threading

import pytest

from windrow.faces.shared.crew import Crew
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
