"""The remedy for prefixes that a page uses without declaring them: declared on its root element."""

from __future__ import annotations

import re

_TAG = rb"""(?:"[^"]*"|'[^']*'|[^>"'])*>"""
_START_TAG = re.compile(rb"<" + _TAG)
_ROOT = re.compile(rb"<(?:[\w.-]+:)?OAI-PMH(?=[\s>])")
_QUOTED = re.compile(rb""""[^"]*"|'[^']*'""")
_USED = re.compile(rb"(?:<|\s)([A-Za-z_][\w.-]*):[A-Za-z_]")
_DECLARED = re.compile(rb"\sxmlns:([\w.-]+)\s*=")
_WELL_KNOWN = {
    b"dc": b"http://purl.org/dc/elements/1.1/",
    b"dcterms": b"http://purl.org/dc/terms/",
    b"edm": b"http://www.europeana.eu/schemas/edm/",
    b"kk": b"http://kk/1.0",
    b"marc": b"http://www.loc.gov/MARC21/slim",
    b"mods": b"http://www.loc.gov/mods/v3",
    b"oai": b"http://www.openarchives.org/OAI/2.0/",
    b"oai_dc": b"http://www.openarchives.org/OAI/2.0/oai_dc/",
    b"ore": b"http://www.openarchives.org/ore/terms/",
    b"rdf": b"http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    b"skos": b"http://www.w3.org/2004/02/skos/core#",
    b"xlink": b"http://www.w3.org/1999/xlink",
    b"xsi": b"http://www.w3.org/2001/XMLSchema-instance",
}
_RESERVED = frozenset((b"xml", b"xmlns"))


def declare_prefixes(body: bytes, offset: int) -> bytes:
    """Give the page with the prefixes declared that the start tag at `offset` uses and nobody declares.

    Well-known ones get the address everybody knows them by, others one that says what happened.
    """
    root = _ROOT.search(body)
    tag = _START_TAG.match(body, offset)
    if root is None or tag is None:
        return body
    whole = _START_TAG.match(body, root.start())
    known = _declared(whole.group() if whole else b"") | _declared(tag.group())
    used = dict.fromkeys(_USED.findall(_QUOTED.sub(b'""', tag.group())))
    added = b"".join(
        b' xmlns:%s="%s"' % (prefix, _WELL_KNOWN.get(prefix, b"urn:undeclared-prefix:" + prefix))
        for prefix in used
        if prefix not in known
    )
    return body[: root.end()] + added + body[root.end() :]


def _declared(tag: bytes) -> frozenset[bytes]:
    return _RESERVED.union(_DECLARED.findall(_QUOTED.sub(b'""', tag)))
