"""`/document/original/SOURCE/IDENTIFIER`: the file itself, from where it lies, whole or in part.

What a request names is looked up in the library; no path out of it ever touches the disk.
"""

from __future__ import annotations

from io import BytesIO

from windrow.faces.documents.file_pieces import FilePieces
from windrow.faces.documents.holdings import Holdings, Original
from windrow.faces.documents.named import check_there
from windrow.faces.documents.preconditions import is_refused, is_same
from windrow.faces.documents.ranges import Outside, Part, read_range
from windrow.faces.documents.serving_terms import terms_of
from windrow.faces.shared.clients import neighbourhood
from windrow.faces.shared.conditional import digest, is_unchanged, not_modified, validators
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import NO_CACHE, Header, Response, text
from windrow.faces.shared.turns import Turns
from windrow.store.store import Store

AT_ONCE = 64  # files that are on their way at a time
AT_ONCE_IN_MEMORY = 4  # of those that were taken out of an archive, each of which is in memory as a whole
_IN_PARTS: Header = (b"accept-ranges", b"bytes")


class Originals:
    """Answers with files. Blocks while it looks for one, not while it is sent."""

    def __init__(self, store: Store, holdings: Holdings, *, at_once: int = AT_ONCE) -> None:
        self._store = store
        self._holdings = holdings
        in_memory = min(at_once, AT_ONCE_IN_MEMORY)
        self._turns = Turns(at_once, most_of_one=_share(at_once))
        self._memory_turns = Turns(in_memory, most_of_one=_share(in_memory))

    def __call__(self, request: Request, source: str, identifier: str) -> Response:
        """Give a document's file, or what is asked for of it."""
        check_there(self._store, source, identifier)
        original = self._holdings.original(source, identifier)
        if original is None:
            raise Refused(404, "The file of this document cannot be read at the moment.")
        try:
            response = self._answer(request, original)
        except BaseException:
            original.file.close()
            raise
        if response.pieces is None:
            original.file.close()
        return response

    def _answer(self, request: Request, original: Original) -> Response:
        tag = _tag(original)
        told = validators(tag, original.modified)
        if is_refused(request, tag, original.modified):
            return text(412, "The file has changed.", *told)
        if is_unchanged(request, tag, original.modified):
            return not_modified(tag, original.modified)
        asked = request.headers.get(b"range") if request.method == "GET" else None
        part = read_range(asked, original.size) if is_same(request, tag, original.modified) else None
        if isinstance(part, Outside):
            extent = (b"content-range", f"bytes */{original.size}".encode())
            return text(416, "The file ends before that.", extent, _IN_PARTS)
        return self._send(original, part, told, neighbourhood(request.client))

    def _send(self, original: Original, part: Part | None, told: tuple[Header, ...], client: str) -> Response:
        whole = Part(0, original.size - 1)
        turns = self._memory_turns if isinstance(original.file, BytesIO) else self._turns
        pieces = turns.take(FilePieces(original.file, part or whole), client)
        if pieces is None:
            busy = "Many files are being sent at the moment. Try again in a few seconds."
            raise Refused(503, busy, headers=[(b"retry-after", b"5")])
        length = (b"content-length", str((part or whole).size).encode())
        headers = [*terms_of(original.media_type, original.charset).headers(original.name), *told]
        headers += [NO_CACHE, _IN_PARTS, length]
        if part is not None:
            extent = f"bytes {part.first}-{part.last}/{original.size}"
            headers.append((b"content-range", extent.encode()))
        return Response(200 if part is None else 206, b"", headers, pieces)


def _share(at_once: int) -> int:
    """How many of the files on their way may be one client's: it leaves some, however slowly it reads."""
    return max(1, at_once * 3 // 4)


def _tag(original: Original) -> bytes:
    """A strong tag: by the content where that is known, and by what changes with it."""
    return f'"{digest(original.sha256, original.size, original.modified)}"'.encode()
