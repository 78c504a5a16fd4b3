"""A session: what is agreed, searched, shown, listed, sorted and refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.protocols.z3950.messages import (
    delete,
    extended,
    init,
    key,
    present,
    scan,
    search,
    sort,
    with_password,
)
from tests.unit.search.catalogue import Catalogue
from windrow.errors import QueryTooCostly, StoreError
from windrow.protocols.z3950 import z3950_registry
from windrow.protocols.z3950.asn1 import Chosen, External
from windrow.protocols.z3950.pdus import (
    Close,
    CompSpec,
    Option,
    PresentRequest,
    Range,
    Segment,
    Specification,
    TriggerResourceControlRequest,
    read_pdu,
    write_pdu,
)
from windrow.protocols.z3950.pqf import parse_pqf
from windrow.protocols.z3950.rpn import to_pdu
from windrow.search.databases import Databases, LibraryDatabase
from windrow.z3950.session import PREPARED_BYTES, PREPARED_SECONDS, Ended, Session, Terms


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[Catalogue]:
    made = Catalogue(tmp_path)
    for place in range(1, 31):
        made.add(
            f"oai:hay:{place}",
            title=f"Hay {chr(96 + place % 26)} {place}",
            creator="Mower, Ann" if place % 2 else "Åkerö, Bo",
            date=str(2000 + place % 5),
        )
    made.add("oai:oat:1", source="oat", title="Oats and hay", creator="Äng, Bo", date="1999")
    yield made
    made.close()


@pytest.fixture
def terms(catalogue: Catalogue) -> Terms:
    index = catalogue.index()

    def database(name: str, sources: tuple[str, ...] | None) -> LibraryDatabase:
        schemas = ("dc", "marcxml", "mods", "windrow", "oai_dc")
        return LibraryDatabase(name, name, index, catalogue.store, sources=sources, schemas=lambda: schemas)

    return Terms(Databases((database("Default", None), database("hay", ("hay",)), database("oat", ("oat",)))))


def _session(terms: Terms, **agreed: Any) -> Session:
    session = Session(terms)
    (response,) = session.answer(init(**agreed))
    assert response.result
    return session


def _ask(session: Session, message: Any) -> Any:
    """The answer, as a client reads it."""
    (found,) = session.answer(read_pdu(write_pdu(message)))
    return read_pdu(write_pdu(found))


def _condition(response: Any) -> tuple[int, str]:
    kind, value = response.records
    assert kind == "nonSurrogateDiagnostic"
    return value.condition, value.addinfo


def test_init_agrees_on_what_both_have(terms: Terms) -> None:
    wanted = frozenset((Option.SEARCH, Option.SCAN, Option.EXTENDED_SERVICES, Option.CONCURRENT_OPERATIONS))
    found = _ask(Session(terms), init(version=2, options=wanted, size=1 << 40))
    assert found.options == {Option.SEARCH, Option.SCAN}
    assert found.protocol_version == {0, 1}
    assert found.preferred_message_size == terms.largest_message
    assert _ask(Session(terms), init(version=9)).protocol_version == {0, 1, 2}


def test_nothing_is_answered_before_init(terms: Terms) -> None:
    with pytest.raises(Ended) as caught:
        Session(terms).answer(search("hay"))
    assert caught.value.message.close_reason == 6


@pytest.mark.parametrize(
    ("message", "is_let_in"),
    [
        (with_password("anna", "right"), True),
        (init(id_authentication=Chosen("open", "anna/right")), True),
        (with_password("anna", "wrong"), False),
        (init(id_authentication=Chosen("open", "anna")), False),
        (init(id_authentication=Chosen("anonymous", None)), False),
        (init(), False),
    ],
)
def test_only_users_come_in_where_there_are_users(terms: Terms, message: Any, is_let_in: bool) -> None:
    guarded = replace(terms, authenticate=lambda user, password: (user, password) == ("anna", "right"))
    if is_let_in:
        assert _ask(Session(guarded), message).result
        return
    with pytest.raises(Ended) as caught:
        Session(guarded).answer(message)
    refused = read_pdu(write_pdu(caught.value.message))
    assert not refused.result
    assert refused.user_information.oid == z3950_registry.USER_INFORMATION
    with pytest.raises(Ended):
        Session(guarded).answer(search("hay"))


def test_a_search_counts_in_the_databases_that_it_names(terms: Terms) -> None:
    session = _session(terms)
    assert _ask(session, search("@attr 1=4 hay")).result_count == 31
    assert _ask(session, search("@attr 1=4 hay", databases=("OAT",))).result_count == 1
    assert _ask(session, search("@attr 1=4 hay", databases=("oat", "hay"))).result_count == 31
    assert _condition(_ask(session, search("hay", databases=("nosuch",)))) == (235, "nosuch")
    assert _condition(_ask(session, search("hay", databases=("hay",) * 21))) == (111, "20")


def test_records_come_with_the_response_of_a_small_set(terms: Terms) -> None:
    session = _session(terms)
    found = _ask(session, search("oats", small=5, preferred_record_syntax=z3950_registry.SUTRS))
    assert found.number_of_records_returned == 1
    assert found.present_status == 0
    ((record,),) = (found.records.value,)
    assert record.record.value.oid == z3950_registry.SUTRS
    none = _ask(session, search("@attr 1=4 hay", small=5))
    assert (none.number_of_records_returned, none.records, none.next_result_set_position) == (0, None, 1)
    medium = _ask(session, search("@attr 1=4 hay", small=5, large=100, medium=3))
    assert (medium.number_of_records_returned, medium.next_result_set_position) == (3, 4)
    wrong = _ask(session, search("oats", small=5, preferred_record_syntax="1.2.3"))
    assert (wrong.search_status, wrong.result_count, wrong.present_status) == (True, 1, 5)
    assert _condition(wrong)[0] == 239


def test_result_sets_have_names_and_stand_in_for_their_queries(terms: Terms) -> None:
    session = _session(terms)
    assert _ask(session, search("@attr 1=1003 mower", name="a")).result_count == 15
    both = _ask(session, search("@and @set a @attr 1=31 2001", name="b"))
    assert both.result_count == 3
    assert _condition(_ask(session, search("x", name="a", replace=False))) == (21, "a")
    assert _condition(_ask(session, search("@set nosuch"))) == (30, "nosuch")
    assert _condition(_ask(session, search("@set a", databases=("hay",))))[0] == 23
    deleted = _ask(session, delete("a", "nosuch"))
    assert [each.status for each in deleted.delete_list_statuses] == [0, 1]
    assert deleted.delete_operation_status == 9
    assert _condition(_ask(session, present(name="a")))[0] == 30
    assert _ask(session, present(name="b")).number_of_records_returned == 1


def test_a_session_keeps_only_so_many_result_sets(terms: Terms) -> None:
    session = _session(replace(terms, most_result_sets=2))
    assert _ask(session, search("hay", name="a")).search_status
    assert _ask(session, search("hay", name="b")).search_status
    assert _condition(_ask(session, search("hay", name="c"))) == (112, "2")
    assert _ask(session, search("oats", name="b")).search_status
    assert _condition(_ask(session, search("hay", name="x" * 201)))[0] == 128


@pytest.mark.parametrize(
    ("syntax", "start"),
    [
        (z3950_registry.SUTRS, b""),
        (z3950_registry.GRS_1, b""),
        (z3950_registry.USMARC, b"0"),
        (z3950_registry.XML, b"<srw_dc:dc"),
    ],
)
def test_records_are_shown_in_every_syntax(terms: Terms, syntax: str, start: bytes) -> None:
    session = _session(terms)
    _ask(session, search("@attr 1=1003 @attr 6=3 {Åkerö, Bo}"))
    found = _ask(session, present(2, 3, syntax=syntax))
    assert (found.number_of_records_returned, found.next_result_set_position) == (3, 5)
    for record in found.records.value:
        shown: External = record.record.value
        assert shown.oid == syntax
        octets = write_pdu(found)
        assert "Åkerö".encode() in octets
        assert shown.octets is None or shown.octets.startswith(start)


def test_texts_are_in_the_character_set_of_the_session(terms: Terms) -> None:
    session = _session(replace(terms, charset="iso-8859-1"))
    term = to_pdu(parse_pqf("@attr 1=1003 Åkerö"), lambda text: text.encode("latin-1"))
    message = replace(search("x"), query=Chosen("type-1", term))
    assert _ask(session, message).result_count == 15
    for syntax in (z3950_registry.SUTRS, z3950_registry.GRS_1):
        shown = write_pdu(_ask(session, present(syntax=syntax)))
        assert "Åkerö".encode("latin-1") in shown
    shown = write_pdu(_ask(session, present(syntax=z3950_registry.USMARC)))
    assert "Åkerö".encode() in shown  # as its leader has it


@pytest.mark.parametrize(
    ("wanted", "condition"),
    [
        ({"name": "nosuch"}, 30),
        ({"start": 32}, 13),
        ({"start": 30, "number": 3}, 13),
        ({"start": 0}, 13),
        ({"start": -(1 << 40), "number": 1 << 50}, 13),
        ({"number": 0}, 13),
        ({"syntax": "1.2.840.10003.5.1"}, 239),
        ({"element_set": "nosuch"}, 25),
        ({"syntax": z3950_registry.XML, "element_set": "nosuch"}, 25),
    ],
)
def test_what_cannot_be_shown_gets_its_own_diagnostic(
    terms: Terms, wanted: dict[str, Any], condition: int
) -> None:
    session = _session(terms)
    _ask(session, search("@attr 1=4 hay"))
    found = _ask(session, present(**wanted))
    assert found.present_status == 5
    assert _condition(found)[0] == condition


def _composed(schema: Chosen | None, element_set: str | None = None) -> PresentRequest:
    elements = None if element_set is None else Chosen("elementSetName", element_set)
    spec = CompSpec(
        select_alternative_syntax=False,
        generic=Specification(schema=schema, element_spec=elements),
        record_syntax=(z3950_registry.XML,),
    )
    return present(syntax=None, record_composition=Chosen("complex", spec))


def test_a_schema_is_negotiated(terms: Terms) -> None:
    session = _session(terms)
    _ask(session, search("oats"))
    for schema, part in (
        (Chosen("uri", "info:srw/schema/1/marcxml-v1.1"), b"MARC21/slim"),
        (Chosen("uri", "mods"), b"<mods"),
        (None, b"<srw_dc"),
    ):
        found = _ask(session, _composed(schema))
        assert part in found.records.value[0].record.value.octets
    assert _condition(_ask(session, _composed(Chosen("oid", "1.2.3.4")))) == (238, "1.2.3.4")


def test_several_ranges_come_in_their_order(terms: Terms) -> None:
    session = _session(terms)
    _ask(session, search("@attr 1=4 hay"))
    ranges = (
        Range(starting_position=20, number_of_records=2),
        Range(starting_position=1, number_of_records=1),
    )
    found = _ask(session, present(5, 1, additional_ranges=ranges))
    alone = [_ask(session, present(place)).records.value[0] for place in (5, 20, 21, 1)]
    assert list(found.records.value) == alone


def test_what_does_not_fit_into_a_message_is_left_for_the_next(terms: Terms) -> None:
    session = _session(terms, size=2000, options=frozenset((0, 1)))
    _ask(session, search("@attr 1=4 hay"))
    seen, place = 0, 1
    while place:
        found = _ask(session, present(place, 32 - place))
        assert len(write_pdu(found)) <= 2000
        assert found.present_status == (0 if found.next_result_set_position == 0 else 2)
        seen += found.number_of_records_returned
        place = found.next_result_set_position
    assert seen == 31


def test_segments_bring_all_of_them(terms: Terms) -> None:
    options = frozenset((0, 1, Option.LEVEL_1_SEGMENTATION))
    session = _session(terms, size=2000, options=options)
    _ask(session, search("@attr 1=4 hay"))
    *segments, response = session.answer(present(1, 31))
    assert len(segments) > 1
    assert all(isinstance(segment, Segment) for segment in segments)
    assert all(len(write_pdu(each)) <= 2000 for each in (*segments, response))
    assert sum(each.number_of_records_returned for each in segments) + len(response.records.value) == 31
    assert response.present_status == 0


def test_a_record_that_is_too_large_is_told_apart_from_one_that_the_client_takes_alone(
    terms: Terms, catalogue: Catalogue
) -> None:
    catalogue.add("oai:long:1", title="Long", description="word " * 2000)
    database = LibraryDatabase("Default", "", catalogue.index(), catalogue.store, schemas=lambda: ("dc",))
    terms = replace(terms, databases=Databases((database,)))
    for exceptional, condition in ((4000, 17), (1 << 20, None)):
        session = _session(terms, size=2000, exceptional=exceptional)
        _ask(session, search("@attr 1=4 long"))
        (record,) = _ask(session, present(1, 1)).records.value
        if condition is None:
            assert record.record.name == "retrievalRecord"
        else:
            assert record.record.value.value.condition == condition


def test_a_withdrawn_record_is_a_diagnostic_in_its_place(terms: Terms, catalogue: Catalogue) -> None:
    session = _session(terms)
    _ask(session, search("oats"))
    catalogue.withdraw("oai:oat:1", source="oat")
    (record,) = _ask(session, present()).records.value
    assert record.record.name == "surrogateDiagnostic"


def _used_to_records(terms: Terms, clock: Callable[[], float] = lambda: 0.0) -> Session:
    """Begin a session whose client asked for the first two records right after its search."""
    session = Session(terms, clock=clock)
    _ask(session, init())
    _ask(session, search("hay"))
    assert session.take_prepared(present(1, 2)) is None
    _ask(session, present(1, 2))
    return session


def test_the_first_records_are_prepared_where_they_were_asked_for_after_the_last_search(terms: Terms) -> None:
    session, plain = _used_to_records(terms), _session(terms)
    for query in ("@attr 1=4 oats", "mower"):
        total = _ask(session, search(query)).result_count
        wanted = present(1, min(2, total))
        _ask(plain, search(query))
        prepared = session.take_prepared(wanted)
        assert prepared is not None
        assert list(map(write_pdu, prepared)) == list(map(write_pdu, plain.answer(wanted)))
        assert session.take_prepared(wanted) is None


@pytest.mark.parametrize("other", [present(1, 1), present(2, 2), delete("default"), search("hay")])
def test_nothing_is_prepared_after_a_client_asked_for_something_else(terms: Terms, other: Any) -> None:
    session = _used_to_records(terms)
    _ask(session, search("mower"))
    assert session.take_prepared(other) is None
    assert session.take_prepared(present(1, 2)) is None
    _ask(session, search("mower"))
    assert session.take_prepared(present(1, 2)) is None


def test_what_was_prepared_is_not_kept_for_long(terms: Terms, catalogue: Catalogue) -> None:
    now = 0.0
    session = _used_to_records(terms, lambda: now)
    _ask(session, search("oats"))
    catalogue.withdraw("oai:oat:1", source="oat")
    now += PREPARED_SECONDS
    assert session.take_prepared(present(1, 1)) is None
    (record,) = _ask(session, present(1, 1)).records.value
    assert record.record.name == "surrogateDiagnostic"
    _ask(session, search("mower"))
    assert session.take_prepared(present(1, 1)) is None  # the client takes its time


def test_large_records_are_not_prepared(terms: Terms, catalogue: Catalogue) -> None:
    catalogue.add("oai:long:1", title="Long", description="word " * (PREPARED_BYTES // 5))
    database = LibraryDatabase("Default", "", catalogue.index(), catalogue.store, schemas=lambda: ("dc",))
    session = _used_to_records(replace(terms, databases=Databases((database,))))
    _ask(session, search("@attr 1=4 long"))
    assert session.take_prepared(present(1, 1)) is None


def test_a_request_that_fails_is_not_prepared(terms: Terms) -> None:
    session = _session(terms)
    for _ in range(2):
        _ask(session, search("hay"))
        assert session.take_prepared(present(1, 2, syntax="1.2.3")) is None
        assert _ask(session, present(1, 2, syntax="1.2.3")).present_status == 5


def test_terms_are_listed_around_a_start(terms: Terms) -> None:
    session = _session(terms)
    found = _ask(session, scan("hay", number=3))
    shown = [(each.value.term.value, each.value.global_occurrences) for each in found.entries.entries]
    assert shown[0] == (b"hay", 31)
    assert found.position_of_term == 1
    later = _ask(session, scan("hay", number=3, position=2))
    assert later.position_of_term == 2
    assert later.entries.entries[1].value.term.value == b"hay"
    before = _ask(session, scan("hay", number=2, position=3))
    assert all(each.value.term.value < b"hay" for each in before.entries.entries)
    after = _ask(session, scan("hay", number=2, position=0))
    assert [each.value.term.value for each in after.entries.entries] == [
        each.value.term.value for each in found.entries.entries[1:]
    ]
    end = _ask(session, scan("zzzz", number=3))
    assert (end.scan_status, end.number_of_entries_returned) == (5, 0)


@pytest.mark.parametrize(
    ("wanted", "condition"),
    [
        ({"use": 9999}, 114),
        ({"position": 7, "number": 5}, 233),
        ({"step_size": 2}, 205),
        ({"databases": ("nosuch",)}, 235),
    ],
)
def test_what_cannot_be_listed_gets_its_own_diagnostic(
    terms: Terms, wanted: dict[str, Any], condition: int
) -> None:
    found = _ask(_session(terms), scan("hay", **wanted))
    assert found.scan_status == 6
    (diagnostic,) = found.entries.nonsurrogate_diagnostics
    assert diagnostic.value.condition == condition


def test_a_result_is_sorted_by_several_keys(terms: Terms) -> None:
    session = _session(terms)
    _ask(session, search("@attr 1=4 hay"))
    assert _ask(session, sort(key(31, is_descending=True), key(4))).sort_status == 0
    found = _ask(session, present(1, 31, name="sorted", syntax=z3950_registry.SUTRS, element_set="B"))
    texts = [record.record.value.element.content.decode() for record in found.records.value]
    lines = [dict(line.split(": ", 1) for line in text.splitlines()) for text in texts]
    keys = [(-int(line["Year"]), line["Title"].lower()) for line in lines]
    assert keys == sorted(keys)


def test_what_cannot_be_sorted_by_leaves_the_result_as_it_is(terms: Terms) -> None:
    session = _session(terms)
    _ask(session, search("@attr 1=4 hay"))
    for wanted, condition in (
        (sort(key(9999)), 114),
        (sort(key(62)), 207),
        (sort(key(4), source="nosuch"), 30),
        (sort(), 207),
    ):
        found = _ask(session, wanted)
        assert (found.sort_status, found.diagnostics[0].value.condition) == (2, condition)
    assert _ask(session, present()).number_of_records_returned == 1


def test_what_the_target_does_not_do_is_refused_or_passed_over(terms: Terms) -> None:
    session = _session(terms)
    assert _ask(session, extended()).diagnostics[0].value.condition == 221
    assert session.answer(TriggerResourceControlRequest(requested_action=3)) == ()
    with pytest.raises(Ended) as caught:
        session.answer(Close(close_reason=0))
    assert caught.value.message.close_reason == 0


@pytest.mark.parametrize(
    ("error", "condition"),
    [(QueryTooCostly("patterns"), 31), (StoreError("the disk is gone"), 2)],
)
def test_trouble_below_is_a_diagnostic(
    terms: Terms, monkeypatch: pytest.MonkeyPatch, error: Exception, condition: int
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    session = _session(terms)
    monkeypatch.setattr(LibraryDatabase, "search", fail)
    found = _ask(session, search("hay"))
    assert (found.search_status, _condition(found)[0]) == (False, condition)
    assert "disk" not in _condition(found)[1]
