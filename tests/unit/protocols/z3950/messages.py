"""Messages as clients send them, for tests of what reads them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from windrow.protocols.z3950 import z3950_registry
from windrow.protocols.z3950.asn1 import Chosen
from windrow.protocols.z3950.pdus import (
    Close,
    DeleteResultSetRequest,
    ExtendedServicesRequest,
    IdPass,
    InitRequest,
    PresentRequest,
    ScanRequest,
    SearchRequest,
    SortAttributes,
    SortKeySpec,
    SortRequest,
    TriggerResourceControlRequest,
)
from windrow.protocols.z3950.pqf import parse_pqf
from windrow.protocols.z3950.rpn import Attribute, Term, term_pdu, to_pdu

ALL_OPTIONS = frozenset((0, 1, 2, 7, 8, 11, 14))


def init(
    *, version: int = 3, options: frozenset[int] = ALL_OPTIONS, size: int = 1 << 20, **others: Any
) -> InitRequest:
    return InitRequest(
        protocol_version=frozenset(range(version)),
        options=options,
        preferred_message_size=size,
        exceptional_record_size=others.pop("exceptional", size),
        **others,
    )


def with_password(user: str, password: str) -> InitRequest:
    who = IdPass(group_id=None, user_id=user, password=password)
    return init(id_authentication=Chosen("idPass", who))


def search(
    pqf: str, *, name: str = "default", databases: Iterable[str] = ("Default",), small: int = 0, **others: Any
) -> SearchRequest:
    return SearchRequest(
        small_set_upper_bound=small,
        large_set_lower_bound=others.pop("large", small + 1),
        medium_set_present_number=others.pop("medium", 0),
        replace_indicator=others.pop("replace", True),
        result_set_name=name,
        database_names=tuple(databases),
        query=Chosen("type-1", to_pdu(parse_pqf(pqf), str.encode)),
        **others,
    )


def present(
    start: int = 1,
    number: int = 1,
    *,
    name: str = "default",
    syntax: str | None = z3950_registry.SUTRS,
    element_set: str | None = None,
    **others: Any,
) -> PresentRequest:
    if element_set is not None:
        others["record_composition"] = Chosen("simple", Chosen("genericElementSetName", element_set))
    return PresentRequest(
        result_set_id=name,
        result_set_start_point=start,
        number_of_records_requested=number,
        preferred_record_syntax=syntax,
        **others,
    )


def scan(text: str, use: int | str = 4, *, number: int = 5, position: int = 1, **others: Any) -> ScanRequest:
    attributes = (Attribute(1, use), *others.pop("attributes", ()))
    return ScanRequest(
        database_names=others.pop("databases", ("Default",)),
        attribute_set=z3950_registry.BIB_1,
        term_list_and_start_point=term_pdu(Term(text, attributes), str.encode),
        number_of_terms_requested=number,
        preferred_position_in_response=position,
        **others,
    )


def sort(*keys: SortKeySpec, source: str = "default", target: str = "sorted") -> SortRequest:
    return SortRequest(input_result_set_names=(source,), sorted_result_set_name=target, sort_sequence=keys)


def key(use: int, *, is_descending: bool = False, **others: Any) -> SortKeySpec:
    attributes = term_pdu(Term("", (Attribute(1, use),)), str.encode).attributes
    element = Chosen("sortAttributes", SortAttributes(id=z3950_registry.BIB_1, attributes=attributes))
    return SortKeySpec(
        sort_element=Chosen("generic", element),
        sort_relation=int(is_descending),
        case_sensitivity=1,
        **others,
    )


def delete(*names: str) -> DeleteResultSetRequest:
    return DeleteResultSetRequest(delete_function=0, result_set_list=names)


def extended() -> ExtendedServicesRequest:
    return ExtendedServicesRequest(function=1, package_type="1.2.840.10003.9.5")


EXAMPLES: tuple[Any, ...] = (
    init(),
    with_password("anna", "åäö"),
    search('@and @attr 1=4 "hay meadow" @or @attr 1=1003 @attr 5=1 m @set default'),
    search("@prox 0 2 0 2 k 2 hay meadow", databases=("Default", "hay")),
    search('@attrset gils @attr 1=2017 @attr 5=102 ".*;2002p1;(sommar|bunden);full;2280;sv;.*"'),
    present(1, 10, element_set="B"),
    scan("hay"),
    sort(key(4), key(31, is_descending=True)),
    delete("default", "other"),
    extended(),
    TriggerResourceControlRequest(requested_action=3),
    Close(close_reason=0, diagnostic_information="done"),
)
