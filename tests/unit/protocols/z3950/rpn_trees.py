"""Random queries of Z39.50, as clients may send them."""

from __future__ import annotations

from hypothesis import strategies as st

from windrow.protocols.z3950 import z3950_registry
from windrow.protocols.z3950.rpn import (
    Attribute,
    Boolean,
    Combination,
    Proximity,
    ResultSet,
    Rpn,
    Structure,
    Term,
)

_SETS = st.sampled_from([None, z3950_registry.BIB_1, z3950_registry.GILS_ATTRIBUTES, "1.2.3.4"])
_VALUES = st.one_of(
    st.integers(0, 9_999), st.sampled_from(["title", "period"]), st.text("abcåä é-", min_size=1, max_size=8)
).filter(lambda value: isinstance(value, int) or not value.lstrip("-").isdigit())
_TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)


def attributes() -> st.SearchStrategy[Attribute]:
    return st.builds(Attribute, st.integers(1, 12), _VALUES, _SETS)


def terms() -> st.SearchStrategy[Structure]:
    return st.builds(Term, _TEXTS, st.lists(attributes(), max_size=4).map(tuple))


def proximities() -> st.SearchStrategy[Proximity]:
    return st.builds(
        Proximity,
        st.integers(0, 20),
        st.integers(1, 6),
        st.integers(1, 11),
        st.booleans(),
        st.sampled_from([None, True, False]),
        st.booleans(),
    )


def structures() -> st.SearchStrategy[Structure]:
    leaves = st.one_of(terms(), st.builds(ResultSet, _TEXTS.filter(bool)))

    def combined(inner: st.SearchStrategy[Structure]) -> st.SearchStrategy[Structure]:
        operators = st.one_of(st.sampled_from(list(Boolean)), proximities())
        return st.builds(Combination, operators, inner, inner)

    return st.recursive(leaves, combined, max_leaves=12)


def rpns() -> st.SearchStrategy[Rpn]:
    return st.builds(
        Rpn,
        st.sampled_from([z3950_registry.BIB_1, z3950_registry.GILS_ATTRIBUTES, "1.2.840.10003.3.99"]),
        structures(),
    )
