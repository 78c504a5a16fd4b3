"""What a document looks like as oai_dc."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from lxml import etree

from tests.oai_schema import validate_oai_dc
from tests.unit.formats.documents import documents
from windrow.formats.dublin_core.oai_dc import write_oai_dc
from windrow.formats.registry import read
from windrow.model.document import Agent, Document, DocumentDate, Identifier, Link, LinkKind, Subject, Text

XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
LANDING = "https://hay.example/record/7"


def values(document: Document, name: str) -> list[str | None]:
    root = etree.fromstring(write_oai_dc(document))
    return [element.text for element in root.iter(f"{{http://purl.org/dc/elements/1.1/}}{name}")]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(document=documents())
def test_every_document_is_written_as_valid_oai_dc_always_in_the_same_bytes(document: Document) -> None:
    written = write_oai_dc(document)
    validate_oai_dc(written)
    assert write_oai_dc(document) == written


def test_an_empty_document_is_an_element_without_children() -> None:
    validate_oai_dc(write_oai_dc(Document()))
    assert read(write_oai_dc(Document()), b"", "oai_dc") == Document()


def test_every_field_has_its_element() -> None:
    document = Document(
        titles=(Text("Hay & straw", "en"), Text("Heu")),
        creators=(Agent("Mower, Ann"),),
        contributors=(Agent("Rake, Bo", role="advisor"),),
        subjects=(Subject("meadows", language="en"),),
        keywords=("meadows", "drying"),
        descriptions=(Text("Two\n\nparagraphs", "en"),),
        publishers=("Barn Press",),
        dates=(DocumentDate("2014-05-03", "issued"),),
        year=2014,
        types=("thesis",),
        languages=("en", "fi"),
        pages=80,
        links=(Link(LANDING, LinkKind.LANDING), Link(f"{LANDING}/a.pdf", LinkKind.FULLTEXT)),
        names=(Identifier("isbn", "978-951-51-0000-1"),),
        rights=("All rights reserved",),
        sources=("Journal of Hay 7",),
        relations=("Part two",),
        institution="Field University",
        department="School of Grass",
        extra={"dc:coverage": ("Meadowshire",), "junk": ("nothing to say",)},
    )
    said = {name: values(document, name) for name in ("title", "subject", "contributor", "identifier")}
    assert said == {
        "title": ["Hay & straw", "Heu"],
        "subject": ["meadows", "drying"],
        "contributor": ["Rake, Bo", "Field University", "School of Grass"],
        "identifier": [LANDING, f"{LANDING}/a.pdf", "ISBN:978-951-51-0000-1"],
    }
    again = read(write_oai_dc(document), b"", "oai_dc")
    for field in ("titles", "creators", "descriptions", "publishers", "year", "types", "languages", "pages"):
        assert getattr(again, field) == getattr(document, field), field
    for field in ("links", "names", "rights", "sources", "relations"):
        assert getattr(again, field) == getattr(document, field), field
    assert again.extra == {"dc:coverage": ("Meadowshire",), "dc:format": ("80 pages",)}


def test_languages_stand_in_the_attribute_unless_the_schema_forbids_them() -> None:
    titles = (Text("a", "fi"), Text("b", "no such language"), Text("c", '"'), Text("d"))
    root = etree.fromstring(write_oai_dc(Document(titles=titles)))
    assert [title.get(XML_LANG) for title in root] == ["fi", None, None, None]


@pytest.mark.parametrize("character", ["\x00", "\x0c", "\x1f", "\ufffe", "\uffff", "\ud800"])
def test_a_character_that_xml_forbids_is_replaced(character: str) -> None:
    assert values(Document(publishers=(f"a{character}b",)), "publisher") == ["a\ufffdb"]


def test_a_carriage_return_comes_through_the_parser() -> None:
    assert values(Document(publishers=("a\r\nb",)), "publisher") == ["a\r\nb"]


def test_the_institution_stands_for_a_missing_publisher() -> None:
    document = Document(institution="Field University", department="School of Grass")
    assert values(document, "publisher") == ["Field University"]
    assert values(document, "contributor") == ["School of Grass"]


def test_an_institution_named_already_is_not_named_again() -> None:
    document = Document(publishers=("Barn",), creators=(Agent("Field University"),), institution="Barn")
    assert values(document, "contributor") == []


def test_a_doi_is_written_once_as_an_address() -> None:
    link = Link("https://doi.org/10.1234/x", LinkKind.LANDING)
    document = Document(links=(link,), names=(Identifier("doi", "10.1234/x"),))
    assert values(document, "identifier") == ["https://doi.org/10.1234/x"]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        (Identifier("doi", "10.1234/x"), "https://doi.org/10.1234/x"),
        (Identifier("hdl", "10024/7"), "https://hdl.handle.net/10024/7"),
        (Identifier("issn", "0378-5955"), "ISSN:0378-5955"),
        (Identifier("urn", "urn:nbn:fi:7"), "urn:nbn:fi:7"),
        (Identifier("arxiv", "1901.00001"), "arXiv:1901.00001"),
        (Identifier("pmid", "7"), "PMID:7"),
        (Identifier("local", "Shelf 7"), "Shelf 7"),
        (Identifier("oclc", "7"), "oclc:7"),
    ],
)
def test_identifiers_say_what_they_are(name: Identifier, written: str) -> None:
    assert values(Document(names=(name,)), "identifier") == [written]


def test_licences_and_related_addresses_are_written_unless_a_text_has_them() -> None:
    links = (
        Link("https://a.example/licence", LinkKind.LICENSE),
        Link("https://b.example/licence", LinkKind.LICENSE),
        Link("https://c.example/7", LinkKind.RELATED),
    )
    document = Document(links=links, rights=("See https://a.example/licence",))
    assert values(document, "rights") == ["See https://a.example/licence", "https://b.example/licence"]
    assert values(document, "relation") == ["https://c.example/7"]


def test_types_of_the_repository_vocabulary_get_their_whole_names_back() -> None:
    full = "info:eu-repo/semantics/masterThesis"
    document = Document(types=("masterThesis", "Text"), extra={"dc:type": (full,)})
    assert values(document, "type") == [full, "Text"]
    assert read(write_oai_dc(document), b"", "oai_dc").types == document.types


@pytest.mark.parametrize(
    ("name", "element"),
    [
        ("dc:coverage", "coverage"),
        ("dcterms:temporal", "coverage"),
        ("mods:physicalDescription/extent", "format"),
        ("xoai:dc.rights.uri", "rights"),
        ("mods:note", "description"),
    ],
)
def test_what_no_field_had_a_place_for_is_said_where_dublin_core_has_a_word(name: str, element: str) -> None:
    assert values(Document(extra={name: ("word",)}), element) == ["word"]


@pytest.mark.parametrize("name", ["marc:001", "xoai:dc.description.provenance", "dc:title", "x"])
def test_what_dublin_core_has_no_word_for_is_left_out(name: str) -> None:
    assert write_oai_dc(Document(extra={name: ("word",)})) == write_oai_dc(Document())


@pytest.mark.parametrize(
    ("moments", "year", "written"),
    [
        ([("2014-05-03", "date")], 2014, ["2014-05-03"]),
        ([("20140503", "issued")], 2014, ["2014-05-03"]),
        ([("2014-05-03T10:20:30Z", "available"), ("2013", "issued")], 2013, ["2013", "2014-05-03"]),
        ([("1905", "created"), ("2014", "issued")], 2014, ["2014"]),
        ([("Spring 2014", "issued")], 2014, ["2014", "Spring 2014"]),
        ([("n.d.", "date")], None, ["n.d."]),
        ([("2016-01-01", "embargo")], 2016, ["2016", "info:eu-repo/date/embargoEnd/2016-01-01"]),
        ([], 2014, ["2014"]),
        ([], None, []),
    ],
)
def test_the_date_of_publication_goes_first_and_none_before_it_is_said(
    moments: list[tuple[str, str]], year: int | None, written: list[str]
) -> None:
    document = Document(dates=tuple(DocumentDate(*moment) for moment in moments), year=year)
    assert values(document, "date") == written
    assert read(write_oai_dc(document), b"", "oai_dc").year == year
