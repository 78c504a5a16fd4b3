"""ResourceSync 1.1 (ANSI/NISO Z39.99): its documents, which are sitemaps with additional elements.

They are rendered in parts, as the longest are generated while they are sent: an opening, items, a closing.
`web.resourcesync` supplies the items.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple
from xml.sax.saxutils import escape

_SPACES = (
    'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"'
)
_QUOTES = {'"': "&quot;"}

Attributes = Mapping[str, str]


class Link(NamedTuple):
    """A typed link to another resource."""

    rel: str
    address: str


class Item(NamedTuple):
    """An entry of a document: a resource, a change to one, a package, or a further document."""

    address: str
    modified: int | None = None  # Unix seconds
    facts: Attributes = MappingProxyType({})  # the attributes of its rs:md
    links: Sequence[Link] = ()


class Kind(NamedTuple):
    """A kind of document: its root element and the element of its items."""

    root: str
    item: str


LIST = Kind("urlset", "url")
INDEX = Kind("sitemapindex", "sitemap")


@lru_cache(maxsize=1024)  # the changes of one transaction have the same time
def render_time(second: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(second))


def render_opening(kind: Kind, facts: Attributes, links: Iterable[Link] = ()) -> str:
    """Return the start of a document: links precede facts, and both precede the first item (section 7)."""
    head = "".join(f"{_link(link)}\n" for link in links)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<{kind.root} {_SPACES}>\n{head}{_facts(facts)}\n'


def render_item(kind: Kind, item: Item) -> str:
    modified = "" if item.modified is None else f"<lastmod>{render_time(item.modified)}</lastmod>"
    facts = _facts(item.facts) if item.facts else ""
    links = "".join(map(_link, item.links))
    return f"<{kind.item}><loc>{escape(item.address)}</loc>{modified}{facts}{links}</{kind.item}>\n"


def render_closing(kind: Kind) -> str:
    return f"</{kind.root}>\n"


def render(kind: Kind, facts: Attributes, links: Iterable[Link], items: Iterable[Item]) -> bytes:
    inside = "".join(render_item(kind, item) for item in items)
    return f"{render_opening(kind, facts, links)}{inside}{render_closing(kind)}".encode()


def _facts(facts: Attributes) -> str:
    said = "".join(f' {name}="{escape(value, _QUOTES)}"' for name, value in facts.items())
    return f"<rs:md{said}/>"


def _link(link: Link) -> str:
    return f'<rs:ln rel="{escape(link.rel, _QUOTES)}" href="{escape(link.address, _QUOTES)}"/>'
