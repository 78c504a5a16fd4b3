"""What sets say of records: rules, units, and how both meet what the metadata states."""

from __future__ import annotations

import pytest

from windrow.model.document import Document, Unit, document_units
from windrow.model.set_assignment import (
    METADATA_FIRST,
    NO_RULES,
    UNASSIGNED,
    Assignment,
    RoleRules,
    SetRoles,
    apply_assignment,
    parse_assignment,
)
from windrow.model.set_layouts import KnownSet, Role, SetTree

NAMES = {"com_1_1": "North", "com_1_2": "South", "col_1_3": "Nursing", "col_1_4": "nursing", "col_1_5": "Law"}
RECORDS = [("com_1_1", "col_1_3"), ("com_1_1", "col_1_4"), ("com_1_2", "col_1_5")]


def roles(rules: RoleRules = NO_RULES, **counts: int) -> SetRoles:
    return SetRoles(SetTree([KnownSet(*item) for item in NAMES.items()], RECORDS), rules, counts)


def test_the_same_department_under_two_specs_is_one_in_its_usual_spelling() -> None:
    found = roles(col_1_3=7, col_1_4=2)
    assert found.assign(("com_1_1", "col_1_3", "col_1_4")).units == (("North", "Nursing"),)
    assert found.assign(("com_1_1", "col_1_4")).units == (("North", "Nursing"),)


def test_a_record_of_two_institutions_has_its_departments_in_their_own() -> None:
    found = roles().assign(("com_1_1", "com_1_2", "col_1_3", "col_1_5"))
    assert found.units == (("North", "Nursing"), ("South", "Law"))


def test_a_pattern_is_compared_with_names_too_and_an_exact_one_comes_first() -> None:
    rules = RoleRules(institution=("nor*",), none=("com_1_1",))
    assert roles(rules).roles["com_1_1"] is Role.NONE
    assert roles(RoleRules(institution=("NOR*",))).roles["com_1_1"] is Role.INSTITUTION


def test_a_role_that_has_rules_is_given_by_these_alone() -> None:
    found = roles(RoleRules(institution=("com_1_1",)))
    assert found.roles["com_1_2"] is Role.NONE
    assert found.roles["col_1_5"] is Role.DEPARTMENT


def test_without_recognition_only_rules_count() -> None:
    found = roles(RoleRules(institution=("com_1_1",), is_recognising=False))
    assert [spec for spec, role in found.roles.items() if role is not Role.NONE] == ["com_1_1"]


def test_flat_sets_that_rules_name_find_their_institution_by_the_records() -> None:
    records = [("u1", "d1"), ("u2", "d2"), ("u1", "d1", "u2", "d2")]
    rules = RoleRules(institution=("u?",), department=("d?",))
    found = SetRoles(SetTree([], records), rules)
    assert found.assign(("d2", "u1", "d1", "u2")).units == (("u1", "d1"), ("u2", "d2"))


def test_what_is_stored_is_read_back() -> None:
    said = Assignment((Unit("A", "B"), Unit(None, "C")), ("D",), ("E",), METADATA_FIRST)
    assert parse_assignment(said.to_json()) == said
    assert parse_assignment(None) == parse_assignment("{}") == UNASSIGNED


def said(*units: Unit, prefer: str = "sets") -> Assignment:
    return Assignment(units, prefer=prefer)


@pytest.mark.parametrize(
    ("stated", "sets", "expected"),
    [
        (Unit("X", "Y"), said(Unit("A", "B")), (Unit("A", "B"),)),
        (Unit(None, "Y"), said(Unit("A", None)), (Unit("A", "Y"),)),
        (Unit("a", "Y"), said(Unit("A", None)), (Unit("A", "Y"),)),
        (Unit("X", "Y"), said(Unit("A", None)), (Unit("A", None),)),
        (Unit("X", None), said(Unit(None, "B")), (Unit("X", "B"),)),
        (Unit("X", "Y"), said(), (Unit("X", "Y"),)),
        (Unit("X", "Y"), said(Unit("A", "B"), prefer=METADATA_FIRST), (Unit("X", "Y"),)),
        (Unit("a", None), said(Unit("A", "B"), prefer=METADATA_FIRST), (Unit("A", "B"),)),
        (Unit(None, "Y"), said(Unit("A", "B"), prefer=METADATA_FIRST), (Unit("A", "Y"),)),
        (Unit(None, None), said(Unit("A", "B"), prefer=METADATA_FIRST), (Unit("A", "B"),)),
    ],
)
def test_metadata_and_sets_are_reconciled(stated: Unit, sets: Assignment, expected: tuple[Unit, ...]) -> None:
    document = apply_assignment(Document(institution=stated.institution, department=stated.department), sets)
    assert document_units(document) == expected
    assert (document.institution, document.department) == expected[0]


def test_what_the_metadata_stated_otherwise_is_kept() -> None:
    document = apply_assignment(Document(institution="X", extra={"a": ("b",)}), said(Unit("A", None)))
    assert document.extra == {"a": ("b",), "metadata:institution": ("X",)}


def test_types_of_sets_come_after_those_of_the_metadata_each_once() -> None:
    document = apply_assignment(Document(types=("Article",)), Assignment(types=("article", "Review")))
    assert document.types == ("Article", "Review")
