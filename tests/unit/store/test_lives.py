"""What happened to a record format by format, read out of histories that do not say it."""

from __future__ import annotations

from windrow.store.published.resources import (
    FormatChange,
    HistoryRules,
    RecordEvent,
    RecordHistory,
    find_current_formats,
    list_format_changes,
)

DC, KK, MODS = 1, 2, 3


def told(
    past: RecordHistory, *, formats: tuple[int, ...] = (DC, KK), moves_count: bool = False
) -> list[FormatChange]:
    return list_format_changes(past, HistoryRules(formats, (DC, KK, MODS), moves_count))


def test_a_format_comes_with_the_change_in_the_order_of_the_blocks() -> None:
    past = RecordHistory(5, False, [RecordEvent(7, "format")], {DC: 90, KK: 80})
    assert told(past) == [(5, KK, "created"), (7, DC, "created")]


def test_what_replaced_a_payload_does_not_make_its_format_come_later() -> None:
    past = RecordHistory(
        5, False, [RecordEvent(7, "format"), RecordEvent(9, "changed", DC, 10)], {DC: 95, KK: 20}
    )
    assert told(past) == [(5, DC, "created"), (7, KK, "created"), (9, DC, "updated")]
    assert find_current_formats(told(past)) == {DC: 9, KK: 7}


def test_a_deletion_takes_every_format_with_it() -> None:
    past = RecordHistory(5, True, [RecordEvent(7, "format"), RecordEvent(9, "deleted", DC, 10)], {})
    assert told(past)[2:] == [(9, DC, "deleted"), (9, KK, "deleted")]
    assert find_current_formats(told(past)) == {}


def test_a_record_that_had_one_format_only_loses_only_that() -> None:
    past = RecordHistory(5, True, [RecordEvent(9, "deleted", DC, 10)], {})
    assert told(past) == [(5, DC, "created"), (9, DC, "deleted")]


def test_where_it_is_not_known_which_formats_were_lost_all_that_may_have_been_are_told() -> None:
    past = RecordHistory(5, True, [RecordEvent(7, "format"), RecordEvent(9, "deleted", DC, 10)], {})
    lost = {step.format_id for step in told(past, formats=(DC, KK, MODS)) if step.change == "deleted"}
    assert lost == {DC, KK, MODS}


def test_the_format_that_history_kept_was_the_first_so_none_before_it_was_lost() -> None:
    past = RecordHistory(5, True, [RecordEvent(7, "format"), RecordEvent(9, "deleted", KK, 10)], {})
    lost = {step.format_id for step in told(past, formats=(DC, KK, MODS)) if step.change == "deleted"}
    assert lost == {KK, MODS}


def test_where_too_few_formats_of_the_source_are_known_it_may_have_been_any() -> None:
    past = RecordHistory(5, True, [RecordEvent(7, "format"), RecordEvent(9, "deleted", DC, 10)], {})
    lost = {step.format_id for step in told(past, formats=(DC,)) if step.change == "deleted"}
    assert lost == {DC, KK, MODS}


def test_a_restored_record_is_created_anew() -> None:
    past = RecordHistory(5, False, [RecordEvent(9, "deleted", DC, 10), RecordEvent(11, "restored")], {DC: 30})
    assert told(past) == [(5, DC, "created"), (9, DC, "deleted"), (11, DC, "created")]
    assert find_current_formats(told(past)) == {DC: 11}


def test_a_record_that_came_deleted_was_never_there_before_it_was_restored() -> None:
    assert told(RecordHistory(5, True, [], {})) == []
    assert told(RecordHistory(5, False, [RecordEvent(8, "restored")], {KK: 3})) == [(8, KK, "created")]


def test_a_record_that_came_without_metadata_has_a_format_only_when_one_comes() -> None:
    assert told(RecordHistory(5, False, [RecordEvent(8, "format")], {DC: 3})) == [(8, DC, "created")]
    assert told(RecordHistory(5, True, [RecordEvent(8, "deleted")], {})) == []


def test_moving_to_other_sets_changes_nothing_unless_records_can_be_hidden() -> None:
    past = RecordHistory(5, False, [RecordEvent(6, "sets"), RecordEvent(7, "format")], {DC: 1, KK: 2})
    assert told(past) == [(5, DC, "created"), (7, KK, "created")]
    assert told(past, moves_count=True) == [(5, DC, "created"), (6, DC, "updated"), (7, KK, "created")]
