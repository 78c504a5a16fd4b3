"""The advanced form: what is filled in becomes an expression, and an expression fills the form in."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.unit.model.queries import queries
from windrow.model.query import And, Query
from windrow.protocols.query.query_parser import parse_query
from windrow.search.advanced_search import AdvancedSearch, build_expression, read_expression

FILLED = [
    (AdvancedSearch(), ""),
    (AdvancedSearch(all_words="peat bogs"), "peat bogs"),
    (AdvancedSearch(all_words='peat "raised bogs" geo*'), 'peat "raised bogs" geo*'),
    (AdvancedSearch(all_words="AND -peat C++"), r"\AND \-peat C++"),
    (AdvancedSearch(any_words="peat moss"), "peat OR moss"),
    (AdvancedSearch(all_words="hay", any_words="peat moss", no_words="bog"), "hay (peat OR moss) -bog"),
    (AdvancedSearch(fields={"title": '"raised bogs" peat'}), 'title:"raised bogs" title:peat'),
    (AdvancedSearch(fields={"creator": "Aho, Ida"}), "creator:Aho creator:Ida"),
    (AdvancedSearch(first_year="2010", last_year="2014"), "year:2010..2014"),
    (AdvancedSearch(first_year="2014", last_year="2010"), "year:2010..2014"),
    (AdvancedSearch(last_year="2010"), "year:..2010"),
    (AdvancedSearch(first_year="2021/22", last_year="2019/20"), "year:2019/20..2021/22"),
    (
        AdvancedSearch(fields={"type": "Master's thesis", "language": "fi"}),
        'type="Master\'s thesis" language="fi"',
    ),
    (AdvancedSearch(all_words="hay", other="peat OR moss"), "hay (peat OR moss)"),
    (AdvancedSearch(other="pages:100.."), "pages:100.."),
    (AdvancedSearch(all_words=" ,; "), ""),
]


@pytest.mark.parametrize(("form", "expression"), FILLED)
def test_what_is_filled_in_becomes_an_expression(form: AdvancedSearch, expression: str) -> None:
    assert build_expression(form) == expression
    assert parse_query(expression).mistakes == ()


def test_a_phrase_has_a_field_of_its_own() -> None:
    assert build_expression(AdvancedSearch(phrase='Peat, "bogs"')) == '"peat bogs"'


@pytest.mark.parametrize(
    ("expression", "form"),
    [
        ("", AdvancedSearch()),
        ("peat bogs", AdvancedSearch(all_words="peat bogs")),
        ('"raised bogs" -moss', AdvancedSearch(phrase="raised bogs", no_words="moss")),
        ("hay (peat OR moss)", AdvancedSearch(all_words="hay", any_words="peat moss")),
        ("title:peat author:aho", AdvancedSearch(fields={"title": "peat", "creator": "aho"})),
        ('"raised bogs" "peat moss"', AdvancedSearch(phrase="raised bogs", all_words='"peat moss"')),
        ("year:2010..", AdvancedSearch(first_year="2010")),
        ("year:2019/20", AdvancedSearch(first_year="2019/20", last_year="2019/20")),
        ("year:2019/20..2021/22", AdvancedSearch(first_year="2019/20", last_year="2021/22")),
        ("year:2010", AdvancedSearch(first_year="2010", last_year="2010")),
        ('language="fi"', AdvancedSearch(fields={"language": "fi"})),
        ("peet~ event:(place:Oslo)", AdvancedSearch(other="peet~1 event:(place:Oslo)")),
        ("(peat moss bog)~2", AdvancedSearch(other="(peat moss bog)~2")),
        ("year:soon peat", AdvancedSearch(other="year:soon peat")),
    ],
)
def test_an_expression_fills_the_form_in(expression: str, form: AdvancedSearch) -> None:
    assert read_expression(expression) == form


def _conditions(query: Query) -> set[Query]:
    return set(query.parts if isinstance(query, And) else (query,))


@given(queries())
def test_what_is_read_back_asks_for_the_same(query: Query) -> None:
    text = str(query)
    parsed = parse_query(text)
    again = parse_query(build_expression(read_expression(text)))
    assert _conditions(again.query) == _conditions(parsed.query)
