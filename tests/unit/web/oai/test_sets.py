"""Sets as the world sees them: what ListSets names can be asked for, and selects what carries it."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.thorough import tries
from tests.unit.web.oai.holdings import Holdings, live
from windrow.store.records.set_hierarchy import merge_duplicates, name_sets

ODD_SPECS = [
    "Art & Design",
    "a/b",
    "100%",
    "%41",
    "Ökologi",
    "日本",
    "a::b",
    ":a",
    "a:",
    ":",
    "a b:c d",
    "a+b",
    "#",
    "[x]",
    "tab\there",
    "a!20b",
    "!",
    "..",
    "~",
    "'quoted'",
    "a\u0301",
    "x" * 300 + " y",
]


def specs_of(library: Holdings, identifier: str, at: str = "") -> tuple[str, ...]:
    (header,) = library.ask("GetRecord", at=at, identifier=identifier, metadataPrefix="oai_dc").headers
    return header.sets


def check_round_trip(library: Holdings, at: str) -> None:
    """Every set that is named selects the records that carry it or one below it, and no others."""
    carried = {
        header.identifier: header.sets
        for page in library.pages("ListIdentifiers", at=at)
        for header in page.headers
    }
    named = [spec for page in library.pages("ListSets", at=at) for spec in page.texts("setSpec")]
    assert {spec for sets in carried.values() for spec in sets} <= set(named)
    assert named == sorted(set(named))
    for spec in named:
        expected = {
            name
            for name, sets in carried.items()
            if any(each == spec or each.startswith(f"{spec}:") for each in sets)
        }
        assert set(library.listed(at=at, set=spec)) == expected


@pytest.mark.parametrize("at", ["", "hay"])
@pytest.mark.parametrize("spec", ODD_SPECS)
def test_an_odd_spec_is_spelled_so_that_it_can_be_asked_for(library: Holdings, spec: str, at: str) -> None:
    library.write(live("oai:x:1", sets=(spec,)), live("oai:x:2", sets=("plain",)))
    own = [each for each in specs_of(library, "oai:x:1", at) if each != "hay"]
    assert len(own) == 1
    assert library.listed(at=at, set=own[0]) == ["oai:x:1"]
    check_round_trip(library, at)


def test_odd_specs_together_stay_apart(library: Holdings) -> None:
    library.write(*(live(f"oai:x:{n}", sets=(spec,)) for n, spec in enumerate(ODD_SPECS)))
    for at in ("", "hay"):
        check_round_trip(library, at)
    assert len({specs_of(library, f"oai:x:{n}", "hay") for n in range(len(ODD_SPECS))}) == len(ODD_SPECS)


def test_a_spec_that_the_protocol_has_is_left_as_it_is(library: Holdings) -> None:
    spec = "A-z_0.9!~*'():b:c"
    library.write(live("oai:x:1", sets=(spec,)))
    assert specs_of(library, "oai:x:1", "hay") == (spec,)
    assert specs_of(library, "oai:x:1") == ("hay", f"hay:{spec}")


def test_a_spec_too_long_to_be_asked_for_is_not_named(library: Holdings) -> None:
    library.write(live("oai:x:1", sets=("x" * 2000,)), live("oai:x:2", sets=(" " * 1000,)))
    assert library.ask("ListSets", at="hay").errors == ["noSetHierarchy"]
    assert specs_of(library, "oai:x:1", "hay") == ()
    assert library.ask("ListSets").texts("setSpec") == ["hay"]


@settings(max_examples=tries(30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.text(min_size=0, max_size=6), max_size=3), min_size=1, max_size=6))
def test_whatever_sets_are_called_they_go_around(
    tmp_path_factory: pytest.TempPathFactory, combinations: list[list[str]]
) -> None:
    library = Holdings(tmp_path_factory.mktemp("library"))
    legible = [
        [spec for spec in specs if "\x1f" not in spec and spec.isprintable()] for specs in combinations
    ]
    library.write(*(live(f"oai:x:{n}", sets=tuple(dict.fromkeys(specs))) for n, specs in enumerate(legible)))
    check_round_trip(library, "")
    if any(legible):
        check_round_trip(library, "hay")
    library.close()


def test_a_set_selects_what_is_below_it_and_not_what_only_begins_alike(library: Holdings) -> None:
    specs = ("a", "a:b", "a:b:c", "a:bb", "ab", "a-b")
    library.write(*(live(f"oai:x:{spec}", sets=(spec,)) for spec in specs))
    assert library.listed(at="hay", set="a") == ["oai:x:a", "oai:x:a:b", "oai:x:a:b:c", "oai:x:a:bb"]
    assert library.listed(at="hay", set="a:b") == ["oai:x:a:b", "oai:x:a:b:c"]
    assert library.listed(at="hay", set="ab") == ["oai:x:ab"]
    assert library.listed(set="hay:a:b") == ["oai:x:a:b", "oai:x:a:b:c"]
    assert library.listed(set="hay") == [f"oai:x:{spec}" for spec in specs]


def test_a_parent_that_no_list_names_selects_what_is_below_it(library: Holdings) -> None:
    library.write(live("oai:x:1", sets=("top:one",)), live("oai:x:2", sets=("top:two",)), live("oai:x:3"))
    assert "top" not in library.ask("ListSets", at="hay").texts("setSpec")
    assert library.listed(at="hay", set="top") == ["oai:x:1", "oai:x:2"]
    assert library.ask("ListRecords", at="hay", metadataPrefix="oai_dc", set="to").errors == [
        "noRecordsMatch"
    ]


def test_a_set_is_called_what_its_source_calls_it(library: Holdings) -> None:
    library.write(live("oai:x:1", sets=("a", "b")))
    with library.store.writing() as connection:
        name_sets(connection, library.shelves["hay"].source_id, [("a", "Art <&> music"), ("c", "Nobody")])
    answer = library.ask("ListSets", at="hay")
    assert dict(zip(answer.texts("setSpec"), answer.texts("setName"), strict=True)) == {
        "a": "Art <&> music",
        "b": "b",
        "c": "Nobody",
    }
    assert library.listed(at="hay", set="c") == []


def test_a_set_listed_under_two_specs_is_one(library: Holdings) -> None:
    library.write(live("oai:x:1", sets=("col_1", "hdl_1")), live("oai:x:2", sets=("hdl_1", "col_1")))
    with library.store.writing() as connection:
        number = library.shelves["hay"].source_id
        name_sets(connection, number, [("col_1", "Theses"), ("hdl_1", "Theses")])
        assert merge_duplicates(connection, number)
    (spec,) = library.ask("ListSets", at="hay").texts("setSpec")
    assert specs_of(library, "oai:x:1", "hay") == (spec,)
    assert library.listed(at="hay", set=spec) == ["oai:x:1", "oai:x:2"]
    check_round_trip(library, "")


class TestVirtualSets:
    """Members are put into them by hand here: who they are is decided elsewhere."""

    @pytest.fixture
    def virtual(self, library: Holdings) -> Holdings:
        library.write(live("oai:x:1", sets=("a",)), live("oai:x:2"))
        library.write(live("oai:y:1"), live("oai:y:2"), source="oats")
        return library

    def define(self, library: Holdings, number: int, spec: str, *members: int) -> None:
        with library.store.writing() as connection:
            connection.execute("INSERT INTO virtual_set VALUES (?, ?, 'Virtual', 'q')", (number, spec))
            for member in members:
                connection.execute("INSERT INTO virtual_member VALUES (?, ?)", (number, member))

    def test_they_are_listed_carried_and_asked_for_like_others(self, virtual: Holdings) -> None:
        self.define(virtual, 1, "new", 1, 4)
        self.define(virtual, 2, "new:best", 2)
        assert virtual.ask("ListSets").texts("setSpec") == ["hay", "hay:a", "new", "new:best", "oats"]
        assert virtual.listed(set="new") == ["oai:x:1", "oai:x:2", "oai:y:2"]
        assert virtual.listed(set="new:best") == ["oai:x:2"]
        assert specs_of(virtual, "oai:y:2") == ("oats", "new")
        for at in ("", "hay", "oats"):
            check_round_trip(virtual, at)

    def test_one_source_has_its_own_part_of_them(self, virtual: Holdings) -> None:
        self.define(virtual, 1, "new", 1, 4)
        assert virtual.listed(at="oats", set="new") == ["oai:y:2"]

    def test_a_set_of_the_source_keeps_its_name(self, virtual: Holdings) -> None:
        self.define(virtual, 1, "a", 2)
        assert virtual.listed(at="hay", set="a") == ["oai:x:1"]
        assert virtual.listed(set="a") == ["oai:x:2"]
        check_round_trip(virtual, "hay")

    def test_below_a_source_is_nothing_but_its_own(self, virtual: Holdings) -> None:
        self.define(virtual, 1, "hay:new", 3)
        self.define(virtual, 2, "hay", 3)
        assert virtual.listed(set="hay") == ["oai:x:1", "oai:x:2"]
        check_round_trip(virtual, "")
        check_round_trip(virtual, "oats")
