"""Nothing is unfindable: all text of a record is searched, what has no field of its own behind the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tests.contracts.index.hay import entry
from windrow.formats.registry import read
from windrow.index.protocol import Index
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Agent, Document, Event, Link, LinkKind, Text
from windrow.protocols.query.query_parser import parse_query

MakeIndex = Callable[[Sequence[Entry]], Index]
UNKNOWN = b"""
<card xmlns="urn:example:cards" kind="index" encoding="folded"><heading>Barley</heading>
<remark>Note number 1</remark><place label="Upper shelf"/></card>
"""
LIBRARY: list[Entry] = [
    entry(1, read(UNKNOWN, b"", "cards")),
    entry(
        2,
        Document(
            titles=(Text("Rye"),), extra={"dc:coverage": ("Kainuu",), "x:page": ("https://x.example/",)}
        ),
    ),
    entry(3, Document(titles=(Text("Oats"),), descriptions=(Text("A number of fields in Kainuu."),))),
    entry(4, Document(titles=(Text("Kainuu"),))),
    entry(5, Document(titles=(Text("Wheat"),), relations=("Songs of the threshing floor",))),
    entry(
        6,
        Document(
            titles=(Text("Millet"),), creators=(Agent("Lind, Ada", affiliations=("Granary Institute",)),)
        ),
    ),
    entry(7, Document(titles=(Text("Spelt"),), events=(Event(place="Haytown"),))),
    entry(
        8,
        Document(
            titles=(Text("Maize"),),
            links=(Link("https://x.example/8.pdf", LinkKind.FULLTEXT, "appendix.pdf"),),
        ),
    ),
]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("number", {1, 3}),
        ('"note number 1"', {1}),
        ("notes:number", {1}),
        ("heading:barley", {1}),
        ("shelf", {1}),
        ("index", {1}),
        ("folded", set()),
        ("kainuu", {2, 3, 4}),
        ("threshing", {5}),
        ("granary", {6}),
        ("haytown", {7}),
        ("appendix*", {8}),
        ("kainu~", {2, 3, 4}),
        ("notes:x.example", set()),
    ],
)
def test_text_without_a_field_of_its_own_is_found(
    make_index: MakeIndex, text: str, numbers: set[int]
) -> None:
    hits = make_index(LIBRARY).search(parse_query(text).query, limit=20).hits
    assert {hit.card.number for hit in hits} == numbers


def test_what_a_field_has_comes_before_what_none_has(make_index: MakeIndex) -> None:
    hits = make_index(LIBRARY).search(parse_query("kainuu").query, limit=20).hits
    assert [hit.card.number for hit in hits] == [4, 3, 2]
