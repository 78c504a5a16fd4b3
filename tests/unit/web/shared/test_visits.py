from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from windrow.store import visit_counts as stored
from windrow.store.store import Store, create_store, open_store
from windrow.web.http.visitors import VisitCounter

NOON = 1_717_243_200.0  # 2024-06-01 12:00 UTC
DAY = 86_400
GOOGLEBOT = b"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
FIREFOX = b"Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"
FROM_BING = b"https://www.bing.com/search?q=a+secret+question"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = create_store(tmp_path)
    made.clock = lambda: NOON
    yield made
    made.close()


def counting(store: Store, keep_days: int = 400) -> VisitCounter:
    return VisitCounter(store, own_host="library.example", keep_days=keep_days)


def counted(store: Store) -> list[tuple[str, str, str, int]]:
    with store.reading() as connection:
        return [(each.day, each.kind, each.family, each.count) for each in stored.since(connection, "")]


def test_crawlers_and_visits_from_search_engines_are_counted_by_day(store: Store) -> None:
    visits = counting(store)
    for _ in range(3):
        visits.count(GOOGLEBOT, b"")
    visits.count(FIREFOX, FROM_BING)
    store.clock = lambda: NOON + DAY
    visits.count(GOOGLEBOT, b"")
    visits.close()
    assert counted(store) == [
        ("2024-06-01", "crawler", "Google", 3),
        ("2024-06-01", "search", "Bing", 1),
        ("2024-06-02", "crawler", "Google", 1),
    ]


def test_people_who_come_from_nowhere_are_not_counted_and_nothing_is_written(store: Store) -> None:
    visits = counting(store)
    visits.count(FIREFOX, b"")
    visits.count(FIREFOX, b"https://library.example/search")
    visits.close()
    assert counted(store) == []


def test_a_crawler_that_sends_a_referer_is_a_crawler(store: Store) -> None:
    visits = counting(store)
    visits.count(GOOGLEBOT, FROM_BING)
    visits.close()
    assert counted(store) == [("2024-06-01", "crawler", "Google", 1)]


def test_counts_outlive_the_process_and_those_of_two_add_up(store: Store, tmp_path: Path) -> None:
    other = open_store(tmp_path)
    other.clock = store.clock
    first, second = counting(store), counting(other)
    for visits in (first, second, second):
        visits.count(GOOGLEBOT, b"")
    first.close()
    second.close()
    other.close()
    again = open_store(tmp_path)
    again.clock = store.clock
    third = counting(again)
    third.count(GOOGLEBOT, b"")
    third.close()
    again.close()
    assert counted(store) == [("2024-06-01", "crawler", "Google", 4)]


def test_nothing_by_which_anybody_could_be_known_is_kept(store: Store, tmp_path: Path) -> None:
    visits = counting(store)
    visits.count(b"PrivateBot/7.3 (visitor 203.0.113.77)", b"")
    visits.count(FIREFOX, FROM_BING)
    visits.close()
    store.settle()
    store.close()
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for secret in (b"PrivateBot", b"203.0.113.77", b"secret", b"Firefox", b"bing.com"):
        assert secret not in content
    assert b"Bing" in content


def test_days_older_than_they_are_kept_for_are_let_go_of(store: Store) -> None:
    with store.writing() as connection:
        for day in ("2024-05-01", "2024-05-30", "2024-05-31"):
            stored.add(connection, {stored.VisitGroup(day, "crawler", "Bing"): 1})
    visits = counting(store, keep_days=2)
    visits.count(GOOGLEBOT, b"")
    visits.close()
    assert [each[0] for each in counted(store)] == ["2024-05-30", "2024-05-31", "2024-06-01"]


def test_what_cannot_be_written_is_written_when_it_can_be(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    visits = counting(store)
    visits.count(GOOGLEBOT, b"")
    store.database.pragmas = ("busy_timeout = 0",)
    store.close()  # so that the next transaction does not wait
    blocking = sqlite3.connect(tmp_path / "windrow.db", isolation_level=None)
    blocking.execute("BEGIN IMMEDIATE")
    visits.write()
    visits.write()
    visits.count(GOOGLEBOT, b"")
    assert caplog.text.count("who came by is not written") == 1
    blocking.execute("ROLLBACK")
    blocking.close()
    visits.close()
    assert counted(store) == [("2024-06-01", "crawler", "Google", 2)]


def test_a_thread_is_there_only_from_the_first_count_to_the_end(store: Store) -> None:
    def threads() -> list[threading.Thread]:
        return [
            thread for thread in threading.enumerate() if thread.name == "visits" and thread not in before
        ]

    before = threading.enumerate()
    visits = counting(store)
    assert threads() == []
    visits.count(GOOGLEBOT, b"")
    assert len(threads()) == 1
    visits.close()
    visits.close()
    assert threads() == []
