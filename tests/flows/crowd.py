"""Clients that ask a served library all the time, and know what it must answer: one state or the other."""

from __future__ import annotations

import http.client
import json
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from tests.servers.asgi import HOST

PATIENCE_SECONDS = 300.0
THOUGHT_SECONDS = 0.05
Judge = Callable[[bytes], str]  # of an answer: the state that it is of; raises where it is of none


@dataclass(frozen=True, slots=True)
class Question:
    """An address, and how to tell from its answer which state that is of."""

    path: str
    judge: Judge


class Crowd:
    """So many clients, each on a connection of its own, one question after the other."""

    def __init__(self, port: int, make: Callable[[random.Random], Question], *, clients: int) -> None:
        self._port = port
        self._make = make
        self._changed = threading.Condition()
        self._ending = threading.Event()
        self._thought_seconds = 0.0
        self._threads = [threading.Thread(target=self._ask, args=(number,)) for number in range(clients)]
        self.seen: Counter[str] = Counter()  # answers by the state that they were of
        self.latest: dict[int, list[str]] = {number: [] for number in range(clients)}
        self.wrong: list[str] = []

    def wait_for(self, state: str, answers: int = 50) -> None:
        """Wait until each client has had so many more answers of a state."""
        with self._changed:
            wanted = {number: known.count(state) + answers for number, known in self.latest.items()}

            def is_enough() -> bool:
                return bool(self.wrong) or all(
                    self.latest[number].count(state) >= least for number, least in wanted.items()
                )

            assert self._changed.wait_for(is_enough, PATIENCE_SECONDS), f"{state} was never answered"
        assert self.wrong == []

    @contextmanager
    def thinking(self) -> Iterator[None]:
        """Let each client think a moment before it asks again, as people do: others need the machine, too."""
        self._thought_seconds = THOUGHT_SECONDS
        try:
            yield
        finally:
            self._thought_seconds = 0.0

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ending.set()
        for thread in self._threads:
            thread.join()

    def _ask(self, number: int) -> None:
        chance = random.Random(number)
        connection = http.client.HTTPConnection(HOST, self._port, timeout=PATIENCE_SECONDS)
        while not self._ending.wait(self._thought_seconds):
            question = self._make(chance)
            try:
                connection.request("GET", question.path)
                response = connection.getresponse()
                body = response.read()
                state = question.judge(body) if response.status == 200 else f"status {response.status}"
                self._note(number, state, f"{question.path}: {state}" if response.status != 200 else "")
            except Exception as exc:  # noqa: BLE001 - whatever goes wrong is what the test is about
                self._note(number, "", f"{question.path}: {type(exc).__name__}: {exc}")
                connection.close()
        connection.close()

    def _note(self, number: int, state: str, wrong: str) -> None:
        with self._changed:
            self.seen[state] += 1
            self.latest[number].append(state)
            if wrong:
                self.wrong.append(wrong)
            self._changed.notify_all()


def parsed(body: bytes) -> dict[str, Any]:
    """Give an answer of the API."""
    found = json.loads(body)
    assert isinstance(found, dict)
    return found
