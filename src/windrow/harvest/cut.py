"""A list that may have been cut off: asked about from its middle, both ways.

Some servers send their first page and stop, with no token and no word of a size. All that shows is a
round number of records, and that a narrower window brings records that the whole did not.
"""

from __future__ import annotations

from dataclasses import replace

from windrow.errors import UpstreamError
from windrow.harvest.ahead import ask_once
from windrow.harvest.gist import Gist
from windrow.harvest.listing import first_request
from windrow.harvest.work import Work
from windrow.model.stamp import write_stamp
from windrow.store.checkpoints import StoredWindow
from windrow.wire.oai.parse import parse_page


def is_cut(work: Work, window: StoredWindow, gist: Gist) -> bool:
    """Does either half of what came hold more than came? Two requests; an error settles nothing."""
    middle = gist.middle
    if middle is None:
        return False
    stamp, known = write_stamp(middle, work.granularity), set(gist.first)
    for half in (replace(window, token=None, since=stamp), replace(window, token=None, until=stamp)):
        request = first_request("ListIdentifiers", work, half)
        try:
            page = parse_page(ask_once(work.client.ask, request, stopper=work.stopper).body)
        except UpstreamError:
            return False
        if any(record.identifier not in known for record in page.records):
            return True
    return False
