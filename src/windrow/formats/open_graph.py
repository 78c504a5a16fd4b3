"""Open Graph: what a page is called where its address is passed on, for `page_head`."""

from __future__ import annotations

from collections.abc import Mapping

from windrow.formats.meta_words import LONGEST_TITLE, Tag, fit, web_links
from windrow.formats.work_kinds import THESES, WorkKind, kind_of
from windrow.model.document import Document, LinkKind

DESCRIPTION_CHARACTERS = 300
_TYPES: Mapping[WorkKind, str] = {
    WorkKind.BOOK: "book",
    WorkKind.PROCEEDINGS: "book",
    WorkKind.VIDEO: "video.other",
    WorkKind.COURSE: "website",
    WorkKind.DATASET: "website",
    WorkKind.SOFTWARE: "website",
    WorkKind.MAP: "website",
    WorkKind.SOUND: "website",
    WorkKind.IMAGE: "website",
    WorkKind.WEBPAGE: "website",
    WorkKind.OTHER: "website",
} | dict.fromkeys(THESES, "article")


def tags(document: Document, address: str, *, site_name: str = "") -> list[Tag]:
    """The properties of the page at an address; what the document does not say is not there."""
    found = [
        Tag("og:title", fit(document.title or "", LONGEST_TITLE)),
        Tag("og:description", _beginning(document)),
        Tag("og:type", _TYPES.get(kind_of(document), "article")),
        Tag("og:url", fit(address, len(address))),
        Tag("og:site_name", fit(site_name)),
        Tag("og:image", _picture(document)),
    ]
    return [tag for tag in found if tag.content]


def _picture(document: Document) -> str:
    """The address of the first picture of it."""
    pictures = (link.url for link in web_links(document) if link.kind is LinkKind.THUMBNAIL)
    return next(pictures, "")


def _beginning(document: Document) -> str:
    """The first words of the abstract, cut between two of them."""
    words = document.descriptions[0].value[: 2 * DESCRIPTION_CHARACTERS] if document.descriptions else ""
    line = " ".join(fit(words, len(words)).split())
    if len(line) <= DESCRIPTION_CHARACTERS:
        return line
    head = line[:DESCRIPTION_CHARACTERS]
    return (head.rpartition(" ")[0] or head).rstrip(" ,;:") + " …"
