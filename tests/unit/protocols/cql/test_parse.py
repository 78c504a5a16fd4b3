"""CQL text to a tree: what is taken, what is refused and why, and random trees written and read back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.thorough import tries
from windrow.protocols.cql.cql_syntax import (
    BOOLEANS,
    LONGEST_QUERY,
    LONGEST_TERM,
    MOST_CLAUSES,
    MOST_DEPTH,
    SYMBOLS,
    Boolean,
    Clause,
    CqlQuery,
    Modifier,
    Node,
    Prefixed,
    Relation,
    SortSpec,
    parse_cql,
)
from windrow.protocols.sru.sru_diagnostics import SruError

ACCEPTED = (
    *("cat", '"cat"', "cat or dog", "title = cat", 'dc.title any "fish frog"', "title == x", "title <> x"),
    *("cat and dog not fish", "(cat)", "((cat or dog))", 'title = "a \\" b"', "title = ^cat", "title=c?t*"),
    *("cat prox/unit=word/distance>3 dog", "title any/stem/relevant fish", "title =/stem cat"),
    *(
        '> dc = "info:srw/cql-context-set/1/dc-v1.1" dc.title = cat',
        '> "uri" title = cat',
        "a and (> b = c b.x = d)",
    ),
    *("cat sortBy dc.date", "cat sortby dc.date/sort.descending dc.title/missingValue=0", '"and"', "AND = x"),
    *(
        'title = ""',
        "dc.title cql.any fish",
        "year within 2010",
        "title all/x.y=5 z",
        "(a) and (b)",
        "åäö = 語",
    ),
    *("title = and", "sortby = x", 'a and "or"', "x <= 5", "x >= 5", "x<5", "x>5", '"dc.title" = fish'),
)
REFUSED = {
    "": 10,
    "   ": 10,
    "cat dog": 10,
    "cat and": 10,
    "and": 10,
    "or cat": 10,
    "title =": 10,
    "= cat": 10,
    "(cat": 13,
    "cat)": 13,
    "()": 10,
    '"cat': 14,
    'cat"': 14,
    'title = "a\\': 14,
    "title any": 10,
    "title =/ cat": 10,
    "title =/stem": 10,
    "title =/stem= cat": 10,
    "> dc =": 10,
    ">": 10,
    "cat sortBy": 10,
    "cat sortBy dc.date and dog": 10,
    "cat and/": 10,
    "title = cat fish": 10,
    "a = b = c": 10,
    "/": 10,
    "a" * (LONGEST_QUERY + 1): 12,
    "a" * (LONGEST_TERM + 1): 23,
    " and ".join("a" * (MOST_CLAUSES + 1)): 38,
    "(" * (MOST_DEPTH + 1) + "a" + ")" * (MOST_DEPTH + 1): 38,
    "> a = b " * (MOST_DEPTH + 1) + "c": 38,
    "title =" + "/stem" * 30 + " cat": 48,
    "a sortBy" + " b" * 30: 84,
}


@pytest.mark.parametrize("text", ACCEPTED)
def test_what_the_grammar_has_is_read_and_written_again(text: str) -> None:
    found = parse_cql(text)
    assert parse_cql(str(found)) == found


@pytest.mark.parametrize(("text", "number"), REFUSED.items(), ids=lambda each: str(each)[:20])
def test_what_it_has_not_is_a_diagnostic(text: str, number: int) -> None:
    with pytest.raises(SruError) as raised:
        parse_cql(text)
    assert raised.value.diagnostic.number == number
    assert raised.value.diagnostic.details


def test_booleans_bind_alike_from_left_to_right() -> None:
    a, b, c = Clause("a"), Clause("b"), Clause("c")
    assert parse_cql("a or b and c").root == Boolean("and", Boolean("or", a, b), c)
    assert parse_cql("a or (b and c)").root == Boolean("or", a, Boolean("and", b, c))


def test_a_name_is_a_relation_where_a_term_follows() -> None:
    assert parse_cql("title within x").root == Clause("x", "title", Relation("within"))
    assert parse_cql('title cql.any/rel.stem="x" "fish"').root == Clause(
        "fish", "title", Relation("cql.any", (Modifier("rel.stem", "=", "x"),))
    )


def test_a_prefix_reaches_as_far_as_its_query() -> None:
    found = parse_cql('(> a = "urn:x" a.b = c) or > "urn:y" d')
    assert found.root == Boolean(
        "or", Prefixed("a", "urn:x", Clause("c", "a.b", Relation("="))), Prefixed("", "urn:y", Clause("d"))
    )


_strings = st.text(st.sampled_from("abz.:*?^\\ \"()/=<>åß語'andor"), min_size=1, max_size=8)
_terms = _strings.map(lambda text: text.replace("\\", "\\\\").replace('"', '\\"'))
_modifiers = st.lists(
    st.builds(Modifier, _strings) | st.builds(Modifier, _strings, st.sampled_from(SYMBOLS), _strings),
    max_size=2,
).map(tuple)
_names = st.sampled_from(["any", "all", "cql.adj", "within", "exact", "x"])
_relations = st.builds(Relation, st.sampled_from(SYMBOLS) | _names, _modifiers)
_clauses: st.SearchStrategy[Node] = st.builds(Clause, _terms) | st.builds(
    Clause, _terms, _strings, _relations
)
_trees = st.recursive(
    _clauses,
    lambda inner: (
        st.builds(Boolean, st.sampled_from(BOOLEANS), inner, inner, _modifiers)
        | st.builds(Prefixed, st.just("") | _strings, _strings, inner)
    ),
    max_leaves=8,
)
_sorts = st.lists(st.builds(SortSpec, _strings, _modifiers), max_size=2).map(tuple)


@settings(deadline=None, max_examples=tries(200))
@given(tree=st.builds(CqlQuery, _trees, _sorts))
def test_every_tree_is_read_back_from_its_text(tree: CqlQuery) -> None:
    assert parse_cql(str(tree)) == tree


@settings(deadline=None, max_examples=tries(300))
@given(text=st.text(st.sampled_from('ab "()/=<>\\*?^.'), max_size=30) | st.text(max_size=30))
def test_any_text_is_a_query_or_a_diagnostic(text: str) -> None:
    try:
        found = parse_cql(text)
    except SruError:
        return
    assert parse_cql(str(found)) == found
