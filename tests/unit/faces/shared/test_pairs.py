from __future__ import annotations

from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.faces.shared.pairs import MOST_PAIRS, form_pairs, query_pairs
from windrow.faces.shared.refusal import Refused

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
    assert query_pairs(query) == pairs


def test_too_many_arguments_are_refused() -> None:
    assert len(query_pairs(b"&".join([b"a=b"] * MOST_PAIRS))) == MOST_PAIRS
    with pytest.raises(Refused) as query:
        query_pairs(b"&".join([b"a=b"] * (MOST_PAIRS + 1)))
    with pytest.raises(Refused) as form:
        form_pairs(b"&" * 60_000)
    assert (query.value.status, form.value.status) == (414, 413)


@given(st.lists(st.tuples(_TEXT.filter(bool), _TEXT), max_size=20))
def test_what_a_client_encodes_comes_back(pairs: list[tuple[str, str]]) -> None:
    assert query_pairs(urlencode(pairs).encode()) == pairs


@given(st.binary(max_size=500))
def test_any_query_is_read_or_refused(query: bytes) -> None:
    try:
        pairs = query_pairs(query)
    except Refused:
        return
    for name, value in pairs:
        assert (name + value).encode().decode() == name + value  # no halves of characters
