"""Tables as files: numbers stay numbers, and no cell is run by a spreadsheet."""

from __future__ import annotations

import csv
import io
import json

from tests.unit.stats.making import NOW, documents, population
from windrow.model.document import Document
from windrow.stats.catalogue import make_table
from windrow.stats.source_quality import build_freshness_table
from windrow.stats.table_export import as_csv, as_json
from windrow.store.overview import SourceOverview


def _read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_csv_has_the_numbers_as_they_are() -> None:
    made = [Document(institution="A")] * 2 + [Document(institution="B")]
    table = make_table("institutions", population(documents(*made)))
    assert _read(as_csv(table)) == [
        {"institution": "A", "records": "2", "share": "0.666667"},
        {"institution": "B", "records": "1", "share": "0.333333"},
    ]


def test_a_formula_from_a_record_is_text_in_a_spreadsheet() -> None:
    made = [Document(institution='=HYPERLINK("x")', year=2020), Document(institution="-1+1", year=2020)]
    entries = documents(*made)
    names = [row["institution"] for row in _read(as_csv(make_table("institutions", population(entries))))]
    assert sorted(names) == ["'-1+1", '\'=HYPERLINK("x")']
    wide = as_csv(make_table("compare-years", population(entries)))
    assert "'=HYPERLINK" in wide.splitlines()[0]


def test_json_has_titles_notes_rows_and_where_they_lead() -> None:
    table = make_table("institutions", population(documents(Document(institution="A", year=2020))))
    value = json.loads(json.dumps(as_json(table)))
    assert value["title"] == "Records per institution, 2020 · Sample"
    assert value["rows"] == [
        {"institution": "A", "records": 1, "share": 1.0, "filter": [["institution", "A"]]}
    ]
    assert [column["kind"] for column in value["columns"]] == ["text", "number", "share"]
    assert value["notes"] == ["Shares are of all records: 1."]


def test_moments_are_in_utc() -> None:
    table = build_freshness_table([SourceOverview("x", records=1, last_good=NOW, outcome="ok")], now=NOW)
    assert _read(as_csv(table))[0]["good"] == "2024-06-01T00:00:00+00:00"
