"""One session with a client: negotiated options, result sets, and the response to each message.

All of it blocks and none of it uses the network: `target` runs it in threads, one message of a session at a
time. A slow response may be restarted from the beginning (`index.protocol.Deferred`), so nothing is stored
before it is complete.

Many clients request the first records directly after every search. Once a client has done so, that response
is prepared together with the next search, which takes one turn of a pool instead of two.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NoReturn

from windrow import __version__
from windrow.errors import NotFound, QueryTooCostly, RpnError, StoreError, UsageError, WindrowError
from windrow.index.protocol import SORTABLE, Missing, SortKey
from windrow.model.query import FIELDS, FieldKind, Query, any_of, find_field
from windrow.protocols.z3950 import z3950_registry
from windrow.protocols.z3950.asn1 import Chosen
from windrow.protocols.z3950.charset_negotiation import negotiate, refusal
from windrow.protocols.z3950.pdus import (
    NAME_PLUS_RECORD,
    AccessControlResponse,
    Close,
    CloseReason,
    DefaultDiagnostic,
    DeleteResultSetRequest,
    DeleteResultSetResponse,
    DeleteStatus,
    ExtendedServicesRequest,
    ExtendedServicesResponse,
    IdPass,
    InitRequest,
    InitResponse,
    ListEntries,
    ListStatus,
    NamePlusRecord,
    Option,
    PresentRequest,
    PresentResponse,
    PresentStatus,
    ResourceControlResponse,
    ResourceReportRequest,
    ResourceReportResponse,
    ScanRequest,
    ScanResponse,
    ScanStatus,
    SearchRequest,
    SearchResponse,
    Segment,
    SortKeySpec,
    SortRequest,
    SortResponse,
    SortStatus,
    Specification,
    TermInfo,
    TriggerResourceControlRequest,
)
from windrow.protocols.z3950.rpn import attributes_of, from_pdu, term_of
from windrow.protocols.z3950.rpn_conversion import TermAttributes, query_of, read_attributes
from windrow.protocols.z3950.z3950_registry import DATED, EVENT, Diagnostic, Profile
from windrow.search.databases import Database, Databases, Hits, MissingRecord
from windrow.z3950.syntaxes import Composition, render

log = logging.getLogger("windrow.z3950")

MOST_DATABASES = 20  # in one search
MOST_SCANNED = 200  # terms of one Scan response
MOST_RANGES = 50  # in one Present request
LONGEST_NAME = 200
FETCHED_AT_ONCE = 50  # records that are fetched together
PREPARED_BYTES = 64 << 10  # size of a prepared response; there may be one for each session
PREPARED_SECONDS = 1.0  # lifetime of a prepared response
SMALLEST_MESSAGE = 1024
LARGEST_ADDINFO = 500
OFFERED = frozenset(
    (
        Option.SEARCH,
        Option.PRESENT,
        Option.DELETE_SET,
        Option.SCAN,
        Option.SORT,
        Option.LEVEL_1_SEGMENTATION,
        Option.NAMED_RESULT_SETS,
        Option.NEGOTIATION_MODEL,
    )
)
_OVERHEAD = 300  # bytes of a response without its records
_WHOLE_KINDS = (FieldKind.EXACT, FieldKind.TREE, FieldKind.NUMBER, FieldKind.DATE)


@dataclass(frozen=True, slots=True)
class Terms:
    """The configuration of a target for all sessions."""

    databases: Databases
    profile: Profile = Profile.GILS
    charset: str = "utf-8"
    most_result_sets: int = 20
    largest_message: int = 8 << 20
    authenticate: Callable[[str, str], bool] | None = None


@dataclass(frozen=True, slots=True)
class ResultSet:
    """The results of a search, and its request."""

    database: Database
    names: tuple[str, ...]
    query: Query
    hits: Hits


@dataclass(frozen=True, slots=True)
class _Prepared:
    """The response to the request that is expected next."""

    request: PresentRequest
    answers: Sequence[Any]
    until: float  # bounds how long records that have been withdrawn are still shown


class Ended(Exception):
    """The session is over; `message` is the last one to send, if any."""

    def __init__(self, message: Any = None) -> None:
        super().__init__()
        self.message = message


class Session:
    """The state of one connection, and its responses to messages."""

    def __init__(self, terms: Terms, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._terms = terms
        self._clock = clock
        self._is_open = False
        self._charset = terms.charset
        self._options: frozenset[int] = frozenset()
        self._preferred_size = terms.largest_message
        self._exceptional_size = terms.largest_message
        self._sets: dict[str, ResultSet] = {}
        self._searched_at = float("-inf")
        self._habit: PresentRequest | None = None  # the request that followed the last search directly
        self._prepared: _Prepared | None = None
        self._answers: dict[type[Any], Callable[[Any], Sequence[Any]]] = {
            InitRequest: self._init,
            SearchRequest: self._search,
            PresentRequest: self._present,
            DeleteResultSetRequest: self._delete,
            ScanRequest: self._scan,
            SortRequest: self._sort,
            ExtendedServicesRequest: self._refuse_service,
            ResourceReportRequest: self._refuse_report,
            TriggerResourceControlRequest: _nothing,
            AccessControlResponse: _nothing,
            ResourceControlResponse: _nothing,
            Close: _close,
        }

    def answer(self, message: Any) -> Sequence[Any]:
        """Return the response to a message; raise Ended when the session is over."""
        if not self._is_open and not isinstance(message, InitRequest | Close):
            raise Ended(_closing(CloseReason.PROTOCOL_ERROR, "the first message must be Init"))
        found = self._answers.get(type(message))
        if found is None:
            raise Ended(_closing(CloseReason.PROTOCOL_ERROR, "only an origin's messages are taken"))
        return found(message)

    def take_prepared(self, message: Any) -> Sequence[Any] | None:
        """Return the response prepared with the previous message; None if there is none for this message."""
        prepared, self._prepared = self._prepared, None
        if prepared is None:
            return None
        if message != prepared.request or self._clock() >= prepared.until:
            self._habit = None
            return None
        self._searched_at = float("-inf")
        return prepared.answers

    # Initialisation

    def _init(self, request: InitRequest) -> Sequence[Any]:
        trouble = self._trouble_with(request)
        agreed = negotiate(request.other_info or ())
        options = request.options & OFFERED
        if agreed is None:
            options -= {Option.NEGOTIATION_MODEL}
        largest = self._terms.largest_message
        preferred = min(max(request.preferred_message_size, SMALLEST_MESSAGE), largest)
        exceptional = min(max(request.exceptional_record_size, preferred), largest)
        # Version 3 if the client supports it, else 2, which is identical with 1.
        versions = frozenset((0, 1, 2)) if 2 in request.protocol_version else frozenset((0, 1))
        response = InitResponse(
            reference_id=request.reference_id,
            protocol_version=versions,
            options=options,
            preferred_message_size=preferred,
            exceptional_record_size=exceptional,
            result=not trouble,
            implementation_id="Windrow",
            implementation_name="Windrow",
            implementation_version=__version__,
            user_information=refusal(Diagnostic.BAD_LOGIN, trouble) if trouble else None,
            other_info=(agreed[1],) if agreed else None,
        )
        if trouble:
            raise Ended(response)
        self._is_open = True
        self._charset = agreed[0] if agreed else self._terms.charset
        self._options = options
        self._preferred_size, self._exceptional_size = preferred, exceptional
        self._sets.clear()
        self._habit = None
        return (response,)

    def _trouble_with(self, request: InitRequest) -> str:
        if self._terms.authenticate is None:
            return ""
        given = request.id_authentication
        user = password = None
        if given is not None and given.name == "idPass":
            who: IdPass = given.value
            user, password = who.user_id, who.password
        elif given is not None and given.name in ("open", "string"):
            user, _, password = given.value.partition("/")
        if not user or password is None:
            return "This server asks for a user name and a password."
        if not self._terms.authenticate(user, password):
            return "The user name or the password is wrong."
        return ""

    def _decode(self, octets: bytes) -> str:
        try:
            return octets.decode(self._charset)
        except UnicodeDecodeError:
            return octets.decode("latin-1")

    def _encode(self, text: str) -> bytes:
        return text.encode(self._charset, "replace")

    # Search

    def _search(self, request: SearchRequest) -> Sequence[Any]:
        try:
            found = self._found(request)
            records, status = self._piggybacked(request, found)
        except WindrowError as exc:
            response = SearchResponse(
                reference_id=request.reference_id,
                result_count=0,
                number_of_records_returned=0,
                next_result_set_position=0,
                search_status=False,
                result_set_status=3,  # none
                records=Chosen("nonSurrogateDiagnostic", diagnosed(exc)),
            )
            return (response,)
        prepared = self._prepare(request.result_set_name, found)
        self._sets[request.result_set_name] = found
        self._prepared, self._searched_at = prepared, self._clock()
        total = found.hits.total
        shown = len(records.value) if records is not None and records.name == "responseRecords" else 0
        response = SearchResponse(
            reference_id=request.reference_id,
            result_count=total,
            number_of_records_returned=shown,
            next_result_set_position=shown + 1 if shown < total else 0,
            search_status=True,
            present_status=status,
            records=records,
        )
        return (response,)

    def _found(self, request: SearchRequest) -> ResultSet:
        name = request.result_set_name
        self._check_name(name, is_replaced=request.replace_indicator)
        database = self._database(request.database_names)
        kind, asked = request.query
        if kind not in ("type-1", "type-101"):
            raise RpnError(Diagnostic.QUERY_TYPE, kind.removeprefix("type-"))
        rpn = from_pdu(asked, self._decode)
        operand = partial(self._operand, request.database_names)
        query = query_of(rpn, self._terms.profile, operand)
        expected = self._habit.number_of_records_requested if self._habit is not None else 0
        hits = database.search(query, expected=expected)
        return ResultSet(database, request.database_names, query, hits)

    def _check_name(self, name: str, *, is_replaced: bool) -> None:
        if not name or len(name) > LONGEST_NAME:
            raise RpnError(Diagnostic.ILLEGAL_RESULT_SET_NAME, name[:LONGEST_NAME])
        if name in self._sets:
            if not is_replaced:
                raise RpnError(Diagnostic.RESULT_SET_EXISTS, name)
        elif len(self._sets) >= self._terms.most_result_sets:
            raise RpnError(Diagnostic.TOO_MANY_RESULT_SETS, str(self._terms.most_result_sets))

    def _database(self, names: Sequence[str]) -> Database:
        if not names:
            raise RpnError(Diagnostic.NO_SUCH_DATABASE)
        if len(names) > MOST_DATABASES:
            raise RpnError(Diagnostic.TOO_MANY_DATABASES, str(MOST_DATABASES))
        for name in names:
            try:
                self._terms.databases.get(name)
            except NotFound as exc:
                raise RpnError(Diagnostic.NO_SUCH_DATABASE, name[:LONGEST_NAME]) from exc
        try:
            return self._terms.databases.combined(names)
        except UsageError as exc:
            raise RpnError(Diagnostic.DATABASE_COMBINATION, ", ".join(names)[:LARGEST_ADDINFO]) from exc

    def _operand(self, names: tuple[str, ...], name: str) -> Query:
        found = self._set(name)
        if {each.casefold() for each in found.names} != {each.casefold() for each in names}:
            raise RpnError(Diagnostic.DATABASE_COMBINATION, f"result set {name} is of other databases")
        return found.query

    def _set(self, name: str) -> ResultSet:
        found = self._sets.get(name)
        if found is None:
            raise RpnError(Diagnostic.NO_SUCH_RESULT_SET, name[:LONGEST_NAME])
        return found

    def _piggybacked(self, request: SearchRequest, found: ResultSet) -> tuple[Chosen | None, int | None]:
        """Return the records sent with a Search response: all of a small set, some of a medium one."""
        total = found.hits.total
        if total == 0:
            return None, None
        if total <= request.small_set_upper_bound:
            number, elements = total, request.small_set_element_set_names
        elif total < request.large_set_lower_bound and request.medium_set_present_number > 0:
            number, elements = request.medium_set_present_number, request.medium_set_element_set_names
        else:
            return None, None
        try:
            composition = Composition(
                syntax=request.preferred_record_syntax or z3950_registry.XML,
                element_set=_element_set(elements, found),
            )
            page = self._page(found, [(1, min(number, total))], composition)
        except UsageError as exc:
            return Chosen("nonSurrogateDiagnostic", diagnosed(exc)), PresentStatus.FAILURE
        status = PresentStatus.SUCCESS if page.is_complete else PresentStatus.PARTIAL_2
        return Chosen("responseRecords", tuple(page.records)), status

    # Present

    def _present(self, request: PresentRequest) -> Sequence[Any]:
        try:
            found = self._set(request.result_set_id)
            answers, size = self._presented(request, found)
        except WindrowError as exc:
            response = PresentResponse(
                reference_id=request.reference_id,
                number_of_records_returned=0,
                next_result_set_position=0,
                present_status=PresentStatus.FAILURE,
                records=Chosen("nonSurrogateDiagnostic", diagnosed(exc)),
            )
            return (response,)
        if size <= PREPARED_BYTES and self._clock() < self._searched_at + PREPARED_SECONDS:
            self._note_habit(request)
        self._searched_at = float("-inf")
        return answers

    def _note_habit(self, request: PresentRequest) -> None:
        """Remember a request for the first records that directly followed a search."""
        is_plain = not request.additional_ranges and not request.reference_id
        is_first = request.result_set_start_point == 1
        if is_plain and is_first and request.number_of_records_requested <= FETCHED_AT_ONCE:
            self._habit = request

    def _prepare(self, name: str, found: ResultSet) -> _Prepared | None:
        """Prepare the response to the request expected after a search, in the same turn of a pool.

        Only a client that requested the first records, and few of them, directly after its last search is
        expected to do so again: for other clients they would be fetched in vain.
        """
        total = found.hits.total
        if self._habit is None or not total:
            return None
        number = min(self._habit.number_of_records_requested, total)
        request = replace(self._habit, result_set_id=name, number_of_records_requested=number)
        try:
            answers, size = self._presented(request, found)
        except WindrowError:
            return None  # it will be the response to the request itself
        until = self._clock() + PREPARED_SECONDS
        return _Prepared(request, answers, until) if size <= PREPARED_BYTES else None

    def _presented(self, request: PresentRequest, found: ResultSet) -> tuple[Sequence[Any], int]:
        """Return the messages with the records of a result set, and their approximate size."""
        composition = _composition(request, found)
        ranges = _ranges(request, found.hits.total)
        segments = 0
        if Option.LEVEL_1_SEGMENTATION in self._options and request.max_segment_count != 1:
            segments = min((request.max_segment_count or 100) - 1, 1000)
        pages = list(self._pages(found, ranges, composition, segments))
        *earlier, last = pages
        answers: list[Any] = [
            Segment(
                reference_id=request.reference_id,
                number_of_records_returned=len(page.records),
                segment_records=tuple(page.records),
            )
            for page in earlier
        ]
        following = last.following
        response = PresentResponse(
            reference_id=request.reference_id,
            number_of_records_returned=sum(len(page.records) for page in pages),
            next_result_set_position=following if following <= found.hits.total else 0,
            present_status=PresentStatus.SUCCESS if last.is_complete else PresentStatus.PARTIAL_2,
            records=Chosen("responseRecords", tuple(last.records)),
        )
        return (*answers, response), sum(page.size for page in pages)

    def _pages(
        self, found: ResultSet, ranges: Sequence[tuple[int, int]], composition: Composition, segments: int
    ) -> Iterator[_Page]:
        rest = list(ranges)
        while True:
            page = self._page(found, rest, composition)
            yield page
            if page.is_complete or segments <= 0:
                return
            segments -= 1
            rest = page.rest

    def _page(self, found: ResultSet, ranges: Sequence[tuple[int, int]], composition: Composition) -> _Page:
        schema = composition.check(found.database)
        page = _Page([], list(ranges), ranges[0][0])
        is_alone = ranges[0][1] == 1 and len(ranges) == 1
        while page.rest:
            start, number = page.rest[0]
            records = found.hits.records(start, min(number, FETCHED_AT_ONCE))
            for record in records:
                made, octets = self._record(found, record, composition, schema)
                if page.size + octets > self._preferred_size:
                    if page.records:
                        return page
                    made, octets = self._oversized(made, octets, is_alone=is_alone)
                page.take(made)
                page.size += octets
            if not records:
                break
        return page

    def _oversized(self, made: NamePlusRecord, octets: int, *, is_alone: bool) -> tuple[NamePlusRecord, int]:
        """Return an oversized record if the client accepts it, else a diagnostic."""
        if is_alone and octets <= self._exceptional_size:
            return made, octets
        too_large = octets > self._exceptional_size
        condition = (
            Diagnostic.RECORD_EXCEEDS_EXCEPTIONAL_SIZE
            if too_large
            else Diagnostic.RECORD_EXCEEDS_PREFERRED_SIZE
        )
        return _surrogate(made.name, condition, str(octets))

    def _record(
        self, found: ResultSet, record: Any, composition: Composition, schema: str
    ) -> tuple[NamePlusRecord, int]:
        name = found.names[0]
        if isinstance(record, MissingRecord):
            return _surrogate(name, Diagnostic.UNSPECIFIED, "the record was withdrawn")
        try:
            made = render(record, composition, schema, profile=self._terms.profile, encode=self._encode)
        except (WindrowError, ValueError):
            log.exception("a record cannot be shown: %s", record.identifier)
            return _surrogate(name, Diagnostic.UNSPECIFIED, "the record cannot be shown")
        if made is None:
            return _surrogate(name, Diagnostic.SYNTAX_UNAVAILABLE, schema)
        shown = NamePlusRecord(name=name, record=Chosen("retrievalRecord", made))
        content = made.octets if made.octets is not None else made.written or b""
        return shown, len(content) + len(name) + 60

    # Result sets

    def _delete(self, request: DeleteResultSetRequest) -> Sequence[Any]:
        if request.delete_function == 1:
            self._sets.clear()
            statuses = None
        else:
            names = request.result_set_list or ()
            statuses = tuple(
                ListStatus(
                    id=name,
                    status=DeleteStatus.SUCCESS if self._sets.pop(name, None) else DeleteStatus.DID_NOT_EXIST,
                )
                for name in names
            )
        is_whole = all(each.status == DeleteStatus.SUCCESS for each in statuses or ())
        response = DeleteResultSetResponse(
            reference_id=request.reference_id,
            delete_operation_status=DeleteStatus.SUCCESS if is_whole else DeleteStatus.NOT_ALL_DELETED,
            delete_list_statuses=statuses,
        )
        return (response,)

    # Scan

    def _scan(self, request: ScanRequest) -> Sequence[Any]:
        try:
            return (self._scanned(request),)
        except WindrowError as exc:
            response = ScanResponse(
                reference_id=request.reference_id,
                scan_status=ScanStatus.FAILURE,
                number_of_entries_returned=0,
                entries=ListEntries(nonsurrogate_diagnostics=(Chosen("defaultFormat", diagnosed(exc)),)),
            )
            return (response,)

    def _scanned(self, request: ScanRequest) -> ScanResponse:
        if request.step_size:
            raise RpnError(Diagnostic.STEP_SIZE, str(request.step_size))
        number = max(0, min(request.number_of_terms_requested, MOST_SCANNED))
        position = (
            1 if request.preferred_position_in_response is None else request.preferred_position_in_response
        )
        if not 0 <= position <= number + 1:
            raise RpnError(Diagnostic.SCAN_POSITION, str(position))
        database = self._database(request.database_names)
        term = term_of(request.term_list_and_start_point, self._decode)
        asked = read_attributes(
            term.attributes, request.attribute_set or z3950_registry.BIB_1, self._terms.profile
        )
        field = _scanned_field(asked)
        before = max(0, position - 1)
        wanted = number - before + (1 if position == 0 else 0)
        found = list(
            database.scan(field, term.text, before=before, size=wanted, is_whole=_is_whole(field, asked))
        )
        at = min(_place_of(found, database, field, asked, term.text, before), len(found) + 1)
        if position == 0:
            found = found[1:] if len(found) > number else found
            at = 0
        entries = tuple(
            Chosen(
                "termInfo",
                TermInfo(
                    term=Chosen("general", self._encode(each.term)),
                    display_term=self._encode(each.display) if each.display != each.term else None,
                    global_occurrences=each.count,
                ),
            )
            for each in found
        )
        return ScanResponse(
            reference_id=request.reference_id,
            step_size=0,
            scan_status=ScanStatus.SUCCESS if len(entries) == number else ScanStatus.PARTIAL_5,
            number_of_entries_returned=len(entries),
            position_of_term=at,
            entries=ListEntries(entries=entries) if entries else None,
        )

    # Sort

    def _sort(self, request: SortRequest) -> Sequence[Any]:
        try:
            found = self._sorted(request)
        except WindrowError as exc:
            response = SortResponse(
                reference_id=request.reference_id,
                sort_status=SortStatus.FAILURE,
                result_set_status=3,  # unchanged
                diagnostics=(Chosen("defaultFormat", _sort_diagnostic(exc)),),
            )
            return (response,)
        self._sets[request.sorted_result_set_name] = found
        self._searched_at = float("-inf")
        response = SortResponse(
            reference_id=request.reference_id,
            sort_status=SortStatus.SUCCESS,
            result_count=found.hits.total,
        )
        return (response,)

    def _sorted(self, request: SortRequest) -> ResultSet:
        self._check_name(request.sorted_result_set_name, is_replaced=True)
        if not request.input_result_set_names:
            raise RpnError(Diagnostic.NO_SUCH_RESULT_SET)
        if len(request.input_result_set_names) > MOST_DATABASES:
            raise RpnError(Diagnostic.SORT_TOO_MANY_SETS, str(MOST_DATABASES))
        first, *others = [self._set(name) for name in request.input_result_set_names]
        if any(each.names != first.names for each in others):
            raise RpnError(Diagnostic.DATABASE_COMBINATION, "result sets of other databases")
        keys = [self._key(key) for key in request.sort_sequence]
        if not keys:
            raise RpnError(Diagnostic.CANNOT_SORT, "no key")
        query = any_of([first.query, *(each.query for each in others)])
        return ResultSet(first.database, first.names, query, first.database.search(query, keys))

    def _key(self, key: SortKeySpec) -> SortKey:
        if key.sort_relation not in (0, 1):
            raise RpnError(Diagnostic.SORT_RELATION, str(key.sort_relation))
        if key.sort_element.name != "generic":
            raise RpnError(Diagnostic.SORT_DATABASES)
        kind, value = key.sort_element.value
        if kind == "sortfield":
            fields: Sequence[str | None] = (_sort_field(value),)
        elif kind == "sortAttributes":
            fields = read_attributes(attributes_of(value.attributes), value.id, self._terms.profile).fields
        else:
            raise RpnError(Diagnostic.CANNOT_SORT, "a sort by elements")
        field = next((each for each in fields if each in SORTABLE), None)
        if field is None:
            raise RpnError(Diagnostic.CANNOT_SORT, ", ".join(str(each) for each in fields))
        return SortKey(
            field,
            is_ascending=key.sort_relation == 0,
            missing=self._missing(key.missing_value_action),
            respects_case=key.case_sensitivity == 0,
        )

    def _missing(self, action: Chosen | None) -> Missing | str:
        if action is None:
            return Missing.HIGH
        if action.name == "abort":
            return Missing.FAIL
        return Missing.LOW if action.name == "null" else self._decode(action.value)

    # Unsupported services

    def _refuse_service(self, request: ExtendedServicesRequest) -> Sequence[Any]:
        diagnostic = diagnosed(RpnError(Diagnostic.ES_UNSUPPORTED, request.package_type))
        response = ExtendedServicesResponse(
            reference_id=request.reference_id,
            operation_status=3,
            diagnostics=(Chosen("defaultFormat", diagnostic),),
        )
        return (response,)

    def _refuse_report(self, request: ResourceReportRequest) -> Sequence[Any]:
        return (ResourceReportResponse(reference_id=request.reference_id, resource_report_status=7),)


class _Page:
    """The records of one message, and the rest of the requested ranges."""

    def __init__(self, records: list[NamePlusRecord], rest: list[tuple[int, int]], following: int) -> None:
        self.records = records
        self.size = _OVERHEAD  # approximate size in bytes
        self.rest = rest
        self.following = following

    @property
    def is_complete(self) -> bool:
        return not self.rest

    def take(self, record: NamePlusRecord) -> None:
        self.records.append(record)
        start, number = self.rest[0]
        self.following = start + 1
        if number > 1:
            self.rest[0] = (start + 1, number - 1)
        else:
            del self.rest[0]


def _composition(request: PresentRequest, found: ResultSet) -> Composition:
    syntax = request.preferred_record_syntax
    wanted = request.record_composition
    if wanted is None:
        return Composition(syntax or z3950_registry.XML)
    if wanted.name == "simple":
        return Composition(syntax or z3950_registry.XML, element_set=_element_set(wanted.value, found))
    complex_ = wanted.value
    given: Specification | None = complex_.generic
    if given is None:
        given = next(
            (
                each.specification
                for each in complex_.db_specific or ()
                if each.database.casefold() == found.names[0].casefold()
            ),
            None,
        )
    syntaxes = complex_.record_syntax or ()
    schema = element_set = None
    if given is not None and given.schema is not None:
        schema = given.schema.value
    if given is not None and given.element_spec is not None:
        if given.element_spec.name != "elementSetName":
            raise RpnError(Diagnostic.COMP_SPEC, "eSpec")
        element_set = given.element_spec.value
    return Composition(syntax or next(iter(syntaxes), z3950_registry.XML), schema, element_set)


def _element_set(names: Chosen | None, found: ResultSet) -> str | None:
    if names is None:
        return None
    if names.name == "genericElementSetName":
        name: str = names.value
    else:
        wanted = found.names[0].casefold()
        name = next((each.element_set for each in names.value if each.database.casefold() == wanted), "")
        if not name:
            raise RpnError(Diagnostic.ONLY_GENERIC_ELEMENT_SETS)
    return name.upper() if name in ("b", "f") else name


def _ranges(request: PresentRequest, total: int) -> list[tuple[int, int]]:
    ranges = [(request.result_set_start_point, request.number_of_records_requested)]
    more = request.additional_ranges or ()
    if len(more) > MOST_RANGES:
        raise RpnError(Diagnostic.PRESENT_OUT_OF_RANGE, f"more than {MOST_RANGES} ranges")
    ranges += [(each.starting_position, each.number_of_records) for each in more]
    for start, number in ranges:
        if start < 1 or number < 0 or start + number - 1 > total or start > max(total, 1):
            raise RpnError(Diagnostic.PRESENT_OUT_OF_RANGE, f"{start}+{number} of {total}")
    wanted = [each for each in ranges if each[1] > 0]
    if not wanted:
        raise RpnError(Diagnostic.PRESENT_OUT_OF_RANGE, "no record was asked for")
    return wanted


def _scanned_field(asked: TermAttributes) -> str | None:
    if EVENT in asked.fields:
        raise RpnError(Diagnostic.SCAN_UNSUPPORTED, "the parts of an event can be scanned one by one")
    return "year" if asked.fields == DATED else asked.fields[0]


def _is_whole(field: str | None, asked: TermAttributes) -> bool:
    return asked.completeness != 1 or (field is not None and FIELDS[field].kind in _WHOLE_KINDS)


def _place_of(
    found: Sequence[Any], database: Database, field: str | None, asked: TermAttributes, text: str, before: int
) -> int:
    """Return the position of a scan's start among the terms, from 1; there may be too few terms before it."""
    if not before:
        return 1
    following = database.scan(field, text, before=0, size=1, is_whole=_is_whole(field, asked))
    if not following:
        return len(found) + 1
    return next((place for place, each in enumerate(found, 1) if each == following[0]), before + 1)


