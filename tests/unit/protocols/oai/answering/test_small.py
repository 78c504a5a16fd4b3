"""Identify, ListMetadataFormats and ListSets: valid, and read by the harvesting half as they were meant."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oai_schema import validate
from tests.unit.protocols.oai.answering.answers import BASE_URL, NOON, answer
from windrow.protocols.oai.oai_page import Token
from windrow.protocols.oai.provider_response import (
    ListedSet,
    friends,
    identify,
    list_metadata_formats,
    list_sets,
    resumption_token,
    toolkit,
)
from windrow.protocols.oai.repository_info import (
    Identity,
    MetadataFormat,
    SetEntry,
    parse_formats,
    parse_identity,
    parse_sets,
)

_ANY = st.text(st.characters(codec=None), max_size=12)


def test_identify_says_what_a_harvester_must_know() -> None:
    body = answer(
        identify(
            name="Hay & straw",
            base_url=BASE_URL,
            admins=["a@library.example", "b@library.example"],
            earliest=0,
            compressions=["gzip", "zstd"],
            descriptions=[toolkit("Windrow", "1.0"), b"", friends(["https://other.example/oai"])],
        )
    )
    validate(body)
    assert body.count(b"<description>") == 2
    assert parse_identity(body) == Identity(
        "Hay & straw",
        BASE_URL,
        "2.0",
        "1970-01-01T00:00:00Z",
        "persistent",
        "YYYY-MM-DDThh:mm:ssZ",
        ("a@library.example", "b@library.example"),
        ("gzip", "zstd"),
        "Windrow",
        "2024-06-01T12:00:00Z",
    )


def test_formats_are_listed_with_schema_and_namespace() -> None:
    formats = (MetadataFormat("oai_dc", "urn:s?a&b", "urn:n"), MetadataFormat("kk", "urn:k", "urn:kk"))
    body = answer(list_metadata_formats(formats))
    validate(body)
    assert parse_formats(body) == formats


def test_sets_are_listed_with_names_and_descriptions() -> None:
    described = b'<d:dc xmlns:d="http://www.openarchives.org/OAI/2.0/oai_dc/"/>'
    sets = [ListedSet("a", "A & B"), ListedSet("a:b", "", described), ListedSet("no set", "Left out")]
    body = answer(list_sets(sets, resumption_token("more", cursor=0, size=9)))
    validate(body)
    read = parse_sets(body)
    assert read.entries == (SetEntry("a", "A & B"), SetEntry("a:b", ""))
    assert read.token == Token("more", 0, 9)
    assert body.count(b"<setDescription>" + described + b"</setDescription>") == 1


@settings(deadline=None)
@given(_ANY, st.lists(_ANY, min_size=1, max_size=3))
def test_whatever_the_names_are_the_answers_are_valid(name: str, others: list[str]) -> None:
    said = identify(name=name, base_url=BASE_URL, admins=["a@b.example"], earliest=NOON, compressions=others)
    validate(answer(said))
    validate(answer(list_sets(ListedSet(f"s{number}", text) for number, text in enumerate(others))))
