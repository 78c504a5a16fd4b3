"""Paths of records lead back to what they were made of."""

from __future__ import annotations

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.search.record_addresses import document_path, getrecord_path, record_path

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@pytest.mark.parametrize(
    ("identifier", "path"),
    [
        ("oai:NACA:1917:naca-report-10", "/gateway/getrecord/oai_dc/oai:NACA:1917:naca-report-10"),
        ("a/b", "/gateway/getrecord/oai_dc/a/b"),
        ("a%2Fb", "/gateway/getrecord/oai_dc/a%252Fb"),
        ("a//b", "/gateway/getrecord/oai_dc/a%2F%2Fb"),
        ("a/", "/gateway/getrecord/oai_dc/a%2F"),
        ("a?b#c d", "/gateway/getrecord/oai_dc/a%3Fb%23c%20d"),
        ("ä", "/gateway/getrecord/oai_dc/%C3%A4"),
    ],
)
def test_the_page_of_a_format_is_where_it_always_was(identifier: str, path: str) -> None:
    assert getrecord_path("oai_dc", identifier) == path


@given(TEXTS, TEXTS)
def test_a_path_read_back_is_the_same_record(first: str, identifier: str) -> None:
    for path, under in (
        (record_path(first, identifier), "/record/"),
        (getrecord_path(first, identifier), "/gateway/getrecord/"),
    ):
        head, _, rest = path.removeprefix(under).partition("/")
        assert path.isascii()
        assert (unquote(head), unquote(rest)) == (first, identifier)
        assert not {"", ".."} & set(rest.split("/")) or "/" not in rest


def test_the_parts_of_a_document_are_beside_one_another() -> None:
    identifier = "https://hay.example/a b.pdf#c/d"
    end = "/hay/https:%2F%2Fhay.example%2Fa%20b.pdf%23c%2Fd"
    assert document_path("original", "hay", identifier) == f"/document/original{end}"
    assert document_path("picture", "hay", identifier, size=160) == f"/document/picture{end}?size=160"
    assert (
        document_path("text", "hay", identifier, page=12, q="a&b") == f"/document/text{end}?page=12&q=a%26b"
    )
    assert document_path("text", "hay", identifier, page=None, q="") == f"/document/text{end}"
