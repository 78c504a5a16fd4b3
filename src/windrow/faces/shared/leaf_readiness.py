"""Whether the lists for crawlers can be believed: half of them would be taken for the whole."""

from __future__ import annotations

from windrow.faces.shared.refusal import Refused
from windrow.store.connection import Connection
from windrow.store.leaves import is_whole

READY_SECONDS = 10


def check_laid_out(connection: Connection) -> None:
    """Refuse as long as not every record has a place in the lists: just after a library is first served."""
    if not is_whole(connection):
        words = "The lists of all records are being made. Come back in a few seconds."
        raise Refused(503, words, headers=[(b"retry-after", str(READY_SECONDS).encode())])
