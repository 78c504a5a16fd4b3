"""What a repository says the time is, as far as it can be believed: where the next harvest will start.

Asked when the first page of a list comes in, not at its end: a list may take days, and be resumed.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from windrow.model.stamp import Granularity, read_stamp, write_stamp

# Further ahead it is a clock that is wrong. Without a zone it may be local time, while the datestamps are in
# UTC: what changes in the hours between would never be asked for.
TRUSTED_AHEAD = timedelta(days=1)
TRUSTED_AHEAD_ZONELESS = timedelta(minutes=10)
GRACE = timedelta(days=1)
_ZONE = re.compile(r"(?:[Zz]|[+-]\d{2}:?\d{2})\s*\Z")


def believed(told: str | None, *, now: datetime) -> str:
    """Give the server's time as it told it; our own less a day's grace where that cannot be believed."""
    moment = read_stamp(told or "")
    ahead = TRUSTED_AHEAD if _ZONE.search(told or "") else TRUSTED_AHEAD_ZONELESS
    if told is None or moment is None or moment > now + ahead:
        return write_stamp(now - GRACE, Granularity.SECOND)
    return told
