"""SRU responses as XML, in the form of 1.1 and 1.2 and in that of 2.0.

They are made from values alone. Records are passed in as whole elements in UTF-8.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from windrow.formats.mapping.markup import escape_xml
from windrow.index.protocol import ScanTerm
from windrow.protocols.cql.cql_syntax import Boolean, Clause, CqlQuery, Modifier, Node, Prefixed
from windrow.protocols.sru.sru_diagnostics import Diagnostic
from windrow.protocols.sru.sru_request import NEWEST, Operation, SruRequest


def write_xcql(query: CqlQuery) -> str:
    """Return a query in XCQL, the XML form of CQL that responses echo."""
    keys = "".join(
        f"<key><index>{escape_xml(key.index)}</index>{_write_modifiers(key.modifiers)}</key>"
        for key in query.sort
    )
    return _write_xcql_node(query.root, "", f"<sortKeys>{keys}</sortKeys>" if keys else "")


def _write_xcql_node(node: Node, prefixes: str, end: str = "") -> str:
    match node:
        case Prefixed(prefix, uri, inner):
            name = f"<name>{escape_xml(prefix)}</name>" if prefix else ""
            one = f"<prefix>{name}<identifier>{escape_xml(uri)}</identifier></prefix>"
            return _write_xcql_node(inner, prefixes + one, end)
        case Clause(term, index, relation):
            return (
                f"<searchClause>{_write_prefixes(prefixes)}"
                f"<index>{escape_xml(index or 'cql.serverChoice')}</index>"
                f"<relation><value>{escape_xml(relation.name)}</value>{_write_modifiers(relation.modifiers)}"
                f"</relation><term>{escape_xml(term)}</term>{end}</searchClause>"
            )
        case Boolean(name, left, right, modifiers):
            return (
                f"<triple>{_write_prefixes(prefixes)}<boolean><value>{name}</value>{_write_modifiers(modifiers)}</boolean>"
                f"<leftOperand>{_write_xcql_node(left, '')}</leftOperand>"
                f"<rightOperand>{_write_xcql_node(right, '')}</rightOperand>{end}</triple>"
            )


def _write_prefixes(written: str) -> str:
    return f"<prefixes>{written}</prefixes>" if written else ""


def _write_modifiers(modifiers: tuple[Modifier, ...]) -> str:
    if not modifiers:
        return ""
    each = (
        f"<modifier><type>{escape_xml(one.name)}</type>"
        + (
            f"<comparison>{escape_xml(one.symbol)}</comparison><value>{escape_xml(one.value)}</value>"
            * bool(one.symbol)
        )
        + "</modifier>"
        for one in modifiers
    )
    return f"<modifiers>{''.join(each)}</modifiers>"


SRW = "http://www.loc.gov/zing/srw/"
SRW_DIAGNOSTIC = "http://www.loc.gov/zing/srw/diagnostic/"
XCQL = "http://www.loc.gov/zing/cql/xcql/"
SRU2 = "http://docs.oasis-open.org/ns/search-ws/sruResponse"
SCAN2 = "http://docs.oasis-open.org/ns/search-ws/scan"
DIAGNOSTIC2 = "http://docs.oasis-open.org/ns/search-ws/diagnostic"
FACETS2 = "http://docs.oasis-open.org/ns/search-ws/facetedResults"
XCQL2 = "http://docs.oasis-open.org/ns/search-ws/xcql"
SURROGATE = "info:srw/schema/1/diagnostics-v1.1"  # the schema of a surrogate diagnostic
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
class ResponseRecord:
    """A record of a response: schema URI, XML, identifier and position."""

    schema: str
    data: bytes
    position: int
    identifier: str = ""


@dataclass(frozen=True, slots=True)
class FacetTerm:
    """A value of a facet: its count, and the query and address that find its records."""

    value: str
    count: int
    query: str
    address: str


@dataclass(frozen=True, slots=True)
class ResponseFacet:
    """The values of one index among the results."""

    label: str
    index: str
    terms: Sequence[FacetTerm]


@dataclass(frozen=True, slots=True)
class LibraryLink:
    """A link of the library in `extraResponseData`: relation and address."""

    relation: str
    address: str


def write_search(
    request: SruRequest,
    total: int,
    records: Sequence[ResponseRecord],
    *,
    following: int | None,
    query: CqlQuery | None,
    diagnostics: Sequence[Diagnostic] = (),
    facets: Sequence[ResponseFacet] | None = None,
    links: Sequence[LibraryLink] = (),
) -> bytes:
    """Return the response to searchRetrieve; `following` is the position of the next records."""
    parts = [f"<numberOfRecords>{total}</numberOfRecords>"]
    if records:
        written = "".join(_write_record(record, request) for record in records)
        parts.append(f"<records>{written}</records>")
    if following is not None:
        parts.append(f"<nextRecordPosition>{following}</nextRecordPosition>")
    parts.append(_write_echo(request, query))
    parts.append(write_diagnostics(diagnostics, request.version))
    if links:
        parts.append(f"<extraResponseData>{_write_links(links)}</extraResponseData>")
    if request.is_new:
        parts.append(f"<resultCountPrecision>{EXACT}</resultCountPrecision>")
        parts.append(_write_facets(facets, has_counts=request.has_counts) if facets is not None else "")
    return _write_response("searchRetrieveResponse", request.version, parts)


def write_scan(
    request: SruRequest,
    terms: Sequence[ScanTerm],
    places: Sequence[str],
    diagnostics: Sequence[Diagnostic] = (),
) -> bytes:
    """Return the response to scan; `places` are whereInList of the terms."""
    parts = []
    if terms:
        written = "".join(map(_write_term, terms, places))
        parts.append(f"<terms>{written}</terms>")
    parts.append(_write_echo(request, None))
    parts.append(write_diagnostics(diagnostics, request.version))
    return _write_response("scanResponse", request.version, parts, namespace=SCAN2 if request.is_new else "")


def write_explain(request: SruRequest, zeerex: str, diagnostics: Sequence[Diagnostic] = ()) -> bytes:
    record = ResponseRecord(ZEEREX, zeerex.encode("utf-8", "replace"), 0)
    parts = [
        _write_record(record, request),
        _write_echo(request, None),
        write_diagnostics(diagnostics, request.version),
    ]
    return _write_response("explainResponse", request.version, parts)


def write_failure(operation: Operation, version: str, diagnostics: Sequence[Diagnostic]) -> bytes:
    """Return the response to a request that could not be parsed."""
    name = {
        Operation.SEARCH: "searchRetrieveResponse",
        Operation.SCAN: "scanResponse",
        Operation.EXPLAIN: "explainResponse",
    }[operation]
    parts = ["<numberOfRecords>0</numberOfRecords>"] if operation is Operation.SEARCH else []
    parts.append(write_diagnostics(diagnostics, version))
    is_scan2 = operation is Operation.SCAN and version == NEWEST
    return _write_response(name, version, parts, namespace=SCAN2 if is_scan2 else "")


def write_diagnostics(diagnostics: Iterable[Diagnostic], version: str) -> str:
    """Return the diagnostics of a response; empty if there are none."""
    written = "".join(write_diagnostic(each, version) for each in diagnostics)
    return f"<diagnostics>{written}</diagnostics>" if written else ""


def write_diagnostic(diagnostic: Diagnostic, version: str) -> str:
    """Return one diagnostic as a standalone element."""
    namespace = DIAGNOSTIC2 if version == NEWEST else SRW_DIAGNOSTIC
    details = f"<details>{escape_xml(diagnostic.details)}</details>" if diagnostic.details else ""
    return (
        f'<diagnostic xmlns="{namespace}"><uri>{diagnostic.uri}</uri>{details}'
        f"<message>{escape_xml(diagnostic.message)}</message></diagnostic>"
    )


def write_surrogate(diagnostic: Diagnostic, position: int, version: str) -> ResponseRecord:
    return ResponseRecord(SURROGATE, write_diagnostic(diagnostic, version).encode(), position)


def _write_response(name: str, version: str, parts: Iterable[str], *, namespace: str = "") -> bytes:
    namespace = namespace or (SRU2 if version == NEWEST else SRW)
    body = "".join(parts)
    text = f'{DECLARATION}<{name} xmlns="{namespace}"><version>{version}</version>{body}</{name}>\n'
    return text.encode("utf-8", "replace")


def _write_record(record: ResponseRecord, request: SruRequest) -> str:
    packing = "string" if request.is_string else "xml"
    element = "recordXMLEscaping" if request.is_new else "recordPacking"
    data = record.data.decode("utf-8", "replace")
    parts = [
        f"<record><recordSchema>{escape_xml(record.schema)}</recordSchema><{element}>{packing}</{element}>",
        f"<recordData>{escape_xml(data) if request.is_string else _without_namespace(data)}</recordData>",
    ]
    if record.identifier and request.version != "1.1":
        parts.append(f"<recordIdentifier>{escape_xml(record.identifier)}</recordIdentifier>")
    if record.position:
        parts.append(f"<recordPosition>{record.position}</recordPosition>")
    parts.append("</record>")
    return "".join(parts)


def _without_namespace(data: str) -> str:
    """Add xmlns="" to an element without a namespace, since the response has a default namespace."""
    start = data.split(">", 1)[0]
    has_prefix = ":" in start.split(None, 1)[0]
    if has_prefix or " xmlns=" in start or "\nxmlns=" in start or "\txmlns=" in start:
        return data
    name = start.split(None, 1)[0].rstrip("/")
    return f'{name} xmlns=""{data[len(name) :]}'


def _write_term(term: ScanTerm, place: str) -> str:
    shown = f"<displayTerm>{escape_xml(term.display)}</displayTerm>" if term.display != term.term else ""
    where = f"<whereInList>{place}</whereInList>" if place else ""
    return (
        f"<term><value>{escape_xml(term.term)}</value><numberOfRecords>{term.count}</numberOfRecords>"
        f"{shown}{where}</term>"
    )


def _write_facets(facets: Sequence[ResponseFacet], *, has_counts: bool) -> str:
    written = []
    for facet in facets:
        terms = "".join(
            f"<term><actualTerm>{escape_xml(each.value)}</actualTerm><query>{escape_xml(each.query)}</query>"
            f"<requestUrl>{escape_xml(each.address)}</requestUrl>"
            + (f"<count>{each.count}</count>" if has_counts else "")
            + "</term>"
            for each in facet.terms
        )
        written.append(
            f'<facet xmlns="{FACETS2}"><facetDisplayLabel>{escape_xml(facet.label)}</facetDisplayLabel>'
            f"<index>{escape_xml(facet.index)}</index><relation>==</relation><terms>{terms}</terms></facet>"
        )
    return f"<facetedResults>{''.join(written)}</facetedResults>" if written else ""


def _write_links(links: Iterable[LibraryLink]) -> str:
    return "".join(
        f'<link xmlns="http://www.w3.org/2005/Atom" rel="{escape_xml(each.relation)}"'
        f' href="{escape_xml(each.address)}"/>'
        for each in links
    )


def _write_echo(request: SruRequest, query: CqlQuery | None) -> str:
    """Return the echoed request; 1.x also has the version, and the query as XCQL."""
    element = {
        Operation.SEARCH: "echoedSearchRetrieveRequest",
        Operation.SCAN: "echoedScanRequest",
        Operation.EXPLAIN: "echoedExplainRequest",
    }[request.operation]
    given, parts = request.given, []
    if not request.is_new or given.get("version"):
        parts.append(f"<version>{request.version}</version>")
    if request.operation is Operation.SEARCH:
        parts.append(f"<query>{escape_xml(request.query)}</query>")
        if query is not None:
            parts.append(f"<xQuery>{_write_xcql_query(query, XCQL2 if request.is_new else XCQL)}</xQuery>")
    elif request.operation is Operation.SCAN:
        parts.append(f"<scanClause>{escape_xml(request.scan_clause)}</scanClause>")
    names = _ECHOED2 if request.is_new else _ECHOED[request.operation]
    parts += _write_given(
        given, names if request.operation is Operation.SEARCH else _ECHOED[request.operation]
    )
    return f"<{element}>{''.join(parts)}</{element}>"


def _write_given(given: Mapping[str, str], names: Iterable[str]) -> list[str]:
    return [f"<{name}>{escape_xml(given[name])}</{name}>" for name in names if given.get(name)]


def _write_xcql_query(query: CqlQuery, namespace: str) -> str:
    written = write_xcql(query)
    name = written[1:].split(">", 1)[0]
    return f'<{name} xmlns="{namespace}">{written[len(name) + 2 :]}'
