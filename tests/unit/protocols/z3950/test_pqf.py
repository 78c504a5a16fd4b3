"""PQF, the notation in which YAZ writes queries."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.unit.protocols.z3950.rpn_trees import rpns
from windrow.errors import BadPqf
from windrow.protocols.z3950 import z3950_registry
from windrow.protocols.z3950.pqf import parse_pqf, render_pqf
from windrow.protocols.z3950.rpn import (
    Attribute,
    Boolean,
    Combination,
    Proximity,
    ResultSet,
    Rpn,
    Term,
)


@given(rpns())
def test_a_rendered_query_is_read_back(rpn: Rpn) -> None:
    assert parse_pqf(render_pqf(rpn)) == rpn


def test_attributes_before_an_operator_hold_for_both_operands() -> None:
    title = Attribute(1, 4)
    assert parse_pqf("@attr 1=4 @and a @attr 5=1 b").root == Combination(
        Boolean.AND, Term("a", (title,)), Term("b", (title, Attribute(5, 1)))
    )


def test_every_part_of_the_notation_is_read() -> None:
    text = (
        "@attrset gils @or @not {a b} @set 1 @prox 0 3 1 2 k 2"
        ' @attr bib-1 1=4 "x \\"y\\"" @term string @attr1'
    )
    left = Combination(Boolean.NOT, Term("a b"), ResultSet("1"))
    near = Proximity(3, 2, 2, is_ordered=True, is_exclusion=False)
    right = Combination(near, Term('x "y"', (Attribute(1, 4, z3950_registry.BIB_1),)), Term("@attr1"))
    assert parse_pqf(text) == Rpn(z3950_registry.GILS_ATTRIBUTES, Combination(Boolean.OR, left, right))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "ends where a term"),
        ("@and a", "ends where a term"),
        ("a b", "there is more: b"),
        ('"a', "not closed"),
        ("{a", "not closed"),
        ("@xor a b", "@xor is no operator"),
        ("@attr 1 a", "no attribute set"),
        ("@attr x=1 a", "no attribute"),
        ("@attrset nosuch a", "no attribute set"),
        ("@prox 0 x 0 2 k 2 a b", "x is no number"),
        ("@prox 7 1 0 2 k 2 a b", "@prox needs"),
        ("@term x y", "no type of a term"),
        ("@and " * 101 + "x " * 102, "more than 100 operators"),
        ("x" * 10_001, "characters"),
    ],
)
def test_a_mistake_is_explained(text: str, message: str) -> None:
    with pytest.raises(BadPqf, match=message):
        parse_pqf(text)
