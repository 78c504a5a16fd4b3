"""The time at which a repository was asked, by its clock or by ours: where the next harvest will start.

Taken when the first page of a list comes in, not at its end: a list may take days, and be resumed.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from windrow.model.stamp import Granularity, read_stamp, write_stamp

GRACE = timedelta(days=1)  # where there is no responseDate to go by, or one that is further ahead than this


def harvest_start(response_date: str | None, *, asked_at: datetime) -> str:
    """Return the repository's time, but never a time later than our own clock when the request was sent.

    A responseDate ahead of us is a clock that is wrong, or local time written as UTC, while datestamps are
    in UTC: what changes in the hours between would never be asked for. A clock behind ours costs only a few
    records that come again.
    """
    moment = read_stamp(response_date or "")
    if response_date is None or moment is None or moment > asked_at + GRACE:
        return write_stamp(asked_at - GRACE, Granularity.SECOND)
    if moment > asked_at:
        return write_stamp(asked_at, Granularity.SECOND)
    return response_date
