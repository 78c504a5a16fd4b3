from __future__ import annotations

import pytest

from windrow.formats.registry import read
from windrow.model.document import Document, LinkKind, Subject

NAMESPACES = (
    b' xmlns="http://www.w3.org/2005/Atom" xmlns:dcterms="http://purl.org/dc/terms/"'
    b' xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:o="http://www.openarchives.org/ore/atom/"'
)
AGGREGATES = "http://www.openarchives.org/ore/terms/aggregates"


def entry(inside: str) -> Document:
    return read(f"<entry>{inside}</entry>".encode(), NAMESPACES, "ore")


@pytest.mark.parametrize(
    ("attributes", "kind"),
    [
        (f'rel="{AGGREGATES}"', LinkKind.FULLTEXT),
        ('rel="alternate"', LinkKind.LANDING),
        ("", LinkKind.LANDING),
        ('rel="alternate" type="application/atom+xml"', LinkKind.RELATED),
        ('rel="license"', LinkKind.LICENSE),
    ],
)
def test_a_link_is_what_its_relation_says(attributes: str, kind: LinkKind) -> None:
    assert [link.kind for link in entry(f'<link {attributes} href="https://example.org/1"/>').links] == [kind]


def test_a_file_in_the_bundle_of_extracted_text_is_not_the_thing_itself() -> None:
    link = f'<link rel="{AGGREGATES}" href="https://example.org/1"/>'
    said = "<dcterms:description>TEXT</dcterms:description>"
    triples = (
        f'<o:triples><rdf:Description rdf:about="https://example.org/1">{said}</rdf:Description></o:triples>'
    )
    assert [link.kind for link in entry(link + triples).links] == [LinkKind.RELATED]


def test_links_of_the_map_to_itself_stay_in_extra() -> None:
    document = entry('<link rel="self" href="https://example.org/map"/>')
    assert not document.links
    assert document.extra["atom:link@href"] == ("https://example.org/map",)


def test_a_term_of_dublin_core_beside_the_entry_counts() -> None:
    document = entry("<published>2017-05-22T16:46:07Z</published><dcterms:issued>1798</dcterms:issued>")
    assert document.year == 1798


def test_a_category_is_a_subject_unless_it_only_says_aggregation() -> None:
    hay = '<category term="F1" label="Fodder" scheme="http://example.org/c"/>'
    ore = '<category term="http://www.openarchives.org/ore/terms/Aggregation" scheme="http://www.openarchives.org/ore/terms/"/>'
    assert entry(hay + ore).subjects == (Subject("Fodder", "http://example.org/c"),)
