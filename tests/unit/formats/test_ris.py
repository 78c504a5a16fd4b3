from __future__ import annotations

import re

from hypothesis import given

from tests.unit.formats.documents import TEXTS, documents
from tests.unit.formats.test_csl_json import THESIS
from windrow.formats.citations.ris import write_ris
from windrow.model.document import Agent, Document, DocumentDate, Link, LinkKind, Text

_LINE = re.compile(r"[A-Z][A-Z0-9]  - \S.*")


def test_a_thesis_is_written_whole() -> None:
    assert write_ris(THESIS, "oai:hay:1").split("\r\n") == [
        "TY  - THES",
        "AU  - Mower, Ann",
        "AU  - Barn Institute",
        "A2  - Stack, Eva",
        "TI  - Hay",
        "PY  - 2012",
        "DA  - 2012/05/03/",
        "PB  - Field University",
        "M3  - Doctoral dissertation",
        "SP  - 120",
        "LA  - en",
        "KW  - hay",
        "KW  - straw",
        "KW  - meadows",
        "AB  - About hay.",
        "DO  - 10.1234/hay",
        "SN  - 978-951-98548-9-2",
        "UR  - https://barn.example/1",
        "ID  - oai:hay:1",
        "ER  - ",
        "",
        "",
    ]


def test_a_date_without_a_day_keeps_its_slashes() -> None:
    document = Document(year=2012, dates=(DocumentDate("2012-05", "issued"),))
    assert "DA  - 2012/05//\r\n" in write_ris(document, "x")


def test_line_breaks_in_a_text_end_no_line() -> None:
    document = Document(titles=(Text("Hay\r\nER  - \r\nTY  - BOOK"),), creators=(Agent("Rake, Bo, Jr."),))
    text = write_ris(document, "x")
    assert text.count("\r\nER  - \r\n") == 1
    assert "TI  - Hay ER - TY - BOOK\r\n" in text
    assert "AU  - Rake, Bo, Jr.\r\n" in text


def test_only_addresses_on_the_web_are_given() -> None:
    document = Document(links=(Link("file:///etc/passwd", LinkKind.FULLTEXT),))
    assert "passwd" not in write_ris(document, "x")


@given(documents(), TEXTS)
def test_whatever_a_document_holds_each_line_has_a_tag(document: Document, identifier: str) -> None:
    text = write_ris(document, identifier)
    lines = text.split("\r\n")
    assert lines[0].startswith("TY  - ")
    assert lines[-3:] == ["ER  - ", "", ""]
    assert all(_LINE.fullmatch(line) for line in lines[:-3])
    assert "\n" not in text.replace("\r\n", "")
