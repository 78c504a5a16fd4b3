"""Tables say what counting the documents one by one says."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.unit.stats.making import NOW, SAMPLE, dated, documents, notes, population, rows
from windrow.index.tantivy.rows import facts_of
from windrow.model.document import Document
from windrow.model.query import Value
from windrow.stats.catalogue import OVERVIEW, PAGES, TABLES, make_table
from windrow.stats.table import to_english


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("institutions", "institution"),
        ("languages", "language"),
        ("types", "type"),
        ("subjects", "subject"),
        ("keywords", "keyword"),
    ],
)
def test_the_most_used_values_are_counted_and_their_shares_are_of_all_records(name: str, field: str) -> None:
    table = make_table(name, population())
    counted = Counter(value for entry in SAMPLE for value in facts_of(entry)[field])
    found = {value: (count, share) for value, count, share in rows(table, field, "records", "share")}
    assert found == {value: (count, count / len(SAMPLE)) for value, count in counted.items()}
    without = sum(not facts_of(entry)[field] for entry in SAMPLE)
    assert f": {without} of {len(SAMPLE)}." in notes(table)


def test_rows_lead_to_the_records_they_count() -> None:
    everyone = population()
    for name in ("institutions", "languages", "growth", "departments", "subjects"):
        table = make_table(name, everyone)
        (counts,) = (table.values("records"),)
        for row, count in zip(table.rows, counts, strict=True):
            narrowed = everyone
            for field, value in row.filter:
                narrowed = narrowed.narrowed(Value(value, field))
            assert narrowed.count() == count, (name, row)


def test_growth_has_every_year_its_sum_until_then_and_the_change() -> None:
    made = [dated(2020), dated(2020), dated(2022), dated(None)]
    table = make_table("growth", population(documents(*made)))
    assert rows(table, "year", "records", "cumulative", "change") == [
        ("2020", 2, 2, None),
        ("2021", 0, 2, 0.0),
        ("2022", 1, 3, None),
    ]
    assert "Without a year: 1 of 4." in notes(table)


def test_a_year_that_is_not_over_is_said_to_be_so() -> None:
    table = make_table("growth", population(documents(dated(NOW.year))))
    assert f"{NOW.year} is not over" in notes(table)
    assert table.drawing is not None
    assert table.drawing.incomplete == str(NOW.year)
    assert "not over" not in notes(make_table("growth", population(documents(dated(NOW.year - 1)))))


def test_departments_have_their_share_of_the_institution() -> None:
    made = [Document(institution="A", department=name) for name in ("x", "x", "x", "y")]
    table = make_table("departments", population(documents(*made, Document(institution="B"))))
    assert rows(table, "institution", "rank", "department", "records", "share") == [
        ("A", 1, "x", 3, 0.75),
        ("A", 2, "y", 1, 0.25),
    ]


def test_one_institution_is_shown_with_more_of_its_departments() -> None:
    made = [Document(institution="A", department=f"d{place}") for place in range(20)]
    entries = documents(*made)
    assert len(make_table("departments", population(entries)).rows) == 6
    one = population(entries, Value("A", "institution"), institutions=("A",))
    assert len(make_table("departments", one).rows) == 20


def test_subjects_over_time_are_shares_of_each_year() -> None:
    made = [dated(2020, "hay"), dated(2020), dated(2021, "hay"), dated(None, "hay")]
    table = make_table("subjects-over-time", population(documents(*made)))
    assert rows(table, "subject", "records", "y2020", "y2021") == [("hay", 3, 0.5, 1.0)]


def test_what_the_limit_leaves_out_is_said() -> None:
    made = [Document(institution=f"I{place:03}") for place in range(60)]
    table = make_table("institutions", population(documents(*made)))
    assert len(table.rows) == 50
    assert "Only the 50 most used are listed; all others together were counted 10 times." in notes(table)


@pytest.mark.parametrize("name", TABLES)
def test_every_table_can_be_made_of_nothing_at_all(name: str) -> None:
    table = make_table(name, population([]))
    assert table.rows == ()
    assert to_english(table.title)


@pytest.mark.parametrize("name", TABLES)
def test_every_table_can_be_made_of_any_search(name: str) -> None:
    everyone = population()
    table = make_table(name, everyone.narrowed(Value("Barn Polytechnic", "institution")))
    assert all(len(row.cells) == len(table.columns) for row in table.rows)


def test_titles_say_from_when_to_when_and_out_of_what() -> None:
    for name in set(TABLES) - {"freshness", "trends"}:
        table = make_table(name, population())
        assert (table.period, str(table.origin)) == ("2005–2024", "Sample"), name


def test_pages_name_tables_that_there_are() -> None:
    named = {name for page in PAGES for name in page.tables}
    assert named == set(TABLES)
    assert set(OVERVIEW) <= {page.name for page in PAGES}


def test_records_without_a_statement_of_rights_are_no_records_of_several_institutions() -> None:
    open_access = Document(rights=("http://creativecommons.org/licenses/by/4.0/",))
    for name in ("access", "licences", "types", "languages"):
        table = make_table(name, population(documents(open_access, Document(), Document())))
        assert not any("institution" in to_english(note) for note in table.notes), name
