"""Which link of a record is its landing page, where the shapes of the addresses alone do not tell.

The last step of a draft: it sees all links of one record together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from windrow.model.document import Link, LinkKind

# Pictures, and among them those that are called figures of a text.
_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?|eps)(?:$|[?#])", re.IGNORECASE)
_FIGURE = re.compile(
    r"(?:^|[/_=-])(?:fig(?:ure)?s?|graphical[-_]?abstract|abb(?:ildung)?|bild|kuva|kuvio|scheme|tab(?:le|elle)?|taulukko"
    r"|eq(?:uation)?s?|g(?=\d)|cover|logo|banner)(?:[-_. ]|%20)*\w{0,6}\.\w{3,4}$",
    re.IGNORECASE,
)
_ORDER = {kind: place for place, kind in enumerate(LinkKind)}


def settle(links: Iterable[Link]) -> tuple[Link, ...]:
    """The links, landing page first, then full text and the rest; order within a kind is the record's.

    EPrints gives the file as the identifier and the landing page as a relation; OJS gives the landing page
    as the identifier and the file as a relation. In both the address of the file begins with the page's.
    Pictures beside a document are its figures, not another full text.
    """
    found = list(links)
    if len(found) == 1:
        return tuple(found)
    if any(link.kind is LinkKind.RELATED for link in found):
        found = _adopted(found)
    found = _without_figures(found)
    found.sort(key=lambda link: _ORDER[link.kind])
    return tuple(found)


def _without_figures(links: list[Link]) -> list[Link]:
    """Return the links, with the figures of a text no longer taken for the text itself."""
    texts = [link for link in links if link.kind is LinkKind.FULLTEXT]
    pictures = {link for link in texts if _is_picture(link)}
    if not pictures:
        return links
    if len(pictures) == len(texts):  # a photograph may well be the thing itself
        pictures = {link for link in pictures if _FIGURE.search(link.label or link.url.partition("?")[0])}
    return [link._replace(kind=LinkKind.RELATED) if link in pictures else link for link in links]


def _is_picture(link: Link) -> bool:
    return _PICTURE.search(link.url) is not None or (link.media_type or "").startswith("image/")


def _adopted(links: list[Link]) -> list[Link]:
    """The links, with related ones that belong to this very record told what they are."""
    landing = next((link.url for link in links if link.kind is LinkKind.LANDING), None)
    if landing is not None:
        page = landing.rstrip("/") + "/"
        return [_as(link, LinkKind.FULLTEXT) if link.url.startswith(page) else link for link in links]
    file = next((link.url for link in links if link.kind is LinkKind.FULLTEXT), None)
    if file is None:
        return links
    return [_as(link, LinkKind.LANDING) if _is_page_of(link.url, file) else link for link in links]


def _as(link: Link, kind: LinkKind) -> Link:
    return link._replace(kind=kind) if link.kind is LinkKind.RELATED else link


def _is_page_of(url: str, file: str) -> bool:
    """Whether an address is the folder a file lies in, and more than the host itself."""
    page = url.rstrip("/") + "/"
    return file.startswith(page) and page.count("/") > 3
