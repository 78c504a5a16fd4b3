"""Kinds of links: landing page, full text, thumbnail or licence, recognised by the form of the address.

The patterns follow the addresses of common repository software. Only http, https and ftp addresses are
accepted, because the front ends print them as links.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from windrow.formats.mapping.identifier_schemes import ADDRESS_MARKS, parse_identifier
from windrow.model.document import Identifier, Link, LinkKind

LONGEST_ADDRESS_CHARACTERS = 4000  # browsers and servers have slightly higher limits

_ADDRESS = re.compile(r"(?:https?|ftp)://[^\s/?#\\<>\"]+", re.IGNORECASE)
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f<>\"\\^`{|}]")
_RESOLVERS = re.compile(r"https?://(?:(?:dx\.|www\.)?doi\.org|hdl\.handle\.net)/", re.IGNORECASE)
# The patterns are matched against addresses in lower case. Each starts with a character class or a rare
# letter, so that a search is cheap: most addresses match none of them.
_LICENSE = re.compile(
    r"/(?:[\w.-]+\.)?(?:creativecommons\.org/(?:licen[sc]es|publicdomain|share)|rightsstatements\.org/"
    r"|opensource\.org/licen[sc]es|opendatacommons\.org/|gnu\.org/licen[sc]es|spdx\.org/licenses"
    r"|license(?:_rdf|_text|_url)?(?:\.txt)?(?:\?[^/]*)?$)"
)
_THUMBNAIL = re.compile(
    r"thumb(?:nail)?s?(?:[/._?=&-]|$)|t(?<=/t)n_|/datastream/tn(?:/|$)"
    r"|\.(?:preview|pdf|jpe?g|tiff?|png)\.jpe?g"
)
_FILE_ENDINGS = """
pdf ps eps dvi djv djvu epub mobi doc docx odt rtf txt tex ppt pptx odp xls xlsx ods csv tsv zip gz
tgz tar 7z rar mp3 mp4 m4a m4v wav flac ogg mov avi mpg mpeg webm tif tiff jp2 jpg jpeg png gif svg
nc h5 sav rdata
"""
_FILES = frozenset(_FILE_ENDINGS.split())
_FULLTEXT = re.compile(
    r"[/?&](?:"
    r"bitstreams?/|retrieve/|sequence=\d"  # DSpace
    r"|download(?:s|suppfile)?(?:/|$|\?)|viewcontent\.cgi|viewdoc/download"  # Digital Commons …
    r"|files?/|getfile|full-?text(?:\d*|s)?(?:[/?#.]|$)"  # Zenodo, CONTENTdm
    r"|(?:[\w-]+\.)?arxiv\.org/(?:pdf|ps|e-print)/|articles/pmc\d+/pdf"
    r"|articles?/viewfile/|articles?/view/[^/?#]+/[^/?#]+/?$"  # OJS galleys
    r"|(?:hal|tel|halshs|inria)-\d+(?:v\d+)?/(?:document|file)"  # HAL
    r"|datastreams?/(?:obj|pdf|full_text)(?:/|$)|smash/get/|pdf/?$|(?:format|type)=pdf)"
)
_SERIAL_SHAPES = {
    "issn": re.compile(r"(?<!\d)\d{4}[-–]?\d{3}[\dx](?!\d)", re.IGNORECASE),
    "isbn": re.compile(r"(?:\d[ –-]?){9}"),
}
_RESOLVER_OF = {"doi": "https://doi.org/", "hdl": "https://hdl.handle.net/"}
_PAGE_TYPES = frozenset(("text/html", "application/xhtml+xml"))
_WEB = ("http", "ftp:")
_DIGITS = "0123456789"
LONGEST_NUMBERED_CHARACTERS = 500
_new = tuple.__new__  # a named tuple's own constructor, without the overhead of its Python call


def identify_value(value: str, *, scheme: str | None = None) -> tuple[Identifier | None, Link | None]:
    """Return the identifier and the link in a value; either or both may be None.

    `scheme` is the scheme stated in the record, for identifiers that cannot be recognised by their form.
    """
    is_web = value[:4].lower() in _WEB
    kind = _kind_by_number(value) if is_web else None
    if kind is not None:
        return None, _new(Link, (value, kind, None, None))
    name = parse_identifier(value)
    if name is not None:
        if name.scheme == "local" and scheme is not None and _may_be(scheme, value):
            name = Identifier(scheme, value)
        address = resolver_address(name) if name.scheme in _RESOLVER_OF else None
        if address is not None:
            return name, Link(address, LinkKind.LANDING)
    link = make_link(value) if is_web else None
    if name is None and link is None and value:
        name = Identifier("local", value)
    return name, link


def _may_be(scheme: str, value: str) -> bool:
    shape = _SERIAL_SHAPES.get(scheme)
    return shape is None or shape.search(value) is not None


def make_link(url: str, *, media_type: str | None = None, hint: LinkKind | None = None) -> Link | None:
    """Return the link for an address, with its kind, or None if it is not an http, https or ftp address.

    DOIs and handles, with or without their resolver, become addresses of their landing page. `hint` is the
    kind stated in the record; it takes precedence.
    """
    if media_type is None and hint is None:
        kind = _kind_by_number(url)
        if kind is not None:
            return Link(url, kind)
    address = parse_address(url)
    if address is None:
        return None
    return Link(address, hint or _kind_of(address, media_type), None, media_type)


def parse_address(text: str) -> str | None:
    """Return the text as an address that is safe to print as a link, or None."""
    text = text.strip()
    if len(text) > LONGEST_ADDRESS_CHARACTERS:
        return None
    if _ADDRESS.match(text) is None:
        return resolver_address(parse_identifier(text)) if text[:1] in "dDiIhHuU1" else None
    if "&amp;" in text:  # escaped once too often, as Digital Commons does
        text = text.replace("&amp;", "&")
    if _RESOLVERS.match(text) is not None:
        return resolver_address(parse_identifier(text)) or _cleaned(text)
    return _cleaned(text)


def resolver_address(name: Identifier | None) -> str | None:
    """Return the resolver's address for a DOI or a handle, or None for other identifiers."""
    resolver = _RESOLVER_OF.get(name.scheme) if name is not None else None
    return _cleaned(resolver + name.value) if resolver is not None and name is not None else None


