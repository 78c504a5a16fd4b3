"""Rendering of charts: Vega-Lite to SVG and PNG, locally and without a network, with a cache.

A specification contains its data, so the same one always yields the same drawing and cached drawings never
expire.
"""

from __future__ import annotations

import json
import logging
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from threading import Lock

from lxml import etree

from windrow.errors import CannotDraw
from windrow.side_process import SideProcess
from windrow.stats.charts.chart import make_practice_charts
from windrow.stats.charts.frame import Spec, to_print_colours
from windrow.stats.table import ENGLISH, Numbers

# Links of marks, removed before drawing and restored by `clean_svg`. Vega resolves each address separately,
# which takes a fifth of the drawing time, and changes them.

# By the description of a mark; marks with the same description use the addresses in this order.
MarkAddresses = Mapping[str, Sequence[str]]


def mark_addresses(spec: Spec) -> MarkAddresses:
    ways: dict[str, list[str]] = {}
    for point in _values(spec):
        if "h" in point:
            ways.setdefault(str(point["l"]), []).append(str(point["h"]))
    return ways


def remove_links(spec: Spec) -> Spec:
    values = [{key: value for key, value in point.items() if key != "h"} for point in _values(spec)]
    return _without_channel(spec) | ({"data": {"values": values}} if values else {})


def _without_channel(part: Spec) -> Spec:
    """Return a chart, or a layer of one, without the encoding of addresses."""
    made = dict(part)
    if isinstance(part.get("encoding"), Mapping):
        made["encoding"] = {name: channel for name, channel in part["encoding"].items() if name != "href"}
    if "layer" in part:
        made["layer"] = [_without_channel(each) for each in part["layer"]]
    return made


def _values(spec: Spec) -> Sequence[Spec]:
    values: Sequence[Spec] = spec.get("data", {}).get("values", ())
    return values


# Cleaning of drawn SVG for use in a page: no scripts, no external resources, only our own addresses, unique
# ids. The page's Content-Security-Policy forbids style attributes, so these are removed; colours have
# attributes of their own.

_SVG = "http://www.w3.org/2000/svg"
_NOWHERE: MarkAddresses = {}
# The elements that Vega draws with; all others are removed with their content.
_KEPT = frozenset(
    ("svg", "g", "path", "rect", "line", "text", "tspan", "circle", "title", "desc", "clipPath", "defs")
)

_ROLE = "aria-roledescription"  # English words of Vega's own: "rect mark container"
_UNWANTED = ("style", _ROLE)
_ROLES = re.compile(rf'(<[^<>]*) {_ROLE}="[^"]*"'.encode())


def without_roles(drawn: bytes) -> bytes:
    """Return a drawing without Vega's role descriptions, which are in English for every language."""
    return _ROLES.sub(rb"\1", drawn)


