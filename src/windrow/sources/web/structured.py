"""Structured data in a page: JSON-LD, microdata and, on request, RDFa, as dicts in the form of JSON-LD.

Only items of known schema.org types are returned, without the context: `{"@type": "Course", "name": …}`.
Types and properties lose their vocabulary's address, objects with only `@value` become that value, and
references within a page (`{"@id": …}`) are replaced by their targets. Everything is bounded: pages nest items
a thousand levels deep, refer to themselves and repeat a property endlessly.

Microdata is parsed here because extruct copies the subtree of every property (quadratic in nested ones) and
its package imports rdflib; RDFa, which needs rdflib anyway, is parsed by extruct.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, cast

from lxml import etree

from windrow.errors import UsageError, install_hint
from windrow.model.text.safe_text import strip_invisible
from windrow.model.web_page import Item, Remark
from windrow.sources.web.urls import join

MOST_ITEMS = 200
MOST_NODES = 20_000  # values of all items together
MOST_PROPERTIES = 5_000  # elements with microdata
DEEPEST = 12  # levels of nested items
SCRIPT_CHARACTERS = 1_000_000
VALUE_CHARACTERS = 20_000
TEXT_CHARACTERS = 500_000  # of all microdata properties with text values
MOST_STEPS = 20_000  # elements visited for one text
FARTHEST_SCOPE = 100  # levels of elements between a property and its item
JSON_LD = "application/ld+json"

_VOCABULARY = re.compile(r"(?:https?://(?:www\.)?schema\.org/|schema:|sdo:)(?:#)?", re.IGNORECASE)
_WRAPPING = re.compile(r"^\s*(?:<!--|//\s*<!\[CDATA\[|<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/)")
_WRAPPING_ENDS = ("-->", "/*]]>*/", "]]>", "//")
_ENDS = "; \t\r\n"
_DANGLING_COMMA = re.compile(r",(?=\s{0,1000}[}\]])")
_COMMENT_LINE = re.compile(r"^[ \t]{0,200}//.*$", re.MULTILINE)
_BLANK_START = "_:"
_BLANK = re.compile(r'"_:[^"]{0,200}"')
_SOURCES = frozenset(("audio", "embed", "iframe", "img", "source", "track", "video"))
_ADDRESSES = frozenset(("a", "area", "link"))
_VALUED = frozenset(("data", "meter"))
_UNSEEN = frozenset(("script", "style", "template"))
_find_marked = etree.XPath("//*[@itemscope or @itemprop]")
_find_id = etree.XPath("//*[@id=$name][1]")


@dataclass(slots=True)
class Found:
    """The items of a page, and what was left out."""

    items: list[Item] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)


def read_items(
    root: etree._Element,
    *,
    base: str,
    types: Collection[str],
    scripts: Iterable[str] = (),
    has_microdata: bool = True,
    rdfa_markup: str = "",
) -> Found:
    """Return the items of some types in a page.

    `scripts` are the contents of its JSON-LD scripts; `rdfa_markup` is the page's source if RDFa is to be
    read.
    """
    found = Found()
    nodes: list[Any] = []
    for script in scripts:
        value = _loaded(script, found)
        nodes += value if isinstance(value, list) else [value]
    if has_microdata:
        nodes += _microdata(root, base, found)
    if rdfa_markup:
        nodes += _rdfa(rdfa_markup, base, found)
    if nodes:
        _Collector(frozenset(types), found).collect(nodes)
    return found


# JSON-LD


def _loaded(script: str, found: Found) -> Any:
    """Return the value of a JSON-LD script, with common mistakes repaired; [] if it cannot be parsed."""
    if len(script) > SCRIPT_CHARACTERS:
        found.remarks.append(
            Remark("json-ld", f"A JSON-LD script of {len(script):,} characters was left out.")
        )
        return []
    for repaired in _repairs(script):
        try:
            return json.loads(repaired, strict=False, parse_int=_number)
        except ValueError:
            continue
        except RecursionError:
            break
    if script.strip():
        found.remarks.append(Remark("json-ld", "A JSON-LD script is no JSON and was left out."))
    return []


def _number(digits: str) -> int | str:
    return int(digits) if len(digits) < 20 else digits


def _repairs(script: str) -> Iterator[str]:
    yield script
    bare = _WRAPPING.sub("", script).rstrip(_ENDS)
    for end in _WRAPPING_ENDS:
        bare = bare.removesuffix(end).rstrip(_ENDS)
    yield bare
    yield _DANGLING_COMMA.sub("", _COMMENT_LINE.sub("", bare))
    if "&quot;" in bare:
        yield html.unescape(bare)


# Collecting, for all three


class _Collector:
    """Selects the outermost items of known types from the nodes of a page."""

    def __init__(self, types: frozenset[str], found: Found) -> None:
        self.types = types
        self.found = found
        self.by_id: dict[str, dict[str, Any]] = {}
        self.embedded: set[str] = set()
        self.nodes_left = MOST_NODES

    def collect(self, nodes: list[Any]) -> None:
        """Add the items to `found`, each once."""
        for node in _nodes(nodes):
            name = node.get("@id")
            if isinstance(name, str) and len(node) > 1:
                self.by_id.setdefault(name, node)
        tops = [node for node in _nodes(nodes, stop=self._is_known) if self._is_known(node)]
        kept: list[Item] = []
        for node in tops:
            name = node.get("@id")
            if isinstance(name, str) and name in self.embedded:
                continue
            if len(kept) == MOST_ITEMS or self.nodes_left <= 0:
                self.found.remarks.append(
                    Remark("items", f"Only {len(kept):,} of {len(tops):,} structured items were kept.")
                )
                break
            item = self._copy(node, (), 0)
            if len(item) > 1 and item not in kept[-5:]:
                kept.append(item)
        self.found.items += [
            item for item in kept if not (isinstance(item.get("@id"), str) and item["@id"] in self.embedded)
        ] or kept[:1]

    def _is_known(self, node: dict[str, Any]) -> bool:
        return any(kind in self.types for kind in types_of(node))

    def _copy(self, node: dict[str, Any], path: tuple[str, ...], depth: int) -> Item:
        """Return a node in plain form, with references replaced by their targets."""
        name = node.get("@id")
        inner = (*path, name) if isinstance(name, str) else path
        copied: Item = {}
        kinds = types_of(node)
        if kinds:
            copied["@type"] = kinds[0] if len(kinds) == 1 else kinds
        for key, value in node.items():
            if key in ("@type", "@context", "@reverse") or not isinstance(key, str):
                continue
            if key == "@id" and isinstance(value, str) and value.startswith(_BLANK_START):
                continue  # a blank node name, meaningless elsewhere and random in pyrdfa
            plain = self._value(value, inner, depth)
            if plain not in (None, "", [], {}):
                copied[strip_invisible(_bare(key)[:200])] = plain
        return copied

    def _value(self, value: Any, path: tuple[str, ...], depth: int) -> Any:
        self.nodes_left -= 1
        if self.nodes_left < 0 or depth > DEEPEST:
            return None
        if isinstance(value, str):
            return strip_invisible(value[:VALUE_CHARACTERS])
        if isinstance(value, list):
            values = [plain for each in value if (plain := self._value(each, path, depth + 1)) is not None]
            return values[0] if len(values) == 1 else values
        if isinstance(value, dict):
            return self._thing(value, path, depth)
        return (
            value if not isinstance(value, float) or value - value == 0 else None
        )  # neither NaN nor infinite

    def _thing(self, value: dict[str, Any], path: tuple[str, ...], depth: int) -> Any:
        if "@value" in value and "@language" not in value:
            return self._value(value["@value"], path, depth)
        if "@list" in value or "@set" in value:
            return self._value(value.get("@list", value.get("@set")), path, depth)
        name = value.get("@id")
        if isinstance(name, str) and len(value) == 1:
            node = self.by_id.get(name)
            if node is None or name in path:
                return strip_invisible(name[:VALUE_CHARACTERS])
            self.embedded.add(name)
            return self._copy(node, path, depth + 1)
        return self._copy(value, path, depth + 1)


def _nodes(nodes: list[Any], stop: Any = None) -> Iterator[dict[str, Any]]:
    """Yield all dicts inside, outermost first; none inside those that `stop` accepts."""
    waiting, count = list(reversed(nodes)), 0
    while waiting and count < MOST_NODES:
        node = waiting.pop()
        count += 1
        if isinstance(node, dict):
            yield node
            if stop is None or not stop(node):
                waiting.extend(reversed([each for each in node.values() if isinstance(each, dict | list)]))
        elif isinstance(node, list):
            waiting.extend(reversed(node))


def types_of(node: dict[str, Any]) -> list[str]:
    said = node.get("@type")
    values = said if isinstance(said, list) else [said]
    return [strip_invisible(_bare(value)[:100]) for value in values[:20] if isinstance(value, str) and value]


def _bare(name: str) -> str:
    return _VOCABULARY.sub("", name, count=1) if ":" in name[:20] else name


# Microdata


def _microdata(root: etree._Element, base: str, found: Found) -> list[dict[str, Any]]:
    """Return the outermost microdata items of a page, with nested ones as values of their properties."""
    marked = cast("list[etree._Element]", _find_marked(root))
    if len(marked) > MOST_PROPERTIES:
        found.remarks.append(
            Remark(
                "microdata", f"Only {MOST_PROPERTIES:,} of {len(marked):,} elements of microdata were read."
            )
        )
        del marked[MOST_PROPERTIES:]
    things = {element: _thing_of(element) for element in marked if element.get("itemscope") is not None}
    referred = dict(_referred(root, things))
    tops: list[dict[str, Any]] = []
    characters = TEXT_CHARACTERS
    for element in marked:
        scope = _scope_of(element, referred)
        names = (element.get("itemprop") or "").split()[:20]
        thing = things.get(element)
        if scope is None or scope not in things or not names:
            if thing is not None:
                tops.append(thing)
            continue
        value: Any = thing
        if thing is None:
            value = _property(element, base, min(VALUE_CHARACTERS, characters))
            characters -= len(value)
        for name in names:
            things[scope].setdefault(name, []).append(value)
    return tops


def _thing_of(element: etree._Element) -> dict[str, Any]:
    thing: dict[str, Any] = {}
    types = (element.get("itemtype") or "").split()
    if types:
        thing["@type"] = types
    name = (element.get("itemid") or "").strip()
    return thing | {"@id": name} if name else thing


def _referred(
    root: etree._Element, things: Iterable[etree._Element]
) -> Iterator[tuple[etree._Element, etree._Element]]:
    """Yield elements elsewhere in the page whose properties belong to an item by `itemref`."""
    left = 200
    for element in things:
        for name in (element.get("itemref") or "").split()[:20]:
            left -= 1
            if left < 0:
                return
            there = _find_id(root, name=name)
            if isinstance(there, list) and there and isinstance(there[0], etree._Element):
                yield there[0], element


def _scope_of(
    element: etree._Element, referred: dict[etree._Element, etree._Element]
) -> etree._Element | None:
    if element in referred and referred[element] is not element:
        return referred[element]
    for steps, outer in enumerate(element.iterancestors()):
        if steps == FARTHEST_SCOPE:
            return None
        if outer.get("itemscope") is not None:
            return outer
        if outer in referred:
            scope = referred[outer]
            return None if scope is element else scope
    return None


def _property(element: etree._Element, base: str, characters: int) -> str:
    """Return the text value of a property by the rules of HTML and, for `content`, of schema.org."""
    tag = element.tag
    if tag == "meta":
        value = element.get("content", "")
    elif tag in _SOURCES:
        value = _joined(base, element.get("src", ""))
    elif tag in _ADDRESSES:
        value = _joined(base, element.get("href", ""))
    elif tag == "object":
        value = _joined(base, element.get("data", ""))
    elif tag in _VALUED and element.get("value"):
        value = element.get("value", "")
    elif tag == "time" and element.get("datetime"):
        value = element.get("datetime", "")
    elif element.get("content"):
        value = element.get("content", "")
    else:
        value = text_inside(element, characters)
    return value[: max(0, characters)].strip()


def _joined(base: str, address: str) -> str:
    address = address.strip()
    try:
        return join(base, address) if address and len(address) < 4000 else ""
    except ValueError:
        return ""


def text_inside(element: etree._Element, characters: int) -> str:
    """Return the text inside an element on one line without scripts, up to a number of characters."""
    pieces, left = [], characters
    for piece in _texts(element):
        pieces.append(piece[:left])
        left -= len(piece)
        if left <= 0:
            break
    return " ".join("".join(pieces).split())


def _texts(element: etree._Element) -> Iterator[str]:
    unseen: etree._Element | None = None
    for event, inner in islice(etree.iterwalk(element, events=("start", "end")), MOST_STEPS):
        if event == "start":
            if unseen is None and inner.tag in _UNSEEN:
                unseen = inner
            elif unseen is None and inner.text:
                yield inner.text
        else:
            if unseen is inner:
                unseen = None
            if unseen is None and inner is not element:
                yield (inner.tail or "") + (" " if inner.tag in _APART else "")


_APART_NAMES = "br dd div dt h1 h2 h3 h4 h5 h6 li p section td th tr"
_APART = frozenset(_APART_NAMES.split())


# RDFa


def _rdfa(markup: str, base: str, found: Found) -> list[Any]:
    """Return the RDFa nodes of a page, from extruct (some 4 ms a page)."""
    try:
        from extruct.rdfa import RDFaExtractor  # noqa: PLC0415 - optional, and slow to import
    except ImportError as exc:
        raise UsageError("Reading RDFa needs the robot's libraries.", hint=install_hint("robot")) from exc
    try:
        nodes = RDFaExtractor().extract(markup, base_url=base)
    except Exception as exc:  # noqa: BLE001 - pyrdfa raises arbitrary exceptions on malformed pages
        found.remarks.append(Remark("rdfa", f"The RDFa of the page could not be read: {type(exc).__name__}."))
        return []
    return _sorted(nodes) if isinstance(nodes, list) else []


def _sorted(nodes: list[Any]) -> list[Any]:
    """Sort nodes and their values: a graph has no order, and blank node names are random."""
    for node in nodes:
        for value in node.values() if isinstance(node, dict) else ():
            if isinstance(value, list):
                value.sort(key=_without_names)
    return sorted(nodes, key=_without_names)


def _without_names(value: Any) -> str:
    return _BLANK.sub('"_:"', json.dumps(value, sort_keys=True))
