"""`windrow serve`, from its start to its end, over real HTTP."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from lxml import etree

from tests.flows.commanding import WAIT_SECONDS, running, windrow
from tests.flows.harvesting import Shelf
from tests.flows.serving import NAME, Served, serving, stocked
from tests.unit.web.stage import BROWSER
from windrow.model.run import Outcome
from windrow.store.records.record_reader import StoredRecord
from windrow.wiring import create_library

OAI = "{http://www.openarchives.org/OAI/2.0/}"


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    return stocked(tmp_path_factory.mktemp("library") / "theses")


@pytest.fixture(scope="module")
def served(shelf: Shelf) -> Iterator[Served]:
    with serving(shelf.folder) as server:
        yield server


def identifiers(served: Served, base: str, **arguments: str) -> list[str]:
    """Every identifier that the repository lists, page by page."""
    query = "&".join(f"{key}={value}" for key, value in arguments.items())
    path = f"{base}?verb=ListRecords&metadataPrefix=oai_dc{'&' + query if query else ''}"
    found: list[str] = []
    while True:
        root = etree.fromstring(served.ask(path).body)
        found += [str(item.text) for item in root.iterfind(f".//{OAI}header/{OAI}identifier")]
        token = root.findtext(f".//{OAI}resumptionToken")
        if not token:
            return found
        path = f"{base}?verb=ListRecords&resumptionToken={token}"


@pytest.mark.parametrize("base", ["/oai", f"/oai/{NAME}"])
def test_everything_in_the_library_is_listed_once(shelf: Shelf, served: Served, base: str) -> None:
    assert sorted(identifiers(served, base)) == sorted(shelf.records(name=NAME))


def test_answers_name_the_address_that_was_announced(served: Served) -> None:
    body = served.ask(f"/oai/{NAME}?verb=Identify", headers={"Host": "evil.example"}).text
    assert f"<baseURL>{served.url}/oai/{NAME}</baseURL>" in body
    assert "evil" not in body


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?verb=Identify",
        "?verb=ListSets",
        "?verb=ListMetadataFormats",
        "?verb=ListRecords&metadataPrefix=oai_dc",
        "?verb=ListIdentifiers&metadataPrefix=kk",
        "?verb=GetRecord&metadataPrefix=kk&identifier=oai:theses.example:thesis/1",
        "?verb=ListRecords&metadataPrefix=nothing",
    ],
)
def test_a_browser_gets_a_page_for_every_request(served: Served, query: str) -> None:
    for base in ("/oai", f"/oai/{NAME}"):
        got = served.ask(base + query, headers=BROWSER)
        assert got.status == 200
        assert "</html>" in got.text


def test_the_server_is_healthy_and_says_nothing_about_itself(served: Served) -> None:
    got = served.ask("/health")
    assert got.status == 200
    assert "server" not in got.headers


def test_our_own_harvester_takes_it_all_back(shelf: Shelf, served: Served, tmp_path: Path) -> None:
    second = Shelf(create_library(tmp_path / "second"))
    second.add(f"{served.url}/oai/{NAME}", formats=["oai_dc", "kk"])
    assert second.harvest().outcome is Outcome.OK
    assert _contents(second.records()) == _contents(shelf.records(name=NAME))


def _contents(records: Mapping[str, StoredRecord]) -> dict[str, object]:
    return {
        identifier: (record.is_deleted, {payload.prefix: payload.data for payload in record.payloads})
        for identifier, record in records.items()
    }


def test_a_broken_library_is_a_bad_day_and_not_an_empty_list(tmp_path: Path) -> None:
    shelf = stocked(tmp_path / "library", records=20)
    with serving(shelf.folder) as server:
        whole = server.ask("/oai?verb=ListRecords&metadataPrefix=oai_dc")
        _spoil(shelf.folder)
        got = server.ask("/oai?verb=ListRecords&metadataPrefix=oai_dc")
    assert whole.status == 200
    assert got.status == 503
    assert int(got.headers["retry-after"]) > 0


def _spoil(folder: Path) -> None:
    """Overwrite the database with rubbish, as a dying disk would."""
    for path in folder.glob("windrow.db*"):
        with path.open("r+b") as file:
            file.write(b"\xff" * path.stat().st_size)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_request_in_work_is_finished_when_the_server_is_stopped(shelf: Shelf, workers: str) -> None:
    with serving(shelf.folder, "--workers", workers) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_SECONDS) as begun:
            head = b"POST /oai HTTP/1.1\r\nHost: x\r\nContent-Length: 13\r\nExpect: 100-continue\r\n"
            kind = b"Content-Type: application/x-www-form-urlencoded\r\n\r\n"
            begun.sendall(head + kind)
            assert b"100 Continue" in begun.recv(1000)  # the application waits for the rest
            server.process.terminate()
            begun.sendall(b"verb=Identify")
            answer = b"".join(iter(lambda: begun.recv(65536), b""))
        assert b"<Identify>" in answer
        assert server.process.wait(WAIT_SECONDS) == 0


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_it_ends_as_it_was_asked_to(shelf: Shelf, workers: str, number: int, code: int) -> None:
    with serving(shelf.folder, "--workers", workers) as server:
        assert server.ask("/health").status == 200
        assert server.stop(number) == code


def _children(process: subprocess.Popen[str]) -> set[int]:
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True, check=False
    )
    return set(map(int, found.stdout.split()))


def test_a_worker_that_dies_is_replaced(shelf: Shelf) -> None:
    with serving(shelf.folder, "--workers", "2") as server:
        before = _children(server.process)
        assert len(before) == 2
        victim = min(before)
        os.kill(victim, signal.SIGKILL)
        assert _in_time(
            lambda: victim not in _children(server.process) and len(_children(server.process)) == 2
        )
        assert {server.ask("/health").status for _ in range(10)} == {200}
        assert server.stop() == 0


def test_workers_do_not_outlive_their_parent(shelf: Shelf) -> None:
    with serving(shelf.folder, "--workers", "2") as server:
        workers = _children(server.process)
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait(WAIT_SECONDS)
        assert _in_time(lambda: all(map(_is_dead, workers)))


def _in_time(holds: Callable[[], bool]) -> bool:
    """Look until something holds; give up after a while."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            return False
    return True


