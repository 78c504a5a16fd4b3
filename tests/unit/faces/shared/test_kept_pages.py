from __future__ import annotations

from windrow.faces.shared.kept_pages import KeptPages


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
