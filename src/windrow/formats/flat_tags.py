"""What the tags of plain oai_dc mean, asked of the parser once for each spelling.

A source writes the same root tag and the same few start tags on every record. So nothing is guessed here
about namespaces, prefixes or attributes, and still no record after the first is parsed for them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from lxml import etree

from windrow.formats.elements import XML_LANG
from windrow.formats.envelope import parse
from windrow.formats.flat_values import RULES, Portions
from windrow.formats.languages import codes_of
from windrow.formats.terms import DC

MOST_STARTS = 200  # spellings of start tags under one root; a source that has more goes through the parser

_NAME = re.compile(rb"\s*<([\w.-]+:)?dc(?=\s|$)")
_DC_ADDRESS = DC.strip("{}")


class Start(NamedTuple):
    """One spelling of a start tag: the element, the language its words are in, the end tag's rest."""

    name: str
    language: str | None
    end: bytes  # without its "<"


class Shape:
    """What a source writes around its elements: the root tag, and the prefix of Dublin Core under it."""

    def __init__(self, head: bytes, end: bytes, declarations: bytes, prefix: bytes) -> None:
        self.end = end
        self.mark = b"<" + prefix + b":"  # every element starts so
        self.portions: dict[bytes, Portions] = {}  # of whole elements seen before
        self._head = head
        self._declarations = declarations
        self._prefix = prefix
        self._starts: dict[bytes, Start | None] = {}

    def start_of(self, spelling: bytes) -> Start | None:
        """What a start tag means, given from behind the mark to before its ">"; None: ask the parser."""
        try:
            return self._starts[spelling]
        except KeyError:
            if len(self._starts) == MOST_STARTS:
                return None
            return self._starts.setdefault(spelling, self._asked(spelling))

    def _asked(self, spelling: bytes) -> Start | None:
        words = spelling.split(None, 1)
        if not words or b"<" in spelling:
            return None
        end = b"/%b:%b>" % (self._prefix, words[0])
        element = b"%b%b><%b" % (self.mark, spelling, end)
        try:
            child = parse(b"%b>%b%b" % (self._head, element, self.end), self._declarations)[0][0]
        except (etree.XMLSyntaxError, IndexError):
            return None
        name = str(child.tag).removeprefix(DC)
        codes = codes_of(child.get(XML_LANG) or "")
        return Start(name, codes[0] if codes else None, end) if name in RULES else None


def shape_of(head: bytes, declarations: bytes, roots: frozenset[str]) -> Shape | None:
    """The shape that a root tag, given without its ">", announces; None for one the parser must see.

    `roots` are the root elements that are plain oai_dc, in Clark notation.
    """
    name = _NAME.match(head)
    if name is None:
        return None
    end = b"</%bdc>" % (name[1] or b"")
    try:
        envelope = parse(b"%b>%b" % (head, end), declarations)
    except etree.XMLSyntaxError:
        return None
    root = envelope[0]
    prefixes = [prefix for prefix, address in root.nsmap.items() if address == _DC_ADDRESS and prefix]
    if root.tag not in roots or len(root) or len(prefixes) != 1:
        return None
    return Shape(head, end, declarations, prefixes[0].encode())
