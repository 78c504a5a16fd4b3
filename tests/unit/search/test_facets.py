from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle.entries import sample_entries
from tests.oracle.memory_index import MemoryIndex
from windrow.config.collection_values import FACET_FIELDS
from windrow.index.protocol import FacetCounts, FacetRequest, Index
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Agent, Document, Event, HeldFile, Subject
from windrow.model.query import Query
from windrow.search.facets import Facet, FacetValue, count_facets
from windrow.search.request import SearchRequest, read_request

COLLECTIONS = {"north": ("barn", "field"), "all": ("barn", "field", "meadow")}


class CountingIndex(MemoryIndex):
    """Remembers how often it was asked to count."""

    passes = 0

    def tally(self, query: Query, tallies: Sequence[FacetRequest]) -> tuple[FacetCounts, ...]:
        self.passes += 1
        return super().tally(query, tallies)


def read(*pairs: tuple[str, str]) -> SearchRequest:
    return read_request(pairs, collections=COLLECTIONS)


def facet(index: Index, question: SearchRequest, *fields: str, limit: int = 10) -> Facet:
    return count_facets(index, question, fields, limit=limit)[0]


def chosen(found: Facet) -> list[FacetValue]:
    return [value for value in found.values if value.is_selected]


def follow(address: str) -> SearchRequest:
    return read(*parse_qsl(urlsplit(address).query))


def test_a_count_is_what_a_click_on_it_finds(theses: Index) -> None:
    question = read(("q", "hay OR heinä OR hö"))
    for field in (
        "institution",
        "type",
        "language",
        "subject",
        "creator",
        "source",
        "year",
        "folder",
        "media",
        "size",
    ):
        for value in facet(theses, question, field).values:
            assert theses.count(follow(value.address).query) == value.count


@pytest.mark.parametrize("field", FACET_FIELDS)
def test_whatever_a_collection_may_show_beside_results_is_counted_and_chosen(field: str) -> None:
    document = Document(
        institution="Barn",
        department="Hay",
        year=2014,
        types=("thesis",),
        languages=("en",),
        subjects=(Subject("meadows"),),
        keywords=("mowing",),
        creators=(Agent("Meadow, Ann"),),
        publishers=("Barn Press",),
        sources=("Journal of Hay",),
        collections=("Theses",),
        events=(Event("h1", "2002p1", "bound", "full", "Oslo", "sv", "day"),),
        file=HeldFile("loft/hay.pdf", "application/pdf", 12_345, "0" * 64),
    )
    index = MemoryIndex([Entry(1, "north-1", "a", ("one",), document, "2014-01-01")])
    value, *_ = facet(index, read(), field).values  # keywords are among the subjects
    assert value.count == index.count(follow(value.address).query) == 1
    assert follow(value.address).filters == {field: (value.value,)}


def test_a_field_is_counted_without_its_own_filter(theses: Index) -> None:
    free = facet(theses, read(), "language")
    filtered = facet(theses, read(("language", "fi")), "language")
    assert [(value.value, value.count) for value in filtered.values] == [
        (value.value, value.count) for value in free.values
    ]
    assert [value.value for value in chosen(filtered)] == ["fi"]


def test_a_field_is_counted_with_the_filters_of_the_others(theses: Index) -> None:
    (types,) = count_facets(theses, read(("language", "fi")), ["type"])
    assert sum(value.count for value in types.values) <= theses.count(read(("language", "fi")).query)


def test_a_value_that_is_chosen_is_dropped_by_a_click_and_another_is_added(theses: Index) -> None:
    found = facet(theses, read(("language", "fi")), "language")
    addresses = {value.value: value.address for value in found.values}
    assert addresses["fi"] == "/search"
    assert addresses["sv"] == "/search?language=fi&language=sv"


def test_a_chosen_value_is_shown_even_when_nothing_has_it(theses: Index) -> None:
    found = facet(theses, read(("language", "xx")), "language")
    assert [(value.value, value.count) for value in chosen(found)] == [("xx", 0)]


def test_a_chosen_value_beyond_the_limit_is_shown_with_its_count(theses: Index) -> None:
    everyone = facet(theses, read(), "creator", limit=1000)
    last = everyone.values[-1]
    found = facet(theses, read(("creator", last.value)), "creator", limit=3)
    assert [value.value for value in found.values][3:] == [last.value]
    assert chosen(found)[0].count == last.count
    assert found.others == sum(value.count for value in everyone.values[3:]) - last.count


def test_departments_stand_under_their_institutions(theses: Index) -> None:
    facets = count_facets(theses, read(), ["institution", "department"])
    assert [found.field for found in facets] == ["institution"]
    for institution in facets[0].values:
        for department in institution.within:
            question = follow(department.address)
            assert question.filters["institution"] == (institution.value,)
            assert theses.count(question.query) == department.count


def test_a_department_narrows_several_institutions_to_its_own() -> None:
    documents = [
        Document(institution=name, department="School of Hay") for name in ("Barn", "Barn", "Field", "Meadow")
    ]
    index = MemoryIndex(Entry(n, "barn", f"hay:{n}", (), each) for n, each in enumerate(documents, 1))
    question = read(("institution", "Barn"), ("institution", "Field"))
    (found,) = count_facets(index, question, ["institution", "department"])
    counts = {value.value: value.within[0] for value in found.values if value.within}
    assert [counts[name].count for name in ("Barn", "Field")] == [2, 1]
    for name in ("Barn", "Field"):
        clicked = follow(counts[name].address)
        assert clicked.filters["institution"] == (name,)
        assert index.count(clicked.query) == counts[name].count


