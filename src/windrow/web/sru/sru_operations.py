"""The SRU operations searchRetrieve, scan and explain, as values for XML and pages alike.

Methods raise SruError for everything that a request can cause.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from windrow.errors import (
    NotFound,
    QueryTooCostly,
    TooManyToSort,
    Unscannable,
    Unsortable,
    UsageError,
    ValueMissing,
)
from windrow.index.protocol import (
    TALLIED,
    Deferred,
    FacetRequest,
    ScanTerm,
    ValueCount,
    is_quick_answer_wanted,
)
from windrow.index.tantivy.lexicon import start_key
from windrow.model.query import (
    EVENT_FIELDS,
    FIELDS,
    And,
    FieldKind,
    Query,
    SameEvent,
    SortKey,
    Value,
    Word,
    all_of,
)
from windrow.protocols.cql.cql_conversion import to_query, to_sort
from windrow.protocols.cql.cql_indexes import ALL_RECORDS, RESULT_SET, Indexes
from windrow.protocols.cql.cql_syntax import Clause, CqlQuery, escape_term, parse_cql, quoted, read_term
from windrow.protocols.sru.sru_diagnostics import Diagnostic, SruError
from windrow.protocols.sru.sru_request import CQL, Facet, SruRequest, read_sort_keys
from windrow.search.databases import DEFAULT, Database, Databases, MissingRecord, Record, Records
from windrow.search.record_schemas import RecordSchema, find_schema
from windrow.web.sru.sru_responses import FacetTerm, LibraryLink, ResponseFacet
from windrow.web.sru.zeerex import DEFAULT_TERMS, SruLimits

BATCH_RECORDS = 50  # records read at a time
QUICK_RECORDS = 100  # larger responses are written in the slow pool
DEFAULT_FACETS = ("type", "year", "language", "institution", "subject", "creator")
MAX_VALUES = 1000  # of one facet
MAX_EVENT_VALUES = 200  # values of an event field that are counted one by one
_TERM_RELATIONS = ("=", "scr", "==", "exact", "any", "all", "adj")


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """The result of a search. Its records are read by `batches`."""

    request: SruRequest
    database: Database
    cql: CqlQuery | None
    query: Query
    total: int
    schema: RecordSchema
    start: int
    count: int  # records requested and found
    batches: Iterator[Records]
    facets: Sequence[ResponseFacet] | None
    diagnostics: tuple[Diagnostic, ...]

    def following(self, given: int) -> int | None:
        """Return the position of the next records after this many; None if there are none."""
        place = self.start + given
        return place if given and place <= self.total else None


@dataclass(frozen=True, slots=True)
class ScanOutcome:
    """The result of a scan: terms, and where each is in the whole list."""

    request: SruRequest
    database: Database
    clause: CqlQuery
    terms: Sequence[ScanTerm]
    places: Sequence[str]
    diagnostics: tuple[Diagnostic, ...]


class SruOperations:
    """The operations on the databases of one library."""

    def __init__(self, databases: Databases, url: str, limits: SruLimits) -> None:
        """`url` is the public address of the site, without a trailing slash."""
        self.databases = databases
        self.limits = limits
        self._url = url

    def address(self, name: str) -> str:
        return f"{self._url}/sru" + ("" if name == DEFAULT else f"/{quote(name, safe='')}")

    def database(self, name: str) -> Database:
        """Return the database of a path; the whole library if it names none."""
        try:
            return self.databases.get(name or DEFAULT)
        except NotFound:
            raise SruError(235, name) from None

    def search(self, database: Database, request: SruRequest) -> SearchOutcome:
        indexes = Indexes(database.indexes)
        cql = parse_cql(request.query) if request.query_type == CQL else None
        query = _match_all_terms(request.query) if cql is None else to_query(cql, indexes)
        sort, warnings = _sort_keys(request, cql, indexes)
        names = database.schemas
        schema = find_schema(request.schema or names[0], names)
        if schema is None:
            raise SruError(66, request.schema)
        with _as_diagnostics():
            wanted = self.limits.records if request.maximum is None else request.maximum
            expected = min(wanted, self.limits.most_records) if request.start == 1 else 0
            hits = database.search(query, sort, expected=expected)
            total = hits.total
            if request.start > max(total, 1):
                raise SruError(61, str(request.start))
            count = max(0, min(wanted, self.limits.most_records, total - request.start + 1))
            if count > QUICK_RECORDS and is_quick_answer_wanted():
                raise Deferred  # writing them takes longer than finding them
            facets = self._facets(database, request, query, indexes) if request.facets else None
        batches = (
            hits.records(place, min(BATCH_RECORDS, request.start + count - place))
            for place in range(request.start, request.start + count, BATCH_RECORDS)
        )
        return SearchOutcome(
            request,
            database,
            cql,
            query,
            total,
            schema,
            request.start,
            count,
            batches,
            facets,
            (*request.warnings, *warnings),
        )

    def scan(self, database: Database, request: SruRequest) -> ScanOutcome:
        clause = parse_cql(request.scan_clause)
        root = clause.root
        if not isinstance(root, Clause) or clause.sort:
            raise SruError(48, "scanClause takes one index, relation and term")
        relation = root.relation.name.lower().rpartition(".")[2]
        if relation not in _TERM_RELATIONS:
            raise SruError(19, root.relation.name)
        field, is_whole = _scanned_field(root, relation, Indexes(database.indexes))
        size = DEFAULT_TERMS if request.terms is None else request.terms
        if size > self.limits.most_terms:
            raise SruError(121, f"at most {self.limits.most_terms}")
        # The position of the searched term among those in the response: 0 is just before the first.
        if request.position > size + 1:
            raise SruError(120, f"responsePosition must be from 0 to {size + 1}")
        term = read_term(root.term, is_masking=False).text if root.term.strip() else ""
        terms, places = self._terms(database, field, term, request.position, size, is_whole=is_whole)
        return ScanOutcome(request, database, clause, terms, places, request.warnings)

    def _terms(
        self, database: Database, field: str | None, term: str, position: int, size: int, *, is_whole: bool
    ) -> tuple[Sequence[ScanTerm], list[str]]:
        before = max(0, position - 1)
        after = max(0, size - before)
        skipped = int(position == 0)  # the response begins after the term
        with _as_diagnostics():
            low = database.scan(field, term, before=before + 1, size=0, is_whole=is_whole) if before else []
            high = database.scan(field, term, size=after + 1 + skipped, is_whole=is_whole) if after else []
            is_low_end = len(low) <= before
            if not before and high:
                is_low_end = not skipped and not database.scan(
                    field, term, before=1, size=0, is_whole=is_whole
                )
        is_high_end = bool(after) and len(high) <= after + skipped
        if skipped and high and high[0].term == start_key(field, term, is_whole=is_whole):
            high = high[1:]
        found = [*low[-before:], *high[:after]] if before else list(high[:after])
        return found, _term_positions(len(found), is_first=is_low_end, is_last=is_high_end)

    def _facets(
        self, database: Database, request: SruRequest, query: Query, indexes: Indexes
    ) -> list[ResponseFacet]:
        wanted: list[tuple[str, str, Facet]] = []
        for facet in request.facets:
            if facet.index:
                wanted.append((facet.index, _counted_field(facet.index, indexes), facet))
            else:
                wanted += [(f"windrow.{field}", field, facet) for field in DEFAULT_FACETS]
        chosen = [each for each in wanted if each[2].limit]
        # A facet that is requested by name replaces the same one among the defaults.
        named = {field for label, field, facet in chosen if facet.index}
        chosen = [each for each in chosen if each[2].index or each[1] not in named]
        counted = _count_values(database, query, [field for _, field, _ in chosen], request)
        return [
            ResponseFacet(label, label, self._facet_terms(database, request, label, values, facet))
            for (label, _, facet), values in zip(chosen, counted, strict=True)
        ]

    def _facet_terms(
        self, database: Database, request: SruRequest, label: str, values: Sequence[ValueCount], facet: Facet
    ) -> list[FacetTerm]:
        first = max(0, facet.start - 1)
        base = f"({request.query}) and " if request.query_type == CQL else ""
        made = []
        for value in values[first : first + facet.limit]:
            query = f"{base}{label} == {quoted(escape_term(value.value), is_term=True)}"
            pairs = {**request.given, "query": query, "startRecord": "1", "queryType": CQL}
            address = f"{self.address(database.name)}?{urlencode(pairs, errors='replace')}"
            made.append(FacetTerm(value.value, value.count, query, address))
        return made

    def links(self, found: SearchOutcome) -> list[LibraryLink]:
        """Return related links of a result: the same search in the portal, and the explain record."""
        links = [LibraryLink("describedby", self.address(found.database.name))]
        if found.database.name == DEFAULT:
            asked = urlencode({"q": str(found.query)}, errors="replace")
            links.insert(0, LibraryLink("alternate", f"{self._url}/search?{asked}"))
        return links


def _match_all_terms(text: str) -> Query:
    words = text.split()
    if not words:
        raise SruError(27)
    return all_of(Word(word) for word in words)


def _sort_keys(
    request: SruRequest, cql: CqlQuery | None, indexes: Indexes
) -> tuple[tuple[SortKey, ...], tuple[Diagnostic, ...]]:
    """Return the sort keys of a search; those of its query take precedence over those of the request."""
    if cql is not None and cql.sort:
        both = (Diagnostic(94),) if request.sort_keys else ()
        return to_sort(cql, indexes), both
    return read_sort_keys(request.sort_keys, indexes), ()


def _scanned_field(clause: Clause, relation: str, indexes: Indexes) -> tuple[str | None, bool]:
    """Return the field of a scan, and whether its whole values are listed."""
    index = indexes.find(clause.index or "cql.serverChoice", {})
    if index.label in (f"cql.{ALL_RECORDS}", f"cql.{RESULT_SET}") or len(index.fields) > 1:
        raise SruError(16, f"{index.label} cannot be scanned")
    field = index.fields[0] if index.fields else None
    is_whole = relation in ("==", "exact") or "string" in {
        modifier.name.lower().rpartition(".")[2] for modifier in clause.relation.modifiers
    }
    if field is not None and (field not in FIELDS or FIELDS[field].kind is not FieldKind.WORDS):
        is_whole = True
    return field, is_whole or field in EVENT_FIELDS


def _term_positions(count: int, *, is_first: bool, is_last: bool) -> list[str]:
    """Return whereInList of each term: only the first and the last of the whole list are special."""
    places = ["inner"] * count
    if count and is_first:
        places[0] = "first"
    if count and is_last:
        places[-1] = "only" if is_first and count == 1 else "last"
    return places


def _counted_field(name: str, indexes: Indexes) -> str:
    index = indexes.find(name, {})
    field = next((each for each in index.fields if each in TALLIED), None)
    if field is None:
        raise SruError(16, f"{name} has no values that can be counted")
    return field


def _count_values(
    database: Database, query: Query, fields: Sequence[str], request: SruRequest
) -> list[list[ValueCount]]:
    """Return the values of fields among the results, in the requested order."""
    most = [min(MAX_VALUES, facet.limit + facet.start) for facet in request.facets] or [0]
    size = MAX_VALUES if request.is_by_value or not request.is_descending else max(most)
    asked = [
        FacetRequest(field, max(size, MAX_EVENT_VALUES) if _is_of_event(field) else size, request.is_by_value)
        for field in fields
    ]
    counts = database.tally(query, asked) if asked else ()
    found = []
    for field, counted in zip(fields, counts, strict=True):
        values = list(counted.values)
        if _is_of_event(field):
            values = _count_same_event(database, query, field, values)
        if request.is_by_value:
            values.sort(key=lambda each: each.value, reverse=request.is_descending)
        elif not request.is_descending:
            values.sort(key=lambda each: (each.count, each.value))
        found.append(values)
    return found


def _is_of_event(field: str) -> bool:
    return field in EVENT_FIELDS or field == "event_language"


def _count_same_event(
    database: Database, query: Query, field: str, values: Sequence[ValueCount]
) -> list[ValueCount]:
    """Count the values of only those events that match all conditions on a single event."""
    parts = query.parts if isinstance(query, And) else (query,)
    stated = [part for part in parts if isinstance(part, SameEvent)]
    if len(stated) != 1:
        return list(values)
    others = [part for part in parts if part is not stated[0]]
    name = "language" if field == "event_language" else field
    exact = [
        each._replace(
            count=database.search(
                all_of([*others, SameEvent(all_of([stated[0].part, Value(each.value, name)]))])
            ).total
        )
        for each in values[:MAX_EVENT_VALUES]
    ]
    return sorted((each for each in exact if each.count), key=lambda each: (-each.count, each.value))


@contextmanager
def _as_diagnostics() -> Iterator[None]:
    """Convert errors of an index to diagnostics."""
    try:
        yield
    except QueryTooCostly as exc:
        raise SruError(47, exc.sentences) from None
    except TooManyToSort as exc:
        raise SruError(83, exc.sentences) from None
    except ValueMissing as exc:
        raise SruError(93, exc.sentences) from None
    except Unsortable as exc:
        raise SruError(82, exc.sentences) from None
    except Unscannable as exc:
        raise SruError(16, exc.sentences) from None
    except UsageError as exc:
        raise SruError(47, exc.sentences) from None


def all_records(found: SearchOutcome) -> list[Record | MissingRecord]:
    with _as_diagnostics():
        return [record for batch in found.batches for record in batch]
