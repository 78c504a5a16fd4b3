"""Suggestions while somebody writes, as OpenSearch has them: text, values, descriptions, addresses."""

from __future__ import annotations

import json

from windrow.faces.portal.room import Room, Ways
from windrow.faces.shared.frame import VARY
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import DATA_HEADERS, NO_CACHE, NO_INDEX, Header, Response
from windrow.faces.shared.wording import cut
from windrow.finding.question import Question
from windrow.index.protocol import Completion

MOST = 8
LONGEST = 200  # letters that are looked at
SHORTEST = 2
_KIND: Header = (b"content-type", b"application/x-suggestions+json; charset=utf-8")


class Suggesting:
    """Answers at `/suggest?q=`."""

    def __init__(self, room: Room) -> None:
        self._room = room

    def __call__(self, request: Request, rest: str) -> Response:  # noqa: ARG002 - a view
        """Give what may be meant; of one letter, nothing yet."""
        question, frame = self._room.asked(request)
        text = question.text[:LONGEST]
        inside = Question(collection=question.collection, collections=self._room.collections)
        found = (
            self._room.index.complete(text, limit=MOST, query=inside.query) if len(text) >= SHORTEST else []
        )
        ways = self._room.ways(frame, question)
        answer = [
            text,
            [cut(each.value) for each in found],
            [f"{frame.label(each.field)} · {frame.tongue.number(each.count)}" for each in found],
            [_address(each, ways) for each in found],
        ]
        body = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")
        return Response(200, body, [_KIND, NO_CACHE, NO_INDEX, VARY, *DATA_HEADERS])


def _address(found: Completion, ways: Ways) -> str:
    """Where a suggestion leads: everything with that value, or for a title a search for it."""
    site = ways.frame.site
    if found.field in ("creator", "subject", "keyword"):
        path = ways.find(found.field, found.value)
    else:
        path = ways.search(found.value)
    return site.url + path.removeprefix(site.path)
