"""One HTML page: metadata, links, headings, structured data and text, parsed from a response.

`parse_page` is pure and total: any bytes yield a Page. It is linear in the size of the page with one
exception (libxml2 compares the attributes of a tag with one another), so callers that parse in their own
process limit the length of tags first; `parser_pool` does.

libxml2 follows HTML5 in recognising tags, and accepts trees of up to 2,048 levels. Deeper pages are parsed
again without the elements that are irrelevant here (`_flattened`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import ClassVar
from urllib.parse import urlsplit

from lxml import etree

from windrow.extract.language_detection import detect_language
from windrow.extract.signatures import type_by_signature
from windrow.formats.wir.page_identity import KNOWN_TYPES, has_metadata
from windrow.model.text.language_codes import language_codes
from windrow.model.text.safe_text import strip_invisible
from windrow.model.web_page import OTHER_KIND, MetaTag, Page, PageLink, Remark
from windrow.sources.web.charset import decode_page
from windrow.sources.web.structured import JSON_LD, read_items
from windrow.sources.web.urls import join

__all__ = ["MetaTag", "Page", "PageLimits", "PageLink", "PageWants", "Remark", "parse_page"]

ROBOT_NAMES = frozenset(("robots", "windrow"))  # in meta tags; in X-Robots-Tag "windrow" or no name
PARAGRAPH = "\u2029"  # paragraph separator: irrelevant in source text, and white space for `split`
LOOKED_AT_CHARACTERS = 4_096  # examined to distinguish text from binary data
MOST_STEPS = 400  # tags searched for text inside a link or heading
XHTML = "application/xhtml+xml"

_UNSEEN_NAMES = """
script style textarea xmp noembed noframes template noscript svg math select canvas iframe object
"""
_UNSEEN = tuple(_UNSEEN_NAMES.split())
_BLOCK_NAMES = """
address article aside blockquote body br caption center dd details dir div dl dt fieldset figcaption figure
footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol option p pre section summary table
tbody tfoot thead tr ul
"""
_BLOCKS = tuple(_BLOCK_NAMES.split())
_CELLS = ("td", "th")
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_LOOKED_AT = ("a", "area", "frame", "iframe", "link", "meta", "title", "script", *sorted(_HEADINGS))
_FEEDS = frozenset(("application/rss+xml", "application/atom+xml", "application/feed+json"))
_KEPT_SCHEMES = ("mailto:", "ftp:", "ftps:", "tel:", "news:", "gopher:", "telnet:")
_LINE_ENDS = re.compile(r"[\t\r\n]+")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_CONTROL_BYTES = bytes({*range(32), 127} - set(b"\t\n\r"))
# A relative address that can simply be appended: no scheme, no dots to resolve, no empty path.
_PLAIN_NAME = re.compile(
    r"[A-Za-z0-9_-][\w%+,=~-]*(?:(?:\.(?!\.)|/(?![./]))[\w%+,=~-]*)*(?:\?[^#\[\]\\]+)?(?:#[^\[\]\\]+)?\Z"
)
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_REFRESH = re.compile(r"\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?(.*)", re.IGNORECASE | re.DOTALL)
_DIRECTIVE_WITH_VALUE = frozenset(
    ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")
)
_MEANINGFUL = (
    "html|head|body|title|base|meta|link|a|area|frame|frameset|iframe|script|style|h[1-6]|br|p|textarea|xmp"
    "|noscript|svg|select|template"
)
_MEANINGLESS = re.compile(rf"</?(?!/?(?:{_MEANINGFUL})[\s/>])[A-Za-z][^<>]*+>", re.IGNORECASE)
_NESTED = re.compile(r"</?(?:a|h[1-6]|p|noscript|svg|select|template)(?=[\s/>])[^<>]*+>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PageLimits:
    """Limits of what is kept of one page; anything beyond is dropped and noted."""

    links: int = 5_000
    url_chars: int = 2_048
    link_text_chars: int = 300
    meta_tags: int = 2_000
    meta_chars: int = 20_000  # of one tag
    all_meta_chars: int = 500_000
    headings: int = 200
    heading_chars: int = 500
    title_chars: int = 1_000
    text_chars: int = 20_000
    main_text_chars: int = 1_000_000


@dataclass(frozen=True, slots=True)
class PageWants:
    """Optional parts of a page to read."""

    rdfa: bool = False  # some 4 ms a page
    main_text: bool = False
    language: bool = True  # detect it if the page declares none: up to 0.7 ms
    require: tuple[str, ...] | None = None  # detect it only if these tags, or any if empty, make a record


_LIMITS = PageLimits()
_WANTS = PageWants()


def parse_page(
    body: bytes,
    *,
    url: str,
    headers: Mapping[str, str],
    limits: PageLimits = _LIMITS,
    wants: PageWants = _WANTS,
) -> Page:
    """Parse a page. `url` is the address it was fetched from, after redirects."""
    media_type, declared = content_type(headers.get("content-type", ""))
    binary = type_by_signature(body[:2048], "") if body[:1] != b"<" else ""
    text, charset = ("", "") if _is_file(binary) else decode_page(body, declared)
    if _is_file(binary) or _is_noise(text):
        kind = f"it looks like {binary}" if binary else "much of it is control characters"
        return _without_content(
            url, media_type, body, headers, Remark("binary", f"The page is no text: {kind}.")
        )
    reading = _Reading(url, limits)
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
        reading.remark("nul", "The page holds NUL characters.")
    root = reading.tree(text, is_xml=media_type == XHTML)
    if root is not None:
        reading.read(root)
    found = read_items(
        root if root is not None else etree.Element("html"),
        base=reading.base,
        types=KNOWN_TYPES,
        scripts=reading.scripts,
        has_microdata="itemscope" in text,
        rdfa_markup=text if wants.rdfa and root is not None else "",
    )
    words = main = ""
    if root is not None:
        etree.strip_elements(root, *_UNSEEN, with_tail=False)
        if wants.main_text:
            from windrow.sources.web.main_text import main_text_of  # noqa: PLC0415 - rarely needed

            main = main_text_of(root)[: limits.main_text_chars]
        words = _words(root)
    if len(words) > limits.text_chars:
        reading.remark("text", f"Only the first {limits.text_chars:,} characters of the text were kept.")
    is_noindex, is_nofollow = _directives(reading.tags, headers)
    digest = hashlib.blake2b(
        f"{reading.title}\n{words}".casefold().encode("utf-8", "replace"), digest_size=16
    )
    page = Page(
        url,
        media_type,
        charset,
        _declared_language(reading, headers),
        reading.title,
        tuple(reading.headings),
        tuple(reading.tags),
        tuple(reading.links),
        tuple(found.items),
        words[: limits.text_chars],
        main,
        is_noindex,
        is_nofollow,
        digest.hexdigest(),
        (*reading.remarks.values(), *found.remarks),
    )
    return replace(page, language=detect_language(page.text)) if lacks_language(page, wants) else page


def lacks_language(page: Page, wants: PageWants) -> bool:
    """Return True if the language must be detected, because the page declares none."""
    if page.language is not None or not wants.language:
        return False
    return wants.require is None or has_metadata(page, wants.require)


def _is_file(kind: str | None) -> bool:
    return bool(kind) and not str(kind).startswith("text/")


def _is_noise(text: str) -> bool:
    """Return whether a text is binary data: a tenth of its beginning is control characters or U+FFFD."""
    sample = text[:LOOKED_AT_CHARACTERS]
    coded = sample.encode("utf-8", "replace")  # bytes are counted twenty times as fast as characters
    bad = len(coded) - len(coded.translate(None, _CONTROL_BYTES)) + sample.count("\ufffd")
    return bad > 10 and bad * 10 > len(sample)


def _without_content(
    url: str, media_type: str, body: bytes, headers: Mapping[str, str], remark: Remark
) -> Page:
    is_noindex, is_nofollow = _directives((), headers)
    digest = hashlib.blake2b(body, digest_size=16).hexdigest()
    return Page(
        url,
        media_type,
        is_noindex=is_noindex,
        is_nofollow=is_nofollow,
        text_digest=digest,
        remarks=(remark,),
    )


def content_type(header: str) -> tuple[str, str]:
    """Return the media type and the charset parameter of a Content-Type header; either may be empty."""
    media_type, _, parameters = header.partition(";")
    charset = ""
    for parameter in parameters.split(";")[:10]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            charset = value.strip().strip("\"'")
            break
    return media_type.strip().lower(), charset


class _Reading:
    """Collects the content of one page."""

    def __init__(self, url: str, limits: PageLimits) -> None:
        self.url = self.base = url
        self._parent = ""  # the parent folder of the base address
        self.limits = limits
        self.title = ""
        self.declared_language = ""
        self.headings: list[str] = []
        self.tags: list[MetaTag] = []
        self.links: list[PageLink] = []
        self.scripts: list[str] = []
        self.remarks: dict[str, Remark] = {}
        self._meta_chars = limits.all_meta_chars
        self._addresses: dict[str, str | None] = {}
        self._origin = self._folder = ""  # of the base address; empty if it needs `join`

    def remark(self, code: str, message: str) -> None:
        self.remarks.setdefault(code, Remark(code, message))

    def tree(self, text: str, *, is_xml: bool) -> etree._Element | None:
        """Return the tree of the page; None if it has no elements."""
        if is_xml and "<!ENTITY" not in text:
            root = _xml_tree(text)
            if root is not None:
                return root
        root, is_whole = _html_tree(text)
        if is_whole:
            return root
        self.remark("depth", "The page is nested too deeply; only its links, headings and words were read.")
        root, is_whole = _html_tree(_MEANINGLESS.sub(" ", text))
        return root if is_whole else _html_tree(_flattened(text))[0]

    def read(self, root: etree._Element) -> None:
        """Read everything but the text."""
        self.declared_language = root.get("lang") or root.get("xml:lang") or root.get(_XML_LANG) or ""
        self._set_base(root)
        for element in root.iter(*_LOOKED_AT):
            self._takes[element.tag](self, element)

    def _set_base(self, root: etree._Element) -> None:
        base = next((each.get("href") for each in root.iter("base") if each.get("href")), None)
        if base:
            address = self._joined(base)
            if address is not None and address[:4].lower() == "http":
                self.base = address
                self._addresses.clear()
            else:
                self.remark("base", f"The base address {base[:100]!r} was ignored.")
        try:
            parts = urlsplit(self.base)
        except ValueError:
            return
        self._origin = f"{parts.scheme}://{parts.netloc}"
        path = parts.path if parts.path.startswith("/") and "/." not in parts.path else ""
        folder = path[: path.rfind("/") + 1]
        self._folder = self._origin + folder if path else ""
        self._parent = self._origin + (folder[: folder[:-1].rfind("/") + 1] or "/")

    def _take_anchor(self, element: etree._Element) -> None:
        href = element.get("href")
        if href is not None:
            self._add_link(href, "anchor" if element.tag == "a" else "area", element)

    def _take_frame(self, element: etree._Element) -> None:
        src = element.get("src")
        if src:
            self._add_link(src, str(element.tag), element)

    def _take_link(self, element: etree._Element) -> None:
        href, rel = element.get("href"), (element.get("rel") or "").lower().split()
        if not href or not rel:
            return
        if "canonical" in rel:
            self._add_link(href, "canonical", element)
        elif "next" in rel:
            self._add_link(href, "next", element)
        elif "alternate" in rel and "stylesheet" not in rel:
            media_type = (element.get("type") or "").partition(";")[0].strip().lower()
            self._add_link(href, "feed" if media_type in _FEEDS else "alternate", element)

    def _add_link(self, href: str, kind: str, element: etree._Element | None = None) -> None:
        limits = self.limits
        if len(self.links) >= limits.links:
            self.remark("links", f"Only the first {limits.links:,} links were kept.")
            return
        if len(href) > limits.url_chars + 200:
            self._remark_long(href)
            return
        address = self._addresses.get(href, "")
        if address == "":
            address = self._addresses[href] = self._address(href)
        if address is None:
            return
        text, is_nofollow = "", False
        if element is not None:
            if kind == "anchor":
                text = self._text(element, limits.link_text_chars)
            if not text:
                text = self._line(element.get("title") or element.get("alt") or "", limits.link_text_chars)
            rel = element.get("rel")
            is_nofollow = rel is not None and "nofollow" in rel.lower().split()
        if address[:4].lower() != "http":
            kind = OTHER_KIND
        self.links.append(PageLink(address, text, kind, is_nofollow))

    def _address(self, href: str) -> str | None:
        """Return the address of a link; None if it is useless for robots and records."""
        href = href.strip(" \t\r\n\x0b\x0c")
        if not href.isprintable():
            href = _LINE_ENDS.sub("", href)
        lower = href[:12].lower()
        if self._folder and _PLAIN_NAME.match(name := href.removeprefix("../")):  # like most links
            address: str | None = (self._folder if name is href else self._parent) + name
        elif lower.startswith(("http://", "https://")) and "[" not in href and "\\" not in href[:12]:
            address = href
        elif href[:1] == "/" and href[1:2] not in ("/", "\\") and "/." not in href and self._origin:
            address = self._origin + href
        elif lower.startswith(_KEPT_SCHEMES):
            address = href
        else:
            address = self._joined(href)
        if address is None or (not address.isprintable() and _CONTROLS.search(address)):
            return None
        if len(address) > self.limits.url_chars:
            self._remark_long(address)
            return None
        small = address[:12].lower()
        if small.startswith(("http://", "https://")):
            return address if address[len("http://") :].lstrip("/") else None
        return address if small.startswith(_KEPT_SCHEMES) else None

    def _joined(self, href: str) -> str | None:
        try:
            address = join(self.base, href)
            return address if urlsplit(address).netloc or not address.lower().startswith("http") else None
        except ValueError:  # "http://[bad"
            return None

    def _remark_long(self, address: str) -> None:
        self.remark(
            "url-length",
            f"Addresses of more than {self.limits.url_chars:,} characters were left out: {address[:80]}…",
        )

    def _take_meta(self, element: etree._Element) -> None:
        attributes = element.attrib
        name = attributes.get("name") or attributes.get("property")
        content = attributes.get("content")
        if content is None:
            return
        if name is None or not name.strip():
            self._take_http_equiv(attributes.get("http-equiv", ""), content)
            return
        limits = self.limits
        if len(self.tags) >= limits.meta_tags or self._meta_chars <= 0:
            self.remark("meta", f"Only the first {len(self.tags):,} meta tags were kept.")
            return
        content = self._line(content, limits.meta_chars)
        if len(name) > 200:
            self.remark("meta", "Meta tags with names of more than 200 characters were left out.")
            return
        self._meta_chars -= len(content)
        scheme = attributes.get("scheme")
        language = attributes.get("lang") or attributes.get("xml:lang") or attributes.get(_XML_LANG)
        self.tags.append(
            MetaTag(
                self._line(name, 200),
                content,
                self._line(scheme, 200) or None if scheme else None,
                self._line(language, 40) or None if language else None,
            )
        )

    def _take_http_equiv(self, name: str, content: str) -> None:
        small = name.strip().lower()
        if small == "refresh":
            found = _REFRESH.fullmatch(content[: self.limits.url_chars + 100])
            address = found[1].strip().strip("\"'") if found else ""
            if address:
                self._add_link(address, "refresh")
        elif small == "content-language" and not self.declared_language:
            self.declared_language = content[:40]

    def _take_title(self, element: etree._Element) -> None:
        parent = element.getparent()
        if not self.title and (parent is None or parent.tag != "svg"):
            self.title = self._text(element, self.limits.title_chars)

    def _take_heading(self, element: etree._Element) -> None:
        if len(self.headings) >= self.limits.headings:
            self.remark("headings", f"Only the first {self.limits.headings:,} headings were kept.")
            return
        text = self._text(element, self.limits.heading_chars)
        if text:
            self.headings.append(text)

    def _take_script(self, element: etree._Element) -> None:
        kind = element.get("type")
        if kind is not None and kind.partition(";")[0].strip().lower() == JSON_LD and element.text:
            self.scripts.append(element.text)

    def _text(self, element: etree._Element, longest: int) -> str:
        """Return the text inside an element on one line, up to a limit."""
        if len(element) == 0:
            return self._line(element.text or "", longest)
        pieces, left = [], 4 * longest
        for event, inner in islice(etree.iterwalk(element, events=("start", "end")), MOST_STEPS):
            piece = inner.text if event == "start" else inner.tail if inner is not element else None
            if piece:
                pieces.append(piece[:left])
                left -= len(piece)
                if left <= 0:
                    break
        return self._line("".join(pieces), longest)

    def _line(self, text: str, longest: int) -> str:
        line = " ".join(text[: 4 * longest].split())[:longest]
        return strip_invisible(line)

    _takes: ClassVar[dict[object, Callable[[_Reading, etree._Element], None]]] = {
        "a": _take_anchor,
        "area": _take_anchor,
        "frame": _take_frame,
        "iframe": _take_frame,
        "link": _take_link,
        "meta": _take_meta,
        "title": _take_title,
        "script": _take_script,
        **dict.fromkeys(_HEADINGS, _take_heading),
    }


_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


def _html_tree(text: str) -> tuple[etree._Element | None, bool]:
    """Return the tree of a page, and whether it is complete."""
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, etree.ParserError, ValueError):
        root = None
    last = parser.error_log.last_error
    if last is not None and last.type == etree.ErrorTypes.ERR_NO_MEMORY:
        raise MemoryError
    return root, last is None or last.type != etree.ErrorTypes.ERR_RESOURCE_LIMIT


def _xml_tree(text: str) -> etree._Element | None:
    """Return the tree of a well-formed XHTML page without namespaces; None: parse it as HTML."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True,
                             remove_pis=True, encoding="utf-8")  # fmt: skip
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    # &nbsp; from a DTD that is not loaded; the HTML parser knows it
    if next(root.iter(etree.Entity), None) is not None:
        return None
    for element in root.iter(etree.Element):
        if element.tag.startswith("{"):
            element.tag = element.tag.rpartition("}")[2]
    return root


