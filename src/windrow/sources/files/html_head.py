"""What a web page says of itself in its head: the describer of HTML, one of those that `describer` knows.

Only the tags up to the first that belongs in the body are looked at, each character about once. Pages are
written by anyone, so a page without sense gives few values or none, and never takes long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from windrow.extract.tags import Tag, tokens
from windrow.formats.markup import fold
from windrow.sources.files.html_charset import decode
from windrow.sources.files.meta_names import element_for

MOST_BYTES = 64 * 1024
MOST_VALUES = 200
LONGEST_VALUE = 10_000
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
        for tag, before in _tags(decode(beginning[:MOST_BYTES])):
            if tag.name == "title" and tag.is_end:  # one that is never closed is none
                title = title or _cleaned(before)
            elif tag.name == "html" and not tag.is_end:
                language = _cleaned(tag.attributes.get("lang") or tag.attributes.get("xml:lang", ""))
            elif tag.name == "meta" and len(said) < MOST_VALUES:
                said += _said(tag.attributes)
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
    return fold(text[:LONGEST_VALUE])


def _tags(page: str) -> Iterator[tuple[Tag, str]]:
    """Give the tags of the head, each with the text before it."""
    text = ""
    for token in tokens(page):
        if isinstance(token, str):
            text = token
            continue
        if token.name not in _IN_HEAD or (token.is_end and token.name == "head"):
            return
        yield token, text
        text = ""


DESCRIBER = HtmlHead()
