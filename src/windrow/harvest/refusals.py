"""What a repository refuses or fails at, beside its records: not asked at every harvest, but now and then."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from windrow.errors import HttpRefused, NotOai, OaiError, UpstreamBusy, UpstreamError
from windrow.harvest.work import Work

REST = timedelta(days=7)
_FAULTY = 500  # from this status on it is a fault, which may be gone the next time


def is_resting(work: Work, verb: str) -> bool:
    """Was this refused lately? A full harvest asks all the same."""
    return not work.options.is_full and is_recent(work.identity, verb, now=work.now())


def is_recent(identity: Mapping[str, object], what: str, *, now: datetime) -> bool:
    """Return whether the repository refused or failed at a verb or an argument within the last week."""
    refused = identity.get(f"refused_{what}")
    return isinstance(refused, str) and now - datetime.fromisoformat(refused) < REST


def note_refusal(work: Work, verb: str, error: UpstreamError) -> None:
    """Remember a refusal that will be the same tomorrow; faults are forgotten."""
    is_lasting = isinstance(error, OaiError | NotOai) or (
        isinstance(error, HttpRefused) and error.status < _FAULTY
    )
    if is_lasting:
        rest(work, verb)


FAILED = "failed_{}"  # the run in which a verb failed, in what is known of a source


def note_failure(work: Work, verb: str, error: UpstreamError) -> None:
    """Remember a refusal or failure; after failures in two runs, rest: each costs tries that take minutes."""
    note_refusal(work, verb, error)
    if isinstance(error, UpstreamBusy):
        return
    key = FAILED.format(verb)
    if work.identity.get(key) not in (None, work.run_id):
        rest(work, verb)
    work.learn(**{key: work.run_id})


def is_unavailable(work: Work, verb: str) -> bool:
    """Return True if this was refused lately, or has failed in this run."""
    return is_resting(work, verb) or work.identity.get(FAILED.format(verb)) == work.run_id


def rest(work: Work, verb: str) -> None:
    """Do not ask this again for a week."""
    work.learn(**{f"refused_{verb}": work.now().isoformat()})
