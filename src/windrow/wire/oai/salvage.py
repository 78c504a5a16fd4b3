"""The last resort for a page with a broken record in it: each record by itself, the broken ones told."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, replace
from itertools import islice

from windrow.model.record import Record, Reject
from windrow.wire.oai.page import Page
from windrow.wire.oai.repair import repair
from windrow.wire.oai.scan import scan_page
from windrow.wire.oai.strict import Flaw, find_flaw
from windrow.wire.oai.text import decode
from windrow.wire.oai.tokens import attributes_in, token_of

MAX_ENVELOPE_BYTES = 64 * 1024
MAX_PARSED_BYTES = 64 * 1024 * 1024  # the envelope is parsed again with every record
MAX_INNER = 4  # beginnings of records that are looked for inside one
MAX_JOINED = 100  # broken records of a page for which that is done

_RECORD_START = re.compile(rb"<((?:[\w.-]+:)?)record(?:\s[^<>]*)?>\s*<\1header[\s/>]")
_RECORD_END = re.compile(rb"</(?:[\w.-]+:)?record\s*>\s*\Z")
_CLOSING = re.compile(rb"</(?:[\w.-]+:)?record\s*>")
_NEAR = 200  # bytes before a beginning in which the end of the record before it stands
_LIST_START = re.compile(rb"<((?:[\w.-]+:)?)(ListRecords|GetRecord)(?:\s[^<>]*)?>")
_TOKEN = re.compile(
    rb"<(?:[\w.-]+:)?resumptionToken(\s[^<>]*?)?(?:/>|>([^<]*)</(?:[\w.-]+:)?resumptionToken\s*>)"
)
_IDENTIFIER = re.compile(rb"<(?:[\w.-]+:)?identifier(?:\s[^<>]*)?>([^<]*)<")


@dataclass(frozen=True, slots=True)
class _Envelope:
    """A page without its records: up to the list's start tag, from its end tag on, and where that stands."""

    head: bytes
    tail: bytes
    end: int


def salvage_page(body: bytes, flaw: Flaw) -> Page | None:
    """Give what can be had of a whole but broken page; None when no record can be told apart in it."""
    starts = [match.start() for match in _RECORD_START.finditer(body)]
    envelope = _envelope(body, starts[-1]) if starts else None
    if envelope is None or len(starts) * len(envelope.head + envelope.tail) > MAX_PARSED_BYTES:
        return None
    token = _last_token(body, starts[-1])
    stop = token.start() if token else envelope.end
    records: list[Record] = []
    rejects: list[Reject] = []
    edges = deque([*starts, stop])
    while len(edges) > 1:
        found = _read_first(envelope, body, edges, may_join=len(rejects) < MAX_JOINED)
        if isinstance(found, Reject):
            rejects.append(found)
        else:
            records += found.records
            rejects += found.rejects
    date = scan_page(envelope.head + envelope.tail).response_date
    words = f"one or more records not well-formed ({flaw}); the others were read one by one"
    following = token_of(decode(token[2] or b""), attributes_in(token[1] or b"")) if token else None
    return Page(date, records, rejects, following, repairs=(words,))


def _envelope(body: bytes, last_start: int) -> _Envelope | None:
    """What is around the records; None where it is broken itself, or ends before the last of them."""
    opening = _LIST_START.search(body)
    if opening is None:
        return None
    close = b"</" + opening.group(1) + opening.group(2)
    end = body.rfind(close)
    head = body[: opening.end()]
    tail = close + b">" + body[end + len(close) :].lstrip().removeprefix(b">")
    if end < last_start or len(head) + len(tail) > MAX_ENVELOPE_BYTES or find_flaw(head + tail) is not None:
        return None
    return _Envelope(head, tail, end)


def _read_first(envelope: _Envelope, body: bytes, edges: deque[int], *, may_join: bool) -> Page | Reject:
    """Read the record at the first edge, and drop the edges it takes up: some hold records of their own."""
    start = edges.popleft()
    chunk = body[start : edges[0]].strip()
    first = _read_one(envelope, chunk)
    if isinstance(first, Page):
        return first
    whole = _without_rubbish(envelope, chunk)
    if whole is not None or not may_join:
        return whole or first
    for used, end in enumerate(list(islice(edges, 1, MAX_INNER + 1)), 1):
        if _RECORD_END.search(body, max(start, edges[used - 1] - _NEAR), edges[used - 1]):
            break
        longer = _read_one(envelope, body[start:end].strip())
        if isinstance(longer, Page):
            for _ in range(used):
                edges.popleft()
            return longer
    return first


def _without_rubbish(envelope: _Envelope, chunk: bytes) -> Page | None:
    """Read a record that is whole but for what stands behind it: PHP prints its notices between records."""
    end = max((match.end() for match in _CLOSING.finditer(chunk)), default=len(chunk))
    if end == len(chunk):
        return None
    found = _read_one(envelope, chunk[:end])
    return found if isinstance(found, Page) else None


def _read_one(envelope: _Envelope, chunk: bytes) -> Page | Reject:
    body = envelope.head + chunk + envelope.tail
    flaw = find_flaw(body)
    if flaw is not None:
        body, _, flaw = repair(body, flaw)
    if flaw is not None:
        flaw = replace(flaw, line=flaw.line - envelope.head.count(b"\n"))
        return Reject(f"not well-formed: {flaw}", chunk, _identifier(chunk))
    return scan_page(body)


def _last_token(body: bytes, after: int) -> re.Match[bytes] | None:
    found = None
    for match in _TOKEN.finditer(body, after):
        found = match
    return found


def _identifier(chunk: bytes) -> str | None:
    found = _IDENTIFIER.search(chunk)
    return (decode(found.group(1)) or None) if found else None
