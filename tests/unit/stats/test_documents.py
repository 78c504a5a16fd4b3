"""The files of a library in numbers."""

from __future__ import annotations

from tests.unit.stats.making import documents, population, rows
from windrow.model.document import Document, HeldFile
from windrow.stats.catalogue import make_table
from windrow.stats.lengths import TABLES
from windrow.stats.table import ENGLISH, Kind, to_english


def paper(media_type: str, size: int, *, year: int | None = 2014, pages: int | None = None) -> Document:
    file = HeldFile("a/b", media_type, size, "")
    return Document(year=year, pages=pages, languages=("en",), file=file)


MADE = documents(
    paper("application/pdf", 9_999, pages=3),
    paper("application/pdf", 10_000, pages=4),
    paper("image/jpeg", 500_000_000, year=2013),
    Document(year=1999, pages=700, languages=("fi",)),
)


def test_files_are_counted_by_their_kinds() -> None:
    table = make_table("document-kinds", population(MADE))
    assert rows(table, "media", "records") == [("application/pdf", 2), ("image/jpeg", 1)]
    assert table.rows[0].filter == (("media", "application/pdf"),)
    assert table.summary is not None
    assert to_english(table.summary).startswith("PDF comes first")


def test_sizes_stand_in_classes_from_small_to_large() -> None:
    table = make_table("document-sizes", population(MADE))
    assert rows(table, "size", "records") == [("0..9999", 1), ("10000..99999", 1), ("100000000..", 1)]
    assert [ENGLISH.cell(cell, Kind.SIZE) for cell in table.values("size")] == [
        "0–9,999 bytes",
        "10,000–99,999 bytes",
        "100,000,000 bytes and more",
    ]


def test_records_without_files_are_not_among_them() -> None:
    found = population(MADE)
    assert [row[0] for row in rows(make_table("document-languages", found), "language")] == ["en"]
    assert rows(make_table("document-years", found), "year", "records") == [("2013", 1), ("2014", 2)]
    assert sum(count for (count,) in rows(make_table("document-pages", found), "records")) == 2  # type: ignore[misc]


def test_every_row_leads_to_files_alone() -> None:
    for name in TABLES:
        for row in make_table(name, population(MADE)).rows:
            assert {field for field, _ in row.filter} & {"media", "size"}, name
