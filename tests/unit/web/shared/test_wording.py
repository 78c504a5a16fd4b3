from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.web.layout.page_text import is_web_address, strip_invisible, truncate, truncate_pieces


def test_what_cannot_be_seen_is_dropped_and_lines_stay() -> None:
    assert strip_invisible("a\x00b\x1b[0m\x9fc\ud800\nd\te") == "ab[0mc\nd\te"


@given(st.text(), st.integers(1, 50))
def test_a_text_is_never_longer_than_asked_for(text: str, longest: int) -> None:
    assert len(truncate(text, longest)) <= longest + 2


def test_a_text_is_cut_between_words() -> None:
    assert truncate("hay in the meadow", 12) == "hay in the …"
    assert truncate("haymakers", 4) == "haym …"
    assert truncate("hay", 3) == "hay"


@given(st.lists(st.tuples(st.text(max_size=20), st.booleans()), max_size=10), st.integers(1, 50))
def test_pieces_are_together_never_longer_than_asked_for(
    pieces: list[tuple[str, bool]], longest: int
) -> None:
    assert sum(len(text) for text, _ in truncate_pieces(pieces, longest)) <= longest + 2


def test_short_pieces_stay_as_they_are() -> None:
    pieces = [("hay ", False), ("meadow", True)]
    assert truncate_pieces(pieces) == pieces


@pytest.mark.parametrize("url", ["https://a.example/x?y#z", "http://a.example", "HTTPS://A.EXAMPLE/"])
def test_web_addresses_become_links(url: str) -> None:
    assert is_web_address(url)


@pytest.mark.parametrize(
    "url",
    [
        "",
        None,
        "javascript:alert(1)",
        "JavaScript://a.example/%0aalert(1)",
        " https://a.example",
        "https://a.example/a b",
        "data:text/html,x",
        "file:///etc/passwd",
        "//a.example",
        "https:",
        "http://[",
        "https://a.example/" + "x" * 5000,
    ],
)
def test_nothing_else_does(url: str | None) -> None:
    assert not is_web_address(url)
