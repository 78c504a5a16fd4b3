"""The last resort for a page with a broken record in it: each record by itself, the broken ones told."""

from __future__ import annotations

import re
from dataclasses import replace

from windrow.errors import NotOai
from windrow.model.record import Record, Reject
from windrow.wire.oai.page import Page, Token
from windrow.wire.oai.repair import repair
from windrow.wire.oai.scan import scan_page
from windrow.wire.oai.strict import Flaw, find_flaw
from windrow.wire.oai.text import decode, number

_RECORD_START = re.compile(rb"<((?:[\w.-]+:)?)record(?:\s[^<>]*)?>\s*<\1header[\s/>]")
_LIST_START = re.compile(rb"<((?:[\w.-]+:)?)(ListRecords|GetRecord)(?:\s[^<>]*)?>")
_TOKEN = re.compile(
    rb"<(?:[\w.-]+:)?resumptionToken(\s[^<>]*?)?(?:/>|>([^<]*)</(?:[\w.-]+:)?resumptionToken\s*>)"
)
_ATTRIBUTE = re.compile(rb"""\s(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_IDENTIFIER = re.compile(rb"<(?:[\w.-]+:)?identifier>([^<]*)<")


def salvage_page(body: bytes, flaw: Flaw) -> Page | None:
    """Give what can be had of a whole but broken page; None when no record can be told apart in it."""
    opening = _LIST_START.search(body)
    starts = [match.start() for match in _RECORD_START.finditer(body)]
    if opening is None or not starts:
        return None
    close = b"</" + opening.group(1) + opening.group(2)
    end = body.rfind(close)
    if end < starts[-1]:
        return None
    head = body[: opening.end()]
    tail = close + b">" + body[end + len(close) :].lstrip().removeprefix(b">")
    if find_flaw(head + tail) is not None:
        return None
    token = _last_token(body, starts[-1])
    stop = token.start() if token else end
    records: list[Record] = []
    rejects: list[Reject] = []
    for start, after in zip(starts, [*starts[1:], stop], strict=True):
        chunk = body[start:after].strip()
        found = _read_one(head, chunk, tail)
        if isinstance(found, Flaw):
            rejects.append(Reject(f"not well-formed: {found}", chunk, _identifier(chunk)))
        else:
            records += found.records
            rejects += found.rejects
    date = scan_page(head + tail).response_date
    words = (f"one or more records not well-formed ({flaw}); the others were read one by one",)
    return Page(date, records, rejects, _token(token) if token else None, repairs=words)


def _read_one(head: bytes, chunk: bytes, tail: bytes) -> Page | Flaw:
    body = head + chunk + tail
    flaw = find_flaw(body)
    if flaw is not None:
        body, _, remaining = repair(body, flaw)
        if remaining is not None:
            return _relative(remaining, head)
    try:
        return replace(scan_page(body), token=None)
    except NotOai:
        return flaw or Flaw(0, "unreadable", 0, 0, 0)


def _relative(flaw: Flaw, head: bytes) -> Flaw:
    return replace(flaw, line=flaw.line - head.count(b"\n"))


def _last_token(body: bytes, after: int) -> re.Match[bytes] | None:
    found = None
    for found in _TOKEN.finditer(body, after):
        pass
    return found


def _token(match: re.Match[bytes]) -> Token:
    named = {name: decode(double or single) for name, double, single in _ATTRIBUTE.findall(match[1] or b"")}
    cursor, size = number(named.get(b"cursor")), number(named.get(b"completeListSize"))
    return Token(decode(match[2] or b""), cursor, size, named.get(b"expirationDate"))


def _identifier(chunk: bytes) -> str | None:
    found = _IDENTIFIER.search(chunk)
    return (decode(found.group(1)) or None) if found else None
