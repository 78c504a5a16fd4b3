"""What the tags of plain oai_dc mean, asked of the parser once for each spelling.

A source writes the same root tag and the same few start tags on every record. So nothing is guessed here
about namespaces, prefixes and attributes, and yet no record after the first is parsed for them.
"""

from __future__ import annotations

import re

from lxml import etree

from windrow.formats.elements import XML_LANG
from windrow.formats.envelope import parse
from windrow.formats.flat_text import Unsure
from windrow.formats.oai_dc import is_qualified
from windrow.formats.terms import DC
from windrow.model.languages import codes_of

MOST_SPELLINGS = 200  # of start tags under one root; what comes after them goes through the parser

_ROOT = re.compile(r"\s*<([\w.-]+:)?dc(?=[\s>])")
_DC_ADDRESS = DC.strip("{}")
# Element by element, each from its start tag to the next one's; what is none swallows the rest. Nothing is
# ever given back (*+), and no part but the words reaches over a bracket: a long payload stays linear.
_ELEMENTS = r"[ \t\n]*+(?:<{0}:([a-z]++)([^<>/]*+)(?:>([^<]*+)</{0}:\1>|/>)[ \t\n]*+|.++)"


Element = tuple[str, str, str]  # name, attributes as they stand, words as they stand


class Shape:
    """What a source writes around its elements: the root tag, and the prefix of Dublin Core under it."""

    def __init__(self, head: str, end: str, prefix: str, declarations: bytes) -> None:
        self.head = head
        self._end = end
        self._prefix = prefix
        self.declarations = declarations
        self._start = len(head)
        self._elements = re.compile(_ELEMENTS.format(re.escape(prefix)), re.DOTALL)
        self._languages: dict[str, str | None] = {}

    def cut(self, payload: str) -> list[Element]:
        """The elements of a payload, those without words too. Raises Unsure where there is more."""
        payload = payload.rstrip(" \t\n")
        if not payload.endswith(self._end):
            raise Unsure
        elements = self._elements.findall(payload, self._start, len(payload) - len(self._end))
        if not elements or not elements[-1][0]:
            raise Unsure
        return elements

    def language(self, name: str, attributes: str) -> str | None:
        """The language that an element's attributes say its words are in."""
        spelling = name + attributes
        try:
            return self._languages[spelling]
        except KeyError:
            if len(self._languages) >= MOST_SPELLINGS:
                raise Unsure from None
        language = self._languages[spelling] = self._asked(name, attributes)
        return language

    def _asked(self, name: str, attributes: str) -> str | None:
        tags = f"{self.head}<{self._prefix}:{name}{attributes}/>{self._end}"
        try:
            child = parse(tags.encode(), self.declarations)[0][0]
        except etree.XMLSyntaxError:
            raise Unsure from None
        if child.tag != DC + name:
            raise Unsure
        if is_qualified(child):
            raise Unsure
        codes = codes_of(child.get(XML_LANG) or "")
        return codes[0] if codes else None


def shape_of(head: str, declarations: bytes, roots: frozenset[str]) -> Shape | None:
    """The shape that a root's start tag announces; None for one of which only the parser can say more.

    `roots` are the root elements that are plain oai_dc, in Clark notation.
    """
    start = _ROOT.match(head)
    if start is None:
        return None
    end = f"</{start[1] or ''}dc>"
    try:
        root = parse((head + end).encode(), declarations)[0]
    except etree.XMLSyntaxError:
        return None
    prefixes = [prefix for prefix, address in root.nsmap.items() if address == _DC_ADDRESS and prefix]
    is_plain = root.tag in roots and len(root) == 0 and len(prefixes) == 1
    return Shape(head, end, prefixes[0], declarations) if is_plain else None
