"""The tags that Google Scholar reads."""

from __future__ import annotations

import pytest

from windrow.formats.page_metadata.meta_tags import highwire_tags, is_pdf
from windrow.model.document import Agent, Document, DocumentDate, Identifier, Link, LinkKind, Subject, Text

ADDRESS = "https://windrow.example/record/hay/1"
FILE = "https://barn.example/files/hay.pdf"


def said(document: Document) -> list[tuple[str, str]]:
    return [(tag.name.removeprefix("citation_"), tag.content) for tag in highwire_tags(document, ADDRESS)]


def test_an_article_has_what_scholar_asks_for() -> None:
    document = Document(
        titles=(Text("Hay", "en"), Text("Heinä", "fi")),
        creators=(
            Agent(
                "Mower, Ann, 1950-",
                identifier="https://orcid.org/0000-0002-1825-0097",
                affiliations=("Barn",),
            ),
            Agent("Bo Rake"),
        ),
        contributors=(Agent("Stack, Eva", "editor"),),
        subjects=(Subject("hay"),),
        keywords=("straw", "hay"),
        publishers=("Barn Press",),
        dates=(DocumentDate("2012-05-03", "issued"),),
        year=2012,
        types=("article",),
        languages=("en",),
        links=(Link(FILE, LinkKind.FULLTEXT), Link("https://barn.example/hay.html", LinkKind.FULLTEXT)),
        names=(Identifier("doi", "10.1234/hay"), Identifier("issn", "0317-8471"), Identifier("local", "B 7")),
        sources=("Journal of Hay, 3, 1, 5-9",),
    )
    assert said(document) == [
        ("title", "Hay"),
        ("author", "Mower, Ann"),
        ("author_institution", "Barn"),
        ("author_orcid", "https://orcid.org/0000-0002-1825-0097"),
        ("author", "Bo Rake"),
        ("publication_date", "2012/05/03"),
        ("journal_title", "Journal of Hay"),
        ("volume", "3"),
        ("issue", "1"),
        ("firstpage", "5"),
        ("lastpage", "9"),
        ("publisher", "Barn Press"),
        ("doi", "10.1234/hay"),
        ("issn", "0317-8471"),
        ("language", "en"),
        ("keywords", "hay"),
        ("keywords", "straw"),
        ("abstract_html_url", ADDRESS),
        ("pdf_url", FILE),
        ("fulltext_html_url", "https://barn.example/hay.html"),
    ]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("Doctoral thesis", "dissertation_institution"),
        ("Bachelor's thesis", "dissertation_institution"),
        ("Report", "technical_report_institution"),
        ("Book", "publisher"),
    ],
)
def test_who_stands_behind_a_work_is_named_by_what_the_work_is(kind: str, name: str) -> None:
    document = Document(titles=(Text("Hay"),), types=(kind,), institution="Field University")
    assert (name, "Field University") in said(document)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("Conference paper", "conference_title"),
        ("Book chapter", "inbook_title"),
        ("Article", "journal_title"),
    ],
)
def test_what_a_work_is_in_is_named_by_what_the_work_is(kind: str, name: str) -> None:
    document = Document(titles=(Text("Hay"),), types=(kind,), sources=("All About Barns",))
    assert (name, "All About Barns") in said(document)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2012-05-03", "2012/05/03"),
        ("2012-05", "2012/05"),
        ("spring 2012", "2012"),
        ("2012-02-30", "2012/02"),
    ],
)
def test_a_date_is_as_exact_as_the_record_and_the_calendar_allow(text: str, date: str) -> None:
    document = Document(titles=(Text("Hay"),), dates=(DocumentDate(text, "issued"),), year=2012)
    assert ("publication_date", date) in said(document)


def test_a_date_without_a_year_of_publication_is_not_given() -> None:
    document = Document(titles=(Text("Hay"),), dates=(DocumentDate("2031-01-01", "embargo"),))
    assert "publication_date" not in dict(said(document))


def test_a_document_without_a_title_has_no_tags() -> None:
    assert said(Document(creators=(Agent("Mower, Ann"),), titles=(Text("\x00"),))) == []


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        (Link("https://a.example/x.PDF?download=1#page=2", LinkKind.FULLTEXT), True),
        (Link("https://a.example/bitstream/1", LinkKind.FULLTEXT, media_type="application/pdf; q=1"), True),
        (Link("https://a.example/bitstream/1", LinkKind.FULLTEXT, label="Hay.pdf"), True),
        (Link("https://a.example/x.pdf", LinkKind.FULLTEXT, media_type="text/html"), False),
        (Link("https://a.example/?file=x.pdf", LinkKind.FULLTEXT), False),
        (Link("https://a.example/x.docx", LinkKind.FULLTEXT), False),
    ],
)
def test_a_pdf_is_told_by_its_media_type_or_its_name(link: Link, expected: bool) -> None:
    assert is_pdf(link) is expected


def test_only_the_thing_itself_is_its_pdf() -> None:
    other = Link("https://a.example/about.pdf", LinkKind.RELATED)
    assert "pdf_url" not in dict(said(Document(titles=(Text("Hay"),), links=(other,))))
