"""Numbers of the owner's own: what a file holds, which lines cannot be used, what they are joined with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.stats.making import dated, documents, notes, population, rows
from windrow.config.schema import TableSettings
from windrow.index.protocol import EVERYTHING
from windrow.model.query import Value, Word
from windrow.stats.catalogue import find_page, list_pages, list_tables, make_table
from windrow.stats.own_tables import Fault, OwnRow, OwnTables, parse_table
from windrow.stats.population import Population

SETTINGS = TableSettings(
    name="admitted", file="a.csv", title="Admitted", ratio="Theses per student", source="The ministry"
)
HEAD = "institution,year,number\n"
ENTRIES = documents(
    dated(2019, "hay", institution="Field University"),
    dated(2019, institution="Field University"),
    dated(2020, institution="Field University"),
    dated(2020, institution="Barn Polytechnic"),
    dated(2020, institution="Ängs högskola"),
)


def _counted(folder: Path, text: str, **settings: object) -> Population:
    (folder / "a.csv").write_text(text, encoding="utf-8")
    own = OwnTables(folder, {"admitted": replace(SETTINGS, **settings)})  # type: ignore[arg-type]
    return replace(population(ENTRIES), own=own)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_columns_are_known_by_their_names_whatever_is_between_them(delimiter: str) -> None:
    lines = [("Number", "Remark", " YEAR", "Institution"), ("1 200", "x", "2019", '"Field  University"')]
    text = "\ufeff".lstrip("\ufeff") + "\r\n".join(map(delimiter.join, lines))
    assert parse_table(text, SETTINGS).rows == (OwnRow("Field University", "2019", 1200.0, 2),)


@pytest.mark.parametrize(
    ("written", "number"), [("12,5", 12.5), ("1 200,25", 1200.25), ("12.5", 12.5), ("7", 7.0)]
)
def test_a_file_with_semicolons_may_have_decimal_commas(written: str, number: float) -> None:
    found = parse_table(f"institution;year;number\nA;2019;{written}\n", SETTINGS)
    assert found.faults == ()
    assert [row.number for row in found.rows] == [number]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (",2019,5", "it names no institution"),
        ("A,,5", "it has no year"),
        ("A,soon,5", "“soon” is no year"),
        ("A,2019/20,5", "years are counted as 2019 here, and not as 2019/20"),
        ("A,2019,", "it has no number"),
        ("A,2019", "it has no number"),
        ("A,2019,many", "“many” is no number such as 1234 or 12.5"),
        ("A,2019,-5", "“-5” is no number such as 1234 or 12.5"),
        ('A,2019,"1,200"', "“1,200” is no number such as 1234 or 12.5"),
        ("B,2018,7", "line 2 has the same institution and year"),
    ],
)
def test_a_line_that_cannot_be_used_is_kept_with_its_number(line: str, reason: str) -> None:
    found = parse_table(f'{HEAD}B,2018,6\n\n"C\nD",2018,6\n{line}\nE,2018,6\n', SETTINGS)
    assert found.faults == (Fault(6, reason),)
    assert [(row.institution, row.line) for row in found.rows] == [("B", 2), ("C D", 4), ("E", 7)]


def test_academic_years_are_wanted_where_they_are_counted() -> None:
    found = parse_table(f"{HEAD}A,2019/20,5\nA,2019,5\n", SETTINGS, 801)
    assert [row.year for row in found.rows] == ["2019/20"]
    assert found.faults == (Fault(3, "years are counted as 2019/20 here, and not as 2019"),)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"institution,year\n", "must name the columns institution, year, number; it lacks number"),
        (b"", "it lacks institution, year, number"),
        ("institution,year,number\nÄ,2019,5\n".encode("latin-1"), "is not UTF-8"),
        (None, "cannot be read: No such file"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path: Path, data: bytes | None, reason: str) -> None:
    if data is not None:
        (tmp_path / "a.csv").write_bytes(data)
    (fault,) = OwnTables(tmp_path, {"admitted": SETTINGS}).get("admitted").faults
    assert fault.line == 0
    assert reason in fault.reason


def test_records_are_divided_by_the_numbers_of_their_institution_and_year(tmp_path: Path) -> None:
    text = f"{HEAD}Field University,2019,10\nFIELD university,2020,5\nangs hogskola,2020,4\n"
    counted = _counted(tmp_path, text)
    by_institution = make_table("own-admitted", counted)
    assert rows(by_institution, "institution", "records", "number", "ratio") == [
        ("Ängs högskola", 1, 4, 0.25),
        ("Field University", 3, 15, 0.2),
    ]
    assert by_institution.rows[1].filter == (("institution", "Field University"), ("year", "2019..2020"))
    assert rows(make_table("own-admitted-years", counted), "year", "records", "number", "ratio") == [
        ("2019", 2, 10, 0.2),
        ("2020", 2, 9, pytest.approx(2 / 9)),
    ]
    assert rows(make_table("own-admitted-rows", counted), "institution", "year", "ratio")[0] == (
        "Field University",
        "2019",
        0.2,
    )
    assert "numbers from The ministry" in notes(by_institution)
    assert "4 of 5" in notes(by_institution)
    assert "without a number: 1 (Barn Polytechnic)" in notes(by_institution)


def test_every_number_leads_to_the_records_it_counts(tmp_path: Path) -> None:
    counted = _counted(tmp_path, f"{HEAD}Field University,2019,10\nBarn Polytechnic,2020,5\n")
    for row in make_table("own-admitted-rows", counted).rows:
        found = counted
        for field, value in row.filter:
            found = found.narrowed(Value(value, field))
        assert found.count() == row.cells[2]


def test_lines_that_match_nothing_or_are_wrong_are_named(tmp_path: Path) -> None:
    counted = _counted(tmp_path, f"{HEAD}Nowhere,2019,1\nField University,2019,2\nField University,,2\n")
    said = notes(make_table("own-admitted", counted))
    assert "whose institution no record has: 1 (2 “Nowhere”)" in said
    assert "that are not used: 1 (4)" in said


def test_a_narrower_question_narrows_both_sides(tmp_path: Path) -> None:
    counted = _counted(tmp_path, f"{HEAD}Field University,2019,10\nField University,2020,5\n")
    chosen = replace(counted.narrowed(Word("hay")), wants_year=lambda year: year == "2019")
    assert rows(make_table("own-admitted", chosen), "records", "number") == [(1, 10)]
    none = replace(counted, institutions=("Barn Polytechnic",))
    assert make_table("own-admitted", none).rows == ()
    assert counted.index.count(EVERYTHING) == 5


def test_a_number_of_none_has_no_ratio_and_per_multiplies_it(tmp_path: Path) -> None:
    counted = _counted(tmp_path, f"{HEAD}Field University,2019,0\nBarn Polytechnic,2020,50\n", per=100)
    found = rows(make_table("own-admitted", counted), "institution", "ratio")
    assert found == [("Barn Polytechnic", 2.0), ("Field University", None)]


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    counted = _counted(tmp_path, f"{HEAD}Field University,2019,10\n")
    before = make_table("own-admitted", counted)
    (tmp_path / "a.csv").write_text(f"{HEAD}Field University,2019,2000\n")
    assert make_table("own-admitted", counted).rows != before.rows


def test_pages_and_tables_are_listed_with_all_others(tmp_path: Path) -> None:
    own = _counted(tmp_path, HEAD).own
    assert list_tables(own)[-3:] == ("own-admitted", "own-admitted-years", "own-admitted-rows")
    assert list_pages(own)[-1] == find_page("own-admitted", own)
    assert find_page("own-admitted", OwnTables()) is None
