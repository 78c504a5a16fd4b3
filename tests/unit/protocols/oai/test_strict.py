"""What the first look at a page says: well-formed, plain, cut short, or up to no good."""

from __future__ import annotations

import pytest

from tests.unit.protocols.oai.pages import DECLARATION, page, payload, record
from windrow.errors import BadXml
from windrow.protocols.oai.page_parser import parse_page
from windrow.protocols.oai.repository_info import parse_identity
from windrow.protocols.oai.well_formedness import FORBIDDEN, examine, find_flaw


def with_doctype(doctype: str, title: str = "") -> bytes:
    body = page(record("a", payload(title))).decode()
    return body.replace(DECLARATION, DECLARATION + doctype).encode()


LAUGHS = '<!ENTITY l0 "lol">' + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
HOSTILE = {
    "billion laughs": with_doctype(f"<!DOCTYPE OAI-PMH [{LAUGHS}]>", "&l9;"),
    "quadratic blow-up": with_doctype(f'<!DOCTYPE OAI-PMH [<!ENTITY a "{"a" * 9999}">]>', "&a;" * 9999),
    "external entity": with_doctype('<!DOCTYPE OAI-PMH [<!ENTITY e SYSTEM "file:///etc/passwd">]>', "&e;"),
    "external entity unused": with_doctype('<!DOCTYPE OAI-PMH [<!ENTITY e SYSTEM "http://127.0.0.1:9/">]>'),
    "parameter entity": with_doctype('<!DOCTYPE OAI-PMH [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>'),
    "external document type": with_doctype('<!DOCTYPE OAI-PMH SYSTEM "file:///etc/passwd">', "&e;"),
    "harmless entity": with_doctype('<!DOCTYPE OAI-PMH [<!ENTITY auml "&#228;">]>', "&auml;"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_declared_entities_are_refused_whatever_they_are_for(name: str) -> None:
    flaw = find_flaw(HOSTILE[name])
    assert flaw is not None
    assert flaw.code == FORBIDDEN
    with pytest.raises(BadXml, match="entity"):
        parse_page(HOSTILE[name])
    with pytest.raises(BadXml, match="entity"):
        parse_identity(HOSTILE[name])


def test_a_document_type_without_entities_is_harmless() -> None:
    assert parse_page(with_doctype('<!DOCTYPE OAI-PMH SYSTEM "oai.dtd">')).records[0].identifier == "a"


def test_a_page_of_tags_and_text_is_plain() -> None:
    assert examine(page(record("a", payload("&amp; &#228;")))) == (None, True)


@pytest.mark.parametrize("odd", ["<!-- c -->", "<![CDATA[x]]>", "<?pi x?>", "<?xml-stylesheet href='x'?>"])
def test_a_page_with_anything_else_is_not_plain(odd: str) -> None:
    assert examine(page(record("a", payload(odd)))) == (None, False)


def test_a_stylesheet_before_the_root_leaves_a_page_plain() -> None:
    body = page(record("a")).replace(b"?>\n", b'?>\n<?xml-stylesheet type="text/xsl" href="oai.xsl"?>\n', 1)
    assert examine(body) == (None, True)
    assert examine(body.replace(b"<ListRecords>", b"<ListRecords><?xml-stylesheet x?>")) == (None, False)


@pytest.mark.parametrize("address", [" http://example.org/ ", "a b", "urn:x}y", "#", "a#b", "urn:ä", "x|y"])
def test_an_odd_namespace_is_no_flaw(address: str) -> None:
    body = page(record("a", f"<p:x xmlns:p='{address}' p:y='1'/>"), attributes=f' xmlns:q="{address}"')
    assert find_flaw(body) is None
    (found,) = parse_page(body).records
    assert f' xmlns:q="{address}"'.encode() in found.declarations
    assert parse_page(body.replace(b"<?xml", b"<!-- --><?xml")).records == [found]


def test_a_long_page_is_judged_like_a_short_one() -> None:
    many = [record(str(number), payload("x" * 1000)) for number in range(1500)]
    assert examine(page(*many)) == (None, True)
    odd = [*many[:1000], record("odd", payload("<![CDATA[x]]>")), *many[1000:]]
    assert examine(page(*odd)) == (None, False)
    broken = page(*many[:1000], record("broken", "<x>"), *many[1000:])
    assert examine(broken)[0] == find_flaw(broken) is not None
    cut = page(*many)[:-500]
    flaw, _ = examine(cut)
    assert flaw is not None
    assert flaw.is_truncated


def test_records_left_open_all_along_a_long_page_do_not_pass_for_whole_ones() -> None:
    opened = "<record><x>" + "<record></record>" * 40_000
    body = page(opened, opened, opened).replace(b"</ListRecords>", b"</x></record ></ListRecords>")
    assert find_flaw(body) is not None
    with pytest.raises(BadXml):
        parse_page(body)


def test_a_flaw_says_where_it_is() -> None:
    flaw = find_flaw(b"<OAI-PMH>\n  <a></b></OAI-PMH>")
    assert flaw is not None
    assert str(flaw) == "mismatched tag (line 2, column 7)"
    assert not flaw.is_truncated


@pytest.mark.parametrize("encoding", ["x-no-such", "utf-8-no", "punycode", "hex", "undefined"])
def test_an_encoding_nobody_knows_is_a_flaw_and_no_crash(encoding: str) -> None:
    assert find_flaw(f'<?xml version="1.0" encoding="{encoding}"?><OAI-PMH/>'.encode()) is not None
