"""The quick way to cut a page: byte searches, for pages of the shape nearly every server writes.

Only for pages that a strict parser has accepted and found plain: every `<` starts a tag. Whatever looks
different is left to `scan`, which is exact for everything and takes several times as long.

A payload ends at the first `</metadata`. Were that the end of another `<metadata>` inside it, the page
would have one end tag more than we cut at, and that one stands where only records and the tail of the list
may: then nothing matches there, and the page goes to `scan`. So it does where no `>` follows at once.
"""

from __future__ import annotations

import re

from windrow.model.record import Record
from windrow.wire.oai.namespaces import declarations_in
from windrow.wire.oai.page import NAMESPACE, Page
from windrow.wire.oai.text import decode
from windrow.wire.oai.tokens import attributes_in, token_of

_HEAD = re.compile(
    rb"\s*(?:<\?xml[^>]*\?>\s*)?(?:<\?xml-stylesheet[^>]*\?>\s*)?"
    rb"<OAI-PMH(\s[^>]*)>\s*"
    rb"<responseDate>([^<\r]*)</responseDate>\s*"
    rb"<request(?:\s[^>]*)?(?:/>|>[^<]*</request>)\s*"
    rb"<(ListRecords|ListIdentifiers|GetRecord)>"
)
_HEADER = (
    rb"\s*<header(?: status=\"(\w*)\")?>"
    rb"\s*<identifier>([^<\r]*)</identifier>"  # no \r: a parser reads line ends as \n
    rb"\s*<datestamp>([^<\r]*)</datestamp>"
    rb"((?:\s*<setSpec>[^<\r]*</setSpec>)*)"
    rb"\s*</header>"
)
_LISTED_HEADER = re.compile(_HEADER)
_RECORD = re.compile(rb"\s*<record>" + _HEADER + rb"\s*<(metadata|/record)>")
# The same for nearly all records: alive, with nothing in identifier and datestamp to decode or to strip.
_USUAL = re.compile(
    rb"\s*<record>\s*<header>\s*<identifier>([!-%'-;=-~]+)</identifier>\s*<datestamp>([!-%'-;=-~]+)</datestamp>"
    rb"((?:\s*<setSpec>[^<\r]*</setSpec>)*)\s*</header>\s*<metadata>"
)
_RECORD_CLOSE = b"</record>"
_RECORD_END = re.compile(rb"\s*</record>")
_TAIL = re.compile(
    rb"\s*(?:<resumptionToken((?:\s[^>]*?)?)(?:/>|>([^<\r]*)</resumptionToken>)\s*)?"
    rb"</(?:ListRecords|ListIdentifiers|GetRecord)>\s*</OAI-PMH>\s*\Z"
)
_SET = re.compile(rb"<setSpec>([^<]*)</setSpec>")
_DEFAULT_NAMESPACE = b'xmlns="' + NAMESPACE.encode() + b'"'
_CLOSE = b"</metadata"
_CLOSE_BYTES = len(b"</metadata>")
_WINDOW_BYTES = 16 * 1024  # hardly a payload is longer; and in so few bytes Python searches more simply
_RECORD_CLOSE_BYTES = len(_RECORD_CLOSE)
_ENDS = b"</metadata></record>"
_ENDS_BYTES = len(_ENDS)
_LESS, _GREATER = b"<>"
_new = tuple.__new__  # a named tuple's own constructor takes twice as long
_MAX_ATTRIBUTES = 4096  # bytes of them on the root; `scan` judges what is beyond


class _Specs(dict[bytes, tuple[str, ...]]):
    """The sets in a header by its bytes: most records are in the same sets as others."""

    def __missing__(self, raw: bytes) -> tuple[str, ...]:
        found = tuple(dict.fromkeys(spec for item in _SET.findall(raw) if (spec := decode(item))))
        self[raw] = found
        return found


_SPECS = _Specs()
_MAX_SPECS = 20_000


def _known_specs() -> _Specs:
    if len(_SPECS) > _MAX_SPECS:
        _SPECS.clear()
    return _SPECS


