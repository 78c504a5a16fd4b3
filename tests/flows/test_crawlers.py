"""`windrow serve` under crawlers: budgets that the settings give, and counts that outlive the server."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows.commanding import WAIT_SECONDS, environment
from tests.flows.serving import NAME, serving, stocked
from windrow.store import visit_counts
from windrow.store.store import open_store

GOOGLEBOT = {"User-Agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"}
PAGE = f"/record/{NAME}/oai:theses.example:thesis/1"
SETTINGS = """
[crawlers]
requests_per_second = 1
burst = 3

[crawlers.good.google]
agent = "Googlebot"
networks = ["192.0.2.0/24"]
"""

_ONCE = """
import asyncio, sys
from windrow.asgi import library_app

async def receive():
    return {"type": "http.request", "body": b"", "more_body": False}

async def send(message):
    if "status" in message:
        print(message["status"])

scope = {
    "type": "http", "method": "GET", "path": sys.argv[2], "query_string": b"", "client": ("127.0.0.1", 1),
    "headers": [(b"user-agent", b"bingbot/2.0")],
}
asyncio.run(library_app(sys.argv[1], url="http://127.0.0.1/")(scope, receive, send))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stocked(tmp_path_factory.mktemp("library") / "theses", records=20).folder


def counted(folder: Path) -> dict[tuple[str, str], int]:
    store = open_store(folder)
    with store.reading() as connection:
        found = {(each.kind, each.family): each.count for each in visit_counts.since(connection, "")}
    store.close()
    return found


def test_what_several_processes_counted_is_all_there_when_they_have_ended(folder: Path) -> None:
    before = counted(folder).get(("crawler", "Google"), 0)
    with serving(folder, "--workers", "2") as served:
        assert {served.ask(PAGE, headers=GOOGLEBOT).status for _ in range(12)} == {200}
        assert served.stop() == 0
    with serving(folder) as served:
        assert served.ask(PAGE, headers=GOOGLEBOT).status == 200
        assert served.stop() == 0
    assert counted(folder)["crawler", "Google"] == before + 13


def test_a_budget_set_by_hand_holds_for_everybody_but_a_good_crawler(tmp_path: Path) -> None:
    shelf = stocked(tmp_path / "theses", records=20)
    path = shelf.folder / "windrow.toml"
    path.write_text(path.read_text(encoding="utf-8") + SETTINGS, encoding="utf-8")
    with serving(shelf.folder) as served:
        got = [served.ask(PAGE) for _ in range(60)]
        good = {**GOOGLEBOT, "X-Forwarded-For": "192.0.2.1"}
        assert {served.ask(PAGE, headers=good).status for _ in range(20)} == {200}
        assert served.stop() == 0
    assert [each.status for each in got[:3]] == [200, 200, 200]
    assert {each.status for each in got} == {200, 429}
    assert {each.headers.get("retry-after") for each in got if each.status == 429} == {"1"}
    assert counted(shelf.folder)["crawler", "Google"] == 20


def test_a_library_inside_another_application_writes_what_it_counted_when_that_ends(tmp_path: Path) -> None:
    folder = stocked(tmp_path / "theses", records=20).folder
    words = [sys.executable, "-c", _ONCE, str(folder), PAGE]
    ended = subprocess.run(
        words, capture_output=True, text=True, timeout=WAIT_SECONDS, env=environment(), check=False
    )
    assert (ended.stdout, ended.stderr) == ("200\n", "")
    assert counted(folder) == {("crawler", "Bing"): 1}
