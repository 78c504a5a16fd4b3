"""What others said about a record is said again."""

from __future__ import annotations

import pytest
from lxml import etree

from tests.unit.protocols.oai.answering.answers import NOON, entry, harvest
from windrow.protocols.oai.about_containers import MAX_BYTES, Provenance, about_contents
from windrow.protocols.oai.payload_xml import ROOT_DECLARATIONS
from windrow.protocols.oai.provider_response import render_datestamp

RIGHTS = b'<r:rights xmlns:r="urn:r"><r:text>&#169; &amp; all</r:text></r:rights>'


def wrap(*contents: bytes) -> bytes:
    return b"\n".join(b"<about>" + each + b"</about>" for each in contents)


def test_rights_go_on_and_provenance_does_not() -> None:
    provenance = Provenance("https://o.example/oai", "urn:n", is_altered=False)
    told = provenance.render("oai:o:1", "2024-01-01", render_datestamp(NOON))
    (rights,) = about_contents(wrap(told, RIGHTS), ROOT_DECLARATIONS)
    root = etree.fromstring(rights)
    assert (root.tag, root.xpath("string()")) == ("{urn:r}rights", "© & all")


def test_an_about_reads_the_same_after_two_hops() -> None:
    about = RIGHTS
    for _ in range(2):
        (harvested,) = harvest(entry(abouts=[about]))
        assert harvested.about is not None
        (about,) = about_contents(harvested.about, harvested.declarations)
        root = etree.fromstring(about)
        assert (root.tag, root.xpath("string()")) == ("{urn:r}rights", "© & all")


def test_a_prefix_declared_around_the_record_is_declared_on_the_content() -> None:
    (content,) = about_contents(wrap(b"<r:rights/>"), b' xmlns:r="urn:r"')
    assert etree.fromstring(content).tag == "{urn:r}rights"


@pytest.mark.parametrize(
    "about",
    [
        b"",
        b"<about/>",
        b"<about>words</about>",
        b"<about><bare/></about>",
        b"<about><r:rights/></about>",
        b"<about><x></about>",
        b"<about>&undeclared;</about>",
        wrap(RIGHTS) + b" " * MAX_BYTES,
        wrap(b'<x xmlns="urn:x">' + b"<x>" * 5000 + b"</x>" * 5000 + b"</x>"),
    ],
)
def test_what_cannot_stand_in_an_about_is_left_out(about: bytes) -> None:
    assert about_contents(about, b"") == ()
