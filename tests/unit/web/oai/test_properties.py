"""Any library and any request: the answer is valid, and a list to its end is the truth."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.thorough import tries
from tests.unit.web.oai.holdings import NOON, Answer, Holdings, dublin_core, gone, live, other
from windrow.model.record import Record
from windrow.protocols.oai.provider_request import format_request_date

SOURCES = ("hay", "oats")
PREFIXES = ("oai_dc", "barn", "marcxml")
SPECS = ("a", "a:b", "a:b:c", "ab", "d")
PAGES = st.builds(
    "[oai]\nrecords_per_page = {}\nidentifiers_per_page = {}\nsets_per_page = {}\n".format,
    st.integers(1, 5),
    st.integers(1, 5),
    st.integers(1, 3),
)


@dataclass(frozen=True)
class Visit:
    """Some records of a source come at one moment."""

    source: str
    prefix: str
    records: tuple[Record, ...]
    seconds: int  # since the visit before


@dataclass
class Known:
    """What there is to know of one record of one source."""

    number: int
    at: int
    sets: tuple[str, ...]
    is_deleted: bool
    payloads: dict[str, bytes] = field(default_factory=dict)


@dataclass
class Truth:
    """The same library in a few dictionaries."""

    sources: list[str] = field(default_factory=list)
    known: dict[tuple[str, str], Known] = field(default_factory=dict)

    def take(self, visit: Visit, at: int) -> None:
        if visit.source not in self.sources:
            self.sources.append(visit.source)
        latest: dict[str, Record] = {}
        for record in visit.records:  # the last of the newest counts; tombstones here are newer than records
            earlier = latest.get(record.identifier)
            if earlier is None or record.stamp >= earlier.stamp:
                latest[record.identifier] = record
        for record in sorted(
            latest.values(), key=lambda each: (visit.source, each.identifier) not in self.known
        ):
            self._take(visit, record, at)

    def _take(self, visit: Visit, record: Record, at: int) -> None:
        key = (visit.source, record.identifier)
        old = self.known.get(key)
        if old is None:
            old = self.known[key] = Known(len(self.known), at, record.sets, record.is_deleted)
        sets = old.sets if record.is_deleted and not record.sets else record.sets
        new = (set(sets), record.is_deleted, record.payload)
        if new != (set(old.sets), old.is_deleted, old.payloads.get(visit.prefix)):
            old.at, old.sets, old.is_deleted = at, sets, record.is_deleted
        if record.payload is None:
            old.payloads.clear()
        else:
            old.payloads[visit.prefix] = record.payload

    def prefixes(self, source: str) -> set[str]:
        held = (known.payloads for (each, _), known in self.known.items() if each == source)
        return {"oai_dc"}.union(*held)

    def select(
        self, view: str, prefix: str, spec: str | None, since: int | None, until: int | None
    ) -> dict[str, Known]:
        """What a list must hold, in its order."""
        found = {}
        shown = [view] if view else self.sources
        for (source, identifier), known in sorted(self.known.items(), key=lambda item: item[1].number):
            rivals = shown[: shown.index(source)] if source in shown else []
            specs = known.sets if view else (source, *(f"{source}:{each}" for each in known.sets))
            conditions = (
                source in shown,
                not any((rival, identifier) in self.known for rival in rivals),
                prefix in self.prefixes(source),
                prefix == "oai_dc" or prefix in known.payloads or known.is_deleted,
                spec is None or any(each == spec or each.startswith(f"{spec}:") for each in specs),
                since is None or known.at >= since,
                until is None or known.at <= until,
            )
            if all(conditions):
                found[identifier] = known
        return found


def records(prefix: str) -> st.SearchStrategy[Record]:
    def make(name: int, is_gone: bool, words: int, sets: tuple[str, ...]) -> Record:
        payload = dublin_core(str(words)) if prefix == "oai_dc" else other(b"%d" % words)
        identifier = f"oai:x:{name}"
        return gone(identifier, sets=sets) if is_gone else live(identifier, payload, sets=sets)

    sets = st.lists(st.sampled_from(SPECS), max_size=2, unique=True).map(tuple)
    return st.builds(make, st.integers(0, 7), st.sampled_from((False, False, True)), st.integers(0, 2), sets)


visits = st.sampled_from(PREFIXES).flatmap(
    lambda prefix: st.builds(
        Visit,
        st.sampled_from(SOURCES),
        st.just(prefix),
        st.lists(records(prefix), min_size=1, max_size=6).map(tuple),
        st.integers(0, 3),
    )
)


@contextmanager
def library_of(history: list[Visit], pages: str) -> Iterator[tuple[Holdings, Truth]]:
    with TemporaryDirectory() as folder:
        library, truth = Holdings(Path(folder)), Truth()
        library.configure(pages)
        try:
            for visit in history:
                library.now += visit.seconds
                library.write(*visit.records, source=visit.source, prefix=visit.prefix)
                truth.take(visit, library.now)
            yield library, truth
        finally:
            library.close()


@settings(max_examples=tries(40), deadline=None)
@given(data=st.data(), pages=PAGES, history=st.lists(visits, min_size=1, max_size=7))
def test_a_walk_through_any_list_is_the_truth(data: st.DataObject, pages: str, history: list[Visit]) -> None:
    with library_of(history, pages) as (library, truth):
        for _ in range(6):
            view = data.draw(st.sampled_from(("", *truth.sources)))
            prefix = data.draw(st.sampled_from(PREFIXES))
            own = SPECS if view else [*SOURCES, *(f"{source}:{spec}" for source in SOURCES for spec in SPECS)]
            spec = data.draw(st.one_of(st.none(), st.sampled_from([*own, "nothing"])))
            moment = st.one_of(st.none(), st.integers(NOON - 1, library.now + 1))
            since, until = data.draw(moment), data.draw(moment)
            if since is not None and until is not None:
                since, until = sorted((since, until))
            check_list(library, truth, view, prefix, spec, since, until)


def check_list(
    library: Holdings,
    truth: Truth,
    view: str,
    prefix: str,
    spec: str | None,
    since: int | None,
    until: int | None,
) -> None:
    expected = truth.select(view, prefix, spec, since, until)
    arguments = {"metadataPrefix": prefix, "set": spec, "from_": since, "until": until}
    asked = {name: value for name, value in arguments.items() if value is not None}
    for verb in ("ListRecords", "ListIdentifiers"):
        answers = list(library.pages(verb, at=view, **asked))
        headers = [header for answer in answers for header in answer.headers]
        assert [header.identifier for header in headers] == list(expected)
        if not expected:
            assert answers[0].errors[0] in ("noRecordsMatch", "cannotDisseminateFormat", "noSetHierarchy")
            continue
        for header in headers:
            known = expected[header.identifier]
            assert (header.is_deleted, header.stamp) == (known.is_deleted, format_request_date(known.at))
            assert {each.rpartition(":")[2] for each in header.sets} >= {
                each.rpartition(":")[2] for each in known.sets
            }
        if len(answers) > 1:
            assert [answer.place[1] for answer in answers] == [len(expected)] * len(answers)
        if verb == "ListRecords":
            for record in (each for answer in answers for each in answer.records):
                stored = expected[record.identifier].payloads
                assert record.payload == stored.get(prefix, record.payload)


ARGUMENTS = ("verb", "identifier", "metadataPrefix", "from", "until", "set", "resumptionToken", "other", "")
VALUES = (
    "Identify", "ListSets", "ListRecords", "ListIdentifiers", "GetRecord", "ListMetadataFormats",
    "oai_dc", "barn", "oai:x:0", "oai:x:1", "hay", "hay:a", "2024-06-01", "2024-06-01T12:00:00Z",
    "1999-01-01", "9999-12-31", "0000-00-00", "", "\0", "<&\">", "\ud800",
)  # fmt: skip
pairs = st.lists(
    st.tuples(
        st.one_of(st.sampled_from(ARGUMENTS), st.text(max_size=5)),
        st.one_of(st.sampled_from(VALUES), st.text(max_size=20)),
    ),
    max_size=6,
)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Holdings]:
    library = Holdings(tmp_path_factory.mktemp("filled"))
    library.configure("[oai]\nrecords_per_page = 2\n")
    library.write(*(live(f"oai:x:{number}", sets=("a",)) for number in range(5)), gone("oai:x:9"))
    library.write(live("oai:x:1", other()), source="oats", prefix="barn")
    yield library
    library.close()


@settings(max_examples=tries(400), deadline=None)
@given(sent=pairs, at=st.sampled_from(("", "hay", "oats")))
def test_any_arguments_get_a_valid_answer(filled: Holdings, sent: list[tuple[str, str]], at: str) -> None:
    filled.ask_pairs(sent, at=at)


@settings(max_examples=tries(200), deadline=None)
@given(verb=st.sampled_from(("ListRecords", "ListIdentifiers", "GetRecord")), sent=pairs)
def test_arguments_that_are_nearly_right_get_a_valid_answer(
    filled: Holdings, verb: str, sent: list[tuple[str, str]]
) -> None:
    answer = filled.ask_pairs([("verb", verb), ("metadataPrefix", "oai_dc"), *sent])
    assert answer.errors or answer.identifiers


# Pieces that identifiers, and what is none, are made of. The schema has a type for each argument.
_PIECES = st.sampled_from(
    [
        *(
            "oai:",
            "x",
            "1",
            "%",
            "%zz",
            "%2",
            "%20",
            "%41",
            "[",
            "]",
            "[::1]",
            "{",
            "}",
            "|",
            "^",
            "`",
            '"',
            "<",
            ">",
        ),
        *(
            " ",
            "  ",
            "\t",
            "\n",
            "\r",
            "\0",
            "\x7f",
            "\x85",
            "\u00a0",
            "\u2028",
            "\ufffe",
            "\ud800",
            "é",
            "\U0001f33e",
        ),
        *(
            "#",
            "##",
            "?",
            "/",
            "//",
            ":",
            "::",
            "@",
            "\\",
            "&",
            "&amp;",
            "'",
            "http://",
            "//a:b",
            "//a:99999999999",
        ),
        *("1:", "-", "+", ".", "..", "a" * 300, "a" * 5000),
    ]
)
_VALUES = st.one_of(
    st.lists(_PIECES, max_size=6).map("".join),
    st.text(max_size=30),
    st.sampled_from(
        ["oai_dc", "2024-01-01", "0000-01-01", "9999-12-31T23:59:59Z", "0001-01-01", "a:b", "oai:x:1"]
    ),
)
_VERBS = (
    "Identify",
    "ListSets",
    "ListMetadataFormats",
    "GetRecord",
    "ListIdentifiers",
    "ListRecords",
    "Nonsense",
)
_NAMES = (
    "identifier",
    "metadataPrefix",
    "from",
    "until",
    "set",
    "resumptionToken",
    "Identifier",
    "a b",
    "é",
    "x:y",
)


@settings(deadline=None, max_examples=tries(300))
@given(
    verb=st.one_of(st.sampled_from(_VERBS), _VALUES),
    arguments=st.dictionaries(st.sampled_from(_NAMES), _VALUES, max_size=4),
    identifier=st.one_of(st.none(), _VALUES, _VALUES),
)
def test_every_answer_is_valid_whatever_the_arguments_are(
    shelf: Holdings, verb: str, arguments: dict[str, str], identifier: str | None
) -> None:
    if identifier is not None:
        verb, arguments = "GetRecord", {"metadataPrefix": "oai_dc", "identifier": identifier}
    answer = shelf.ask_pairs([("verb", verb), *arguments.items()])
    if {"badVerb", "badArgument"} & set(answer.errors):
        assert answer.echo == {}
    else:
        echoed = {name: value for name, value in answer.echo.items() if name != "verb"}
        assert echoed.items() <= arguments.items()


@pytest.mark.parametrize(
    "identifier", ["oai%zz", "a[b", "a b", "100%", "x##y", "1:x", "http://a:b/", "oai:x:{1}"]
)
def test_an_identifier_that_is_no_uri_is_not_repeated_in_the_answer(shelf: Holdings, identifier: str) -> None:
    answer = shelf.ask("GetRecord", identifier=identifier, metadataPrefix="oai_dc")
    assert answer.errors == ["idDoesNotExist"]
    assert answer.echo == {"verb": "GetRecord", "metadataPrefix": "oai_dc"}


@pytest.mark.parametrize(
    "identifier",
    [
        "oai:x:1",
        "oai:x.example:é/1",
        "https://x.example/a%20b?c=d#e",
        "10.1000/182",
        "a+b",
        "urn:x:y(1)",
        "oai:x:*'!~$,;=@",
    ],
)
def test_an_identifier_that_is_a_uri_is_repeated_to_the_letter(shelf: Holdings, identifier: str) -> None:
    answer = shelf.ask("GetRecord", identifier=identifier, metadataPrefix="oai_dc")
    assert answer.echo["identifier"] == identifier


def test_a_record_whose_identifier_is_no_uri_is_given_without_repeating_it(library: Holdings) -> None:
    pairs = [("verb", "GetRecord"), ("identifier", "oai%zz"), ("metadataPrefix", "oai_dc")]
    library.write(live("oai%zz"))
    answer = Answer(library.repository.answer("", pairs))
    assert answer.identifiers == ["oai%zz"]
    assert "identifier" not in answer.echo


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Holdings]:
    """A library with one record."""
    made = Holdings(tmp_path_factory.mktemp("library"))
    made.write(live("oai:x:1"))
    yield made
    made.close()
