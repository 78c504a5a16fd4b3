"""A page cut short is never taken for a whole one, wherever the connection broke."""

from __future__ import annotations

import pytest

from tests.unit.protocols.oai.pages import page, payload, record, tombstone
from windrow.errors import BadXml, NotOai
from windrow.protocols.oai.oai_page import Page
from windrow.protocols.oai.page_parser import parse_page
from windrow.protocols.oai.repository_info import parse_identity
from windrow.protocols.oai.well_formedness import find_flaw

TOKEN = '<resumptionToken cursor="0">ä&amp;1</resumptionToken>'
WHOLE = page(record("a", payload("Löyly &amp; <![CDATA[<b>]]>")), tombstone("b"), token=TOKEN)
DAMAGED = page(record("a", payload("R & D, &ouml; \x0c")), record("b"), token=TOKEN)
BROKEN = page(record("a", "<x></y>"), record("b"), token=TOKEN)


def parsed(body: bytes) -> Page | BadXml | NotOai:
    try:
        return parse_page(body)
    except (BadXml, NotOai) as exc:
        return exc


@pytest.mark.parametrize("body", [WHOLE, DAMAGED, BROKEN], ids=["whole", "damaged", "broken"])
def test_no_beginning_of_a_page_passes_for_the_page(body: bytes) -> None:
    end = len(body.rstrip())
    assert isinstance(parsed(body[:end]), Page)
    for length in range(end):
        assert not isinstance(parsed(body[:length]), Page), f"the first {length} bytes passed for a page"


@pytest.mark.parametrize(
    ("encoding", "letter"), [("utf-16", "ä"), ("utf-16-be", "ä"), ("euc-jp", "干"), ("windows-1252", "å")]
)
def test_no_beginning_of_a_page_in_another_encoding_passes_either(encoding: str, letter: str) -> None:
    text = page(record("a", payload(letter)), token=TOKEN.replace("ä", letter)).decode().rstrip()
    body = text.replace("UTF-8", encoding.removesuffix("-be")).encode(encoding)
    assert isinstance(parsed(body), Page)
    for length in range(len(body) - 1):
        assert not isinstance(parsed(body[:length]), Page), f"the first {length} bytes passed for a page"


@pytest.mark.parametrize("body", [WHOLE, DAMAGED, BROKEN], ids=["whole", "damaged", "broken"])
def test_a_page_cut_after_its_envelope_began_says_that_it_was_cut_short(body: bytes) -> None:
    start = body.index(b"<responseDate>")
    for length in range(start, len(body.rstrip())):
        found = parsed(body[:length])
        assert isinstance(found, BadXml), f"{length} bytes: {found}"
        assert found.is_truncated
        assert found.body == body[:length]


def test_the_first_look_tells_a_page_cut_short_from_a_damaged_one() -> None:
    for length in range(len(WHOLE.rstrip())):
        flaw = find_flaw(WHOLE[:length])
        assert flaw is not None
        assert flaw.is_truncated, f"{length} bytes: {flaw}"
    damaged = find_flaw(DAMAGED)
    assert damaged is not None
    assert not damaged.is_truncated


def test_a_page_cut_inside_utf_16_says_so_too() -> None:
    body = WHOLE.decode().replace("UTF-8", "UTF-16").encode("utf-16")
    found = parsed(body[: len(body) // 2 + 1])
    assert isinstance(found, BadXml)
    assert found.is_truncated


def test_no_beginning_of_a_small_answer_passes_for_the_answer() -> None:
    body = page(verb="Identify").rstrip()
    parse_identity(body)
    for length in range(len(body)):
        with pytest.raises((BadXml, NotOai)):
            parse_identity(body[:length])
