"""The one XML parser of this folder: a payload back inside an element that declares what it needs.

Used by `registry`, which reads the element inside, and by `flat_tags`, which asks what a tag means.
"""

from __future__ import annotations

import threading
from xml.parsers import expat

from lxml import etree


def parse(payload: bytes, declarations: bytes) -> etree._Element:
    """The element around a payload. Raises lxml's XMLSyntaxError where that is not well-formed."""
    envelope = b"<w%b>%b</w>" % (declarations, payload)
    try:
        return etree.fromstring(envelope, _PARSERS.strict)
    except etree.XMLSyntaxError:
        # lxml refuses namespace names that are no URIs, which XML allows: repositories put two addresses
        # into one, or a placeholder. If a stricter judge of XML itself finds no fault, neither do we.
        if not _is_well_formed(envelope):
            raise
        return etree.fromstring(envelope, _PARSERS.lenient)


def _is_well_formed(document: bytes) -> bool:
    try:
        expat.ParserCreate(namespace_separator="#").Parse(document, True)  # with a blank, it minds blanks
    except expat.ExpatError:
        return False
    return True


def _parser(*, recover: bool) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
        recover=recover,
    )


class _Parsers(threading.local):
    """Parsers for one thread: lxml locks a shared one."""

    def __init__(self) -> None:
        self.strict = _parser(recover=False)
        self.lenient = _parser(recover=True)


_PARSERS = _Parsers()
