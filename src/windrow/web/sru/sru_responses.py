"""Responses of SRU as XML, in the form of 1.1 and 1.2 and in that of 2.0.

What they are made of is given as values; nothing is asked here. Records come as whole elements in UTF-8.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from windrow.faces.sru.xcql import xcql
from windrow.formats.xml_words import xml_words
from windrow.index.protocol import ScanTerm
from windrow.protocols.cql.tree import CqlQuery
from windrow.protocols.sru.diagnostics import Diagnostic
from windrow.protocols.sru.request import NEWEST, Operation, SruRequest

SRW = "http://www.loc.gov/zing/srw/"
SRW_DIAGNOSTIC = "http://www.loc.gov/zing/srw/diagnostic/"
XCQL = "http://www.loc.gov/zing/cql/xcql/"
SRU2 = "http://docs.oasis-open.org/ns/search-ws/sruResponse"
SCAN2 = "http://docs.oasis-open.org/ns/search-ws/scan"
DIAGNOSTIC2 = "http://docs.oasis-open.org/ns/search-ws/diagnostic"
FACETS2 = "http://docs.oasis-open.org/ns/search-ws/facetedResults"
XCQL2 = "http://docs.oasis-open.org/ns/search-ws/xcql"
SURROGATE = "info:srw/schema/1/diagnostics-v1.1"  # the schema of a diagnostic in the place of a record
ZEEREX = "http://explain.z3950.org/dtd/2.0/"
EXACT = "info:srw/vocabulary/resultCountPrecision/1/exact"
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

_ECHOED = {
    Operation.SEARCH: (
        *("startRecord", "maximumRecords", "recordPacking", "recordSchema", "recordXPath", "resultSetTTL"),
        *("sortKeys", "stylesheet"),
    ),
    Operation.SCAN: ("responsePosition", "maximumTerms", "stylesheet"),
    Operation.EXPLAIN: ("recordPacking", "stylesheet"),
}
_ECHOED2 = (
    *("queryType", "startRecord", "maximumRecords", "recordXMLEscaping", "recordPacking", "recordSchema"),
    *("resultSetTTL", "sortKeys", "stylesheet", "renderedBy", "httpAccept", "responseType"),
    *("facetLimit", "facetSort", "facetCount", "facetStart"),
)


@dataclass(frozen=True, slots=True)
class WrittenRecord:
    """A record of a response: its schema (a URI), itself as XML, what it is called, and its place."""

    schema: str
    data: bytes
    position: int
    identifier: str = ""


@dataclass(frozen=True, slots=True)
class FacetTerm:
    """A value of a facet: how many results have it, and the query and the address that find these."""

    value: str
    count: int
    query: str
    address: str


@dataclass(frozen=True, slots=True)
class WrittenFacet:
    """The values of one index among the results."""

    label: str
    index: str
    terms: Sequence[FacetTerm]


@dataclass(frozen=True, slots=True)
class Link:
    """What `extraResponseData` says of the library: a relation and an address."""

    relation: str
    address: str


def write_search(
    request: SruRequest,
    total: int,
    records: Sequence[WrittenRecord],
    *,
    following: int | None,
    query: CqlQuery | None,
    diagnostics: Sequence[Diagnostic] = (),
    facets: Sequence[WrittenFacet] | None = None,
    links: Sequence[Link] = (),
) -> bytes:
    """Return the response to a search; `following` is where its next records begin."""
    parts = [f"<numberOfRecords>{total}</numberOfRecords>"]
    if records:
        written = "".join(_record(record, request) for record in records)
        parts.append(f"<records>{written}</records>")
    if following is not None:
        parts.append(f"<nextRecordPosition>{following}</nextRecordPosition>")
    parts.append(_echo(request, query))
    parts.append(write_diagnostics(diagnostics, request.version))
    if links:
        parts.append(f"<extraResponseData>{_links(links)}</extraResponseData>")
    if request.is_new:
        parts.append(f"<resultCountPrecision>{EXACT}</resultCountPrecision>")
        parts.append(_facets(facets, has_counts=request.has_counts) if facets is not None else "")
    return _whole("searchRetrieveResponse", request.version, parts)


def write_scan(
    request: SruRequest,
    terms: Sequence[ScanTerm],
    places: Sequence[str],
    diagnostics: Sequence[Diagnostic] = (),
) -> bytes:
    """Return the response to a scan; `places` say of each term where it stands in the whole list."""
    parts = []
    if terms:
        written = "".join(map(_term, terms, places))
        parts.append(f"<terms>{written}</terms>")
    parts.append(_echo(request, None))
    parts.append(write_diagnostics(diagnostics, request.version))
    return _whole("scanResponse", request.version, parts, namespace=SCAN2 if request.is_new else "")


def write_explain(request: SruRequest, zeerex: str, diagnostics: Sequence[Diagnostic] = ()) -> bytes:
    """Return the response to explain, with a ZeeRex record."""
    record = WrittenRecord(ZEEREX, zeerex.encode("utf-8", "replace"), 0)
    parts = [
        _record(record, request),
        _echo(request, None),
        write_diagnostics(diagnostics, request.version),
    ]
    return _whole("explainResponse", request.version, parts)


def write_failure(operation: Operation, version: str, diagnostics: Sequence[Diagnostic]) -> bytes:
    """Return the response to a request that could not be read."""
    name = {
        Operation.SEARCH: "searchRetrieveResponse",
        Operation.SCAN: "scanResponse",
        Operation.EXPLAIN: "explainResponse",
    }[operation]
    parts = ["<numberOfRecords>0</numberOfRecords>"] if operation is Operation.SEARCH else []
    parts.append(write_diagnostics(diagnostics, version))
    is_scan2 = operation is Operation.SCAN and version == NEWEST
    return _whole(name, version, parts, namespace=SCAN2 if is_scan2 else "")


def write_diagnostics(diagnostics: Iterable[Diagnostic], version: str) -> str:
    """Return the diagnostics of a response; nothing where there are none."""
    written = "".join(write_diagnostic(each, version) for each in diagnostics)
    return f"<diagnostics>{written}</diagnostics>" if written else ""


def write_diagnostic(diagnostic: Diagnostic, version: str) -> str:
    """Return one diagnostic as an element that stands alone."""
    namespace = DIAGNOSTIC2 if version == NEWEST else SRW_DIAGNOSTIC
    details = f"<details>{xml_words(diagnostic.details)}</details>" if diagnostic.details else ""
    return (
        f'<diagnostic xmlns="{namespace}"><uri>{diagnostic.uri}</uri>{details}'
        f"<message>{xml_words(diagnostic.message)}</message></diagnostic>"
    )


def surrogate(diagnostic: Diagnostic, position: int, version: str) -> WrittenRecord:
    """Return a diagnostic in the place of a record."""
    return WrittenRecord(SURROGATE, write_diagnostic(diagnostic, version).encode(), position)


def _whole(name: str, version: str, parts: Iterable[str], *, namespace: str = "") -> bytes:
    namespace = namespace or (SRU2 if version == NEWEST else SRW)
    body = "".join(parts)
    text = f'{DECLARATION}<{name} xmlns="{namespace}"><version>{version}</version>{body}</{name}>\n'
    return text.encode("utf-8", "replace")


def _record(record: WrittenRecord, request: SruRequest) -> str:
    packing = "string" if request.is_string else "xml"
    element = "recordXMLEscaping" if request.is_new else "recordPacking"
    data = record.data.decode("utf-8", "replace")
    parts = [
        f"<record><recordSchema>{xml_words(record.schema)}</recordSchema><{element}>{packing}</{element}>",
        f"<recordData>{xml_words(data) if request.is_string else _bare(data)}</recordData>",
    ]
    if record.identifier and request.version != "1.1":
        parts.append(f"<recordIdentifier>{xml_words(record.identifier)}</recordIdentifier>")
    if record.position:
        parts.append(f"<recordPosition>{record.position}</recordPosition>")
    parts.append("</record>")
    return "".join(parts)


def _bare(data: str) -> str:
    """Return an element inside a response whose default namespace is not its own."""
    start = data.split(">", 1)[0]
    has_prefix = ":" in start.split(None, 1)[0]
    if has_prefix or " xmlns=" in start or "\nxmlns=" in start or "\txmlns=" in start:
        return data
    name = start.split(None, 1)[0].rstrip("/")
    return f'{name} xmlns=""{data[len(name) :]}'


def _term(term: ScanTerm, place: str) -> str:
    shown = f"<displayTerm>{xml_words(term.display)}</displayTerm>" if term.display != term.term else ""
    where = f"<whereInList>{place}</whereInList>" if place else ""
    return (
        f"<term><value>{xml_words(term.term)}</value><numberOfRecords>{term.count}</numberOfRecords>"
        f"{shown}{where}</term>"
    )


def _facets(facets: Sequence[WrittenFacet], *, has_counts: bool) -> str:
    written = []
    for facet in facets:
        terms = "".join(
            f"<term><actualTerm>{xml_words(each.value)}</actualTerm><query>{xml_words(each.query)}</query>"
            f"<requestUrl>{xml_words(each.address)}</requestUrl>"
            + (f"<count>{each.count}</count>" if has_counts else "")
            + "</term>"
            for each in facet.terms
        )
        written.append(
            f'<facet xmlns="{FACETS2}"><facetDisplayLabel>{xml_words(facet.label)}</facetDisplayLabel>'
            f"<index>{xml_words(facet.index)}</index><relation>==</relation><terms>{terms}</terms></facet>"
        )
    return f"<facetedResults>{''.join(written)}</facetedResults>" if written else ""


def _links(links: Iterable[Link]) -> str:
    return "".join(
        f'<link xmlns="http://www.w3.org/2005/Atom" rel="{xml_words(each.relation)}"'
        f' href="{xml_words(each.address)}"/>'
        for each in links
    )


def _echo(request: SruRequest, query: CqlQuery | None) -> str:
    """Return what was asked: in 1.x with the version, and the query as XCQL, too."""
    element = {
        Operation.SEARCH: "echoedSearchRetrieveRequest",
        Operation.SCAN: "echoedScanRequest",
        Operation.EXPLAIN: "echoedExplainRequest",
    }[request.operation]
    given, parts = request.given, []
    if not request.is_new or given.get("version"):
        parts.append(f"<version>{request.version}</version>")
    if request.operation is Operation.SEARCH:
        parts.append(f"<query>{xml_words(request.query)}</query>")
        if query is not None:
            parts.append(f"<xQuery>{_xquery(query, XCQL2 if request.is_new else XCQL)}</xQuery>")
    elif request.operation is Operation.SCAN:
        parts.append(f"<scanClause>{xml_words(request.scan_clause)}</scanClause>")
    names = _ECHOED2 if request.is_new else _ECHOED[request.operation]
    parts += _given(given, names if request.operation is Operation.SEARCH else _ECHOED[request.operation])
    return f"<{element}>{''.join(parts)}</{element}>"


def _given(given: Mapping[str, str], names: Iterable[str]) -> list[str]:
    return [f"<{name}>{xml_words(given[name])}</{name}>" for name in names if given.get(name)]


def _xquery(query: CqlQuery, namespace: str) -> str:
    written = xcql(query)
    name = written[1:].split(">", 1)[0]
    return f'<{name} xmlns="{namespace}">{written[len(name) + 2 :]}'
