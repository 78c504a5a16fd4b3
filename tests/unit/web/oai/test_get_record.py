"""GetRecord: the same record as in a list, whatever is in it."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.thorough import tries
from tests.unit.web.oai.holdings import Holdings, dublin_core, gone, live, other
from windrow.model.record import Record

ABOUT = b'<about><r:rights xmlns:r="urn:r">all</r:rights></about>'
PAYLOADS = (
    dublin_core("ä < &".replace("&", "&amp;").replace("<", "&lt;")),
    other(b"%b %s"),
    b"<p:x/>",
    b"<x/>\x01",
)
DECLARATIONS = (
    b"",
    b' xmlns:p="urn:p"',
    b' xmlns="urn:d" xmlns:p="urn:%7Ep"',
    b' xmlns:oai="urn:o"',
    b"<",
    b"\0",
)
UNSOUND = DECLARATIONS[-2:]
STAMPS = (
    "2020-02-02T02:02:02Z",
    "2020-02-02",
    "2020-02-29T00:00:00Z",
    "2021-02-29T00:00:00Z",
    "",
    "tomorrow",
)
AWKWARD = '[sources.hay]\nurl = "https://hay.example/%7Eann/oai?a=%25b&c=%b"\n'

kept = st.builds(
    lambda name, payload, declared, stamp, about, sets: live(
        name, payload, declarations=declared, stamp=stamp, about=about, sets=sets
    ),
    st.sampled_from([f"oai:x%b:{number}&<" for number in range(9)]),
    st.sampled_from(PAYLOADS),
    st.sampled_from(DECLARATIONS),
    st.sampled_from(STAMPS),
    st.sampled_from((None, None, ABOUT, b"<about>")),
    st.sampled_from(((), ("a",), ("a", "b%b"))),
)
tombstones = st.builds(gone, st.sampled_from(("oai:gone:1", "oai:gone:2")))


@settings(max_examples=tries(60), deadline=None)
@given(
    st.lists(st.lists(st.one_of(kept, kept, tombstones), min_size=1, max_size=6), min_size=1, max_size=4),
    st.sampled_from(("", "hay")),
)
def test_a_record_alone_is_the_same_as_in_a_list_to_the_byte(written: list[list[Record]], at: str) -> None:
    with TemporaryDirectory() as folder:
        library = Holdings(Path(folder), AWKWARD)
        for together in written:
            library.now += 7
            library.write(*together)
        identifiers = {record.identifier for together in written for record in together}
        alone = [entry for identifier in identifiers for entry in _entries(library, at, _get(identifier))]
        listed = _entries(library, at, [("verb", "ListRecords"), ("metadataPrefix", "oai_dc")])
        library.close()
    assert sorted(alone) == sorted(listed)
    assert len(alone) == len(identifiers) - len(_unsound(written))


@pytest.mark.parametrize("at", ["", "hay"])
@pytest.mark.parametrize("identifier", ["oai:x:1", "http://x.example/a?b=c%20d+e;f", "x", 'a&<">'])
def test_arguments_may_come_in_any_order(library: Holdings, at: str, identifier: str) -> None:
    library.write(live(identifier, dublin_core(), sets=("a", "b")), live("oai:x:other", sets=("b",)))
    pairs = _get(identifier)
    for order in (pairs, pairs[::-1], [pairs[0], pairs[2], pairs[1]]):
        assert library.ask_pairs(order, at=at).identifiers == [identifier]


def test_a_record_that_has_changed_is_given_as_it_is_now(library: Holdings) -> None:
    library.write(live("oai:x:1", dublin_core("Hay")))
    assert b"Hay" in library.ask_pairs(_get("oai:x:1")).body
    library.now += 60
    library.write(live("oai:x:1", dublin_core("Straw")))
    assert b"Straw" in library.ask_pairs(_get("oai:x:1")).body
    library.write(gone("oai:x:1"))
    assert library.ask_pairs(_get("oai:x:1")).headers[0].is_deleted


def test_the_first_source_that_has_an_identifier_answers_for_it_in_all_formats(library: Holdings) -> None:
    library.write(live("oai:x:1", other()), prefix="barn")
    library.write(live("oai:x:1"), live("oai:y:1"), source="oats")
    for prefix in ("oai_dc", "barn"):
        assert library.ask_pairs(_get("oai:x:1", prefix)).headers[0].sets == ("hay",)
    assert library.ask_pairs(_get("oai:y:1")).headers[0].sets == ("oats",)


def _get(identifier: str, prefix: str = "oai_dc") -> list[tuple[str, str]]:
    return [("verb", "GetRecord"), ("identifier", identifier), ("metadataPrefix", prefix)]


def _entries(library: Holdings, at: str, pairs: list[tuple[str, str]]) -> list[bytes]:
    """The records of an answer. Payloads here may be anything, so the answer need not be valid."""
    return re.findall(rb"<record>.*?</record>\n", library.repository.answer(at, pairs), re.DOTALL)


def _unsound(written: list[list[Record]]) -> list[Record]:
    """The records, as they were written last, that cannot stand in an answer."""
    last = {record.identifier: record for together in written for record in together}
    return [
        record
        for record in last.values()
        if not record.is_deleted and (b"\x01" in (record.payload or b"") or record.declarations in UNSOUND)
    ]
