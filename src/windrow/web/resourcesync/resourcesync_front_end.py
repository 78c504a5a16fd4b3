"""The ResourceSync front end: finds the document of a path, and sends it or a 304."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

from windrow import __version__
from windrow.store.store import Store
from windrow.web.http.clients import client_prefix
from windrow.web.http.compression import compress_pieces
from windrow.web.http.conditional import is_unchanged, not_modified, validator_headers, weak_etag
from windrow.web.http.content_negotiation import best_encoding
from windrow.web.http.http_request import HttpRefusal, Request, check_read
from windrow.web.http.http_response import (
    DATA_HEADERS,
    NO_CACHE,
    NO_INDEX,
    VARY_ENCODING,
    BodyPieces,
    Header,
    Response,
)
from windrow.web.http.thread_pools import StreamSlots, ThreadPool
from windrow.web.resourcesync.capability_documents import (
    describe_sources,
    list_capabilities,
    list_changes,
    list_packages,
    list_resources,
    make_package,
)
from windrow.web.resourcesync.resourcesync_context import (
    CAPABILITIES,
    CHANGES,
    DUMP,
    RESOURCES,
    ZIP,
    PendingDocument,
    RequestedDocument,
    ResourceSyncContext,
    ResourceSyncLinks,
    not_found,
    parse_document_path,
)

MAX_PACKAGES = 4  # of all clients together: each reads whole records as fast as it can
MAX_LISTS = 8  # long lists, which are generated while they are sent
MAX_OPEN_LISTS = 64  # including those that wait for slow readers and do not block others
SLOW_SECONDS = 2.0
SLOT_RETRY_SECONDS = 60

# Returns a client's stream with a slot; None if all are taken.
TakeSlot = Callable[[Iterator[bytes], str], BodyPieces | None]
FrontEnd = Callable[[Request, str], Awaitable[Response]]


def resourcesync_front_ends(
    store: Store, url: str, *, slow_seconds: float = SLOW_SECONDS
) -> dict[str, FrontEnd]:
    """Return the front ends of a library at a public address without a trailing slash.

    A long list whose reader has been idle for `slow_seconds` no longer blocks others.
    """
    packages = StreamSlots(MAX_PACKAGES, most_of_one=MAX_PACKAGES - 1)
    lists = StreamSlots(
        MAX_LISTS, most_of_one=MAX_LISTS // 2, most_open=MAX_OPEN_LISTS, slow_seconds=slow_seconds
    )
    front_end = ResourceSyncFrontEnd(
        ResourceSyncContext(store, ResourceSyncLinks(url)), packages.take, lists.take
    )
    return {"resourcesync": front_end, ".well-known": front_end.well_known}


class ResourceSyncFrontEnd:
    """The front end for `/resourcesync/`; two functions provide slots for packages and long lists."""

    def __init__(self, desk: ResourceSyncContext, take_package: TakeSlot, take_list: TakeSlot) -> None:
        self._desk = desk
        self._take_package = take_package
        self._take_list = take_list
        self._crew = ThreadPool()

    async def __call__(self, request: Request, rest: str) -> Response:
        check_read(request.method)
        return await self._crew.run(
            lambda: self._answer(request, self._find(rest)), client=request.client, is_gone=request.is_gone
        )

    async def well_known(self, request: Request, rest: str) -> Response:
        """Return the Source Description, the entry point at `/.well-known/resourcesync`."""
        check_read(request.method)
        if rest != "/resourcesync":
            raise not_found()
        return await self._crew.run(
            lambda: self._answer(request, describe_sources(self._desk)),
            client=request.client,
            is_gone=request.is_gone,
        )

    def _find(self, rest: str) -> PendingDocument:
        asked = parse_document_path(rest)
        if asked is None:
            raise not_found()
        match asked:
            case RequestedDocument(source, stem, 0, "xml") if stem == CAPABILITIES:
                return list_capabilities(self._desk, source)
            case RequestedDocument(source, stem, number, "xml") if stem == RESOURCES:
                return list_resources(self._desk, source, number)
            case RequestedDocument(source, stem, number, "xml") if stem == CHANGES:
                return list_changes(self._desk, source, number)
            case RequestedDocument(source, stem, 0, "xml") if stem == DUMP:
                return list_packages(self._desk, source)
            case RequestedDocument(source, stem, number, "zip") if stem == DUMP and number:
                return make_package(self._desk, source, number)
            case _:
                raise not_found()

    def _answer(self, request: Request, paper: PendingDocument) -> Response:
        etag = weak_etag(__version__, self._desk.addresses.url, *paper.depends)
        vary: tuple[Header, ...] = () if paper.kind == ZIP else (VARY_ENCODING,)
        if is_unchanged(request, etag, paper.modified):
            return not_modified(etag, paper.modified, *vary)
        kind: Header = (b"content-type", paper.kind.encode())
        headers = [kind, *validator_headers(etag, paper.modified), NO_CACHE, NO_INDEX, *vary, *DATA_HEADERS]
        if not paper.is_long:
            return Response(200, b"".join(paper.pieces()), headers)
        client = client_prefix(request.client)
        if paper.kind == ZIP:
            pieces = _check_slot(self._take_package(paper.pieces(), client))
            return Response(200, b"", headers, pieces)
        encoding = best_encoding(request.headers.get(b"accept-encoding", b""))
        if encoding:
            headers.append((b"content-encoding", encoding.encode()))
        made = compress_pieces(paper.pieces(), encoding) if encoding else paper.pieces()
        return Response(200, b"", headers, _check_slot(self._take_list(made, client)))


def _check_slot(taken: BodyPieces | None) -> BodyPieces:
    if taken is None:
        words = "Other lists and packages are being made at the moment. Try again in a minute."
        raise HttpRefusal(503, words, headers=[(b"retry-after", str(SLOT_RETRY_SECONDS).encode())])
    return taken
