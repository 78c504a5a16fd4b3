"""Pages fetched ahead: in order, within bounds, and only as long as anybody wants them."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable

import pytest

from windrow.errors import Interrupted, Unreachable
from windrow.harvest.oai import page_chain
from windrow.harvest.oai.page_chain import Prefetcher, ask_interruptibly
from windrow.harvest.options import Stopper
from windrow.net.client import Answer
from windrow.protocols.oai.oai_request import Request

FIRST = Request("ListRecords", (("metadataPrefix", "oai_dc"),))


def answer(token: str, *, size: int = 0) -> Answer:
    end = f"<resumptionToken>{token}</resumptionToken></ListRecords></OAI-PMH>"
    return Answer("https://hay.example/oai", 200, {}, b" " * size + end.encode(), 0, 0.0, 0)


class Repository:
    """Answers request after request with the next of its tokens, and remembers what it was asked."""

    def __init__(self, *tokens: str, size: int = 0) -> None:
        self.asked: list[str | None] = []
        self._tokens = tokens
        self._size = size

    def __call__(self, request: Request) -> Answer:
        self.asked.append(request.token)
        return answer(self._tokens[len(self.asked) - 1], size=self._size)


def fetch(
    ask: Callable[[Request], Answer], *, stopper: Stopper | None = None, is_single: bool = False
) -> Prefetcher:
    return Prefetcher(ask, FIRST, stopper=stopper or Stopper(), is_single=is_single)


def test_pages_are_fetched_in_order_until_there_is_no_token() -> None:
    repository = Repository("one", "two &amp; a half", "")
    pages = list(fetch(repository))
    assert repository.asked == [None, "one", "two & a half"]
    assert [page.request.token for page in pages] == repository.asked
    assert [page.token for page in pages] == ["one", "two & a half", None]
    assert all(page.answer is not None and page.failure is None for page in pages)


def test_the_next_page_is_fetched_while_nobody_has_taken_the_first() -> None:
    second = threading.Event()

    def ask(request: Request) -> Answer:
        if request.token == "one":
            second.set()
        return answer("" if request.token else "one")

    chain = fetch(ask)
    assert second.wait(60), "the second page was not asked for"
    assert len(list(chain)) == 2
    assert not chain.has_ready


def test_a_failure_is_handed_over_in_its_place_and_ends_the_chain() -> None:
    def ask(request: Request) -> Answer:
        if request.token:
            raise Unreachable("gone")
        return answer("one")

    first, second = fetch(ask)
    assert first.failure is None
    assert isinstance(second.failure, Unreachable)
    assert (second.answer, second.token) == (None, None)


def test_a_token_that_was_asked_with_before_is_not_run_after() -> None:
    repository = Repository("one", "two", "one")
    pages = list(fetch(repository))
    assert repository.asked == [None, "one", "two"]
    assert pages[-1].token is None


def test_a_single_page_is_a_single_request() -> None:
    repository = Repository("one", "two")
    (page,) = fetch(repository, is_single=True)
    assert repository.asked == [None]
    assert page.token is None


@pytest.mark.parametrize(
    ("size", "most"),
    [
        (0, page_chain.MAX_PREFETCHED_PAGES),
        (page_chain.MAX_PREFETCHED_BYTES // 4, 4),
        (page_chain.MAX_PREFETCHED_BYTES * 2, 1),
    ],
)
def test_no_more_is_fetched_ahead_than_the_bounds_allow(size: int, most: int) -> None:
    taken = itertools.count()
    progress = [next(taken)]
    early: list[int] = []
    pages = most + 12

    def ask(_request: Request) -> Answer:
        number = len(early)
        early.append(number - progress[0])
        return answer(f"t{number}" if number + 1 < pages else "", size=size)

    chain = fetch(ask)
    for _ in chain:
        progress[0] = next(taken)
    assert len(early) == pages
    assert max(early) <= most + 1  # one more may be in hand, waiting for its place


def test_closing_ends_the_fetching_thread() -> None:
    endless = itertools.count()
    asked: list[str | None] = []

    def ask(request: Request) -> Answer:
        asked.append(request.token)
        return answer(f"t{next(endless)}")

    chain = fetch(ask)
    next(iter(chain))
    chain.close()
    assert not chain._thread.is_alive()
    assert len(asked) <= page_chain.MAX_PREFETCHED_PAGES + 2


def test_a_request_to_stop_is_heard_while_waiting_for_a_page() -> None:
    stopper, release = Stopper(), threading.Event()

    def ask(_request: Request) -> Answer:
        stopper.stop()
        release.wait(60)
        return answer("")

    chain = fetch(ask, stopper=stopper)
    with pytest.raises(Interrupted):
        list(chain)
    chain.close()
    release.set()
    chain._thread.join(60)


def test_what_is_here_already_can_be_had_after_a_request_to_stop() -> None:
    stopper = Stopper()

    def ask(request: Request) -> Answer:
        if request.token == "one":
            stopper.stop()
        return answer("one" if request.token is None else "two")

    chain = fetch(ask, stopper=stopper)
    chain._thread.join(60)
    assert [page.token for page in chain] == ["one", "two"]


def test_asking_once_gives_the_answer_or_raises_what_went_wrong() -> None:
    assert ask_interruptibly(Repository("one"), FIRST, stopper=Stopper()).status == 200

    def fail(_request: Request) -> Answer:
        raise Unreachable("gone")

    with pytest.raises(Unreachable, match="gone"):
        ask_interruptibly(fail, FIRST, stopper=Stopper())
