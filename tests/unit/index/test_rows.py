"""What a document becomes in the index: the same words and values as everywhere else, and not too many."""

from __future__ import annotations

import json
from base64 import b64encode
from contextlib import suppress
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contracts.index.back_ends import in_one_segment
from tests.contracts.index.chance import libraries
from tests.contracts.index.hay import entry
from tests.oracle.cards import card_of
from tests.thorough import tries
from windrow.errors import StoreError
from windrow.index.protocol import FileSummary, HitSummary
from windrow.index.tantivy.damage import _describe_error
from windrow.index.tantivy.layout import (
    CORE,
    CORE_FIELDS,
    CORE_LETTER,
    FACTS,
    FILLER,
    LONG_STEMS,
    POSITIONED,
    STEM_PLACES,
    STEMS,
    DamagedCard,
    encode,
    encode_ascii,
    event_token,
    event_value,
    fact_field,
    fact_token,
    fact_value,
    identifier_token,
    unpack,
)
from windrow.index.tantivy.row_pieces import LONGEST_FILE, LONGEST_TEXT, Row
from windrow.index.tantivy.rows import MOST_EVENTS, Entry, day_of, facts_of, row_of, written_rows
from windrow.model.document import Agent, Document, Event, HeldFile, Identifier, Link, LinkKind, Subject, Text
from windrow.model.document_view import DocumentView
from windrow.model.query import Everything, Phrase, Word
from windrow.model.text.folding import fold
from windrow.model.text.word_forms import stem_words


@settings(max_examples=tries(60), deadline=None)
@given(libraries(most=1))
def test_a_row_has_the_words_stems_and_facts_of_its_document(entries: list[Entry]) -> None:
    (one,) = entries
    row, view = row_of(one), DocumentView(one.document, identifier=one.identifier)
    # Subjects that stand in for keywords are asked for as subjects, and not written twice.
    views = {} if one.document.keywords else {"keyword": DocumentView(Document())}
    for name in POSITIONED:
        words = [word for word in str(row.get(name, "")).split() if word != FILLER]
        assert words == [word for sequence in views.get(name, view).sequences(name) for word in sequence]
    stems = _terms(row, STEMS)
    year = {str(one.document.year)} - {"None"}
    assert _terms(row, CORE) - year == frozenset().union(*map(view.words, CORE_FIELDS)) - year
    for name, place in LONG_STEMS.items():
        assert _terms(row, place) == view.stems(name)
    for name, letters in STEM_PLACES.items():
        assert {stem[1:] for stem in stems if stem[0] in letters} == views.get(name, view).stems(name)
    shared = {stem[1:] for stem in stems if stem[0] == CORE_LETTER}
    assert shared == frozenset().union(*map(view.stems, CORE_FIELDS))
    for name in FACTS:
        tokens = row.get(fact_field(name), [])
        assert isinstance(tokens, list)
        assert tuple(map(fact_value, tokens)) == facts_of(one)[name]


@settings(max_examples=tries(60), deadline=None)
@given(libraries(most=5))
def test_what_is_written_for_tantivy_is_the_row(entries: list[Entry]) -> None:
    for one, text in zip(entries, written_rows(entries), strict=True):
        row, written = row_of(one), json.loads(text)
        row["card"] = b64encode(cast("bytes", row["card"])).decode()
        assert written.keys() == row.keys()
        for name, value in row.items():
            assert written[name] == value or [written[name]] == value


def _terms(row: Row, field: str) -> set[str]:
    return set(str(row.get(field, "")).split())


@given(st.text())
def test_a_term_gives_its_value_back_and_begins_with_its_folded_letters(value: str) -> None:
    value = value.replace("\x1f", "")
    assert fact_value(fact_token(value)) == value
    assert fact_token(value).startswith(fold(value))


@given(st.text(st.characters(exclude_characters="\x1f"), min_size=1, max_size=50))
def test_what_a_slot_holds_comes_back_but_for_idle_space(value: str) -> None:
    assert event_value(event_token("a", value)) == " ".join(value.split())
    assert not any(letter in event_token("a", value) for letter in " \t\n\r\f")


@given(
    st.builds(
        HitSummary,
        st.integers(0, 1 << 40),
        st.text(),
        st.text(),
        st.text(),
        st.lists(st.text()).map(tuple),
        st.none() | st.integers(),
        description=st.text(),
        keywords=st.lists(st.text()).map(tuple),
        file=st.none() | st.builds(FileSummary, st.text(), st.integers(0), st.booleans(), st.booleans()),
    )
)
def test_a_card_comes_back_as_it_was(card: HitSummary) -> None:
    assert unpack(encode(card)) == card


