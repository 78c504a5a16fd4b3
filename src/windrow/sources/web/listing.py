"""Lists of pages on a site: sitemaps (XML, text, index files) and feeds (RSS, Atom, JSON Feed).

Lists are parsed as far as possible: broken XML up to the error, dates in any common form. Entities are never
expanded, and lists are limited to the number of addresses that a sitemap may have.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from lxml import etree

from windrow.formats.mapping.xml_records import local_name
from windrow.model.web_page import Remark
from windrow.sources.web.charset import decode_page
from windrow.sources.web.urls import join

MOST_URLS = 50_000  # of a sitemap (sitemaps.org)
MOST_BYTES = 50 * 1024 * 1024  # likewise, uncompressed
URL_CHARACTERS = 2_048
CHUNK_BYTES = 1 << 16
_GZIP = b"\x1f\x8b"
_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?\Z")
_PARTS = (
    "url",
    "sitemap",
    "item",
    "entry",
    "feed",
    "channel",
)  # elements for one page or one further list


@dataclass(frozen=True, slots=True)
class Listed:
    """An address with the date of its last change in the list: a hint that is often wrong."""

    url: str
    lastmod: datetime | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """The content of a list: pages, and further lists (the files of an index, the next page of a feed)."""

    urls: tuple[Listed, ...] = ()
    sitemaps: tuple[Listed, ...] = ()
    remarks: tuple[Remark, ...] = ()


@dataclass(slots=True)
class _Found:
    """A list parsed so far."""

    base: str
    urls: dict[str, Listed] = field(default_factory=dict)
    sitemaps: dict[str, Listed] = field(default_factory=dict)
    remarks: dict[str, Remark] = field(default_factory=dict)

    @property
    def is_full(self) -> bool:
        return len(self.urls) + len(self.sitemaps) >= MOST_URLS

    def add(self, address: str, date: str = "", *, is_list: bool = False) -> None:
        url = self._address(address)
        if url is None or self.is_full:
            return
        (self.sitemaps if is_list else self.urls).setdefault(url, Listed(url, read_date(date)))

    def remark(self, code: str, message: str) -> None:
        self.remarks.setdefault(code, Remark(code, message))

    def done(self) -> Listing:
        if self.is_full:
            self.remark("urls", f"Only the first {MOST_URLS:,} addresses of the list were taken.")
        return Listing(tuple(self.urls.values()), tuple(self.sitemaps.values()), tuple(self.remarks.values()))

    def _address(self, text: str) -> str | None:
        text = "".join(text.split()).replace("&amp;", "&")
        if not text or len(text) > URL_CHARACTERS:
            if text:
                self.remark(
                    "url-length", f"Addresses of more than {URL_CHARACTERS:,} characters were left out."
                )
            return None
        try:
            url = join(self.base, text)
            parts = urlsplit(url)
        except ValueError:
            return None
        return (
            url if parts.scheme.lower() in ("http", "https") and parts.netloc and url.isprintable() else None
        )


def parse_sitemap(body: bytes, *, url: str = "") -> Listing:
    """Return the addresses in a sitemap or sitemap index, XML or text, compressed or not."""
    return _parse(body, url, _take_sitemap_part)


def parse_feed(body: bytes, *, url: str = "") -> Listing:
    """Return the addresses of the entries of a feed: RSS, Atom or JSON Feed."""
    return _parse(body, url, _take_feed_part)


def read_date(text: str) -> datetime | None:
    """Return a date in W3C or RFC 822 format; None for any other."""
    text = text.strip()[:64]
    plain = _DATE.match(text)
    try:
        if plain is not None:
            return datetime(int(plain[1]), int(plain[2] or 1), int(plain[3] or 1), tzinfo=UTC)
        moment = datetime.fromisoformat(text) if text[:4].isdigit() else parsedate_to_datetime(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


_Take = Callable[[etree._Element, _Found], None]


def _parse(body: bytes, url: str, take: _Take) -> Listing:
    found = _Found(url)
    body = _unpacked(body, found)
    start = body[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"{"):
        _read_json(body, found)
    elif b"<" in start or start.startswith((b"\xff\xfe", b"\xfe\xff")):
        _read_xml(body, found, take)
    else:
        _read_lines(body, found)
    if not found.urls and not found.sitemaps and body.strip():
        found.remark("empty", "No address was found in the list.")
    return found.done()


def _unpacked(body: bytes, found: _Found) -> bytes:
    if not body.startswith(_GZIP):
        if len(body) > MOST_BYTES:
            found.remark("size", f"Only the first {MOST_BYTES:,} bytes of the list were read.")
        return body[:MOST_BYTES]
    unpacker = zlib.decompressobj(wbits=31)
    unpacked = b""
    try:
        unpacked = unpacker.decompress(body, MOST_BYTES)
    except zlib.error:
        found.remark("gzip", "The list is compressed wrongly.")
    if unpacker.unconsumed_tail:
        found.remark("size", f"Only the first {MOST_BYTES:,} bytes of the list were read.")
    return unpacked


def _read_xml(body: bytes, found: _Found, take: _Take) -> None:
    parser = etree.XMLPullParser(
        events=("end",),
        recover=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
    )
    body = body.lstrip(b" \t\r\n")
    try:
        for start in range(0, len(body), CHUNK_BYTES):
            parser.feed(body[start : start + CHUNK_BYTES])
            for element in _ended(parser):
                take(element, found)
                if local_name(element) in _PARTS:
                    _forget(element)
            if found.is_full:
                return
        parser.close()
    except etree.XMLSyntaxError:
        found.remark("xml", "The list is broken; what stands before the fault was taken.")
    for element in _ended(parser):
        take(element, found)


def _ended(parser: etree.XMLPullParser) -> Iterator[etree._Element]:
    for _, element in parser.read_events():
        if isinstance(element, etree._Element):
            yield element


def _forget(element: etree._Element) -> None:
    """Free processed elements, so that memory does not grow with the list."""
    element.clear()
    parent = element.getparent()
    if parent is not None:
        while element.getprevious() is not None:
            del parent[0]


def _take_sitemap_part(element: etree._Element, found: _Found) -> None:
    name = local_name(element)
    if name not in ("url", "sitemap"):
        return
    space = str(element.tag)[: -len(name)]  # "{…}": images and videos have a <loc> of their own
    said = {
        local_name(child): child.text or "" for child in element if child.tag == space + local_name(child)
    }
    if said.get("loc"):
        found.add(said["loc"], said.get("lastmod", ""), is_list=name == "sitemap")
    for child in element:
        if (
            local_name(child) == "link"
            and (child.get("rel") or "").lower() == "alternate"
            and child.get("href")
        ):
            found.add(child.get("href") or "", said.get("lastmod", ""))


def _take_feed_part(element: etree._Element, found: _Found) -> None:
    name = local_name(element)
    if name in ("item", "entry"):
        said: dict[str, str] = {}
        for child in element:
            if local_name(child) and (child.text or "").strip():
                said.setdefault(local_name(child), child.text or "")
        date = next(
            (said[key] for key in ("updated", "pubDate", "date", "published", "modified") if key in said), ""
        )
        for address in _addresses(element, said):
            found.add(address, date)
    elif name == "link" and (element.get("rel") or "").lower() == "next" and element.get("href"):
        found.add(element.get("href") or "", is_list=True)


def _addresses(entry: etree._Element, said: dict[str, str]) -> Iterator[str]:
    if said.get("link"):  # RSS
        yield said["link"]
    elif said.get("guid", "").strip().startswith("http"):
        yield said["guid"]
    for child in entry:  # Atom
        if (
            local_name(child) == "link"
            and child.get("href")
            and (child.get("rel") or "alternate").lower() == "alternate"
        ):
            yield child.get("href") or ""


def _read_json(body: bytes, found: _Found) -> None:
    try:
        feed = json.loads(body)
    except (ValueError, RecursionError):
        return
    items = feed.get("items") if isinstance(feed, dict) else None
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict) and isinstance(item.get("url"), str):
            found.add(item["url"], str(item.get("date_modified") or item.get("date_published") or ""))
    if isinstance(feed, dict) and isinstance(feed.get("next_url"), str):
        found.add(feed["next_url"], is_list=True)


def _read_lines(body: bytes, found: _Found) -> None:
    for line in decode_page(body).text.splitlines():
        if line.strip()[:4].lower() == "http":
            found.add(line)
        if found.is_full:
            return
