"""Parsing and validation of SRU requests: operation, version and parameters.

In 1.1 and 1.2 the operation is a parameter; in 2.0 it follows from the other parameters. A 1.x request
without a version is read as 1.2, so that a person can leave it out. Invalid values raise `SruError`; unknown
parameters are recorded and do not invalidate the request.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from windrow.model.query import MOST_KEYS, Missing, SortKey
from windrow.protocols.cql.cql_conversion import sort_field
from windrow.protocols.cql.cql_indexes import Indexes
from windrow.protocols.sru.sru_diagnostics import Diagnostic, SruError

VERSIONS = ("1.1", "1.2", "2.0")
NEWEST = "2.0"
CQL, SEARCH_TERMS = "cql", "searchTerms"
LARGEST = 2_147_483_647
MOST_FACETS = 20

_COMMON = (
    "operation",
    "version",
    "stylesheet",
    "extraRequestData",
    "recordPacking",
    "httpAccept",
    "renderedBy",
)
_SEARCH = (
    *("query", "startRecord", "maximumRecords", "recordSchema", "recordXPath", "resultSetTTL", "sortKeys"),
    *("queryType", "responseType"),
    *("facetLimit", "facetStart", "facetSort", "facetCount"),
)
_SCAN = ("scanClause", "responsePosition", "maximumTerms")
_UNSUPPORTED = {"recordXPath": 72, "stylesheet": 110}  # of 1.x, answered with these diagnostics


class Operation(StrEnum):
    """The operation of a request."""

    EXPLAIN = "explain"
    SEARCH = "searchRetrieve"
    SCAN = "scan"


@dataclass(frozen=True, slots=True)
class Facet:
    """An index whose values are counted; an empty one stands for the default indexes."""

    index: str
    limit: int
    start: int = 1


@dataclass(frozen=True, slots=True)
class SruRequest:
    """One request. `given` has its parameters unchanged, for the echo."""

    operation: Operation
    version: str
    given: Mapping[str, str]
    query: str = ""
    query_type: str = CQL
    start: int = 1
    maximum: int | None = None  # None: the server's default
    schema: str = ""
    is_string: bool = False  # whether records are text with escaped markup
    sort_keys: str = ""
    facets: tuple[Facet, ...] = ()
    is_by_value: bool = False  # whether facets are sorted by value
    is_descending: bool = True
    has_counts: bool = True
    scan_clause: str = ""
    position: int = 1
    terms: int | None = None
    unknown: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = field(default=())

    @property
    def is_new(self) -> bool:
        return self.version == NEWEST


def version_of(pairs: Sequence[tuple[str, str]]) -> str:
    """Return the version in which to respond, even to an invalid request."""
    given = dict(pairs)
    version = given.get("version", "")
    if version in VERSIONS:
        return version
    return "1.2" if given.get("operation") or version.startswith("1") else NEWEST


def operation_of(pairs: Sequence[tuple[str, str]]) -> Operation:
    """Return the operation of a request, as far as it can be determined."""
    given = dict(pairs)
    try:
        return Operation(given.get("operation", ""))
    except ValueError:
        if "query" in given:
            return Operation.SEARCH
        return Operation.SCAN if "scanClause" in given else Operation.EXPLAIN


def read_request(pairs: Sequence[tuple[str, str]]) -> SruRequest:
    """Parse a request; raise SruError for a repeated parameter."""
    given: dict[str, str] = {}
    for name, value in pairs:
        if name in given and given[name] != value:
            raise SruError(6, f"{name} is given twice")
        if "\ufffd" in value or "\x00" in value:
            raise SruError(6, f"{name} is not in UTF-8")
        given[name] = value
    version = given.get("version", "")
    if version and version not in VERSIONS:
        raise SruError(5, NEWEST)
    wanted = given.get("operation", "")
    if wanted and wanted not in tuple(Operation):
        raise SruError(4, wanted)
    operation = operation_of(pairs)
    reading = _Reading(given, version_of(pairs), operation)
    return reading.request()


class _Reading:
    """The parsing of one request's parameters."""

    def __init__(self, given: Mapping[str, str], version: str, operation: Operation) -> None:
        self._given = given
        self._version = version
        self._operation = operation
        self._warnings: list[Diagnostic] = []

    def request(self) -> SruRequest:
        given = self._given
        own = {Operation.SEARCH: _SEARCH, Operation.SCAN: _SCAN, Operation.EXPLAIN: ()}[self._operation]
        unknown = tuple(
            name for name in given if name not in (*_COMMON, *own) and not name.lower().startswith("x-")
        )
        if self._version != NEWEST:
            for name, number in _UNSUPPORTED.items():
                if given.get(name):
                    self._warnings.append(Diagnostic(number, name))
        if self._operation is Operation.EXPLAIN:
            return self._made(unknown, is_string=self._is_string())
        if self._operation is Operation.SCAN:
            return self._made(
                unknown,
                scan_clause=self._mandatory("scanClause"),
                position=self._number("responsePosition", 1, low=0),
                terms=self._optional("maximumTerms", low=1),
            )
        return self._made(
            unknown,
            query=self._mandatory("query"),
            query_type=self._query_type(),
            start=self._number("startRecord", 1, low=1),
            maximum=self._optional("maximumRecords", low=0),
            schema=given.get("recordSchema", "").strip(),
            is_string=self._is_string(),
            sort_keys=given.get("sortKeys", "").strip(),
            facets=_facets(given),
            has_counts=given.get("facetCount", "").lower() not in ("no", "false", "0"),
            **self._facet_sort(),
        )

    def _made(self, unknown: tuple[str, ...], **values: object) -> SruRequest:
        warnings = (*self._warnings, *(Diagnostic(8, name[:100]) for name in unknown))
        return SruRequest(
            self._operation,
            self._version,
            self._given,
            unknown=unknown,
            warnings=warnings,
            **values,  # type: ignore[arg-type]  # each is read for the field of its name
        )

    def _mandatory(self, name: str) -> str:
        value = self._given.get(name, "")
        if not value.strip():
            raise SruError(7, name)
        return value

    def _number(self, name: str, usual: int, *, low: int) -> int:
        found = self._optional(name, low=low)
        return usual if found is None else found

    def _optional(self, name: str, *, low: int) -> int | None:
        text = self._given.get(name, "").strip()
        if not text:
            return None
        if not (text.isascii() and text.isdecimal()) or len(text) > 10 or not low <= int(text) <= LARGEST:
            raise SruError(6, f"{name} must be a number from {low}")
        return int(text)

    def _query_type(self) -> str:
        wanted = self._given.get("queryType", "").strip() or CQL
        found = next((each for each in (CQL, SEARCH_TERMS) if each.lower() == wanted.lower()), None)
        if found is None:
            raise SruError(6, f"queryType {wanted}: cql and searchTerms are understood")
        return found

    def _is_string(self) -> bool:
        """Return whether records are escaped, for which 2.0 and 1.x have different parameters.

        In 2.0 `recordPacking` has another meaning, which makes no difference here; clients of 1.x still send
        it.
        """
        texts = [self._given.get("recordPacking", "").strip().lower()]
        if self._version == NEWEST:
            if texts[0] in ("packed", "unpacked"):
                texts = []
            texts.insert(0, self._given.get("recordXMLEscaping", "").strip().lower())
        for text in texts:
            if text not in ("", "xml", "string"):
                raise SruError(71, text)
        return next(filter(None, texts), "") == "string"

    def _facet_sort(self) -> dict[str, bool]:
        text = self._given.get("facetSort", "").strip()
        if not text:
            return {}
        name, _, order = text.partition(".")
        if name.lower() not in ("recordcount", "alphanumeric") or order.lower() not in (
            "",
            "ascending",
            "descending",
        ):
            raise SruError(
                6, f"facetSort {text}: recordCount or alphanumeric, with .ascending or .descending"
            )
        is_by_value = name.lower() == "alphanumeric"
        is_descending = order.lower() == "descending" if order else not is_by_value
        return {"is_by_value": is_by_value, "is_descending": is_descending}


