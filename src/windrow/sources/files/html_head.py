"""The describer of HTML: metadata from the head of a page.

Only the tags up to the first one of the body are parsed, each character about once. Pages come from anyone,
so a malformed page yields few values or none, and never takes long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from windrow.extract.html_markup import Tag, fact_for_meta_name, tokens
from windrow.extract.text_decoding import LOOKED_AT_BYTES, MARKS, declared_codecs
from windrow.formats.dublin_core.oai_dc import ELEMENTS
from windrow.formats.mapping.markup import collapse_spaces

# Decoding of a page's beginning: by its declared encoding, else as browsers guess. No statistical detection
# as in `extract.text_decoding`: there may be very many pages.

_LATIN = "cp1252"


def decode_html(page: bytes) -> str:
    """Return the text of a page; invalid bytes become U+FFFD."""
    for mark, encoding in MARKS:
        if page.startswith(mark):
            return page[len(mark) :].decode(encoding, "replace")
    for declared in declared_codecs(page[:LOOKED_AT_BYTES]):
        return page.decode(declared, "replace")
    # The end of the beginning may have cut a character, of four bytes at most.
    try:
        page[:-4].decode()
    except UnicodeDecodeError:
        return page.decode(_LATIN, "replace")
    return page.decode("utf-8", "replace")


# Names of meta tags as Dublin Core elements, for describers and sidecars.

_KNOWN = frozenset((*ELEMENTS, "modified"))


def dublin_core_element(name: str) -> str | None:
    """Return the Dublin Core element of a meta tag's name, or None."""
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
        """Return the page's metadata; the title comes last, as it often contains the site's name."""
        title, language, said = "", "", list[tuple[str, str]]()
        for tag, before in _tags(decode_html(beginning[:MAX_HEAD_BYTES])):
            if tag.name == "title" and tag.is_end:  # an unclosed title does not count
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
