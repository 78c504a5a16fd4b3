"""Signs on a record's page for machines: how to cite it, what describes it, where its files are.

Signposting (signposting.org) in its FAIR profile: level 1 in the Link header of the page, as much of it as
fits, level 2 in linksets, which have all. Every address is one of ours, or a link that people see as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache

from windrow.faces.portal.downloads import KINDS
from windrow.faces.shared.response import DATA_HEADERS, NO_CACHE, NO_INDEX, Header, Response
from windrow.faces.shared.wording import is_web
from windrow.finding.addresses import getrecord_path, record_path
from windrow.finding.record import Raw, RecordView
from windrow.finding.resolvers import lasting
from windrow.formats.known_formats import describe_payload, known_format
from windrow.formats.schema_org import CONTEXT, TYPES
from windrow.formats.work_kinds import kind_of
from windrow.model.document import Document, LinkKind
from windrow.wire import linkset
from windrow.wire.linkset import WebLink, web_link

LINKSETS = {"linkset": linkset.MEDIA_TYPE, "linkset.json": linkset.JSON_MEDIA_TYPE}
RAW_TYPE = "text/xml"
MOST_HEADER_BYTES = 4000  # servers in between refuse headers of 8 KB, and others are on the page as well
MOST_LINKS = 500  # of one kind, in a linkset
_CROSSWALK = "oai_dc"  # every record can be had in it, whatever it came in


def link_header(found: RecordView, site_url: str) -> Header:
    """Give the header for the page of a record, the most telling links first."""
    words = linkset.link_header(_signs(found, site_url), most_bytes=MOST_HEADER_BYTES)
    return b"link", words.encode("ascii")


def back_link(found: RecordView, site_url: str) -> Header:
    """Give the header for a file that describes a record: back to its page."""
    sign = web_link("describes", _page(found, site_url), media_type="text/html")
    return b"link", linkset.link_header([sign], most_bytes=MOST_HEADER_BYTES).encode("ascii")


def give_linkset(found: RecordView, name: str, site_url: str) -> Response:
    """Give all links in one of the two ways to write them down."""
    page = _page(found, site_url)
    links = [*_signs(found, site_url), *_ways_back(found, page)]
    write = linkset.linkset_json if name == "linkset.json" else linkset.linkset
    headers = [(b"content-type", LINKSETS[name].encode()), back_link(found, site_url)]
    return Response(200, write(links, anchor=page).encode(), [*headers, NO_CACHE, NO_INDEX, *DATA_HEADERS])


def _page(found: RecordView, site_url: str) -> str:
    return _fit(site_url) + record_path(found.source, found.identifier)


@lru_cache(maxsize=256)
def _fit(address: str) -> str:
    """An address, or the start or end of one, fit to be written: what all records share, looked at once."""
    return web_link("", address).target


@cache
def _kinds() -> tuple[tuple[str, str], ...]:
    """What a record can be had as, each with its media type as links tell it."""
    return tuple(
        (name, web_link("", "", media_type=kind.media_type).media_type) for name, kind in KINDS.items()
    )


def _signs(found: RecordView, site_url: str) -> Iterator[WebLink]:
    """What starts at the page of a record."""
    document, page = found.document, _page(found, site_url)
    yield web_link("cite-as", _citable(document) or page)
    yield _type("AboutPage")
    yield _type(TYPES.get(kind_of(document), "CreativeWork"))
    for name, kind in LINKSETS.items():
        yield WebLink("linkset", f"{page}?as={name}", kind)
    for address in _licenses(document):
        yield web_link("license", address)
    yield from _descriptions(found, page)
    for address, kind in _items(document):
        yield web_link("item", address, media_type=kind)
    for address in _authors(document):
        yield web_link("author", address)
    for prefix in dict.fromkeys((_CROSSWALK, *(each.prefix for each in found.raws))):
        yield WebLink("alternate", _fit(site_url) + getrecord_path(prefix, found.identifier), "text/html")


@cache
def _type(name: str) -> WebLink:
    return web_link("type", f"{CONTEXT}/{name}")


def _ways_back(found: RecordView, page: str) -> Iterator[WebLink]:
    """What leads to the page: from what describes the thing, and from its files."""
    for link in _descriptions(found, page):
        yield web_link("describes", page, media_type="text/html", anchor=link.target)
    for address, _ in _items(found.document):
        yield web_link("collection", page, media_type="text/html", anchor=address)


def _descriptions(found: RecordView, page: str) -> Iterator[WebLink]:
    for raw in found.raws:
        yield WebLink("describedby", f"{page}?format={_fit(raw.prefix)}", RAW_TYPE, _fit(_profile(raw)))
    for name, kind in _kinds():
        yield WebLink("describedby", f"{page}?as={name}", kind)


def _profile(raw: Raw) -> str:
    """What a format is called by machines: its namespace, else where its schema lies."""
    facts = known_format(raw.prefix) or describe_payload(raw.payload, raw.declarations)
    return facts.namespace or facts.schema


def _citable(document: Document) -> str:
    """The address to cite by: a lasting name, else the page where the thing is from; nothing without both."""
    address = lasting(document.names) or document.landing
    return address if address is not None and is_web(address) else ""


def _licenses(document: Document) -> list[str]:
    links = (link.url for link in document.links if link.kind is LinkKind.LICENSE)
    found = [words for words in dict.fromkeys((*links, *document.rights)) if is_web(words)]
    return found[:MOST_LINKS]


def _items(document: Document) -> list[tuple[str, str]]:
    found = {
        link.url: link.media_type or ""
        for link in document.links
        if link.kind is LinkKind.FULLTEXT and is_web(link.url)
    }
    return list(found.items())[:MOST_LINKS]


def _authors(document: Document) -> list[str]:
    found = dict.fromkeys(each.identifier for each in document.creators if is_web(each.identifier))
    return [address for address in found if address][:MOST_LINKS]
