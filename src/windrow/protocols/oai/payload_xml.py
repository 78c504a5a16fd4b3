"""Payloads as XML: the `<metadata>` around one with its namespaces, escaping, and checks.

`provider_response` combines a record with these tags. The payload is not changed by a byte. Namespace
declarations from its original scope that our root does not have are repeated on `<metadata>`, so that every
name keeps its meaning. A record harvested from us has the same declarations in scope, and in addition those
of our root and perhaps a prefix for OAI-PMH; harvesting it a second time adds no more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import count
from xml.parsers import expat

from windrow.protocols.oai.oai_page import NAMESPACE
from windrow.protocols.oai.well_formedness import SEPARATOR

# Namespace declarations: parsed from a start tag, and rendered as attributes.

_ATTRIBUTE_PATTERN = re.compile(rb"""\s([^\s=]+)\s*=\s*(?:"[^"]*"|'[^']*')""")
_START_TAG = re.compile(rb"""<[^\s/>]+((?:"[^"]*"|'[^']*'|[^>"'])*)>""")
_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)


@lru_cache(maxsize=64)  # pages of one list begin alike
def parse_declarations(attributes: bytes) -> bytes:
    """Return the declarations in the attributes of an accepted start tag, in a normal form."""
    scope: dict[str, str] = {}
    parser = expat.ParserCreate(namespace_separator=SEPARATOR)
    parser.StartNamespaceDeclHandler = lambda prefix, address: scope.update({prefix or "": address or ""})
    parser.Parse(b"<root " + attributes + b"/>", True)
    return render_declarations(scope)


def render_declarations(scope: Mapping[str, str]) -> bytes:
    """Return the declarations of a scope (prefix, "" for the default one → address) as attributes."""
    return b"".join(
        b' xmlns%s="%s"' % (b":" + prefix.encode() if prefix else b"", _escape(address))
        for prefix, address in scope.items()
    )


def make_standalone(payload: bytes, declarations: bytes) -> bytes:
    """Return a payload that is well-formed on its own, with its envelope's declarations on its root element.

    Declarations of the root itself take precedence. A payload that is not exactly one element (apart from
    white space, comments and processing instructions) is wrapped in `<metadata>`.
    """
    root = _only_root(payload, declarations)
    if root is None:
        return b"<metadata" + declarations + b">" + payload + b"</metadata>"
    tag = _START_TAG.match(payload, root)
    assert tag is not None  # the parser has just accepted a start tag here
    own = set(_ATTRIBUTE_PATTERN.findall(tag.group(1)))
    missing = [
        found.group() for found in _ATTRIBUTE_PATTERN.finditer(declarations) if found.group(1) not in own
    ]
    return payload[: tag.start(1)] + b"".join(missing) + payload[tag.start(1) :]


def _only_root(payload: bytes, declarations: bytes) -> int | None:
    wrapper = b"<metadata" + declarations + b">"
    seen = _Top()
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda _name, _attributes: seen.enter(parser.CurrentByteIndex)
    parser.EndElementHandler = lambda _name: seen.leave()
    parser.CharacterDataHandler = seen.read
    try:
        parser.Parse(wrapper + payload + b"</metadata>", True)
    except expat.ExpatError:
        return None
    finally:
        parser.StartElementHandler = None  # breaks a reference cycle
    return seen.starts[0] - len(wrapper) if len(seen.starts) == 1 and not seen.has_text else None


class _Top:
    """Finds the top-level items of a payload, one level below the wrapper."""

    def __init__(self) -> None:
        self.depth = 0
        self.starts: list[int] = []
        self.has_text = False

    def enter(self, offset: int) -> None:
        if self.depth == 1:
            self.starts.append(offset)
        self.depth += 1

    def leave(self) -> None:
        self.depth -= 1

    def read(self, text: str) -> None:
        if self.depth == 1 and text.strip():
            self.has_text = True


def _escape(address: str) -> bytes:
    return address.translate(_ESCAPES).encode()


XSI = "http://www.w3.org/2001/XMLSchema-instance"
ROOT_SCOPE: Mapping[str, str] = {"": NAMESPACE, "xsi": XSI}  # declared on our root
ROOT_DECLARATIONS = render_declarations(ROOT_SCOPE)

Tags = tuple[bytes, bytes]

_PLAIN: Tags = (b"<metadata>", b"</metadata>")
_ROOT_NAME = re.compile(rb"<([^\s/>]+)")
_OWN_DEFAULT = re.compile(
    rb"""<[^\s/>]++(?:\s++(?!xmlns\s*+=)[^\s=/>]++\s*+=\s*+(?:"[^"]*+"|'[^']*+'))*+\s++xmlns\s*+="""
)
_UNPREFIXED = re.compile(rb"<[^\s:<>/!?]++[\s/>]")


