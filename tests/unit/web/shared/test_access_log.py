from __future__ import annotations

import base64
import os
import re
from pathlib import Path

from windrow.web.http.access_log import AccessLog
from windrow.web.http.http_request import Message, Request

COMBINED = re.compile(
    r'\S+ - \S+ \[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d \+0000\] "\S+ \S+ HTTP/[\d.]+" \d{3} (?:\d+|-)'
    r' "[^"]*" "[^"]*"'
)


async def nothing() -> Message:
    return {}


def request(query: bytes = b"", **headers: bytes) -> Request:
    named = {name.replace("_", "-").encode(): value for name, value in headers.items()}
    return Request("GET", "/oai", query, named, "203.0.113.7", nothing)


def test_a_line_has_the_combined_format(tmp_path: Path) -> None:
    log = AccessLog(tmp_path / "log")
    user = b"Basic " + base64.b64encode(b"anna:secret")
    log.write(request(b"verb=Identify", authorization=user, user_agent=b"A/1", referer=b"x"), "1.1", 200, 7)
    log.write(request(), "2", 503, 0)
    log.close()
    first, second = (tmp_path / "log").read_text().splitlines()
    assert COMBINED.fullmatch(first)
    assert COMBINED.fullmatch(second)
    assert " - anna [" in first
    assert "secret" not in first


def test_nothing_from_outside_can_forge_a_line(tmp_path: Path) -> None:
    log = AccessLog(tmp_path / "log")
    user = b"Basic " + base64.b64encode(b"a b\n:x")
    log.write(
        request(b'a="\n\x1b[31m', authorization=user, user_agent=b'"\r\nGET', referer=b"\\" * 9000),
        "1.1",
        200,
        1,
    )
    log.close()
    lines = (tmp_path / "log").read_text().splitlines()
    assert len(lines) == 1
    assert "\x1b" not in lines[0]
    assert len(lines[0]) < 10_000


def test_a_log_that_was_moved_away_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = AccessLog(path)
    log.write(request(), "1.1", 200, 1)
    os.rename(path, tmp_path / "log.1")
    log._looked = 0.0  # a second later
    log.write(request(), "1.1", 404, 1)
    log.close()
    assert " 200 " in (tmp_path / "log.1").read_text()
    assert " 404 " in path.read_text()


def test_a_log_that_cannot_be_written_stops_nobody(tmp_path: Path) -> None:
    log = AccessLog(tmp_path / "missing" / "log")
    log.write(request(), "1.1", 200, 1)
    (tmp_path / "missing").mkdir()
    log.write(request(), "1.1", 201, 1)
    log.close()
    assert " 201 " in (tmp_path / "missing" / "log").read_text()