def test_a_chosen_department_is_dropped_by_a_click_and_its_institution_stays(theses: Index) -> None:
    question = read(("institution", "Field University"), ("department", "School of Grass"))
    (found,) = count_facets(theses, question, ["institution", "department"])
    (selected,) = [value for value in found.values if value.is_selected]
    departments = {value.value: value for value in selected.within}
    assert departments["School of Grass"].is_selected
    assert departments["School of Grass"].address == "/search?institution=Field+University"
    assert len(departments) == 3
    assert all(not value.within for value in found.values if not value.is_selected)


def test_departments_alone_are_a_facet_of_their_own(theses: Index) -> None:
    assert facet(theses, read(), "department").field == "department"


def test_years_are_a_series_without_gaps(theses: Index) -> None:
    found = facet(theses, read(("language", "sv")), "year")
    years = [int(value.value) for value in found.values]
    assert years == list(range(years[0], years[-1] + 1))


def test_a_year_within_a_chosen_span_narrows_to_itself(theses: Index) -> None:
    found = facet(theses, read(("year", "2010..2014")), "year")
    assert [value.value for value in chosen(found)] == ["2010", "2011", "2012", "2013", "2014"]
    assert {value.value: value.address for value in found.values}["2012"] == "/search?year=2012"


def test_far_outliers_among_years_do_not_make_a_thousand_bars() -> None:
    entries = sample_entries(50)
    odd = replace(Document(), year=9999), replace(Document(), year=12)
    index = MemoryIndex(
        [
            *entries,
            *(entries[0]._replace(number=100 + place, document=each) for place, each in enumerate(odd)),
        ]
    )
    found = facet(index, read(), "year")
    assert len(found.values) <= 150
    assert found.others == 2


def test_collections_are_counted_by_their_sources(theses: Index) -> None:
    found = facet(theses, read(("collection", "north")), "collection")
    counts = {value.value: value.count for value in found.values}
    assert counts == {name: theses.count(read(("collection", name)).query) for name in COLLECTIONS}
    assert [value.value for value in chosen(found)] == ["north"]


def test_one_pass_counts_all_fields_and_one_more_each_that_has_a_filter() -> None:
    index = CountingIndex(sample_entries(30))
    fields = ["institution", "department", "year", "type", "language", "collection"]
    count_facets(index, read(), fields)
    assert index.passes == 1
    index.passes = 0
    count_facets(index, read(("type", "book"), ("language", "fi")), fields)
    assert index.passes == 3


def test_fields_that_cannot_be_counted_are_left_out(theses: Index) -> None:
    assert count_facets(theses, read(), ["colour", "title"]) == ()


@given(
    st.lists(
        st.sampled_from(
            [
                ("language", "fi"),
                ("language", "sv"),
                ("type", "Master's thesis"),
                ("institution", "Field University"),
                ("department", "School of Grass"),
                ("year", "2010..2015"),
                ("year", "2020"),
                ("source", "barn"),
                ("collection", "north"),
                ("q", "study OR studie"),
            ]
        ),
        max_size=6,
    )
)
def test_whatever_is_chosen_every_address_finds_what_was_counted(pairs: list[tuple[str, str]]) -> None:
    index = MemoryIndex(sample_entries(60))
    question = read(*pairs)
    for found in count_facets(index, question, ["institution", "department", "language", "type"]):
        for value in found.values:
            if not value.is_selected and found.field not in question.filters:
                assert index.count(follow(value.address).query) == value.count


EVENTS = st.lists(
    st.builds(
        Event,
        period=st.sampled_from(["2001p4", "2002p1"]),
        place=st.sampled_from(["Oslo", "Turku", "Umeå"]),
        intensity=st.sampled_from(["full", "half", None]),
        language=st.sampled_from(["sv", "fi"]),
    ),
    max_size=4,
)


@given(
    st.lists(EVENTS, min_size=1, max_size=8),
    st.sampled_from(["", "event:(period:2002p1)", "event:(period:2002p1 -place:oslo)"]),
    st.sampled_from(
        [(), (("place", "Oslo"),), (("place", "Oslo"), ("place", "Turku"), ("intensity", "full"))]
    ),
)
def test_values_of_events_are_counted_over_the_events_that_have_all_else(
    courses: list[list[Event]], text: str, filters: tuple[tuple[str, str], ...]
) -> None:
    documents = [Document(events=tuple(events)) for events in courses]
    index = MemoryIndex(
        [Entry(number, "s", str(number), (), each, "2014-01-01") for number, each in enumerate(documents, 1)]
    )
    question = read(*([("q", text)] if text else []), *filters)

    def holds(event: Event, *, but: str) -> bool:
        is_in_text = not text or (
            event.period == "2002p1" and ("-place" not in text or event.place != "Oslo")
        )
        wanted = {name: {value for key, value in filters if key == name} for name, _ in filters}
        return is_in_text and all(
            getattr(event, name) in values for name, values in wanted.items() if name != but
        )

    for field, slot in (("place", "place"), ("period", "period"), ("event_language", "language")):
        expected = {
            value: sum(
                any(holds(event, but=field) and getattr(event, slot) == value for event in each.events)
                for each in documents
            )
            for value in {getattr(event, slot) for events in courses for event in events}
        }
        found = {value.value: value.count for value in facet(index, question, field).values if value.count}
        assert found == {value: count for value, count in expected.items() if count}
        for value in facet(index, question, field).values:
            if not value.is_selected and not any(name == field for name, _ in filters):
                assert index.count(follow(value.address).query) == value.count
