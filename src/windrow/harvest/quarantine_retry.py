"""Retry of quarantined records: a few in each harvest, or all of them in a run of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from windrow.config.source_kinds import RepositorySettings
from windrow.errors import BadXml, HttpRefused, NotOai, OaiError, UpstreamError
from windrow.formats.registry import read
from windrow.harvest.oai.identifiers import fetch_record
from windrow.harvest.oai.run_context import HarvestContext
from windrow.harvest.options import Observer, Stopper
from windrow.harvest.run import running, utc_now
from windrow.model.record import Record, Reject
from windrow.model.run import Run, Severity
from windrow.protocols.oai.oai_page import Page
from windrow.sources.oai_client import OaiClient
from windrow.store.harvests import quarantine_cases
from windrow.store.harvests.quarantine_cases import MAPPING, QuarantineCase
from windrow.store.store import Store

# In a harvest: a few cases are retried each time, and a complete pass settles all.

MAX_RETRIED = 20  # per harvest; `windrow quarantine retry` retries all
_LAST_RETRIED = "last_case_asked"  # identity key of the source: the number of the last case that was retried


def retry_quarantined(work: HarvestContext, prefixes: tuple[str, ...]) -> None:
    """Request records that an earlier run could not store: incremental harvests never list them again."""
    waiting = [case for case in _open_cases(work) if case.identifier and case.format in prefixes][
        :MAX_RETRIED
    ]
    if not waiting:
        return
    work.observer.started(work.name, "quarantine")
    settled = failures = 0
    last: int | None = None
    try:
        for case in waiting:
            work.stopper.check()
            is_settled = _retry_case(work, case, failures)
            last = case.id
            settled, failures = settled + is_settled, 0 if is_settled else failures + 1
    except UpstreamError as exc:
        work.note("quarantine", f"quarantined records could not be asked for: {exc}", weight=Severity.NOTE)
    if last is not None:
        work.learn(**{_LAST_RETRIED: last})
    words = f"{settled:,} of {len(waiting):,} quarantined records that were asked for again are settled"
    work.note("quarantine", words, weight=Severity.NOTE)


def report_open_cases(work: HarvestContext, prefixes: tuple[str, ...]) -> None:
    """Make the run partial while records of earlier runs wait: the source has more than the library."""
    waiting = [case for case in _open_cases(work) if case.format in prefixes]
    if not waiting:
        return
    count = len({case.identifier or case.id for case in waiting})
    records = "1 record of an earlier run waits" if count == 1 else f"{count:,} records of earlier runs wait"
    words = f"{records} in quarantine; `windrow quarantine list {work.name}` shows what is wrong"
    action = f"`windrow quarantine dismiss --source {work.name}` does without"
    work.note("waiting", f"{words}, {action}")


def _open_cases(work: HarvestContext) -> list[QuarantineCase]:
    """Return the open cases of earlier runs, in rotation: first those after the last one retried."""
    with work.store.reading() as connection:
        found = quarantine_cases.list_cases(connection, source=work.name)
    mine = [case for case in found if case.run != work.run_id and not case.reason.startswith(MAPPING)]
    last = work.identity.get(_LAST_RETRIED)
    return sorted(mine, key=lambda case: (isinstance(last, int) and case.id <= last, case.id))


def _retry_case(work: HarvestContext, case: QuarantineCase, failures: int) -> bool:
    """Retry one case; return True if it is settled: stored, or gone from the repository."""
    found = fetch_record(work, case.identifier or "", case.format, failures=failures)
    with work.storing() as connection:
        if isinstance(found, Reject):
            quarantine_cases.renew_case(
                connection, case.id, None, found.reason, found.raw
            )  # no list of this run contained it
            return False
        if found:
            work.put(connection, case.format, found)
        quarantine_cases.resolve(connection, case.id, now=work.now())
    return True


def close_unmet_cases(work: HarvestContext, prefix: str) -> None:
    """Close the cases that a complete pass did not meet again."""
    with work.store.writing() as connection:
        for case in quarantine_cases.list_cases(connection, source=work.name, include_dismissed=True):
            is_older = case.run != work.run_id and case.format == prefix
            if is_older and not case.reason.startswith(MAPPING):
                quarantine_cases.resolve(connection, case.id, now=work.now())


_ABSENT = ("idDoesNotExist", "cannotDisseminateFormat")


class CaseOutcome(StrEnum):
    """The outcome of a retried case."""

    STORED = "stored"
    GONE = "gone"  # the source no longer has it, so there is nothing left to wait for
    STILL_BAD = "still bad"
    NAMELESS = "without identifier"  # cannot be requested alone; the next harvest meets it again
    UNASKED = "not asked"  # the source could not be reached, or the run was stopped


@dataclass(frozen=True, slots=True)
class RetriedCase:
    """A case and its outcome."""

    case: QuarantineCase
    verdict: CaseOutcome
    reason: str = ""

    @property
    def is_open(self) -> bool:
        return self.verdict not in (CaseOutcome.STORED, CaseOutcome.GONE)


class QuarantineRetry:
    """Requests quarantined records of one source again, at its configured pace and under its lease."""

    def __init__(
        self,
        settings: RepositorySettings,
        *,
        folder: Path,
        store: Store,
        client: OaiClient,
        observer: Observer,
        stopper: Stopper,
    ) -> None:
        self._settings = settings
        self._folder = folder
        self._store = store
        self._client = client
        self._observer = observer
        self._stopper = stopper

    def run(self, wanted: Sequence[QuarantineCase]) -> tuple[Run, list[RetriedCase]]:
        """Retry each case; return the run and the outcome of every case, in order."""
        results: list[RetriedCase] = []
        try:
            with running(
                self._store,
                self._settings,
                "retry",
                arguments={"cases": [case.id for case in wanted]},
                observer=self._observer,
                stopper=self._stopper,
            ) as attempt:
                work = HarvestContext.of(attempt, self._settings, self._client, folder=self._folder)
                self._retry(work, wanted, results)
        finally:
            self._client.close()
        results += [RetriedCase(case, CaseOutcome.UNASKED) for case in wanted[len(results) :]]
        return attempt.run, results

    def _retry(
        self, work: HarvestContext, wanted: Sequence[QuarantineCase], results: list[RetriedCase]
    ) -> None:
        for case in wanted:
            self._stopper.check()
            results.append(self._one(work, case))
            work.tally()
            self._observer.advanced(work.name, work.counters, len(wanted))

    def _one(self, work: HarvestContext, case: QuarantineCase) -> RetriedCase:
        if case.identifier is None:
            with work.storing() as connection:
                work.keep_waiting(connection, case.format, f"case {case.id}")
            return RetriedCase(case, CaseOutcome.NAMELESS)
        found, reject = _fetch_case(work, case, case.identifier)
        with work.storing() as connection:
            if found is not None:
                work.put(connection, case.format, [found])
            if reject is None:
                quarantine_cases.resolve(connection, case.id, now=utc_now())
                return RetriedCase(case, CaseOutcome.STORED if found else CaseOutcome.GONE)
            quarantine_cases.renew_case(connection, case.id, work.run_id, reject.reason, reject.raw)
            work.keep_waiting(connection, case.format, case.identifier)
        return RetriedCase(case, CaseOutcome.STILL_BAD, reject.reason)


def _fetch_case(
    work: HarvestContext, case: QuarantineCase, identifier: str
) -> tuple[Record | None, Reject | None]:
    """Return the record or a reject; both if it is stored but cannot be mapped, neither if it is gone."""
    try:
        page = work.client.record(identifier, prefix=case.format)
    except OaiError as exc:
        return None, None if exc.code in _ABSENT else Reject(f"GetRecord: {exc}", b"", identifier)
    except (BadXml, NotOai) as exc:
        return None, Reject(f"GetRecord: {exc}", exc.body, identifier)
    except HttpRefused as exc:
        return None, Reject(f"GetRecord: {exc}", b"", identifier)
    found = next((record for record in page.records if record.identifier == identifier), None)
    if found is None:
        return None, _missing_reason(page, identifier)
    if page.repairs:
        work.note("repaired", f"{identifier} was not well-formed: " + "; ".join(page.repairs))
    return found, _unmappable(found, case)


def _missing_reason(page: Page, identifier: str) -> Reject:
    if page.rejects:
        return Reject(page.rejects[0].reason, page.rejects[0].raw, identifier)
    words = "GetRecord brought another record" if page.records else "GetRecord brought no record"
    return Reject(words, b"", identifier)


def _unmappable(record: Record, case: QuarantineCase) -> Reject | None:
    """Return a reject if the record still cannot be mapped; only cases about mapping are checked."""
    if record.payload is None or not case.reason.startswith(quarantine_cases.MAPPING):
        return None
    try:
        read(record.payload, record.declarations, case.format)
    except Exception as exc:  # noqa: BLE001 - a reader may be a plug-in
        return Reject(
            f"{quarantine_cases.MAPPING}{exc or type(exc).__name__}", record.payload, record.identifier
        )
    return None
