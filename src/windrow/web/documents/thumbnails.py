"""`/document/picture/SOURCE/IDENTIFIER?size=…&page=…`: a small picture of a document, or of a page of it.

One that was made before is given at once. Few are made at a time, each in the process that reads strangers'
files; whoever comes when there is too much to do is asked to come again.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict

from windrow.faces.documents.holdings import SIZES, Holdings
from windrow.faces.documents.named import check_there
from windrow.faces.shared.conditional import names_tag
from windrow.faces.shared.crew import Crew
from windrow.faces.shared.pairs import query_pairs
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import DATA_HEADERS, NO_INDEX, Header, Response
from windrow.store.store import Store

LAST_PAGE = 100_000
MAKING_AT_ONCE = 2
MOST_WAITING = 100  # a page of pictures, for several who look at it
MOST_WITHOUT = 10_000  # that are remembered to have no picture
_STARTS = {b"\xff\xd8\xff": b"image/jpeg", b"\x89PNG\r\n": b"image/png", b"RIFF": b"image/webp"}
_A_DAY: Header = (b"cache-control", b"public, max-age=86400")
_NONE = "There is no picture of this document."

# A document's number, its newest change, and what was asked for of it.
_Key = tuple[int, int, int, int]


class Pictures:
    """Answers with pictures."""

    def __init__(
        self,
        store: Store,
        holdings: Holdings,
        *,
        at_once: int = MAKING_AT_ONCE,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        self._store = store
        self._holdings = holdings
        self._finders = Crew()
        self._makers = Crew(at_once=at_once, most_waiting=most_waiting)
        self._without = _Without()

    async def __call__(self, request: Request, source: str, identifier: str) -> Response:
        """Give a picture; Refused (404) where there is none of this document."""
        size, page = _wanted(request)
        holdings = self._holdings

        def look() -> tuple[_Key, bytes | None]:
            state = check_there(self._store, source, identifier)
            return (state.number, state.seq, size, page), holdings.kept_picture(
                source, identifier, size=size, page=page
            )

        key, found = await self._finders.run(look, client=request.client, is_gone=request.is_gone)
        if found is None and key not in self._without:
            found = await self._makers.run(
                lambda: holdings.make_picture(source, identifier, size=size, page=page),
                client=request.client,
                is_gone=request.is_gone,
            )
        if found is None:
            self._without.add(key)
            raise Refused(404, _NONE)
        return _response(request, found)


class _Without:
    """What is known to have no picture, so that nobody has it tried again and again. For all threads."""

    def __init__(self) -> None:
        self._keys: OrderedDict[_Key, None] = OrderedDict()
        self._turn = threading.Lock()

    def __contains__(self, key: _Key) -> bool:
        return key in self._keys

    def add(self, key: _Key) -> None:
        with self._turn:
            self._keys[key] = None
            if len(self._keys) > MOST_WITHOUT:
                self._keys.popitem(last=False)


def _response(request: Request, picture: bytes) -> Response:
    kind = next((kind for start, kind in _STARTS.items() if picture.startswith(start)), None)
    if kind is None:  # what a plug-in made is not handed on as whatever it is
        raise Refused(404, _NONE)
    tag = f'"{hashlib.sha256(picture).hexdigest()[:20]}"'.encode()
    headers = [(b"etag", tag), _A_DAY, NO_INDEX, *DATA_HEADERS]
    if names_tag(request, tag):
        return Response(304, b"", headers)
    return Response(200, picture, [(b"content-type", kind), *headers])


def _wanted(request: Request) -> tuple[int, int]:
    """Size and page that are asked for: only the few sizes there are, so that nobody fills the disk."""
    pairs = dict(query_pairs(request.query))
    size, page = _number(pairs.get("size", "320")), _number(pairs.get("page", "1"))
    if size not in SIZES or not 1 <= page <= LAST_PAGE:
        sizes = ", ".join(map(str, SIZES))
        raise Refused(404, f"Pictures are {sizes} pixels in size, and pages count from 1.")
    return size, page


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 7 else 0
