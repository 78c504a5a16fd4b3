"""The quick way to cut a page: byte searches, for pages of the shape nearly every server writes.

Only for pages that a strict parser has accepted and found plain: every `<` starts a tag, so a literal `</metadata>` after a literal `<metadata>`
closes it, if no other `<metadata` stands between. Whatever looks different is left to `scan`, which is
exact for everything and about twice as slow.
"""

from __future__ import annotations

import re

from windrow.model.record import Record
from windrow.wire.oai.namespaces import declarations_in
from windrow.wire.oai.page import NAMESPACE, Page, Token
from windrow.wire.oai.text import decode, number

_HEAD = re.compile(
    rb"\s*(?:<\?xml[^>]*\?>\s*)?(?:<\?xml-stylesheet[^>]*\?>\s*)?"
    rb"<OAI-PMH(\s[^>]*)>\s*"
    rb"<responseDate>([^<]*)</responseDate>\s*"
    rb"<request(?:\s[^>]*)?(?:/>|>[^<]*</request>)\s*"
    rb"<(ListRecords|ListIdentifiers|GetRecord)>"
)
_HEADER = (
    rb"\s*<header(?: status=\"(\w*)\")?>"
    rb"\s*<identifier>([^<]*)</identifier>"
    rb"\s*<datestamp>([^<]*)</datestamp>"
    rb"((?:\s*<setSpec>[^<]*</setSpec>)*)"
    rb"\s*</header>"
)
_LISTED_HEADER = re.compile(_HEADER)
_RECORD = re.compile(rb"\s*<record>" + _HEADER + rb"\s*<(metadata|/record)>")
_RECORD_END = re.compile(rb"\s*</record>")
_TAIL = re.compile(
    rb"\s*(?:<resumptionToken((?:\s[^>]*?)?)(?:/>|>([^<]*)</resumptionToken>)\s*)?"
    rb"</(?:ListRecords|ListIdentifiers|GetRecord)>\s*</OAI-PMH>\s*\Z"
)
_SET = re.compile(rb"<setSpec>([^<]*)</setSpec>")
_ATTRIBUTE = re.compile(rb"""\s(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_DEFAULT_NAMESPACE = b'xmlns="' + NAMESPACE.encode() + b'"'
_CLOSE = b"</metadata>"


def slice_page(body: bytes) -> Page | None:
    """Cut a well-formed, plain UTF-8 page into records; None when its shape is one for `scan`."""
    head = _HEAD.match(body)
    if head is None or _DEFAULT_NAMESPACE not in head.group(1):
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
    return Page(decode(head.group(2)), records, token=_token(tail))


def _cut_records(body: bytes, position: int, declarations: bytes) -> tuple[list[Record], int] | None:
    records: list[Record] = []
    while (match := _RECORD.match(body, position)) is not None:
        status, identifier, stamp, sets, follows = match.groups()
        is_deleted = status == b"deleted"
        payload = about = None
        position = match.end()
        if follows == b"metadata":
            end = body.find(_CLOSE, position)
            payload = body[position:end]
            if b"<metadata" in payload:
                return None
            position = end + len(_CLOSE)
            closing = _RECORD_END.match(body, position)
            if closing is None:
                end = body.find(b"</record>", position)
                about = body[position:end].strip()
                if b"<record" in about or not _is_about(about):
                    return None
                position = end + len(b"</record>")
            else:
                position = closing.end()
        elif not is_deleted:
            return None  # no metadata, no tombstone: a reject, which `scan` words
        name = decode(identifier)
        if not name or (payload is not None and not is_deleted and not payload.strip()):
            return None
        records.append(
            Record(
                name,
                decode(stamp),
                tuple([decode(spec) for spec in _SET.findall(sets)]) if sets else (),
                is_deleted,
                None if is_deleted or payload is None else payload.strip(),
                about,
                declarations,
            )
        )
    return records, position


def _is_about(about: bytes) -> bool:
    return about.startswith(b"<about") and about.endswith(b"</about>")


def _cut_headers(body: bytes, position: int) -> tuple[list[Record], int] | None:
    records: list[Record] = []
    while (match := _LISTED_HEADER.match(body, position)) is not None:
        status, identifier, stamp, sets = match.groups()
        name = decode(identifier)
        if not name:
            return None
        specs = tuple([decode(spec) for spec in _SET.findall(sets)]) if sets else ()
        records.append(Record(name, decode(stamp), specs, status == b"deleted"))
        position = match.end()
    return records, position


def _token(tail: re.Match[bytes]) -> Token | None:
    attributes, value = tail.groups()
    if attributes is None:
        return None
    named = {name: decode(double or single) for name, double, single in _ATTRIBUTE.findall(attributes)}
    return Token(
        decode(value or b""),
        number(named.get(b"cursor")),
        number(named.get(b"completeListSize")),
        named.get(b"expirationDate"),
    )
