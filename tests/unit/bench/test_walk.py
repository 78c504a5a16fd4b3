"""The bench's small client: what it counts must be what the server sent."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from bench import walk
from bench.errors import ContestantError

from tests.servers.http import Reply, Request, ScriptedServer

FIRST = {"verb": "ListRecords", "metadataPrefix": "oai_dc"}


def page(*identifiers: str, token: str = "") -> bytes:
    records = "".join(
        f"<record><header>\n <identifier>{name}</identifier></header><metadata><dc:title>x</dc:title>"
        f"</metadata><about><originDescription><identifier>far:{name}</identifier></originDescription></about>"
        "</record>"
        for name in identifiers
    )
    return (
        f"<responseDate>2026-01-05T06:00:00Z</responseDate>{records}<resumptionToken>{token}</resumptionToken>"
    ).encode()


def test_tokens_are_followed_unescaped_and_only_headers_count() -> None:
    def answer(request: Request) -> Reply:
        if request.arguments == FIRST:
            return Reply(body=page("a&amp;b", token="x&amp;y"))
        return Reply(body=page("c"))

    with ScriptedServer(answer) as server:
        walked = walk.walk(server.url, FIRST)
    assert server.requests[1].arguments == {"verb": "ListRecords", "resumptionToken": "x&y"}
    assert walked.identifiers == ["a&b", "c"]
    assert (walked.requests, walked.titles, walked.started_at) == (2, 2, "2026-01-05T06:00:00Z")


def test_compressed_answers_are_read_and_counted_as_they_came() -> None:
    body = gzip.compress(page(*map(str, range(500))))
    with ScriptedServer(lambda _: Reply(body=body, headers={"Content-Encoding": "gzip"})) as server:
        walked = walk.walk(server.url, FIRST, accept="gzip")
    assert server.requests[0].headers["accept-encoding"] == "gzip"
    assert len(walked.identifiers) == 500
    assert walked.body_bytes == len(body)


def test_an_answer_that_is_none_ends_the_walk_with_its_status() -> None:
    with (
        ScriptedServer(lambda _: Reply(status=503, body=b"later")) as server,
        pytest.raises(ContestantError, match="HTTP 503"),
    ):
        walk.walk(server.url, FIRST)


def test_the_second_time_only_what_is_newer_than_the_first_is_asked_for(tmp_path: Path) -> None:
    def answer(request: Request) -> Reply:
        return Reply(body=page("b") if "from" in request.arguments else page("a", "b"))

    listed = tmp_path / "identifiers"
    with ScriptedServer(answer) as server:
        walk.main(server.url, str(listed))
        assert listed.read_text() == "a\nb\n"
        walk.main(server.url, str(listed))
    assert listed.read_text() == "b\n"
    assert server.requests[1].arguments["from"] == "2026-01-05T06:00:00Z"
