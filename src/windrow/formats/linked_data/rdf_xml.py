"""Plain RDF/XML: one resource described with Dublin Core, schema.org, BIBO, FOAF or ORE.

Records of the Europeana Data Model have the same root and are passed on to the EDM reader.
"""

from __future__ import annotations

from lxml import etree

from windrow.formats.linked_data import edm
from windrow.formats.linked_data.rdf_graph import RDF, Graph, Node, Placer
from windrow.formats.mapping.xml_records import Draft
from windrow.model.document import Document

_TITLES = ("dcterms:title", "dc:title", "schema:name", "schema:headline", "ore:aggregates")
# Types of resources that accompany the main one.
_ASIDE_WORDS = (
    "Person Agent Organization Organisation Concept ConceptScheme Place Location TimeSpan Period ResourceMap "
    "File file MediaObject License Work Journal Document ProcessingInfo Audience"
)
_ASIDES = frozenset(_ASIDE_WORDS.split())
_NO_TYPES = frozenset({"Description", "Aggregation", "Resource", "Thing", "ResourceMap", "ebook"})


class Rdf:
    """Reader of any RDF/XML."""

    name = "rdf"
    prefixes = frozenset({"oai_rdf", "rdf_xml", "rdfxml", "rem_rdf", "ore_rdf", "bibo", "bio", "rdf+xml"})
    roots = frozenset({f"{RDF}RDF"})

    def read(self, root: etree._Element) -> Document:
        graph = Graph(root)
        if edm.is_edm(graph):
            return edm.read_graph(graph)
        draft = Draft("rdf")
        placer = Placer(graph, draft)
        main = main_node(graph)
        if main is not None:
            placer.place(main)
            _add_types(main, draft)
            if "://" in main.identifier:
                draft.add_identifier(main.identifier)
        placer.sweep()
        return draft.finish()


def main_node(graph: Graph) -> Node | None:
    """Return the main resource of a record: the first outermost one with a title."""
    # A resource map names what it describes; people, places and files are never the main resource.
    for node in graph.nodes.values():
        for value in (
            *node.properties.get("ore:describes", []),
            *node.properties.get("foaf:primaryTopic", []),
        ):
            described = graph.get(value.target)
            if described is not None and described.properties:
                return described
    candidates = [node for node in graph.tops if node.properties]
    candidates.sort(key=_is_aside)
    titled = (node for node in candidates if any(name in node.properties for name in _TITLES))
    return next(titled, candidates[0] if candidates else None)


def _is_aside(node: Node) -> bool:
    return any(kind.rpartition(":")[2].rpartition("/")[2] in _ASIDES for kind in node.types)


def _add_types(node: Node, draft: Draft) -> None:
    for kind in node.types:
        word = kind.rpartition("/")[2].rpartition("#")[2].rpartition(":")[2]
        if word not in _NO_TYPES:
            draft.add_type(word)


READER = Rdf()
