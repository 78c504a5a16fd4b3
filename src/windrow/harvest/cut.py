"""A list that may have ended too early: its ends, or its halves, are asked about once more.

Some servers send their first page and stop, with no token and no word of a size; with others the token
dies, and nobody says whether that was the end. What shows it is a window that brings what the list did not.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice

from windrow.errors import UpstreamError
from windrow.harvest.ahead import ask_once
from windrow.harvest.identifiers import Identifiers
from windrow.harvest.listing import first_request
from windrow.harvest.refusals import is_resting
from windrow.harvest.work import Work
from windrow.model.record import Record
from windrow.model.stamp import read_stamp, write_stamp
from windrow.store import cases, sources, stamps
from windrow.store.checkpoints import StoredWindow
from windrow.wire.oai.page import Page
from windrow.wire.oai.parse import parse_page

_CHUNK = 500
_MAX_PAGES = 10  # of identifiers that are looked at for what is behind the end of a list
_SLACK = timedelta(days=1)  # local time where UTC is meant


def holds_more(work: Work, window: StoredWindow, *, until: datetime | None, since: datetime | None) -> bool:
    """Is there anything up to the one moment, or from the other on, that the library lacks?

    Looks at the first page of either; two requests. An error settles nothing.
    """
    if until is None or since is None:
        return False
    low, high = write_stamp(until, work.granularity), write_stamp(since, work.granularity)
    halves = (replace(window, token=None, since=high), replace(window, token=None, until=low))
    pages = (_first_page(work, half) for half in halves)
    return any(page is not None and find_lacking(work, window.format, page) for page in pages)


def lists_more(work: Work, window: StoredWindow, *, before: datetime | None = None) -> bool:
    """Return True if a window's identifiers name records that the library lacks.

    Looks at a few pages, which is all of them where a window begins with the last record of a list: more than
    one page of records rarely has the same datestamp. Records from after the moment `before` were added
    meanwhile, and are left to the next harvest. An error settles nothing.
    """
    if is_resting(work, "ListIdentifiers"):
        return False
    listed = Identifiers(work, replace(window, token=None, seen=0, claimed=None))
    try:
        for page in islice(listed.pages(), _MAX_PAGES):
            if find_lacking(work, window.format, page, before=before):
                return True
            if listed.gist.is_outside:
                return False  # it ignores dates, and this is the beginning of the whole list
    except UpstreamError:
        pass
    return False


def is_last(work: Work, window: StoredWindow) -> bool:
    """Return True if the library holds all records of a window that begins with the last one of a list.

    A repository that ignores dates lists older ones, which shows nothing.
    """
    page, since = _first_page(work, window), read_stamp(window.since or "")
    moments = [read_stamp(record.stamp) for record in page.records] if page is not None else []
    if page is None or since is None or any(each is None or each < since - _SLACK for each in moments):
        return False
    return bool(moments) and not find_lacking(work, window.format, page)


def _first_page(work: Work, window: StoredWindow) -> Page | None:
    """Return the first page of a window's identifiers; None where that fails."""
    request = first_request("ListIdentifiers", work, replace(window, token=None))
    try:
        return parse_page(ask_once(work.client.ask, request, stopper=work.stopper).body)
    except UpstreamError:
        return None


def find_lacking(work: Work, prefix: str, page: Page, *, before: datetime | None = None) -> frozenset[str]:
    """Return the live records of a page that are neither held in this format nor in quarantine.

    `before`: those with a later datestamp are left out.
    """
    live = (record for record in page.records if not record.is_deleted and not _is_later(record, before))
    present: set[str] = set()
    with work.store.writing() as connection:
        format_id = sources.format_id(connection, prefix)
        merged = work.merged(connection)
        names = list({record.identifier for record in live} - merged)
        for start in range(0, len(names), _CHUNK):
            chunk = names[start : start + _CHUNK]
            present.update(stamps.stamps_present(connection, work.source.id, chunk, format_id))
        if len(present) < len(names):
            present.update(case.identifier or "" for case in cases.listed(connection, source=work.name))
    return frozenset(names) - present


def _is_later(record: Record, moment: datetime | None) -> bool:
    stamp = None if moment is None else read_stamp(record.stamp)
    return moment is not None and stamp is not None and stamp > moment
