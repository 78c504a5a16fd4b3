"""The short way to GetRecord gives the same bytes as the long one, or leaves a request to it.

Beside what is here, every GetRecord that `Holdings` is asked for is compared.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.servers.asgi import WAIT_SECONDS
from tests.thorough import tries
from tests.unit.faces.oai.holdings import Holdings, dublin_core, gone, live, other
from tests.unit.faces.oai.test_usual import AWKWARD, kept, tombstones
from windrow.errors import StoreError
from windrow.model.record import Record
from windrow.store.published import record_listing
from windrow.store.records.set_hierarchy import GUARD


def _pairs(identifier: str, prefix: str = "oai_dc") -> list[tuple[str, str]]:
    return [("verb", "GetRecord"), ("identifier", identifier), ("metadataPrefix", prefix)]


plainly_named = kept.map(lambda record: record._replace(identifier=record.identifier.strip("&<")))


@settings(max_examples=tries(60), deadline=None)
@given(
    st.lists(
        st.lists(st.one_of(plainly_named, plainly_named, kept, tombstones), min_size=1, max_size=4),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from(("", "hay")),
)
def test_both_ways_give_the_same_bytes(written: list[list[Record]], at: str) -> None:
    with TemporaryDirectory() as folder:
        library = Holdings(Path(folder), AWKWARD)
        for together in written:
            library.now += 7
            library.write(*together)
            for identifier in dict.fromkeys(record.identifier for record in together):
                before = library.glance(_pairs(identifier), at=at)
                long = library.repository.answer(at, _pairs(identifier))
                assert before in (None, long)
                assert library.glance(_pairs(identifier), at=at) in (None, long)
        library.close()


@pytest.mark.parametrize("at", ["", "hay"])
@pytest.mark.parametrize("identifier", ["oai:x:1", "http://x.example/a?b=c%20d+e;f", "x"])
def test_a_plain_record_is_known_at_a_glance_in_either_order(
    library: Holdings, at: str, identifier: str
) -> None:
    library.write(live(identifier, sets=("a", "b")), live("oai:x:other", sets=("b",)))
    library.ask("GetRecord", identifier="oai:x:other", metadataPrefix="oai_dc", at=at)
    verb, *rest = _pairs(identifier)
    for pairs in ([verb, *rest], [verb, *reversed(rest)]):
        found = library.glance(pairs, at=at)
        assert found is not None
        assert found == library.ask_pairs(pairs, at=at).body


def test_what_has_changed_is_not_answered_from_what_was_known(library: Holdings) -> None:
    library.write(live("oai:x:1", dublin_core("Hay")))
    library.ask_pairs(_pairs("oai:x:1"))
    library.now += 60
    library.write(live("oai:x:1", dublin_core("Straw")))
    assert library.glance(_pairs("oai:x:1")) is None
    assert b"Straw" in library.ask_pairs(_pairs("oai:x:1")).body
    library.write(gone("oai:x:1"))
    assert library.ask_pairs(_pairs("oai:x:1")).headers[0].is_deleted


def test_in_a_server_what_has_changed_is_told_a_moment_later(
    library: Holdings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_listing, "CALM_SECONDS", 0.0)
    monkeypatch.setattr(record_listing, "HELD_SECONDS", 0.5)
    library.write(live("oai:x:1", dublin_core("Hay")))
    library.ask_pairs(_pairs("oai:x:1"))

    async def ask() -> None:
        told = [library.glance(_pairs("oai:x:1")) for _ in range(3)]
        library.write(live("oai:x:1", dublin_core("Straw")))
        told.append(library.glance(_pairs("oai:x:1")))
        assert all(each is not None and b"Hay" in each for each in told)
        while library.glance(_pairs("oai:x:1")) is not None:
            await asyncio.sleep(0)
        assert b"Straw" in library.repository.answer("", _pairs("oai:x:1"))

    asyncio.run(asyncio.wait_for(ask(), WAIT_SECONDS))


def test_the_first_source_that_has_an_identifier_answers_for_it_in_its_formats(library: Holdings) -> None:
    library.write(live("oai:x:1", other()), prefix="barn")
    library.write(live("oai:x:1"), live("oai:y:1"), source="oats")
    library.ask_pairs(_pairs("oai:y:1"))
    assert library.glance(_pairs("oai:y:1")) is not None
    assert library.glance(_pairs("oai:x:1")) is None


def test_what_is_hidden_from_somebody_is_left_to_the_long_way(library: Holdings) -> None:
    library.write(live("oai:x:1"), live("oai:x:2", sets=(f"{GUARD}x",)))
    assert library.ask_pairs(_pairs("oai:x:2")).errors == ["idDoesNotExist"]
    assert library.glance(_pairs("oai:x:2")) is None
    assert library.glance(_pairs("oai:x:1")) is None


@pytest.mark.parametrize(
    "query",
    [
        "",
        "verb=GetRecord",
        "verb=GetRecord&identifier=&metadataPrefix=oai_dc",
        "verb=GetRecord&identifier=oai:x:1&metadataPrefix=nothing",
        "verb=GetRecord&identifier=oai:x:1&metadataPrefix=oai%5Fdc",
        "verb=GetRecord&identifier=oai:x:1&metadataPrefix=oai_dc&",
        "verb=GetRecord&identifier=oai:x:1&identifier=oai:x:1&metadataPrefix=oai_dc",
        "verb=GetRecord&identifier=%FF&metadataPrefix=oai_dc",
        "verb=GetRecord&identifier=oai:x:1%00&metadataPrefix=oai_dc",
        "verb=GetRecord&identifier=%26%3C%22&metadataPrefix=oai_dc",
        "verb=ListRecords&identifier=oai:x:1&metadataPrefix=oai_dc",
    ],
)
def test_what_is_asked_otherwise_is_left_to_the_long_way(library: Holdings, query: str) -> None:
    library.write(live("oai:x:1"), live('&<"'))
    library.ask_pairs(_pairs("oai:x:1"))
    assert library.repository.answer_query("", query.encode()) is None


def test_a_library_that_cannot_be_read_is_told_by_the_long_way(library: Holdings) -> None:
    library.write(live("oai:x:1"))
    library.ask_pairs(_pairs("oai:x:1"))
    raw = library.repository._desk().offering._raw
    assert raw is not None
    raw.close()
    assert library.glance(_pairs("oai:x:1")) is None
    with pytest.raises(StoreError):
        library.repository.answer("", _pairs("oai:x:1"))


def test_a_damaged_block_is_left_to_the_long_way(library: Holdings) -> None:
    library.write(live("oai:x:1"), live("oai:x:2"))
    library.ask_pairs(_pairs("oai:x:1"))
    with library.store.writing() as connection:
        connection.execute("UPDATE block SET data = x'00'")
    assert library.ask_pairs(_pairs("oai:x:2")).errors == ["cannotDisseminateFormat"]
    assert library.glance(_pairs("oai:x:2")) is None
