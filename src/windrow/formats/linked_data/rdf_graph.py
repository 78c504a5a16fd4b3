"""RDF/XML as a graph of nodes, and the mapping of RDF vocabularies onto a draft.

The RDF and EDM readers share it. Values that refer to another node are replaced by that node's label, the
English or the first one; references to resources that the record does not describe stay in extra as
addresses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urljoin

from lxml import etree

from windrow.formats.mapping.xml_records import Draft, element_language, element_text, local_name, own_text
from windrow.model.document import LinkKind

# The graph: a tolerant reading of the striped syntax, without inference. It covers typed nodes,
# rdf:Description, nested and referenced nodes, rdf:resource, property attributes and containers. Nodes with
# the same rdf:about are one node. The walk keeps its own stack, so deep nesting does not recurse.

RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_XML = "{http://www.w3.org/XML/1998/namespace}"
_ABOUT, _ID, _NODE_ID = f"{RDF}about", f"{RDF}ID", f"{RDF}nodeID"
_RESOURCE, _PARSE_TYPE = f"{RDF}resource", f"{RDF}parseType"
_CONTAINERS = frozenset({f"{RDF}Bag", f"{RDF}Seq", f"{RDF}Alt"})
_LONGEST_NAME = 64
_LONGEST_BASE = 1000  # characters; the base is put before every relative address

# The usual prefixes of these vocabularies, independent of those bound in a record.
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
    """The object of a property: a text, or a reference to another node."""

    text: str = ""
    language: str | None = None
    target: str | None = None
    is_used: bool = False


@dataclass(slots=True)
class Node:
    """A resource with its types and properties."""

    identifier: str
    types: dict[str, None] = field(default_factory=dict)  # "edm:ProvidedCHO", in order
    properties: dict[str, list[Value]] = field(default_factory=dict)  # by "dcterms:title"

    def first(self, name: str) -> Value | None:
        """Return the first value of a property and mark it as used."""
        found = self.properties.get(name)
        if not found:
            return None
        found[0].is_used = True
        return found[0]

    def all(self, name: str) -> list[Value]:
        """Return the values of a property and mark them as used."""
        found = self.properties.get(name, [])
        for value in found:
            value.is_used = True
        return found

    def add(self, name: str, value: Value) -> None:
        self.properties.setdefault(name, []).append(value)


class Graph:
    """The nodes of one record, in document order; `tops` are those of the outermost level."""

    def __init__(self, root: etree._Element) -> None:
        self.nodes: dict[str, Node] = {}
        self.tops: list[Node] = []
        self.stray: list[tuple[str, str]] = []  # text where RDF/XML does not allow any
        self._anonymous = 0
        base = root.get(f"{_XML}base") or ""
        self._base = base if len(base) <= _LONGEST_BASE else ""
        self._read(root)

    def get(self, identifier: str | None) -> Node | None:
        return self.nodes.get(identifier) if identifier is not None else None

    def typed(self, *types: str) -> Iterator[Node]:
        return (node for node in self.nodes.values() if any(kind in node.types for kind in types))

    def _read(self, root: etree._Element) -> None:
        self._keep_stray(root)
        pending: list[tuple[etree._Element, Node | None]] = []
        if root.tag == f"{RDF}RDF" or local_name(root) == "RDF":
            pending = [(child, None) for child in root if local_name(child)]
        else:
            pending = [(root, None)]
        self.tops = [self._node_of(element) for element, _ in pending]
        pending = [(element, node) for (element, _), node in zip(pending, self.tops, strict=True)]
        pending.reverse()
        while pending:
            element, node = pending.pop()
            pending.extend(reversed(self._read_node(element, node or self._node_of(element))))

    def _read_node(self, element: etree._Element, node: Node) -> list[tuple[etree._Element, Node | None]]:
        """Read the properties of one node. Return the nested nodes, which are still to be read."""
        if element.tag != f"{RDF}Description":
            node.types[short_name(element)] = None
        self._keep_stray(element)
        for name, text in element.attrib.items():
            if not str(name).startswith((RDF, _XML)) and str(name).startswith("{"):
                node.add(_short(str(name), None), Value(str(text)))
        inner: list[tuple[etree._Element, Node | None]] = []
        for child in element:
            if local_name(child):
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
                node.add(name, Value(element_text(element), element_language(element), target))
            return []
        children = [child for child in element if local_name(child)]
        if not children or element.get(_PARSE_TYPE) == "Literal":
            node.add(name, Value(element_text(element), element_language(element)))
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
        """Add each item of a container to the property that the container belongs to."""
        inner: list[tuple[etree._Element, Node | None]] = []
        for item in container:
            if not local_name(item):
                continue
            children = [child for child in item if local_name(child)]
            reference = item.get(_RESOURCE)
            if children:
                found = self._node_of(children[0])
                node.add(name, Value(target=found.identifier))
                inner.append((children[0], found))
            elif reference is not None:
                node.add(name, Value(element_text(item), target=self._resolve(reference)))
            else:
                node.add(name, Value(element_text(item), element_language(item)))
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
    """Return the name of an element with its usual prefix: `dcterms:title`."""
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


_LONGEST_LABEL = 1000  # characters; a label is repeated wherever the node is referenced
# Links between the parts of one record: the label of the other end adds nothing.
_STRUCTURE = frozenset(
    ("edm:aggregatedCHO", "ore:proxyFor", "ore:proxyIn", "ore:lineage", "ore:describes", "ore:isDescribedBy")
)
_LABELS = (
    "skos:prefLabel",
    "foaf:name",
    "schema:name",
    "dcterms:title",
    "dc:title",
    "rdfs:label",
    "rdf:value",
    "skos:altLabel",
    "schema:legalName",
    "schema:value",
    "schema:audienceType",
)


class Placer:
    """Adds the properties of nodes to a draft, resolving references in the graph."""

    def __init__(self, graph: Graph, draft: Draft) -> None:
        self.graph = graph
        self.draft = draft
        self._labels: dict[str, str] = {}  # a node may be referenced a thousand times

    def label_of(self, node: Node) -> str:
        """Return the label of a node, English or first; empty if it has none."""
        if node.identifier not in self._labels:
            self._labels[node.identifier] = _label_of(node)
        return self._labels[node.identifier]

    def words_of(self, value: Value) -> str:
        """Return the text of a value: its own, or the label of the node it refers to."""
        node = self.graph.get(value.target)
        return value.text or (self.label_of(node) if node is not None else "")

    def address_of(self, value: Value) -> str | None:
        target = value.target or ""
        return target if "://" in target else None

    def place(self, node: Node) -> None:
        """Add every property of a node; unknown ones stay unused."""
        for name in [*filter(node.properties.__contains__, _TITLES), *node.properties]:
            put = _PLACES.get(name)
            if put is None:
                continue
            for value in node.properties[name]:
                value.is_used = put(self, value) or value.is_used

    def sweep(self) -> None:
        """Put every unused value into extra, under the name of its property."""
        for node in self.graph.nodes.values():
            for name, values in node.properties.items():
                for value in values:
                    if not value.is_used:
                        if name not in _STRUCTURE:
                            self.draft.add_extra(name, self.words_of(value))
                        self.draft.add_extra(name, _public(value.target))
        for name, text in self.graph.stray:
            self.draft.add_extra(name, text)


def _label_of(node: Node) -> str:
    for name in _LABELS:
        found = [value for value in node.properties.get(name, []) if 0 < len(value.text) <= _LONGEST_LABEL]
        if found:
            chosen = next((value for value in found if value.language == "en"), found[0])
            chosen.is_used = True
            return chosen.text
    parts = ("foaf:familyName", "foaf:givenName", "schema:familyName", "schema:givenName")
    whole = ", ".join(part for name in parts if (part := _first(node, name)))
    return whole or next(
        (words for name in node.properties if _is_label(name) and (words := _first(node, name))), ""
    )


def _is_label(name: str) -> bool:
    # Recognises names in unknown vocabularies, too: `pgterms:name`.
    return name.endswith((":name", ":label", ":prefLabel"))


def _first(node: Node, name: str) -> str:
    for value in node.properties.get(name, []):
        if 0 < len(value.text) <= _LONGEST_LABEL:
            value.is_used = True
            return value.text
    return ""


def _public(target: str | None) -> str:
    return "" if target is None or target.startswith("_:") else target


Put = Callable[[Placer, Value], bool]


def _text(add: Callable[[Draft, str], None]) -> Put:
    """Return a rule for values that are texts, or nodes with a label."""

    def put(placer: Placer, value: Value) -> bool:
        words = placer.words_of(value)
        if words:
            add(placer.draft, words)
        return bool(words)

    return put


def _worded(add: Callable[[Draft, str, str | None], None]) -> Put:
    def put(placer: Placer, value: Value) -> bool:
        words = placer.words_of(value)
        if words:
            add(placer.draft, words, value.language)
        return bool(words)

    return put


def _either(add: Callable[[Draft, str], None]) -> Put:
    """Return a rule for values that may be texts or addresses."""

    def put(placer: Placer, value: Value) -> bool:
        words = placer.words_of(value) or _public(value.target)
        if words:
            add(placer.draft, words)
        if value.text and value.target:
            add(placer.draft, _public(value.target))
        return bool(words)

    return put


def _dated(kind: str) -> Put:
    def put(placer: Placer, value: Value) -> bool:
        words = placer.words_of(value)
        if words:
            placer.draft.add_date(words, kind)
        return bool(words)

    return put


def _linked(hint: LinkKind | None) -> Put:
    def put(placer: Placer, value: Value) -> bool:
        address = (value.target or value.text).strip()
        if "://" not in address[:12]:
            return False
        placer.draft.add_link(address, hint=hint)
        return not (value.target and value.text)

    return put


def _file(placer: Placer, value: Value) -> bool:
    # The node of the file may state its format.
    node = placer.graph.get(value.target)
    if node is None or "://" not in node.identifier[:12]:
        return False
    said = node.first("dcterms:format")
    words = placer.words_of(said) if said is not None else ""
    media_type = words.partition(";")[0] if "/" in words else None
    hint = LinkKind.FULLTEXT
    if media_type is not None and media_type.startswith("image/"):
        hint = LinkKind.THUMBNAIL
    elif media_type == "application/rdf+xml":
        hint = LinkKind.RELATED
    placer.draft.add_link(node.identifier, hint=hint, media_type=media_type)
    return True


def _agent(add_name: str, role: str | None = None) -> Put:
    def put(placer: Placer, value: Value) -> bool:
        node = placer.graph.get(value.target)
        words = placer.words_of(value)
        if not words:
            return False
        places = node.all("schema:affiliation") if node is not None else []
        affiliations = [placer.words_of(place) for place in places]
        add = placer.draft.add_creator if add_name == "creator" else placer.draft.add_contributor
        add(words, role=role, identifier=placer.address_of(value), affiliations=affiliations)
        return True

    return put


def _subject(placer: Placer, value: Value) -> bool:
    words = placer.words_of(value)
    if not words:
        return False
    node = placer.graph.get(value.target)
    scheme = _scheme_of(node) if node is not None else None
    if value.target is None and value.language is None:
        placer.draft.add_subjects(words)
    else:
        placer.draft.add_subject(words, scheme=scheme, uri=placer.address_of(value), language=value.language)
    return True


def _scheme_of(node: Node) -> str | None:
    for name in ("skos:inScheme", "dcam:memberOf"):
        value = node.first(name)
        if value is not None:
            return (value.target or value.text).rstrip("/#").rpartition("/")[2][:64] or None
    return None


def _numbered(scheme: str) -> Put:
    def put(placer: Placer, value: Value) -> bool:
        words = placer.words_of(value) or _public(value.target)
        prefix = "" if words.lower().startswith((scheme, "http", "urn:")) else f"{scheme}:"
        if words:
            placer.draft.add_identifier(prefix + words, scheme=scheme)
        return bool(words)

    return put


def _abstract(draft: Draft, text: str, language: str | None) -> None:
    draft.add_description(text, language, is_abstract=True)


def _page_count(draft: Draft, text: str) -> None:
    draft.add_extent(f"{text} p." if text.isdecimal() and len(text) < 6 else text)


_TITLES = ("dcterms:title", "dc:title", "schema:name", "schema:headline", "skos:prefLabel")
_RELATED = (
    "dc:relation dcterms:relation dcterms:references dcterms:isReferencedBy dcterms:hasPart "
    "dcterms:isVersionOf dcterms:hasVersion dcterms:replaces dcterms:isReplacedBy dcterms:requires "
    "dcterms:isRequiredBy dcterms:isFormatOf schema:citation schema:hasPart edm:isRelatedTo "
    "edm:isSimilarTo edm:isDerivativeOf owl:sameAs schema:sameAs"
)
_RIGHTS = (
    "dc:rights dcterms:rights dcterms:license dcterms:accessRights dcterms:rightsHolder edm:rights "
    "schema:license cc:license schema:copyrightHolder"
)
_SOURCES = (
    "dc:source dcterms:source dcterms:isPartOf dcterms:bibliographicCitation schema:isPartOf "
    "prism:publicationName dcterms:publicationName"
)

_PLACES: dict[str, Put] = {
    **dict.fromkeys(_TITLES, _worded(Draft.add_title)),
    **dict.fromkeys(
        ("dcterms:alternative", "schema:alternateName", "bibo:shortTitle"), _worded(Draft.add_alternative)
    ),
    **dict.fromkeys(("dc:creator", "dcterms:creator", "schema:creator", "foaf:maker"), _agent("creator")),
    **dict.fromkeys(("schema:author", "bibo:authorList"), _agent("creator", "author")),
    **dict.fromkeys(("dc:contributor", "dcterms:contributor", "schema:contributor"), _agent("contributor")),
    **dict.fromkeys(("schema:editor", "bibo:editor", "bibo:editorList"), _agent("contributor", "editor")),
    **dict.fromkeys(("dc:subject", "dcterms:subject", "schema:about"), _subject),
    **dict.fromkeys(("schema:keywords", "prism:keyword", "dcat:keyword"), _text(Draft.add_keyword)),
    **dict.fromkeys(
        ("dc:description", "dcterms:description", "schema:description", "dcterms:tableOfContents"),
        _worded(Draft.add_description),
    ),
    **dict.fromkeys(("dcterms:abstract", "bibo:abstract", "schema:abstract"), _worded(_abstract)),
    **dict.fromkeys(("dc:publisher", "dcterms:publisher", "schema:publisher"), _text(Draft.add_publisher)),
    "dc:date": _dated("date"),
    "dcterms:date": _dated("date"),
    "edm:year": _dated("date"),
    **dict.fromkeys(("dcterms:issued", "schema:datePublished", "prism:publicationDate"), _dated("issued")),
    **dict.fromkeys(("dcterms:created", "schema:dateCreated"), _dated("created")),
    **dict.fromkeys(("dcterms:modified", "schema:dateModified"), _dated("modified")),
    "dcterms:available": _dated("available"),
    "dcterms:dateAccepted": _dated("accepted"),
    "dcterms:dateSubmitted": _dated("submitted"),
    "dcterms:dateCopyrighted": _dated("copyrighted"),
    **dict.fromkeys(("dc:type", "dcterms:type", "schema:learningResourceType"), _text(Draft.add_type)),
    **dict.fromkeys(("dc:language", "dcterms:language", "schema:inLanguage"), _either(Draft.add_language)),
    **dict.fromkeys(("schema:numberOfPages", "bibo:numPages"), _text(_page_count)),
    "dcterms:extent": _text(Draft.add_extent),
    **dict.fromkeys(
        ("dc:identifier", "dcterms:identifier", "schema:identifier"), _either(Draft.add_identifier)
    ),
    **dict.fromkeys(("bibo:doi", "prism:doi"), _numbered("doi")),
    **dict.fromkeys(
        ("bibo:isbn", "bibo:isbn10", "bibo:isbn13", "schema:isbn", "prism:isbn"), _numbered("isbn")
    ),
    **dict.fromkeys(_RIGHTS.split(), _either(Draft.add_rights)),
    **dict.fromkeys(_SOURCES.split(), _text(Draft.add_source)),
    **dict.fromkeys(_RELATED.split(), _either(Draft.add_relation)),
    **dict.fromkeys(
        ("schema:url", "foaf:homepage", "foaf:isPrimaryTopicOf", "edm:isShownAt"), _linked(LinkKind.LANDING)
    ),
    **dict.fromkeys(
        ("ore:aggregates", "schema:contentUrl", "dcat:downloadURL", "edm:isShownBy", "edm:hasView"),
        _linked(LinkKind.FULLTEXT),
    ),
    **dict.fromkeys(
        (
            "edm:object",
            "edm:preview",
            "schema:thumbnailUrl",
            "foaf:thumbnail",
            "foaf:depiction",
            "schema:image",
        ),
        _linked(LinkKind.THUMBNAIL),
    ),
    **dict.fromkeys(("bibo:uri", "dcat:landingPage", "prism:url", "prism:link"), _linked(None)),
    "dcterms:hasFormat": _file,
    "rdfs:seeAlso": _linked(LinkKind.RELATED),
}
