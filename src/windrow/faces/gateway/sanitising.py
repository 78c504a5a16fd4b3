"""What a stylesheet made of strangers' metadata, reduced to what may stand on our pages.

Between `styling_child`, which runs stylesheets, and the page. Only the elements below come through, without
anything that runs, loads, looks or leads elsewhere than a link for people.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from windrow.faces.shared.wording import clean, is_web

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


# No h1: the page has one already.
_TAGS = _names(
    "a abbr b bdi bdo blockquote br caption cite code dd del details dfn div dl dt em figcaption figure"
    " h2 h3 h4 h5 h6 hr i ins kbd li mark ol p pre q rp rt ruby s samp section small span strong sub summary"
    " sup table tbody td tfoot th thead time tr u ul var wbr"
)
# Of these nothing stays, not even the words: they were never meant to be read.
_HIDDEN = _names(
    "applet embed frame frameset head iframe math noembed noframes noscript object option script select style"
    " svg template textarea title xmp"
)
_EVERYWHERE = frozenset(("lang", "dir"))
_ATTRIBUTES: dict[str, AbstractSet[str]] = {
    "*": _EVERYWHERE,
    "a": {"href"},
    "abbr": {"title"},
    "time": {"datetime"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
}
CLASSES = frozenset(("payload", "fields", "values", "authors", "abstract", "also", "quiet", "links"))
_SCHEMES = frozenset(("http", "https", "mailto"))
_LONGEST_SPAN = 2  # digits: a table is as wide as the page lets it be
# Browsers look for the ends of lines in a word without end for half a minute, unless they are shown some.
_ENDLESS = re.compile(r"[^\s<>]{500}")
_TAG_OR_TEXT = re.compile(r'<(?:"[^"]*"|[^">])*>|[^<]+')
_PIECE = re.compile(r"(?:&[#A-Za-z0-9]+;|[^\s&]){100}(?=\S)")


def sanitise(markup: str) -> str:
    """Give the markup with nothing in it but what people read, and links for them."""
    import nh3  # noqa: PLC0415 - only the process that runs stylesheets needs it

    cleaned: str = nh3.clean(
        clean(markup),
        tags=set(_TAGS),
        clean_content_tags=set(_HIDDEN),
        attributes={tag: set(names) for tag, names in _ATTRIBUTES.items()},
        attribute_filter=_filtered,
        url_schemes=set(_SCHEMES),
        link_rel="noreferrer nofollow",
        allowed_classes={tag: set(CLASSES) for tag in _TAGS},
        strip_comments=True,
    )
    return _TAG_OR_TEXT.sub(_breakable, cleaned) if _ENDLESS.search(cleaned) else cleaned


def _breakable(found: re.Match[str]) -> str:
    """A tag as it is, or text that may be broken in the middle of very long words."""
    part = found[0]
    return part if part.startswith("<") else _PIECE.sub(r"\g<0><wbr>", part)


def _filtered(tag: str, name: str, value: str) -> str | None:  # noqa: ARG001 - as nh3 calls it
    if name == "href":
        return value if is_web(value) or value.lower().startswith("mailto:") else None
    if name in ("colspan", "rowspan"):
        return value if value.isdecimal() and len(value) <= _LONGEST_SPAN else None
    return value if len(value) < 1000 else None
