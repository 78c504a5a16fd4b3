"""The facet of folders: a tree, gone into one folder at a time."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from tests.oracle.memory_index import MemoryIndex
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Document, HeldFile
from windrow.search.facets import FacetValue, count_facets
from windrow.search.request import SearchRequest, read_request

PATHS = ("a/1.txt", "a/b/2.txt", "a/b/3.txt", "a/c/d/4.txt", "e/5.txt", "6.txt")
INDEX = MemoryIndex(
    Entry(number, "barn", path, (), Document(file=HeldFile(path, "text/plain", 1, "")))
    for number, path in enumerate(PATHS, 1)
)


def folders(*pairs: tuple[str, str]) -> tuple[FacetValue, ...]:
    (facet,) = count_facets(INDEX, read_request(pairs), ["folder"])
    return facet.values


def follow(address: str) -> SearchRequest:
    return read_request(parse_qsl(urlsplit(address).query))


def named(values: tuple[FacetValue, ...]) -> list[tuple[str, int]]:
    return [(value.value, value.count) for value in values]


def test_only_the_outermost_are_shown_at_first() -> None:
    assert named(folders()) == [("a", 4), ("e", 1)]


def test_a_chosen_one_shows_what_is_in_it() -> None:
    (outer,) = folders(("folder", "a"))
    assert outer.is_selected
    assert named(outer.within) == [("a/b", 2), ("a/c", 1)]


def test_deeper_ones_stand_within_those_around_them() -> None:
    (outer,) = folders(("folder", "a/c"))
    (inner,) = outer.within
    assert (outer.is_selected, inner.is_selected) == (False, True)
    assert named(inner.within) == [("a/c/d", 1)]


def test_a_click_goes_in_and_a_second_one_out_again() -> None:
    (outer,) = folders(("folder", "a"))
    assert follow(outer.within[0].address).filters == {"folder": ("a/b",)}
    assert follow(outer.address).filters == {}
    (outer,) = folders(("folder", "a/b"))
    assert follow(outer.within[0].address).filters == {"folder": ("a",)}
    assert follow(outer.address).filters == {"folder": ("a",)}


def test_a_click_finds_what_was_counted() -> None:
    for value in folders():
        assert INDEX.count(follow(value.address).query) == value.count
