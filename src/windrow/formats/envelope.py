"""The one XML parser of this folder: a payload back inside an element that declares what it needs.

Used by `registry`, which reads the element inside, and by `flat_tags`, which asks what a tag means.
"""

from __future__ import annotations

import threading

from lxml import etree


def parse(payload: bytes, declarations: bytes) -> etree._Element:
    """The element around a payload. Raises lxml's XMLSyntaxError where that is not well-formed."""
    return etree.fromstring(b"<w%b>%b</w>" % (declarations, payload), _PARSERS.parser)


class _Parsers(threading.local):
    """One parser a thread: lxml locks a shared one."""

    def __init__(self) -> None:
        self.parser = etree.XMLParser(
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=True,
            remove_comments=True,
            remove_pis=True,
        )


_PARSERS = _Parsers()
