"""The messages (APDUs) of Z39.50 version 3: ANSI/NISO Z39.50-2003, Appendix 18.

The names are those of the standard. Elements that a target never reads or writes are left out; unknown
elements are ignored.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from windrow.protocols.z3950.asn1 import (
    BITS,
    BOOLEAN,
    EXTERNAL,
    INTEGER,
    NULL,
    OCTETS,
    OID,
    STRING,
    TEXT,
    TIME,
    VISIBLE,
    Choice,
    Chosen,
    External,
    Tagged,
    explicit,
    field,
    implicit,
    optional,
    own,
    own_optional,
    sequence,
    sequence_of,
    type_of,
)
from windrow.protocols.z3950.asn1 import read as read_value

REFERENCE_ID = implicit(2, OCTETS)
RESULT_SET_ID = implicit(31, STRING)
DATABASE_NAME = implicit(105, STRING)
ELEMENT_SET_NAME = implicit(103, STRING)
DATABASE_NAMES = sequence_of(DATABASE_NAME)


@sequence
class OtherItem:
    """An entry of OtherInformation."""

    information: Chosen = own(
        Choice(
            {
                "characterInfo": implicit(2, STRING),
                "binaryInfo": implicit(3, OCTETS),
                "externallyDefinedInfo": implicit(4, EXTERNAL),
                "oid": implicit(5, OID),
            }
        )
    )


OTHER_INFORMATION = implicit(201, sequence_of(type_of(OtherItem)))


# Initialisation


class Option(IntEnum):
    """The bits of Options, on which origin and target agree."""

    SEARCH = 0
    PRESENT = 1
    DELETE_SET = 2
    RESOURCE_REPORT = 3
    TRIGGER_RESOURCE_CONTROL = 4
    RESOURCE_CONTROL = 5
    ACCESS_CONTROL = 6
    SCAN = 7
    SORT = 8
    EXTENDED_SERVICES = 10
    LEVEL_1_SEGMENTATION = 11
    LEVEL_2_SEGMENTATION = 12
    CONCURRENT_OPERATIONS = 13
    NAMED_RESULT_SETS = 14
    ENCAPSULATION = 15
    RESULT_COUNT = 16
    NEGOTIATION_MODEL = 17


@sequence
class IdPass:
    """A user name with a password."""

    group_id: str | None = optional(0, STRING, default=None)
    user_id: str | None = optional(1, STRING, default=None)
    password: str | None = optional(2, STRING, default=None)


ID_AUTHENTICATION = Choice(
    {"open": VISIBLE, "idPass": type_of(IdPass), "anonymous": NULL, "other": EXTERNAL, "string": STRING}
)


@sequence
class InitRequest:
    """initRequest [20]."""

    reference_id: bytes | None = own_optional(REFERENCE_ID, default=None)
    protocol_version: frozenset[int] = field(3, BITS)
    options: frozenset[int] = field(4, BITS)
    preferred_message_size: int = field(5, INTEGER)
    exceptional_record_size: int = field(6, INTEGER)
    id_authentication: Chosen | None = own_optional(explicit(7, ID_AUTHENTICATION), default=None)
    implementation_id: str | None = optional(110, STRING, default=None)
    implementation_name: str | None = optional(111, STRING, default=None)
    implementation_version: str | None = optional(112, STRING, default=None)
    user_information: External | None = own_optional(explicit(11, EXTERNAL), default=None)
    other_info: tuple[OtherItem, ...] | None = own_optional(OTHER_INFORMATION, default=None)


@sequence
class InitResponse:
    """initResponse [21]."""

    reference_id: bytes | None = own_optional(REFERENCE_ID, default=None)
    protocol_version: frozenset[int] = field(3, BITS)
    options: frozenset[int] = field(4, BITS)
    preferred_message_size: int = field(5, INTEGER)
    exceptional_record_size: int = field(6, INTEGER)
    result: bool = field(12, BOOLEAN)
    implementation_id: str | None = optional(110, STRING, default=None)
    implementation_name: str | None = optional(111, STRING, default=None)
    implementation_version: str | None = optional(112, STRING, default=None)
    user_information: External | None = own_optional(explicit(11, EXTERNAL), default=None)
    other_info: tuple[OtherItem, ...] | None = own_optional(OTHER_INFORMATION, default=None)


# Queries


@sequence
class ComplexValue:
    """Several values of an attribute, of which the target uses the first that it supports."""

    values: tuple[Chosen, ...] = field(
        1, sequence_of(Choice({"string": implicit(1, STRING), "numeric": implicit(2, INTEGER)}))
    )
    semantic_action: tuple[int, ...] | None = optional(2, sequence_of(INTEGER), default=None)


@sequence
class AttributeElement:
    """An attribute: its set, type and value."""

    attribute_set: str | None = optional(1, OID, default=None)
    attribute_type: int = field(120, INTEGER)
    attribute_value: Chosen = own(
        Choice({"numeric": implicit(121, INTEGER), "complex": implicit(224, type_of(ComplexValue))})
    )


ATTRIBUTE_LIST = implicit(44, sequence_of(type_of(AttributeElement)))


@sequence
class Unit:
    """A unit of measurement, if it has a name."""

    unit_system: str | None = own_optional(explicit(1, STRING), default=None)


@sequence
class IntUnit:
    """A number with its unit."""

    value: int = field(1, INTEGER)
    unit_used: Unit | None = optional(2, type_of(Unit), default=None)


TERM = Choice(
    {
        "general": implicit(45, OCTETS),
        "numeric": implicit(215, INTEGER),
        "characterString": implicit(216, TEXT),
        "oid": implicit(217, OID),
        "dateTime": implicit(218, TIME),
        "external": implicit(219, EXTERNAL),
        "integerAndUnit": implicit(220, type_of(IntUnit)),
        "null": implicit(221, NULL),
    }
)


@sequence
class AttributesPlusTerm:
    """A term and its attributes."""

    attributes: tuple[AttributeElement, ...] = own(ATTRIBUTE_LIST)
    term: Chosen = own(TERM)


ATTRIBUTES_PLUS_TERM = implicit(102, type_of(AttributesPlusTerm))


@sequence
class ResultSetPlusAttributes:
    """A result set with restricting attributes; in queries of type 101."""

    result_set: str = own(RESULT_SET_ID)
    attributes: tuple[AttributeElement, ...] = own(ATTRIBUTE_LIST)


@sequence
class ProximityOperator:
    """The proximity of two operands."""

    exclusion: bool | None = optional(1, BOOLEAN, default=None)
    distance: int = field(2, INTEGER)
    ordered: bool = field(3, BOOLEAN)
    relation_type: int = field(4, INTEGER)
    unit_code: Chosen = own(
        explicit(5, Choice({"known": implicit(1, INTEGER), "private": implicit(2, INTEGER)}))
    )


OPERATOR = explicit(
    46,
    Choice(
        {
            "and": implicit(0, NULL),
            "or": implicit(1, NULL),
            "and-not": implicit(2, NULL),
            "prox": implicit(3, type_of(ProximityOperator)),
        }
    ),
)
RPN_STRUCTURE = Choice(
    {
        "op": explicit(
            0,
            Choice(
                {
                    "attrTerm": ATTRIBUTES_PLUS_TERM,
                    "resultSet": RESULT_SET_ID,
                    "resultAttr": implicit(214, type_of(ResultSetPlusAttributes)),
                }
            ),
        )
    }
)
_RPN_TAGS = RPN_STRUCTURE.tags | implicit(1, NULL).tags
RPN_STRUCTURE.tags = _RPN_TAGS  # must be set before the next class uses it


@sequence
class RpnRpnOp:
    """Two operands and their operator."""

    rpn1: Chosen = own(RPN_STRUCTURE)
    rpn2: Chosen = own(RPN_STRUCTURE)
    op: Chosen = own(OPERATOR)


RPN_STRUCTURE.define({"rpnRpnOp": implicit(1, type_of(RpnRpnOp))})


@sequence
class RpnQuery:
    """A query of type 1 or 101."""

    attribute_set: str = own(OID)
    rpn: Chosen = own(RPN_STRUCTURE)


QUERY = Choice(
    {
        "type-1": implicit(1, type_of(RpnQuery)),
        "type-2": explicit(2, OCTETS),
        "type-100": explicit(100, OCTETS),
        "type-101": implicit(101, type_of(RpnQuery)),
        "type-102": explicit(102, OCTETS),
        "type-104": implicit(104, EXTERNAL),
    }
)


# Records and diagnostics


@sequence
class DefaultDiagnostic:
    """A diagnostic of a set."""

    diagnostic_set_id: str = own(OID)
    condition: int = own(INTEGER)
    addinfo: str = own(VISIBLE)  # version 3 allows InternationalString too; clients read both


DIAGNOSTIC = Choice({"defaultFormat": type_of(DefaultDiagnostic), "externallyDefined": EXTERNAL})


_RECORD = Choice({"retrievalRecord": explicit(1, EXTERNAL), "surrogateDiagnostic": explicit(2, DIAGNOSTIC)})


@sequence
class NamePlusRecord:
    """A record or a surrogate diagnostic, with the name of its database."""

    name: str | None = optional(0, STRING, default=None)
    record: Chosen = own(
        explicit(
            1,
            Choice(
                {"retrievalRecord": explicit(1, EXTERNAL), "surrogateDiagnostic": explicit(2, DIAGNOSTIC)}
            ),
        )
    )


NAME_PLUS_RECORD = type_of(NamePlusRecord)
RECORDS = Choice(
    {
        "responseRecords": implicit(28, sequence_of(NAME_PLUS_RECORD)),
        "nonSurrogateDiagnostic": implicit(130, type_of(DefaultDiagnostic)),
        "multipleNonSurDiagnostics": implicit(205, sequence_of(DIAGNOSTIC)),
    }
)


@sequence
class DatabaseElementSet:
    """The element set for the records of one database."""

    database: str = own(DATABASE_NAME)
    element_set: str = own(ELEMENT_SET_NAME)


ELEMENT_SET_NAMES = Choice(
    {
        "genericElementSetName": implicit(0, STRING),
        "databaseSpecific": implicit(1, sequence_of(type_of(DatabaseElementSet))),
    }
)


@sequence
class SearchRequest:
    """searchRequest [22]."""

    reference_id: bytes | None = own_optional(REFERENCE_ID, default=None)
    small_set_upper_bound: int = field(13, INTEGER)
    large_set_lower_bound: int = field(14, INTEGER)
    medium_set_present_number: int = field(15, INTEGER)
    replace_indicator: bool = field(16, BOOLEAN)
    result_set_name: str = field(17, STRING)
    database_names: tuple[str, ...] = field(18, DATABASE_NAMES)
    small_set_element_set_names: Chosen | None = own_optional(explicit(100, ELEMENT_SET_NAMES), default=None)
    medium_set_element_set_names: Chosen | None = own_optional(explicit(101, ELEMENT_SET_NAMES), default=None)
    preferred_record_syntax: str | None = optional(104, OID, default=None)
    query: Chosen = own(explicit(21, QUERY))
    other_info: tuple[OtherItem, ...] | None = own_optional(OTHER_INFORMATION, default=None)


class PresentStatus(IntEnum):
    """How many of the requested records are returned."""

    SUCCESS = 0
    PARTIAL_1 = 1  # access control
    PARTIAL_2 = 2  # the next record did not fit into the message
    PARTIAL_3 = 3  # resource control, by the origin
    PARTIAL_4 = 4  # by the target
    FAILURE = 5


@sequence
class SearchResponse:
    """searchResponse [23]."""

    reference_id: bytes | None = own_optional(REFERENCE_ID, default=None)
    result_count: int = field(23, INTEGER)
    number_of_records_returned: int = field(24, INTEGER)
    next_result_set_position: int = field(25, INTEGER)
    search_status: bool = field(22, BOOLEAN)
    result_set_status: int | None = optional(26, INTEGER, default=None)
    present_status: int | None = optional(27, INTEGER, default=None)
    records: Chosen | None = own_optional(RECORDS, default=None)
    other_info: tuple[OtherItem, ...] | None = own_optional(OTHER_INFORMATION, default=None)


@sequence
class Range:
    """A range of records in a result set."""

    starting_position: int = field(1, INTEGER)
    number_of_records: int = field(2, INTEGER)


@sequence
class Specification:
    """A schema, and elements of it."""

    schema: Chosen | None = own_optional(
        Choice({"oid": implicit(1, OID), "uri": implicit(300, STRING)}), default=None
    )
    element_spec: Chosen | None = own_optional(
        explicit(2, Choice({"elementSetName": implicit(1, STRING), "externalEspec": implicit(2, EXTERNAL)})),
        default=None,
    )


@sequence
class DatabaseSpecification:
    """A schema and elements for the records of one database."""

    database: str = own(explicit(1, DATABASE_NAME))
    specification: Specification = field(2, type_of(Specification))


@sequence
class CompSpec:
    """The composition of requested records."""

    select_alternative_syntax: bool = field(1, BOOLEAN)
    generic: Specification | None = optional(2, type_of(Specification), default=None)
    db_specific: tuple[DatabaseSpecification, ...] | None = optional(
        3, sequence_of(type_of(DatabaseSpecification)), default=None
    )
    record_syntax: tuple[str, ...] | None = optional(4, sequence_of(OID), default=None)


@sequence
class PresentRequest:
    """presentRequest [24]."""

    reference_id: bytes | None = own_optional(REFERENCE_ID, default=None)
    result_set_id: str = own(RESULT_SET_ID)
    result_set_start_point: int = field(30, INTEGER)
    number_of_records_requested: int = field(29, INTEGER)
    additional_ranges: tuple[Range, ...] | None = optional(212, sequence_of(type_of(Range)), default=None)
    record_composition: Chosen | None = own_optional(
        Choice({"simple": explicit(19, ELEMENT_SET_NAMES), "complex": implicit(209, type_of(CompSpec))}),
        default=None,
    )
    preferred_record_syntax: str | None = optional(104, OID, default=None)
    max_segment_count: int | None = optional(204, INTEGER, default=None)
    max_record_size: int | None = optional(206, INTEGER, default=None)
    max_segment_size: int | None = optional(207, INTEGER, default=None)
    other_info: tuple[OtherItem, ...] | None = own_optional(OTHER_INFORMATION, default=None)


@sequence
class PresentResponse:
    """presentResponse [25]."""

    reference_id: bytes | None = own_optional(REFERENCE_ID, default=None)
    number_of_records_returned: int = field(24, INTEGER)
    next_result_set_position: int = field(25, INTEGER)
    present_status: int = field(27, INTEGER)
    records: Chosen | None = own_optional(RECORDS, default=None)
    other_info: tuple[OtherItem, ...] | None = own_optional(OTHER_INFORMATION, default=None)


@sequence
class Segment:
    """segmentRequest [45]: some of the records, sent before the response."""

    reference_id: bytes | None = own_optional(REFERENCE_ID, default=None)
    number_of_records_returned: int = field(24, INTEGER)
    segment_records: tuple[NamePlusRecord, ...] = field(0, sequence_of(NAME_PLUS_RECORD))


# Result sets


class DeleteStatus(IntEnum):
    """The result of deleting a result set."""

    SUCCESS = 0
    DID_NOT_EXIST = 1
    NOT_ALL_DELETED = 9


@sequence
class DeleteResultSetRequest:
    """deleteResultSetRequest [26]. Function 0 deletes those in the list, 1 all."""

    reference_id: bytes | None = own_optional(REFERENCE_ID, default=None)
    delete_function: int = field(32, INTEGER)
    result_set_list: tuple[str, ...] | None = own_optional(sequence_of(RESULT_SET_ID), default=None)


@sequence
class ListStatus:
    """The result for one result set of a list."""

    id: str = own(RESULT_SET_ID)
    status: int = field(33, INTEGER)


@sequence
class DeleteResultSetResponse:
    """deleteResultSetResponse [27]."""

    reference_id: bytes | None = own_optional(REFERENCE_ID, default=None)
    delete_operation_status: int = field(0, INTEGER)
    delete_list_statuses: tuple[ListStatus, ...] | None = optional(
        1, sequence_of(type_of(ListStatus)), default=None
    )


# Scan


@sequence
class ScanRequest:
    """scanRequest [35]."""

    reference_id: bytes | None = own_optional(REFERENCE_ID, default=None)
    database_names: tuple[str, ...] = field(3, DATABASE_NAMES)
    attribute_set: str | None = own_optional(OID, default=None)
    term_list_and_start_point: AttributesPlusTerm = own(ATTRIBUTES_PLUS_TERM)
    step_size: int | None = optional(5, INTEGER, default=None)
    number_of_terms_requested: int = field(6, INTEGER)
    preferred_position_in_response: int | None = optional(7, INTEGER, default=None)


@sequence
class TermInfo:
    """A term of the list, and the number of its records."""

    term: Chosen = own(TERM)
    display_term: bytes | None = optional(0, TEXT, default=None)
    global_occurrences: int | None = optional(2, INTEGER, default=None)


_ENTRY = Choice({"termInfo": implicit(1, type_of(TermInfo)), "surrogateDiagnostic": explicit(2, DIAGNOSTIC)})


@sequence
class ListEntries:
    """The terms, or the reason why there are none."""

    entries: tuple[Chosen, ...] | None = optional(
        1,
        sequence_of(
            Choice(
                {"termInfo": implicit(1, type_of(TermInfo)), "surrogateDiagnostic": explicit(2, DIAGNOSTIC)}
            )
        ),
        default=None,
    )
    nonsurrogate_diagnostics: tuple[Chosen, ...] | None = optional(2, sequence_of(DIAGNOSTIC), default=None)


class ScanStatus(IntEnum):
    """How many of the requested terms are returned."""

    SUCCESS = 0
    PARTIAL_5 = 5  # the end of the list was reached
    FAILURE = 6


@sequence
class ScanResponse:
    """scanResponse [36]."""

    reference_id: bytes | None = own_optional(REFERENCE_ID, default=None)
    step_size: int | None = optional(3, INTEGER, default=None)
    scan_status: int = field(4, INTEGER)
    number_of_entries_returned: int = field(5, INTEGER)
    position_of_term: int | None = optional(6, INTEGER, default=None)
    entries: ListEntries | None = optional(7, type_of(ListEntries), default=None)


# Sort


@sequence
class SortAttributes:
    """A sort key as attributes."""

    id: str = own(OID)
    attributes: tuple[AttributeElement, ...] = own(ATTRIBUTE_LIST)


SORT_KEY = Choice(
    {
        "sortfield": implicit(0, STRING),
        "elementSpec": implicit(1, type_of(Specification)),
        "sortAttributes": implicit(2, type_of(SortAttributes)),
    }
)


@sequence
class DatabaseSortKey:
    """A sort key for the records of one database."""

    database: str = own(DATABASE_NAME)
    sort_key: Chosen = own(SORT_KEY)


_MISSING = Choice(
    {"abort": implicit(1, NULL), "null": implicit(2, NULL), "missingValueData": implicit(3, OCTETS)}
)


@sequence
class SortKeySpec:
    """One of several sort keys, and its direction."""

    sort_element: Chosen = own(
        Choice(
            {
                "generic": explicit(1, SORT_KEY),
                "databaseSpecific": implicit(2, sequence_of(type_of(DatabaseSortKey))),
            }
        )
    )
    sort_relation: int = field(1, INTEGER)
    case_sensitivity: int = field(2, INTEGER)
    missing_value_action: Chosen | None = own_optional(
        explicit(
            3,
            Choice(
                {
                    "abort": implicit(1, NULL),
                    "null": implicit(2, NULL),
                    "missingValueData": implicit(3, OCTETS),
                }
            ),
        ),
        default=None,
    )


@sequence
class SortRequest:
    """sortRequest [43]."""

    reference_id: bytes | None = own_optional(REFERENCE_ID, default=None)
    input_result_set_names: tuple[str, ...] = field(3, sequence_of(STRING))
    sorted_result_set_name: str = field(4, STRING)
    sort_sequence: tuple[SortKeySpec, ...] = field(5, sequence_of(type_of(SortKeySpec)))


class SortStatus(IntEnum):
    """The state of the sorted result set."""

    SUCCESS = 0
    FAILURE = 2


@sequence
class SortResponse:
    """sortResponse [44]."""

    reference_id: bytes | None = own_optional(REFERENCE_ID, default=None)
    sort_status: int = field(3, INTEGER)
    result_set_status: int | None = optional(4, INTEGER, default=None)
    diagnostics: tuple[Chosen, ...] | None = optional(5, sequence_of(DIAGNOSTIC), default=None)
    result_count: int | None = optional(6, INTEGER, default=None)


# Access control, resource control, extended services and Close


@sequence
class AccessControlResponse:
    """accessControlResponse [29]: the response to a challenge, which this target never sends."""

    reference_id: bytes | None = own_optional(REFERENCE_ID, default=None)


@sequence
class ResourceControlResponse:
    """resourceControlResponse [31]: the response to a request that this target never sends."""

    reference_id: bytes | None = own_optional(REFERENCE_ID, default=None)


@sequence
class TriggerResourceControlRequest:
    """triggerResourceControlRequest [32]: has no response."""

    reference_id: bytes | None = own_optional(REFERENCE_ID, default=None)
    requested_action: int = field(46, INTEGER)


@sequence
class ResourceReportRequest:
    """resourceReportRequest [33]."""

    reference_id: bytes | None = own_optional(REFERENCE_ID, default=None)


@sequence
class ResourceReportResponse:
    """resourceReportResponse [34]."""

    reference_id: bytes | None = own_optional(REFERENCE_ID, default=None)
    resource_report_status: int = field(50, INTEGER)


@sequence
class ExtendedServicesRequest:
    """extendedServicesRequest [46]."""

    reference_id: bytes | None = own_optional(REFERENCE_ID, default=None)
    function: int = field(3, INTEGER)
    package_type: str = field(4, OID)


@sequence
class ExtendedServicesResponse:
    """extendedServicesResponse [47]. Status 3 is failure."""

    reference_id: bytes | None = own_optional(REFERENCE_ID, default=None)
    operation_status: int = field(3, INTEGER)
    diagnostics: tuple[Chosen, ...] | None = optional(4, sequence_of(DIAGNOSTIC), default=None)


class CloseReason(IntEnum):
    """The reason for ending a session."""

    FINISHED = 0
    SHUTDOWN = 1
    SYSTEM_PROBLEM = 2
    COST_LIMIT = 3
    RESOURCES = 4
    SECURITY_VIOLATION = 5
    PROTOCOL_ERROR = 6
    LACK_OF_ACTIVITY = 7
    PEER_ABORT = 8
    UNSPECIFIED = 9


@sequence
class Close:
    """close [48], in both directions."""

    reference_id: bytes | None = own_optional(REFERENCE_ID, default=None)
    close_reason: int = field(211, INTEGER)
    diagnostic_information: str | None = optional(3, STRING, default=None)


_TAGS: dict[int, type[Any]] = {
    20: InitRequest,
    21: InitResponse,
    22: SearchRequest,
    23: SearchResponse,
    24: PresentRequest,
    25: PresentResponse,
    26: DeleteResultSetRequest,
    27: DeleteResultSetResponse,
    29: AccessControlResponse,
    31: ResourceControlResponse,
    32: TriggerResourceControlRequest,
    33: ResourceReportRequest,
    34: ResourceReportResponse,
    35: ScanRequest,
    36: ScanResponse,
    43: SortRequest,
    44: SortResponse,
    45: Segment,
    46: ExtendedServicesRequest,
    47: ExtendedServicesResponse,
    48: Close,
}
PDU = Choice({made.__name__: implicit(tag, type_of(made)) for tag, made in _TAGS.items()})
_TYPES: dict[type[Any], Tagged] = {made: implicit(tag, type_of(made)) for tag, made in _TAGS.items()}


def read_pdu(data: bytes) -> Any:
    """Decode a message; raise BerError for invalid bytes."""
    return read_value(PDU, data).value


def write_pdu(message: Any) -> bytes:
    return _TYPES[type(message)].write(message)
