"""A web page as the robot sees it: plain values without markup, made by `sources.web.page`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Item = dict[str, Any]  # a schema.org thing in JSON-LD's shape; `Any` because JSON nests

# Kinds of links. A robot fetches those of the first group; an "other" is an address of another scheme
# (mailto, ftp, tel), which belongs to the record but not to the crawl.
FETCHED_KINDS = frozenset(
    ("anchor", "area", "frame", "iframe", "next", "canonical", "alternate", "feed", "refresh")
)
OTHER_KIND = "other"
PAGE_TEXT = "wir:text"  # in `Document.extra`: the words of the page


@dataclass(frozen=True, slots=True)
class MetaTag:
    """A `<meta>` with a name or property, as the page has it."""

    name: str
    content: str
    scheme: str | None = None
    lang: str | None = None


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link, resolved against the page's base, otherwise as written: fragments and session ids included."""

    url: str
    text: str = ""
    kind: str = "anchor"
    nofollow: bool = False  # by its own rel; that of the whole page is `Page.is_nofollow`


@dataclass(frozen=True, slots=True)
class Remark:
    """A limit that a page met, or something else that its reader had to leave out."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Page:
    """Everything that is read out of one response. Texts hold no markup and no control characters."""

    url: str
    media_type: str = "text/html"
    charset: str = ""  # by its IANA name
    language: str | None = None  # ISO 639 code, declared or detected
    title: str = ""
    headings: tuple[str, ...] = ()
    tags: tuple[MetaTag, ...] = ()
    links: tuple[PageLink, ...] = ()
    items: tuple[Item, ...] = ()
    text: str = ""  # the beginning of the page's words
    main_text: str = ""  # without navigation, where asked for
    is_noindex: bool = False
    is_nofollow: bool = False
    text_digest: str = ""  # of the title and all words, so that a nonce in the markup does not count
    remarks: tuple[Remark, ...] = ()
