"""Markup as a row of tags and pieces of text, for the readers of HTML and XML.

No tree is built, so that no depth of nesting costs anything; each character is looked at about once. What is
opened and never closed (a comment, a tag, a script) goes on to the end, as in browsers.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

MOST_ATTRIBUTES = 100
_TAG = re.compile(r"<(/?)([A-Za-z_][^\s/>]*+)")
_ATTRIBUTE = re.compile(
    r"""[\s/]*+([^\s/>=][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|(?!["'])([^\s>]*+)))?+"""
)
_TAG_END = re.compile(r"[\s/]*+>")
_DOCTYPE_END = re.compile(r"\]\s*+>")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
# In these no tags count until their own end; browsers have a few more that hardly anybody uses.
RAW = frozenset(("script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes"))
_RAW_ENDS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in RAW}


class Tag(NamedTuple):
    """An opening or closing tag; its name is in small letters."""

    name: str
    is_end: bool
    attributes: dict[str, str]


def unescape(text: str) -> str:
    """The text with entities resolved; what only looks like one stays."""
    return _ENTITY.sub(lambda found: html.unescape(found[0]), text) if "&" in text else text


def tokens(page: str, *, raw: frozenset[str] = RAW, is_xml: bool = False) -> Iterator[Tag | str]:
    """Give the tags and the texts of a page in order. `raw` are the elements in which no tags count.

    With `is_xml` a tag that ends in a slash closes itself; HTML takes no notice of it.
    """
    position = start = 0
    while (position := page.find("<", position)) >= 0:
        tag = _TAG.match(page, position)
        if tag is None and not page.startswith(("<!", "<?"), position):
            position += 1
            continue
        if start < position:
            yield unescape(page[start:position])
        if tag is None:
            text, position = _declaration(page, position)
            if text:
                yield text
        else:
            name = tag[2].lower()
            attributes, position = _attributes(page, tag.end())
            if position < 0:
                return
            yield Tag(name, bool(tag[1]), attributes)
            if is_xml and not tag[1] and page.endswith("/>", 0, position):
                yield Tag(name, True, {})
            elif name in raw and not tag[1]:
                end = _RAW_ENDS[name].search(page, position)
                close = end.start() if end else len(page)
                yield (
                    unescape(page[position:close]) if name in ("title", "textarea") else page[position:close]
                )
                position = close
        start = position
    if start < len(page):
        yield unescape(page[start:])


def _declaration(page: str, position: int) -> tuple[str, int]:
    """What stands in a comment, a declaration or an instruction: text in CDATA only; and where it ends."""
    if page.startswith("<![CDATA[", position):
        end = _end(page, "]]>", position + 9)
        return page[position + 9 : max(end - 3, position + 9)], end
    if page.startswith("<!--", position):
        return "", _end(page, "-->", position + 4)
    if page.startswith("<?", position):
        return "", _end(page, ">", position + 2)
    end = _end(page, ">", position)
    inner = page.find("[", position, end)
    if inner < 0:
        return "", end
    closed = _DOCTYPE_END.search(page, inner)
    return "", closed.end() if closed else len(page)


def _end(page: str, mark: str, position: int) -> int:
    found = page.find(mark, position)
    return found + len(mark) if found >= 0 else len(page)


def _attributes(page: str, position: int) -> tuple[dict[str, str], int]:
    """Give a tag's attributes, the first of each name, and where it ends; -1 where it never does."""
    found: dict[str, str] = {}
    while attribute := _ATTRIBUTE.match(page, position):
        if len(found) < MOST_ATTRIBUTES:
            name, double, single, bare = attribute.groups()
            found.setdefault(name.lower(), unescape(double or single or bare or ""))
        position = attribute.end()
    end = _TAG_END.match(page, position)
    return found, end.end() if end else -1
