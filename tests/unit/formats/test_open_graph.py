"""What a page is called where its address is passed on."""

from __future__ import annotations

import pytest

from windrow.formats.page_metadata.meta_tags import DESCRIPTION_CHARACTERS, open_graph_tags
from windrow.model.document import Document, Text

ADDRESS = "https://windrow.example/record/hay/1"


def said(document: Document) -> dict[str, str]:
    return {tag.name: tag.content for tag in open_graph_tags(document, ADDRESS, site_name="Hay")}


def test_a_page_has_a_title_a_beginning_and_a_place() -> None:
    document = Document(
        titles=(Text("Hay"),), descriptions=(Text("About\n hay."), Text("More")), types=("article",)
    )
    assert said(document) == {
        "og:title": "Hay",
        "og:description": "About hay.",
        "og:type": "article",
        "og:url": ADDRESS,
        "og:site_name": "Hay",
    }


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("Thesis", "article"),
        ("Book", "book"),
        ("Video", "video.other"),
        ("Dataset", "website"),
        ("?", "website"),
    ],
)
def test_the_type_is_one_that_open_graph_knows(kind: str, name: str) -> None:
    assert said(Document(types=(kind,)))["og:type"] == name


def test_a_long_abstract_is_cut_between_words() -> None:
    beginning = said(Document(descriptions=(Text("hay, straw " * 1000),)))["og:description"]
    assert beginning.endswith("straw …")
    assert len(beginning) <= DESCRIPTION_CHARACTERS + 2
