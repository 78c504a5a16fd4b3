"""What a web page says of itself in its head: the describer of HTML, one of those that `describer` knows.

Only the tags up to the first that belongs in the body are looked at, each character about once. Pages are
written by anyone, so a page without sense gives few values or none, and never takes long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from windrow.extract.html_markup import Tag, fact_for_meta_name, tokens
from windrow.extract.text_decoding import LOOKED_AT_BYTES, MARKS, declared_codecs
from windrow.formats.dublin_core.oai_dc import ELEMENTS
from windrow.formats.mapping.markup import collapse_spaces

# The text of a web page's beginning: in the encoding that it declares, else as browsers guess.
# For `html_head`. Nothing is guessed by letters, as `extract.encodings` does it: there may be very many
# pages.

_LATIN = "cp1252"


def decode_html(page: bytes) -> str:
    """Return the page's text; a byte that its encoding does not have becomes U+FFFD."""
    for mark, encoding in MARKS:
        if page.startswith(mark):
            return page[len(mark) :].decode(encoding, "replace")
    for declared in declared_codecs(page[:LOOKED_AT_BYTES]):
        return page.decode(declared, "replace")
    # Four bytes at most belong to a character that the end of the beginning cut in two.
    try:
        page[:-4].decode()
    except UnicodeDecodeError:
        return page.decode(_LATIN, "replace")
    return page.decode("utf-8", "replace")


# What the names of meta tags mean in Dublin Core, for those who describe files: `html_head` and sidecars.

_KNOWN = frozenset((*ELEMENTS, "modified"))


def dublin_core_element(name: str) -> str | None:
    """Return the element of Dublin Core that a meta tag of this name fills; None where it fills none."""
    fact = fact_for_meta_name(name, _KNOWN)
    return "date" if fact == "modified" else fact


MAX_HEAD_BYTES = 64 * 1024
MAX_VALUES = 200
MAX_VALUE_CHARACTERS = 10_000
_IN_HEAD = frozenset(
    ("html", "head", "title", "meta", "link", "base", "script", "style", "noscript", "template")
)
_LISTS = re.compile(r"[,;]")


class HtmlHead:
    """Reads `<title>`, `<meta name=…>` and the language of a page."""

    media_types = frozenset({"text/html", "application/xhtml+xml"})
    most_bytes = MAX_HEAD_BYTES

    def describe(self, beginning: bytes) -> list[tuple[str, str]]:
        """Return what the page says, its own metadata before its title: that is often the site's name too."""
        title, language, said = "", "", list[tuple[str, str]]()
        for tag, before in _tags(decode_html(beginning[:MAX_HEAD_BYTES])):
            if tag.name == "title" and tag.is_end:  # one that is never closed is none
                title = title or _clean(before)
            elif tag.name == "html" and not tag.is_end:
                language = _clean(tag.attributes.get("lang") or tag.attributes.get("xml:lang", ""))
            elif tag.name == "meta" and len(said) < MAX_VALUES:
                said += _meta_element(tag.attributes)
        last = [("title", title), ("language", language)]
        known = {element for element, _ in said}
        return said + [(element, words) for element, words in last if words and element not in known]


def _meta_element(attributes: dict[str, str]) -> Iterator[tuple[str, str]]:
    element = dublin_core_element(attributes.get("name", ""))
    if element is None:
        return
    content = _clean(attributes.get("content", ""))
    is_list = "keyword" in attributes["name"].lower()
    for words in _LISTS.split(content)[:MAX_VALUES] if is_list else (content,):
        if words.strip():
            yield element, words.strip()


def _clean(text: str) -> str:
    return collapse_spaces(text[:MAX_VALUE_CHARACTERS])


def _tags(page: str) -> Iterator[tuple[Tag, str]]:
    """Yield the tags of the head, each with the text before it."""
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
