"""RDF/XML as nodes with properties: what the rdf and edm readers map.

A tolerant reading of the striped syntax, without inference: typed nodes, rdf:Description, nested
and referenced nodes, rdf:resource, property attributes, containers. Nodes with the same rdf:about
are one node. The walk keeps its own stack, so deep nesting costs no recursion.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urljoin

from lxml import etree

from windrow.formats.elements import language_of, local, text_of
from windrow.formats.leftovers import own_text

RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_XML = "{http://www.w3.org/XML/1998/namespace}"
_ABOUT, _ID, _NODE_ID = f"{RDF}about", f"{RDF}ID", f"{RDF}nodeID"
_RESOURCE, _PARSE_TYPE = f"{RDF}resource", f"{RDF}parseType"
_CONTAINERS = frozenset({f"{RDF}Bag", f"{RDF}Seq", f"{RDF}Alt"})
_LONGEST_NAME = 64
_LONGEST_BASE = 1000  # it is put before every relative address

# The names people know these vocabularies by, whatever prefix a record binds to them.
PREFIXES = {
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
    "http://www.europeana.eu/schemas/edm/": "edm",
    "http://www.openarchives.org/ore/terms/": "ore",
    "http://www.w3.org/2004/02/skos/core#": "skos",
    "http://xmlns.com/foaf/0.1/": "foaf",
    "http://schema.org/": "schema",
    "https://schema.org/": "schema",
    "http://purl.org/ontology/bibo/": "bibo",
    "http://www.w3.org/2000/01/rdf-schema#": "rdfs",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
    "http://www.w3.org/2002/07/owl#": "owl",
    "http://prismstandard.org/namespaces/basic/2.0/": "prism",
    "http://rdvocab.info/ElementsGr2/": "rdaGr2",
    "http://www.w3.org/2003/01/geo/wgs84_pos#": "wgs84_pos",
    "http://www.ebu.ch/metadata/ontologies/ebucore/ebucore#": "ebucore",
    "http://www.w3.org/ns/dcat#": "dcat",
    "http://purl.org/spar/fabio/": "fabio",
    "http://purl.org/vocab/frbr/core#": "frbr",
    "http://swrc.ontoware.org/ontology#": "swrc",
}


@dataclass(slots=True)
class Value:
    """The object of a property: words, or the name of another node."""

    text: str = ""
    language: str | None = None
    target: str | None = None
    is_used: bool = False


@dataclass(slots=True)
class Node:
    """A thing that the record says something about."""

    identifier: str
    types: dict[str, None] = field(default_factory=dict)  # "edm:ProvidedCHO", in order
    properties: dict[str, list[Value]] = field(default_factory=dict)  # by "dcterms:title"

    def first(self, name: str) -> Value | None:
        """Give the first value of a property, and count it as used."""
        found = self.properties.get(name)
        if not found:
            return None
        found[0].is_used = True
        return found[0]

    def all(self, name: str) -> list[Value]:
        """Give the values of a property, and count them as used."""
        found = self.properties.get(name, [])
        for value in found:
            value.is_used = True
        return found

    def add(self, name: str, value: Value) -> None:
        """Add a value to a property."""
        self.properties.setdefault(name, []).append(value)


class Graph:
    """The nodes of one record, in its order; `tops` are those that stand on the outermost level."""

    def __init__(self, root: etree._Element) -> None:
        self.nodes: dict[str, Node] = {}
        self.tops: list[Node] = []
        self.stray: list[tuple[str, str]] = []  # text where RDF/XML has no place for it
        self._anonymous = 0
        base = root.get(f"{_XML}base") or ""
        self._base = base if len(base) <= _LONGEST_BASE else ""
        self._read(root)

    def get(self, identifier: str | None) -> Node | None:
        """Give the node of this name."""
        return self.nodes.get(identifier) if identifier is not None else None

    def typed(self, *types: str) -> Iterator[Node]:
        """Give the nodes of one of these types."""
        return (node for node in self.nodes.values() if any(kind in node.types for kind in types))

    def _read(self, root: etree._Element) -> None:
        self._keep_stray(root)
        pending: list[tuple[etree._Element, Node | None]] = []
        if root.tag == f"{RDF}RDF" or local(root) == "RDF":
            pending = [(child, None) for child in root if local(child)]
        else:
            pending = [(root, None)]
        self.tops = [self._node_of(element) for element, _ in pending]
        pending = [(element, node) for (element, _), node in zip(pending, self.tops, strict=True)]
        pending.reverse()
        while pending:
            element, node = pending.pop()
            pending.extend(reversed(self._read_node(element, node or self._node_of(element))))

    def _read_node(self, element: etree._Element, node: Node) -> list[tuple[etree._Element, Node | None]]:
        """Read one node's properties; give the nodes that stand inside them, still to be read."""
        if element.tag != f"{RDF}Description":
            node.types[short_name(element)] = None
        self._keep_stray(element)
        for name, text in element.attrib.items():
            if not str(name).startswith((RDF, _XML)) and str(name).startswith("{"):
                node.add(_short(str(name), None), Value(str(text)))
        inner: list[tuple[etree._Element, Node | None]] = []
        for child in element:
            if local(child):
                inner += self._read_property(child, node)
        return inner

    def _read_property(self, element: etree._Element, node: Node) -> list[tuple[etree._Element, Node | None]]:
        name = short_name(element)
        reference = element.get(_RESOURCE)
        node_id = element.get(_NODE_ID)
        if reference is not None or node_id is not None:
            target = self._resolve(reference) if reference is not None else f"_:{node_id}"
            if name == "rdf:type":
                node.types[_short_address(target)] = None
            else:
                node.add(name, Value(text_of(element), language_of(element), target))
            return []
        children = [child for child in element if local(child)]
        if not children or element.get(_PARSE_TYPE) == "Literal":
            node.add(name, Value(text_of(element), language_of(element)))
            return []
        self._keep_stray(element)
        return self._read_inner(name, element, children, node)

    def _read_inner(
        self, name: str, element: etree._Element, children: list[etree._Element], node: Node
    ) -> list[tuple[etree._Element, Node | None]]:
        if element.get(_PARSE_TYPE) == "Resource":
            blank = self._blank()
            node.add(name, Value(target=blank.identifier))
            return [(element, blank)]
        inner: list[tuple[etree._Element, Node | None]] = []
        for child in children:
            if child.tag in _CONTAINERS:
                inner += self._read_items(name, child, node)
                continue
            found = self._node_of(child)
            node.add(name, Value(target=found.identifier))
            inner.append((child, found))
        return inner

    def _read_items(
        self, name: str, container: etree._Element, node: Node
    ) -> list[tuple[etree._Element, Node | None]]:
        """Give each item of a container to the property that held the container."""
        inner: list[tuple[etree._Element, Node | None]] = []
        for item in container:
            if not local(item):
                continue
            children = [child for child in item if local(child)]
            reference = item.get(_RESOURCE)
            if children:
                found = self._node_of(children[0])
                node.add(name, Value(target=found.identifier))
                inner.append((children[0], found))
            elif reference is not None:
                node.add(name, Value(text_of(item), target=self._resolve(reference)))
            else:
                node.add(name, Value(text_of(item), language_of(item)))
        return inner

    def _node_of(self, element: etree._Element) -> Node:
        about, node_id, own_id = element.get(_ABOUT), element.get(_NODE_ID), element.get(_ID)
        if about is None:
            about = element.get("about")  # seen without its prefix
        if about is not None:
            return self._named(self._resolve(about))
        if node_id is not None:
            return self._named(f"_:{node_id}")
        if own_id is not None:
            return self._named(self._resolve(f"#{own_id}"))
        return self._blank()

    def _named(self, identifier: str) -> Node:
        return self.nodes.setdefault(identifier, Node(identifier))

    def _blank(self) -> Node:
        self._anonymous += 1
        return self._named(f"_:windrow{self._anonymous}")

    def _resolve(self, reference: str) -> str:
        reference = reference.strip()
        if not self._base or "://" in reference[:12]:
            return reference
        try:
            return urljoin(self._base, reference)
        except ValueError:  # a broken IPv6 address
            return reference

    def _keep_stray(self, element: etree._Element) -> None:
        text = own_text(element)
        if text:
            self.stray.append((short_name(element), text))


def short_name(element: etree._Element) -> str:
    """Give the element's name as people write it: `dcterms:title`."""
    return _short(element.tag, element.prefix)


def _short(tag: str, prefix: str | None) -> str:
    namespace, _, name = tag.rpartition("}")
    known = PREFIXES.get(namespace[1:], prefix or "rdf")
    return f"{known[:_LONGEST_NAME]}:{name[:_LONGEST_NAME]}"


def _short_address(address: str) -> str:
    for namespace, prefix in PREFIXES.items():
        if address.startswith(namespace):
            return f"{prefix}:{address[len(namespace) :]}"
    return address
