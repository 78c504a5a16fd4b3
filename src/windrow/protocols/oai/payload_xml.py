"""The `<metadata>` around a payload, so that every name in it means what it meant where it was harvested.

`render` puts a record together with these tags. The payload stays as it is to the byte; what was declared
around it, and is not declared by our root in the same way, is declared on `<metadata>`. Harvested from us, it
has the same declarations around it, and besides them what our root declares and perhaps a prefix for OAI-PMH;
harvested from whoever harvested it from us, no more than that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import count
from xml.parsers import expat

from windrow.wire.oai.namespaces import render_declarations
from windrow.wire.oai.page import NAMESPACE
from windrow.wire.oai.strict import SEPARATOR

XSI = "http://www.w3.org/2001/XMLSchema-instance"
ROOT_SCOPE: Mapping[str, str] = {"": NAMESPACE, "xsi": XSI}  # what our root declares
ROOT_DECLARATIONS = render_declarations(ROOT_SCOPE)

Tags = tuple[bytes, bytes]

_PLAIN: Tags = (b"<metadata>", b"</metadata>")
_ROOT_NAME = re.compile(rb"<([^\s/>]+)")
_OWN_DEFAULT = re.compile(
    rb"""<[^\s/>]++(?:\s++(?!xmlns\s*+=)[^\s=/>]++\s*+=\s*+(?:"[^"]*+"|'[^']*+'))*+\s++xmlns\s*+="""
)
_UNPREFIXED = re.compile(rb"<[^\s:<>/!?]++[\s/>]")


def tags_around(payload: bytes, declarations: bytes) -> Tags:
    """Give the start tag and the end tag of `<metadata>` for this payload.

    ValueError when the declarations are none.
    """
    if declarations == ROOT_DECLARATIONS:
        return _PLAIN
    tags, has_default = _tags(declarations)
    return tags if has_default or _is_indifferent(payload) else _undeclaring_tags(declarations)


def scope_of(declarations: bytes) -> dict[str, str]:
    """Give the declarations as a mapping (prefix, "" for the default one → address)."""
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
    """The tags, and whether the declarations say what the default namespace is."""
    scope = scope_of(declarations)
    return _tags_for(scope), "" in scope


@lru_cache(maxsize=256)
def _undeclaring_tags(declarations: bytes) -> Tags:
    return _tags_for({"": ""} | scope_of(declarations))


def _tags_for(scope: Mapping[str, str]) -> Tags:
    missing = {prefix: address for prefix, address in scope.items() if ROOT_SCOPE.get(prefix) != address}
    if "" not in missing:
        return b"<metadata" + render_declarations(missing) + b">", b"</metadata>"
    prefix = _prefix_for_ours(scope)
    name = prefix.encode() + b":metadata"
    return b"<%b%b>" % (name, render_declarations({prefix: NAMESPACE} | missing)), b"</%b>" % name


def _prefix_for_ours(scope: Mapping[str, str]) -> str:
    """A prefix that means OAI-PMH already, else one that means nothing yet."""
    for prefix, address in scope.items():
        if prefix and address == NAMESPACE:
            return prefix
    return next(name for number in count() if (name := f"oai{number or ''}") not in scope)


def _is_indifferent(payload: bytes) -> bool:
    """Is this payload the same whatever the default namespace around it is?

    It is when all its elements have prefixes, or when it is one element that has a default namespace itself.
    """
    if _UNPREFIXED.search(payload) is None:
        return True
    root = _ROOT_NAME.match(payload)
    if root is None or _OWN_DEFAULT.match(payload) is None:
        return False
    return payload.endswith(b"</%b>" % root.group(1)) and payload.count(root.group()) == 1