def _kind_by_number(address: str) -> LinkKind | None:
    """Return the kind of an address that ends in a number, or None if all rules must be tried.

    Repositories number their pages, so neighbouring addresses have the same kind. No rule depends on a
    number after a slash or an equals sign, except for the addresses that `identifier_schemes` recognises.
    """
    stem = address.rstrip(_DIGITS)
    if stem[-1:] not in ("/", "=") or stem == address or len(address) > LONGEST_NUMBERED_CHARACTERS:
        return None
    return _kind_by_stem(stem)


@lru_cache(maxsize=2048)
def _kind_by_stem(stem: str) -> LinkKind | None:
    small, example = stem.lower(), stem + "0"
    if any(mark in small for mark in ADDRESS_MARKS) or parse_address(example) != example:
        return None
    return _kind_of(example, None)


def _cleaned(address: str) -> str | None:
    """Return the address with spaces and brackets encoded, or None if prose follows it."""
    if " " in address:
        if not _is_file(address.lower()) or "://" in address[8:]:
            return None
        address = address.replace(" ", "%20")
    if _FORBIDDEN.search(address) is not None:
        address = _FORBIDDEN.sub(lambda match: f"%{ord(match[0]):02X}", address)
    return address if len(address.split(None, 1)) == 1 else None


def _kind_of(address: str, media_type: str | None) -> LinkKind:
    if address.startswith(("https://doi.org/", "https://hdl.handle.net/")):
        return LinkKind.LANDING
    small = address.lower()
    if _LICENSE.search(small, 6) is not None:
        return LinkKind.LICENSE
    if _THUMBNAIL.search(small, 6) is not None:
        return LinkKind.THUMBNAIL
    if media_type is not None and media_type not in _PAGE_TYPES:
        return LinkKind.FULLTEXT
    if _is_file(small.partition("?")[0].partition("#")[0]) or _FULLTEXT.search(small, 6) is not None:
        return LinkKind.FULLTEXT
    return LinkKind.LANDING


def _is_file(path: str) -> bool:
    """Return whether a path in lower case ends like a file; the name of a host does not count."""
    head, _, ending = path.rpartition(".")
    return ending in _FILES and head.count("/") > 2


# Choosing the landing page among all links of a record, if the addresses alone do not decide. This is the
# last step of a draft.

# Images, and file names typical of the figures of a text.
_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?|eps)(?:$|[?#])", re.IGNORECASE)
_FIGURE = re.compile(
    r"(?:^|[/_=-])(?:fig(?:ure)?s?|graphical[-_]?abstract|abb(?:ildung)?|bild|kuva|kuvio|scheme|tab(?:le|elle)?|taulukko"
    r"|eq(?:uation)?s?|g(?=\d)|cover|logo|banner)(?:[-_. ]|%20)*\w{0,6}\.\w{3,4}$",
    re.IGNORECASE,
)
_ORDER = {kind: place for place, kind in enumerate(LinkKind)}


def order_links(links: Iterable[Link]) -> tuple[Link, ...]:
    """Return the links, landing page first, then full texts; otherwise in the record's order.

    EPrints states the file as the identifier and the landing page as a relation; OJS states the landing
    page as the identifier and the file as a relation. In both, the file's address begins with that of the
    page. Images beside a document are its figures, not another full text.
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
    texts = [link for link in links if link.kind is LinkKind.FULLTEXT]
    pictures = {link for link in texts if _is_picture(link)}
    if not pictures:
        return links
    if len(pictures) == len(texts):  # a photograph may well be the work itself
        pictures = {link for link in pictures if _FIGURE.search(link.label or link.url.partition("?")[0])}
    return [link._replace(kind=LinkKind.RELATED) if link in pictures else link for link in links]


def _is_picture(link: Link) -> bool:
    return _PICTURE.search(link.url) is not None or (link.media_type or "").startswith("image/")


def _adopted(links: list[Link]) -> list[Link]:
    """Return the links with a specific kind for the related ones that belong to this record."""
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
    """Return whether an address is the folder of a file, and more than the bare host."""
    page = url.rstrip("/") + "/"
    return file.startswith(page) and page.count("/") > 3
