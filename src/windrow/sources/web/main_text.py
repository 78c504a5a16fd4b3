"""The main text of a page without navigation, menus and footers, for indexing whole sites.

A text block (between two block elements) is rated by its number of words and its share of link words, as in
boilerpipe. trafilatura finds a little more, at twenty times the cost.
"""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from windrow.model.text.safe_text import strip_invisible

_SKIPPED = frozenset(("head", "nav", "footer", "form", "button", "aside", "menu", "dialog"))
_SKIPPED_ROLES = frozenset(
    ("navigation", "banner", "contentinfo", "search", "complementary", "menu", "menubar")
)
_INLINE_NAMES = """
a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike
strong sub sup time tt u var wbr img
"""
_INLINE = frozenset(_INLINE_NAMES.split())
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
LONG_WORDS = 15
SHORT_WORDS = 4
MOST_LINKED = 0.33  # share of a block's words that may be links


@dataclass(slots=True)
class _Block:
    text: str
    words: int
    linked: int
    is_heading: bool

    @property
    def is_good(self) -> bool:
        return self.words >= LONG_WORDS and self.linked <= MOST_LINKED * self.words

    @property
    def is_fair(self) -> bool:
        """Return whether the block is acceptable next to a good one."""
        return self.is_heading or (self.words >= SHORT_WORDS and self.linked <= MOST_LINKED * self.words)


def main_text_of(root: etree._Element) -> str:
    """Return the main text, one line per block; the text of the whole page if no block qualifies."""
    place = _main_element(root)
    blocks = _blocks(place)
    if place is not root and not any(block.is_good for block in blocks):
        blocks = _blocks(root)
    good = [block.is_good for block in blocks]
    if not any(good):
        return "\n".join(block.text for block in blocks)
    kept = []
    for number, block in enumerate(blocks):
        is_beside = any(good[max(0, number - 2) : number + 3])
        if good[number] or (block.is_fair and is_beside):
            kept.append(block.text)
    return "\n".join(kept)


def _main_element(root: etree._Element) -> etree._Element:
    """Return the element marked as the main part, if there is exactly one."""
    marked = list(root.iter("main")) or list(root.iter("article"))
    return marked[0] if len(marked) == 1 else root


def _blocks(root: etree._Element) -> list[_Block]:
    collector = _Collector()
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            collector.start(element)
        else:
            collector.end(element, is_last=element is root)
    return collector.blocks


class _Collector:
    """Collects the text blocks of a page."""

    def __init__(self) -> None:
        self.blocks: list[_Block] = []
        self._pieces: list[str] = []
        self._linked = 0
        self._links_open = 0
        self._is_heading = False
        self._skipped: etree._Element | None = None

    def start(self, element: etree._Element) -> None:
        tag = str(element.tag)
        if tag not in _INLINE:
            self._close()
            self._is_heading = tag in _HEADINGS
            if self._skipped is None and (tag in _SKIPPED or element.get("role") in _SKIPPED_ROLES):
                self._skipped = element
        self._links_open += tag == "a"
        self._take(element.text)

    def end(self, element: etree._Element, *, is_last: bool) -> None:
        tag = str(element.tag)
        self._links_open -= tag == "a"
        if tag not in _INLINE:
            self._close()
            self._is_heading = False
            if self._skipped is element:
                self._skipped = None
        if not is_last:
            self._take(element.tail)

    def _take(self, text: str | None) -> None:
        if text and self._skipped is None:
            self._pieces.append(text)
            if self._links_open:
                self._linked += len(text.split())

    def _close(self) -> None:
        text = strip_invisible(" ".join("".join(self._pieces).split()))
        if text:
            self.blocks.append(_Block(text, len(text.split()), self._linked, self._is_heading))
        self._pieces.clear()
        self._linked = 0
