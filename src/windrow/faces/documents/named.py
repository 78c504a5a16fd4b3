"""What a request under `/document` names: a record that is there, and for everybody."""

from __future__ import annotations

from windrow.faces.shared.refusal import Refused
from windrow.finding.record import find_state
from windrow.store.one_record import Glance
from windrow.store.store import Store

NO_DOCUMENT = "There is no such document."
WITHDRAWN = "This document was withdrawn."


def read_name(rest: str) -> tuple[str, str, str]:
    """Give part, source and identifier from `/PART/SOURCE/IDENTIFIER`; each may be empty."""
    part, _, named = rest.removeprefix("/").partition("/")
    source, _, identifier = named.partition("/")
    return part, source, identifier


def check_there(store: Store, source: str, identifier: str) -> Glance:
    """Give the state of a record; Refused as its own page would be where it is gone, hidden or none."""
    state = find_state(store, source, identifier) if source and identifier else None
    if state is None:
        raise Refused(404, NO_DOCUMENT)
    if state.is_deleted:
        raise Refused(410, WITHDRAWN)
    return state
