"""Crawls in processes of their own: killed, stopped, at work together, and controlled from others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers.website import Asked, Reply, Website, page

HOSTS, PAGES, PAUSE = 4, 40, 0.03
COMMAND = [sys.executable, "-c", "from windrow.cli.main import main; main()"]


class Crawled:
    """A library with a source of some hosts, whose pages lead to each other and to the next host."""

    def __init__(self, folder: Path, website: Website) -> None:
        self.folder, self.website = folder, website
        self.processes: list[subprocess.Popen[bytes]] = []
        self._reached = threading.Condition()
        self._answered, self._limit = 0, float("inf")
        website.fallback = self._answer
        self.run("init", ".")
        self.add("site", website.url)

    def add(self, name: str, host: str) -> None:
        rules = ["--start", f"{host}/p1", "--allow", "127.0.0.1"]
        manners = ["--interval", f"{int(PAUSE * 1000)}ms", "--private", "--contact", "robot@example.edu"]
        self.run("source", "add", name, "--kind", "web", *rules, *manners, "--no-check")

    def _answer(self, asked: Asked) -> Reply:
        with self._reached:
            assert self._reached.wait_for(lambda: self._answered < self._limit, 60)
            self._answered += 1
            self._reached.notify_all()
        if not asked.path.startswith("/p"):
            return Reply(b"", 404)
        number = int(asked.path[2:])
        links = [f"/p{following}" for following in (2 * number, 2 * number + 1) if following <= PAGES]
        if number == 1:
            host = self.website.ports.index(int(asked.host.partition(":")[2]))
            links.append(f"{self.website.address((host + 1) % HOSTS)}/p1")
        return page(f"{asked.host} {number}", *links, meta=f"{asked.host.replace(':', '-')}-{number}")

    def run(self, *arguments: str) -> str:
        done = subprocess.run(
            [*COMMAND, *arguments], cwd=self.folder, capture_output=True, text=True, check=False
        )
        assert done.returncode in (0, 3), done.stderr
        return done.stdout

    def start(self, name: str = "site") -> subprocess.Popen[bytes]:
        quiet = subprocess.DEVNULL
        started = subprocess.Popen(
            [*COMMAND, "harvest", name, "--no-index"], cwd=self.folder, stdout=quiet, stderr=quiet
        )
        self.processes.append(started)
        return started

    def answer(self, more: float) -> None:
        """Answer so many more requests, and let those behind them wait."""
        with self._reached:
            self._limit = self._answered + more
            self._reached.notify_all()

    def wait_for_answers(self) -> None:
        """Wait until as many requests have been answered as may be."""
        with self._reached:
            assert self._reached.wait_for(lambda: self._answered >= self._limit, 60)

    def wait_for_workers(self, number: int) -> None:
        """Wait until so many processes crawl; each look is a process of its own, and takes its time."""
        for _ in range(60):
            if self.status()["workers"] == number:
                return
        raise AssertionError(self.status())

    def status(self) -> dict[str, Any]:
        status: dict[str, Any] = json.loads(self.run("crawl", "status", "site", "--json"))
        return status

    def repeated(self) -> int:
        counts = Counter((each.host, each.path) for each in self.website.requests if each.path[1] == "p")
        assert len(counts) == HOSTS * PAGES  # none was lost
        return sum(counts.values()) - len(counts)


@pytest.fixture
def crawled(tmp_path: Path) -> Iterator[Crawled]:
    with Website(HOSTS) as website:
        made = Crawled(tmp_path, website)
        yield made
        for process in made.processes:
            if process.poll() is None:
                process.kill()
                process.wait()


def test_killed_crawls_lose_nothing_repeat_little_and_keep_the_pauses(crawled: Crawled) -> None:
    for _ in range(4):
        crawled.answer(12)
        process = crawled.start()
        crawled.wait_for_answers()
        process.kill()
        process.wait()
    crawled.answer(float("inf"))
    assert crawled.start().wait(60) == 0
    assert crawled.repeated() <= 4 * HOSTS
    assert crawled.website.shortest_gap() >= PAUSE
    assert "never harvested" not in crawled.run("doctor")


def test_a_crawl_that_is_asked_to_end_repeats_nothing(crawled: Crawled) -> None:
    crawled.answer(12)
    process = crawled.start()
    crawled.wait_for_answers()
    process.send_signal(signal.SIGTERM)
    crawled.answer(float("inf"))
    assert process.wait(60) == 130
    assert crawled.start().wait(60) == 0
    assert crawled.repeated() == 0


def test_two_processes_and_one_that_stalls_share_a_site(crawled: Crawled) -> None:
    crawled.answer(0)
    first, second = crawled.start(), crawled.start()
    crawled.wait_for_workers(2)
    crawled.answer(20)
    crawled.wait_for_answers()
    os.kill(first.pid, signal.SIGSTOP)
    assert crawled.status()["workers"] == 2
    crawled.answer(float("inf"))
    os.kill(first.pid, signal.SIGCONT)
    assert {first.wait(60), second.wait(60)} <= {0, 3}
    assert crawled.repeated() <= HOSTS
    assert crawled.website.shortest_gap() >= PAUSE


def test_two_sources_share_the_pauses_of_their_hosts(crawled: Crawled) -> None:
    crawled.add("other", crawled.website.address(1))
    first, second = crawled.start("site"), crawled.start("other")
    assert (first.wait(60), second.wait(60)) == (0, 0)
    assert crawled.repeated() == HOSTS * PAGES  # each source asks for itself
    assert crawled.website.shortest_gap() >= PAUSE


def test_a_crawl_is_paused_and_closed_from_another_process(crawled: Crawled) -> None:
    crawled.answer(12)
    process = crawled.start()
    crawled.wait_for_answers()
    crawled.run("crawl", "pause", "site")
    crawled.answer(float("inf"))
    status = crawled.status()
    assert (status["state"], status["workers"]) == ("paused", 1)
    assert process.poll() is None
    crawled.run("crawl", "close", "site")
    assert process.wait(60) == 3
    assert len(crawled.website.requests) < HOSTS * PAGES  # it ended in the middle