def _sort_field(name: str) -> str:
    return find_field(name.strip()) or name.strip()[:LONGEST_NAME]


def _surrogate(name: str | None, condition: Diagnostic, about: str) -> tuple[NamePlusRecord, int]:
    diagnostic = Chosen("defaultFormat", diagnosed(RpnError(condition, about)))
    made = NamePlusRecord(name=name, record=Chosen("surrogateDiagnostic", diagnostic))
    return made, len(NAME_PLUS_RECORD.write(made))


def diagnosed(error: Exception) -> DefaultDiagnostic:
    condition, about = Diagnostic.PERMANENT_SYSTEM_ERROR, ""
    if isinstance(error, RpnError):
        condition, about = Diagnostic(error.condition), error.about
    elif isinstance(error, QueryTooCostly):
        condition, about = Diagnostic.RESOURCES_EXHAUSTED, error.sentences
    elif isinstance(error, UsageError):
        condition, about = Diagnostic.UNSUPPORTED_SEARCH, error.sentences
    elif isinstance(error, StoreError):
        log.error("the library cannot be read: %s", error)
        condition = Diagnostic.TEMPORARY_SYSTEM_ERROR
    return DefaultDiagnostic(
        diagnostic_set_id=z3950_registry.DIAGNOSTICS, condition=condition, addinfo=about[:LARGEST_ADDINFO]
    )


def _sort_diagnostic(error: Exception) -> DefaultDiagnostic:
    if isinstance(error, UsageError) and not isinstance(error, RpnError):
        return diagnosed(RpnError(Diagnostic.CANNOT_SORT, error.sentences))
    return diagnosed(error)


def _closing(reason: CloseReason, why: str) -> Close:
    return Close(close_reason=reason, diagnostic_information=why)


def _close(request: Close) -> NoReturn:
    raise Ended(Close(reference_id=request.reference_id, close_reason=CloseReason.FINISHED))


def _nothing(_request: object) -> Sequence[Any]:
    return ()
