"""Answers under `/gateway`: the way from one page to every record, and records in their own formats."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable

from windrow.faces.gateway.entry import Entry
from windrow.faces.gateway.lists import Lists
from windrow.faces.shared.crew import Crew
from windrow.faces.shared.frame import Frames
from windrow.faces.shared.refusal import Refused, check_read
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Response
from windrow.store.store import Store

View = Callable[[Request, str], Response]
Face = Callable[[Request, str], Awaitable[Response]]

AT_ONCE = 4
_GETRECORD = "/getrecord"
_NUMBER = "[1-9][0-9]{0,8}"
_LIST = re.compile(rf"/(?P<name>[^/]+)(?:/?|/(?P<leaf>{_NUMBER})|/pages/(?P<group>{_NUMBER}))")


def gateway_faces(
    frames: Frames, store: Store, configured: Iterable[str], get_record: View
) -> dict[str, Face]:
    """Give the face for `/gateway`; `get_record` is given what stands behind `/gateway/getrecord`."""
    return {"gateway": GatewayFace(Entry(frames, store, configured), Lists(frames, store), get_record)}


class GatewayFace:
    """Finds the view for a path: the entry, the lists of a repository, or one record by `get_record`."""

    def __init__(self, entry: Entry, lists: Lists, get_record: View) -> None:
        self._entry = entry
        self._lists = lists
        self._get_record = get_record
        self._crew = Crew(at_once=AT_ONCE)

    async def __call__(self, request: Request, rest: str) -> Response:
        """Give the page."""
        check_read(request.method)
        return await self._crew.run(
            lambda: self._answer(request, rest), client=request.client, is_gone=request.is_gone
        )

    def _answer(self, request: Request, rest: str) -> Response:
        if not rest.strip("/"):
            return self._entry(request)
        listed = _LIST.fullmatch(rest)
        if listed is None and rest.startswith(f"{_GETRECORD}/"):
            return self._get_record(request, rest.removeprefix(_GETRECORD))
        if listed is None:
            raise Refused(404, "There is nothing at this address.")
        if listed["leaf"]:
            return self._lists.leaf(request, listed["name"], int(listed["leaf"]))
        if listed["group"]:
            return self._lists.group(request, listed["name"], int(listed["group"]))
        return self._lists.repository(request, listed["name"])
