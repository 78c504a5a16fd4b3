from __future__ import annotations

from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.web.http.http_request import MAX_PAIRS, HttpRefusal, parse_form_body, parse_query_string

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@pytest.mark.parametrize(
    ("query", "pairs"),
    [
        (b"", []),
        (b"verb=Identify", [("verb", "Identify")]),
        (b"verb=Identify&verb=Identify", [("verb", "Identify"), ("verb", "Identify")]),
        (b"set=", [("set", "")]),
        (b"set", [("set", "")]),
        (b"=x", [("", "x")]),
        (b"a=b=c", [("a", "b=c")]),
        (b"&&a=1&", [("a", "1")]),
        (b"a=b+c%20d%2B", [("a", "b c d+")]),
        (b"a=%C3%A4", [("a", "ä")]),
        (b"a=%E4", [("a", "\ufffd")]),
        (b"a=\xe4", [("a", "\ufffd")]),
        (b"a=%zz%", [("a", "%zz%")]),
        (b"a=1;b=2", [("a", "1;b=2")]),
    ],
)
def test_arguments_are_read_as_pairs_in_order(query: bytes, pairs: list[tuple[str, str]]) -> None:
    assert parse_query_string(query) == pairs


def test_too_many_arguments_are_refused() -> None:
    assert len(parse_query_string(b"&".join([b"a=b"] * MAX_PAIRS))) == MAX_PAIRS
    with pytest.raises(HttpRefusal) as query:
        parse_query_string(b"&".join([b"a=b"] * (MAX_PAIRS + 1)))
    with pytest.raises(HttpRefusal) as form:
        parse_form_body(b"&" * 60_000)
    assert (query.value.status, form.value.status) == (414, 413)


@given(st.lists(st.tuples(_TEXT.filter(bool), _TEXT), max_size=20))
def test_what_a_client_encodes_comes_back(pairs: list[tuple[str, str]]) -> None:
    assert parse_query_string(urlencode(pairs).encode()) == pairs


@given(st.binary(max_size=500))
def test_any_query_is_read_or_refused(query: bytes) -> None:
    try:
        pairs = parse_query_string(query)
    except HttpRefusal:
        return
    for name, value in pairs:
        assert (name + value).encode().decode() == name + value  # no halves of characters
