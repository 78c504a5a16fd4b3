from __future__ import annotations

import json

from hypothesis import given

from tests.unit.formats.documents import documents
from windrow.formats.citations.csl_json import write_csl_json
from windrow.model.document import Agent, Document, DocumentDate, Identifier, Link, LinkKind, Subject, Text

THESIS = Document(
    titles=(Text("Hay"), Text("Heinä", "fi")),
    creators=(Agent("Mower, Ann"), Agent("Barn Institute")),
    contributors=(Agent("Rake, Bo", "advisor"), Agent("Stack, Eva", "editor")),
    subjects=(Subject("hay"), Subject("straw")),
    keywords=("straw", "meadows"),
    descriptions=(Text("About hay."), Text("Heinästä.", "fi")),
    publishers=("Barn Press",),
    dates=(DocumentDate("2011-01-01", "created"), DocumentDate("2012-05-03T10:00:00Z", "issued")),
    year=2012,
    types=("Doctoral thesis",),
    languages=("en",),
    pages=120,
    links=(Link("https://barn.example/1", LinkKind.LANDING),),
    names=(
        Identifier("doi", "10.1234/hay"),
        Identifier("isbn", "978-951-98548-9-2"),
        Identifier("local", "B 7"),
    ),
    institution="Field University",
)


def test_a_thesis_has_everything_in_its_place() -> None:
    assert write_csl_json(THESIS, "oai:hay:1") == {
        "id": "oai:hay:1",
        "type": "thesis",
        "genre": "Doctoral dissertation",
        "title": "Hay",
        "author": [{"family": "Mower", "given": "Ann"}, {"literal": "Barn Institute"}],
        "editor": [{"family": "Stack", "given": "Eva"}],
        "issued": {"date-parts": [[2012, 5, 3]]},
        "publisher": "Field University",
        "number-of-pages": 120,
        "language": "en",
        "keyword": "hay, straw, meadows",
        "abstract": "About hay.",
        "URL": "https://barn.example/1",
        "DOI": "10.1234/hay",
        "ISBN": "978-951-98548-9-2",
    }


def test_an_article_is_in_its_journal_and_of_its_publisher() -> None:
    item = write_csl_json(
        Document(types=("article",), sources=("Journal of Hay",), publishers=("Press",), institution="Field"),
        "x",
    )
    assert (item["container-title"], item["publisher"]) == ("Journal of Hay", "Press")


def test_a_reference_to_the_document_itself_is_not_what_it_is_printed_in() -> None:
    whole = "Mower, Ann (2012) The future of hay in the north. Journal of Hay, 3 (1). pp. 1-9"
    document = Document(
        titles=(Text("The Future of Hay in the North"),),
        types=("article",),
        sources=("https://barn.example/journal", "x" * 400, whole, "Journal of Hay"),
    )
    assert write_csl_json(document, "x")["container-title"] == "Journal of Hay"


def test_what_a_document_does_not_say_is_not_there() -> None:
    assert write_csl_json(Document(), "x") == {"id": "x", "type": "document"}


def test_a_date_that_contradicts_the_year_is_not_taken() -> None:
    item = write_csl_json(Document(year=2012, dates=(DocumentDate("2020-01-01", "available"),)), "x")
    assert item["issued"] == {"date-parts": [[2012]]}


def test_an_impossible_month_is_left_out() -> None:
    item = write_csl_json(Document(year=2012, dates=(DocumentDate("2012-13-40", "issued"),)), "x")
    assert item["issued"] == {"date-parts": [[2012]]}


def test_only_addresses_on_the_web_are_given() -> None:
    item = write_csl_json(Document(links=(Link("javascript:alert(1)", LinkKind.LANDING),)), "x")
    assert "URL" not in item


@given(documents())
def test_whatever_a_document_holds_it_is_json(document: Document) -> None:
    item = write_csl_json(document, "x")
    assert json.loads(json.dumps(item)) == item
    assert None not in item.values()
