"""What the first look at a page says: well-formed, plain, cut short, or up to no good."""

from __future__ import annotations

import pytest

from tests.unit.wire.oai.pages import DECLARATION, page, payload, record
from windrow.errors import BadXml
from windrow.wire.oai.answers import parse_identity
from windrow.wire.oai.parse import parse_page
from windrow.wire.oai.strict import FORBIDDEN, examine, find_flaw


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


def test_a_flaw_says_where_it_is() -> None:
    flaw = find_flaw(b"<OAI-PMH>\n  <a></b></OAI-PMH>")
    assert flaw is not None
    assert str(flaw) == "mismatched tag (line 2, column 7)"
    assert not flaw.is_truncated


@pytest.mark.parametrize("encoding", ["x-no-such", "utf-8-no", "punycode", "hex", "undefined"])
def test_an_encoding_nobody_knows_is_a_flaw_and_no_crash(encoding: str) -> None:
    assert find_flaw(f'<?xml version="1.0" encoding="{encoding}"?><OAI-PMH/>'.encode()) is not None
