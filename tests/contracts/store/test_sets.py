"""Sets: names, hierarchy, membership, and the same set under two specs."""

from __future__ import annotations

import pytest

from tests.contracts.store.shelf import Shelf, gone, live
from windrow.store.records.set_hierarchy import (
    MAX_DEPTH,
    SetGroups,
    StoredSet,
    list_sets,
    merge_duplicates,
    name_sets,
)


def name(shelf: Shelf, *listed: tuple[str, str]) -> int:
    with shelf.store.writing() as connection:
        return name_sets(connection, shelf.source_id, listed)


def merge(shelf: Shelf) -> list[tuple[str, str]]:
    with shelf.store.writing() as connection:
        return merge_duplicates(connection, shelf.source_id)


def sets(shelf: Shelf) -> dict[str, StoredSet]:
    with shelf.store.reading() as connection:
        return {item.spec: item for item in list_sets(connection, shelf.source_id)}


def test_sets_have_the_names_that_were_listed(shelf: Shelf) -> None:
    assert name(shelf, ("a", "Alpha"), ("b", "Beta"), ("a", "Alpha again")) == 2
    assert {spec: item.name for spec, item in sets(shelf).items()} == {"a": "Alpha again", "b": "Beta"}
    name(shelf, ("a", "Renamed"), ("b", ""))
    assert {spec: item.name for spec, item in sets(shelf).items()} == {"a": "Renamed", "b": "Beta"}


def test_a_set_seen_only_on_records_is_a_set_without_a_name_until_it_is_listed(shelf: Shelf) -> None:
    groups = SetGroups(shelf.source_id)
    with shelf.store.writing() as connection:
        numbers = groups.groups(connection, [("s", "t"), (), ("s",)])
    assert numbers[()] == 0
    assert len(set(numbers.values())) == 3
    assert groups.unnamed == {"s", "t"}
    assert {spec: item.name for spec, item in sets(shelf).items()} == {"s": "", "t": ""}
    name(shelf, ("s", "Listed"))
    assert sets(shelf)["s"].name == "Listed"


def test_a_combination_has_one_number_whoever_asks(shelf: Shelf) -> None:
    with shelf.store.writing() as connection:
        first = SetGroups(shelf.source_id).groups(connection, [("s", "t")])[("s", "t")]
        again = SetGroups(shelf.source_id).groups(connection, [("t", "s"), ("s", "t", "s")])
    assert {again[("t", "s")], again[("s", "t", "s")]} == {first}


def test_two_writers_of_one_source_number_their_sets_alike(shelf: Shelf) -> None:
    first, second = SetGroups(shelf.source_id), SetGroups(shelf.source_id)
    for writer in (first, second):  # both have read what there is
        with shelf.store.writing() as connection:
            writer.groups(connection, [("s",)])
    numbers = []
    for writer in (first, second):
        with shelf.store.writing() as connection:
            numbers.append(writer.groups(connection, [("new",), ("new", "s")]))
    assert numbers[0] == numbers[1]
    assert set(sets(shelf)) == {"s", "new"}


def test_a_set_lies_in_the_nearest_set_that_exists(shelf: Shelf) -> None:
    name(shelf, ("a", "A"), ("a:b:c", "C"), ("a:b:c:d", "D"), ("ab:c", "other"), ("x:y", "no parent"))
    found = sets(shelf)
    assert found["a:b:c"].parent == "a"
    assert found["a:b:c:d"].parent == "a:b:c"
    assert found["ab:c"].parent is None
    assert found["x:y"].parent is None
    name(shelf, ("a:b", "B"))
    assert sets(shelf)["a:b:c"].parent == "a:b"


def test_a_spec_of_nothing_but_colons_is_no_trouble(shelf: Shelf) -> None:
    name(
        shelf, (":" * 200_000, "odd"), ("a", "A"), ("a" + ":b" * (MAX_DEPTH + 1), "too deep"), (":", "colon")
    )
    assert sets(shelf)["a" + ":b" * (MAX_DEPTH + 1)].parent is None
    assert len(sets(shelf)) == 4


