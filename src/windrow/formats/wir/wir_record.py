"""Writes `wir`: the payload of a web record, the same bytes for the same page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from importlib.resources import files

from windrow.formats.wir.identity import own_identifier
from windrow.formats.wir.tag_names import TagName, tag_name
from windrow.formats.xml_words import xml_words
from windrow.model.web_page import OTHER_KIND, MetaTag, Page

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
class Exchange:
    """What is known of a page from fetching it rather than from its markup."""

    url: str  # the final one, by which the record goes
    other_urls: tuple[str, ...] = ()  # the same content under other addresses
    media_type: str = ""
    charset: str = ""
    size: int | None = None  # bytes of the body
    server_date: datetime | None = None
    last_modified: datetime | None = None
    server: str = ""
    checksum: str = ""  # MD5 of the body, in hexadecimal digits
    checked: datetime | None = None
    status: int = 200


def write_wir(page: Page, exchange: Exchange, *, with_times: bool = False) -> bytes:
    """Return one `<wir>` element in UTF-8.

    What differs at every fetch (the time by the server's clock and by ours) is only written `with_times`, so
    that a page that has not changed gives the same bytes.
    """
    return "".join(_elements(page, exchange, with_times=with_times)).encode()


def without_volatile(payload: bytes) -> bytes:
    """Return what `write_wir` wrote without what may change while the page says the same.

    That is checksum, size, server and dates, and the tags of frameworks that differ at every fetch.
    """
    return _VOLATILE.sub(b"", payload)


def schema() -> bytes:
    """Return the XML Schema of the format."""
    return files("windrow.formats").joinpath("schemas", SCHEMA_FILE).read_bytes()


def _elements(page: Page, exchange: Exchange, *, with_times: bool) -> Iterator[str]:
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
    yield f"<language>{xml_words(page.language)}</language>" if page.language else ""
    yield "</inf>\n"
    for link in page.links:
        # As in 2001, an address of another scheme is an anchor: that is where it stood.
        kind = "anchor" if link.kind == OTHER_KIND else link.kind
        phrase = f"<phrase>{xml_words(link.text)}</phrase>" if link.text else ""
        yield f"<relation>{phrase}<uri>{xml_words(link.url)}</uri><type>{xml_words(kind)}</type></relation>\n"
    yield "<sample>\n"
    yield from (_element("heading", heading) for heading in page.headings)
    yield _element("text", page.text)
    yield "</sample>\n"
    yield _element("server", exchange.server)
    yield _group("meta-tags", map(_meta, page.tags))
    yield _group("items", (_element("item", _json(item)) for item in page.items))
    yield _element("main-text", page.main_text)
    yield "</wir>"


def _availability(page: Page, exchange: Exchange, said: list[tuple[TagName, str]]) -> Iterator[str]:
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


def _is_made_now(exchange: Exchange) -> bool:
    """Whether a page was last modified when it was asked for: then it is made for each request."""
    modified, now = exchange.last_modified, exchange.server_date or exchange.checked
    return modified is not None and now is not None and abs((now - modified).total_seconds()) < 60


def _element(element: str, text: str, **attributes: str) -> str:
    """An element on its line; nothing where it is empty."""
    return f"<{element}{_attributes(attributes)}>{xml_words(text)}</{element}>\n" if text else ""


def _meta(tag: MetaTag) -> str:
    said = {"name": tag.name, "scheme": tag.scheme or "", "lang": tag.lang or ""}
    return f"<meta{_attributes(said)}>{xml_words(tag.content)}</meta>\n"


def _attributes(attributes: dict[str, str]) -> str:
    return "".join(f' {name}="{xml_words(value)}"' for name, value in attributes.items() if value)


def _group(name: str, elements: Iterable[str]) -> str:
    inner = "".join(elements)
    return f"<{name}>\n{inner}</{name}>\n" if inner else ""


def _time(name: str, moment: datetime | None) -> str:
    return _element(name, format_datetime(moment, usegmt=True)) if moment is not None else ""


def _json(item: dict[str, object]) -> str:
    return json.dumps(item, ensure_ascii=False, separators=(",", ":"))
