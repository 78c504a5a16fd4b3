"""Character data decoded as a parser would."""

from __future__ import annotations

from xml.parsers import expat
from xml.sax.saxutils import escape

from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.protocols.oai.oai_page import decode_references

PIECES = st.one_of(
    st.text(
        st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff")
    ).map(escape),
    st.sampled_from(["&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&amp;lt;", "&amp;#65;"]),
    st.integers(0x20, 0xD7FF).map(lambda code: f"&#{code};"),
    st.integers(0x10000, 0x10FFFF).map(lambda code: f"&#x{code:09X};"),
)


@settings(deadline=None)
@given(st.lists(PIECES).map("".join))
def test_text_decodes_as_a_parser_reads_it(text: str) -> None:
    found: list[str] = []
    parser = expat.ParserCreate()
    parser.CharacterDataHandler = found.append
    parser.Parse(f"<x>{text}</x>".encode(), True)
    assert decode_references(text.encode()) == "".join(found).strip()


def test_what_is_no_reference_stays_as_it_is() -> None:
    assert (
        decode_references(b"a & b &nosuch; &#; &#xD800; &#99999999; \xff")
        == "a & b &nosuch; &#; &#xD800; &#99999999; \ufffd"
    )
