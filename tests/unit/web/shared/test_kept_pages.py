from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from windrow.index.protocol import quick_answers_only
from windrow.web.http.http_response import NO_INDEX, Response, html_response
from windrow.web.layout.page_cache import PageCache
from windrow.web.layout.page_layout import VARY_PAGE


def test_a_page_is_kept_for_its_generation_only() -> None:
    kept = PageCache()
    kept.put("one", "key", b"page")
    assert kept.get("one", "key") == b"page"
    assert kept.get("two", "key") is None
    kept.put("two", "other", b"page")
    assert kept.get("one", "key") is None


def test_what_nobody_wanted_for_longest_is_let_go_first() -> None:
    kept = PageCache(10)
    kept.put("one", "a", b"1234")
    kept.put("one", "b", b"1234")
    kept.get("one", "a")
    kept.put("one", "c", b"1234")
    assert [kept.get("one", key) is not None for key in "abc"] == [True, False, True]


def test_a_page_kept_again_counts_once() -> None:
    kept = PageCache(10)
    for _ in range(5):
        kept.put("one", "a", b"123456")
    kept.put("one", "b", b"1234")
    assert kept.get("one", "a") == b"123456"


def test_a_page_larger_than_all_is_not_kept() -> None:
    kept = PageCache(10)
    kept.put("one", "a", b"x" * 11)
    assert kept.get("one", "a") is None


def test_a_page_is_made_once_and_answered_as_it_was() -> None:
    kept, made = PageCache(), list[int]()

    def make() -> Response:
        made.append(1)
        return html_response(b"words", is_indexed=len(made) == 1)

    first, second = (kept.answer("one", "key", make) for _ in range(2))
    assert (len(made), second.body, NO_INDEX in second.headers) == (1, first.body, False)
    changed = kept.answer("two", "key", make)
    assert NO_INDEX in changed.headers
    assert NO_INDEX in kept.answer("two", "key", make).headers
    assert len(made) == 2


def test_a_page_that_is_not_there_is_looked_for_again() -> None:
    kept = PageCache()
    assert kept.answer("one", "key", lambda: html_response(b"none", status=404)).status == 404
    assert kept.answer("one", "key", lambda: html_response(b"found")).body == b"found"


def test_a_request_in_a_hurry_does_not_wait_for_pages_that_others_make() -> None:
    kept, begun, gate = PageCache(), threading.Event(), threading.Event()

    def make() -> Response:
        begun.set()
        assert gate.wait(30)
        return html_response(b"made slowly", VARY_PAGE)

    with ThreadPoolExecutor(1) as thread:
        slow = thread.submit(kept.answer, "one", "slow", make)
        try:
            assert begun.wait(30)
            with quick_answers_only():
                # More of them than there are locks: some share that of the slow one.
                for number in range(1000):
                    assert (
                        kept.answer("one", number, lambda: html_response(b"quick", VARY_PAGE)).body
                        == b"quick"
                    )
        finally:
            gate.set()
        assert slow.result(30).body == b"made slowly"
    with quick_answers_only():
        assert kept.answer("one", "slow", make).body == b"made slowly"
