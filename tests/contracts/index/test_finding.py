"""What a query finds, in which order, page by page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tests.contracts.index.hay import LIBRARY, entry
from tests.oracle.cards import card_of
from windrow.errors import UsageError
from windrow.index.protocol import MAX_OFFSET, Index, Order
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Document, Event, Text
from windrow.model.query import Everything, Range
from windrow.protocols.query.query_parser import parse_query

Make = Callable[[Sequence[Entry]], Index]


def found(index: Index, text: str) -> list[int]:
    parsed = parse_query(text)
    assert not parsed.mistakes
    return [hit.card.number for hit in index.search(parsed.query, order=Order.NUMBER).hits]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hay", [1, 2]),
        ("HAY", [1, 2]),
        ("title:hay", [1]),
        ("keyword:agriculture", [2]),  # 1 has keywords of its own; 2 has subjects alone
        ('keyword:"heinä"', [3]),
        ("keyword:grass", [1]),
        ("keyword:*", [1, 2, 3]),
        ("keyword:[a..b]", [2]),
        ("-keyword:agriculture", [1, 3, 4]),
        ("heina", [3]),  # without its dots
        ("meadow", [1]),
        ("meadows title:meadow", [1]),
        ("machine", [2]),  # "machines" in another form
        ('"machine"', []),  # but not in quotation marks
        ('"drying hay"', [1]),
        ('"hay drying"', []),
        ('"hay drying"~1', [1]),
        ('creator:"Mower, Ann"', [1]),
        ('creator:"ann mower"', [1]),
        ('"Ann Mower"', [1]),
        ('-"Ann Mower"', [2, 3, 4]),
        ('title:"Ann Mower"', []),
        ("mow*", [1, 2]),
        ("m?wer", [1, 2]),
        ("mowre~1", [1, 2]),
        ("hay -mower", []),
        ("hay OR heinä", [1, 2, 3]),
        ("-hay", [3, 4]),
        ("year:2011..", [1, 3]),
        ("date:2014-05", [1]),
        ("pages:[100..]", [2]),
        ("set:theses", [1, 3]),
        ("set:theses:phd", [1]),
        ("source:field", [3, 4]),
        ("isbn:9789510123456", [1]),
        ("oai\\:field.example\\:3", [3]),
        ('institution="Field University"', [1, 3]),
        ('institution="field university"', []),
        ("department:*", [1, 3]),
        ("language:en", [1, 2]),
        ("language:English", [1, 2]),
        ("lang:englanti", [1, 2]),
        ("language:eng", [1, 2]),
        ('language:"Suomi"', [3]),
        ("language:hay", []),
        ("event:(place:Oslo period:autumn)", [1]),
        ("event:(place:Oslo period:spring)", []),
        ("place:Oslo period:spring", [1]),
        ("event:(-place:Oslo)", [1]),
        ("*", [1, 2, 3, 4]),
        ("nobody", []),
    ],
)
def test_a_query_finds_what_it_asks_for(make_index: Make, text: str, expected: list[int]) -> None:
    index = make_index(LIBRARY)
    assert found(index, text) == expected
    assert index.count(parse_query(text).query) == len(expected)


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("fi", "kauppa kaupan kauppoja"),
        ("fi", "yö yön öitä"),
        ("sv", "bok böcker böckerna"),
        ("sv", "ung ungt yngre"),
        ("en", "thesis theses"),
        ("en", "colour color colours"),
    ],
)
def test_an_irregular_word_finds_all_its_forms(make_index: Make, language: str, forms: str) -> None:
    words = forms.split()
    texts = [Text(word, known) for word in words for known in (language, None)]
    index = make_index([entry(number, Document(titles=(text,))) for number, text in enumerate(texts, 1)])
    for word in words:
        assert found(index, word) == found(index, f"title:{word}") == list(range(1, len(texts) + 1))


@pytest.mark.parametrize("text", ["information", "infor\u00admation", '"some information"', "inform*"])
def test_a_word_is_found_over_what_cannot_be_seen_in_it(make_index: Make, text: str) -> None:
    titles = ("Some infor\u00admation", "Some in\u200bfor\u200bmation", "Some information", "Infor mation")
    index = make_index(
        [entry(number, Document(titles=(Text(title),))) for number, title in enumerate(titles)]
    )
    assert found(index, text) == [0, 1, 2]


def test_a_hit_has_the_whole_card(make_index: Make) -> None:
    (hit,) = make_index(LIBRARY).search(parse_query("title:drying").query).hits
    assert hit.card == card_of(LIBRARY[0])
    assert hit.score > 0


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (Order.NEWEST, [3, 1, 2, 4]),
        (Order.OLDEST, [2, 1, 3, 4]),
        (Order.TITLE, [1, 3, 2, 4]),
        (Order.PAGES, [2, 1, 4, 3]),
        (Order.ADDED, [4, 3, 2, 1]),
        (Order.NUMBER, [1, 2, 3, 4]),
    ],
)
def test_documents_come_in_the_order_that_was_asked_for(
    make_index: Make, order: Order, expected: list[int]
) -> None:
    index = make_index(LIBRARY)
    assert [hit.card.number for hit in index.search(Everything(), order=order).hits] == expected
    assert [hit.card.number for hit in index.search(Everything(), order=order, offset=2).hits] == expected[2:]


def test_titles_come_in_the_order_of_their_letters_whatever_stands_before_them(make_index: Make) -> None:
    titles = ["“Hay and oats”", "Barley", "[Straw]", "…", "¿Hay?", "(1) Rakes", "hay"]
    entries = [entry(number, Document(titles=(Text(title),))) for number, title in enumerate(titles, 1)]
    index = make_index(entries)
    ordered = [hit.card.title for hit in index.search(Everything(), order=Order.TITLE).hits]
    assert ordered == ["…", "(1) Rakes", "Barley", "hay", "“Hay and oats”", "¿Hay?", "[Straw]"]
    for low in ("h", "“H"):
        hits = index.search(Range("title", low, "i"), order=Order.NUMBER).hits
        assert [hit.card.number for hit in hits] == [1, 5, 7]


def test_a_whole_title_is_found_however_long_it_is(make_index: Make) -> None:
    long = "Hay meadows and their flowers from the coast to the mountains of the north"
    titles = [long, f"{long} east", long[:44], "Hay"]
    entries = [entry(number, Document(titles=(Text(title),))) for number, title in enumerate(titles, 1)]
    index = make_index(entries)
    for title, numbers in ((long, [1]), (long.upper(), [1]), (long[:44], [3]), (long[:50], [])):
        hits = index.search(Range("title", title, title), order=Order.NUMBER).hits
        assert [hit.card.number for hit in hits] == numbers


SWEDISH = ["Zebra", "Åker", "“Äng”", "Ö", "Ale", "Sång", "Sund", "Øre", "Él", "", "Эхо", "Ödla", "åka"]


@pytest.mark.parametrize(
    ("language", "ordered"),
    [
        ("sv", "Ale Él Sund Sång Zebra åka Åker “Äng” Ö Ödla Øre Эхо "),
        ("fi", "Ale Él Sund Sång Zebra åka Åker “Äng” Ö Ödla Øre Эхо "),
        ("en", "åka Åker Ale “Äng” Él Ö Ödla Øre Sång Sund Zebra Эхо "),
        ("", "åka Åker Ale “Äng” Él Ö Ödla Øre Sång Sund Zebra Эхо "),
    ],
)
def test_titles_come_in_the_order_of_the_readers_language(
    make_index: Make, language: str, ordered: str
) -> None:
    entries = [
        entry(number, Document(titles=(Text(title),) if title else ()))
        for number, title in enumerate(SWEDISH, 1)
    ]
    index = make_index(entries)
    found = []
    for offset in range(0, len(SWEDISH), 4):
        page = index.search(Everything(), limit=4, offset=offset, order=Order.TITLE, language=language)
        assert page.total == len(SWEDISH)
        found += [hit.card.title for hit in page.hits]
    assert found == ordered.split(" ")


@pytest.mark.parametrize("order", list(Order))
@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_pages_follow_one_another_to_the_end(make_index: Make, order: Order, limit: int) -> None:
    titles = ["Hay", "hay", "Häy", "Hay and straw", "Hay and oats", "Straw", "", "Hay"]
    entries = [
        entry(number, Document(titles=(Text(title),) if title else (), year=2010 + number % 3))
        for number, title in enumerate(titles * 2, 1)
    ]
    index = make_index(entries)
    whole = index.search(Everything(), limit=100, order=order)
    numbers, after = [], None
    while True:
        page = index.search(Everything(), limit=limit, order=order, after=after)
        assert page.total == len(entries)
        numbers += [hit.card.number for hit in page.hits]
        after = page.next
        if after is None:
            break
    assert numbers == [hit.card.number for hit in whole.hits]
    assert whole.next is None


@pytest.mark.parametrize("order", [Order.TITLE, Order.NEWEST])
def test_pages_go_on_behind_an_offset(make_index: Make, order: Order) -> None:
    entries = [entry(number, Document(titles=(Text("Hay and straw"),))) for number in range(1, 8)]
    index = make_index(entries)
    page = index.search(Everything(), limit=2, offset=3, order=order)
    rest = index.search(Everything(), limit=9, order=order, after=page.next)
    whole = index.search(Everything(), limit=9, order=order)
    assert page.hits + rest.hits == whole.hits[3:]


@pytest.mark.parametrize(
    "after", ["", "7", "newest-2", "relevance-x", "relevance", "title-0", "😀", "x" * 5000]
)
def test_a_page_that_no_page_led_to_is_refused(make_index: Make, after: str) -> None:
    with pytest.raises(UsageError):
        make_index(LIBRARY).search(Everything(), after=after)


def test_an_offset_too_deep_is_refused(make_index: Make) -> None:
    with pytest.raises(UsageError):
        make_index(LIBRARY).search(Everything(), offset=MAX_OFFSET + 1)


def test_an_offset_behind_the_last_gives_no_hits_and_the_total(make_index: Make) -> None:
    page = make_index(LIBRARY).search(Everything(), offset=100)
    assert (page.total, page.hits, page.next) == (4, (), None)


def test_an_empty_index_answers_too(make_index: Make) -> None:
    index = make_index([])
    assert index.search(Everything()).total == 0
    assert index.values("creator") == []
    assert index.complete("hay") == []
    assert index.correct("meadow") is None
    assert index.similar(1) == ()


def test_alternatives_for_one_part_of_an_event_are_one_condition(make_index: Make) -> None:
    asked = {
        "event:(period:2002p1 (kind:bunden OR kind:sommar))": [1, 3],  # all kinds there are, and not none
        "event:(period:2003p1 (kind:bunden OR kind:sommar) -place:p2)": [],
        "event:(period:2002p1 (place:p1 OR place:p2 OR kind:sommar))": [1, 3],
        "event:(period:2002p1 (place:p1 OR place:p299))": [1, 2],
    }
    events = (
        (Event(period="2002p1", kind="bunden", place="p1"),),
        (Event(period="2002p1", place="p299"), Event(period="2003p1")),
        (Event(period="2002p1", kind="sommar"), Event(period="2003p1", kind="bunden", place="p2")),
    )
    index = make_index([entry(number, Document(events=each)) for number, each in enumerate(events, 1)])
    assert {text: found(index, text) for text in asked} == asked


def test_a_part_of_an_event_that_may_be_anything_is_no_condition(make_index: Make) -> None:
    events = (
        (Event(period="2002p1", kind="bunden"),),
        (Event(period="2002p1", kind="sommar"), Event(period="2003p1", kind="bunden")),
        (Event(period="2003p1", kind="bunden"),),
    )
    index = make_index([entry(number, Document(events=each)) for number, each in enumerate(events, 1)])
    assert found(index, "event:(period:2002p1 (kind:bunden OR kind:sommar))") == [1, 2]
    assert found(index, "event:(kind:bunden OR kind:sommar)") == [1, 2, 3]
