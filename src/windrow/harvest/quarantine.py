"""Quarantined records met again in a harvest: a few are asked for each time, and a whole pass settles all."""

from __future__ import annotations

from windrow.errors import UpstreamError
from windrow.harvest.one_by_one import fetch_record
from windrow.harvest.work import Work
from windrow.model.record import Reject
from windrow.model.run import Weight
from windrow.store import cases, quarantine
from windrow.store.cases import Case
from windrow.store.quarantine import MAPPING

MAX_ASKED = 20  # in one harvest; `windrow quarantine retry` asks for all
_LAST_ASKED = "last_case_asked"  # among what is remembered of the source: the number of a case


def ask_again(work: Work, prefixes: tuple[str, ...]) -> None:
    """Ask for records that an earlier run could not keep: their datestamps will not bring them back."""
    waiting = [case for case in _open(work) if case.identifier and case.format in prefixes][:MAX_ASKED]
    if not waiting:
        return
    work.observer.started(work.name, "quarantine")
    settled = failures = 0
    last: int | None = None
    try:
        for case in waiting:
            work.stopper.check()
            is_settled = _ask(work, case, failures)
            last = case.id
            settled, failures = settled + is_settled, 0 if is_settled else failures + 1
    except UpstreamError as exc:
        work.tell("quarantine", f"quarantined records could not be asked for: {exc}", weight=Weight.NOTE)
    if last is not None:
        work.learn(**{_LAST_ASKED: last})
    words = f"{settled:,} of {len(waiting):,} quarantined records that were asked for again are settled"
    work.tell("quarantine", words, weight=Weight.NOTE)


def report_waiting(work: Work, prefixes: tuple[str, ...]) -> None:
    """Make the run partial while records of earlier runs wait: the source offers more than is here."""
    waiting = [case for case in _open(work) if case.format in prefixes]
    if not waiting:
        return
    count = len({case.identifier or case.id for case in waiting})
    records = "1 record of an earlier run waits" if count == 1 else f"{count:,} records of earlier runs wait"
    words = f"{records} in quarantine; `windrow quarantine list {work.name}` shows what is wrong"
    action = f"`windrow quarantine dismiss --source {work.name}` does without"
    work.tell("waiting", f"{words}, {action}")


def _open(work: Work) -> list[Case]:
    """The open cases of earlier runs, each in its turn: those first that follow the last one asked for."""
    with work.store.reading() as connection:
        found = cases.listed(connection, source=work.name)
    mine = [case for case in found if case.run != work.run_id and not case.reason.startswith(MAPPING)]
    last = work.identity.get(_LAST_ASKED)
    return sorted(mine, key=lambda case: (isinstance(last, int) and case.id <= last, case.id))


def _ask(work: Work, case: Case, failures: int) -> bool:
    """Ask for one; True where nothing is left to wait for: it is stored, or the repository has it no more."""
    found = fetch_record(work, case.identifier or "", case.format, failures=failures)
    with work.storing() as connection:
        if isinstance(found, Reject):
            cases.renew(connection, case.id, None, found.reason, found.raw)  # no list of this run brought it
            return False
        if found:
            work.put(connection, case.format, found)
        quarantine.resolve(connection, case.id, now=work.now())
    return True


def settle_unmet(work: Work, prefix: str) -> None:
    """Close the cases that a pass over everything did not meet again."""
    with work.store.writing() as connection:
        for case in cases.listed(connection, source=work.name, include_dismissed=True):
            is_older = case.run != work.run_id and case.format == prefix
            if is_older and not case.reason.startswith(MAPPING):
                quarantine.resolve(connection, case.id, now=work.now())
