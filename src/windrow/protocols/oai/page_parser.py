"""Parsing of list responses: a fast parser by byte searches, and the entry points for all pages.

The fast parser handles pages that a strict parser has accepted and in which every `<` starts a tag. Pages of
an unusual shape are left to `page_scanner`, which is exact for all of them and takes several times as long.

The page is split at every `</metadata` in a single call, because a Python-level step for each record takes
longer than the split itself. If a record follows as usual, the piece before the split is its payload; other
pieces are examined one by one. If such an end tag belonged to another `<metadata>` inside a payload, the text
after it would be neither the end of a record nor a record, and the page would go to `page_scanner`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import repeat

from windrow.errors import BadXml, HeadersOnly, NotOai
from windrow.model.record import Record, Reject
from windrow.protocols.oai.oai_page import NAMESPACE, Page, decode_references, make_token, parse_attributes
from windrow.protocols.oai.page_scanner import scan_page
from windrow.protocols.oai.payload_xml import parse_declarations
from windrow.protocols.oai.well_formedness import (
    FORBIDDEN,
    Flaw,
    describe_foreign_body,
    examine,
    find_flaw,
    is_closed,
    is_html,
    to_utf8,
)

_HEAD = re.compile(
    rb"\s*(?:<\?xml[^>]*\?>\s*)?(?:<\?xml-stylesheet[^>]*\?>\s*)?"
    rb"<OAI-PMH(\s[^>]*)>\s*"
    rb"<responseDate>([^<\r]*)</responseDate>\s*"
    rb"<request(?:\s[^>]*)?(?:/>|>[^<]*</request>)\s*"
    rb"<(ListRecords|ListIdentifiers|GetRecord)>"
)
_HEADER = (
    rb"\s*<header(?: status=\"(\w*)\")?>"
    rb"\s*<identifier>([^<\r]*)</identifier>"  # no \r, which XML parsers read as \n
    rb"\s*<datestamp>([^<\r]*)</datestamp>"
    rb"((?:\s*<setSpec>[^<\r]*</setSpec>)*)"
    rb"\s*</header>"
)
_LISTED_HEADER = re.compile(_HEADER)
_RECORD = re.compile(rb"\s*<record>" + _HEADER + rb"\s*<(metadata|/record)>")
# From the end of one payload to the start of the next in the usual form: nothing between two records, the
# second not deleted, nothing in its identifier and datestamp to decode or to strip.
_BETWEEN = re.compile(
    rb"</metadata(?:>\s*</record>\s*<record>\s*<header>"
    rb"\s*<identifier>([!-%'-;=-~]+)</identifier>\s*<datestamp>([!-%'-;=-~]+)</datestamp>"
    rb"((?:\s*<setSpec>[^<\r]*</setSpec>)*)\s*</header>\s*<metadata>\s*(?=<[^/]))?"
)
_MOST_RECORDS = 100_000  # in one page; `page_scanner` takes less memory for more
_RECORD_END = re.compile(rb">\s*</record>")
_RECORD_CLOSE = b"</record>"
_TAIL = re.compile(
    rb"\s*(?:<resumptionToken((?:\s[^>]*?)?)(?:/>|>([^<\r]*)</resumptionToken>)\s*)?"
    rb"</(?:ListRecords|ListIdentifiers|GetRecord)>\s*</OAI-PMH>\s*\Z"
)
_SET = re.compile(rb"<setSpec>([^<]*)</setSpec>")
_DEFAULT_NAMESPACE = b'xmlns="' + NAMESPACE.encode() + b'"'
_new = tuple.__new__  # a named tuple's own constructor takes twice as long
_MAX_ATTRIBUTES = 4096  # bytes of attributes on the root; longer ones are left to `page_scanner`


class _Specs(dict[bytes, tuple[str, ...]]):
    """The sets in a header by its bytes, cached: most records are in the same sets as others."""

    def __missing__(self, raw: bytes) -> tuple[str, ...]:
        found = tuple(dict.fromkeys(spec for item in _SET.findall(raw) if (spec := decode_references(item))))
        self[raw] = found
        return found


_SPECS = _Specs()
_MAX_SPECS = 20_000


def _known_specs() -> _Specs:
    if len(_SPECS) > _MAX_SPECS:
        _SPECS.clear()
    return _SPECS


def slice_page(body: bytes) -> Page | None:
    """Cut a well-formed, plain UTF-8 page into records; return None for a page of an unusual shape."""
    head = _HEAD.match(body)
    if head is None or _DEFAULT_NAMESPACE not in head.group(1):
        return None
    if len(head.group(1)) > _MAX_ATTRIBUTES:
        return None
    declarations = parse_declarations(head.group(1))
    if head.group(3) == b"ListIdentifiers":
        cut = _cut_headers(body, head.end())
    else:
        cut = _cut_records(body, head.end(), declarations)
    if cut is None:
        return None
    records, rest, end = cut
    tail = _TAIL.match(rest, end)
    if tail is None:
        return None
    attributes, value = tail.groups()
    token = (
        None
        if attributes is None
        else make_token(decode_references(value or b""), parse_attributes(attributes))
    )
    return Page(decode_references(head.group(2)), records, token=token)


def _cut_records(body: bytes, position: int, declarations: bytes) -> tuple[list[Record], bytes, int] | None:
    """Split at every end of metadata; return the records, the last piece, and their end in it."""
    pieces = _BETWEEN.split(body, _MOST_RECORDS)
    names = pieces[1::4]
    if len(names) >= _MOST_RECORDS:
        return None
    records: list[Record] = []
    piece, done = pieces[0], 0
    end = _take(piece, position, records, declarations)
    for odd in [number for number, name in enumerate(names) if name is None]:
        if end != len(piece):
            return None  # what precedes this end of metadata is not a record
        records += _usual(pieces[1 + 4 * done : 1 + 4 * odd], declarations)
        piece, done = pieces[4 + 4 * odd], odd + 1
        end = _close(piece, records)
        end = end and _take(piece, end, records, declarations)
    return None if end is None else (records, piece, end)


def _usual(pieces: list[bytes], declarations: bytes) -> Iterator[Record]:
    rows = zip(
        map(bytes.decode, pieces[0::4]),
        map(bytes.decode, pieces[1::4]),
        map(_known_specs().__getitem__, pieces[2::4]),
        repeat(False),
        map(bytes.rstrip, pieces[3::4]),
        repeat(None),
        repeat(declarations),
    )
    return map(_new, repeat(Record), rows)


def _close(piece: bytes, records: list[Record]) -> int | None:
    """Return the position after a record whose metadata ends here, including its `<about>` elements."""
    closing = _RECORD_END.match(piece)
    if closing is not None:
        return closing.end()
    end = piece.find(_RECORD_CLOSE)
    about = piece[1:end].strip()
    if end < 0 or not piece.startswith(b">") or not _is_one_about(about):
        return None
    records[-1] = records[-1]._replace(about=about)
    return end + len(_RECORD_CLOSE)


def _take(piece: bytes, position: int, records: list[Record], declarations: bytes) -> int | None:
    """Append the records that begin here; return the position after them, or the end for an open payload.

    Return None for a record without an identifier, with neither metadata nor deletion, or with text only.
    """
    specs = _known_specs()
    while (match := _RECORD.match(piece, position)) is not None:
        status, identifier, stamp, sets, follows = match.groups()
        payload, position = b"", match.end()
        if follows == b"metadata":
            payload, position = piece[position:].strip(), len(piece)
        name, is_deleted = decode_references(identifier), _is_deleted(status)
        if not name or not (is_deleted or payload.startswith(b"<")):
            return None
        held = (None, None, b"") if is_deleted else (payload, None, declarations)
        records.append(Record(name, decode_references(stamp), specs[sets], is_deleted, *held))
    return position


def _is_deleted(status: bytes | None) -> bool:
    return status is not None and status.lower() == b"deleted"


def _is_one_about(about: bytes) -> bool:
    is_about = about.startswith(b"<about>") and about.endswith(b"</about>")
    return is_about and about.count(b"<about") == 1 and b"<record" not in about


def _cut_headers(body: bytes, position: int) -> tuple[list[Record], bytes, int] | None:
    records: list[Record] = []
    specs = _known_specs()
    while (match := _LISTED_HEADER.match(body, position)) is not None:
        status, identifier, stamp, sets = match.groups()
        name = decode_references(identifier)
        if not name:
            return None
        records.append(Record(name, decode_references(stamp), specs[sets], _is_deleted(status)))
        position = match.end()
    return records, body, position


# Entry points: bytes to `Page`, strictly at first, with repairs only if necessary.

_ENVELOPE = re.compile(rb"<(?:[\w.-]+:)?OAI-PMH[\s>]")
_TAIL_TOKEN = re.compile(
    rb"<(?:[\w.-]+:)?resumptionToken[^<>]*>([^<\r]+)</(?:[\w.-]+:)?resumptionToken\s*>"
    rb"\s*</(?:[\w.-]+:)?List\w+\s*>"
)
_TAIL_BYTES = 4096


def parse_page(body: bytes) -> Page:
    """Parse a page.

    Raise BadXml for a truncated or irreparable page, NotOai for any other content.
    """
    with _blaming(body):
        text, notes = to_utf8(body)
        flaw, is_plain = examine(text)
        if flaw is None:
            page = (slice_page(text) if is_plain else None) or _scan(text)
        else:
            page = _parse_damaged(text, flaw)
        return replace(page, repairs=notes + page.repairs) if notes else page


def parse_records(body: bytes) -> Page:
    """Parse a response to ListRecords or GetRecord, whose live records must have metadata.

    Some servers answer ListRecords with a `<ListIdentifiers>`. Its headers are records without a payload; if
    stored, they would count as harvested. Raise HeadersOnly if the page has nothing else; a single header
    among whole records is rejected alone.
    """
    page = parse_page(body)
    bare = [record for record in page.records if record.payload is None and not record.is_deleted]
    if not bare:
        return page
    if len(bare) == len(page.records):
        raise HeadersOnly("the answer lists headers where records were asked for", body=body)
    rejects = [Reject("the record has no metadata", b"", record.identifier) for record in bare]
    whole = [record for record in page.records if record.payload is not None or record.is_deleted]
    return replace(page, records=whole, rejects=page.rejects + rejects)


def parse_small(body: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Return well-formed UTF-8 of a response that is not a list of records, and the repairs."""
    with _blaming(body):
        text, notes = to_utf8(body)
        flaw = find_flaw(text)
        if flaw is None:
            return text, notes
        from windrow.protocols.oai.page_repair import repair  # noqa: PLC0415 - rarely needed

        _refuse(text, flaw)
        mended, repairs, remaining = repair(text, flaw)
        if remaining is not None:
            raise BadXml(f"the answer is not well-formed: {remaining}", is_truncated=not is_closed(text))
        return mended, notes + repairs


