"""Refresh stale records that users have viewed: rounds of single requests, each round a run of its own.

A round yields to all other work on its source. Each record is requested first, and then stored in a
transaction that checks that no harvest is running and that the record is unchanged. So a round delays no
harvest, and cannot overwrite newer data.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Collection
from datetime import datetime
from functools import partial
from pathlib import Path
from threading import Event

from windrow.config.source_kinds import RepositorySettings
from windrow.errors import Interrupted, SourceBusy, Unreachable, WindrowError
from windrow.harvest.oai.identifiers import MAX_UNREACHABLE, fetch_record
from windrow.harvest.oai.run_context import HarvestContext
from windrow.harvest.options import Observer, Stopper
from windrow.harvest.run import running, utc_now
from windrow.model.record import Record, Reject
from windrow.model.run import Outcome, Run, Severity
from windrow.net.client import HttpClient
from windrow.net.robots_rules import RobotsRules, fetch_robots, robots_address
from windrow.protocols.oai.oai_request import record_request
from windrow.sources.oai_client import OaiClient
from windrow.store import leases, runs, sources
from windrow.store.harvests import refresh_requests
from windrow.store.harvests.refresh_requests import RefreshRequest
from windrow.store.store import RobotsMemory, Store

# The robots.txt of a source, fetched once a day and cached. Refreshes obey it.

DAY_SECONDS = 24 * 3600
LARGEST_BYTES = 4 * 1024 * 1024  # of a robots.txt that is fetched; only its beginning is read


class ProviderRobots:
    """Fetches and caches robots.txt rules; not thread-safe."""

    def __init__(self, http: HttpClient, memory: RobotsMemory, *, now: Callable[[], datetime]) -> None:
        self._http = http
        self._memory = memory
        self._now = now

    def rules(self, url: str) -> RobotsRules:
        """Return the robots.txt rules for an address; raises UpstreamError if they cannot be fetched now."""
        now = int(self._now().timestamp())
        address = robots_address(url)
        text = self._memory.find(address, since=now - DAY_SECONDS + 1)
        if text is None:
            text = fetch_robots(self._http, url)
            self._memory.remember(address, text, now=now)
        return RobotsRules(text)

    def close(self) -> None:
        self._http.close()


KIND = "refresh"
ROBOTS = "robots"  # problem code: the provider's robots.txt forbids refreshes
MAX_RECORDS_PER_ROUND = 200
MAX_ROUND_SECONDS = 120.0
MAX_FAILURES = 5  # consecutive failures before the round is abandoned
# Outcomes of a refresh request.
FETCHED, ABSENT, REFUSED, OVERTAKEN = "fetched", "absent", "refused", "overtaken"
_WORDS = {
    ABSENT: "not there when asked for: {:,}; kept until a harvest says that they are gone",
    OVERTAKEN: "brought by a harvest meanwhile: {:,}",
}

RefreshAnswer = list[tuple[str, list[Record] | Reject]]  # by format


class Refresher:
    """Refreshes requested records of one source at its configured pace, the oldest requests first."""

    def __init__(
        self,
        settings: RepositorySettings,
        *,
        folder: Path,
        store: Store,
        client: OaiClient,
        robots: ProviderRobots,
        observer: Observer,
        stopper: Stopper,
        now: Callable[[], datetime] = utc_now,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._folder = folder
        self._store = store
        self._client = client
        self._robots = robots
        self._observer = observer
        self._stopper = stopper
        self._now = now
        self._monotonic = monotonic
        self._failures = 0
        self._outcomes: Counter[str] = Counter()

    def run(self, *, limit: int = MAX_RECORDS_PER_ROUND, seconds: float = MAX_ROUND_SECONDS) -> Run | None:
        """Refresh waiting records; return the run, or None if nothing waits.

        Raises SourceBusy if the source is in use.
        """
        try:
            requests = self._waiting_requests(limit)
            if not requests:
                return None
            with running(
                self._store,
                self._settings,
                KIND,
                arguments={"records": len(requests)},
                observer=self._observer,
                stopper=self._stopper,
                now=self._now,
            ) as attempt:
                work = HarvestContext.of(
                    attempt, self._settings, self._client, folder=self._folder, expected=len(requests)
                )
                attempt.before_end = partial(self._sum_up, work)
                self._round(work, requests, self._monotonic() + seconds)
        finally:
            self._client.close()
            self._robots.close()
        return attempt.run

    def _waiting_requests(self, limit: int) -> list[RefreshRequest]:
        """Return the waiting requests, after removing those that a harvest has satisfied since.

        If the source has a new address, its requests are left to the next harvest, which starts again there.
        """
        with self._store.writing() as connection:
            state = sources.find(connection, self._settings.name)
            if state is None or state.endpoint != self._settings.endpoint:
                return []
            self._yield_to_harvest(leases.is_free(connection, leases.lease_name(state.name)))
            runs.prune(connection, state.id, KIND)  # a source may have a run every few minutes, for years
            good = runs.last_good(connection, state.name)
            if good is not None:
                refresh_requests.forget_seen(connection, state.id, int(good.started.timestamp()))
            return refresh_requests.list_oldest(connection, state.id, limit=limit)

    def _round(self, work: HarvestContext, requests: list[RefreshRequest], end: float) -> None:
        work.client.escape_fully = bool(work.identity.get("escape_fully", True))
        rules = self._robots.rules(self._settings.url)
        for request in requests:
            if self._monotonic() >= end or not self._one(work, request, rules):
                break
            work.tally()
            work.show()

    def _one(self, work: HarvestContext, request: RefreshRequest, rules: RobotsRules) -> bool:
        """Process one request; return False if there is no point in going on."""
        self._stopper.check()
        if not self._is_allowed(work, request, rules):
            return False
        try:
            found = self._fetch(work, request, rules)
        except Unreachable as exc:  # perhaps only this record fails: it goes to the end of the queue
            self._settle(work, request, str(exc))
            raise
        self._store_found(work, request, found)
        if self._failures < MAX_FAILURES:
            return True
        work.note("upstream", f"{self._failures} records in a row could not be had", weight=Severity.FATAL)
        return False

    def _is_allowed(self, work: HarvestContext, request: RefreshRequest, rules: RobotsRules) -> bool:
        wanted = record_request(request.identifier, prefix=self._settings.formats[0])
        if rules.allows(work.client.address(wanted)):
            return True
        words = "the robots.txt of the source does not allow it to be asked; nothing was refreshed"
        work.note(ROBOTS, words)
        with self._store.writing() as connection:
            refresh_requests.settle_all(connection, work.source.id, ROBOTS, now=self._seconds())
        return False

    def _fetch(
        self, work: HarvestContext, request: RefreshRequest, rules: RobotsRules
    ) -> RefreshAnswer | None:
        """Request the record in each format of the source; None if the source does not have it."""
        found: RefreshAnswer = []
        for prefix in self._settings.formats:
            if rules.delay_seconds > self._settings.delay and work.client.traffic.requests:
                self._stopper.sleep(rules.delay_seconds)
            came = fetch_record(work, request.identifier, prefix, failures=MAX_UNREACHABLE)
            if came is None:
                return None
            found.append((prefix, came))
        return found

    def _store_found(
        self, work: HarvestContext, request: RefreshRequest, found: RefreshAnswer | None
    ) -> None:
        rejects = [came for _, came in found or () if isinstance(came, Reject)]
        outcome = ABSENT if found is None else f"{REFUSED}: {rejects[0].reason}" if rejects else FETCHED
        self._failures = self._failures + 1 if rejects else 0
        work.start_afresh()
        with work.storing() as connection:
            self._yield_to_harvest(leases.is_free(connection, leases.lease_name(work.name)))
            if not refresh_requests.is_unchanged(connection, request):
                outcome, found = OVERTAKEN, None
            for prefix, came in found or ():
                bad = [came] if isinstance(came, Reject) and came.raw else []
                work.put(connection, prefix, came if isinstance(came, list) else [], bad)
                work.counters.pages += 1
            refresh_requests.settle(connection, request.record_id, outcome, now=self._seconds())
        self._outcomes[outcome.partition(":")[0]] += 1
        for reject in rejects:
            work.note(REFUSED, f"{request.identifier} could not be had: {reject.reason}")

    def _settle(self, work: HarvestContext, request: RefreshRequest, outcome: str) -> None:
        with work.store.writing() as connection:
            refresh_requests.settle(connection, request.record_id, outcome, now=self._seconds())

    def _yield_to_harvest(self, is_free: bool) -> None:
        if not is_free:
            raise SourceBusy(f"{self._settings.name} is being worked on; its records are refreshed later")

    def _sum_up(self, work: HarvestContext) -> None:
        work.tally()
        for outcome, words in _WORDS.items():
            if self._outcomes[outcome]:
                work.note(outcome, words.format(self._outcomes[outcome]), weight=Severity.NOTE)

    def _seconds(self) -> int:
        return int(self._now().timestamp())


# Refreshes run while the library is served, in rounds for each source that has requests. Failures extend the
# pause of a source each time; a robots.txt that forbids the requests pauses it for a day.

# between two rounds of a source, so that requests accumulate and the list of runs stays short
ROUND_SECONDS = 300.0
BUSY_SECONDS = 60.0
ROBOTS_SECONDS = 24 * 3600.0
_MAX_PAUSE_SECONDS = 6 * 3600.0

log = logging.getLogger("windrow.refresh")


class RefreshScheduler:
    """Schedules the rounds of all sources, for one thread.

    `waiting` returns the sources with waiting requests, `refresh` runs one round of a source.
    """

    def __init__(
        self,
        waiting: Callable[[], Collection[str]],
        refresh: Callable[[str], Run | None],
        *,
        stop: Event,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._waiting = waiting
        self._refresh = refresh
        self._stop = stop
        self._monotonic = monotonic
        self._not_before: dict[str, float] = {}
        self._pauses: dict[str, float] = {}  # the last pause of each source that failed

    def run_due(self) -> None:
        """Run a round of each source that has waiting requests and is due."""
        for source in self._waiting():
            if self._stop.is_set():
                return
            if self._monotonic() >= self._not_before.get(source, 0.0):
                pause = self._round(source)
                self._not_before[source] = self._monotonic() + pause

    def _round(self, source: str) -> float:
        """Run one round; return the pause for the source in seconds."""
        try:
            run = self._refresh(source)
        except Interrupted:
            return 0.0
        except SourceBusy:
            return BUSY_SECONDS
        except WindrowError as exc:
            log.warning("%s was not refreshed: %s %s", source, exc, exc.hint)
            return self._longer(source)
        except Exception:
            log.exception("%s was not refreshed", source)
            return self._longer(source)
        return self._pause_after(source, run)

    def _pause_after(self, source: str, run: Run | None) -> float:
        if run is None:  # the requests were obsolete, or wait for a harvest
            return BUSY_SECONDS
        words = "; ".join(problem.message for problem in run.problems)
        log.info("%s: %s, %d records refreshed %s", source, run.outcome, run.counters.seen, words)
        if any(problem.code == ROBOTS for problem in run.problems):
            return ROBOTS_SECONDS
        if run.outcome in (Outcome.FAILED, Outcome.SKIPPED):
            return self._longer(source)
        self._pauses.pop(source, None)
        return ROUND_SECONDS

    def _longer(self, source: str) -> float:
        pause = min(self._pauses.get(source, ROUND_SECONDS / 2) * 2, _MAX_PAUSE_SECONDS)
        self._pauses[source] = pause
        return pause
