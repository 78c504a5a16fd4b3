"""A drawn SVG made fit for a page: nothing that runs or loads, addresses of ours only, names of its own.

The page's Content-Security-Policy forbids styles in attributes, so those go; colours are in attributes
of their own. vl-convert puts a foreign address before relative ones, which is taken off again.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

_SVG = "http://www.w3.org/2000/svg"
_HREF = "{http://www.w3.org/1999/xlink}href"
_FOREIGN = "https://vega.github.io/vega-datasets/"  # what vl-convert 1.9 puts before a relative address
# What Vega draws with; of anything else not even the content stays.
_KEPT = frozenset(
    ("svg", "g", "path", "rect", "line", "text", "tspan", "circle", "a", "title", "desc", "clipPath", "defs")
)


def clean_svg(drawn: bytes, *, name: str, description: str) -> str:
    """Give the markup of a chart for inside a page; its ids begin with `name`, which no other chart has."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    root = etree.fromstring(drawn, parser)
    for element in list(root.iter()):
        _clean(element, name)
    links = list(_links(root))
    _describe(root, name, description, has_links=bool(links))
    for link in links:
        _name_link(link)
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
        if key == "style" or key.lower().startswith("on"):
            del element.attrib[key]
        elif key == "id":
            element.set("id", f"{name}-{value}")
        elif "url(#" in value:
            element.set(key, value.replace("url(#", f"url(#{name}-"))


def _links(root: etree._Element) -> Iterator[etree._Element]:
    """Give the links that lead to our own pages; what is around others loses the link."""
    for link in list(root.iter(f"{{{_SVG}}}a")):
        address = (link.get(_HREF) or link.get("href") or "").removeprefix(_FOREIGN)
        link.attrib.clear()
        if address.startswith("/") and not address.startswith(("//", "/\\")):
            link.set("href", address)
            yield link
        else:
            link.tag = f"{{{_SVG}}}g"


def _describe(root: etree._Element, name: str, description: str, *, has_links: bool) -> None:
    # What has the role of a picture is one thing to a screen reader, and links inside it would be lost.
    root.set("role", "group" if has_links else "img")
    root.set("aria-labelledby", f"{name}-title")
    root.set("focusable", "false")
    for key in ("version", "aria-roledescription", "aria-label"):
        _take(root, key)
    title = etree.Element(f"{{{_SVG}}}title", {"id": f"{name}-title"})
    title.text = description
    root.insert(0, title)


def _name_link(link: etree._Element) -> None:
    """Let a link say what its mark says: to a screen reader, and to a pointer that rests on it.

    The same links stand in the table below the chart; a keyboard is not led through all of them twice.
    """
    link.set("tabindex", "-1")
    link.set("rel", "nofollow")
    for mark in link:
        label = _take(mark, "aria-label")
        if not label:
            continue
        _take(mark, "role")
        _take(mark, "aria-roledescription")
        link.set("aria-label", label)
        title = etree.SubElement(mark, f"{{{_SVG}}}title")
        title.text = label


def _take(element: etree._Element, key: str) -> str:
    """Take an attribute off, and give what it said."""
    value = element.get(key, "")
    if key in element.attrib:
        del element.attrib[key]
    return value