@contextmanager
def _blaming(body: bytes) -> Iterator[None]:
    """Add the original response, not the repaired one, to errors."""
    try:
        yield
    except (BadXml, NotOai) as exc:
        exc.body = body
        raise


def peek_token(body: bytes) -> str | None:
    """Return the resumption token without parsing the page, so that the next request can start early.

    The result is a guess; that of the parsed page takes precedence.
    """
    found = _TAIL_TOKEN.search(body, max(0, len(body) - _TAIL_BYTES))
    return decode_references(found.group(1)) or None if found else None


def _parse_damaged(body: bytes, flaw: Flaw) -> Page:
    from windrow.protocols.oai.oai_page import join_pages, split_documents  # noqa: PLC0415 - rarely needed
    from windrow.protocols.oai.page_repair import repair, salvage_page  # noqa: PLC0415 - as above

    _refuse(body, flaw)
    documents = split_documents(body)
    if len(documents) > 1:
        return join_pages([_parse_one(document) for document in documents])
    mended, repairs, remaining = repair(body, flaw)
    if remaining is None:
        page: Page | None = _scan(mended)
    else:
        page = None if remaining.is_truncated else salvage_page(mended, remaining)
    if page is None:
        is_truncated = not is_closed(body)
        raise BadXml(f"the answer is not well-formed: {remaining}", is_truncated=is_truncated)
    return replace(page, repairs=repairs + page.repairs)


def _parse_one(document: bytes) -> Page:
    flaw = find_flaw(document)
    return _scan(document) if flaw is None else _parse_damaged(document, flaw)


def _refuse(body: bytes, flaw: Flaw) -> None:
    """Raise for what must not be repaired: web pages, declared entities, truncated pages."""
    if is_html(body) or not _ENVELOPE.search(body):
        raise NotOai(f"the answer is {describe_foreign_body(body)}")
    if flaw.code == FORBIDDEN:
        raise BadXml(f"the answer {flaw.message}")
    if flaw.is_truncated:
        raise BadXml(f"the answer is cut short: {flaw}", is_truncated=True)


def _scan(body: bytes) -> Page:
    if is_html(body):
        raise NotOai(f"the answer is {describe_foreign_body(body)}")
    return scan_page(body)
