from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from windrow.faces.shared.frame import VARY
from windrow.faces.shared.kept_pages import KeptPages
from windrow.faces.shared.response import NO_INDEX, Response, page
from windrow.index.deferral import hurrying


def test_a_page_is_kept_for_its_generation_only() -> None:
    kept = KeptPages()
    kept.put("one", "key", b"page")
    assert kept.get("one", "key") == b"page"
    assert kept.get("two", "key") is None
    kept.put("two", "other", b"page")
    assert kept.get("one", "key") is None


def test_what_nobody_wanted_for_longest_is_let_go_first() -> None:
    kept = KeptPages(10)
    kept.put("one", "a", b"1234")
    kept.put("one", "b", b"1234")
    kept.get("one", "a")
    kept.put("one", "c", b"1234")
    assert [kept.get("one", key) is not None for key in "abc"] == [True, False, True]


def test_a_page_kept_again_counts_once() -> None:
    kept = KeptPages(10)
    for _ in range(5):
        kept.put("one", "a", b"123456")
    kept.put("one", "b", b"1234")
    assert kept.get("one", "a") == b"123456"


def test_a_page_larger_than_all_is_not_kept() -> None:
    kept = KeptPages(10)
    kept.put("one", "a", b"x" * 11)
    assert kept.get("one", "a") is None


def test_a_page_is_made_once_and_answered_as_it_was() -> None:
    kept, made = KeptPages(), list[int]()

    def make() -> Response:
        made.append(1)
        return page(b"words", is_indexed=len(made) == 1)

    first, second = (kept.answer("one", "key", make) for _ in range(2))
    assert (len(made), second.body, NO_INDEX in second.headers) == (1, first.body, False)
    changed = kept.answer("two", "key", make)
    assert NO_INDEX in changed.headers
    assert NO_INDEX in kept.answer("two", "key", make).headers
    assert len(made) == 2


def test_a_page_that_is_not_there_is_looked_for_again() -> None:
    kept = KeptPages()
    assert kept.answer("one", "key", lambda: page(b"none", status=404)).status == 404
    assert kept.answer("one", "key", lambda: page(b"found")).body == b"found"


def test_a_request_in_a_hurry_does_not_wait_for_pages_that_others_make() -> None:
    kept, begun, gate = KeptPages(), threading.Event(), threading.Event()

    def make() -> Response:
        begun.set()
        assert gate.wait(30)
        return page(b"made slowly", VARY)

    with ThreadPoolExecutor(1) as thread:
        slow = thread.submit(kept.answer, "one", "slow", make)
        try:
            assert begun.wait(30)
            with hurrying():
                # More of them than there are locks: some share that of the slow one.
                for number in range(1000):
                    assert kept.answer("one", number, lambda: page(b"quick", VARY)).body == b"quick"
        finally:
            gate.set()
        assert slow.result(30).body == b"made slowly"
    with hurrying():
        assert kept.answer("one", "slow", make).body == b"made slowly"
