"""A web page as the robot reads it: plain values without markup, made by `sources.web.page`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Item = dict[str, Any]  # a schema.org item in JSON-LD's shape; `Any` because JSON nests

# Kinds of links. A robot fetches those of the first group; an "other" is an address of another scheme
# (mailto, ftp, tel), which belongs to the record but not to the crawl.
FETCHED_KINDS = frozenset(
    ("anchor", "area", "frame", "iframe", "next", "canonical", "alternate", "feed", "refresh")
)
OTHER_KIND = "other"
PAGE_TEXT = "wir:text"  # in `Document.extra`: the words of the page


@dataclass(frozen=True, slots=True)
class MetaTag:
    """A `<meta>` element with a name or property."""

    name: str
    content: str
    scheme: str | None = None
    lang: str | None = None


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link, resolved against the page's base, with its fragment and session ids."""

    url: str
    text: str = ""
    kind: str = "anchor"
    nofollow: bool = False  # by its own rel; that of the whole page is `Page.is_nofollow`


@dataclass(frozen=True, slots=True)
class Remark:
    """A limit that a page exceeded, or another reason why a part of it was skipped."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Page:
    """The extracted contents of one response. Texts hold no markup and no control characters."""

    url: str
    media_type: str = "text/html"
    charset: str = ""  # by its IANA name
    language: str | None = None  # ISO 639 code, declared or detected
    title: str = ""
    headings: tuple[str, ...] = ()
    tags: tuple[MetaTag, ...] = ()
    links: tuple[PageLink, ...] = ()
    items: tuple[Item, ...] = ()
    text: str = ""  # the beginning of the page's text
    main_text: str = ""  # without navigation, if requested
    is_noindex: bool = False
    is_nofollow: bool = False
    text_digest: str = ""  # of the title and all words, so that a nonce in the markup does not change it
    remarks: tuple[Remark, ...] = ()
