"""A drawn SVG made fit for a page: nothing that runs or loads, addresses of ours only, names of its own.

The page's Content-Security-Policy forbids styles in attributes, so those go; colours are in attributes
of their own. Marks get their links here (see `linking`).
"""

from __future__ import annotations

import re

from lxml import etree

from windrow.stats.linking import Ways

_SVG = "http://www.w3.org/2000/svg"
_NOWHERE: Ways = {}
# What Vega draws with; of anything else not even the content stays.
_KEPT = frozenset(
    ("svg", "g", "path", "rect", "line", "text", "tspan", "circle", "title", "desc", "clipPath", "defs")
)

_ROLE = "aria-roledescription"  # English words of Vega's own: "rect mark container"
_UNWANTED = ("style", _ROLE)
_ROLES = re.compile(rf'(<[^<>]*) {_ROLE}="[^"]*"'.encode())


def without_roles(drawn: bytes) -> bytes:
    """Give a drawing without the words that Vega has for its parts, which are English in every language."""
    return _ROLES.sub(rb"\1", drawn)


def clean_svg(drawn: bytes, *, name: str, description: str, ways: Ways = _NOWHERE) -> str:
    """Give the markup of a chart for inside a page; its ids begin with `name`, which no other chart has."""
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


def _link_marks(root: etree._Element, ways: Ways) -> bool:
    """Put links around the marks that lead to our own pages; give whether there are any."""
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
    # What has the role of a picture is one thing to a screen reader, and links inside it would be lost.
    root.set("role", "group" if has_links else "img")
    root.set("aria-labelledby", f"{name}-title")
    root.set("focusable", "false")
    for key in ("version", "aria-label"):
        _take(root, key)
    title = etree.Element(f"{{{_SVG}}}title", {"id": f"{name}-title"})
    title.text = description
    root.insert(0, title)


def _link(mark: etree._Element, address: str) -> None:
    """Let a mark lead somewhere, and say so: to a screen reader, and to a pointer that rests on it.

    The same links stand in the table below the chart; a keyboard is not led through all of them twice.
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
    """Take an attribute off, and give what it said."""
    value = element.get(key, "")
    if key in element.attrib:
        del element.attrib[key]
    return value
