"""Questions beside the records that a repository refuses: not asked at every harvest, but now and then."""

from __future__ import annotations

from datetime import datetime, timedelta

from windrow.errors import HttpRefused, NotOai, OaiError, UpstreamError
from windrow.harvest.work import Work

REST = timedelta(days=7)
_FAULTY = 500  # from this status on it is a fault, which may be gone the next time


def is_resting(work: Work, verb: str) -> bool:
    """Was this refused lately? A full harvest asks all the same."""
    told = work.identity.get(f"refused_{verb}")
    if not isinstance(told, str) or work.options.is_full:
        return False
    return work.now() - datetime.fromisoformat(told) < REST


def note_refusal(work: Work, verb: str, error: UpstreamError) -> None:
    """Remember a refusal that will be the same tomorrow; faults are forgotten."""
    is_lasting = isinstance(error, OaiError | NotOai) or (
        isinstance(error, HttpRefused) and error.status < _FAULTY
    )
    if is_lasting:
        work.learn(**{f"refused_{verb}": work.now().isoformat()})