_LIMITED = re.compile(r"([0-9]{1,6})(?::(.+))?", re.DOTALL)


def _facets(given: Mapping[str, str]) -> tuple[Facet, ...]:
    """Return the facets of `facetLimit`: numbers, each for all indexes or, after a colon, for one."""
    limits = given.get("facetLimit", "").strip()
    if not limits:
        return ()
    starts = _numbered(given.get("facetStart", ""), "facetStart")
    found = _numbered(limits, "facetLimit")
    if len(found) > MOST_FACETS:
        raise SruError(6, f"facetLimit: at most {MOST_FACETS} facets")
    usual = starts.get("", 1)
    return tuple(Facet(index, limit, starts.get(index, usual)) for index, limit in found.items())


def _numbered(text: str, name: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for piece in text.split(",") if text.strip() else ():
        match = _LIMITED.fullmatch(piece.strip())
        if match is None:
            raise SruError(6, f"{name} {piece.strip()}")
        found[(match[2] or "").strip()] = int(match[1])
    return found


# The sortKeys of SRU 1.1: paths with schema, direction, case and the handling of missing values.
# `title,dc,1,0,highValue date,,0` sorts by title, and equal titles by date with the newest first.

_MISSING = {
    "": Missing.HIGH,
    "highvalue": Missing.HIGH,
    "lowvalue": Missing.LOW,
    "omit": Missing.OMIT,
    "abort": Missing.FAIL,
}
# Schemas whose element names are also names of indexes, by their names and URIs in lower case.
_SETS = {
    "": "",
    "dc": "dc.",
    "info:srw/schema/1/dc-v1.1": "dc.",
    "info:srw/cql-context-set/1/dc-v1.1": "dc.",
    "windrow": "windrow.",
}


def read_sort_keys(text: str, indexes: Indexes) -> tuple[SortKey, ...]:
    written = text.split()
    if len(written) > MOST_KEYS:
        raise SruError(84, f"at most {MOST_KEYS} keys")
    return tuple(_key(each, indexes) for each in written)


def _key(text: str, indexes: Indexes) -> SortKey:
    path, schema, direction, case, missing, *more = [*text.split(","), "", "", "", ""]
    if any(more[4:]):
        raise SruError(6, f"sortKeys {text}")
    if schema.lower() not in _SETS:
        raise SruError(87, schema)
    if direction not in ("", "0", "1"):
        raise SruError(90, direction)
    if case not in ("", "0", "1"):
        raise SruError(91, case)
    name = path.strip().strip("/").rpartition("/")[2].lstrip("@").strip('"')
    try:
        index = indexes.find(name if "." in name else f"{_SETS[schema.lower()]}{name}", {})
    except SruError:
        raise SruError(88, path) from None
    field = sort_field(index)
    if field is None:
        raise SruError(88, path)
    return SortKey(field, direction != "0", _missing(missing), respects_case=case == "1")


def _missing(text: str) -> Missing | str:
    known = _MISSING.get(text.lower())
    if known is not None:
        return known
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    raise SruError(92, text)