@given(
    st.binary()
    | st.text(st.sampled_from('1[]{},"\\')).map(str.encode)
    | st.sampled_from([b"[1,2,[3]]", b'[1,"a","\xff"]', b"[" * 100_000])
)
def test_what_is_no_card_is_told_as_damage(packed: bytes) -> None:
    with suppress(DamagedCard):
        assert isinstance(unpack(packed), HitSummary)
    told = _describe_error(DamagedCard("a card in it is damaged"))
    assert isinstance(told, StoreError)


class Odd(str):
    """A text of a class of its own, as lxml gives them."""


def test_what_records_share_is_written_in_ascii_and_read_as_it_was() -> None:
    value = {"unit": ["Åbo › Språk", "言語 \U0001f600"], "set": "col_1"}
    written = encode_ascii(value)
    assert written.isascii()
    assert json.loads(written) == value
    assert json.loads(encode_ascii({"unit": "half \ud83d"})) == {"unit": "half \ufffd"}


def test_texts_of_any_class_and_halves_of_letters_are_indexed() -> None:
    file = HeldFile("hay.txt", Odd("text/plain"), 1, "")
    odd = Document(
        titles=(Text(Odd("hay \ud800 straw"), Odd("en")),),
        creators=(Agent(Odd("Mower\udc80")),),
        subjects=(Subject(Odd("oats\ud800")),),
        descriptions=(Text(Odd("drying \ud83d\ude00 \udc80 hay"), Odd("en")),),
        publishers=(Odd("Barn \ud800"),),
        languages=(Odd("en"),),
        links=(Link(Odd("https://hay.example/\ud800"), LinkKind.LANDING),),
        file=file,
    )
    index = in_one_segment([entry(1, odd)])
    assert index.count(Phrase(("drying", "hay"))) == 1
    card = index.search(Word("straw")).hits[0].card
    assert (card.title, card.description) == ("hay \ufffd straw", "drying \U0001f600 \ufffd hay")


@given(st.text(st.sampled_from("ab \t\n\xa0\u3000\u2028\xad")) | st.text())
def test_a_description_is_shown_without_idle_space(text: str) -> None:
    shown = card_of(Entry(1, "hay", "1", (), Document(descriptions=(Text(text),)))).description
    assert shown == " ".join(text.split())


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("978-951-0-12345-6", "9789510123456"),
        ("1234-567X", "1234567x"),
        ("10.1000/HAY-1", "10.1000/hay-1"),
        ("https://Hay.example/Ä", "https://hay.example/a"),
    ],
)
def test_identifiers_are_kept_as_they_are_compared(written: str, kept: str) -> None:
    assert identifier_token(written) == kept


def test_days_sort_as_their_dates_do() -> None:
    dates = ["2013-12-31", "2014", "2014-05", "2014-05-12", "2014-06"]
    assert sorted(dates, key=day_of) == dates


def test_a_hostile_document_is_cut_and_still_found() -> None:
    long = "hay " * 400_000
    document = Document(
        titles=(Text("x" * 100_000), Text(long)),
        creators=tuple(Agent(f"Mower, {number}") for number in range(3000)),
        subjects=tuple(Subject(f"topic {number}") for number in range(3000)),
        descriptions=(Text(long), Text("\x00\x1f\x01 straw \ud7ff \U0010ffff")),
        names=(Identifier("url", "u" * 100_000),),
        year=-(10**30),
        pages=10**30,
        events=(Event(place="Oslo " * 5000),) * 2000,
    )
    row = row_of(entry(1, document))
    assert max(len(str(value)) for key, value in row.items() if key != "events") <= LONGEST_TEXT + 1000
    assert str(row["events"]).count("a=") == MOST_EVENTS
    index = in_one_segment([entry(1, document)])
    assert index.count(Word("hay")) == 1
    assert index.count(Phrase(("hay", "straw"))) == 0
    assert index.search(Everything()).hits[0].card == card_of(entry(1, document))


def test_the_text_of_a_file_is_searched_as_far_as_it_goes() -> None:
    long = "hay " * (LONGEST_FILE // 4)
    file = HeldFile("hay.txt", "text/plain", 1, "", text=(long, "straw"))
    row = row_of(entry(1, Document(file=file)))
    assert str(row["text"]).startswith("hay hay")
    assert "straw" not in str(row["text"])
    assert row["text_stems"] == " ".join(stem_words("hay"))
    assert not {"text", "text_stems", "size", "fact_media"} & row_of(entry(1, Document())).keys()
