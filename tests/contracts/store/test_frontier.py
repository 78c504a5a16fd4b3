"""The frontier of the robot: what is asked for next, who owns a host, and what survives a process."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from windrow.store import sources
from windrow.store.crawl_workers import CrawlWorkers
from windrow.store.frontier import (
    NEVER,
    Control,
    ControlState,
    Found,
    Frontier,
    Limits,
    Ordering,
    Page,
    PageState,
    Visit,
)
from windrow.store.leases import Claim, own_claim
from windrow.store.store import Store, create_store

DEAD = Claim("windrow crawl", 2**22 + 1, os.uname().nodename, "1")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Crawled:
    """A frontier with its clock, each call a transaction of its own."""

    def __init__(self, store: Store, name: str = "site") -> None:
        self.store, self.clock = store, Clock()
        with store.writing() as connection:
            self.frontier = Frontier(sources.ensure(connection, name, f"http://{name}/").id, clock=self.clock)

    def add(self, *paths: str, host: str = "a.example", limits: Limits | None = None, depth: int = 0) -> int:
        found = [Found(f"http://{host}{path}", host, f"{host}/", depth) for path in paths]
        with self.store.writing() as connection:
            return self.frontier.add(connection, found, limits).new

    def join(self, claim: Claim | None = None) -> int:
        with self.store.writing() as connection:
            workers = CrawlWorkers(self.frontier.source_id, clock=self.clock)
            return workers.join(connection, claim or own_claim("test"), interval=lambda _: 60.0)

    def claim(
        self,
        worker: int,
        count: int = 10,
        *,
        ordering: Ordering = Ordering.BREADTH,
        busy: tuple[Page, ...] = (),
    ) -> list[Page]:
        under_way: dict[int, set[int]] = {}
        for page in busy:
            under_way.setdefault(page.host_id, set()).add(page.id)
        with self.store.writing() as connection:
            return self.frontier.claim(connection, worker, count, ordering=ordering, under_way=under_way)

    def finish(self, worker: int, page: Page, *, pause: float = 60.0, due: float = NEVER) -> None:
        with self.store.writing() as connection:
            self.frontier.finish(connection, [Visit(page.id, PageState.DONE, due, "ok", status=200)])
            self.frontier.release(
                connection, worker, page.host_id, next_at=self.clock.now + pause, is_idle=True
            )

    def next_ready(self) -> float:
        with self.store.reading() as connection:
            return self.frontier.next_ready(connection)


@pytest.fixture
def crawled(tmp_path: Path) -> Crawled:
    return Crawled(create_store(tmp_path))


def test_an_address_is_added_once(crawled: Crawled) -> None:
    assert crawled.add("/a", "/b", "/a") == 2
    assert crawled.add("/b", "/c") == 1


def test_one_page_of_a_host_is_asked_for_at_a_time(crawled: Crawled) -> None:
    crawled.add("/a", "/b")
    crawled.add("/c", host="b.example")
    worker = crawled.join()
    first = crawled.claim(worker)
    assert {page.url for page in first} == {"http://a.example/a", "http://b.example/c"}
    assert crawled.claim(worker, busy=tuple(first)) == []


def test_a_host_rests_after_the_end_of_a_request(crawled: Crawled) -> None:
    crawled.add("/a", "/b")
    worker = crawled.join()
    (page,) = crawled.claim(worker)
    crawled.clock.now += 5
    crawled.finish(worker, page)
    assert crawled.claim(worker) == []
    assert crawled.next_ready() == 1065.0
    crawled.clock.now = 1065.0
    assert [each.url for each in crawled.claim(worker)] == ["http://a.example/b"]


def test_the_pause_of_a_host_holds_for_every_source(crawled: Crawled) -> None:
    other = Crawled(crawled.store, "other")
    other.clock = crawled.clock
    other.frontier = Frontier(other.frontier.source_id, clock=crawled.clock)
    crawled.add("/a")
    other.add("/z")
    worker, helper = crawled.join(), other.join()
    (page,) = crawled.claim(worker)
    assert other.claim(helper) == []
    crawled.finish(worker, page)
    crawled.clock.now += 30
    assert other.claim(helper) == []
    crawled.clock.now += 31
    assert len(other.claim(helper)) == 1


def test_a_host_that_another_process_asks_is_left_alone(crawled: Crawled) -> None:
    crawled.add("/a", "/b")
    one, two = crawled.join(), crawled.join()
    assert len(crawled.claim(one)) == 1
    assert crawled.claim(two) == []


def test_what_a_dead_process_was_asking_for_is_asked_for_again_after_a_pause(crawled: Crawled) -> None:
    crawled.add("/a")
    dead = crawled.join(DEAD)
    assert len(crawled.claim(dead)) == 1
    worker = crawled.join()  # takes back what the dead have left
    assert crawled.claim(worker) == []
    crawled.clock.now += 60
    assert [page.url for page in crawled.claim(worker)] == ["http://a.example/a"]


def test_a_process_that_lost_its_host_is_told_apart(crawled: Crawled) -> None:
    crawled.add("/a")
    dead = crawled.join(DEAD)
    (page,) = crawled.claim(dead)
    worker = crawled.join()
    crawled.clock.now += 60
    crawled.claim(worker)
    with crawled.store.reading() as connection:
        assert not crawled.frontier.is_owner(connection, dead, page.host_id)
        assert crawled.frontier.is_owner(connection, worker, page.host_id)


@pytest.mark.parametrize(
    ("ordering", "first"),
    [
        (Ordering.BREADTH, "/shallow"),
        (Ordering.DEPTH, "/deep"),
        (Ordering.OLDEST, "/middle"),
        (Ordering.NEWEST, "/shallow"),
    ],
)
def test_the_order_decides_which_page_of_a_host_comes_first(
    crawled: Crawled, ordering: Ordering, first: str
) -> None:
    crawled.add("/middle", depth=2)
    crawled.add("/deep", depth=3)
    crawled.add("/shallow", depth=1)
    (page,) = crawled.claim(crawled.join(), ordering=ordering)
    assert page.url.endswith(first)


def test_pages_come_back_when_they_are_due(crawled: Crawled) -> None:
    crawled.add("/a")
    worker = crawled.join()
    (page,) = crawled.claim(worker)
    crawled.finish(worker, page, due=5000.0)
    assert crawled.next_ready() == NEVER
    crawled.clock.now = 4999.0
    with crawled.store.writing() as connection:
        assert crawled.frontier.promote(connection) == 0
        crawled.clock.now = 5000.0
        assert crawled.frontier.promote(connection) == 1
    assert len(crawled.claim(worker)) == 1


def test_limits_keep_addresses_out_and_count_them(crawled: Crawled) -> None:
    found = [Found(f"http://a.example/{n}", "a.example", "a.example/") for n in range(50)]
    with crawled.store.writing() as connection:
        added = crawled.frontier.add(connection, found, Limits(pages_per_host=10, pages_per_prefix=5))
    assert (added.new, added.refused) == (10, {("host", "a.example"): 40})
    with crawled.store.writing() as connection:
        added = crawled.frontier.add(
            connection,
            [Found(f"http://b.example/{n}", "b.example", "b.example/") for n in range(50)],
            Limits(pages_per_host=1000, pages_per_prefix=5),
        )
    assert (added.new, added.refused) == (20, {("prefix", "b.example/"): 30})


def test_a_closed_prefix_takes_no_more(crawled: Crawled) -> None:
    crawled.add("/a")
    with crawled.store.writing() as connection:
        crawled.frontier.count_prefix(connection, "a.example/", has_record=[False], is_repeat=[True])
        crawled.frontier.close_prefix(connection, "a.example/", "trap-repeats")
        assert crawled.frontier.prefix_counts(connection, "a.example/") == (1, 0, 1, "trap-repeats")
    assert crawled.add("/b", limits=Limits()) == 0


def test_what_the_operator_wants_is_kept(crawled: Crawled) -> None:
    with crawled.store.writing() as connection:
        assert crawled.frontier.control(connection) == Control()
        crawled.frontier.set_control(connection, Control(ControlState.PAUSED, Ordering.NEWEST))
    again = Frontier(crawled.frontier.source_id)
    with crawled.store.reading() as connection:
        assert again.control(connection) == Control(ControlState.PAUSED, Ordering.NEWEST)


def test_known_addresses_are_queued_when_due_or_when_forced(crawled: Crawled) -> None:
    crawled.add("/a", "/b", host="a.example")
    worker = crawled.join()
    (page,) = crawled.claim(worker)
    crawled.finish(worker, page, due=5000.0)
    with crawled.store.writing() as connection:
        assert crawled.frontier.queue_due(connection, [page.url]) == 0
        assert crawled.frontier.force(connection, [page.url, "http://a.example/unknown"]) == 1
        assert crawled.frontier.queued(connection) == 2


def test_hosts_are_counted_by_state(crawled: Crawled) -> None:
    crawled.add("/a", "/b")
    crawled.add("/c", host="b.example")
    worker = crawled.join()
    for page in crawled.claim(worker):
        crawled.finish(worker, page)
    with crawled.store.reading() as connection:
        hosts = crawled.frontier.hosts(connection)
        counts = crawled.frontier.counts(connection)
    assert [(host.name, dict(host.states)) for host in hosts] == [
        ("a.example", {PageState.DONE: 1, PageState.QUEUED: 1}),
        ("b.example", {PageState.DONE: 1}),
    ]
    assert counts == {PageState.DONE: 2, PageState.QUEUED: 1}
