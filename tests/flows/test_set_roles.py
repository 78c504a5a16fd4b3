"""Institutions and departments from sets, against repositories whose truth is written down beside them."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

import pytest

from tests.flows.commanding import windrow
from tests.flows.harvesting import SOURCE, Shelf, make_shelf
from tests.servers.items import Item
from tests.servers.oai import NOW
from tests.servers.shapes import SHAPES, STATED, Shape, dspace, eprints, invenio
from windrow.formats.registry import read
from windrow.index.protocol import Order
from windrow.model.document import Document, Unit
from windrow.model.query import Value
from windrow.model.set_assignment import apply_assignment
from windrow.model.set_layouts import Role
from windrow.search import value_lists
from windrow.search.facets import count_facets
from windrow.search.request import SearchRequest
from windrow.stats.catalogue import make_table
from windrow.stats.population import Population
from windrow.stats.table import UNNAMED, to_english
from windrow.store.published import public_records
from windrow.web.layout.page_layout import PageLayout
from windrow.web.statistics.statistics_pages import field_choices
from windrow.wiring import Library
from windrow.wiring.indexing import follow_index

Make = Callable[[], Shape]


@contextmanager
def harvested(folder: Path, shape: Shape, prefix: str = "oai_dc") -> Iterator[tuple[Shelf, Library]]:
    with shape.server(prefix) as server:
        shelf = make_shelf(folder, server, formats=[prefix])
        shelf.harvest()
    with indexed(shelf) as library:
        yield shelf, library


@contextmanager
def indexed(shelf: Shelf) -> Iterator[Library]:
    """The library with its index up to date. No repository answers any more."""
    library = shelf.open()
    try:
        follow_index(library)
        yield library
    finally:
        library.close()


def found_by(library: Library, question: SearchRequest) -> set[str]:
    found = library.index.search(question.query, limit=1000, order=Order.NUMBER)
    return {hit.card.identifier for hit in found.hits}


def population(library: Library, *institutions: str) -> Population:
    question = SearchRequest().choosing("institution", institutions)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return Population(library.index, question.query, UNNAMED, now, institutions=institutions)


NIITTY, LAW = "Niityn ammattikorkeakoulu", "Liiketalous"


def read_record(library: Library, identifier: str) -> Document:
    """A record of the source as its page shows it."""
    with library.store.reading() as connection:
        found = public_records.find_public_record(connection, SOURCE, identifier, most_past=0)
    assert found is not None
    payload = found.record.payloads[0]
    return apply_assignment(read(payload.data, payload.declarations, payload.prefix), found.record.said)


class PlainFrame:
    """What a list of choices needs of a page."""

    def label(self, field: str) -> str:
        return field

    def value(self, _field: str, value: str) -> str:
        return value


def counted(library: Library) -> tuple[dict[str, int], dict[tuple[str, str], int]]:
    """Institutions and departments as they are browsed."""
    shelf = value_lists.list_institutions(library.index)
    inner = {(each.value, one.value): one.count for each in shelf.values for one in each.within}
    return {each.value: each.count for each in shelf.values}, inner


@pytest.mark.parametrize("prefix", ["oai_dc", "dim"])
@pytest.mark.parametrize("name", SHAPES)
def test_browsing_statistics_and_searches_equal_the_truth(tmp_path: Path, name: str, prefix: str) -> None:
    shape = cast("Make", SHAPES[name])()
    institutions, departments, unassigned = shape.institutions, shape.departments, shape.unassigned
    if prefix == "dim" and unassigned:  # what sets leave open, the metadata fills
        institutions, unassigned = institutions | {STATED: len(shape.unassigned)}, set()
    with harvested(tmp_path, shape, prefix) as (_, library):
        assert counted(library) == (institutions, departments)
        table = make_table("institutions", population(library))
        assert {row.cells[0]: row.cells[1] for row in table.rows} == institutions
        rows = [
            row for one in institutions for row in make_table("departments", population(library, one)).rows
        ]
        assert {(row.cells[0], row.cells[2]): row.cells[3] for row in rows} == departments
        for institution, count in institutions.items():
            question = SearchRequest().choosing("institution", (institution,))
            assert library.index.count(question.query) == count
        for (institution, department), count in departments.items():
            question = (
                SearchRequest().choosing("institution", (institution,)).choosing("department", (department,))
            )
            assert library.index.count(question.query) == count
        assert found_by(library, SearchRequest().choosing("missing", ("institution",))) == unassigned
        assert value_lists.list_institutions(library.index).without == len(unassigned)


@pytest.mark.parametrize("name", ["DSpace", "EPrints", "Invenio"])
def test_sets_that_an_aggregator_passes_on_mean_what_they_meant_at_their_source(
    tmp_path: Path, name: str
) -> None:
    """A Windrow that harvests a Windrow: each set is behind the name of its source, itself a set."""
    shape = cast("Make", SHAPES[name])()
    items = [
        Item(each.identifier, each.stamp, ("barn", *(f"barn:{spec}" for spec in each.sets)), each.payload)
        for each in shape.items
    ]
    sets = [
        ("barn", "barn"),
        *((f"barn:{spec}", words) for spec, words in shape.sets),
        ("year:2015", "Of 2015"),
    ]
    with harvested(tmp_path, replace(shape, sets=sets, items=items)) as (_, library):
        assert counted(library) == (shape.institutions, shape.departments)
        assert found_by(library, SearchRequest().choosing("missing", ("institution",))) == shape.unassigned
        for value in {value for types in shape.types.values() for value in types}:
            expected = {each for each, types in shape.types.items() if value in types}
            assert found_by(library, SearchRequest().choosing("type", (value,))) == expected


@pytest.mark.parametrize("name", SHAPES)
def test_every_record_has_just_its_own_units(tmp_path: Path, name: str) -> None:
    shape = cast("Make", SHAPES[name])()
    with harvested(tmp_path, shape) as (_, library):
        for identifier, units in shape.truth.items():
            expected = {one for one, _ in units}
            for institution in shape.institutions:
                question = SearchRequest(f'identifier:"{identifier}"').choosing("institution", (institution,))
                assert bool(library.index.count(question.query)) is (institution in expected)


def test_facets_show_departments_under_their_own_institution_alone(tmp_path: Path) -> None:
    shape = dspace()
    with harvested(tmp_path, shape) as (_, library):
        (facet,) = count_facets(library.index, SearchRequest(), ("institution", "department"))
        shown = {(each.value, one.value): one.count for each in facet.values for one in each.within}
        assert shown == shape.departments


def test_a_facet_of_departments_beside_a_chosen_institution_has_its_own_departments_alone(
    tmp_path: Path,
) -> None:
    shape = dspace()
    shape.add(["com_10024_1", "col_10024_11", "com_10024_4", "col_10024_41"], (NIITTY, LAW), ("Fourth", LAW))
    shape.sets += [("com_10024_4", "Fourth"), ("col_10024_41", LAW)]
    with harvested(tmp_path, shape) as (_, library):
        for chosen in ([NIITTY], [NIITTY, "Fourth"]):
            question = SearchRequest().choosing("institution", chosen)
            (facet,) = count_facets(library.index, question, ("department",))
            expected = Counter(
                name
                for units in shape.truth.values()
                for name in {two for one, two in units if two and one in chosen}
            )
            assert {each.value: each.count for each in facet.values} == expected
            assert [each.count for each in facet.values] == sorted(expected.values(), reverse=True)
            (short,) = count_facets(library.index, question, ("department",), limit=1)
            assert short.others == expected.total() - short.values[0].count


def test_the_sqlite_export_has_each_department_in_its_own_institution(tmp_path: Path) -> None:
    shape = dspace()
    with harvested(tmp_path, shape) as (shelf, _):
        pass
    path = tmp_path / "theses.db"
    result = windrow(shelf, "export", "--format", "sqlite", "--output", str(path))
    assert result.returncode == 0, result.stderr
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute(
            """SELECT institution.name, department.name, COUNT(*) FROM record_unit
               JOIN institution ON institution.id = institution_id
               JOIN department ON department.id = department_id GROUP BY 1, 2"""
        ).fetchall()
    assert {(one, two): count for one, two, count in rows} == shape.departments


def test_the_institution_of_a_source_is_that_of_records_without_one(tmp_path: Path) -> None:
    shape = dspace()
    shape.sets.append(("col_10024_90", "Stray"))
    shape.add(["col_10024_90"])  # a collection whose community nobody shows
    whole = "University of the Meadows"
    with harvested(tmp_path, shape) as (shelf, library):
        without = value_lists.list_institutions(library.index).without
        assert without == len(shape.unassigned)
    shelf.change(institution=f"  {whole} ")
    with indexed(shelf) as library:  # nothing answers any more
        found, inner = counted(library)
        assert found == shape.institutions | {whole: without}
        assert inner == shape.departments | {(whole, "Stray"): 1}
        assert value_lists.list_institutions(library.index).without == 0
        assert follow_index(library).put == 0
        (stray,) = (item.identifier for item in shape.items if "col_10024_90" in item.sets)
        bare = next(each for each in shape.unassigned if each != stray)
        assert read_record(library, stray).units == (Unit(whole, "Stray"),)
        assert read_record(library, bare).units == (Unit(whole),)
    shelf.change(institution=None)
    with indexed(shelf) as library:
        assert counted(library)[0] == shape.institutions
        assert value_lists.list_institutions(library.index).without == without


def test_the_institution_of_a_source_comes_behind_metadata_and_sets(tmp_path: Path) -> None:
    shape = dspace()
    with harvested(tmp_path, shape, "dim") as (shelf, _):
        pass
    shelf.change(institution="The whole source")
    for prefer in ("sets", "metadata"):
        shelf.change(set_roles={"prefer": prefer})
        with indexed(shelf) as library:
            assert "The whole source" not in counted(library)[0]


def test_a_source_without_sets_has_its_institution_too(tmp_path: Path) -> None:
    shape = Shape([])
    shape.add([])
    shape.add([])
    with shape.server() as server:
        shelf = make_shelf(tmp_path, server, institution="Aalto University")
        shelf.harvest()
        with indexed(shelf) as library:
            assert counted(library) == ({"Aalto University": 2}, {})
        server.delete(shape.items[0].identifier, NOW)
        shelf.harvest()
    with indexed(shelf) as library:
        assert counted(library) == ({"Aalto University": 1}, {})


def test_two_sources_have_institutions_of_their_own(tmp_path: Path) -> None:
    first, second = Shape([]), Shape([])
    first.add([])
    second.add([])
    with first.server() as one, second.server() as other:
        shelf = make_shelf(tmp_path, one, institution="First")
        shelf.add(other.url, name="other", institution="Second")
        shelf.harvest()
        shelf.harvest(name="other")
    with indexed(shelf) as library:
        assert counted(library)[0] == {"First": 1, "Second": 1}
    shelf.change(name="other", institution="Third")
    with indexed(shelf) as library:
        assert counted(library)[0] == {"First": 1, "Third": 1}
    assert windrow(shelf, "source", "remove", "other", "--yes").returncode == 0
    library = shelf.open()
    try:
        with library.store.reading() as connection:
            rows = connection.execute("SELECT roles FROM set_role").all()
        assert [tuple(row) for row in rows] == [('{"fallback":"First"}',)]
    finally:
        library.close()


def test_what_can_be_chosen_beside_a_department_or_an_institution_is_what_would_be_found(
    tmp_path: Path,
) -> None:
    with harvested(tmp_path, dspace()) as (_, library):
        law = SearchRequest().choosing("department", ("Business & Law",))
        (facet,) = count_facets(library.index, law, ("institution", "department"))
        assert [(each.value, each.count) for each in facet.values] == [
            ("Meadow University of Applied Sciences", 9 + 5)
        ]
        north = SearchRequest().choosing("institution", ("Niityn ammattikorkeakoulu",))
        options = field_choices(library.index, north, "department", cast("PageLayout", PlainFrame())).options
        assert {each.value: each.count for each in options} == {"Liiketalous": 42, "Tekniikka": 23}
        options = field_choices(library.index, law, "institution", cast("PageLayout", PlainFrame())).options
        assert {each.value: each.count for each in options} == {"Meadow University of Applied Sciences": 14}


def test_totals_say_that_records_of_several_institutions_count_in_each(tmp_path: Path) -> None:
    shape = dspace()
    with harvested(tmp_path, shape) as (_, library):
        notes = [to_english(note) for note in make_table("institutions", population(library)).notes]
    together, having = sum(shape.institutions.values()), len(shape.truth) - len(shape.unassigned)
    assert any(f"together they have {together}, 5 more than the {having} records" in each for each in notes)
    assert f"Without an institution: 5 of {len(shape.truth)}." in notes


def test_types_come_from_sets_too(tmp_path: Path) -> None:
    shape = eprints()
    with harvested(tmp_path, shape) as (_, library):
        for name in ("Article", "Thesis"):
            expected = {each for each, types in shape.types.items() if name in types}
            assert found_by(library, SearchRequest().choosing("type", (name,))) == expected


def test_a_rule_maps_again_without_asking_the_repository(tmp_path: Path) -> None:
    shape = dspace()
    with harvested(tmp_path, shape) as (shelf, library):
        before = counted(library)
    shelf.change(set_roles={"institution": "col_*", "recognise": False})
    with indexed(shelf) as library:  # the server is gone by now
        found, inner = counted(library)
        assert set(found) == {"Liiketalous", "Opinnäytetyöt (tekniikka)", "Julkaisut (tekniikka)"} | {
            *("Nursing", "Business & Law", "Examensarbeten")
        }
        assert found["Liiketalous"] == 20 + 13 + 4 + 5
        assert not inner
    shelf.change(set_roles=None)
    with indexed(shelf) as library:
        assert counted(library) == before


def test_a_pattern_for_communities_means_the_outermost(tmp_path: Path) -> None:
    shape = dspace()
    with harvested(tmp_path, shape) as (shelf, library):
        before = counted(library)
    shelf.change(set_roles={"institution": "com_*"})
    with indexed(shelf) as library:
        assert counted(library) == before


def test_levels_and_lists_give_roles(tmp_path: Path) -> None:
    shape = dspace()
    with harvested(tmp_path, shape) as (shelf, _):
        pass
    shelf.change(set_roles={"levels": ["none", "institution", "department"]})
    with indexed(shelf) as library:
        found, inner = counted(library)
        assert found["Tekniikka"] == 17 + 6
        assert inner["Tekniikka", "Opinnäytetyöt (tekniikka)"] == 17
    shelf.change(set_roles={"institution": ["com_10024_2"], "ignore": ["col_10024_22"]})
    with indexed(shelf) as library:
        found, inner = counted(library)
        assert found == {"Meadow University of Applied Sciences": 25 + 9 + 5}
        assert inner == {("Meadow University of Applied Sciences", "Nursing"): 25}


def test_what_the_metadata_states_comes_first_where_that_is_wanted(tmp_path: Path) -> None:
    shape = dspace()
    with harvested(tmp_path, shape, "dim") as (shelf, _):
        pass
    shelf.change(set_roles={"prefer": "metadata"})
    with indexed(shelf) as library:
        assert counted(library)[0] == {STATED: len(shape.truth)}


def test_a_collection_that_moves_takes_its_records_along(tmp_path: Path) -> None:
    shape = dspace()
    with shape.server() as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        with indexed(shelf) as library:
            assert counted(library)[0]["Högskolan på Ängen"] == 11
        for item in shape.items:
            if "col_10024_31" in item.sets:
                server.put(Item(item.identifier, NOW, ("com_10024_2", "col_10024_31"), item.payload))
        shelf.harvest()
    with indexed(shelf) as library:
        found, inner = counted(library)
        assert "Högskolan på Ängen" not in found
        assert inner["Meadow University of Applied Sciences", "Examensarbeten"] == 11


def test_a_set_that_was_renamed_has_its_new_name_after_a_week_without_a_change_of_records(
    tmp_path: Path,
) -> None:
    shape = invenio()
    with shape.server() as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        with indexed(shelf) as library:
            assert counted(library)[0]["CERN"] == 9
        server.named_sets = [(spec, "NREC" if name == "CERN" else name) for spec, name in shape.sets]
        shelf.harvest()
        with indexed(shelf) as library:
            assert counted(library)[0]["CERN"] == 9  # a harvest with nothing new asks for no names
            a_week_ago = (datetime.now(UTC) - timedelta(days=8)).isoformat()
            with library.store.writing() as connection:
                connection.execute("UPDATE source SET sets_at = ?", (a_week_ago,))
        shelf.harvest()
    with indexed(shelf) as library:
        found = counted(library)[0]
        assert "CERN" not in found
        assert found["NREC"] == 9


def test_departments_are_recognised_inside_institutions_that_are_listed(tmp_path: Path) -> None:
    """One community around everything, as national repositories have it."""
    names = {"com_1_1": "Everything", "com_1_2": "A", "com_1_3": "B", "com_1_6": "School"}
    shape = Shape([*names.items(), ("col_1_4", "Nursing"), ("col_1_5", "Law"), ("col_1_7", "Theses")])
    for _ in range(3):
        shape.add(["com_1_1", "com_1_2", "col_1_4"], ("A", "Nursing"))
        shape.add(["com_1_1", "com_1_3", "col_1_5"], ("B", "Law"))
        shape.add(["com_1_1", "com_1_2", "com_1_6", "col_1_7"], ("A", "School"))
    with harvested(tmp_path, shape) as (shelf, library):
        assert set(counted(library)[0]) == {"Everything"}
    for rules in (
        {"institution": ["com_1_2", "B"]},
        {"institution": ["com_1_2", "B"], "ignore": "Everything"},
        {"levels": ["none", "institution", "department"]},
    ):
        shelf.change(set_roles=rules)
        with indexed(shelf) as library:
            assert counted(library) == (shape.institutions, shape.departments)


def test_an_index_that_is_behind_meets_each_record_once(tmp_path: Path) -> None:
    shape = dspace()
    with harvested(tmp_path, shape) as (shelf, library):
        assert follow_index(library).put == 0
    shelf.change(set_roles={"ignore": ["col_10024_13"]})
    library = shelf.open()
    try:
        done = follow_index(library)
        assert done.put == 17  # those in the one set that means something else now
        assert not done.is_built
    finally:
        library.close()


def test_rules_of_a_collection_hold_for_its_sources(tmp_path: Path) -> None:
    shape = dspace()
    with harvested(tmp_path, shape) as (shelf, _):
        pass
    file = shelf.folder / "windrow.toml"
    rules = (
        f'\n[collections.theses]\nsources = ["{SOURCE}"]\n[collections.theses.sets]\nignore = "com_10024_1"\n'
    )
    file.write_text(file.read_text() + rules)
    with indexed(shelf) as library:
        assert "Niityn ammattikorkeakoulu" not in counted(library)[0]
        assert library.config.set_rules(SOURCE).patterns(Role.NONE) == ("com_10024_1",)


def test_without_sets_nothing_is_assigned(tmp_path: Path) -> None:
    shape = Shape([])
    shape.add([])
    with harvested(tmp_path, shape) as (_, library):
        assert counted(library) == ({}, {})
        assert library.index.count(Value("institution", "missing")) == 1
