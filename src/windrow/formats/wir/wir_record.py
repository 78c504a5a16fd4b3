"""The `wir` element: writer from a web page, and reader. The same page results in the same bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from importlib.resources import files

from lxml import etree

from windrow.formats.mapping.document_draft import Draft
from windrow.formats.mapping.markup import escape_xml
from windrow.formats.mapping.xml_records import Trail, local_name
from windrow.formats.wir.page_identity import TagName, own_identifier, tag_name
from windrow.formats.wir.page_items import add_items
from windrow.formats.wir.page_tags import Taken, add_plain_tags, add_tags, read_event
from windrow.model.document import Document, LinkKind
from windrow.model.web_page import OTHER_KIND, PAGE_TEXT, Item, MetaTag, Page

NAMESPACE = "urn:windrow:wir:1"
PREFIX = "wir"
SCHEMA_FILE = f"{PREFIX}.xsd"
ROBOT = "Windrow"  # without a version: a new one would make every record a changed one
_VOLATILE = re.compile(
    rb"<(rec-id|rec-checked|server-date|last-modified|size|server)>[^<]*</\1>"
    rb'|<meta name="[^"<>]*(?:csrf|nonce|token|request-id|timestamp)[^"<>]*"[^<>]*>[^<]*</meta>',
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FetchDetails:
    """Properties of a page that come from fetching it rather than from its markup."""

    url: str  # the final one, which identifies the record
    other_urls: tuple[str, ...] = ()  # other addresses of the same content
    media_type: str = ""
    charset: str = ""
    size: int | None = None  # bytes of the body
    server_date: datetime | None = None
    last_modified: datetime | None = None
    server: str = ""
    checksum: str = ""  # MD5 of the body, in hexadecimal digits
    checked: datetime | None = None
    status: int = 200


def write_wir(page: Page, exchange: FetchDetails, *, with_times: bool = False) -> bytes:
    """Return one `<wir>` element in UTF-8.

    Values that differ at every fetch (the time by the server's clock and by the local one) are only written
    `with_times`, so that an unchanged page results in the same bytes.
    """
    return "".join(_elements(page, exchange, with_times=with_times)).encode()


def without_volatile(payload: bytes) -> bytes:
    """Return the output of `write_wir` without the parts that may change while the content does not.

    These are checksum, size, server, dates, and framework tags that differ at every fetch.
    """
    return _VOLATILE.sub(b"", payload)


def schema() -> bytes:
    return files("windrow.formats").joinpath("schemas", SCHEMA_FILE).read_bytes()


def _elements(page: Page, exchange: FetchDetails, *, with_times: bool) -> Iterator[str]:
    named = [(tag_name(tag.name), tag) for tag in page.tags if tag.content]
    yield f'<wir xmlns="{NAMESPACE}">\n'
    yield _element("robot", f'{ROBOT} URL="{exchange.url}"')
    yield _element("rec-id", exchange.checksum.upper())
    yield _element("orig-rec-id", own_identifier(page) or "")
    if with_times:
        yield _time("rec-checked", exchange.checked)
        yield _time("server-date", exchange.server_date)
    if not _is_made_now(exchange):
        yield _time("last-modified", exchange.last_modified)
    terms = [
        _element("cterm", tag.content, scheme=tag.scheme or "")
        for name, tag in named
        if name == ("dc", "subject") and tag.scheme
    ]
    yield _group("controlled-terms", terms)
    yield _group("availability", _availability(page, exchange, [(name, tag.content) for name, tag in named]))
    yield _element("title", _title(page))
    constraints = [tag.content for name, tag in named if name == ("studera", "prerequisites")]
    yield _group("access", (_element("constraint", text) for text in constraints))
    yield "<inf>"
    yield f"<nh>{len(page.headings)}</nh><nl>{len(page.links)}</nl>"
    yield f"<size>{exchange.size}</size>" if exchange.size is not None else ""
    yield f"<language>{escape_xml(page.language)}</language>" if page.language else ""
    yield "</inf>\n"
    for link in page.links:
        # As in 2001, an address of another scheme is an anchor, because that is where it occurred.
        kind = "anchor" if link.kind == OTHER_KIND else link.kind
        phrase = f"<phrase>{escape_xml(link.text)}</phrase>" if link.text else ""
        address = f"<uri>{escape_xml(link.url)}</uri>"
        yield f"<relation>{phrase}{address}<type>{escape_xml(kind)}</type></relation>\n"
    yield "<sample>\n"
    yield from (_element("heading", heading) for heading in page.headings)
    yield _element("text", page.text)
    yield "</sample>\n"
    yield _element("server", exchange.server)
    yield _group("meta-tags", map(_meta, page.tags))
    yield _group("items", (_element("item", _json(item)) for item in page.items))
    yield _element("main-text", page.main_text)
    yield "</wir>"


def _availability(page: Page, exchange: FetchDetails, said: list[tuple[TagName, str]]) -> Iterator[str]:
    media_type = exchange.media_type or page.media_type
    charset = exchange.charset or page.charset
    kind = f"{media_type}; Charset={charset}" if media_type and charset else media_type
    yield _available(_element("linkage", exchange.url), _element("format", kind))
    for url in sorted(set(exchange.other_urls) - {exchange.url}):
        yield _available(_element("linkage", url))
    yield from (_element("publisher", text) for name, text in said if name == ("dc", "publisher"))
    events = [text.strip().rstrip(";") for name, text in said if name == ("studera", "event")]
    yield _group("schedule", (_element("event", text) for text in events))
    yield from (_element("medium", text) for name, text in said if name == ("studera", "type"))


def _available(*elements: str) -> str:
    return f"<available>{''.join(element.strip() for element in elements)}</available>\n"


def _title(page: Page) -> str:
    return page.title or (page.headings[0] if page.headings else "")


def _is_made_now(exchange: FetchDetails) -> bool:
    # A page last modified at the time of the request is generated for each request.
    modified, now = exchange.last_modified, exchange.server_date or exchange.checked
    return modified is not None and now is not None and abs((now - modified).total_seconds()) < 60


def _element(element: str, text: str, **attributes: str) -> str:
    return f"<{element}{_attributes(attributes)}>{escape_xml(text)}</{element}>\n" if text else ""


def _meta(tag: MetaTag) -> str:
    said = {"name": tag.name, "scheme": tag.scheme or "", "lang": tag.lang or ""}
    return f"<meta{_attributes(said)}>{escape_xml(tag.content)}</meta>\n"


def _attributes(attributes: dict[str, str]) -> str:
    return "".join(f' {name}="{escape_xml(value)}"' for name, value in attributes.items() if value)


def _group(name: str, elements: Iterable[str]) -> str:
    inner = "".join(elements)
    return f"<{name}>\n{inner}</{name}>\n" if inner else ""


def _time(name: str, moment: datetime | None) -> str:
    return _element(name, format_datetime(moment, usegmt=True)) if moment is not None else ""


def _json(item: dict[str, object]) -> str:
    return json.dumps(item, ensure_ascii=False, separators=(",", ":"))


# The reader.


class Wir:
    """Reader of web pages."""

    name = PREFIX
    prefixes: frozenset[str] = frozenset()
    roots = frozenset({f"{{{NAMESPACE}}}wir", "wir"})  # records of Combine have no namespace

    def read(self, root: etree._Element) -> Document:
        # The record is the work that the page describes, or else the page itself.
        trail, draft = Trail(), Draft(PREFIX)
        parts = _Parts(root, trail)
        taken: Taken = {}
        tags = [
            MetaTag(element.get("name") or "", text, element.get("scheme"), element.get("lang"))
            for element, text in parts.of("meta-tags", "meta")
            if element.get("name") and text
        ]
        items = [item for _, text in parts.of("items", "item") if (item := _item(text)) is not None]
        add_tags(draft, tags, taken)
        add_items(draft, items, taken)
        if not tags:
            _add_repeated(draft, parts)
        _add_page(draft, parts, tags, taken)
        trail.sweep(root, draft, PREFIX)
        return draft.finish()


class _Parts:
    """The parts of a record, by the elements that contain them."""

    def __init__(self, root: etree._Element, trail: Trail) -> None:
        self._root = root
        self._trail = trail

    def of(self, *path: str) -> Iterator[tuple[etree._Element, str]]:
        """Yield the childless elements at the end of a path from the root, each with its text."""
        found: list[etree._Element] = [self._root]
        for name in path:
            found = [child for element in found for child in element if local_name(child) == name]
        for element in found:
            if len(element) == 0:
                self._trail.skip(element)
                yield element, (element.text or "").strip()

    def first(self, *path: str) -> str:
        return next((text for _, text in self.of(*path) if text), "")

    def skip(self, *path: str) -> None:
        for _ in self.of(*path):
            pass


def _add_repeated(draft: Draft, parts: _Parts) -> None:
    # Records of Combine have these elements instead of the tags.
    for element, text in parts.of("controlled-terms", "cterm"):
        draft.add_subject(text, scheme=element.get("scheme"))
    for _, text in parts.of("availability", "publisher"):
        draft.add_publisher(text)
    for _, text in parts.of("availability", "schedule", "event"):
        event = read_event(text)
        if event is not None:
            draft.add_event(event)
    for _, text in parts.of("availability", "medium"):
        draft.add_type(text)
    for _, text in parts.of("access", "constraint"):
        draft.add_prerequisite(text)
    for _, text in parts.of("orig-rec-id"):
        draft.add_identifier(text)


def _add_page(draft: Draft, parts: _Parts, tags: list[MetaTag], taken: Taken) -> None:
    # The page's own address; its texts count only if no metadata has better ones.
    title = parts.first("title")
    headings = [text for _, text in parts.of("sample", "heading")]
    if "title" not in taken:
        is_site = len(headings) == 1 and not title
        named = next((tag.content for tag in tags if tag_name(tag.name) == ("og", "title")), "")
        draft.add_title(headings[0] if is_site else title or named)
        if title and named and named != title:
            draft.add_extra("wir:og.title", named)
    elif title and title not in taken["title"]:
        draft.add_extra("wir:title", title)
    add_plain_tags(draft, tags, taken)
    for number, (_, address) in enumerate(parts.of("availability", "available", "linkage")):
        draft.add_link(address, hint=LinkKind.RELATED if number else LinkKind.LANDING)
    language = parts.first("inf", "language")
    if language and not any(tag_name(tag.name).term == "language" for tag in tags):
        draft.add_language(language)
    text = parts.first("main-text") or parts.first("sample", "text")
    draft.add_extra(PAGE_TEXT, text)
    _skip_the_rest(parts)


def _skip_the_rest(parts: _Parts) -> None:
    for path in (
        *(("robot",), ("rec-id",), ("orig-rec-id",), ("rec-checked",), ("server-date",), ("last-modified",)),
        *(("inf", "nh"), ("inf", "nl"), ("inf", "size"), ("inf", "language"), ("server",)),
        *(("relation", "phrase"), ("relation", "uri"), ("relation", "type"), ("sample", "text")),
        *(("availability", "available", "format"), ("availability", "publisher"), ("availability", "medium")),
        *(("availability", "schedule", "event"), ("controlled-terms", "cterm"), ("access", "constraint")),
    ):
        parts.skip(*path)


def _item(text: str) -> Item | None:
    try:
        item = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return item if isinstance(item, dict) else None


READER = Wir()
