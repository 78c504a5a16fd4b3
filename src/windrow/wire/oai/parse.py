"""One answer to a list request or GetRecord, from bytes to Page: strict first, repaired only if need be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from windrow.errors import BadXml, HeadersOnly, NotOai
from windrow.model.record import Reject
from windrow.wire.oai.encoding import to_utf8
from windrow.wire.oai.foreign import describe, is_html
from windrow.wire.oai.page import Page
from windrow.wire.oai.scan import scan_page
from windrow.wire.oai.slices import slice_page
from windrow.wire.oai.strict import FORBIDDEN, Flaw, examine, find_flaw, is_closed
from windrow.wire.oai.text import decode

_ENVELOPE = re.compile(rb"<(?:[\w.-]+:)?OAI-PMH[\s>]")
_TAIL_TOKEN = re.compile(
    rb"<(?:[\w.-]+:)?resumptionToken[^<>]*>([^<\r]+)</(?:[\w.-]+:)?resumptionToken\s*>"
    rb"\s*</(?:[\w.-]+:)?List\w+\s*>"
)
_TAIL_BYTES = 4096


def parse_page(body: bytes) -> Page:
    """Give the page that these bytes hold.

    Raises BadXml for what is cut short or beyond repair, NotOai for what is something else.
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
    """Return the page that answers ListRecords or GetRecord, whose live records must have metadata.

    Some servers answer ListRecords with a `<ListIdentifiers>`. Its headers are records without a payload:
    stored as they are, they would count as harvested. Raises HeadersOnly if nothing else is on the page;
    a header among whole records is rejected by itself.
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
    """Give the well-formed UTF-8 bytes of an answer that is not a list of records, and what was repaired."""
    with _blaming(body):
        text, notes = to_utf8(body)
        flaw = find_flaw(text)
        if flaw is None:
            return text, notes
        from windrow.wire.oai.repair import repair  # noqa: PLC0415 - hardly ever needed

        _refuse(text, flaw)
        mended, repairs, remaining = repair(text, flaw)
        if remaining is not None:
            raise BadXml(f"the answer is not well-formed: {remaining}", is_truncated=not is_closed(text))
        return mended, notes + repairs


@contextmanager
def _blaming(body: bytes) -> Iterator[None]:
    """Errors carry the answer as it came, not what became of it on the way."""
    try:
        yield
    except (BadXml, NotOai) as exc:
        exc.body = body
        raise


def peek_token(body: bytes) -> str | None:
    """Give the resumption token without parsing the page, so that the next request need not wait.

    Only a guess: the parsed page has the last word.
    """
    found = _TAIL_TOKEN.search(body, max(0, len(body) - _TAIL_BYTES))
    return decode(found.group(1)) or None if found else None


def _parse_damaged(body: bytes, flaw: Flaw) -> Page:
    from windrow.wire.oai.repair import repair  # noqa: PLC0415 - hardly ever needed
    from windrow.wire.oai.salvage import salvage_page  # noqa: PLC0415
    from windrow.wire.oai.several import join_pages, split_documents  # noqa: PLC0415

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
    """Stop here for what no repair may touch: web pages, declared entities, pages cut short."""
    if is_html(body) or not _ENVELOPE.search(body):
        raise NotOai(f"the answer is {describe(body)}")
    if flaw.code == FORBIDDEN:
        raise BadXml(f"the answer {flaw.message}")
    if flaw.is_truncated:
        raise BadXml(f"the answer is cut short: {flaw}", is_truncated=True)


def _scan(body: bytes) -> Page:
    if is_html(body):
        raise NotOai(f"the answer is {describe(body)}")
    return scan_page(body)
