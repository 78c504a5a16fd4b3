from __future__ import annotations

from windrow.store import visit_counts
from windrow.store.store import Store
from windrow.store.visit_counts import CRAWLER, SEARCH, VisitCount, VisitGroup

FIRST, SECOND = "2024-05-31", "2024-06-01"


def add(store: Store, *counts: tuple[str, str, str, int]) -> None:
    with store.writing() as connection:
        visit_counts.add(
            connection, {VisitGroup(day, kind, family): count for day, kind, family, count in counts}
        )


def since(store: Store, day: str) -> list[VisitCount]:
    with store.reading() as connection:
        return visit_counts.since(connection, day)


def test_what_is_counted_again_is_added_up(store: Store) -> None:
    add(store, (FIRST, CRAWLER, "Bing", 2), (FIRST, SEARCH, "Bing", 1))
    add(store, (FIRST, CRAWLER, "Bing", 3), (SECOND, CRAWLER, "Bing", 7))
    assert since(store, FIRST) == [
        VisitCount(FIRST, CRAWLER, "Bing", 5),
        VisitCount(FIRST, SEARCH, "Bing", 1),
        VisitCount(SECOND, CRAWLER, "Bing", 7),
    ]


def test_only_the_days_asked_for_are_given(store: Store) -> None:
    add(store, (FIRST, CRAWLER, "Bing", 2), (SECOND, CRAWLER, "Bing", 7))
    assert since(store, SECOND) == [VisitCount(SECOND, CRAWLER, "Bing", 7)]
    assert since(store, "2024-06-02") == []


def test_old_days_are_let_go_of(store: Store) -> None:
    add(store, (FIRST, CRAWLER, "Bing", 2), (SECOND, CRAWLER, "Bing", 7))
    with store.writing() as connection:
        visit_counts.forget(connection, SECOND)
    assert since(store, "") == [VisitCount(SECOND, CRAWLER, "Bing", 7)]
