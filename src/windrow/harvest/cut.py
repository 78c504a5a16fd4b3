"""A list that may have ended too early: its ends, or its halves, are asked about once more.

Some servers send their first page and stop, with no token and no word of a size; with others the token
dies, and nobody says whether that was the end. What shows it is a window that brings what the list did not.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from windrow.errors import UpstreamError
from windrow.harvest.ahead import ask_once
from windrow.harvest.listing import first_request
from windrow.harvest.work import Work
from windrow.model.stamp import write_stamp
from windrow.store import sources, stamps
from windrow.store.checkpoints import StoredWindow
from windrow.wire.oai.parse import parse_page

_CHUNK = 500


def holds_more(work: Work, window: StoredWindow, *, until: datetime | None, since: datetime | None) -> bool:
    """Is there anything up to the one moment, or from the other on, that the library lacks?

    Looks at the first page of either; two requests. An error settles nothing.
    """
    if until is None or since is None:
        return False
    low, high = write_stamp(until, work.granularity), write_stamp(since, work.granularity)
    halves = (replace(window, token=None, since=high), replace(window, token=None, until=low))
    try:
        return any(_lacks(work, half) for half in halves)
    except UpstreamError:
        return False


def _lacks(work: Work, window: StoredWindow) -> bool:
    request = first_request("ListIdentifiers", work, window)
    page = parse_page(ask_once(work.client.ask, request, stopper=work.stopper).body)
    names = [record.identifier for record in page.records if not record.is_deleted][:_CHUNK]
    with work.store.writing() as connection:
        format_id = sources.format_id(connection, window.format)
        return len(stamps.stamps_present(connection, work.source.id, names, format_id)) < len(set(names))
