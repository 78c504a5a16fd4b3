"""The query language for people: what a text means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.model.queries import queries
from windrow.model.query import (
    FIELDS,
    NOTHING,
    And,
    AtLeast,
    Everything,
    Not,
    Or,
    Phrase,
    Query,
    Range,
    SameEvent,
    Value,
    Word,
)
from windrow.protocols.query.mistakes import Remedy
from windrow.protocols.query.query_parser import LONGEST_QUERY, MOST_SCANS, parse_query
from windrow.protocols.query.query_tokens import DEEPEST

HAY, STRAW, OATS = Word("hay"), Word("straw"), Word("oats")

MEANINGS: list[tuple[str, Query]] = [
    ("", Everything()),
    ("  \n ", Everything()),
    ("*", Everything()),
    ("*:*", Everything()),
    ("hay", HAY),
    ("hay straw", And((HAY, STRAW))),
    ("hay AND straw", And((HAY, STRAW))),
    ("hay and straw", And((HAY, Word("and"), STRAW))),
    ("hay OR straw", Or((HAY, STRAW))),
    ("hay OR straw oats", Or((HAY, And((STRAW, OATS))))),
    ("(hay OR straw) oats", And((Or((HAY, STRAW)), OATS))),
    ("(hay (straw (oats)))", And((HAY, STRAW, OATS))),
    ("(hay straw oats)~2", AtLeast(2, (HAY, STRAW, OATS))),
    ("title:(hay straw oats)~2", AtLeast(2, tuple(Word(word, "title") for word in ("hay", "straw", "oats")))),
    ("(hay straw)~1", Or((HAY, STRAW))),
    ("(hay straw)~2", And((HAY, STRAW))),
    ("NOT hay", Not(HAY)),
    ("straw -hay", And((STRAW, Not(HAY)))),
    ("straw NOT hay OR oats", Or((And((STRAW, Not(HAY))), OATS))),
    ("-(hay OR straw)", Not(Or((HAY, STRAW)))),
    ('-"hay straw"', Not(Phrase(("hay", "straw")))),
    ("NOT NOT hay", HAY),
    ("+hay +straw", And((HAY, STRAW))),
    ("hay - straw", And((HAY, STRAW))),
    ("hay(straw)-oats", And((HAY, STRAW, OATS))),
    ("“hay”-straw", And((Phrase(("hay",)), STRAW))),
    ("(hay)+straw", And((HAY, STRAW))),
    ("(-hay) --straw", And((Not(HAY), STRAW))),
    ("hay & straw, oats.", And((HAY, STRAW, OATS))),
    ("e-mail C++ C#", And((Word("e-mail"), Word("C++"), Word("C#")))),
    ("hay hay", HAY),
    ('"Hay and straw"', Phrase(("Hay", "and", "straw"))),
    ("“hay straw”", Phrase(("hay", "straw"))),
    ("«hay straw»", Phrase(("hay", "straw"))),
    ('"hay straw"~5', Phrase(("hay", "straw"), slop=5)),
    ('"hay straw"~5^2.5', Phrase(("hay", "straw"), slop=5, boost=2.5)),
    (r'"hay \" straw"', Phrase(("hay", "straw"))),
    ("title:hay", Word("hay", "title")),
    ("TITLE: hay", Word("hay", "title")),
    ("title: hay straw", And((Word("hay", "title"), STRAW))),
    ("Time: hay straw oats", And((Or((Word("hay", "time"), And((Word("Time"), HAY)))), STRAW, OATS))),
    ("Event: hay straw oats", And((Or((SameEvent(HAY), And((Word("Event"), HAY)))), STRAW, OATS))),
    ("Year: hay straw oats", And((Word("Year"), HAY, STRAW, OATS))),
    ("year: 2014 hay straw", And((Word("2014", "year"), HAY, STRAW))),
    ("title: hay OR straw oats", Or((Word("hay", "title"), And((STRAW, OATS))))),
    ("title: hay by:ann straw", And((Word("hay", "title"), Word("ann", "creator"), STRAW))),
    ("hay OR TITLE: straw", Or((HAY, Word("straw", "title")))),
    ("author:Mower", Word("Mower", "creator")),
    ("lang:fi", Word("fi", "language")),
    ("year>=2010 hay", And((Range("year", "2010", None), HAY))),
    ("pages<100", Range("pages", None, "100", is_high_inside=False)),
    ("date>2014-05", Range("date", "2014-05", None, is_low_inside=False)),
    ("title>2", Word("title>2")),
    ('creator:"Mower, Ann"', Phrase(("Mower", "Ann"), "creator")),
    ("title:(hay OR straw)", Or((Word("hay", "title"), Word("straw", "title")))),
    ("title:(hay by:ann)", And((Word("hay", "title"), Word("ann", "creator")))),
    ("title:*", Word("*", "title", is_pattern=True)),
    ("hay? straw?!", And((HAY, STRAW))),
    ("hay ? straw", And((HAY, STRAW))),
    ("wom?n?", Word("wom?n?", is_pattern=True)),
    ("h*y?", Word("h*y?", is_pattern=True)),
    ("geo*", Word("geo*", is_pattern=True)),
    ("title:organi?ation", Word("organi?ation", "title", is_pattern=True)),
    (r"geo\*", Word("geo*")),
    ("hay~", Word("hay", edits=1)),
    ("stubble~", Word("stubble", edits=2)),
    ("stubble~1^3", Word("stubble", edits=1, boost=3.0)),
    ("hay^2", Word("hay", boost=2.0)),
    ("(hay OR straw^2)^3", Or((Word("hay", boost=3.0), Word("straw", boost=6.0)))),
    ("year:2014", Word("2014", "year")),
    ("year:201*", Word("201*", "year", is_pattern=True)),
    ("year:2010..2014", Range("year", "2010", "2014")),
    ("year:2010..", Range("year", "2010")),
    ("year:..2014", Range("year", None, "2014")),
    ("year:[2010 TO 2014]", Range("year", "2010", "2014")),
    ("year:{2010..2014]", Range("year", "2010", "2014", is_low_inside=False)),
    ("year:[* TO 2014}", Range("year", None, "2014", is_high_inside=False)),
    ("year:>2010", Range("year", "2010", is_low_inside=False)),
    ("year:>=2010", Range("year", "2010")),
    ("year:<2010", Range("year", None, "2010", is_high_inside=False)),
    ("date:2010-05..2014", Range("date", "2010-05", "2014")),
    ("date:2014-05..2014", Range("date", "2014-05", "2014")),
    ("pages:20..100", Range("pages", "20", "100")),
    ("year:2010-2014", Range("year", "2010", "2014")),
    ("year:2010\u20132014", Range("year", "2010", "2014")),
    ('title:["hay b".."oats"]', Range("title", "hay b", "oats")),
    ("doi:10.1234/a.b", Word("10.1234/a.b", "identifier")),
    ("10.1016/S0140(15)00836-3", Word("10.1016/S0140(15)00836-3")),
    ("(doi:10.1016/S0140(15)008 hay)", And((Word("10.1016/S0140(15)008", "identifier"), HAY))),
    ("https://hay.example/bale_(7)", Word("https://hay.example/bale_(7)")),
    (
        "http://dx.doi.org/10.1000/hay_(7).",
        Or((Word("http://dx.doi.org/10.1000/hay_(7)"), Word("10.1000/hay_(7)", "identifier"))),
    ),
    (
        "doi.org/10.1000/hay_(7)",
        Or((Word("doi.org/10.1000/hay_(7)"), Word("10.1000/hay_(7)", "identifier"))),
    ),
    (
        "hdl.handle.net/10138/12345",
        Or((Word("hdl.handle.net/10138/12345"), Word("10138/12345", "identifier"))),
    ),
    (
        "urn.fi/URN:NBN:fi:amk-7",
        Or((Word("urn.fi/URN:NBN:fi:amk-7"), Word("URN:NBN:fi:amk-7", "identifier"))),
    ),
    (
        '"10.1000/hay(7)"',
        Or((Phrase(("10", "1000", "hay", "7")), Word("10.1000/hay(7)", "identifier"))),
    ),
    (
        '"978-951-39" straw',
        And((Or((Phrase(("978", "951", "39")), Word("978-951-39", "identifier"))), STRAW)),
    ),
    (
        '"https://doi.org/10.1000/7"',
        Or(
            (
                Phrase(("https", "doi", "org", "10", "1000", "7")),
                Word("https://doi.org/10.1000/7", "identifier"),
                Word("10.1000/7", "identifier"),
            )
        ),
    ),
    ('"1984"', Phrase(("1984",))),
    ('"COVID 19" "well-being"', And((Phrase(("COVID", "19")), Phrase(("well", "being"))))),
    ("arXiv:2206.07972", Or((Word("arXiv:2206.07972"), Word("2206.07972", "identifier")))),
    (
        "http://urn.fi/URN:NBN:fi:amk-7",
        Or((Word("http://urn.fi/URN:NBN:fi:amk-7"), Word("URN:NBN:fi:amk-7", "identifier"))),
    ),
    ("ISBN 978-92-95055-20-9 hay", And((Word("978-92-95055-20-9", "identifier"), HAY))),
    ("hay DOI: 10.1000/hay", And((HAY, Word("10.1000/hay", "identifier")))),
    ("doi 10 hay", And((Word("doi"), Word("10"), HAY))),
    ("hay(straw)", And((HAY, STRAW))),
    ("urn:nbn:fi:amk-2014", Word("urn:nbn:fi:amk-2014")),
    ("URN:NBN:se:hay-7 straw", And((Word("URN:NBN:se:hay-7"), STRAW))),
    ('urn:"nbn:fi"', Word("nbn:fi", "identifier")),
    ("hay && !straw", And((HAY, Not(STRAW)))),
    ("!(hay straw) || !oats", Or((Not(And((HAY, STRAW))), Not(OATS)))),
    ("hay !straw", And((HAY, Word("!straw")))),
    ("hay && straw! oats !", And((HAY, STRAW, OATS))),
    ("year=2010..2012 hay", And((Range("year", "2010", "2012"), HAY))),
    ("(date=2010-05..)", Range("date", "2010-05")),
    ("pages=..20", Range("pages", None, "20")),
    ('year="2010..2012"', Value("2010..2012", "year")),
    ("L^p", Word("L^p")),
    ("hay || straw && oats", Or((HAY, And((STRAW, OATS))))),
    ("https://hay.example/~ann", Word("https://hay.example/~ann")),
    ("set:a:b", Word("a:b", "set")),
    ('identifier:"oai:hay.example:a b"', Word("oai:hay.example:a b", "identifier")),
    ("http://hay.example/7", Word("http://hay.example/7")),
    ("Hay: straw", And((Word("Hay"), STRAW))),
    ("hay texts: straw", And((HAY, Word("texts"), STRAW))),
    ("Texts: hay straw oats", And((Word("Texts"), HAY, STRAW, OATS))),
    ("hay time: straw oats red", And((HAY, Word("time"), STRAW, OATS, Word("red")))),
    ("hay Barn:Straw", And((HAY, Or((Word("Barn:Straw"), Word("Straw")))))),
    ("hay (?) straw", And((HAY, STRAW))),
    ("hay = straw → oats $ § ‐", And((HAY, STRAW, OATS))),
    (r"\AND", Word("AND")),
    (r"title\:hay", Word("title:hay")),
    ("event:(place:Oslo period:autumn)", SameEvent(And((Word("Oslo", "place"), Word("autumn", "period"))))),
    ("event:place", SameEvent(Word("place"))),
    ('institution="Field University"', Value("Field University", "institution")),
    ("University=“Field  University”", Value("Field  University", "institution")),
    ("lang=fi -year=2014", And((Value("fi", "language"), Not(Value("2014", "year"))))),
    (r'keyword="a \"b\" \\c"', Value('a "b" \\c', "keyword")),
    (r"set=a\ b:c", Value("a b:c", "set")),
    ('(type="Thesis" OR type="Book") hay', And((Or((Value("Thesis", "type"), Value("Book", "type"))), HAY))),
    ('event:(place="Oslo")', SameEvent(Value("Oslo", "place"))),
    ("x=5 hay", And((Word("x=5"), HAY))),
    ("https://hay.example/?id=7", Word("https://hay.example/?id=7", is_pattern=True)),
    (r"title\=hay", Word("title=hay")),
]


@pytest.mark.parametrize(("text", "query"), MEANINGS, ids=[text or "nothing" for text, _ in MEANINGS])
def test_a_text_without_a_mistake_means_this(text: str, query: Query) -> None:
    parsed = parse_query(text)
    assert parsed.query == query
    assert parsed.mistakes == ()
    assert parse_query(str(query)).query == query


MISTAKES: list[tuple[str, Query, int, str]] = [
    ('hay "straw', And((HAY, STRAW)), 4, "no partner"),
    ("(hay straw", And((HAY, STRAW)), 0, "never closed"),
    ("hay) straw", And((HAY, STRAW)), 3, "closes nothing"),
    ("hay () straw", And((HAY, STRAW)), 5, "nothing in these brackets"),
    ("AND hay", HAY, 0, "AND has nothing beside it"),
    ("hay OR", HAY, 4, "OR has nothing beside it"),
    ("hay OR OR straw", Or((HAY, STRAW)), 4, "OR has nothing beside it"),
    ("hay AND AND straw", And((HAY, STRAW)), 8, "AND has nothing beside it"),
    ("(hay AND) straw", And((HAY, STRAW)), 5, "AND has nothing beside it"),
    ("hay NOT", HAY, 4, "NOT has nothing after it"),
    ("NOT AND hay", HAY, 0, "NOT has nothing after it"),
    ("titel:hay straw", And((Or((Word("titel:hay"), HAY)), STRAW)), 0, "did you mean title?"),
    ("texts: hay", And((Word("texts"), HAY)), 0, "did you mean text?"),
    ("hay auhtor:ann", And((HAY, Or((Word("auhtor:ann"), Word("ann"))))), 4, "did you mean author?"),
    ("regulation:hay", Or((Word("regulation:hay"), HAY)), 0, 'no field "regulation"'),
    ("§", NOTHING, 0, "nothing to look for"),
    ("flavour:hay", Or((Word("flavour:hay"), HAY)), 0, 'no field "flavour"'),
    ("flavour:(hay straw)", And((HAY, STRAW)), 0, 'no field "flavour"'),
    ('flavour:"hay straw"', Phrase(("hay", "straw")), 0, 'no field "flavour"'),
    ("hay time: straw", And((HAY, Word("time"), STRAW)), 4, "time:word"),
    ("hay title:", And((HAY, NOTHING)), 4, "nothing follows title:"),
    ("title: AND hay", And((NOTHING, HAY)), 0, "nothing follows title:"),
    ('hay ""', HAY, 4, "nothing to look for"),
    ("hay §§§", HAY, 4, "no letters or digits"),
    ("year:soon hay", And((NOTHING, HAY)), 5, "year wants a number"),
    ("year:soon", NOTHING, 5, "year wants a number"),
    ("year:[soon..2014]", NOTHING, 5, "year wants a number"),
    ("year:[2014", Word("2014", "year"), 5, "range was not understood"),
    ("year:[2014] hay", And((Word("2014", "year"), HAY)), 5, "range was not understood"),
    ("title:[hay", Word("hay", "title"), 6, "range was not understood"),
    ("date:5.3.2014", NOTHING, 5, "date wants a date"),
    ("date:2014-13 hay", And((NOTHING, HAY)), 5, "date wants a date"),
    ("date:2014-05-32 hay", And((NOTHING, HAY)), 5, "date wants a date"),
    ("date:[2014-13..2015]", NOTHING, 5, "date wants a date"),
    ("☃* hay", HAY, 0, "no letters or digits"),
    ('"hay straw"~x oats', And((Phrase(("hay", "straw")), OATS)), 12, "wants a number"),
    ('"hay straw"^x', Phrase(("hay", "straw")), 11, "wants a number"),
    ('"hay straw"~5x', Phrase(("hay", "straw"), slop=5), 13, "wants a number"),
    ("geo*~2", Word("geo*", is_pattern=True), 0, "wildcards"),
    ('institution="hay straw', And((Word("hay", "institution"), STRAW)), 12, "no partner"),
    ('titel="hay"', Phrase(("hay",)), 0, "did you mean title?"),
    ('title="" hay', And((NOTHING, HAY)), 0, "nothing to look for"),
    ('title="hay"^2 hay', And((Value("hay", "title"), HAY)), 11, "no letters or digits"),
    ('"hay straw"~101', Phrase(("hay", "straw"), slop=100), 0, "at most 100 other words"),
    ('creator:"ann bo"~123456', Phrase(("ann", "bo"), "creator", 10), 8, "at most 10 other words"),
    ("hay~7", Word("hay", edits=2), 0, "cannot differ"),
    ("hay^0", HAY, 0, "weight"),
    ("hay~0.8 straw", And((HAY, STRAW)), 0, "1 or 2"),
    ("hay^-1", HAY, 0, "a number such as ^2"),
    ("stubble^abc straw", And((Word("stubble"), STRAW)), 0, "a number such as ^2"),
    ("hay^123456", HAY, 0, "a number such as ^2"),
    ("year:2014..2010", Range("year", "2010", "2014"), 5, "ends before it begins"),
    ("year:{2014..2010]", Range("year", "2010", "2014", is_high_inside=False), 5, "ends before it begins"),
    ("pages:100..20", Range("pages", "20", "100"), 6, "ends before it begins"),
    ("date:2014-06..2014-05-03", Range("date", "2014-05-03", "2014-06"), 5, "ends before it begins"),
]


@pytest.mark.parametrize(("text", "query", "position", "message"), MISTAKES, ids=[row[0] for row in MISTAKES])
def test_a_mistake_is_explained(text: str, query: Query, position: int, message: str) -> None:
    parsed = parse_query(text)
    assert parsed.query == query
    assert parsed.mistakes
    first = parsed.mistakes[0]
    assert (first.position, message in first.message) == (position, True), str(first)


NOT_UNDERSTOOD = [
    "year:abc",
    "year:>abc",
    "year:<=soon",
    "year:>",
    "year:..",
    "date:..",
    "year:2010..abc",
    "year:[abc TO 2000]",
    'year:"abc"',
    "date:2020-13-45",
    "date:>yesterday",
    "size:big",
    "pages:",
    "institution:",
    'institution:""',
    'institution=""',
    "institution:()",
    "institution:(AND)",
    "title:§§",
    "title:-",
    "language:",
    "event:",
    "event:()",
    "event:(year:abc)",
    '""',
    '"',
    "()",
    "-",
    "§",
    "AND",
    "NOT",
    "(((",
]


@pytest.mark.parametrize("text", NOT_UNDERSTOOD)
def test_what_cannot_be_understood_finds_nothing_and_is_explained(text: str) -> None:
    parsed = parse_query(text)
    assert parsed.query == NOTHING
    assert parsed.mistakes


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("hay year:abc", And((HAY, NOTHING))),
        ("hay OR year:abc", Or((HAY, NOTHING))),
        ("-year:abc", NOTHING),
        ("hay -year:abc", And((HAY, NOTHING))),
        ("NOT (hay OR year:abc)", And((Not(HAY), NOTHING))),
        ("-(hay year:abc)", Or((Not(HAY), NOTHING))),
        ("-(-year:abc)", NOTHING),
        ("(year:abc)^2", NOTHING),
    ],
)
def test_a_condition_that_was_not_understood_is_true_of_nothing_wherever_it_stands(
    text: str, query: Query
) -> None:
    assert parse_query(text).query == query


@pytest.mark.parametrize("text", ["*", "*:*", "", "  ", "-(-*)"])
def test_everything_can_still_be_asked_for(text: str) -> None:
    assert parse_query(text).query in (Everything(), Not(NOTHING))
    assert not parse_query(text).mistakes


def test_a_mistake_reads_as_a_sentence() -> None:
    (mistake,) = parse_query("hay)").mistakes
    assert str(mistake) == "at character 4: this bracket closes nothing; it was ignored"
    assert mistake.sentence == "At character 4: this bracket closes nothing; it was ignored."


def test_the_same_mistake_is_told_once_and_keeps_its_capitals() -> None:
    (mistake,) = parse_query("hay AND AND").mistakes
    assert mistake.sentence == "At character 9: AND has nothing beside it; it was ignored."


@given(text=st.text(max_size=80))
def test_any_text_parses_to_something_whose_canonical_text_means_the_same(text: str) -> None:
    query = parse_query(text).query
    again = parse_query(str(query))
    assert again.query == query


_SCRAPS = [
    "hay",
    "title:",
    "year:",
    "event:",
    "(",
    ")",
    '"',
    "AND",
    " ",
    "OR",
    "NOT",
    "-",
    "..",
    "[",
    "}",
    "~2",
    "=",
    "id=",
    'place="',
]


@given(
    text=st.lists(st.sampled_from([*_SCRAPS, "^3", "*", "?", "\\", "2014", "e.g.", "«", ":", ">"])).map(
        "".join
    )
)
def test_any_heap_of_operators_parses_to_something_whose_canonical_text_means_the_same(text: str) -> None:
    query = parse_query(text).query
    assert parse_query(str(query)).query == query


@given(query=queries())
def test_the_canonical_text_of_a_tree_parses_back_to_the_tree_without_a_mistake(query: Query) -> None:
    parsed = parse_query(str(query))
    assert parsed.query == query
    assert parsed.mistakes == ()


@pytest.mark.parametrize("name", list(FIELDS))
def test_every_field_can_be_asked_for(name: str) -> None:
    assert parse_query(f"{name}:2014").query == Word("2014", name)


@pytest.mark.parametrize(
    "piece",
    [
        "(",
        ")",
        '"',
        "((hay) ",
        "title:[",
        "title:[(",
        "NOT ",
        "-",
        "a OR ",
        "\\",
        "titel:",
        "hay ",
        "[a..",
        "*a",
        '"a" "',
    ],
)
def test_a_text_that_is_too_long_is_explained_and_finds_nothing(piece: str) -> None:
    parsed = parse_query(piece * 2_000_000)
    (mistake,) = parsed.mistakes
    assert (mistake.position, mistake.finds_nothing) == (LONGEST_QUERY, True)
    assert parsed.query == NOTHING
    assert isinstance(str(parse_query((piece * LONGEST_QUERY)[:LONGEST_QUERY]).query), str)


def test_brackets_deeper_than_can_be_followed_are_ignored() -> None:
    depth = DEEPEST + 1
    parsed = parse_query("(-" * depth + "hay" + ")" * depth)
    assert any("nested too deeply" in mistake.message for mistake in parsed.mistakes)
    assert "hay" in str(parsed.query)


def test_stars_without_end_are_cut_and_told_of() -> None:
    found = parse_query("a*b*c*d*e*f title:x*")
    assert found.query == And(
        (Word("a*b*c*d*", is_pattern=True), Word("x*", "title", is_pattern=True)),
    )
    assert [mistake.message for mistake in found.mistakes] == ["a word can have 4 stars at most"]


@pytest.mark.parametrize("costly", ["*h{}*y", "h{}?y", "hay{}~", "title:[{}..b]"])
def test_what_takes_long_with_every_word_can_be_asked_for_so_often_and_no_more(costly: str) -> None:
    parsed = parse_query(" OR ".join(costly.format(f"x{place}") for place in range(MOST_SCANS + 3)))
    assert isinstance(parsed.query, Or)
    assert len(parsed.query.parts) == MOST_SCANS + 1
    assert parsed.query.parts[-1] == NOTHING
    told = [mistake for mistake in parsed.mistakes if "at most" in mistake.message]
    assert [mistake.remedy for mistake in told] == [Remedy.FINDS_NOTHING] * 3


def test_many_beginnings_of_words_can_be_asked_for() -> None:
    parsed = parse_query(" OR ".join(f"hay{place}*" for place in range(150)))
    assert isinstance(parsed.query, Or)
    assert (len(parsed.query.parts), parsed.mistakes) == (150, ())


def test_a_field_is_not_taken_for_one_with_quite_another_name() -> None:
    (mistake,) = parse_query("regulation:hay").mistakes
    assert mistake.message == 'there is no field "regulation"'
