"""One request of the robot: what it sends, what it takes, and how failures are told apart."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.servers import hostile_site as hostile
from tests.servers.website import Asked, Reply, Website
from windrow.sources.web.fetch import Answer, Fetcher, FetchFailure, FetchSettings

SETTINGS = FetchSettings(
    user_agent="Windrow/test (+robot@example.edu)",
    contact="robot@example.edu",
    timeout_seconds=3,
    deadline_seconds=4,
    wire_bytes=200_000,
    body_bytes=400_000,
    private=True,
)


@pytest.fixture
def website() -> Iterator[Website]:
    with Website(2) as made:
        yield made


def fetch(website: Website, path: str, *, settings: FetchSettings = SETTINGS, **options: Any) -> Answer:
    async def ask() -> Answer:
        async with Fetcher(settings) as fetcher:
            return await fetcher.fetch(f"{website.url}{path}", **options)

    return asyncio.run(ask())


def failure(website: Website, path: str, *, settings: FetchSettings = SETTINGS) -> str:
    with pytest.raises(FetchFailure) as caught:
        fetch(website, path, settings=settings)
    return caught.value.code


def test_the_robot_introduces_itself(website: Website) -> None:
    website.routes["/"] = Reply(b"hello")
    assert fetch(website, "/").body == b"hello"
    (asked,) = website.requests
    assert asked.headers["user-agent"] == "windrow/test (+robot@example.edu)"
    assert asked.headers["from"] == "robot@example.edu"
    assert "cookie" not in asked.headers


def test_validators_are_sent_back(website: Website) -> None:
    website.routes["/"] = Reply(b"hello", etag='"1"')
    answer = fetch(website, "/", etag='"1"', last_modified="Sat, 01 Jan 2022 00:00:00 GMT")
    assert answer.status == 304
    assert website.requests[0].headers["if-modified-since"] == "sat, 01 jan 2022 00:00:00 gmt"


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "deflate"])
def test_compressed_answers_are_read(website: Website, encoding: str) -> None:
    packed = gzip.compress(b"words") if "gzip" in encoding else zlib.compress(b"words")
    website.routes["/"] = hostile.html(packed, ("Content-Encoding", encoding))
    assert fetch(website, "/").body == b"words"


def test_deflate_without_its_envelope_is_read(website: Website) -> None:
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packed.compress(b"words" * 100) + packed.flush()
    website.routes["/"] = hostile.html(body, ("Content-Encoding", "deflate"))
    assert fetch(website, "/").body == b"words" * 100


def test_gzip_in_several_members_is_read_whole(website: Website) -> None:
    body = gzip.compress(b"one ") + gzip.compress(b"two")
    website.routes["/"] = hostile.html(body, ("Content-Encoding", "gzip"))
    assert fetch(website, "/").body == b"one two"


@pytest.mark.parametrize(
    ("route", "code"),
    [
        (hostile.slow_body, "timeout"),
        (hostile.silence, "timeout"),
        (hostile.endless_body, "too-large"),
        (hostile.gzip_bomb, "too-large"),
        (hostile.declared_large, "too-large"),
        (hostile.large_header, "garbled"),
        (hostile.many_headers, "garbled"),
        (hostile.short, "cut"),
        (hostile.garbage, "garbled"),
        (hostile.reset, "disconnected"),
        (hostile.nothing, "disconnected"),
        (hostile.html(gzip.compress(b"x" * 1000)[:-9], ("Content-Encoding", "gzip")), "cut"),
        (hostile.html(b"plain", ("Content-Encoding", "gzip")), "encoding"),
        (hostile.html(b"plain", ("Content-Encoding", "gzip, gzip")), "encoding"),
    ],
)
def test_failures_are_told_apart(website: Website, route: Any, code: str) -> None:
    website.routes["/"] = route
    assert failure(website, "/") == code


def test_a_port_that_nothing_listens_on_cannot_be_connected_to() -> None:
    async def ask() -> Answer:
        async with Fetcher(SETTINGS) as fetcher:
            return await fetcher.fetch("http://127.0.0.1:9/")

    with pytest.raises(FetchFailure) as caught:
        asyncio.run(ask())
    assert caught.value.code == "connect"


def test_a_name_without_an_address_is_told_apart() -> None:
    async def ask() -> Answer:
        async with Fetcher(SETTINGS) as fetcher:
            return await fetcher.fetch("http://no-such-name.invalid/")

    with pytest.raises(FetchFailure) as caught:
        asyncio.run(ask())
    assert caught.value.code == "dns"


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/",
        "http://127.1:{port}/",
        "http://0x7f000001:{port}/",
        "http://localhost:{port}/",
    ],
)
def test_private_addresses_are_refused_however_they_are_written(website: Website, url: str) -> None:
    async def ask() -> Answer:
        async with Fetcher(replace(SETTINGS, private=False)) as fetcher:
            return await fetcher.fetch(url.format(port=website.ports[0]))

    with pytest.raises(FetchFailure) as caught:
        asyncio.run(ask())
    assert caught.value.code == "private"
    assert website.requests == []


def test_credentials_go_to_the_hosts_of_the_source_only(website: Website) -> None:
    website.fallback = lambda asked: Reply(b"ok")
    settings = replace(
        SETTINGS,
        username="reader",
        password="secret",
        headers=(("X-Key", "k"),),
        credential_origins=frozenset({website.address(0)}),
    )
    assert "secret" not in repr(settings)

    async def ask() -> None:
        async with Fetcher(settings) as fetcher:
            await fetcher.fetch(f"{website.address(0)}/")
            await fetcher.fetch(f"{website.address(1)}/")

    asyncio.run(ask())
    ours, other = website.requests
    assert ours.headers["authorization"].startswith("basic ")
    assert ours.headers["x-key"] == "k"
    assert {"authorization", "x-key"}.isdisjoint(other.headers)


def test_cookies_are_not_kept(website: Website) -> None:
    def answer(_: Asked) -> Reply:
        return Reply(b"ok", 200, (("Set-Cookie", "a=b"),))

    website.fallback = answer

    async def ask() -> None:
        async with Fetcher(SETTINGS) as fetcher:
            await fetcher.fetch(f"{website.url}/")
            await fetcher.fetch(f"{website.url}/")

    asyncio.run(ask())
    assert all("cookie" not in asked.headers for asked in website.requests)


def test_a_cut_answer_is_cut_and_not_refused(website: Website) -> None:
    website.routes["/"] = hostile.endless_body
    assert len(fetch(website, "/", cut_bytes=50_000).body) == 50_000


def test_a_compressed_answer_is_cut_where_it_gets_too_long(website: Website) -> None:
    body = gzip.compress(b"begin" + b"x" * 30_000_000)
    website.routes["/"] = Reply(body, 200, (("Content-Encoding", "gzip"),))
    assert fetch(website, "/", cut_bytes=10).body == b"beginxxxxx"


def test_the_wait_that_a_server_asks_for_is_read(website: Website) -> None:
    website.routes["/"] = Reply(b"", 503, (("Retry-After", "120"),))
    assert fetch(website, "/").wait_seconds() == 120
