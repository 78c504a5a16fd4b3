"""What an address leads to: the page about the thing, the thing itself, a thumbnail, a licence.

Told from the shapes repository software gives its addresses. Nothing but http, https and ftp comes through:
the faces print these as links.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from windrow.formats.mapping.identifier_schemes import ADDRESS_MARKS, parse_identifier
from windrow.model.document import Identifier, Link, LinkKind

LONGEST_ADDRESS_CHARACTERS = 4000  # browsers and servers stop somewhat later

_ADDRESS = re.compile(r"(?:https?|ftp)://[^\s/?#\\<>\"]+", re.IGNORECASE)
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f<>\"\\^`{|}]")
_RESOLVERS = re.compile(r"https?://(?:(?:dx\.|www\.)?doi\.org|hdl\.handle\.net)/", re.IGNORECASE)
# The patterns below see addresses in small letters; each starts with a character class or a rare letter, so
# that looking for it costs little: most addresses are none of these.
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
_new = tuple.__new__  # what a named tuple's own constructor calls, without the call around it


def identify_value(value: str, *, scheme: str | None = None) -> tuple[Identifier | None, Link | None]:
    """What an identifier says: its name, the link it is or leads to, or both; neither for an empty one.

    `scheme` is what the record says it is, for what cannot be told by its looks.
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
    """Return whether a value has the shape of the identifier that the record calls it."""
    shape = _SERIAL_SHAPES.get(scheme)
    return shape is None or shape.search(value) is not None


def make_link(url: str, *, media_type: str | None = None, hint: LinkKind | None = None) -> Link | None:
    """The link an address is, told apart by what it leads to; None for what is no http, https or ftp address.

    DOIs and handles, with or without their resolver, become addresses of their landing page. `hint` is what
    the record itself says the address is for, and is believed.
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
    """The text as an address safe to print as a link; None where it is none."""
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
    """The address that leads from a DOI or a handle to its page; None for other identifiers."""
    resolver = _RESOLVER_OF.get(name.scheme) if name is not None else None
    return _cleaned(resolver + name.value) if resolver is not None and name is not None else None


def _kind_by_number(address: str) -> LinkKind | None:
    """What an address that ends in a number leads to; None where every rule must be gone through.

    Repositories number their pages, so what one leads to, its neighbours lead to. All rules here treat one
    number behind a slash or an equals sign like any other, but for the identifiers that `names` knows.
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
    """The address with its spaces and brackets encoded; None where words follow an address."""
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
    """Return whether a path in small letters ends like a file; the name of a host does not count."""
    head, _, ending = path.rpartition(".")
    return ending in _FILES and head.count("/") > 2


# Which link of a record is its landing page, where the shapes of the addresses alone do not tell.
# The last step of a draft: it sees all links of one record together.

# Pictures, and among them those that are called figures of a text.
_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?|eps)(?:$|[?#])", re.IGNORECASE)
_FIGURE = re.compile(
    r"(?:^|[/_=-])(?:fig(?:ure)?s?|graphical[-_]?abstract|abb(?:ildung)?|bild|kuva|kuvio|scheme|tab(?:le|elle)?|taulukko"
    r"|eq(?:uation)?s?|g(?=\d)|cover|logo|banner)(?:[-_. ]|%20)*\w{0,6}\.\w{3,4}$",
    re.IGNORECASE,
)
_ORDER = {kind: place for place, kind in enumerate(LinkKind)}


def order_links(links: Iterable[Link]) -> tuple[Link, ...]:
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
    """Return whether an address is the folder a file lies in, and more than the host itself."""
    page = url.rstrip("/") + "/"
    return file.startswith(page) and page.count("/") > 3
