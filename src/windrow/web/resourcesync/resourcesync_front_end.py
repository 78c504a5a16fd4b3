"""The face: finds the document for a path, says 304 to whoever has it, else makes it or lets it be made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

from windrow import __version__
from windrow.faces.resourcesync.addresses import (
    CAPABILITIES,
    CHANGES,
    DUMP,
    RESOURCES,
    Addresses,
    Asked,
    read_path,
)
from windrow.faces.resourcesync.change_list import list_changes
from windrow.faces.resourcesync.desk import ZIP, Desk, Paper, nothing
from windrow.faces.resourcesync.dump import list_packages, package
from windrow.faces.resourcesync.packing import packed
from windrow.faces.resourcesync.resource_list import list_resources
from windrow.faces.resourcesync.signposts import describe, list_capabilities
from windrow.faces.shared.accepting import best_encoding
from windrow.faces.shared.clients import neighbourhood
from windrow.faces.shared.conditional import is_unchanged, not_modified, validators, weak_tag
from windrow.faces.shared.crew import Crew
from windrow.faces.shared.refusal import Refused, check_read
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import (
    DATA_HEADERS,
    NO_CACHE,
    NO_INDEX,
    VARY_ENCODING,
    Header,
    Pieces,
    Response,
)
from windrow.faces.shared.turns import Turns
from windrow.store.store import Store

AT_ONCE = 4  # packages, of all clients together: each reads whole records as fast as it can
LISTS_AT_ONCE = 8  # long ones, that are made while they are sent
LISTS_OPEN = 64  # with those that wait for slow readers, and do not keep others waiting
SLOW_SECONDS = 2.0
BUSY_SECONDS = 60

# Gives the pieces of a client a turn at being made; None where all turns are taken.
Take = Callable[[Iterator[bytes], str], Pieces | None]
Face = Callable[[Request, str], Awaitable[Response]]


def resourcesync_faces(store: Store, url: str, *, slow_seconds: float = SLOW_SECONDS) -> dict[str, Face]:
    """Return the faces of a library at a public address, without a slash at its end.

    A long list that its reader has taken nothing of for `slow_seconds` no longer keeps others waiting.
    """
    packages = Turns(AT_ONCE, most_of_one=AT_ONCE - 1)
    lists = Turns(
        LISTS_AT_ONCE, most_of_one=LISTS_AT_ONCE // 2, most_open=LISTS_OPEN, slow_seconds=slow_seconds
    )
    face = ResourceSyncFace(Desk(store, Addresses(url)), packages.take, lists.take)
    return {"resourcesync": face, ".well-known": face.well_known}


class ResourceSyncFace:
    """Answers under `/resourcesync/`; two functions hand out turns at packages and at long lists."""

    def __init__(self, desk: Desk, take_package: Take, take_list: Take) -> None:
        self._desk = desk
        self._take_package = take_package
        self._take_list = take_list
        self._crew = Crew()

    async def __call__(self, request: Request, rest: str) -> Response:
        """Give a document."""
        check_read(request.method)
        return await self._crew.run(
            lambda: self._answer(request, self._find(rest)), client=request.client, is_gone=request.is_gone
        )

    async def well_known(self, request: Request, rest: str) -> Response:
        """Give the document that everybody starts from, under `/.well-known/`."""
        check_read(request.method)
        if rest != "/resourcesync":
            raise nothing()
        return await self._crew.run(
            lambda: self._answer(request, describe(self._desk)),
            client=request.client,
            is_gone=request.is_gone,
        )

    def _find(self, rest: str) -> Paper:
        asked = read_path(rest)
        if asked is None:
            raise nothing()
        match asked:
            case Asked(source, stem, 0, "xml") if stem == CAPABILITIES:
                return list_capabilities(self._desk, source)
            case Asked(source, stem, number, "xml") if stem == RESOURCES:
                return list_resources(self._desk, source, number)
            case Asked(source, stem, number, "xml") if stem == CHANGES:
                return list_changes(self._desk, source, number)
            case Asked(source, stem, 0, "xml") if stem == DUMP:
                return list_packages(self._desk, source)
            case Asked(source, stem, number, "zip") if stem == DUMP and number:
                return package(self._desk, source, number)
            case _:
                raise nothing()

    def _answer(self, request: Request, paper: Paper) -> Response:
        etag = weak_tag(__version__, self._desk.addresses.url, *paper.depends)
        vary: tuple[Header, ...] = () if paper.kind == ZIP else (VARY_ENCODING,)
        if is_unchanged(request, etag, paper.modified):
            return not_modified(etag, paper.modified, *vary)
        kind: Header = (b"content-type", paper.kind.encode())
        headers = [kind, *validators(etag, paper.modified), NO_CACHE, NO_INDEX, *vary, *DATA_HEADERS]
        if not paper.is_long:
            return Response(200, b"".join(paper.pieces()), headers)
        client = neighbourhood(request.client)
        if paper.kind == ZIP:
            pieces = _turn(self._take_package(paper.pieces(), client))
            return Response(200, b"", headers, pieces)
        encoding = best_encoding(request.headers.get(b"accept-encoding", b""))
        if encoding:
            headers.append((b"content-encoding", encoding.encode()))
        made = packed(paper.pieces(), encoding) if encoding else paper.pieces()
        return Response(200, b"", headers, _turn(self._take_list(made, client)))


def _turn(taken: Pieces | None) -> Pieces:
    if taken is None:
        words = "Other lists and packages are being made at the moment. Try again in a minute."
        raise Refused(503, words, headers=[(b"retry-after", str(BUSY_SECONDS).encode())])
    return taken
