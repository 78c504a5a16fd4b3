"""Which documents a query asks for."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.formats.documents import documents
from tests.unit.model.queries import queries
from windrow.model.document import (
    Agent,
    Document,
    DocumentDate,
    Event,
    HeldFile,
    Identifier,
    Link,
    LinkKind,
    Subject,
    Text,
)
from windrow.model.matching import matches
from windrow.model.query import FIELDS, And, Everything, Not, Or, Phrase, Query, Range, SameEvent, Value, Word
from windrow.protocols.query.query_parser import parse_query

HAY = Document(
    titles=(Text("Drying hay in the Älvdalen valley"), Text("E-mail from a field")),
    creators=(Agent("Mower, Ann"), Agent("Bø, Łukasz")),
    contributors=(Agent("Rake, Bo"),),
    subjects=(Subject("Meadows -- Sweden"),),
    keywords=("haymaking", "geography"),
    descriptions=(Text("The first sentence. And the second one says more about straw."),),
    publishers=("Barn Press",),
    dates=(DocumentDate("2014-05-03", "issued"), DocumentDate("20150101"), DocumentDate("spring")),
    year=2014,
    types=("Doctoral thesis",),
    languages=("sv", "en"),
    pages=80,
    links=(Link("https://hay.example/record?id=7", LinkKind.LANDING, None, "text/html"),),
    names=(Identifier("doi", "10.1234/Hay"), Identifier("isbn", "978-951-51-0000-1")),
    rights=("Freely available", "CC BY 4.0"),
    sources=("Journal of Hay 7",),
    relations=("Part two",),
    institution="Field University",
    department="School of Grass",
    extra={"dc:format": ("80 pages",), "doc:Shelf": ("B 7",)},
    collections=("Doctoral theses",),
    prerequisites=("Raking",),
    exams=("Master of Hay",),
    professions=("Mower",),
    file=HeldFile(
        path="letters/2014/may.pdf",
        media_type="application/pdf",
        size=12_345,
        sha256="0" * 64,
        text=("Dear Ann, the barns are full.", "", "Rain came over the stubble, and all was wet."),
        is_paged=True,
        facts=(("camera", "Meadowflex 7"), ("note", "unheard of")),
    ),
)


def is_found(text: str) -> bool:
    parsed = parse_query(text)
    assert parsed.mistakes == ()
    return matches(parsed.query, HAY, source="barn", sets=("theses:phd", "open"), identifier="oai:barn:7")


@pytest.mark.parametrize(
    "text",
    [
        "*",
        "hay",
        "HAY",
        "alvdalen",
        "ÄLVDALEN",
        "title:hay",
        "title:valley creator:mower",
        "stubble",
        "barn full",
        "text:barn",
        '"dear ann"',
        "text:stub*",
        'text:"rain wet"~10',
        "folder:letters",
        "folder:LETTERS/2014",
        "path:letters",
        "folder=letters",
        'folder="letters/2014"',
        "size:12345",
        "size:10000..20000",
        "size:..12345",
        'size="10000..99999"',
        "media:application/pdf",
        "format:pdf",
        "mime:*pdf",
        'extra:"camera=meadowflex 7"',
        'extra="shelf=B 7"',
        'extra="contributor=Rake, Bo"',
        "initial:d",
        "lukasz",
        "bo",
        '"drying hay"',
        '"hay drying" OR hay',
        '"hay drying"~1',
        '"drying valley alvdalen"~4',
        '"drying valley"~4',
        '"first straw"~8',
        "e-mail",
        "email OR e-mail",
        "creator:mower, ann",
        'creator:"Mower, Ann"',
        "subject:meadows",
        "subject:haymaking",
        "keyword:geography",
        "geo*",
        "*making",
        "h?y",
        "me*ow*",
        "title:e-ma*",
        "valey~1",
        "vlaley~1",
        "haymakin~",
        "year:2014",
        "year:2010..2014",
        "year:2014..",
        "year:>2013",
        "year:201*",
        "2014",
        "pages:50..100",
        "date:2014-05-03",
        "date:2014-05",
        "date:2014",
        "date:2015-01-01",
        "date:2014-04..2014-05",
        "date:2014-05-03..2014",
        "language:sv",
        "lang:EN",
        "type:thesis",
        "-straw OR title:hay",
        "NOT oats",
        "doi:10.1234/hay",
        "10.1234/hay",
        "isbn:9789515100001",
        "isbn:978-951510000-1",
        "identifier:10.1234/*",
        "https://hay.example/record?id=7",
        "id:oai:barn:7",
        "oai:barn:7",
        "source:barn",
        "set:open",
        "set:theses",
        "set:theses:phd",
        "institution:field department:grass",
        "journal:hay rights:freely relation:part",
        "format:html",
        "title:*",
        "title:[c..f]",
        'institution="Field  University"',
        'title="Drying hay in the A\u0308lvdalen valley"',
        'creator="Mower, Ann" keyword=haymaking',
        'subject="Meadows -- Sweden" subject=haymaking',
        "year=2014 pages=80 language=sv source=barn",
        "set=theses set=theses:phd",
        "date=2014-05-03",
    ],
)
def test_this_finds_the_document(text: str) -> None:
    assert is_found(text)


@pytest.mark.parametrize(
    "text",
    [
        "-*",
        "oats",
        "ha",
        "title:straw",
        "keyword:meadows",
        '"hay drying"',
        '"hay valley"',
        '"hay valley"~2',
        '"field drying"',  # of two titles
        '"field drying"~9',
        '"drying alvdalen valley"~2',
        "example",  # addresses are compared as a whole
        "valley -hay",
        "hay oats",
        "oats OR barley",
        "geo?",
        "alley~0",
        "vallllley~",
        "yeah*",
        "year:2015",
        "year:2015..",
        "year:..2013",
        "year:<2014",
        "year:{2014..2020]",
        "pages:81..",
        "date:2014-06",
        "date:2014-05-04..2014",
        "date:2016..",
        "language:fi",
        "lang:e",
        "doi:10.1234",
        "isbn:9789515100002",
        "source:bar",
        "set:these",
        "set:phd",
        "place:*",
        "event:(hay)",
        "title:[g..h]",
        "title:[c..drying]",
        'institution="field university"',
        '"full dear"',
        '"full rain"',
        "text:mower",
        "folder:lett",
        "folder:may.pdf",
        "folder:2014",
        "size:1234",
        "size:20000..",
        'size="0..9999"',
        "media:pdf",
        "extra:camera",
        "extra:note=*",
        "initial:e",
        "institution=Field",
        "title=hay",
        "set=these",
        "set=phd",
        "date=2014",
    ],
)
def test_this_does_not_find_it(text: str) -> None:
    assert not is_found(text)


LACKING = {"missing"}  # what holds something only where something else does not


@pytest.mark.parametrize(
    "name", [name for name, field in FIELDS.items() if not field.is_of_event and name not in LACKING]
)
def test_every_field_of_a_full_document_has_a_value(name: str) -> None:
    assert is_found(f"{name}:*")


@pytest.mark.parametrize("name", [name for name in FIELDS if name not in LACKING])
def test_no_field_of_an_empty_document_has_one(name: str) -> None:
    assert not matches(Word("*", name, is_pattern=True), Document())


def test_a_word_of_signs_only_finds_nothing() -> None:
    assert not matches(Word("++"), HAY)
    assert not matches(Phrase(()), HAY)


@settings(deadline=None)
@given(query=queries(), document=documents())
def test_any_query_has_an_answer_for_any_document_and_not_turns_it_around(
    query: Query, document: Document
) -> None:
    found = matches(query, document)
    assert matches(Not(query), document) is not found
    assert matches(And((query, Everything())), document) is found
    assert matches(Or((query, Not(Everything()))), document) is found


@pytest.mark.parametrize(
    ("word", "is_same"),
    [("Straße", True), ("STRASSE", True), ("strasse", True), ("Strase", False)],
)
def test_words_are_compared_folded(word: str, is_same: bool) -> None:
    assert matches(Word(word), Document(titles=(Text("straße"),))) is is_same


def test_scripts_with_vowel_signs_keep_their_words_whole() -> None:
    document = Document(titles=(Text("हिन्दी पुस्तक"),))
    assert matches(Word("हिन्दी"), document)
    assert not matches(Word("ह"), document)


def test_the_points_of_hebrew_do_not_count() -> None:
    document = Document(titles=(Text("שָׁלוֹם"),))
    assert matches(Word("שלום"), document)


@pytest.mark.parametrize("pattern", ["*a" * 200, "?" * 300, "*?a" * 100 + "b", "a" * 400])
def test_no_pattern_takes_for_ever(pattern: str) -> None:
    # Were it worse than the product of the two lengths, this would not come back.
    document = Document(titles=(Text("a" * 100_000),), names=(Identifier("local", "a" * 100_000),))
    assert matches(Word(pattern, is_pattern=True), document) in (True, False)
    assert not matches(Word("b" + pattern, is_pattern=True), document)


def test_a_phrase_of_patterns_is_judged_in_one_walk() -> None:
    # Were it the product of the two lengths, this would not come back.
    document = Document(descriptions=(Text("hay " * 200_000),))
    assert matches(Word("-".join(["h*"] * 200), is_pattern=True), document)
    assert not matches(Word("-".join(["h*"] * 200) + "-s*", is_pattern=True), document)


def test_a_phrase_of_one_word_repeated_is_judged_in_a_text_of_that_word() -> None:
    document = Document(descriptions=(Text("hay " * 20_000),))
    assert matches(Phrase(("hay",) * 50, slop=3), document)
    assert not matches(Phrase((*("hay",) * 49, "straw"), slop=3), document)


@settings(deadline=None)
@given(
    words=st.lists(st.sampled_from("abc"), max_size=8),
    phrase=st.lists(st.sampled_from("abc"), min_size=1, max_size=3),
)
def test_a_phrase_stands_where_a_plain_search_finds_it(words: list[str], phrase: list[str]) -> None:
    document = Document(titles=(Text(" ".join(words)),))
    is_there = any(words[start : start + len(phrase)] == phrase for start in range(len(words)))
    assert matches(Phrase(tuple(phrase), "title"), document) is is_there


@settings(deadline=None)
@given(
    words=st.lists(st.sampled_from("abcx"), max_size=9),
    phrase=st.lists(st.sampled_from("abc"), min_size=2, max_size=3),
    slop=st.integers(1, 4),
)
def test_words_of_a_loose_phrase_lie_near_the_next_one_in_either_order(
    words: list[str], phrase: list[str], slop: int
) -> None:
    document = Document(titles=(Text(" ".join(words)),))
    near = {
        (one, other)
        for here, one in enumerate(words)
        for there, other in enumerate(words)
        if here != there and abs(here - there) - 1 <= slop
    }
    assert matches(Phrase(tuple(phrase), "title", slop), document) is (set(pairwise(phrase)) <= near)


def test_a_loose_phrase_is_looser_in_long_texts_than_in_short_ones() -> None:
    text = "hay " + "x " * 30 + "straw"
    phrase = Phrase(("hay", "straw"), slop=50)
    assert matches(phrase, Document(titles=(Text(text),)))
    assert not matches(phrase, Document(publishers=(text,)))


@settings(deadline=None)
@given(
    low=st.none() | st.integers(1990, 2020),
    high=st.none() | st.integers(1990, 2020),
    year=st.integers(1990, 2020),
)
def test_a_range_of_years_is_what_numbers_say(low: int | None, high: int | None, year: int) -> None:
    query = Range("year", None if low is None else str(low), None if high is None else str(high))
    assert matches(query, Document(year=year)) is ((low or 0) <= year <= (9999 if high is None else high))


COURSE = Document(
    titles=(Text("Haymaking"),),
    languages=("en",),
    events=(
        Event("1", period="autumn 2024", place="Haytown", intensity="full time", language="sv", time="day"),
        Event(
            "2", period="spring 2025", place="Ängsby", intensity="half time", language="fi", kind="lecture"
        ),
    ),
)


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("place:haytown period:spring", True),  # some event each
        ("event:(place:haytown period:spring)", False),
        ("event:(place:haytown period:autumn)", True),
        ("event:(haytown autumn)", True),
        ("event:(haytown spring)", False),
        ("event:(place:angs* lecture)", True),
        ('event:("half time" kind:lecture)', True),
        ('event:(place="Ängsby" language:fi)', True),
        ('place="Ängsby"', True),
        ("place=angsby", False),
        ("event:(place:haytown language:en)", False),  # of the document, not of the event
        ("event:(language:sv) language:en", True),
        ("event:(autumn -place:haytown)", False),
        ("event:(-place:haytown)", True),  # the other one
        ("-event:(place:haytown)", False),
        ("-place:oslo", True),
        ("event:(haytown OR oslo) -event:(haytown spring)", True),
        ("event:(title:haymaking)", False),
        ("event:haymaking", False),
        ("lecture", False),  # a word without a field is looked for in the document, and among places
        ("event:(*)", True),
        ("event:(event:(haytown) autumn)", True),
        ("time:day intensity:full", True),
        ("event:(time:*)", True),
        ("event:(kind:* place:haytown)", False),
    ],
)
def test_conditions_on_events_hold_for_the_same_event(text: str, is_found: bool) -> None:
    parsed = parse_query(text)
    assert parsed.mistakes == ()
    assert matches(parsed.query, COURSE) is is_found


def test_a_document_without_events_has_none_that_fits() -> None:
    assert not matches(SameEvent(Everything()), HAY)
    assert not matches(SameEvent(Not(Word("oslo"))), HAY)
    assert matches(Not(SameEvent(Everything())), HAY)


@pytest.mark.parametrize("name", [name for name, field in FIELDS.items() if field.is_of_event])
def test_every_field_of_events_can_be_asked_for_in_both_ways(name: str) -> None:
    document = Document(events=(Event(**{name: "Hay"}),))
    for query in (Word("hay", name), Value("Hay", name), Phrase(("hay",), name)):
        assert matches(query, document)
        assert matches(SameEvent(query), document)
        assert not matches(query, Document(events=(Event("hay"),)))
