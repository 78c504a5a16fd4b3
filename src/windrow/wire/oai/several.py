"""Several OAI-PMH documents in one answer, from servers that write theirs twice: cut apart, then joined."""

from __future__ import annotations

import re

from windrow.wire.oai.page import Page

_ROOT_TAG = re.compile(rb"<(?:[\w.-]+:)?OAI-PMH[\s>]|</(?:[\w.-]+:)?OAI-PMH\s*>")


def split_documents(body: bytes) -> list[bytes]:
    """Give the documents that stand one after another, what is between two of them with the later one.

    The whole, undivided, where roots do not simply begin and end in turn.
    """
    tags = list(_ROOT_TAG.finditer(body))
    is_in_turn = all(tag.group().startswith(b"</") == bool(turn % 2) for turn, tag in enumerate(tags))
    if not is_in_turn or len(tags) < 3:
        return [body]
    cuts = [end.end() for end, _next_start in zip(tags[1::2], tags[2::2], strict=False)]
    pieces = zip([0, *cuts], [*cuts, len(body)], strict=True)
    return [body[start:end].lstrip() for start, end in pieces]


def join_pages(pages: list[Page]) -> Page:
    """Give one page with the records of all, the last token, and a word about it."""
    words = f"{len(pages)} OAI-PMH documents in one answer; all were read"
    records = [record for page in pages for record in page.records]
    return Page(
        pages[0].response_date,
        records,
        [reject for page in pages for reject in page.rejects],
        next((page.token for page in reversed(pages) if page.token), None),
        () if records else pages[0].faults,
        tuple(dict.fromkeys([words, *(repair for page in pages for repair in page.repairs)])),
    )
