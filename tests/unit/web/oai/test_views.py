from __future__ import annotations

import pytest

from tests.unit.web.oai.holdings import Holdings, live, other

COLLECTION = '[collections.feed]\ntitle = "Fodder"\nsources = ["oats", "rye"]\n'
FIRST = other(b"first")
RYE = '[sources.rye]\nurl = "https://rye.example/oai"\n'


@pytest.fixture
def grouped(library: Holdings) -> Holdings:
    library.configure(COLLECTION + RYE)
    for source in ("hay", "oats", "rye"):
        library.write(live(f"oai:{source}:1", sets=("a",)), source=source)
    return library


@pytest.mark.parametrize(
    ("at", "identifiers", "sets"),
    [
        ("", ["oai:hay:1", "oai:oats:1", "oai:rye:1"], ["hay", "hay:a", "oats", "oats:a", "rye", "rye:a"]),
        ("feed", ["oai:oats:1", "oai:rye:1"], ["oats", "oats:a", "rye", "rye:a"]),
        ("hay", ["oai:hay:1"], ["a"]),
    ],
)
def test_an_address_shows_its_own_sources_and_their_sets(
    grouped: Holdings, at: str, identifiers: list[str], sets: list[str]
) -> None:
    assert grouped.listed(at=at) == identifiers
    assert grouped.ask("ListSets", at=at).texts("setSpec") == sets
    for identifier in ("oai:hay:1", "oai:oats:1", "oai:rye:1"):
        asked = grouped.ask("GetRecord", at=at, identifier=identifier, metadataPrefix="oai_dc")
        assert asked.errors == ([] if identifier in identifiers else ["idDoesNotExist"])


def test_a_collection_is_called_by_its_title(grouped: Holdings) -> None:
    assert grouped.ask("Identify", at="feed").texts("repositoryName") == ["Fodder"]
    assert grouped.ask("Identify", at="feed").texts("baseURL") == ["https://library.example/oai/feed"]


def test_a_source_that_is_configured_no_more_is_shown_no_more(grouped: Holdings) -> None:
    grouped.settings = '[sources.hay]\nurl = "https://hay.example/oai"\n'
    grouped.restart()
    assert grouped.listed() == ["oai:hay:1"]


def test_of_two_records_with_one_identifier_the_first_source_has_it_everywhere(library: Holdings) -> None:
    library.write(live("oai:x:1", FIRST, sets=("a",)))
    library.write(live("oai:x:1", other(b"second"), sets=("b",)), live("oai:x:2"), source="oats")
    library.write(live("oai:x:1", other(b"k")), live("oai:x:2", other(b"k")), source="oats", prefix="kk")
    (record,) = library.ask("GetRecord", identifier="oai:x:1", metadataPrefix="oai_dc").records
    assert (record.payload, record.sets) == (FIRST, ("hay", "hay:a"))
    assert library.ask("GetRecord", identifier="oai:x:1", metadataPrefix="kk").errors == [
        "cannotDisseminateFormat"
    ]
    assert library.listed() == ["oai:x:1", "oai:x:2"]
    assert library.listed(set="oats") == ["oai:x:2"]
    assert library.listed(set="oats:b") == []
    assert library.listed(metadataPrefix="kk") == ["oai:x:2"]
    listed = library.ask("ListRecords", metadataPrefix="oai_dc", set="hay").records
    assert [each.payload for each in listed] == [FIRST]
    assert library.listed(at="oats") == ["oai:x:1", "oai:x:2"]
