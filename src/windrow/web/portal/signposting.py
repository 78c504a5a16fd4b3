"""Signposting for records (signposting.org, FAIR profile): citation, descriptions and files.

Level 1 is the Link header of the page, as far as it fits; level 2 are linksets, which are complete. Every
address is ours, or a link that people see too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache

from windrow.formats.citations.reference_fields import work_kind
from windrow.formats.known_formats import describe_payload, known_format
from windrow.formats.page_metadata.schema_org import CONTEXT, TYPES
from windrow.model.document import Document, LinkKind
from windrow.protocols import linkset
from windrow.protocols.linkset import WebLink, web_link
from windrow.search.record_addresses import getrecord_path, lasting_address, record_path
from windrow.search.record_view import RawMetadata, RecordView
from windrow.web.http.http_response import DATA_HEADERS, NO_CACHE, NO_INDEX, Header, Response
from windrow.web.layout.page_text import is_web_address
from windrow.web.portal.portal_downloads import RECORD_FORMATS

LINKSETS = {"linkset": linkset.MEDIA_TYPE, "linkset.json": linkset.JSON_MEDIA_TYPE}
RAW_TYPE = "text/xml"
MAX_HEADER_BYTES = 4000  # intermediaries refuse headers of 8 KB, and the page has others
MAX_LINKS = 500  # of one kind, in a linkset
_CROSSWALK = "oai_dc"  # every record is available in it


def link_header(found: RecordView, site_url: str) -> Header:
    """Return the Link header for the page of a record, the most important links first."""
    words = linkset.link_header(_page_links(found, site_url), most_bytes=MAX_HEADER_BYTES)
    return b"link", words.encode("ascii")


def back_link(found: RecordView, site_url: str) -> Header:
    """Return the Link header for a file that describes a record: back to its page."""
    sign = web_link("describes", _page_address(found, site_url), media_type="text/html")
    return b"link", linkset.link_header([sign], most_bytes=MAX_HEADER_BYTES).encode("ascii")


def linkset_response(found: RecordView, name: str, site_url: str) -> Response:
    """Return all links as a linkset (RFC 9264), as JSON or as text."""
    page = _page_address(found, site_url)
    links = [*_page_links(found, site_url), *_links_to_page(found, page)]
    write = linkset.linkset_json if name == "linkset.json" else linkset.linkset
    headers = [(b"content-type", LINKSETS[name].encode()), back_link(found, site_url)]
    return Response(200, write(links, anchor=page).encode(), [*headers, NO_CACHE, NO_INDEX, *DATA_HEADERS])


def _page_address(found: RecordView, site_url: str) -> str:
    return _fit_address(site_url) + record_path(found.source, found.identifier)


@lru_cache(maxsize=256)
def _fit_address(address: str) -> str:
    """Escape an address or part of one; cached for what all records share."""
    return web_link("", address).target


@cache
def _record_formats() -> tuple[tuple[str, str], ...]:
    """Return the download formats of a record with their media types, as links state them."""
    return tuple(
        (name, web_link("", "", media_type=kind.media_type).media_type)
        for name, kind in RECORD_FORMATS.items()
    )


def _page_links(found: RecordView, site_url: str) -> Iterator[WebLink]:
    document, page = found.document, _page_address(found, site_url)
    yield web_link("cite-as", _cite_as_address(document) or page)
    yield _type_link("AboutPage")
    yield _type_link(TYPES.get(work_kind(document), "CreativeWork"))
    for name, kind in LINKSETS.items():
        yield WebLink("linkset", f"{page}?as={name}", kind)
    for address in _license_links(document):
        yield web_link("license", address)
    yield from _description_links(found, page)
    for address, kind in _item_links(document):
        yield web_link("item", address, media_type=kind)
    for address in _author_links(document):
        yield web_link("author", address)
    for prefix in dict.fromkeys((_CROSSWALK, *(each.prefix for each in found.raws))):
        yield WebLink(
            "alternate", _fit_address(site_url) + getrecord_path(prefix, found.identifier), "text/html"
        )


@cache
def _type_link(name: str) -> WebLink:
    return web_link("type", f"{CONTEXT}/{name}")


def _links_to_page(found: RecordView, page: str) -> Iterator[WebLink]:
    """Yield the links to the page, from its descriptions and files."""
    for link in _description_links(found, page):
        yield web_link("describes", page, media_type="text/html", anchor=link.target)
    for address, _ in _item_links(found.document):
        yield web_link("collection", page, media_type="text/html", anchor=address)


def _description_links(found: RecordView, page: str) -> Iterator[WebLink]:
    for raw in found.raws:
        yield WebLink(
            "describedby",
            f"{page}?format={_fit_address(raw.prefix)}",
            RAW_TYPE,
            _fit_address(_format_profile(raw)),
        )
    for name, kind in _record_formats():
        yield WebLink("describedby", f"{page}?as={name}", kind)


def _format_profile(raw: RawMetadata) -> str:
    """Return the URI of a format: its namespace, or else its schema."""
    facts = known_format(raw.prefix) or describe_payload(raw.payload, raw.declarations)
    return facts.namespace or facts.schema


def _cite_as_address(document: Document) -> str:
    """Return a persistent identifier, or else the landing page; empty if there is neither."""
    address = lasting_address(document.names) or document.landing
    return address if address is not None and is_web_address(address) else ""


def _license_links(document: Document) -> list[str]:
    links = (link.url for link in document.links if link.kind is LinkKind.LICENSE)
    found = [words for words in dict.fromkeys((*links, *document.rights)) if is_web_address(words)]
    return found[:MAX_LINKS]


def _item_links(document: Document) -> list[tuple[str, str]]:
    found = {
        link.url: link.media_type or ""
        for link in document.links
        if link.kind is LinkKind.FULLTEXT and is_web_address(link.url)
    }
    return list(found.items())[:MAX_LINKS]


def _author_links(document: Document) -> list[str]:
    found = dict.fromkeys(each.identifier for each in document.creators if is_web_address(each.identifier))
    return [address for address in found if address][:MAX_LINKS]
