"""The paths of many records at once are those that each has by itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.search.record_addresses import are_plain_identifiers, build_record_paths, record_path

PIECES = st.text(alphabet="ab/. %?#&'~:\nåd\udc00", max_size=12)


def whole(source: str, identifiers: list[str]) -> list[str]:
    start, paths = build_record_paths(source, identifiers)
    return [start + path for path in paths]


@given(st.lists(PIECES, max_size=5))
def test_many_paths_are_those_of_each_record(identifiers: list[str]) -> None:
    assert whole("hay", identifiers) == [record_path("hay", each) for each in identifiers]


@pytest.mark.parametrize("odd", ["a b", "/a", "a/", "a//b", "a/../b", "./a", "..", "a\nb", "ä", "a%2Fb"])
def test_one_odd_identifier_among_plain_ones_is_written_as_it_must_be(odd: str) -> None:
    identifiers = ["oai:hay.example:1", odd, "10024/2"]
    assert whole("hay", identifiers) == [record_path("hay", each) for each in identifiers]


def test_plain_identifiers_are_taken_as_they_are() -> None:
    identifiers = ["oai:hay.example:10024/1", "oai:hay.example:10024/2"]
    assert build_record_paths("hay", identifiers) == ("/record/hay/", identifiers)


@given(st.lists(PIECES, min_size=1, max_size=5), st.sampled_from(["", "|7"]))
def test_identifiers_written_together_are_plain_only_where_each_is(
    identifiers: list[str], behind: str
) -> None:
    text = "^".join(f"{each}{behind}" for each in identifiers)
    if are_plain_identifiers(text, marks="^|", count=len(identifiers) - 1 + text.count("|")):
        assert whole("hay", identifiers) == [f"/record/hay/{each}" for each in identifiers]
        assert not set("&'<>\"").intersection(text)


@pytest.mark.parametrize(("text", "count"), [("a/b:1", 0), ("a^b/c^.d", 2), ("a|7^b/c|12", 3)])
def test_usual_identifiers_written_together_are_plain(text: str, count: int) -> None:
    assert are_plain_identifiers(text, marks="^|", count=count)


@pytest.mark.parametrize(("text", "count"), [("a^b", 0), ("a^b", 2), ("a/..|7", 1), ("a/^b", 1), ("a^/b", 1)])
def test_a_mark_too_many_or_a_path_that_is_tidied_is_not_plain(text: str, count: int) -> None:
    assert not are_plain_identifiers(text, marks="^|", count=count)
