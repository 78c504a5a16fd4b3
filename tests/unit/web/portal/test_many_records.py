"""Pages of records that are asked for at the same time: others are answered meanwhile."""

from __future__ import annotations

import asyncio
from typing import cast

from windrow.web.http.http_request import Message, Request
from windrow.web.http.http_response import Response, text_response
from windrow.web.portal.record_page import RecordFrontEnd, RecordPageView


class Pages:
    """Pages that could all be made at once."""

    def at_once(self, request: Request, rest: str) -> Response:
        return text_response(200, "in the loop")


async def door(request: Request, rest: str) -> Response:
    return text_response(200, "in a thread")


async def no_body() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


def test_of_records_asked_for_together_only_one_is_made_where_all_requests_are_received() -> None:
    async def ask(count: int) -> list[bytes]:
        request = Request("GET", "/record/a/b", b"", {}, "192.0.2.1", no_body)
        answers = await asyncio.gather(*(face(request, "/a/b") for _ in range(count)))
        return [answer.body.strip() for answer in answers]

    async def run() -> None:
        assert await ask(5) == [b"in the loop"] + 4 * [b"in a thread"]
        await asyncio.sleep(0)
        assert await ask(1) == [b"in the loop"]

    face = RecordFrontEnd(cast("RecordPageView", Pages()), door)
    asyncio.run(run())
