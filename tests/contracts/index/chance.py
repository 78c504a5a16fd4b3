"""Documents and queries at random, of so few words that they often meet."""

from __future__ import annotations

from functools import cache
from typing import TypeVar

from hypothesis import strategies as st

from windrow.index.protocol import TALLIED, FacetRequest
from windrow.index.tantivy.rows import Entry, facts_of
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
from windrow.model.query import (
    EVENT_FIELDS,
    FIELDS,
    MOST_EDITS,
    Everything,
    FieldKind,
    Not,
    Phrase,
    Query,
    Range,
    SameEvent,
    Value,
    Word,
    all_of,
    any_of,
)

VOCABULARY = (
    *("hay", "hays", "straw", "Strå", "meadow", "meadows", "Meadow's", "heinä", "heinän", "niityt", "äng"),
    *("ängar", "oat", "oats", "o'at", "rye", "2014", "e-mail"),
)
PLACES = ("Oslo", "Åbo", "Oslo Vest", "distans")
PERIODS = ("autumn 2014", "spring 2015", "Autumn")
DAYS = ("2014", "2014-05", "2014-05-12", "20130101", "2015-01-31", "soon")
SETS = ("theses", "theses:phd", "Theses:MA", "open")
IDENTIFIERS = ("oai:hay.example:1", "10.1000/HAY-1", "978-951-0-12345-6", "https://hay.example/1")
SOURCES = ("barn", "Field")
PATHS = ("hay.pdf", "barn/hay.pdf", "barn/loft/straw.txt", "Barn/oats.txt", "Äng/hö/äng.jpg", "a b/c")
MEDIA = ("application/pdf", "text/plain", "image/jpeg")
LANGUAGES = ("en", "sv", "fi", "de", "FI")
SPOKEN = (*LANGUAGES, "English", "swe", "suomi, ruotsi")  # as somebody may ask for them

T = TypeVar("T")


def _few(values: st.SearchStrategy[T]) -> st.SearchStrategy[tuple[T, ...]]:
    return st.lists(values, max_size=2, unique=True).map(tuple)


_words = st.sampled_from(VOCABULARY)
_values = st.lists(_words, min_size=1, max_size=4).map(" ".join)
_spoken = st.sampled_from([None, "en", "sv", "fi", "de"])
_texts = _few(st.builds(Text, _values, _spoken))
_agents = _few(st.builds(Agent, _values, affiliations=_few(_values)))
_plain = _few(_values)
_slot = st.none() | _words


def events() -> st.SearchStrategy[tuple[Event, ...]]:
    """Some events, each with few of its slots filled."""
    return st.lists(
        st.builds(
            Event,
            period=st.none() | st.sampled_from(PERIODS),
            kind=_slot,
            intensity=_slot,
            place=st.none() | st.sampled_from(PLACES),
            language=st.none() | st.sampled_from(LANGUAGES),
            time=_slot,
        ),
        max_size=3,
    ).map(tuple)


def files() -> st.SearchStrategy[HeldFile]:
    """Files in folders within folders, of few sizes, with a page or two of text."""
    return st.builds(
        HeldFile,
        path=st.sampled_from(PATHS),
        media_type=st.sampled_from(MEDIA),
        size=st.sampled_from((0, 9_999, 10_000, 123_456_789)),
        sha256=st.just("0" * 64),
        text=st.lists(_values, max_size=3).map(tuple),
        facts=_few(st.tuples(st.sampled_from(["camera", "Camera", "codec"]), _words)),
    )


@cache  # to make a strategy takes longer than to draw from it
def documents() -> st.SearchStrategy[Document]:
    """Documents in which anything may be missing."""
    return st.builds(
        Document,
        titles=_texts,
        creators=_agents,
        contributors=_agents,
        subjects=_few(st.builds(Subject, _values, language=_spoken)),
        keywords=_plain,
        descriptions=_texts,
        publishers=_plain,
        dates=_few(st.builds(DocumentDate, st.sampled_from(DAYS))),
        year=st.none() | st.integers(2012, 2016),
        types=_plain,
        languages=_few(st.sampled_from(LANGUAGES)),
        pages=st.none() | st.integers(1, 3),
        links=st.lists(
            st.builds(Link, st.just(IDENTIFIERS[3]), st.just(LinkKind.LANDING), media_type=_slot), max_size=1
        ).map(tuple),
        names=_few(st.builds(Identifier, st.just("doi"), st.sampled_from(IDENTIFIERS))),
        rights=_plain,
        sources=_plain,
        relations=_plain,
        institution=st.none() | _values,
        department=st.none() | _values,
        events=events(),
        extra=st.dictionaries(st.sampled_from(["doc:shelf", "dc:coverage"]), _plain, max_size=1),
        file=st.none() | files(),
    )


