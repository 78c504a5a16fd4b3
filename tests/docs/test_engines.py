"""The page on what search engines read says what the writers write, field by field."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.docs.markdown import pages
from windrow.formats.citations.reference_fields import WorkKind
from windrow.formats.page_metadata import meta_tags, tag_values
from windrow.formats.page_metadata.schema_org import TYPES, json_ld
from windrow.model.document import (
    Agent,
    Document,
    DocumentDate,
    Event,
    Heading,
    HeldFile,
    Identifier,
    Link,
    LinkKind,
    Subject,
    Text,
)

PAGE = next(each for each in pages() if str(each) == "docs/explain/what-search-engines-read.md")
ADDRESS = "https://windrow.example/record/hay/1"
KINDS = (
    "Thesis",
    "Report",
    "Article",
    "Chapter",
    "Conference paper",
    "Book",
    "Dataset",
    "Course",
    "Image",
    "x",
)
ORCID = "https://orcid.org/0000-0002-1825-0097"
# Something in each field that makes every tag there is for it.
FULL: Mapping[str, Any] = {
    "titles": (Text("Hay"),),
    "creators": (Agent("Mower, Ann", None, ORCID, ("Barn",)),),
    "contributors": (Agent("Rake, Bo"),),
    "subjects": (Subject("hay", None, "https://terms.example/hay"),),
    "keywords": ("straw",),
    "descriptions": (Text("About hay."),),
    "publishers": ("Barn Press",),
    "dates": tuple(DocumentDate("May 2012", kind) for kind in (*meta_tags.DATES, "accessioned")),
    "year": 2012,
    "types": ("Thesis",),
    "languages": ("en",),
    "pages": 80,
    "links": tuple(
        Link(f"https://barn.example/1.{kind}", kind_of_link, media_type=f"application/{kind}")
        for kind in ("pdf", "xhtml+xml")
        for kind_of_link in LinkKind
    ),
    "names": tuple(Identifier(scheme, "1") for scheme in meta_tags.NAMES),
    "rights": ("All rights reserved",),
    "sources": ("Journal of Hay, 3, 1, 5-9",),
    "relations": ("Part two",),
    "institution": "Field University",
    "department": "School of Grass",
    "events": (Event("H-1"),),
    "prerequisites": ("Some hay",),
    "exams": ("Master of Hay",),
    "professions": ("Mower",),
}


def rows(heading: str) -> list[list[str]]:
    """Give the cells of the table under a heading, without its first two lines."""
    section = PAGE.text.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


TABLE = {
    cells[0].strip("`"): set(re.findall(r"`([^`]+)`", " ".join(cells[1:])))
    for cells in rows("Which field goes where")
}


def said(document: Document) -> set[tuple[str, str]]:
    """Give every name that is said in the head of a page, with what is said."""
    tags = [
        *meta_tags.dublin_core_tags(document, ADDRESS),
        *meta_tags.highwire_tags(document, ADDRESS),
        *meta_tags.open_graph_tags(document, ADDRESS),
    ]
    node = json_ld(document, ADDRESS)
    return {(tag.name, tag.content) for tag in tags} | {(key, repr(value)) for key, value in node.items()}


def names_for(field: str, bases: Sequence[Document]) -> set[str]:
    """Give the names under which a page says more where a document has this field."""
    found = [said(replace(base, **{field: FULL[field]})) - said(base) for base in bases]
    return {name for names in found for name, _ in names}


@pytest.mark.parametrize("field", FULL)
def test_a_field_goes_where_the_page_says(field: str) -> None:
    titles = () if field == "titles" else (Text("Straw"),)
    bases = [Document(titles=titles, types=() if field == "types" else (kind,)) for kind in KINDS]
    assert names_for(field, bases) - {"citation_abstract_html_url"} == TABLE[field]


def test_every_field_is_on_the_page() -> None:
    from_sets = {"units", "collections"}  # the first unit is institution and department
    assert set(TABLE) == set(Document.__slots__) - {"extra", "file"} - from_sets == set(FULL)


def test_a_file_says_nothing_in_the_head_by_itself() -> None:
    bare = Document(titles=(Text("Hay"),))
    file = HeldFile("hay.pdf", "application/pdf", 80, "ab", text=("Of hay.",), headings=(Heading("Hay"),))
    assert said(replace(bare, file=file)) == said(bare)


def test_every_kind_of_work_is_on_the_page_with_its_type() -> None:
    listed = {
        kind: cells[1].strip("`")
        for cells in rows("Which type a record has")
        for kind in cells[0].split(", ")
    }
    assert listed == {kind.value: TYPES.get(kind, "CreativeWork") for kind in WorkKind}


def test_the_bounds_are_those_of_the_code() -> None:
    for number in (
        tag_values.MOST_PEOPLE,
        tag_values.MOST_VALUES,
        tag_values.MOST_TITLES,
        tag_values.MOST_ABSTRACTS,
        tag_values.LONGEST_ABSTRACT,
        tag_values.LONGEST_TITLE,
    ):
        assert f"{number:,}" in PAGE.text