def test_live_records_are_counted_by_set(shelf: Shelf) -> None:
    shelf.write(live("1", sets=("a",)), live("2", sets=("a", "b")), gone("3", sets=("a",)), live("4"))
    Shelf(shelf.store, "straw").write(live("1", sets=("a",)))
    assert {spec: item.records for spec, item in sets(shelf).items()} == {"a": 2, "b": 1}


@pytest.mark.parametrize("specs", [("col_1_2", "hdl_1_2"), ("a:x", "a:y"), ("hdl_1_2", "col_1_2")])
def test_two_specs_of_one_name_with_the_same_records_are_one_set(
    shelf: Shelf, specs: tuple[str, str]
) -> None:
    name(shelf, ("a", "Parent"), *[(spec, "Theses") for spec in specs])
    shelf.write(*[live(str(number), sets=specs) for number in range(5)])
    assert merge(shelf) == [(specs[1], specs[0])]
    assert sets(shelf)[specs[1]].merged_into == specs[0]
    assert sets(shelf)[specs[0]].merged_into is None


def test_a_set_without_records_is_one_with_its_namesake_that_has_some(shelf: Shelf) -> None:
    name(shelf, ("empty", "Theses"), ("full", "Theses"))
    shelf.write(live("1", sets=("full",)))
    assert merge(shelf) == [("empty", "full")]


def test_an_empty_collection_of_dspace_is_not_another_one_of_its_name(shelf: Shelf) -> None:
    shelf.write(live("a", sets=("com_1_1", "col_1_5")))
    listed = [("com_1_1", "North"), ("col_1_5", "Theses"), ("col_1_6", "Theses"), ("hdl_1_6", "Theses")]
    with shelf.store.writing() as connection:
        name_sets(connection, shelf.source_id, listed)
        assert merge_duplicates(connection, shelf.source_id) == [("hdl_1_6", "col_1_6")]


def test_three_specs_of_one_set_are_merged_into_one(shelf: Shelf) -> None:
    name(shelf, ("x", "Theses"), ("y", "Theses"), ("z", "Theses"))
    shelf.write(live("1", sets=("x", "y")), live("2", sets=("x", "y")))
    assert sorted(merge(shelf)) == [("y", "x"), ("z", "x")]


@pytest.mark.parametrize(
    ("first", "second"),
    [(("x", "Theses"), ("y", "Papers")), (("a:x", "Theses"), ("b:y", "Theses")), (("x", ""), ("y", ""))],
)
def test_sets_of_other_names_or_parents_are_not_merged(
    shelf: Shelf, first: tuple[str, str], second: tuple[str, str]
) -> None:
    name(shelf, ("a", "A"), ("b", "B"), first, second)
    shelf.write(live("1", sets=(first[0], second[0])), live("2", sets=("a",)), live("3", sets=("b",)))
    assert merge(shelf) == []


def test_namesakes_with_other_members_are_not_merged_even_where_there_are_as_many(shelf: Shelf) -> None:
    name(shelf, ("x", "Theses"), ("y", "Theses"))
    shelf.write(live("1", sets=("x",)), live("2", sets=("y",)), live("3", sets=("x", "y")))
    assert merge(shelf) == []


def test_sets_that_grow_apart_are_told_apart_again(shelf: Shelf) -> None:
    name(shelf, ("x", "Theses"), ("y", "Theses"))
    shelf.write(live("1", sets=("x", "y")))
    assert merge(shelf) == [("y", "x")]
    shelf.write(live("2", sets=("x",)))
    assert merge(shelf) == []
    assert sets(shelf)["y"].merged_into is None


def test_sources_have_their_own_sets(shelf: Shelf) -> None:
    other = Shelf(shelf.store, "straw")
    name(shelf, ("a", "Hay"))
    name(other, ("a", "Straw"))
    assert (sets(shelf)["a"].name, sets(other)["a"].name) == ("Hay", "Straw")