def libraries(*, most: int = 8) -> st.SearchStrategy[list[Entry]]:
    """Some entries, numbered from 1."""
    entry = st.tuples(
        st.sampled_from(SOURCES),
        st.sampled_from(IDENTIFIERS),
        st.sets(st.sampled_from(SETS), max_size=2),
        documents(),
    )
    return st.lists(entry, min_size=1, max_size=most).map(
        lambda found: [
            Entry(number, source, identifier, tuple(sorted(sets)), document)
            for number, (source, identifier, sets, document) in enumerate(found, 1)
        ]
    )


_BY_WORDS = [name for name, field in FIELDS.items() if field.kind is FieldKind.WORDS]
_ANYWHERE = st.none() | st.sampled_from(_BY_WORDS)
_PATTERNS = st.sampled_from(
    ["h*", "*y", "?at", "m*w*", "*", "hay?", "*", "h*-*", "e-m*", "o*o*", "*a" + "?" * 14, "201?", "**s"]
)
_MISSPELT = st.sampled_from(["hya", "haay", "maedow", "meadosw", "hy", "oast", "heina", "emial", "e-mial"])
_inside = st.booleans()


@cache
def _whole_words() -> st.SearchStrategy[Query]:
    """Conditions on values that are compared as a whole."""
    return st.one_of(
        st.builds(Word, st.sampled_from(SETS), st.just("set"), st.booleans()),
        st.builds(Word, st.sampled_from(["th*", "the?es", "*"]), st.just("set"), st.just(True)),
        st.builds(Word, st.sampled_from(SOURCES), st.just("source"), st.just(False), st.integers(0, 2)),
        st.builds(Word, st.sampled_from(SPOKEN), st.just("language"), st.just(False), st.integers(0, 1)),
        st.builds(Word, st.sampled_from(["f*", "?n"]), st.just("language"), st.just(True)),
        st.builds(Word, st.sampled_from(IDENTIFIERS), st.sampled_from(["identifier", None])),
        st.builds(
            Word,
            st.sampled_from(["9789510123456", "10.1000/*", "*hay*"]),
            st.just("identifier"),
            st.booleans(),
        ),
        st.builds(Word, st.sampled_from(DAYS), st.just("date")),
        st.builds(Word, st.sampled_from(["2014-*", "201?", "*"]), st.just("date"), st.just(True)),
        st.builds(Word, st.sampled_from(["2014", "02014", "x", "-1"]), st.sampled_from(["year", "pages"])),
        st.builds(Word, st.sampled_from(["201?", "*4", "*"]), st.just("year"), st.just(True)),
        st.builds(Word, st.just("2013"), st.just("year"), st.just(False), st.integers(1, 2)),
        st.builds(Word, st.sampled_from(["barn", "barn/loft", "äng", "*b*", "lo?t"]), st.just("folder")),
        st.builds(Word, st.sampled_from(["*b*", "barn/l?ft", "*"]), st.just("folder"), st.just(True)),
        st.builds(Word, st.just("bran"), st.just("folder"), st.just(False), st.integers(1, 2)),
        st.builds(Word, st.sampled_from(MEDIA), st.just("media"), st.just(False), st.integers(0, 1)),
        st.builds(Word, st.sampled_from(["image/*", "*"]), st.sampled_from(["media", "size"]), st.just(True)),
        st.builds(Word, st.sampled_from(["9999", "1?000", "x"]), st.just("size"), st.booleans()),
        st.builds(
            Word, st.sampled_from(["camera=hay", "shelf=oat", "camera=*"]), st.just("extra"), st.booleans()
        ),
        st.builds(Word, st.sampled_from(["h", "M", "#", "*"]), st.just("initial"), st.booleans()),
    )


