"""What a web page says of itself in its head: the describer of HTML, one of those that `describer` knows.

Only the tags up to the first that belongs in the body are looked at, each character about once. Pages are
written by anyone, so a page without sense gives few values or none, and never takes long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from windrow.formats.markup import fold, unescape
from windrow.sources.files.html_charset import decode
from windrow.sources.files.meta_names import element_for

MOST_BYTES = 64 * 1024
MOST_VALUES = 200
LONGEST_VALUE = 10_000
_TAG = re.compile(r"<(/?)([A-Za-z][^\s/>]*+)")
_ATTRIBUTE = re.compile(
    r"""[\s/]*+([^\s/>=][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|(?!["'])([^\s>]*+)))?+"""
)
_TAG_END = re.compile(r"[\s/]*+>")
_CLOSED_BY = {name: re.compile(rf"</{name}[\s/>]", re.IGNORECASE) for name in ("title", "script", "style")}
_IN_HEAD = frozenset(
    ("html", "head", "title", "meta", "link", "base", "script", "style", "noscript", "template")
)
_LISTS = re.compile(r"[,;]")


class HtmlHead:
    """Reads `<title>`, `<meta name=…>` and the language of a page."""

    media_types = frozenset({"text/html", "application/xhtml+xml"})
    most_bytes = MOST_BYTES

    def describe(self, beginning: bytes) -> list[tuple[str, str]]:
        """Give what the page says, its own metadata before its title: that is often the site's name too."""
        title, language, said = "", "", list[tuple[str, str]]()
        for name, attributes, text in _tags(decode(beginning[:MOST_BYTES])):
            if name == "title":
                title = title or _cleaned(text)
            elif name == "html":
                language = _cleaned(attributes.get("lang") or attributes.get("xml:lang", ""))
            elif name == "meta" and len(said) < MOST_VALUES:
                said += _said(attributes)
        last = [("title", title), ("language", language)]
        known = {element for element, _ in said}
        return said + [(element, words) for element, words in last if words and element not in known]


def _said(attributes: dict[str, str]) -> Iterator[tuple[str, str]]:
    element = element_for(attributes.get("name", ""))
    if element is None:
        return
    content = _cleaned(attributes.get("content", ""))
    is_list = "keyword" in attributes["name"].lower()
    for words in _LISTS.split(content)[:MOST_VALUES] if is_list else (content,):
        if words.strip():
            yield element, words.strip()


def _cleaned(text: str) -> str:
    return fold(unescape(text[:LONGEST_VALUE]))


def _tags(page: str) -> Iterator[tuple[str, dict[str, str], str]]:
    """Give the opening tags of the head: name, attributes, and of a title the text behind it."""
    position = 0
    while (position := page.find("<", position)) >= 0:
        if page.startswith(("<!", "<?"), position):
            end = "-->" if page.startswith("<!--", position) else ">"
            closed = page.find(end, position + 2)
            if closed < 0:
                return
            position = closed + len(end)
            continue
        tag = _TAG.match(page, position)
        if tag is None:
            position += 1
            continue
        name = tag[2].lower()
        if name not in _IN_HEAD or (tag[1] and name == "head"):
            return
        attributes, after = _attributes(page, tag.end())
        if after < 0:
            return
        text, position = _text_of(page, name, after) if not tag[1] else ("", after)
        if position < 0:
            return
        if not tag[1]:
            yield name, attributes, text


def _attributes(page: str, position: int) -> tuple[dict[str, str], int]:
    """Give a tag's attributes, the first of each name, and where it ends; -1 where it never does.

    A quote that is never closed keeps the tag open for ever: everything behind it is inside.
    """
    found: dict[str, str] = {}
    while attribute := _ATTRIBUTE.match(page, position):
        name, double, single, bare = attribute.groups()
        if len(found) < MOST_VALUES:
            found.setdefault(name.lower(), double or single or bare or "")
        position = attribute.end()
    end = _TAG_END.match(page, position)
    return found, end.end() if end else -1


def _text_of(page: str, name: str, position: int) -> tuple[str, int]:
    """Give the text of an element in which no tags count, and where it ends; -1 where it never does."""
    closing = _CLOSED_BY.get(name)
    if closing is None:
        return "", position
    end = closing.search(page, position)
    return (page[position : end.start()], end.start()) if end else ("", -1)


DESCRIBER = HtmlHead()
