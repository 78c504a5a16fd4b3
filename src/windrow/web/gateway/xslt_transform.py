"""Compile and run stylesheets, and sanitise their result. Used only inside `stylesheet_child`.

Plain XSLT 1.0: no other document is read or written, there are no extensions, and nothing is imported but the
stylesheets shipped with Windrow, as `windrow:default.xsl`.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lxml import etree

from windrow.formats.registry import reader_for
from windrow.web.i18n.translation import PAGE_LANGUAGES, get_translator
from windrow.web.layout.page_text import is_web_address, strip_invisible

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

BUNDLED_SCHEME = "windrow:"
MAX_COMPILED = 50
_XSL = "{http://www.w3.org/1999/XSL/Transform}"
_SAY_ELEMENT = "{urn:windrow}say"
_SHIPPED: Mapping[str, bytes] = {
    path.stem: path.read_bytes() for path in sorted(Path(__file__).with_name("xslt").glob("*.xsl"))
}
_RELATED_FORMATS = {"qdc": "oai_dc", "uketd_dc": "etdms"}  # formats whose stylesheet is another format's
_DEFAULT = "default"
# Functions and elements that libxslt has beyond XSLT: some write files, some return the time.
_EXTENSIONS = (
    "http://exslt.org/",
    "http://xmlsoft.org/XSLT/",
    "http://icl.com/saxon",
    "http://www.jclark.com/xt",
    "org.apache.xalan",
    "http://xml.apache.org/",
    "http://codespeak.net/",
)
_DENY_ALL: Any = etree.XSLTAccessControl.DENY_ALL  # type: ignore[attr-defined]


class InvalidStylesheet(Exception):
    """A stylesheet that cannot be used at all; the message is the reason."""


class InvalidPayload(Exception):
    """Metadata that no stylesheet can process."""


class StylesheetCache:
    """Compiled stylesheets, least recently used evicted."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], etree.XSLT] = OrderedDict()
        for code in PAGE_LANGUAGES:
            get_translator(code)  # loaded now: files cannot be opened later

    def make(self, payload: bytes, prefix: str, sheet: bytes, language: str, identifier: str) -> str:
        """Return the markup that a stylesheet, or the shipped one for the format, makes of a payload.

        Raises InvalidStylesheet, InvalidPayload and exceptions of lxml.
        """
        tree = _parse_payload(payload)
        name = "" if sheet else _bundled_name(str(tree.getroot().tag), prefix)
        transform = self._compiled(sheet or _SHIPPED[name], language)
        told = {"language": language, "format": prefix, "identifier": identifier}
        quoted: dict[str, Any] = {key: etree.XSLT.strparam(value) for key, value in told.items()}
        try:
            made = transform(tree, **quoted)
        except etree.XSLTApplyError as exc:
            raise InvalidPayload(_failure_reason(transform) or str(exc)) from exc
        if made.getroot() is not None:
            for heading in made.iter("h1"):  # the page has its own
                heading.tag = "h2"
        return str(made)

    def _compiled(self, text: bytes, language: str) -> etree.XSLT:
        key = hashlib.sha256(text).hexdigest(), language
        if key not in self._kept:
            self._kept[key] = _compile(text, language)
        self._kept.move_to_end(key)
        while len(self._kept) > MAX_COMPILED:
            self._kept.popitem(last=False)
        return self._kept[key]


def _failure_reason(transform: Any) -> str:
    """Return libxslt's reason for a failure: the longest of its first messages is the most specific."""
    said = [each.message.partition("\n")[0] for each in list(transform.error_log)[:5]]
    return max(said, key=len, default="")


def _bundled_name(root: str, prefix: str) -> str:
    """Return the shipped stylesheet for a payload, chosen by its content rather than by its format name."""
    reader = reader_for(root, prefix, with_plugins=False)
    name = "" if reader is None else _RELATED_FORMATS.get(reader.name, reader.name)
    return name if name in _SHIPPED else _DEFAULT


def _parse_payload(payload: bytes) -> etree._ElementTree:
    try:
        root = etree.fromstring(payload, _parser())
    except etree.XMLSyntaxError as exc:
        # lxml refuses namespace names that are not URIs, which XML allows. Everything else is an error.
        lenient = _parser(recover=True)
        root = etree.fromstring(payload, lenient)
        faults: Any = lenient.error_log
        if root is None or any(each.domain != etree.ErrorDomains.NAMESPACE for each in faults):
            raise InvalidPayload(f"the metadata is not well-formed, or too deep: {exc}") from exc
    tree = root.getroottree()
    if tree.docinfo.internalDTD is not None:
        raise InvalidPayload("the metadata has a document type")
    return tree


def _parser(*, recover: bool = False) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,  # False also bounds the depth
        remove_comments=True,
        remove_pis=True,
        recover=recover,
    )


