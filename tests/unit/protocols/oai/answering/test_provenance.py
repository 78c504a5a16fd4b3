"""Provenance: valid whatever was harvested, and nested hop by hop."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.oai_schema import PROVENANCE, validate
from tests.unit.protocols.oai.answering.answers import NOON, entry, harvest, page
from windrow.protocols.oai.about_containers import MAX_HOPS, MAX_NESTED_BYTES, Provenance
from windrow.protocols.oai.provider_response import render_datestamp


def tell(
    nested: bytes = b"",
    *,
    base_url: str = "https://origin.example/oai",
    identifier: str = "oai:o:1",
    datestamp: str = "2024-01-02",
    is_altered: bool = False,
    declarations: bytes = b"",
) -> bytes:
    provenance = Provenance(base_url, "http://www.openarchives.org/OAI/2.0/oai_dc/", is_altered=is_altered)
    told = provenance.render(identifier, datestamp, render_datestamp(NOON), nested, declarations)
    validate(page(entry(abouts=[told])))
    return told


def origins(told: bytes) -> list[tuple[str | None, ...]]:
    """Base URL, identifier and datestamp of each origin, each inside the one before."""
    found = list(etree.fromstring(told).iter(f"{{{PROVENANCE}}}originDescription"))
    assert all(inner.getparent() is outer for outer, inner in pairwise(found))
    return [tuple(each.findtext(f"{{*}}{name}") for name in FIELDS) for each in found]


FIELDS = ("baseURL", "identifier", "datestamp")
FIRST = ("https://origin.example/oai", "oai:o:1", "2024-01-02")


def test_provenance_says_whence_and_when() -> None:
    told = tell(identifier="oai:o:1&2", is_altered=True)
    assert origins(told) == [("https://origin.example/oai", "oai:o:1&2", "2024-01-02")]
    (origin,) = etree.fromstring(told)
    assert origin.items() == [("harvestDate", "2024-06-01T12:00:00Z"), ("altered", "true")]
    assert origin.findtext("{*}metadataNamespace") == "http://www.openarchives.org/OAI/2.0/oai_dc/"


@pytest.mark.parametrize(
    ("came", "told"),
    [
        ("2024-01-02", "2024-01-02"),
        ("2024-01-02T03:04:05Z", "2024-01-02T03:04:05Z"),
        ("2024-01-02T03:04:05.678Z", "2024-01-02T03:04:05Z"),
        ("2024-01-02 03:04:05", "2024-01-02T03:04:05Z"),
        ("2024-01-02T03:04:05+02:00", "2024-01-02T01:04:05Z"),
    ],
)
def test_a_datestamp_stays_as_it_came_where_it_is_spelled_rightly(came: str, told: str) -> None:
    assert origins(tell(datestamp=came))[0][2] == told


@pytest.mark.parametrize("text", ["", "yesterday", "2024-13-45"])
def test_without_a_date_there_is_no_provenance(text: str) -> None:
    assert tell(datestamp=text) == b""


def test_the_origin_that_a_harvested_record_tells_of_is_nested_inside_ours() -> None:
    (harvested,) = harvest(entry(abouts=[tell()]))
    told = tell(harvested.about or b"", base_url="https://between.example/oai", datestamp="2025-01-01")
    assert origins(told) == [("https://between.example/oai", "oai:o:1", "2025-01-01"), FIRST]


def test_origins_are_nested_to_a_depth_and_no_further() -> None:
    told = tell()
    for number in range(MAX_HOPS + 5):
        told = tell(b"<about>" + told + b"</about>", identifier=f"oai:o:{number}")
    assert len(origins(told)) == MAX_HOPS + 1
    assert origins(told)[1][1] == f"oai:o:{MAX_HOPS + 3}"


def test_a_prefix_declared_around_the_record_is_understood() -> None:
    told = tell().replace(b"<", b"<p:").replace(b"<p:/", b"</p:").replace(b"xmlns=", b"xmlns:p=")
    bare = told.replace(f' xmlns:p="{PROVENANCE}"'.encode(), b"")
    about = b"<about>" + bare + b"</about>"
    assert origins(tell(about)) == [FIRST]
    assert origins(tell(about, declarations=f' xmlns:p="{PROVENANCE}"'.encode())) == [FIRST, FIRST]


def test_provenance_is_found_among_other_abouts() -> None:
    about = b'<about><r xmlns="urn:r"/></about>\n<about>' + tell() + b"</about>"
    assert len(origins(tell(about))) == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'altered="false"', b'altered="perhaps"'),
        (b'altered="false"', b""),
        (b'harvestDate="2024-06-01T12:00:00Z"', b'harvestDate="once"'),
        (b"<datestamp>2024-01-02</datestamp>", b""),
        (b"<identifier>oai:o:1</identifier>", b"<identifier> </identifier>"),
        (b"</originDescription>", b""),
        (b"<baseURL>", b"<baseURL>&undeclared;"),
        (PROVENANCE.encode(), b"urn:something-else"),
        (b"<provenance ", b'<!DOCTYPE x [<!ENTITY a "b">]><provenance '),
        (b"</provenance>", b"</provenance>" + b" " * MAX_NESTED_BYTES),
        (b"<provenance ", b'<x:x xmlns:x="urn:{}"/><provenance '),
    ],
)
def test_what_a_record_tells_wrongly_is_not_told_again(old: bytes, new: bytes) -> None:
    about = b"<about>" + tell() + b"</about>"
    assert old in about
    assert origins(tell(about.replace(old, new))) == [FIRST]


_ANY = st.text(st.characters(codec=None), max_size=10)


@settings(deadline=None)
@given(_ANY, st.binary(max_size=40))
def test_any_identifier_and_any_about_give_valid_provenance(text: str, about: bytes) -> None:
    tell(about + b"<originDescription>", identifier=f"oai:{''.join(filter(str.isalnum, text))}")
    told = Provenance(text, text, is_altered=False).render(text, "2024-01-02", render_datestamp(0))
    etree.fromstring(told)
