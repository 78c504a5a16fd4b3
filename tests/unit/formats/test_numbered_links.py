"""An address that ends in a number is what its neighbours are, and exactly what every rule makes of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.thorough import tries
from windrow.formats.mapping.identifier_schemes import parse_identifier
from windrow.formats.mapping.link_kinds import identify_value, make_link
from windrow.model.document import Identifier, Link, LinkKind

_STEMS = """
http://example.org/ http://example.org/handle/1/ https://example.org/item?id= http://example.org/x.mp
http://example.org/x.mp= http://example.org/thumbs/ http://example.org/a?sequence= http://example.org/pdf/
https://doi.org/10.1234/ https://hdl.handle.net/1/ https://hdl.handle.net/ https://arxiv.org/abs/hep-th/
https://pubmed.ncbi.nlm.nih.gov/ https://orcid.org/0000-0001-2345- http://example.org/license?v=
http://creativecommons.org/licenses/by/ http://example.org/articles/view/3/ HTTP://EXAMPLE.ORG/Bitstream/
ftp://example.org/pub/ http:// http://example.org/urn:isbn:x/ doi:10.1234/ example.org/ hdl:1/ http://a/b.pdf#page=
"""
STEMS = [*_STEMS.split(), "http://example.org/a b/", "http://example.org/<b>/", " http://example.org/", ""]

numbers = st.from_regex(r"[0-9]{1,14}", fullmatch=True) | st.just("٣")


@settings(max_examples=tries(500))
@given(st.sampled_from(STEMS) | st.text(max_size=30).map("http://example.org/{}/".format), numbers)
def test_a_numbered_address_is_what_every_rule_makes_of_it(stem: str, number: str) -> None:
    # A media type that says nothing makes the same link by way of all the rules.
    whole = make_link(stem + number, media_type="text/html")
    expected = Link(whole.url, whole.kind) if whole is not None else None
    assert make_link(stem + number) == expected


@settings(max_examples=tries(500))
@given(st.sampled_from(STEMS), numbers)
def test_a_numbered_address_names_nothing_unless_it_does(stem: str, number: str) -> None:
    value = " ".join((stem + number).split())
    name, link = identify_value(value)
    if link is not None:
        assert name == parse_identifier(value)
    else:
        assert name == (parse_identifier(value) or Identifier("local", value))


@pytest.mark.parametrize("number", ["7", "20010203"])
def test_neighbours_of_a_page_are_pages_and_neighbours_of_a_file_are_files(number: str) -> None:
    page, file = f"http://example.org/record/{number}", f"http://example.org/bitstream/{number}"
    assert identify_value(page) == (None, Link(page, LinkKind.LANDING))
    assert identify_value(file) == (None, Link(file, LinkKind.FULLTEXT))


def test_a_number_that_makes_an_identifier_is_seen_behind_one_that_makes_none() -> None:
    assert identify_value("https://arxiv.org/abs/hep-th/1")[0] is None
    name, _ = identify_value("https://arxiv.org/abs/hep-th/0101001")
    assert name is not None
    assert name.scheme == "arxiv"
