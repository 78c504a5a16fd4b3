"""The quick way to cut a page: byte searches, for pages of the shape nearly every server writes.

Only for pages that a strict parser has accepted and found plain: every `<` starts a tag, so a literal
`</metadata>` after a literal `<metadata>` closes it, if no other `<metadata` stands between. Whatever
looks different is left to `scan`, which is exact for everything and takes several times as long.
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
_RECORD_CLOSE = b"</record>"
_RECORD_END = re.compile(rb"\s*</record>")
_TAIL = re.compile(
    rb"\s*(?:<resumptionToken((?:\s[^>]*?)?)(?:/>|>([^<\r]*)</resumptionToken>)\s*)?"
    rb"</(?:ListRecords|ListIdentifiers|GetRecord)>\s*</OAI-PMH>\s*\Z"
)
_SET = re.compile(rb"<setSpec>([^<]*)</setSpec>")
_DEFAULT_NAMESPACE = b'xmlns="' + NAMESPACE.encode() + b'"'
_CLOSE = b"</metadata>"
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
    specs, find, match_record = _known_specs(), body.find, _RECORD.match
    while (match := match_record(body, position)) is not None:
        status, identifier, stamp, sets, follows = match.groups()
        payload = about = None
        position = match.end()
        if follows == b"metadata":
            end = find(_CLOSE, position)
            if end < 0 or find(b"<metadata", position, end) >= 0:
                return None
            payload = body[position:end].strip()
            position = end + len(_CLOSE)
            if body.startswith(_RECORD_CLOSE, position):
                position += len(_RECORD_CLOSE)
            elif (closing := _RECORD_END.match(body, position)) is not None:
                position = closing.end()
            else:
                end = find(_RECORD_CLOSE, position)
                about = body[position:end].strip()
                if not _is_one_about(about):
                    return None
                position = end + len(_RECORD_CLOSE)
        is_deleted = status is not None and _is_deleted(status)
        name = decode(identifier) if b"&" in identifier else identifier.decode().strip()
        if not name or (not is_deleted and (payload is None or payload[:1] != b"<")):
            return None  # no identifier; no metadata and no tombstone; only text: rejects, which `scan` words
        if is_deleted:
            records.append(Record(name, decode(stamp), specs[sets], True, None, about))
        else:
            records.append(Record(name, decode(stamp), specs[sets], False, payload, about, declarations))
    return records, position


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
