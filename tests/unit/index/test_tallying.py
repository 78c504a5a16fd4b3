"""Counts that are right though they come in pieces."""

from __future__ import annotations

import pytest

from tests.contracts.index.back_ends import Shelf
from tests.contracts.index.hay import entry
from tests.oracle.memory_index import MemoryIndex
from windrow.index.protocol import FacetRequest
from windrow.index.tantivy.rows import Entry
from windrow.index.tantivy.searching import TantivyIndex
from windrow.model.document import Agent, Document
from windrow.model.query import Everything, Word

COMMON = 250  # more than are added up of one segment


def lopsided() -> list[list[Entry]]:
    """Two segments: what is among the most frequent of one is the rarest of the other."""
    first = [entry(number, Document(keywords=("hay",), year=2014)) for number in range(1, 6)]
    first += [
        entry(100 + number, Document(keywords=(f"straw {number}",), year=2015)) for number in range(COMMON)
    ]
    second = [
        entry(1000 + 2 * number + twice, Document(keywords=(f"straw {number}",), year=2016))
        for number in range(COMMON)
        for twice in range(2)
    ]
    second.append(entry(5000, Document(keywords=("zz hay", "hay"), year=2014)))
    return [first, second]


def both() -> tuple[TantivyIndex, MemoryIndex]:
    shelf = Shelf()
    for part in lopsided():
        shelf.put(part)
    return shelf.index(), MemoryIndex(one for part in lopsided() for one in part)


@pytest.mark.parametrize(
    "asked",
    [
        FacetRequest("keyword", 3),
        FacetRequest("keyword", 1, within=FacetRequest("year", 10)),
        FacetRequest("year", 5, within=FacetRequest("keyword", 200)),
        FacetRequest("keyword", 140),
        FacetRequest("keyword", 500, is_by_value=True),
    ],
)
def test_a_value_that_is_rare_in_one_segment_is_counted_in_full(asked: FacetRequest) -> None:
    real, plain = both()
    assert real.tally(Everything(), [asked]) == plain.tally(Everything(), [asked])
    assert real.tally(Word("hay"), [asked]) == plain.tally(Word("hay"), [asked])


@pytest.mark.parametrize("limit", [1, 2, 3, 10])
def test_what_lies_inside_the_wanted_values_is_counted_however_many_others_there_are(limit: int) -> None:
    shelf, entries = Shelf(), [entry(number, _placed(number)) for number in range(60)]
    for part in (entries[:25], entries[25:]):
        shelf.put(part)
    asked = FacetRequest("institution", limit, within=FacetRequest("department", 2))
    for query in (Everything(), Word("hay")):
        real = shelf.index().tally(query, [asked, FacetRequest("year", 3)])
        assert real == MemoryIndex(entries).tally(query, [asked, FacetRequest("year", 3)])


def _placed(number: int) -> Document:
    """Of three institutions the first has most; each has departments of the same names."""
    place = 0 if number % 2 else number % 3
    words = ("hay",) if number % 4 else ()
    return Document(
        institution=f"Farm {place}", department=f"Field {number % 5}", year=2010 + number % 7, keywords=words
    )


@pytest.mark.parametrize("query", [Everything(), Word("oats")])
def test_the_most_used_value_is_found_though_it_is_rare_in_every_segment(query: Everything | Word) -> None:
    """Each segment has more values that it has more often than are added up of it."""
    shelf, every = Shelf(), []
    for part in range(2):
        ordinary = [f"straw {part} {number}" for number in range(COMMON) for _ in range(3)]
        entries = [
            entry(5000 * part + place, Document(keywords=(value,), publishers=("Oats",)))
            for place, value in enumerate([*ordinary, "hay", "hay"])
        ]
        shelf.put(entries)
        every += entries
    asked = [FacetRequest("keyword", 2), FacetRequest("keyword", 1, within=FacetRequest("year", 3))]
    counts = shelf.index().tally(query, asked)
    assert counts == MemoryIndex(every).tally(query, asked)
    assert counts[0].values[0].value == "hay"


def test_what_was_removed_is_not_counted_again_among_all_documents() -> None:
    shelf, gone = Shelf(), {1, 2, 1000, 1001}
    for part in lopsided():
        shelf.put(part)
    shelf.remove(gone)
    plain = MemoryIndex(one for part in lopsided() for one in part if one.number not in gone)
    asked = [FacetRequest("keyword", 3)]
    assert shelf.index().tally(Everything(), asked) == plain.tally(Everything(), asked)


def test_more_than_can_be_given_at_once_is_counted_piece_by_piece() -> None:
    entries = [
        entry(
            number,
            Document(
                creators=tuple(Agent(f"{number} by {other}") for other in range(50)),
                keywords=tuple(f"{number} on {other}" for other in range(50)),
            ),
        )
        for number in range(1, 31)
    ]
    shelf = Shelf()
    shelf.put(entries)
    asked = FacetRequest("creator", 1500, within=FacetRequest("keyword", 50))  # 75,000 values in all
    (counts,) = shelf.index().tally(Everything(), [asked])
    assert len(counts.values) == 1500
    assert {len(value.within) for value in counts.values} == {50}
