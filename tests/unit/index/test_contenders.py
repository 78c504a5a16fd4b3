"""Who may be among the most frequent, if each may have been counted short."""

from __future__ import annotations

from windrow.index.tantivy.facet_counting import (
    Answer,
    correct_counts,
    find_contenders,
    is_doubtful,
    is_sure,
    total_count,
)


def answer(*counts: int, shortage: int = 0, others: int = 0) -> Answer:
    """What Tantivy gives: values a, b, c … with their counts."""
    buckets = [
        {"key": chr(ord("a") + place), "doc_count": count, "within": {}} for place, count in enumerate(counts)
    ]
    return {"buckets": buckets, "doc_count_error_upper_bound": shortage, "sum_other_doc_count": others}


def keys(buckets: list[Answer]) -> str:
    return "".join(bucket["key"] for bucket in buckets)


def test_whoever_may_have_as_many_as_the_last_wanted_one_is_a_contender() -> None:
    found = answer(20, 10, 7, 6, 1, shortage=3, others=50)
    assert keys(find_contenders(found, 2)) == "abc"
    assert is_sure(found, 2)  # d has nine at most, and so has everybody who was not given


def test_where_the_last_that_was_given_is_a_contender_others_may_be_too() -> None:
    found = answer(20, 10, 8, shortage=3, others=50)
    assert not is_sure(found, 2)
    assert not is_sure(found, 3)


def test_all_values_there_are_need_no_others() -> None:
    assert is_sure(answer(20, 10, 8, shortage=3, others=0), 2)
    assert is_sure(answer(5, 5, 5), 2)


def test_what_was_not_counted_short_is_not_doubted() -> None:
    assert not is_doubtful(answer(5, 4))
    assert not is_doubtful({"buckets": []})
    assert is_doubtful(answer(5, 4, shortage=1))


def test_corrected_counts_leave_the_sum_of_all_as_it_was() -> None:
    found = answer(20, 10, 8, shortage=3, others=50)
    correct_counts(found, find_contenders(found, 2), [20, 10, 11])
    assert [bucket["doc_count"] for bucket in found["buckets"]] == [20, 10, 11]
    assert total_count(found) == 88
