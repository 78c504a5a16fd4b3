"""Long texts in leaves, and hits among them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from windrow.model.document import HeldFile
from windrow.protocols.query.query_parser import parse_query
from windrow.web.documents.document_text import (
    PAGE_LETTERS,
    HitCache,
    TextHits,
    TextPage,
    find_hits,
    mark_spans,
    split_text_pages,
    tidy_text,
)


def held(*text: str, is_paged: bool = False) -> HeldFile:
    return HeldFile("a.txt", "text/plain", 1, "", text=text, is_paged=is_paged)


@given(st.lists(st.sampled_from(["hay ", "\n", "\n\n", "x" * 7000, "word " * 3000]), max_size=12))
def test_leaves_are_short_and_nothing_is_lost(parts: list[str]) -> None:
    text = "".join(parts)
    leaves = split_text_pages(held(text))
    assert "".join(leaf.text for leaf in leaves) == text
    assert all(len(leaf.text) <= PAGE_LETTERS for leaf in leaves)
    assert [leaf.part for leaf in leaves] == list(range(1, len(leaves) + 1))


def test_a_leaf_ends_with_a_paragraph_where_it_can() -> None:
    first, second = split_text_pages(held("a" * 15_000 + "\n\n" + "b c " * 3000))
    assert (first.text[-1], second.text[:3]) == ("\n", "b c")


def test_pages_are_leaves_and_an_empty_page_is_one() -> None:
    assert split_text_pages(held("one", "", "three", is_paged=True)) == [
        TextPage(1, 1, "one"),
        TextPage(2, 1, ""),
        TextPage(3, 1, "three"),
    ]


def test_text_is_tidied_without_losing_its_paragraphs() -> None:
    assert tidy_text("\n\na\r\nb\f\x00c\n \n\n\n  d\n") == "a\nb\nc\n\nd"


def test_hits_are_found_in_other_forms_and_as_phrases() -> None:
    leaves = split_text_pages(
        held("the meadow", "nothing", "old meadows", "hay old", "old hay", is_paged=True)
    )
    assert find_hits(leaves, parse_query("meadow").query, "en").places == (0, 2)
    assert find_hits(leaves, parse_query('"old hay"').query, "en").places == (4,)
    assert find_hits(leaves, parse_query("mead*").query, None).places == (0, 2)
    assert find_hits(leaves, parse_query("title:meadow").query, "en").places == ()


def test_a_search_in_an_endless_text_ends_and_says_so() -> None:
    leaves = [TextPage(page, 1, "hay stack " * 100) for page in range(1, 40)]
    found = find_hits(leaves, parse_query('"hay stack"').query, "en", most=5000)
    assert found == TextHits((0, 1, 2, 3, 4), is_all=False)
    assert len(find_hits(leaves, parse_query("hay").query, "en", most=5000).places) == 39


def test_the_nearest_hits_on_either_side_are_told() -> None:
    hits = TextHits((2, 5, 9), is_all=True)
    assert (hits.before(5), hits.behind(5)) == (2, 9)
    assert (hits.before(2), hits.behind(9)) == (None, None)


def test_only_so_many_searches_are_remembered() -> None:
    kept = HitCache(most=2)
    for number in range(3):
        kept.put((number, 1, "hay"), TextHits((number,), is_all=True))
    assert kept.get((0, 1, "hay")) is None
    assert kept.get((2, 1, "hay")) == TextHits((2,), is_all=True)


@given(st.text(max_size=30), st.lists(st.integers(0, 30), max_size=8))
def test_pieces_together_are_the_text(text: str, places: list[int]) -> None:
    ends = sorted({min(place, len(text)) for place in places})
    spans = [(low, high) for low, high in zip(ends[::2], ends[1::2], strict=False)]
    pieces = list(mark_spans(text, spans))
    assert "".join(piece.words for piece in pieces) == text
    assert [piece.words for piece in pieces if piece.is_marked] == [text[low:high] for low, high in spans]
    assert sum(piece.is_first for piece in pieces) == bool(spans)
