"""Namespace declarations: read off a start tag, written into one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from xml.parsers import expat

from windrow.wire.oai.strict import SEPARATOR

_ATTRIBUTE = re.compile(rb"""\s([^\s=]+)\s*=\s*(?:"[^"]*"|'[^']*')""")
_START_TAG = re.compile(rb"""<[^\s/>]+((?:"[^"]*"|'[^']*'|[^>"'])*)>""")
_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)


@lru_cache(maxsize=64)  # pages of one list begin alike
def declarations_in(attributes: bytes) -> bytes:
    """Give the declarations among the attributes of a start tag that a parser has accepted, rendered anew."""
    scope: dict[str, str] = {}
    parser = expat.ParserCreate(namespace_separator=SEPARATOR)
    parser.StartNamespaceDeclHandler = lambda prefix, address: scope.update({prefix or "": address or ""})
    parser.Parse(b"<root " + attributes + b"/>", True)
    return render_declarations(scope)


def render_declarations(scope: Mapping[str, str]) -> bytes:
    """Give the declarations of a scope (prefix, "" for the default one → address) as attributes."""
    return b"".join(
        b' xmlns%s="%s"' % (b":" + prefix.encode() if prefix else b"", _escape(address))
        for prefix, address in scope.items()
    )


def standalone(payload: bytes, declarations: bytes) -> bytes:
    """Give a payload that parses by itself: what its envelope declared stands on its root element.

    Declarations that the root has itself win. A payload that is not exactly one element, white space,
    comments and processing instructions aside, is wrapped in `<metadata>`.
    """
    root = _only_root(payload, declarations)
    if root is None:
        return b"<metadata" + declarations + b">" + payload + b"</metadata>"
    tag = _START_TAG.match(payload, root)
    assert tag is not None  # the parser has just accepted a start tag here
    own = set(_ATTRIBUTE.findall(tag.group(1)))
    missing = [found.group() for found in _ATTRIBUTE.finditer(declarations) if found.group(1) not in own]
    return payload[: tag.start(1)] + b"".join(missing) + payload[tag.start(1) :]


def _only_root(payload: bytes, declarations: bytes) -> int | None:
    """Where the one element starts that a payload consists of; None where it is not so."""
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
        parser.StartElementHandler = None  # it holds the parser, which holds it
    return seen.starts[0] - len(wrapper) if len(seen.starts) == 1 and not seen.has_text else None


class _Top:
    """What stands at the top of a payload, one level below the wrapper."""

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
