"""What a run did to records, each counted once: in any order, and without what came to nothing."""

from __future__ import annotations

import pytest

from windrow.model.run import Counters, RecordCounter, RecordEffect

KINDS = ("unchanged", "sets", "format", "changed", "deleted", "restored")


def counted(tally: RecordCounter) -> dict[str, int]:
    """The counters that are not zero."""
    counters = Counters()
    tally.write_to(counters)
    return {name: count for name, count in counters.as_dict().items() if count}


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (["unchanged", "unchanged"], "unchanged"),
        (["unchanged", "changed", "unchanged"], "changed"),
        (["sets", "format"], "supplemented"),
        (["format", "sets", "changed"], "changed"),
        (["changed", "deleted"], "deleted"),
        (["deleted", "restored"], "changed"),
        (["deleted", "restored", "deleted"], "deleted"),
        (["restored", "changed"], "restored"),
        (["restored", "deleted"], "unchanged"),
        (["restored", "deleted", "restored"], "restored"),
        (["sets", "restored"], "restored"),
    ],
)
def test_of_several_changes_to_one_record_the_sum_counts(kinds: list[str], expected: str) -> None:
    tally = RecordCounter()
    tally.base = 100
    for number, kind in enumerate(kinds):
        tally.meet(number, 7, kind, was_deleted=kind == "restored")
    assert counted(tally) == {expected: 1}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_new_stays_new_or_is_gone(kind: str) -> None:
    effect = RecordEffect.ADDED.then(kind)
    assert effect.counter == ("deleted" if kind == "deleted" else "added") or kind == "restored"
    assert RecordEffect.ADDED_DELETED.then("restored").counter == "added"


def test_an_entry_that_comes_again_in_its_format_is_a_duplicate() -> None:
    tally = RecordCounter()
    tally.base = 100
    tally.add(1, 101, [False] * 5000)
    tally.meet(1, 4200, "unchanged", was_deleted=False)
    tally.meet(2, 4200, "format", was_deleted=False)
    assert counted(tally) == {"added": 5000, "duplicates": 1}
    assert tally.has_come(2, 4200)
    assert not tally.has_come(2, 4201)


def test_what_came_to_nothing_is_not_counted() -> None:
    tally = RecordCounter()
    tally.base = 100
    tally.meet(1, 7, "unchanged", was_deleted=False)
    tally.reject("oai_dc", "a")
    before = counted(tally)
    tally.begin()
    tally.add(1, 101, [False, True, False])
    tally.meet(1, 7, "changed", was_deleted=False)
    tally.meet(2, 8, "deleted", was_deleted=False)
    tally.reject("oai_dc", "b")
    tally.reject("kk", "a")
    assert counted(tally) != before
    tally.roll_back()
    assert counted(tally) == before
    assert not tally.has_come(1, 102)
    assert not tally.has_come(2, 8)


def test_a_record_rejected_in_two_formats_counts_until_both_are_settled() -> None:
    tally = RecordCounter()
    for prefix in ("oai_dc", "kk", "kk"):
        tally.reject(prefix, "a")
    assert counted(tally) == {"quarantined": 1}
    tally.accept("oai_dc", "a")
    assert counted(tally) == {"quarantined": 1}
    tally.accept("kk", "a")
    assert counted(tally) == {}
