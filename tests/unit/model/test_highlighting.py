"""What is marked in a text that was found."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.model.queries import queries
from windrow.model.document import Document, Text
from windrow.model.matching import matches
from windrow.model.query import Phrase, Query, Word
from windrow.model.text.folding import folded_words
from windrow.model.text.highlighting import find_places, highlights, located_words
from windrow.protocols.query.query_parser import parse_query

TEXT = "The Älvdalen hay: cars, nurses and Straße; hay-making in e-mail."


def marked(text: str, query: str, *, field: str = "title", language: str | None = "en") -> list[str]:
    spans = highlights(text, parse_query(query).query, field=field, language=language)
    return [text[start:end] for start, end in spans]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("hay", ["hay", "hay"]),
        ("alvdalen", ["Älvdalen"]),
        ("STRASSE", ["Straße"]),
        ("car", ["cars"]),
        ("nursing", ["nurses"]),
        ('"car"', []),
        ('"hay cars"', ["hay: cars"]),
        ('"hay cars" hay', ["hay: cars", "hay"]),
        ('"cars hay"~1', ["hay", "cars"]),
        ('"making cars"~1', []),
        ("nur*", ["nurses"]),
        ("n?rses", ["nurses"]),
        ("mkaing~1", ["making"]),
        ("e-mail", ["e-mail"]),
        ("title:hay description:cars", ["hay", "hay"]),
        ("creator:hay", []),
        ("-hay cars", ["cars"]),
        ("cars OR (nurses NOT hay)", ["cars", "nurses"]),
        ("event:(hay)", []),
        ("year:2014 title=hay", []),
        ("*", []),
        ("", []),
    ],
)
def test_what_was_asked_for_is_marked(query: str, expected: list[str]) -> None:
    assert marked(TEXT, query) == expected


def test_names_have_no_other_forms() -> None:
    assert marked("Rakes, Ann", "rake", field="creator") == []
    assert marked("Rakes, Ann", "ann", field="creator") == ["Ann"]


def test_keywords_are_marked_as_the_subjects_that_they_are_searched_as() -> None:
    assert marked("haymaking", "subject:haymaking", field="keyword") == ["haymaking"]
    assert marked("haymaking", "keyword:haymaking", field="subject") == []


def test_a_condition_on_one_event_is_marked_in_the_fields_of_events() -> None:
    assert marked("Haytown", "event:(place:haytown autumn)", field="place") == ["Haytown"]


def test_accents_that_stand_behind_their_letters_are_marked_with_them() -> None:
    text = "A\u0308ngar and hay\u0301."
    assert marked(text, "ängar hay") == ["A\u0308ngar", "hay\u0301"]


@pytest.mark.parametrize("text", ["hay " * 50_000, "h" * 200_000, "ä" * 200_000, "½ﬁ™ " * 40_000])
def test_a_very_long_text_is_marked_as_far_as_it_is_looked_at(text: str) -> None:
    # Were it worse than linear, this would not come back.
    query = parse_query(
        'hay "hay hay hay" "hay hay"~50 h* hey~ ' + " ".join(f"x{n}" for n in range(500))
    ).query
    spans = highlights(text, query, field="description")
    assert all(end <= 100_000 for _, end in spans)


def test_a_word_is_marked_over_what_cannot_be_seen_in_it() -> None:
    text = "Some infor\u00admation, in\u200bformation."
    assert highlights(text, parse_query("information").query, field="title") == [(5, 17), (19, 31)]


_LETTERS = st.sampled_from("abhyÄäßéøﬁ½日ह\u0308\u00ad\u200b _-.,'7")


@settings(deadline=None)
@given(text=st.text(_LETTERS))
def test_words_are_located_as_they_are_compared(text: str) -> None:
    located = located_words(text)
    assert [word.word for word in located] == folded_words(text)
    for word in located:
        assert word.word in folded_words(text[word.start : word.end])


@settings(deadline=None)
@given(text=st.text(st.sampled_from("abBhÄäåéÉüK’–… _-.,'7")) | st.text(_LETTERS) | st.text())
def test_the_places_of_some_words_are_where_these_are_located(text: str) -> None:
    located = located_words(text)
    wanted = {word.word for word in located[::2]}
    assert find_places(wanted, text) == [(word.start, word.end) for word in located if word.word in wanted]


@settings(deadline=None)
@given(text=st.text())
def test_any_text_has_its_words_in_order(text: str) -> None:
    located = located_words(text)
    assert all(0 <= word.start < word.end <= len(text) for word in located)
    assert all(one.start <= other.start for one, other in pairwise(located))


@settings(deadline=None)
@given(
    text=st.text(_LETTERS) | st.text(),
    query=queries(),
    field=st.sampled_from(["title", "creator", "keyword", "year"]),
)
def test_marks_are_in_order_and_never_overlap(text: str, query: Query, field: str) -> None:
    end = 0
    for low, high in highlights(text, query, field=field):
        assert end <= low < high <= len(text)
        end = high


@settings(deadline=None)
@given(
    words=st.lists(st.sampled_from(["hay", "cars", "car", "Äng", "autot", "mow"]), max_size=6),
    leaf=st.builds(
        Word, st.sampled_from(["hay", "car", "äng", "auto", "h*", "xyz"]), is_pattern=st.booleans()
    )
    | st.builds(Word, st.sampled_from(["hxy", "crs", "ing"]), edits=st.integers(1, 2))
    | st.builds(
        Phrase,
        st.lists(st.sampled_from(["hay", "cars", "ang"]), min_size=1, max_size=3).map(tuple),
        slop=st.just(0),
    )
    | st.builds(Phrase, st.tuples(*[st.sampled_from(["hay", "cars", "ang"])] * 2), slop=st.integers(0, 3)),
)
def test_something_is_marked_just_where_something_matches(words: list[str], leaf: Word | Phrase) -> None:
    text = " ".join(words)
    is_found = matches(leaf, Document(titles=(Text(text),)))
    assert bool(highlights(text, leaf, field="title")) is is_found