@cache
def _ranges() -> st.SearchStrategy[Query]:
    years = st.none() | st.sampled_from(["2012", "2014", "2016", "x"])
    days = st.none() | st.sampled_from(["2013", "2014-05", "2014-05-12", "2014-1", "20"])
    bounds = st.none() | st.sampled_from(["", "a", "hay", "meadow", "Oat", "ÄNG", "straw meadow", "zz"])
    sizes = st.none() | st.sampled_from(["0", "9999", "10000", "999999999999", "x"])
    named = st.sampled_from(
        [
            "folder",
            "extra",
            "title",
            "creator",
            "subject",
            "publisher",
            "institution",
            "language",
            "set",
            "place",
        ]
    )
    return st.one_of(
        st.builds(Range, st.sampled_from(["year", "pages"]), years, years, _inside, _inside),
        st.builds(Range, st.just("size"), sizes, sizes, _inside, _inside),
        st.builds(Range, st.just("date"), days, days, _inside, _inside),
        st.builds(Range, named, bounds, bounds, _inside, _inside),
    )


@cache
def _event_trees() -> st.SearchStrategy[Query]:
    return _trees(_event_leaves(), 4).map(SameEvent)


def _event_leaves() -> st.SearchStrategy[Query]:
    fields = st.sampled_from([*EVENT_FIELDS, "language", None, "title"])
    places = st.sampled_from([*PLACES, *PERIODS, *VOCABULARY[:4], "FI"])
    return st.one_of(
        st.builds(Word, places, fields),
        st.builds(Value, places, st.sampled_from([*EVENT_FIELDS])),
        st.builds(
            Word, st.sampled_from(["o*", "*", "?slo"]), st.sampled_from(["place", "period"]), st.just(True)
        ),
        st.builds(Word, st.just("olso"), st.just("place"), st.just(False), st.just(1)),
        st.builds(
            Phrase,
            st.sampled_from(PLACES + PERIODS).map(lambda text: tuple(text.split())),
            st.none() | st.sampled_from(["place", "period"]),
        ),
        st.builds(
            Range, st.just("place"), st.none() | st.just("b"), st.none() | st.just("oslo"), _inside, _inside
        ),
        st.just(Everything()),
    )


def leaves(facts: list[tuple[str, str]]) -> st.SearchStrategy[Query]:
    """Single conditions; `facts` are fields and values that some document has."""
    clicks = [st.builds(lambda pair: Value(pair[1], pair[0]), st.sampled_from(facts))] if facts else []
    return st.one_of(
        *clicks,
        st.builds(Word, _words, _ANYWHERE),
        st.builds(Word, _PATTERNS, _ANYWHERE, st.just(True)),
        st.builds(Word, _MISSPELT | _words, _ANYWHERE, st.just(False), st.integers(1, MOST_EDITS)),
        st.builds(Phrase, st.lists(_words, min_size=1, max_size=3).map(tuple), _ANYWHERE, st.integers(0, 3)),
        st.builds(Phrase, st.tuples(_words, _words), _ANYWHERE, st.integers(15, 100)),
        _whole_words(),
        _ranges(),
        _event_trees(),
        st.just(Everything()),
    )


def _trees(inner: st.SearchStrategy[Query], most: int) -> st.SearchStrategy[Query]:
    def grown(parts: st.SearchStrategy[Query]) -> st.SearchStrategy[Query]:
        several = st.lists(parts, min_size=1, max_size=3)
        return several.map(all_of) | several.map(any_of) | parts.map(Not)

    return st.recursive(inner, grown, max_leaves=most)


def queries(entries: list[Entry]) -> st.SearchStrategy[Query]:
    """Trees of conditions, some of them on what these entries have."""
    asked = [
        (field, value)
        for entry in entries
        for field, values in facts_of(entry).items()
        for value in values
        if field in FIELDS
    ]
    return _trees(leaves(asked), 6)


@cache
def tallies() -> st.SearchStrategy[FacetRequest]:
    """What is counted, some of it within something else."""
    all_of_it = (st.none(), st.just(""), st.just(False))
    plain = st.builds(
        FacetRequest, st.sampled_from(TALLIED), st.integers(1, 20), st.booleans(), *all_of_it, st.just(0)
    )
    begun = st.builds(
        FacetRequest,
        st.sampled_from(["folder", "extra", "creator"]),
        st.integers(1, 20),
        st.booleans(),
        st.none(),
        prefix=st.sampled_from(["", "h", "barn/", "Barn/", "camera=", "äng/", "a b/"]),
        is_flat=st.booleans(),
        starts=st.just(0),  # the index sets it
    )
    either = plain | begun
    return st.one_of(either, st.builds(lambda one, other: one._replace(within=other), either, either))
