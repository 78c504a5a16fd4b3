"""Records of many kinds, own and real ones: every word of every title finds its record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

import pytest
from lxml import etree

from tests.contracts.index.back_ends import in_one_segment
from tests.contracts.test_formats import records_in, responses
from tests.fixtures import Place, own, own_and_shared
from windrow.formats.registry import read
from windrow.index.protocol import MAX_COUNTED_VALUES, FacetRequest
from windrow.index.tantivy.rows import Entry
from windrow.index.tantivy.searching import TantivyIndex
from windrow.model.query import Phrase, Query, Word
from windrow.model.text.folding import folded_words

RECORDS = 1500  # of each folder
OF_ONE_FILE = 20


def entries(folder: str, place: Place) -> Iterator[Entry]:
    """Some records of every file, each with a source of its own, by which it is recognised."""
    number = 0
    for path in responses(folder, place):
        for record in islice(records_in(path), OF_ONE_FILE):
            payload = etree.tostring(record, with_tail=False, encoding="utf-8")
            number += 1
            yield Entry(number, f"s{number}", f"oai:x:{number}", (), read(payload, b"", path.parent.name))


def found(index: TantivyIndex, query: Query) -> set[str]:
    (counts,) = index.tally(query, [FacetRequest("source", MAX_COUNTED_VALUES)])
    return {value.value for value in counts.values}


@own_and_shared
@pytest.mark.parametrize("folder", ["oai", "oai-bulk", "records"])
def test_every_word_of_every_title_finds_its_record(folder: str, place: Place) -> None:
    taken = list(islice(entries(folder, place), RECORDS))
    assert len(taken) >= (20 if place is own else 101)
    index = in_one_segment(taken)
    having: dict[str, set[str]] = defaultdict(set)
    for entry in taken:
        for title in entry.document.titles:
            for word in folded_words(title.value):
                having[word].add(entry.source)
    for word, sources in having.items():
        assert sources <= found(index, Word(word)), word
        assert sources <= found(index, Word(word, "title")), word


@own_and_shared
def test_every_title_as_a_phrase_finds_its_record(place: Place) -> None:
    taken = list(islice(entries("oai", place), 300))
    index = in_one_segment(taken)
    for entry in taken:
        words = tuple(folded_words(entry.document.title or ""))
        if words:
            assert entry.source in found(index, Phrase(words, "title")), words
            assert entry.source in found(index, Phrase(words)), words
