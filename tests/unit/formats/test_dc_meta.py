"""Dublin Core in the head of a page."""

from __future__ import annotations

import pytest

from windrow.formats.page_metadata.meta_tags import dc_identifier, dublin_core_tags
from windrow.formats.page_metadata.tag_values import Tag
from windrow.model.document import Agent, Document, DocumentDate, Identifier, Link, LinkKind, Subject, Text

ADDRESS = "https://windrow.example/record/hay/1"


def test_every_field_has_its_tag() -> None:
    document = Document(
        titles=(Text("Hay", "en"), Text("Heinä")),
        creators=(Agent("Mower, Ann"),),
        contributors=(Agent("Rake, Bo", "advisor"),),
        subjects=(Subject("hay", "AGROVOC", "https://terms.example/hay", "en"),),
        keywords=("hay", "straw"),
        descriptions=(Text("About hay.", "en"),),
        publishers=("Barn Press",),
        dates=(
            DocumentDate("2012-05-03", "issued"),
            DocumentDate("2012-06-01", "accessioned"),
            DocumentDate("2011", "x y"),
        ),
        year=2012,
        types=("thesis",),
        languages=("en",),
        pages=80,
        links=(
            Link("https://barn.example/1", LinkKind.LANDING),
            Link("https://barn.example/1.pdf", LinkKind.FULLTEXT, media_type="application/pdf"),
            Link("https://barn.example/1.jpg", LinkKind.THUMBNAIL),
            Link("https://licences.example/by", LinkKind.LICENSE),
            Link("https://barn.example/2", LinkKind.RELATED),
        ),
        names=(Identifier("doi", "10.1234/hay"), Identifier("local", "B 7")),
        rights=("All rights reserved",),
        sources=("Journal of Hay",),
        relations=("Part two",),
        institution="Field University",
        department="School of Grass",
    )
    assert dublin_core_tags(document, ADDRESS) == [
        Tag("DC.title", "Hay", "en"),
        Tag("DC.title", "Heinä"),
        Tag("DC.creator", "Mower, Ann"),
        Tag("DC.contributor", "Rake, Bo"),
        Tag("DC.subject", "hay", "en"),
        Tag("DCTERMS.subject", "https://terms.example/hay"),
        Tag("DC.subject", "straw"),
        Tag("DC.description", "About hay.", "en"),
        Tag("DC.publisher", "Barn Press"),
        Tag("DCTERMS.issued", "2012-05-03"),
        Tag("DC.date.accessioned", "2012-06-01"),
        Tag("DC.date", "2011"),
        Tag("DC.type", "thesis"),
        Tag("DC.language", "en"),
        Tag("DCTERMS.extent", "80 pages"),
        Tag("DC.identifier", ADDRESS),
        Tag("DC.identifier", "doi:10.1234/hay"),
        Tag("DC.identifier", "B 7"),
        Tag("DCTERMS.identifier", "https://barn.example/1"),
        Tag("DCTERMS.hasFormat", "https://barn.example/1.pdf"),
        Tag("DC.format", "application/pdf"),
        Tag("DCTERMS.license", "https://licences.example/by"),
        Tag("DCTERMS.relation", "https://barn.example/2"),
        Tag("DC.rights", "All rights reserved"),
        Tag("DC.source", "Journal of Hay"),
        Tag("DC.relation", "Part two"),
        Tag("DC.contributor.institution", "Field University"),
        Tag("DC.contributor.department", "School of Grass"),
    ]


def test_a_year_stands_for_the_date_where_there_is_no_date() -> None:
    assert Tag("DCTERMS.issued", "0987") in dublin_core_tags(Document(year=987), ADDRESS)
    assert Tag("DCTERMS.issued", "2012") not in dublin_core_tags(
        Document(year=2012, dates=(DocumentDate("2012"),)), ADDRESS
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (Identifier("isbn", "978-951-98548-9-2"), "isbn:978-951-98548-9-2"),
        (Identifier("urn", "URN:NBN:fi-1"), "URN:NBN:fi-1"),
        (Identifier("oai", "oai:hay:1"), "oai:hay:1"),
        (Identifier("local", "x"), "x"),
    ],
)
def test_a_name_says_once_what_it_is(name: Identifier, text: str) -> None:
    assert dc_identifier(name) == text