class _BundledResolver(etree.Resolver):
    """Resolves the shipped stylesheets, and refuses every other address."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def resolve(self, url: str, public_id: str, context: object) -> Any:  # type: ignore[override] # noqa: ARG002
        name = url.removeprefix(BUNDLED_SCHEME).removesuffix(".xsl")
        if not url.startswith(BUNDLED_SCHEME) or name not in _SHIPPED:
            raise InvalidStylesheet(f"{url} cannot be had: stylesheets read nothing but windrow:default.xsl")
        said = _translate(etree.fromstring(_SHIPPED[name]), self._language)
        return self.resolve_string(etree.tostring(said), context, base_url=url)


def _compile(text: bytes, language: str) -> etree.XSLT:
    parser = _parser()
    parser.resolvers.add(_BundledResolver(language))
    try:
        root = etree.fromstring(text, parser)
        _check_stylesheet(root)
        _force_html(_translate(root, language))
        return etree.XSLT(root.getroottree(), access_control=_DENY_ALL, regexp=False)
    except etree.LxmlError as exc:
        raise InvalidStylesheet(f"it cannot be read: {exc}") from exc


def _check_stylesheet(root: etree._Element) -> None:
    """Refuse a stylesheet that reaches beyond the payload, before any of it runs."""
    if root.getroottree().docinfo.internalDTD is not None:
        raise InvalidStylesheet("it has a document type; write characters as numbers, such as &#160;")
    for _, (_, address) in etree.iterwalk(root, events=("start-ns",)):
        if address.startswith(_EXTENSIONS):
            raise InvalidStylesheet(f"it declares extensions ({address}); there is XSLT 1.0 and nothing else")
    for element in root.iter(f"{_XSL}import", f"{_XSL}include", f"{_XSL}document"):
        href = element.get("href") or ""
        if element.tag == f"{_XSL}document" or not href.startswith(BUNDLED_SCHEME):
            raise InvalidStylesheet(f"it reads or writes {href[:200]!r}; only ours can be imported")


def _translate(root: etree._Element, language: str) -> etree._Element:
    """Replace `w:say` elements by their text in the language of the page."""
    spoken = get_translator(language if language in PAGE_LANGUAGES else "en")
    for element in list(root.iter(_SAY_ELEMENT)):
        words = etree.Element(f"{_XSL}text")
        words.text = spoken.say((element.text or "").strip())
        words.tail = element.tail
        parent = element.getparent()
        if parent is not None:
            parent.replace(element, words)
    return root


def _force_html(root: etree._Element) -> None:
    """Force the output method to HTML, because the result becomes part of a page."""
    for element in root.findall(f"{_XSL}output"):
        root.remove(element)
    if root.tag in (f"{_XSL}stylesheet", f"{_XSL}transform"):
        forced = etree.SubElement(root, f"{_XSL}output", method="html", encoding="UTF-8", indent="no")
        forced.tail = "\n"


# Reduces what a stylesheet made of untrusted metadata to harmless markup: only the elements below are kept,
# and nothing that runs, loads, styles or leads elsewhere than a link.


def _name_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# No h1: the page has one already.
_TAGS = _name_set(
    "a abbr b bdi bdo blockquote br caption cite code dd del details dfn div dl dt em figcaption figure"
    " h2 h3 h4 h5 h6 hr i ins kbd li mark ol p pre q rp rt ruby s samp section small span strong sub summary"
    " sup table tbody td tfoot th thead time tr u ul var wbr"
)
# These are removed with their content, which was never meant to be read.
_HIDDEN = _name_set(
    "applet embed frame frameset head iframe math noembed noframes noscript object option script select style"
    " svg template textarea title xmp"
)
_EVERYWHERE = frozenset(("lang", "dir"))
_ATTRIBUTES: dict[str, AbstractSet[str]] = {
    "*": _EVERYWHERE,
    "a": {"href"},
    "abbr": {"title"},
    "time": {"datetime"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
}
CLASSES = frozenset(("payload", "fields", "values", "authors", "abstract", "also", "quiet", "links"))
_SCHEMES = frozenset(("http", "https", "mailto"))
_MAX_SPAN_LENGTH = 2  # digits: a table may not be arbitrarily wide
# Browsers spend half a minute on line breaking in an endless word, unless they are shown break points.
_LONG_WORD = re.compile(r"[^\s<>]{500}")
_TAG_OR_TEXT = re.compile(r'<(?:"[^"]*"|[^">])*>|[^<]+')
_PIECE = re.compile(r"(?:&[#A-Za-z0-9]+;|[^\s&]){100}(?=\S)")


def sanitise(markup: str) -> str:
    """Return the markup reduced to readable content and links."""
    import nh3  # noqa: PLC0415 - only the process that runs stylesheets needs it

    cleaned: str = nh3.clean(
        strip_invisible(markup),
        tags=set(_TAGS),
        clean_content_tags=set(_HIDDEN),
        attributes={tag: set(names) for tag, names in _ATTRIBUTES.items()},
        attribute_filter=_filter_attribute,
        url_schemes=set(_SCHEMES),
        link_rel="noreferrer nofollow",
        allowed_classes={tag: set(CLASSES) for tag in _TAGS},
        strip_comments=True,
    )
    return _TAG_OR_TEXT.sub(_add_word_breaks, cleaned) if _LONG_WORD.search(cleaned) else cleaned


def _add_word_breaks(found: re.Match[str]) -> str:
    """Return a tag unchanged, or text with break points in very long words."""
    part = found[0]
    return part if part.startswith("<") else _PIECE.sub(r"\g<0><wbr>", part)


def _filter_attribute(tag: str, name: str, value: str) -> str | None:  # noqa: ARG001 - as nh3 calls it
    if name == "href":
        return value if is_web_address(value) or value.lower().startswith("mailto:") else None
    if name in ("colspan", "rowspan"):
        return value if value.isdecimal() and len(value) <= _MAX_SPAN_LENGTH else None
    return value if len(value) < 1000 else None
