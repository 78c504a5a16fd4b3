"""The crawler of the gateway bench: it gives validators back letter by letter, and takes no wrong answer."""

from __future__ import annotations

import gzip
import os
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from bench import process_tree, sitemap_walk
from bench.crawler import PACKED, Crawler, Visited, crawling, visit
from bench.errors import ContestantError

TAG = 'W/"Aa-1"'
BODY = b"<p>hay</p>" * 1000
USED = partial(process_tree.used, os.getpid())


class Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    files: dict[str, bytes]

    def do_GET(self) -> None:
        is_known = self.headers.get("If-None-Match") == TAG
        body = self.files.get(self.path, b"")
        status = 404 if not body else 304 if is_known else 200
        if status == 200 and self.headers.get("Accept-Encoding") == PACKED:
            body = gzip.compress(body)
        self.send_response(status)
        self.send_header("ETag", TAG)
        self.send_header("Content-Length", str(len(body)))  # which a 304 may have, too
        self.end_headers()
        self.wfile.write(body if status == 200 else b"")

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


@pytest.fixture
def crawler() -> Iterator[Crawler]:
    index = b"".join(
        b"<loc>https://a.example/sitemaps/%s.xml.gz</loc>" % name for name in (b"hay-1", b"-pages")
    )
    files = {"/sitemaps/hay-1.xml.gz": gzip.compress(b"<loc>x</loc>" * 3), "/sitemap.xml": index, "/a": BODY}
    handler = type("Filled", (Site,), {"files": files})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as listening:
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        with crawling(f"http://127.0.0.1:{listening.server_port}/") as made:
            yield made
        listening.shutdown()
        thread.join()


def test_a_page_comes_whole_and_the_connection_serves_the_next(crawler: Crawler) -> None:
    for _ in range(3):
        answer = crawler.ask("/a")
        assert (answer.status, answer.tag, answer.body) == (200, TAG, BODY)


def test_what_is_packed_is_counted_as_it_came_and_read_unpacked(crawler: Crawler) -> None:
    visited = visit(crawler, ["/a"] * 2, USED, accept=PACKED, holds=b"<p>hay</p>")
    assert 0 < visited.body_bytes < len(BODY) / 10


def test_the_validators_that_came_lead_to_304(crawler: Crawler) -> None:
    came = visit(crawler, ["/a"] * 2, USED)
    assert visit(crawler, ["/a"] * 2, USED, tags=came.tags).body_bytes == 0


def test_a_page_where_304_should_be_is_an_error(crawler: Crawler) -> None:
    with pytest.raises(ContestantError, match="/a: HTTP 200, not 304"):
        visit(crawler, ["/a"], USED, tags=['"other"'])


def test_a_page_without_what_it_should_hold_is_an_error(crawler: Crawler) -> None:
    with pytest.raises(ContestantError, match="no b'straw'"):
        visit(crawler, ["/a"], USED, holds=b"straw")


def test_a_page_that_is_not_there_is_an_error(crawler: Crawler) -> None:
    with pytest.raises(ContestantError, match="/b: HTTP 404"):
        visit(crawler, ["/b"], USED)


def test_sitemaps_are_read_once_and_then_only_where_they_changed(crawler: Crawler) -> None:
    first = sitemap_walk.walk(crawler)
    assert (first.records(), len(first.files), first.unchanged) == (3, 1, 0)
    again = sitemap_walk.walk(crawler, first)
    assert (again.records(), len(again.files), again.unchanged) == (0, 0, 1)


def test_a_percentile_is_a_time_that_was_taken() -> None:
    visited = Visited(4, 1.0, 1.0, [0.004, 0.001, 0.003, 0.002], 0)
    assert (visited.percentile_ms(0.5), visited.percentile_ms(0.99)) == (3.0, 4.0)
