"""Fetching ahead: the next page is asked for while the last one is still being stored.

Tokens die while a harvester is busy with its database, so the fetching thread never waits for it,
within a bound on memory. It guesses the next token from a page's last bytes; whoever parses the page
has the last word, and starts a new chain where the guess was wrong.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from windrow.harvest.stopping import Stopper
from windrow.net.answer import Answer
from windrow.wire.oai.parse import peek_token
from windrow.wire.oai.request import Request

MAX_PAGES = 64
MAX_BYTES = 16 * 1024 * 1024
_POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Fetched:
    """A request, what came of it, and the token by which the chain goes on."""

    request: Request
    answer: Answer | None
    failure: BaseException | None
    token: str | None


class Ahead:
    """One chain of pages, fetched in a thread of its own until its end, a failure or `close`.

    Asked to stop, it fetches no more; what is here already can still be had.
    """

    def __init__(
        self, ask: Callable[[Request], Answer], request: Request, *, stopper: Stopper, is_single: bool = False
    ) -> None:
        self._ask = ask
        self._is_single = is_single
        self._stopper = stopper
        self._ready: deque[Fetched] = deque()
        self._tokens: set[int] = set()  # that this chain has asked with: a loop is not run ahead in
        self._bytes = 0
        self._is_closed = False
        self._is_ended = False
        self._change = threading.Condition()
        self._thread = threading.Thread(target=self._run, args=(request,), name="fetch", daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[Fetched]:
        while (fetched := self._next()) is not None:
            yield fetched

    @property
    def has_ready(self) -> bool:
        """Is the next page here already?"""
        return bool(self._ready)

    def close(self) -> None:
        """Stop fetching; wait for the request under way, as the next chain uses the same connection."""
        with self._change:
            self._is_closed = True
            self._change.notify_all()
        while self._thread.is_alive():
            self._thread.join(_POLL_SECONDS)
            if self._stopper.is_stopping:
                return

    def _next(self) -> Fetched | None:
        with self._change:
            while not self._ready:
                if self._is_ended:
                    return None
                self._stopper.check()
                self._change.wait(_POLL_SECONDS)
            fetched = self._ready.popleft()
            self._bytes -= len(fetched.answer.body) if fetched.answer else 0
            self._change.notify_all()
            return fetched

    def _run(self, request: Request) -> None:
        following: Request | None = request
        while following is not None:
            fetched = self._fetch(following)
            following = following.with_token(fetched.token) if fetched.token else None
            with self._change:
                while self._is_full() and not self._is_closed:
                    self._change.wait()
                self._ready.append(fetched)
                self._bytes += len(fetched.answer.body) if fetched.answer else 0
                if self._is_closed or self._stopper.is_stopping:
                    following = None
                self._is_ended = following is None
                self._change.notify_all()

    def _fetch(self, request: Request) -> Fetched:
        try:
            answer = self._ask(request)
        except BaseException as exc:  # noqa: BLE001 - handed over to the thread that consumes
            return Fetched(request, None, exc, None)
        self._tokens.add(hash(request.token))
        token = None if self._is_single else peek_token(answer.body)
        return Fetched(request, answer, None, token if hash(token) not in self._tokens else None)

    def _is_full(self) -> bool:
        return len(self._ready) >= MAX_PAGES or (self._bytes >= MAX_BYTES and bool(self._ready))


def ask_once(ask: Callable[[Request], Answer], request: Request, *, stopper: Stopper) -> Answer:
    """Ask once, in a thread of its own, so that a request to stop is heard meanwhile."""
    ahead = Ahead(ask, request, stopper=stopper, is_single=True)
    try:
        fetched = next(iter(ahead))
    finally:
        ahead.close()
    if fetched.failure is not None:
        raise fetched.failure
    assert fetched.answer is not None
    return fetched.answer
