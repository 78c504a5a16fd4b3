"""Which pages become records, and by which identifier."""

from __future__ import annotations

import pytest

from windrow.formats.wir.page_identity import has_metadata, own_identifier
from windrow.model.web_page import Item, MetaTag, Page

URL = "https://www.example.edu/1"


def page(*tags: tuple[str, str], items: tuple[Item, ...] = ()) -> Page:
    return Page(URL, tags=tuple(MetaTag(*tag) for tag in tags), items=items)


@pytest.mark.parametrize(
    ("tag", "described"),
    [
        ("DC.Title", True),
        ("dcterms:issued", True),
        ("dc_creator", True),
        ("citation_author", True),
        ("bepress_citation_title", True),
        ("description", False),
        ("og:title", False),
        ("dcx.title", False),
        ("dc", False),
        ("STUDERA.event", False),
    ],
)
def test_dublin_core_and_highwire_make_a_page_a_record(tag: str, described: bool) -> None:
    assert has_metadata(page((tag, "x"))) is described


def test_an_empty_tag_describes_nothing() -> None:
    assert not has_metadata(page(("DC.Title", "")))


def test_an_item_makes_a_page_a_record() -> None:
    assert has_metadata(page(items=({"@type": "Course", "name": "x"},)))


def test_all_required_tags_must_be_there_however_they_are_written() -> None:
    require = ("DC.Title", "STUDERA.identifier")
    assert has_metadata(page(("dc:title", "x"), ("studera_identifier", "y")), require)
    assert not has_metadata(page(("dc:title", "x"), ("citation_title", "y")), require)
    assert not has_metadata(page(("dc:title", "x"), ("STUDERA.identifier", "")), require)
    assert has_metadata(page(("course", "x")), ("Course",))


@pytest.mark.parametrize(
    ("tags", "identifier"),
    [
        ([("STUDERA.identifier", "mh-MAAA45"), ("DC.Identifier", "other-1")], "mh-MAAA45"),
        ([("DC.Identifier", "https://doi.org/10.1234/x")], "doi:10.1234/x"),
        ([("citation_doi", "10.1234/x")], "doi:10.1234/x"),
        ([("citation_doi", "doi:10.1234/x")], "doi:10.1234/x"),
        ([("dcterms.identifier", "urn:nbn:fi-fe2024")], "urn:nbn:fi-fe2024"),
        ([("dc.identifier", "https://www.example.edu/front")], None),
        ([("dc.identifier", "Smith, J. (2024). A book about 3 things. Oulu.")], None),
        ([("dc.identifier", "Untitled")], None),
        ([("dc.identifier", "none"), ("dc.identifier", "A-17")], "A-17"),
        ([("dc.title", "A-17")], None),
    ],
)
def test_the_own_identifier_is_what_looks_like_one(
    tags: list[tuple[str, str]], identifier: str | None
) -> None:
    assert own_identifier(page(*tags)) == identifier


def test_an_item_gives_the_identifier_if_it_is_the_only_one() -> None:
    course: Item = {"@type": "Course", "identifier": {"@type": "PropertyValue", "value": "C-101"}}
    assert own_identifier(page(items=(course,))) == "C-101"
    assert own_identifier(page(items=(course, {**course, "identifier": "C-102"}))) is None