def _flattened(text: str) -> str:
    """Return the page without nestable elements except links, each closed where the next begins."""
    return _NESTED.sub(
        lambda tag: "</a>" + tag[0] if tag[0][:2].lower() == "<a" else " ", _MEANINGLESS.sub(" ", text)
    )


def _words(root: etree._Element) -> str:
    """Return the text of a page, one line per block. Modifies the tree."""
    for element in root.iter(*_BLOCKS):
        try:
            element.text = PARAGRAPH + (element.text or "")
            element.tail = PARAGRAPH + (element.tail or "")
        except ValueError:  # lxml cannot always serialise what it has parsed
            element.text = PARAGRAPH + _UNWRITABLE.sub(" ", element.text or "")
            element.tail = PARAGRAPH + _UNWRITABLE.sub(" ", element.tail or "")
    for element in root.iter(*_CELLS):
        element.tail = " " + _UNWRITABLE.sub(" ", element.tail or "")
    body = root.find("body")
    text = etree.tostring(root if body is None else body, method="text", encoding="unicode")
    return "\n".join(
        line for part in text.split(PARAGRAPH) if (line := strip_invisible(" ".join(part.split())))
    )


def _declared_language(reading: _Reading, headers: Mapping[str, str]) -> str | None:
    in_tags = (tag.content for tag in reading.tags if _is_language_tag(tag.name))
    for said in (reading.declared_language, *in_tags, headers.get("content-language", "")):
        codes = language_codes(said) if said else ()
        if codes:
            return codes[0]
    return None