def clean_svg(drawn: bytes, *, name: str, description: str, ways: MarkAddresses = _NOWHERE) -> str:
    """Return the SVG of a chart for use in a page; its ids begin with `name`, which must be unique there."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    root = etree.fromstring(drawn, parser)
    for element in list(root.iter()):
        _clean(element, name)
    has_links = _link_marks(root, ways)
    _describe(root, name, description, has_links=has_links)
    etree.cleanup_namespaces(root, keep_ns_prefixes=None)
    return etree.tostring(root, encoding="unicode")


def _clean(element: etree._Element, name: str) -> None:
    if not isinstance(element.tag, str) or etree.QName(element).localname not in _KEPT:
        parent = element.getparent()
        if parent is not None:
            parent.remove(element)
        return
    for key in map(str, list(element.attrib)):
        value = element.get(key, "")
        if key in _UNWANTED or key.lower().startswith("on"):
            del element.attrib[key]
        elif key == "id":
            element.set("id", f"{name}-{value}")
        elif "url(#" in value:
            element.set(key, value.replace("url(#", f"url(#{name}-"))


def _link_marks(root: etree._Element, ways: MarkAddresses) -> bool:
    """Wrap the marks that have an address in links to our own pages; return whether there are any."""
    waiting = {label: list(addresses) for label, addresses in ways.items()}
    has_links = False
    for mark in [each for each in root.iter() if each.get("aria-label") in waiting]:
        addresses = waiting[mark.get("aria-label", "")]
        address = addresses.pop(0) if addresses else ""
        if address.startswith("/") and not address.startswith(("//", "/\\")):
            _link(mark, address)
            has_links = True
    return has_links


def _describe(root: etree._Element, name: str, description: str, *, has_links: bool) -> None:
    # A screen reader treats the role "img" as one object and would lose the links inside.
    root.set("role", "group" if has_links else "img")
    root.set("aria-labelledby", f"{name}-title")
    root.set("focusable", "false")
    for key in ("version", "aria-label"):
        _take(root, key)
    title = etree.Element(f"{{{_SVG}}}title", {"id": f"{name}-title"})
    title.text = description
    root.insert(0, title)


def _link(mark: etree._Element, address: str) -> None:
    """Make a mark a link with an accessible name and a tooltip.

    Keyboard focus skips it, since the table below the chart has the same links.
    """
    label = _take(mark, "aria-label")
    _take(mark, "role")
    etree.SubElement(mark, f"{{{_SVG}}}title").text = label
    named = {"href": address, "tabindex": "-1", "rel": "nofollow", "aria-label": label}
    link = etree.Element(f"{{{_SVG}}}a", named)
    parent = mark.getparent()
    if parent is not None:
        parent.replace(mark, link)
        link.append(mark)


def _take(element: etree._Element, key: str) -> str:
    """Remove an attribute and return its value."""
    value = element.get(key, "")
    if key in element.attrib:
        del element.attrib[key]
    return value


# The JavaScript engine that draws charts, in a process of its own.

JOB_SECONDS = 30.0  # a chart takes a twentieth of a second; a job that takes this long never ends
IDLE_SECONDS = 600.0  # drawings are cached, so most libraries seldom need the engine's 100 MB
_CHILD = "windrow.stats.engine_child"
logger = logging.getLogger("windrow.stats")


class Engine(SideProcess):
    """Draws one chart at a time."""

    def __init__(self, *, seconds: float = JOB_SECONDS, idle_seconds: float = IDLE_SECONDS) -> None:
        super().__init__(_CHILD, seconds=seconds, idle_seconds=idle_seconds)

    def ask(self, **job: object) -> bytes:
        """Return the result of a job; raises CannotDraw."""
        word, body = self.exchange(json.dumps(job).encode() + b"\n")
        if word == b"ok":
            return body
        if self.is_closed:
            raise CannotDraw("charts are not drawn any more")
        logger.warning("a chart could not be drawn: %s", body.decode("utf-8", "replace"))
        raise CannotDraw("a chart could not be drawn")


MAX_CACHED_DRAWINGS = 200  # some 20 KB each
PNG_SCALE = 2.0


class Drawer:
    """Draws charts and caches the drawings. Thread-safe."""

    def __init__(self, engine: Engine | None = None, *, most: int = MAX_CACHED_DRAWINGS) -> None:
        self.engine = engine or Engine()
        self._most = most
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._turn = Lock()

    def svg(self, spec: Spec, *, numbers: Numbers = ENGLISH.numbers, name: str = "chart") -> str:
        """Return a chart as SVG for a page, with ids that begin with `name`; raises CannotDraw."""

        def make() -> bytes:
            drawn = self.engine.ask(do="svg", spec=remove_links(spec), numbers=numbers)
            description = str(spec.get("description", ""))
            return clean_svg(drawn, name=name, description=description, ways=mark_addresses(spec)).encode()

        return self._known(make, spec, numbers, name).decode()

    def file(self, spec: Spec, *, numbers: Numbers = ENGLISH.numbers) -> bytes:
        """Return a chart as an SVG file, in the light colour scheme on white."""
        paper = {**to_print_colours(spec), "background": "#ffffff"}

        def make() -> bytes:
            return without_roles(self.engine.ask(do="svg", spec=paper, numbers=numbers))

        return self._known(make, paper, numbers)

    def png(self, spec: Spec, *, numbers: Numbers = ENGLISH.numbers) -> bytes:
        """Return a chart as a PNG file at double size."""
        drawn = self.file(spec, numbers=numbers)
        return self.engine.ask(do="png", svg=drawn.decode(), scale=PNG_SCALE)

    def warm(self) -> None:
        """Start the engine and draw the practice charts before a visitor needs one; raises CannotDraw."""
        for place, spec in enumerate(make_practice_charts()):
            if place and self.engine.is_closed:  # shut down in the meantime
                return
            self.engine.ask(do="svg", spec=remove_links(spec), numbers=ENGLISH.numbers)

    def _known(self, make: Callable[[], bytes], *what: object) -> bytes:
        key = sha256(json.dumps(what, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()
        with self._turn:
            found = self._kept.get(key)
        made = make() if found is None else found
        with self._turn:
            self._kept[key] = made
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return made


# The script for interactive charts: Vega in one file, built by vl-convert on first use.

# a module: in a plain script its short global names could collide with others
_SNIPPET = "export { vegaEmbed };"


@cache
def bundle_name() -> str:
    """Return a name that changes with the content; empty if the script cannot be built."""
    try:
        made_of = f"{version('vl-convert-python')} {_SNIPPET}"
    except PackageNotFoundError:
        return ""
    return f"vega.{sha256(made_of.encode()).hexdigest()[:12]}.js"


class ScriptBundle:
    """The script, some 900 KB; building it takes more than a second, once."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._made = b""
        self._turn = Lock()

    def get(self) -> bytes:
        """Return the script; raises CannotDraw if it cannot be built."""
        with self._turn:
            if not self._made:
                self._made = self._engine.ask(do="bundle", snippet=_SNIPPET)
            return self._made