def _is_dead(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_port_that_is_taken_is_told_with_the_next_step(shelf: Shelf, served: Served) -> None:
    result = windrow(shelf, "serve", "--port", str(served.port))
    assert result.returncode == 1
    assert f"port {served.port} of 127.0.0.1 is taken" in result.stderr
    assert "--port" in result.stderr


def test_people_are_told_where_to_look(shelf: Shelf) -> None:
    words = ["serve", "--port", "0", "--access-log", "none", "--url", "https://library.example/windrow/"]
    with running(shelf, *words) as process:
        assert process.stderr is not None
        lines: list[str] = []
        while "Ctrl-C" not in "".join(lines):
            lines.append(process.stderr.readline())
            assert lines[-1], "".join(lines)
        said = "".join(lines)
        process.terminate()
        assert process.wait(WAIT_SECONDS) == 0
    assert "https://library.example/windrow/oai\n" in said
    assert re.search(r"listening at +http://127\.0\.0\.1:\d+\n", said)


def test_requests_are_logged_where_one_says(shelf: Shelf) -> None:
    with serving(shelf.folder, "--access-log", "access.log", "--workers", "2") as server:
        for _ in range(5):
            server.ask("/oai?verb=Identify")
        assert server.stop() == 0
    lines = (shelf.folder / "access.log").read_text().splitlines()
    assert len(lines) == 5
    assert all('"GET /oai?verb=Identify HTTP/1.1" 200' in line for line in lines)


def test_clients_that_hang_up_or_do_not_read_hurt_nobody(shelf: Shelf) -> None:
    request = b"GET /oai?verb=ListRecords&metadataPrefix=oai_dc HTTP/1.1\r\nHost: x\r\n\r\n"
    with serving(shelf.folder) as server:
        held = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(50)]
        for number, client in enumerate(held):
            client.sendall(request if number % 2 else request[:30])
        for client in held[::3]:
            client.close()
        statuses: list[int] = []
        threads = [
            threading.Thread(target=lambda: statuses.append(server.ask("/oai?verb=Identify").status))
            for _ in range(30)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(WAIT_SECONDS)
        for client in held:
            client.close()
        assert statuses == [200] * 30
        assert server.stop() == 0


def test_it_listens_on_the_newer_internet_too(shelf: Shelf) -> None:
    if (
        not socket.has_ipv6
        or not Path("/proc/net/if_inet6").exists()
        or not Path("/proc/net/if_inet6").read_text()
    ):
        pytest.skip("this machine has no IPv6")
    with serving(shelf.folder, host="::1") as server:
        assert server.url == f"http://[::1]:{server.port}"
        with socket.create_connection(("::1", server.port), timeout=WAIT_SECONDS) as client:
            client.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            assert client.recv(15) == b"HTTP/1.1 200 OK"


def test_a_limit_that_was_set_holds_for_this_machine_too_and_the_default_does_not(
    shelf: Shelf, served: Served
) -> None:
    identify = "/oai?verb=Identify"
    assert {served.ask(identify).status for _ in range(150)} == {200}
    limits = {"WINDROW_OAI_REQUESTS_PER_SECOND": "1", "WINDROW_OAI_BURST": "3"}
    with serving(shelf.folder, extra=limits) as limited:
        answers = [limited.ask(identify) for _ in range(10)]
        healthy = limited.ask("/health")
    assert [answer.status for answer in answers[:3]] == [200, 200, 200]
    assert answers[-1].status == 503
    assert int(answers[-1].headers["retry-after"]) >= 1
    assert healthy.status == 200
