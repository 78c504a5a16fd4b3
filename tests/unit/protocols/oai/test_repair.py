"""Each remedy alone and together: what it mends parses, says what was done, and loses no text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.thorough import tries
from tests.unit.protocols.oai.generated import pages
from tests.unit.protocols.oai.pages import DC, OAI, OAI_DC, page, payload, record
from windrow.errors import BadXml
from windrow.protocols.oai.page_parser import parse_page, parse_small
from windrow.protocols.oai.page_repair import MAX_ROUNDS, repair
from windrow.protocols.oai.payload_xml import make_standalone
from windrow.protocols.oai.well_formedness import find_flaw

WINDOWS = "bytes that are not UTF-8 read as windows-1252"
CONTROLS = "control characters that XML forbids taken out"
REFERENCES = "references to characters that XML forbids taken out"
AMPERSANDS = "bare ampersands escaped"
STRAY = "stray < signs escaped"
ENTITIES = "undeclared entities spelled out"
BEFORE = "what stood before the XML cut off"
BEHIND = "what stood behind the root cut off"
PREFIXES = "undeclared prefixes declared"
INSIDE = "XML declarations inside the page taken out"

# raw title bytes, the text they become, what is said about it
TITLES: dict[str, tuple[bytes, str, str]] = {
    "less than": (b"significant (p < 0.05)", "significant (p < 0.05)", STRAY),
    "less than a number": (b"a<5 and <= 6", "a<5 and <= 6", STRAY),
    "company": (b"AT&T", "AT&T", AMPERSANDS),
    "lone ampersand": (b"hay & straw && more &", "hay & straw && more &", AMPERSANDS),
    "ampersand before digits": (b"&#; &#x; &1;", "&#; &#x; &1;", AMPERSANDS),
    "query": (b"?a=1&b=2&copy=3", "?a=1&b=2&copy=3", AMPERSANDS),
    "capital X": (b"caf&#XE9;", "café", AMPERSANDS),
    "html entity": (b"Bj&ouml;rk &mdash;&nbsp;x", "Björk —\u00a0x", ENTITIES),
    "entity of two characters": (b"&NotEqualTilde;", "≂̸", ENTITIES),
    "entity nobody knows": (b"&nosuch; &amp; &lt;", "&nosuch; & <", ENTITIES),
    "entity with a letter of its own": ("&öl;".encode(), "&öl;", AMPERSANDS),
    "windows quotes": (b"\x93hay\x94 \x96 caf\xe9", "“hay” – café", WINDOWS),
    "half utf-8": ("ä".encode() + b" \xe4 " + "ö".encode(), "ä ä ö", WINDOWS),
    "a letter in six bytes": (b"\xed\xa0\xbc\xed\xbc\xbe", "\U0001f33e", WINDOWS),
    "no letter even in windows": (b"a\x81b", "a\ufffdb", WINDOWS),
    "control characters": (b"a\x02b\x0cc\x0bd\x1f", "ab c d", CONTROLS),
    "no characters": (b"a\xef\xbf\xbeb\xef\xbf\xbf", "ab", CONTROLS),
    "zero bytes": (b"a\x00b", "ab", CONTROLS),
    "illegal references": (b"a&#2;b&#x0;c&#xFFFE;d&#12;e&#x110000;", "abcd e", REFERENCES),
    "surrogate references": (b"a&#xD83C;&#55358;b", "ab", REFERENCES),
    "legal references beside illegal ones": (b"&#228;&#x0000e4;&#2;&#x9;", "ää\t", REFERENCES),
    "endless reference": (b"a&#" + b"9" * 9000 + b";b", "ab", REFERENCES),
}


def titles(body: bytes) -> list[str]:
    """The titles of all records, as a reader of the stored payload would see them."""
    parsed = parse_page(body)
    assert not parsed.rejects
    texts = []
    for item in parsed.records:
        assert item.payload is not None
        root = etree.fromstring(make_standalone(item.payload, item.declarations))
        texts.append("".join(str(part) for found in root.iter("{*}title") for part in found.itertext()))
    return texts


def titled(raw: bytes) -> bytes:
    return page(record("a", payload("TITLE")), record("b", payload("fine"))).replace(b"TITLE", raw)


@pytest.mark.parametrize("name", TITLES)
def test_a_damaged_title_is_mended_and_told_and_its_text_kept(name: str) -> None:
    raw, text, words = TITLES[name]
    assert titles(titled(raw)) == [text, "fine"]
    assert parse_page(titled(raw)).repairs == (words,)


@settings(deadline=None, max_examples=tries(80))
@given(st.lists(st.sampled_from(sorted(TITLES)), min_size=2, max_size=6, unique=True))
def test_several_flaws_in_one_page_are_mended_each_in_its_turn(names: list[str]) -> None:
    body = titled(b" | ".join(TITLES[name][0] for name in names))
    wanted = " | ".join(TITLES[name][1] for name in names)
    assert titles(body)[0].split() == wanted.split()
    assert set(parse_page(body).repairs) >= {TITLES[name][2] for name in names}


@settings(deadline=None, max_examples=tries(80))
@given(st.lists(st.sampled_from(sorted(TITLES)), min_size=1, max_size=4))
def test_what_was_mended_parses_and_needs_no_more_mending(names: list[str]) -> None:
    body = titled(b"".join(TITLES[name][0] for name in names))
    flaw = find_flaw(body)
    assert flaw is not None
    mended, _, remaining = repair(body, flaw)
    assert remaining is None
    assert find_flaw(mended) is None
    assert parse_small(mended) == (mended, ())


@settings(deadline=None, max_examples=tries(60))
@given(pages())
def test_a_well_formed_page_is_never_touched(body: bytes) -> None:
    assert parse_small(body) == (body, ())
    assert parse_page(body).repairs == ()


@pytest.mark.parametrize("name", ["company", "html entity", "less than", "illegal references"])
def test_text_that_needs_no_mending_stays_as_it_is_beside_what_does(name: str) -> None:
    kept = b"<![CDATA[R&D &ouml; p < 0.05 &#2;]]><!-- R&D &ouml; < &#2; -->"
    raw, text, _ = TITLES[name]
    assert titles(titled(kept + raw)) == ["R&D &ouml; p < 0.05 &#2;" + text, "fine"]


def test_a_cdata_section_that_never_ends_keeps_nothing_from_being_tried() -> None:
    found = parse_page(page(record("a", payload("<![CDATA[x")), record("b", payload("R & D"))))
    assert [item.identifier for item in found.records] == ["b"]
    assert [item.identifier for item in found.rejects] == ["a"]


JUNK = [
    b"\n \r\n",
    b"\xef\xbb\xbf\n",
    b"Warning: mysql_connect() failed &\n",
    b"<br />\n<b>Notice</b>: x\n<br/>",
    b"\x00",
]


@pytest.mark.parametrize("junk", JUNK)
def test_what_stands_before_the_xml_is_cut_off(junk: bytes) -> None:
    found = parse_page(junk + page(record("a")))
    assert [item.identifier for item in found.records] == ["a"]
    assert found.repairs


def test_what_stands_between_declaration_and_root_is_cut_off() -> None:
    body = page(record("a")).replace(b"<OAI-PMH", b"Deprecated: each() is old\n<OAI-PMH", 1)
    assert titles(body) == ["On a"]
    assert parse_page(body).repairs == (BEFORE,)


@pytest.mark.parametrize("junk", [b"<br/>", b"junk", b"<b>Warning</b>: x & y", b"<html></html>", b"\x00\x00"])
def test_what_stands_behind_the_root_is_cut_off(junk: bytes) -> None:
    found = parse_page(page(record("a")) + junk)
    assert [item.identifier for item in found.records] == ["a"]
    assert found.repairs


def test_junk_on_both_sides_is_cut_off() -> None:
    found = parse_page(b"<br />" + page(record("a")) + b"<br />")
    assert [item.identifier for item in found.records] == ["a"]
    assert set(found.repairs) == {BEFORE, BEHIND}


@pytest.mark.parametrize(
    "declaration",
    [b"<?xml version='1.0' encoding=UTF-8?>", b"<?xml encoding='UTF-8' version='1.0'?>", b"<?xml ?>"],
)
def test_an_xml_declaration_that_is_none_is_done_without(declaration: bytes) -> None:
    body = declaration + page(record("a")).partition(b"?>")[2]
    assert titles(body) == ["On a"]


def test_an_xml_declaration_inside_metadata_is_taken_out() -> None:
    pasted = "<?xml version='1.0' encoding='utf-8'?>" + payload("Pasted <![CDATA[<?xml version='1.0'?>]]>")
    body = page(record("a", pasted), record("b", pasted))
    assert titles(body) == ["Pasted <?xml version='1.0'?>"] * 2
    assert parse_page(body).repairs == (INSIDE,)


@pytest.mark.parametrize(
    ("inside", "address"),
    [
        ("<dc:title>x</dc:title>", DC),
        ("<oai_dc:dc><dc:title>x</dc:title></oai_dc:dc>", DC),
        ("<x dc:title='y'/>", DC),
        ("<x xsi:type='y' q:z='1'/>", "urn:undeclared-prefix:q"),
        ("<odd-1:title>x</odd-1:title>", "urn:undeclared-prefix:odd-1"),
    ],
)
def test_an_undeclared_prefix_is_declared(inside: str, address: str) -> None:
    found = parse_page(page(record("a", inside), record("b")))
    assert [item.identifier for item in found.records] == ["a", "b"]
    assert found.repairs == (PREFIXES,)
    assert f'"{address}"'.encode() in found.records[0].declarations
    assert found.records[0].payload == inside.encode()


def test_a_prefix_that_begins_like_a_declared_one_is_declared_too() -> None:
    body = page(
        record("a", "<dc:title>x</dc:title>"), attributes=' xmlns:dcterms="http://purl.org/dc/terms/"'
    )
    assert titles(body) == ["x"]


def test_a_prefix_that_is_declared_is_not_declared_again_beside_one_that_is_not() -> None:
    inside = "<dcterms:x xmlns:p='urn:p' p:a='1' q:b='2'/>"
    found = parse_page(page(record("a", inside), attributes=' xmlns:dcterms="urn:own"'))
    assert found.repairs == (PREFIXES,)
    assert b' xmlns:dcterms="urn:own"' in found.records[0].declarations


def test_an_undeclared_prefix_on_the_root_is_declared() -> None:
    body = page(record("a")).replace(b"<OAI-PMH ", b'<OAI-PMH xsi:schemaLocation="urn:a no:prefix" ')
    found = parse_page(body)
    assert found.repairs == (PREFIXES,)
    assert b"urn:undeclared-prefix:no" not in found.records[0].declarations


def test_prefixed_envelopes_without_their_declaration_are_understood() -> None:
    body = page(record("a")).decode().replace(f' xmlns="{OAI}"', "")
    for name in ("OAI-PMH", "responseDate", "request", "ListRecords", "record", "header"):
        body = body.replace(f"<{name}", f"<oai:{name}").replace(f"</{name}", f"</oai:{name}")
    for name in ("identifier", "datestamp", "metadata"):
        body = body.replace(f"<{name}", f"<oai:{name}").replace(f"</{name}", f"</oai:{name}")
    assert titles(body.encode()) == ["On a"]


def test_a_prefix_declared_in_one_record_is_declared_for_the_other() -> None:
    declared = f'<oai_dc:dc xmlns:oai_dc="{OAI_DC}" xmlns:dc="{DC}"><dc:title>x</dc:title></oai_dc:dc>'
    bare = "<oai_dc:dc><dc:title>y</dc:title></oai_dc:dc>"
    assert titles(page(record("a", declared), record("b", bare))) == ["x", "y"]


def test_more_kinds_of_damage_than_patience_end_in_a_refusal() -> None:
    inside = "".join(f"<p{number}:x/>" for number in range(MAX_ROUNDS + 1))
    found = find_flaw(page(record("a", inside)))
    assert found is not None
    assert repair(page(record("a", inside)), found)[2] is not None


def test_damage_to_the_envelope_itself_is_beyond_repair() -> None:
    with pytest.raises(BadXml, match="mismatched tag"):
        parse_page(page(record("a")).replace(b"</responseDate>", b"</responsedate>"))
