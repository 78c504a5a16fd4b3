"""Visits to a page: what is no answer is never counted as a quick one."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from bench import visits
from bench.errors import ContestantError
from bench.servers import Server
from bench.visits import Cost, Kind


class Page(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = f"<p>You asked for {self.path}.</p>".encode()
        self.send_response(404 if self.path == "/gone" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as listening:
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield Server(f"http://127.0.0.1:{listening.server_port}/", os.getpid())
        listening.shutdown()
        thread.join()


def test_every_address_is_asked_for_and_the_answers_are_averaged(server: Server) -> None:
    cost = visits.visit(server, Kind("pages", ("/a", "/bcd"), holds="You asked"))
    assert cost.body_bytes == (len("<p>You asked for /a.</p>") + len("<p>You asked for /bcd.</p>")) / 2
    assert cost.wall_ms > 0


def test_a_page_that_is_not_there_is_an_error(server: Server) -> None:
    with pytest.raises(ContestantError, match="/gone: HTTP 404"):
        visits.visit(server, Kind("pages", ("/a", "/gone")))


def test_a_page_without_what_it_should_hold_is_an_error(server: Server) -> None:
    with pytest.raises(ContestantError, match="no 'facets' in the answer"):
        visits.visit(server, Kind("pages", ("/a",), holds="facets"))


def test_of_the_rounds_the_quickest_counts() -> None:
    assert visits.best([Cost(3, 9, 10), Cost(4, 8, 10)]) == Cost(3, 8, 10)