def slice_page(body: bytes) -> Page | None:
    """Cut a well-formed, plain UTF-8 page into records; None when its shape is one for `scan`."""
    head = _HEAD.match(body)
    if head is None or _DEFAULT_NAMESPACE not in head.group(1):
        return None
    if len(head.group(1)) > _MAX_ATTRIBUTES:
        return None
    declarations = declarations_in(head.group(1))
    if head.group(3) == b"ListIdentifiers":
        cut = _cut_headers(body, head.end())
    else:
        cut = _cut_records(body, head.end(), declarations)
    if cut is None:
        return None
    records, end = cut
    tail = _TAIL.match(body, end)
    if tail is None:
        return None
    attributes, value = tail.groups()
    token = None if attributes is None else token_of(decode(value or b""), attributes_in(attributes))
    return Page(decode(head.group(2)), records, token=token)


def _cut_records(body: bytes, position: int, declarations: bytes) -> tuple[list[Record], int] | None:
    records: list[Record] = []
    specs, starts, usual = _known_specs(), body.startswith, _USUAL.match
    while True:
        match = usual(body, position)
        if match is not None:
            start = match.end()
            end = _find_close(body, start)
            if body[start] == _LESS and body[end - 1] == _GREATER and starts(_ENDS, end):
                name, stamp, sets = match.groups()
                row = (name.decode(), stamp.decode(), specs[sets], False, body[start:end], None, declarations)
                records.append(_new(Record, row))
                position = end + _ENDS_BYTES
                continue
        cut = _cut_record(body, position, declarations)
        if cut is None:
            return records, position
        record, position = cut
        if record is None:
            return None
        records.append(record)


def _cut_record(body: bytes, position: int, declarations: bytes) -> tuple[Record | None, int] | None:
    """Cut one record of any shape we know; None where none begins, no record where it is for `scan`."""
    match = _RECORD.match(body, position)
    if match is None:
        return None
    status, identifier, stamp, sets, follows = match.groups()
    payload = about = None
    position = match.end()
    if follows == b"metadata":
        end = _find_close(body, position)
        if not body.startswith(b">", end + len(_CLOSE)):
            return None, position
        payload = body[position:end].strip()
        position = end + _CLOSE_BYTES
        if (closing := _RECORD_END.match(body, position)) is not None:
            position = closing.end()
        else:
            end = body.find(_RECORD_CLOSE, position)
            about = body[position:end].strip()
            if not _is_one_about(about):
                return None, position
            position = end + _RECORD_CLOSE_BYTES
    is_deleted = _is_deleted(status)
    name, specs = decode(identifier), _known_specs()[sets]
    if not name or (not is_deleted and (payload is None or payload[:1] != b"<")):
        return None, position  # no identifier; no metadata and no tombstone; only text: `scan` says so
    if is_deleted:
        return Record(name, decode(stamp), specs, True, None, about), position
    return Record(name, decode(stamp), specs, False, payload, about, declarations), position


def _find_close(body: bytes, start: int) -> int:
    """Give where the first `</metadata` is; a file by value, which has no tag in it, is leapt over."""
    while start >= 0:
        end = body.find(_CLOSE, start, start + _WINDOW_BYTES)
        if end >= 0:
            return end
        start = body.find(b"<", start + _WINDOW_BYTES - len(_CLOSE) + 1)
    return -1


def _is_deleted(status: bytes | None) -> bool:
    return status is not None and status.lower() == b"deleted"


def _is_one_about(about: bytes) -> bool:
    is_about = about.startswith(b"<about>") and about.endswith(b"</about>")
    return is_about and about.count(b"<about") == 1 and b"<record" not in about


def _cut_headers(body: bytes, position: int) -> tuple[list[Record], int] | None:
    records: list[Record] = []
    specs = _known_specs()
    while (match := _LISTED_HEADER.match(body, position)) is not None:
        status, identifier, stamp, sets = match.groups()
        name = decode(identifier)
        if not name:
            return None
        records.append(Record(name, decode(stamp), specs[sets], _is_deleted(status)))
        position = match.end()
    return records, position
