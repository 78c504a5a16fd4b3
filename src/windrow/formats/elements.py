"""How readers walk a record: the words inside an element, its language, its name.

`Draft`, which they fill on the way, stands in `draft` and is offered here too: a reader needs both.
"""

from __future__ import annotations

from lxml import etree

from windrow.formats.draft import Draft
from windrow.model.languages import codes_of

__all__ = ["XML_LANG", "Draft", "language_of", "local", "text_of", "words_of"]

XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"

# Children that stand on a line of their own: without a space between them words would grow together.
_APART = frozenset(
    ("br", "dd", "div", "dt", "h1", "h2", "h3", "h4", "li", "p", "sec", "td", "th", "title", "tr")
)


def text_of(element: etree._Element) -> str:
    """All the text inside an element, on one line."""
    text = element.text or "" if len(element) == 0 else words_of(element)
    return " ".join(text.split())


def words_of(element: etree._Element) -> str:
    """All the text inside an element as it stands, block elements kept apart."""
    if len(element) == 0:
        return element.text or ""
    pieces: list[str] = []
    for event, node in etree.iterwalk(element, events=("start", "end", "comment", "pi")):
        if event == "start":
            pieces.append(node.text or "")
            continue
        if local(node) in _APART:
            pieces.append("\n\n")
        if node is not element:
            pieces.append(node.tail or "")
    return "".join(pieces)


def language_of(element: etree._Element) -> str | None:
    """The ISO 639 code of an element's own xml:lang or lang attribute; None where it says none we know."""
    said = element.get(XML_LANG) or element.get("lang") or element.get("language")
    if not said:
        return None
    codes = codes_of(said)
    return codes[0] if codes else None


def local(element: etree._Element) -> str:
    """The name of an element without its namespace; "" for a comment or a processing instruction."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
