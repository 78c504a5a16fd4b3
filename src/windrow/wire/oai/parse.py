"""One answer to a list request or GetRecord, from bytes to Page: strict first, repaired only if it must be."""

from __future__ import annotations

import re
from dataclasses import replace

from windrow.errors import BadXml, NotOai
from windrow.wire.oai.encoding import to_utf8
from windrow.wire.oai.foreign import describe, is_html
from windrow.wire.oai.page import Page
from windrow.wire.oai.repair import repair
from windrow.wire.oai.salvage import salvage_page
from windrow.wire.oai.scan import scan_page
from windrow.wire.oai.slices import slice_page
from windrow.wire.oai.strict import FORBIDDEN, Flaw, examine, find_flaw
from windrow.wire.oai.text import decode

_ENVELOPE = re.compile(rb"<(?:[\w.-]+:)?OAI-PMH[\s>]")
_TAIL_TOKEN = re.compile(rb"<(?:[\w.-]+:)?resumptionToken[^<>]*>([^<]+)</(?:[\w.-]+:)?resumptionToken\s*>")
_TAIL_BYTES = 4096


def parse_page(body: bytes) -> Page:
    """Give the page that these bytes hold.

    Raises BadXml for what is cut short or beyond repair, NotOai for what is something else.
    """
    body = to_utf8(body)
    flaw, is_plain = examine(body)
    if flaw is None:
        return (slice_page(body) if is_plain else None) or _scan(body)
    return _parse_damaged(body, flaw)


def parse_small(body: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Give the well-formed UTF-8 bytes of an answer that is not a list of records, and what was repaired."""
    body = to_utf8(body)
    flaw = find_flaw(body)
    if flaw is None:
        return body, ()
    _refuse(body, flaw)
    mended, repairs, remaining = repair(body, flaw)
    if remaining is not None:
        raise BadXml(f"the answer is not well-formed: {remaining}", body=body)
    return mended, repairs


def peek_token(body: bytes) -> str | None:
    """Give the resumption token without parsing the page, so that the next request need not wait.

    Only a guess: the parsed page has the last word.
    """
    found = _TAIL_TOKEN.search(body, max(0, len(body) - _TAIL_BYTES))
    return decode(found.group(1)) or None if found else None


def _parse_damaged(body: bytes, flaw: Flaw) -> Page:
    _refuse(body, flaw)
    mended, repairs, remaining = repair(body, flaw)
    if remaining is None:
        return replace(_scan(mended), repairs=repairs)
    page = None if remaining.is_truncated else salvage_page(mended, remaining)
    if page is None:
        raise BadXml(f"the answer is not well-formed: {remaining}", body=body, is_truncated=remaining.is_truncated)
    return replace(page, repairs=repairs + page.repairs)


def _refuse(body: bytes, flaw: Flaw) -> None:
    """Stop here for what no repair may touch: web pages, declared entities, pages cut short."""
    if is_html(body) or not _ENVELOPE.search(body):
        raise NotOai(f"the answer is {describe(body)}", body=body)
    if flaw.code == FORBIDDEN:
        raise BadXml(f"the answer {flaw.message}", body=body)
    if flaw.is_truncated:
        raise BadXml(f"the answer is cut short: {flaw}", body=body, is_truncated=True)


def _scan(body: bytes) -> Page:
    if is_html(body):
        raise NotOai(f"the answer is {describe(body)}", body=body)
    return scan_page(body)
