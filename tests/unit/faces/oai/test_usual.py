"""The quick way to render records gives the same bytes as the careful one, or leaves a record to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.thorough import tries
from tests.unit.faces.oai.holdings import Holdings, dublin_core, gone, live, other
from windrow.model.record import Record
from windrow.protocols.oai.provider_request import parse_arguments
from windrow.store.published.selection import Selection
from windrow.web.oai.oai_context import OaiRequest
from windrow.web.oai.oai_records import _render_each, render_records

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


@contextmanager
def question_of(written: list[list[Record]], at: str) -> Iterator[OaiRequest]:
    with TemporaryDirectory() as folder:
        library = Holdings(Path(folder), AWKWARD)
        for together in written:
            library.now += 7
            library.write(*together)
        repository = library.repository
        repository.prepare()
        asked = parse_arguments([("verb", "ListRecords"), ("metadataPrefix", "oai_dc")])
        desk, view = repository._desk(), repository._view(at)
        with desk.offering.reading() as is_news:
            desk.refresh(is_news=is_news)
            yield OaiRequest(library.config, view, desk, asked, repository.address(at), b"key", None)
        library.close()


@settings(max_examples=tries(60), deadline=None)
@given(
    st.lists(st.lists(st.one_of(kept, kept, tombstones), min_size=1, max_size=6), min_size=1, max_size=4),
    st.sampled_from(("", "hay")),
)
def test_both_ways_give_the_same_bytes(written: list[list[Record]], at: str) -> None:
    with question_of(written, at) as question:
        rows = question.offering.page(Selection((1,), 99, format_id=1), after=0, limit=99, size=99)
        rendered = list(render_records(question, rows, "oai_dc"))
        assert rendered == list(_render_each(question, rows, "oai_dc"))
        assert len(rendered) == len({record.identifier for together in written for record in together})
