"""Collaboration: the strongest pairs whoever they are, each with the filter that finds its records."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from tests.unit.stats.making import SAMPLE, documents, joint, notes, population, rows
from windrow.index.tantivy.rows import facts_of
from windrow.model.document import Agent, Document
from windrow.model.query import Value, all_of
from windrow.stats.catalogue import make_table
from windrow.stats.rankings import MAX_PAIRS


def test_a_pair_counts_the_records_that_name_both() -> None:
    table = make_table("collaboration", population())
    counted: Counter[frozenset[str]] = Counter()
    for entry in SAMPLE:
        counted.update(map(frozenset, combinations(facts_of(entry)["affiliation"], 2)))
    found = {
        frozenset((str(one), str(other))): count
        for one, other, count in rows(table, "one", "other", "records")
    }
    assert found == dict(counted)


def test_three_institutions_are_three_pairs() -> None:
    table = make_table("collaboration", population(documents(joint("A", "B", "C"), joint("A"))))
    assert rows(table, "one", "other", "records") == [("A", "B", 1), ("A", "C", 1), ("B", "C", 1)]


def test_institutions_that_work_alone_hide_no_pair() -> None:
    alone = [joint(f"Alone {place}") for place in range(40) for _ in range(3)]
    table = make_table("collaboration", population(documents(*alone, joint("A", "B"))))
    assert rows(table, "one", "other", "records") == [("A", "B", 1)]


def test_a_person_with_two_institutions_is_a_pair() -> None:
    both = Document(creators=(Agent("Mower, Ann", affiliations=("A; B", "C")),))
    table = make_table("collaboration", population(documents(both)))
    assert rows(table, "one", "other", "records") == [("A; B", "C", 1)]


def test_the_one_that_works_with_more_comes_first() -> None:
    table = make_table("collaboration", population(documents(joint("A", "Z"), joint("B", "Z"))))
    assert rows(table, "one", "other") == [("Z", "A"), ("Z", "B")]


def test_the_strongest_pairs_are_listed_and_the_others_told_of() -> None:
    weak = [joint("Hub", f"Partner {place:02}") for place in range(MAX_PAIRS + 9)]
    table = make_table("collaboration", population(documents(*weak, *[joint("Y", "Z")] * 2)))
    assert rows(table, "one", "other", "records")[0] == ("Y", "Z", 2)
    assert len(table.rows) == MAX_PAIRS
    assert "Only the 50 pairs with most records are listed." in notes(table)
    assert "Only the" not in notes(make_table("collaboration", population(documents(*weak[:MAX_PAIRS]))))


def test_the_filter_of_a_pair_finds_what_it_counts() -> None:
    people = population()
    for row in make_table("collaboration", people).rows:
        conditions = [Value(value, field) for field, value in row.filter]
        assert people.index.count(all_of(conditions)) == row.cells[2]
