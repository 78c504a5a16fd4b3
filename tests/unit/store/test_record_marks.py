"""Marks of the records that a pass over a list has met."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from windrow.store.records.page_writer import RecordMarks

NUMBERS = st.lists(st.integers(min_value=1, max_value=5000))


@given(NUMBERS, NUMBERS)
def test_marks_are_a_set_of_numbers_that_counts_repetitions(first: list[int], second: list[int]) -> None:
    marks, other = RecordMarks(), RecordMarks()
    for number in first:
        marks.add(number)
    for number in second:
        other.add(number)
    assert marks.repeated == len(first) - len(set(first))
    assert all((number in marks) is (number in first) for number in {*first, *second, 1, 5000, 100_000})
    marks.merge(other)
    assert all((number in marks) for number in {*first, *second})
    assert [n for n in range(1, 5001) if n in marks] == sorted({*first, *second})


@given(NUMBERS, NUMBERS)
def test_what_a_pass_did_not_meet_is_what_has_no_mark(met: list[int], held: list[int]) -> None:
    marks = RecordMarks()
    for number in met:
        marks.add(number)
    assert marks.unmet(held) == [number for number in held if number not in set(met)]
