"""Quarantined records asked for again, each by itself, as a run of its own kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from windrow.config.source_kinds import RepositorySettings
from windrow.errors import BadXml, HttpRefused, NotOai, OaiError, UpstreamError
from windrow.formats.registry import read
from windrow.harvest.observer import Observer
from windrow.harvest.run import describe, running, utc_now
from windrow.harvest.stopping import Stopper
from windrow.harvest.work import Work
from windrow.model.record import Record, Reject
from windrow.model.run import Run, Weight
from windrow.sources.oai import OaiClient
from windrow.store import cases, quarantine
from windrow.store.cases import Case
from windrow.store.store import Store
from windrow.wire.oai.page import Page

_ABSENT = ("idDoesNotExist", "cannotDisseminateFormat")


class Verdict(StrEnum):
    """What became of a case."""

    STORED = "stored"
    GONE = "gone"  # the source does not have it any more: nothing is left to wait for
    STILL_BAD = "still bad"
    NAMELESS = "without identifier"  # cannot be asked for alone; the next harvest meets it again
    UNASKED = "not asked"  # the source could not be reached, or somebody stopped us


@dataclass(frozen=True, slots=True)
class Retried:
    """A case and what became of it, in words."""

    case: Case
    verdict: Verdict
    reason: str = ""

    @property
    def is_open(self) -> bool:
        """Does somebody still have to look at it?"""
        return self.verdict not in (Verdict.STORED, Verdict.GONE)


class Retry:
    """Asks one source for its quarantined records again, with its manners and under its claim."""

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

    def run(self, wanted: Sequence[Case]) -> tuple[Run, list[Retried]]:
        """Ask for each; give the run and what became of every case, in order."""
        results: list[Retried] = []
        try:
            with running(
                self._store,
                self._settings,
                "retry",
                arguments={"cases": [case.id for case in wanted]},
                observer=self._observer,
                stopper=self._stopper,
            ) as attempt:
                work = Work.of(attempt, self._settings, self._client, folder=self._folder)
                self._retry(work, wanted, results)
        finally:
            self._client.close()
        results += [Retried(case, Verdict.UNASKED) for case in wanted[len(results) :]]
        return attempt.run, results

    def _retry(self, work: Work, wanted: Sequence[Case], results: list[Retried]) -> None:
        try:
            for case in wanted:
                self._stopper.check()
                results.append(self._one(work, case))
                work.tally()
                self._observer.advanced(work.name, work.counters, len(wanted))
        except UpstreamError as exc:
            work.tell("upstream", describe(exc), weight=Weight.FATAL)

    def _one(self, work: Work, case: Case) -> Retried:
        if case.identifier is None:
            with work.storing() as connection:
                work.keep_waiting(connection, case.format, f"case {case.id}")
            return Retried(case, Verdict.NAMELESS)
        found, reject = _fetch(work, case, case.identifier)
        with work.storing() as connection:
            if found is not None:
                work.put(connection, case.format, [found])
            if reject is None:
                quarantine.resolve(connection, case.id, now=utc_now())
                return Retried(case, Verdict.STORED if found else Verdict.GONE)
            cases.renew(connection, case.id, work.run_id, reject.reason, reject.raw)
            work.keep_waiting(connection, case.format, case.identifier)
        return Retried(case, Verdict.STILL_BAD, reject.reason)


def _fetch(work: Work, case: Case, identifier: str) -> tuple[Record | None, Reject | None]:
    """Give the record, or why not, or both where it is kept but cannot be mapped; neither when it is gone."""
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
        return None, _lacking(page, identifier)
    if page.repairs:
        work.tell("repaired", f"{identifier} was not well-formed: " + "; ".join(page.repairs))
    return found, _unmappable(found, case)


def _lacking(page: Page, identifier: str) -> Reject:
    if page.rejects:
        return Reject(page.rejects[0].reason, page.rejects[0].raw, identifier)
    words = "GetRecord brought another record" if page.records else "GetRecord brought no record"
    return Reject(words, b"", identifier)


def _unmappable(record: Record, case: Case) -> Reject | None:
    """Only a case about mapping asks whether the record can be mapped now."""
    if record.payload is None or not case.reason.startswith(quarantine.MAPPING):
        return None
    try:
        read(record.payload, record.declarations, case.format)
    except Exception as exc:  # noqa: BLE001 - a reader may be somebody else's code
        return Reject(f"{quarantine.MAPPING}{exc or type(exc).__name__}", record.payload, record.identifier)
    return None
