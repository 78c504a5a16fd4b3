"""A Document as plain values."""

from __future__ import annotations

import dataclasses
import json

from windrow.exports.csv_export import HEADER, cell
from windrow.exports.entries import COLUMNS, as_cells, as_dict
from windrow.model.document import (
    Agent,
    Document,
    DocumentDate,
    Event,
    HeldFile,
    Identifier,
    Link,
    LinkKind,
    Subject,
    Text,
)

FULL = Document(
    titles=(Text("One", "en"), Text("Two")),
    creators=(Agent("Ek, Bo", None, "https://orcid.org/1"),),
    contributors=(Agent("Ås, Li", "advisor"),),
    subjects=(Subject("law", "local"),),
    keywords=("a", "b"),
    descriptions=(Text("Words"),),
    dates=(DocumentDate("2001", "issued"), DocumentDate("2002")),
    year=2001,
    pages=12,
    links=(Link("https://x.example/1", LinkKind.LANDING), Link("https://x.example/1.pdf", LinkKind.FULLTEXT)),
    names=(Identifier("doi", "10.1/x"),),
    institution="Somewhere",
    extra={"dc:format": ("pdf",)},
    events=(Event("7", period="autumn", place="Oslo"), Event("8")),
)


def test_json_has_every_field_that_holds_something() -> None:
    found = json.loads(json.dumps(as_dict(FULL)))
    filled = {item.name for item in dataclasses.fields(FULL) if getattr(FULL, item.name)}
    assert found.keys() == filled
    assert found["titles"] == [{"value": "One", "language": "en"}, {"value": "Two"}]
    assert found["links"][1] == {"url": "https://x.example/1.pdf", "kind": "fulltext"}
    assert found["events"] == [{"identifier": "7", "period": "autumn", "place": "Oslo"}, {"identifier": "8"}]
    assert found["extra"] == {"dc:format": ["pdf"]}


def test_an_empty_document_is_an_empty_object() -> None:
    assert as_dict(Document()) == {}


def test_cells_are_texts_numbers_or_lists() -> None:
    cells = as_cells(FULL)
    assert cells.keys() == COLUMNS.keys()
    assert cells["title"] == "One"
    assert cells["other_titles"] == ["Two"]
    assert cells["contributors"] == ["Ås, Li (advisor)"]
    assert cells["dates"] == ["issued: 2001", "2002"]
    assert cells["fulltext"] == ["https://x.example/1.pdf"]
    assert cells["names"] == ["doi:10.1/x"]
    assert cells["events"] == ["autumn, Oslo", "8"]


def test_a_cell_is_one_line() -> None:
    assert cell(["a\nb", "c\td"]) == "a b | c d"
    assert cell(None) == ""
    assert cell(7) == "7"


def test_no_column_is_there_twice() -> None:
    assert len(set(HEADER)) == len(HEADER)


def test_a_file_is_described_without_its_text() -> None:
    file = HeldFile("a/b.pdf", "application/pdf", 7, "ab", text=("much", "text"), facts=(("camera", "Box"),))
    assert as_dict(Document(file=file)) == {
        "file": {
            "path": "a/b.pdf",
            "media_type": "application/pdf",
            "size": 7,
            "sha256": "ab",
            "facts": [{"name": "camera", "value": "Box"}],
        }
    }
