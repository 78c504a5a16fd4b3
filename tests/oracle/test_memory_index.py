"""The measure itself, measured against what can be seen with the eye."""

from __future__ import annotations

import pytest

from tests.oracle.cards import card_of
from tests.oracle.entries import sample_entries
from tests.oracle.memory_index import MemoryIndex
from windrow.errors import UsageError
from windrow.index.protocol import TALLIED, FacetRequest, Index, Order, ValueCount
from windrow.index.tantivy.rows import Entry, facts_of
from windrow.model.document import Agent, Document, Link, LinkKind, Subject, Text
from windrow.model.query import Everything, Word

HAY = Document(
    titles=(Text("Drying  hay"),),
    creators=(Agent("Mower, Ann", affiliations=("Barn Polytechnic",)),),
    keywords=("grass", "grass "),
    subjects=(Subject("Meadows"),),
    descriptions=(Text("On straw."),),
    languages=("en",),
    year=2014,
    pages=80,
    links=(Link("javascript:alert(1)", LinkKind.LANDING), Link("https://hay.example/7", LinkKind.LANDING)),
    institution="Field University",
)
STRAW = Document(titles=(Text("Straw"),), creators=(Agent("Hay, Bo"),), year=2010, keywords=("grass",))
OATS = Document(titles=(Text("Åkern"),), subjects=(Subject("Hay"),), institution="Field University")
ENTRIES = [
    Entry(1, "barn", "oai:1", ("theses:phd",), HAY),
    Entry(2, "barn", "oai:2", (), STRAW),
    Entry(3, "field", "oai:3", (), OATS),
]


def index() -> MemoryIndex:
    return MemoryIndex(ENTRIES)


def numbers(order: Order) -> list[int]:
    return [hit.card.number for hit in index().search(Word("hay"), order=order).hits]


def test_it_keeps_the_protocol() -> None:
    kept: Index = index()
    assert kept.count(Everything()) == 3
    assert kept.generation


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (Order.RELEVANCE, [1, 2, 3]),  # in the title, of the author, among the subjects
        (Order.NEWEST, [1, 2, 3]),
        (Order.OLDEST, [2, 1, 3]),
        (Order.TITLE, [3, 1, 2]),
        (Order.ADDED, [3, 2, 1]),
        (Order.NUMBER, [1, 2, 3]),
    ],
)
def test_documents_come_in_the_order_that_was_asked_for(order: Order, expected: list[int]) -> None:
    assert numbers(order) == expected


def test_pages_follow_one_another_to_the_end() -> None:
    first = index().search(Word("hay"), limit=2)
    assert (first.total, len(first.hits)) == (3, 2)
    second = index().search(Word("hay"), limit=2, after=first.next)
    assert [hit.card.number for hit in second.hits] == [3]
    assert second.next is None


@pytest.mark.parametrize("after", ["", "7", "newest-2", "relevance-x"])
def test_a_page_that_no_page_led_to_is_refused(after: str) -> None:
    with pytest.raises(UsageError):
        index().search(Word("hay"), after=after)


def test_an_offset_too_deep_is_refused() -> None:
    with pytest.raises(UsageError):
        index().search(Word("hay"), offset=10_001)


def test_tallies_count_documents_and_what_the_limit_left_out() -> None:
    subjects, years = index().tally(
        Everything(),
        [
            FacetRequest("subject", limit=1),
            FacetRequest("year", is_by_value=True, within=FacetRequest("keyword")),
        ],
    )
    assert subjects.values == (ValueCount("grass", 2),)
    assert subjects.others == 2  # Meadows, Hay
    assert years.values == (
        ValueCount("2010", 1, (ValueCount("grass", 1),)),
        ValueCount("2014", 1, (ValueCount("grass", 1),)),
    )


def test_what_cannot_be_counted_is_refused() -> None:
    with pytest.raises(UsageError, match="flavour"):
        index().tally(Everything(), [FacetRequest("flavour")])


def test_values_are_walked_in_the_order_of_their_letters() -> None:
    assert [value.value for value in index().values("subject")] == ["grass", "Hay", "Meadows"]
    assert index().values("subject", after="Hay") == [ValueCount("Meadows", 1)]
    assert index().values("subject", prefix="ha", limit=1) == [ValueCount("Hay", 1)]
    assert [letter.value for letter in index().initials("subject")] == ["G", "H", "M"]


def test_a_beginning_is_completed_and_a_slip_corrected() -> None:
    assert [(one.value, one.field) for one in index().complete("ha")] == [
        ("Hay", "subject"),
        ("Hay, Bo", "creator"),
    ]
    assert index().complete("") == []
    assert index().correct("medows") == "meadows"
    assert index().correct("meadows") is None
    assert index().correct("zzzzzzz") is None


def test_documents_with_the_same_words_are_similar() -> None:
    assert [hit.card.number for hit in index().similar(2)] == [1]
    assert index().similar(1) == ()  # a word with the one, another with the other
    assert index().similar(99) == ()


def test_facts_are_each_once_and_in_order() -> None:
    facts = facts_of(ENTRIES[0])
    assert tuple(facts) == TALLIED
    assert facts["subject"] == ("Meadows", "grass")
    assert facts["keyword"] == ("grass",)
    assert facts["affiliation"] == ("Field University", "Barn Polytechnic")
    assert (facts["year"], facts["pages"], facts["set"]) == (("2014",), ("80",), ("theses:phd",))
    assert "titles" in facts["filled"][0].split()
    assert "rights" not in facts["filled"]


def test_subjects_stand_in_for_keywords_where_there_are_none() -> None:
    assert facts_of(ENTRIES[2])["keyword"] == ("Hay",)


def test_facts_are_bounded() -> None:
    document = Document(keywords=(*map(str, range(100)),), publishers=("x" * 1000, "  "))
    facts = facts_of(Entry(1, "a", "b", (), document))
    assert len(facts["keyword"]) == 50
    assert facts["publisher"] == ("x" * 500,)


def test_a_card_has_one_line_of_everything_and_only_addresses_of_the_web() -> None:
    card = card_of(ENTRIES[0])
    assert (card.title, card.landing, card.fulltext) == ("Drying hay", "https://hay.example/7", "")
    assert (card.description, card.description_language) == ("On straw.", "en")


def test_samples_are_the_same_for_the_same_seed_and_hold_all_kinds() -> None:
    entries = sample_entries(200)
    assert entries == sample_entries(200)
    assert entries != sample_entries(200, seed=1)
    facts = [facts_of(entry) for entry in entries]
    for field in TALLIED:
        assert len({value for fact in facts for value in fact[field]}) > 2 or field in (
            "journal",
            "kind",
            "intensity",
            "time",
        ), field
    assert any(entry.document == Document() for entry in entries)
