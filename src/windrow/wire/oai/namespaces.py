"""Namespace declarations: read off a start tag, written into one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

_DECLARATION = re.compile(rb"""\sxmlns(?::([^\s=]+))?\s*=\s*("[^"]*"|'[^']*')""")
_ROOT = re.compile(rb"<(?![?!/])[^\s/>]+")
_TAG = re.compile(rb"""<(?![?!/])(?:"[^"]*"|'[^']*'|[^>"'])*>""")


def declarations_in(attributes: bytes) -> bytes:
    """Give the declarations among a start tag's attributes, as they stand there, in one canonical form."""
    found = {prefix: value[1:-1] for prefix, value in _DECLARATION.findall(attributes)}
    return b"".join(_render(prefix, value) for prefix, value in found.items())


def render_declarations(scope: Mapping[str, str]) -> bytes:
    """Give the declarations of a scope (prefix, "" for the default one → address) as attributes."""
    return b"".join(_render(prefix.encode(), _escape(address)) for prefix, address in scope.items())


def standalone(payload: bytes, declarations: bytes) -> bytes:
    """Give a payload that parses by itself: what its envelope declared stands on its root element.

    Declarations that the root has itself win. A payload with several roots is wrapped in `<metadata>`.
    """
    roots = _tops(payload)
    if len(roots) != 1:
        return b"<metadata" + declarations + b">" + payload + b"</metadata>"
    tag = roots[0]
    own = {prefix for prefix, _ in _DECLARATION.findall(tag.group())}
    missing = b"".join(
        _render(prefix, value[1:-1])
        for prefix, value in _DECLARATION.findall(declarations)
        if prefix not in own
    )
    name = _ROOT.match(payload, tag.start())
    assert name is not None
    return payload[: name.end()] + missing + payload[name.end() :]


def _tops(payload: bytes) -> list[re.Match[bytes]]:
    """The start tags that stand at the top; two are enough to know there are several."""
    first = _TAG.search(payload)
    if first is None:
        return []
    name = _ROOT.match(first.group())
    assert name is not None
    close = b"</" + name.group()[1:]
    if first.group().endswith(b"/>"):
        return [first] if not payload[first.end() :].strip() else []
    end = payload.rfind(close)
    rest = payload[end + len(close) :].strip().removeprefix(b">")
    return [first] if end >= 0 and not rest.strip() and _is_single(payload, first, close) else []


def _is_single(payload: bytes, first: re.Match[bytes], close: bytes) -> bool:
    """Does the first root's end tag close the whole? Only a second root of the same name could hide."""
    if payload.count(close) == 1:
        return True
    depth = 0
    name = re.escape(close[2:])
    for tag in re.finditer(rb"<(/?)" + name + rb"(?=[\s/>])(?:\"[^\"]*\"|'[^']*'|[^>\"'])*>", payload):
        if tag.group(1):
            depth -= 1
            if depth == 0:
                return not payload[tag.end() :].strip()
        elif not tag.group().endswith(b"/>"):
            depth += 1
    return False


@lru_cache(maxsize=256)
def _render(prefix: bytes, value: bytes) -> bytes:
    name = b" xmlns:" + prefix if prefix else b" xmlns"
    return name + b'="' + value.replace(b'"', b"&quot;") + b'"'


def _escape(address: str) -> bytes:
    return address.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;").encode()