def _is_language_tag(name: str) -> bool:
    small = name.lower().replace(":", ".").replace("_", ".")
    return small in ("dc.language", "dcterms.language", "citation.language", "language")


def _directives(tags: Sequence[MetaTag], headers: Mapping[str, str]) -> tuple[bool, bool]:
    """Return whether the page is marked noindex, and nofollow."""
    said = {
        word.strip().lower()
        for tag in tags
        if tag.name.lower() in ROBOT_NAMES
        for word in tag.content.split(",")
    }
    said.update(_header_directives(headers.get("x-robots-tag", "")))
    is_none = "none" in said
    return is_none or "noindex" in said, is_none or "nofollow" in said


def _header_directives(header: str) -> Iterator[str]:
    """Yield the directives of X-Robots-Tag for all robots or for this one.

    A robot's name before a colon applies to what follows it: `otherbot: noindex, nofollow`.
    """
    is_ours = True
    for part in re.split(r"[,\n]", header[:10_000].lower()):
        name, colon, directive = part.partition(":")
        if colon and name.strip() not in _DIRECTIVE_WITH_VALUE:
            is_ours = name.strip() in (*ROBOT_NAMES, "*")
            part = directive  # noqa: PLW2901 - now without the robot's name
        if is_ours:
            yield part.strip()