def metadata_tags(payload: bytes, declarations: bytes) -> Tags:
    """Return the start tag and the end tag of `<metadata>` for this payload.

    Raise ValueError for invalid declarations.
    """
    if declarations == ROOT_DECLARATIONS:
        return _PLAIN
    tags, has_default = _tags(declarations)
    return tags if has_default or _is_indifferent(payload) else _undeclaring_tags(declarations)


def namespace_scope(declarations: bytes) -> dict[str, str]:
    scope: dict[str, str] = {}
    parser = expat.ParserCreate(namespace_separator=SEPARATOR)
    parser.StartNamespaceDeclHandler = lambda prefix, address: scope.update({prefix or "": address or ""})
    try:
        parser.Parse(b"<root" + declarations + b"/>", True)
    except expat.ExpatError as exc:
        raise ValueError(f"no namespace declarations: {exc}") from exc
    return scope


@lru_cache(maxsize=256)  # a source has one or two of them
def _tags(declarations: bytes) -> tuple[Tags, bool]:
    """Return the tags, and whether the declarations include a default namespace."""
    scope = namespace_scope(declarations)
    return _tags_for(scope), "" in scope


@lru_cache(maxsize=256)
def _undeclaring_tags(declarations: bytes) -> Tags:
    return _tags_for({"": ""} | namespace_scope(declarations))


def _tags_for(scope: Mapping[str, str]) -> Tags:
    missing = {prefix: address for prefix, address in scope.items() if ROOT_SCOPE.get(prefix) != address}
    if "" not in missing:
        return b"<metadata" + render_declarations(missing) + b">", b"</metadata>"
    prefix = _prefix_for_ours(scope)
    name = prefix.encode() + b":metadata"
    return b"<%b%b>" % (name, render_declarations({prefix: NAMESPACE} | missing)), b"</%b>" % name


def _prefix_for_ours(scope: Mapping[str, str]) -> str:
    for prefix, address in scope.items():
        if prefix and address == NAMESPACE:
            return prefix
    return next(name for number in count() if (name := f"oai{number or ''}") not in scope)


def _is_indifferent(payload: bytes) -> bool:
    """Return whether the meaning of this payload is independent of the default namespace around it.

    That is so if all its elements have prefixes, or if it is one element that declares a default namespace.
    """
    if _UNPREFIXED.search(payload) is None:
        return True
    root = _ROOT_NAME.match(payload)
    if root is None or _OWN_DEFAULT.match(payload) is None:
        return False
    return payload.endswith(b"</%b>" % root.group(1)) and payload.count(root.group()) == 1


# Texts as XML: markup characters are escaped, and characters that XML does not allow become U+FFFD.

_ILLEGAL = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_CONTENT_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_ATTRIBUTE_ESCAPES = _CONTENT_ESCAPES | str.maketrans({'"': "&quot;", "\t": "&#9;", "\n": "&#10;"})


def escape(text: str) -> bytes:
    """Return the text as content of an element, in UTF-8."""
    # Printable characters are allowed in XML: controls, surrogates and noncharacters are not printable.
    if text.isprintable() and "&" not in text and "<" not in text and ">" not in text:
        return text.encode()
    return _ILLEGAL.sub("\ufffd", text).translate(_CONTENT_ESCAPES).encode()


def escape_attribute(text: str) -> bytes:
    """Return the text as the contents of an attribute in double quotes, in UTF-8."""
    if text.isprintable() and "&" not in text and "<" not in text and ">" not in text and '"' not in text:
        return text.encode()
    return _ILLEGAL.sub("\ufffd", text).translate(_ATTRIBUTE_ESCAPES).encode()


def is_writable(text: str) -> bool:
    return text.isprintable() or _ILLEGAL.search(text) is None


def element(name: bytes, text: str) -> bytes:
    return b"<%b>%b</%b>" % (name, escape(text), name)


# Checked before a payload is sent, because an invalid character would make the whole page malformed.

_CONTROLS = bytes(number for number in range(32) if number not in b"\t\n\r")


def is_clean_xml(payload: bytes) -> bool:
    """Return whether the bytes are UTF-8 and XML allows every character; tags are not checked."""
    if any(map(payload.__contains__, _CONTROLS)):  # half the time of one search for all
        return False
    if payload.isascii():
        return True
    try:
        text = payload.decode()
    except UnicodeDecodeError:
        return False
    return "\ufffe" not in text and "\uffff" not in text  # most encoded texts contain no such bytes at all
