"""The Europeana Data Model: the cultural object and its aggregation in one RDF graph.

Europeana's own records describe the object in proxies; providers' records describe the object itself.
"""

from __future__ import annotations

from lxml import etree

from windrow.formats.linked_data.rdf_graph import Graph, Node, Placer
from windrow.formats.mapping.xml_records import Draft
from windrow.model.document import Document

NAMESPACE = "http://www.europeana.eu/schemas/edm/"
_AGGREGATIONS = ("ore:Aggregation", "edm:EuropeanaAggregation")


class Edm:
    """Reader of EDM in RDF/XML. Records with the usual root of RDF arrive through the RDF reader."""

    name = "edm"
    prefixes = frozenset({"oai_edm", "ese_edm", "edm_external", "europeana", "edm-external"})
    roots = frozenset({f"{{{NAMESPACE}}}ProvidedCHO", "{http://www.openarchives.org/ore/terms/}Aggregation"})

    def read(self, root: etree._Element) -> Document:
        return read_graph(Graph(root))


def is_edm(graph: Graph) -> bool:
    if any(True for _ in graph.typed("edm:ProvidedCHO", "edm:EuropeanaAggregation")):
        return True
    return any(
        name in node.properties
        for node in graph.typed("ore:Aggregation")
        for name in ("edm:aggregatedCHO", "edm:dataProvider", "edm:isShownAt", "edm:isShownBy")
    )


def read_graph(graph: Graph) -> Document:
    draft = Draft("edm")
    placer = Placer(graph, draft)
    for aggregation in sorted(graph.typed(*_AGGREGATIONS), key=_is_europeana):
        _add_aggregation(aggregation, draft, placer)
    for node in _described(graph):
        placer.place(node)
        kind = node.first("edm:type")
        if kind is not None:
            draft.add_type(kind.text)
    placer.sweep()
    return draft.finish()


def _described(graph: Graph) -> list[Node]:
    """Return the nodes that describe the object, the provider's before Europeana's own."""
    proxies = sorted(graph.typed("ore:Proxy"), key=_is_europeanas)
    found = {node.identifier: node for node in (*graph.typed("edm:ProvidedCHO"), *proxies)}
    for aggregation in graph.typed(*_AGGREGATIONS):  # the object may have another type: dpla:SourceResource
        for value in aggregation.properties.get("edm:aggregatedCHO", []):
            node = graph.get(value.target)
            if node is not None:
                found.setdefault(node.identifier, node)
    return list(found.values())


def _is_europeanas(proxy: Node) -> bool:
    return any(value.text == "true" for value in proxy.properties.get("edm:europeanaProxy", []))


def _is_europeana(node: Node) -> bool:
    return "edm:EuropeanaAggregation" in node.types


def _add_aggregation(node: Node, draft: Draft, placer: Placer) -> None:
    # Europeana names itself as the provider of its own aggregation.
    for value in [] if _is_europeana(node) else node.properties.get("edm:dataProvider", []):
        words = placer.words_of(value)
        if words:
            draft.add_institution(words)
            value.is_used = True
    placer.place(node)


READER = Edm()
