"""Stale records that somebody looked at, asked for again one by one: a round of one source, as a run.

A round gives way to whatever else is done with the source: each record is asked for first, and then stored
in a transaction that sees that nobody harvests and that the record is still as it was. So a round keeps no
harvest waiting, and cannot put something older in the place of what a harvest brought meanwhile.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path

from windrow.config.source_kinds import RepositorySettings
from windrow.errors import SourceBusy, Unreachable, UpstreamBusy, UpstreamError
from windrow.harvest.observer import Observer
from windrow.harvest.one_by_one import MAX_UNREACHABLE, fetch_record
from windrow.harvest.provider_robots import ProviderRobots
from windrow.harvest.run import describe, running, utc_now
from windrow.harvest.stopping import Stopper
from windrow.harvest.work import Work
from windrow.model.record import Record, Reject
from windrow.model.run import Run, Weight
from windrow.net.robots import Rules
from windrow.sources.oai import OaiClient
from windrow.store import leases, refreshes, runs, sources
from windrow.store.refreshes import Wish
from windrow.store.store import Store
from windrow.wire.oai.request import record_request

KIND = "refresh"
ROBOTS = "robots"  # the code of the problem that a provider's robots.txt is
MOST_A_ROUND = 200
LONGEST_ROUND_SECONDS = 120.0
MAX_FAILURES = 5  # records in a row that could not be had before the round is given up
# What can come of a wish.
FETCHED, ABSENT, REFUSED, OVERTAKEN = "fetched", "absent", "refused", "overtaken"
_WORDS = {
    ABSENT: "not there when asked for: {:,}; kept until a harvest says that they are gone",
    OVERTAKEN: "brought by a harvest meanwhile: {:,}",
}

Found = list[tuple[str, list[Record] | Reject]]  # by format


class Refresher:
    """Asks one source for its records that are wished for, with its manners and the longest waiting first."""

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

    def run(self, *, limit: int = MOST_A_ROUND, seconds: float = LONGEST_ROUND_SECONDS) -> Run | None:
        """Ask for what waits; give the run, None where nothing does. SourceBusy while others are at it."""
        try:
            wishes = self._wishes(limit)
            if not wishes:
                return None
            with running(
                self._store,
                self._settings,
                KIND,
                arguments={"records": len(wishes)},
                observer=self._observer,
                stopper=self._stopper,
                now=self._now,
            ) as attempt:
                work = Work.of(
                    attempt, self._settings, self._client, folder=self._folder, expected=len(wishes)
                )
                attempt.before_end = partial(self._sum_up, work)
                self._round(work, wishes, self._monotonic() + seconds)
        finally:
            self._client.close()
            self._robots.close()
        return attempt.run

    def _wishes(self, limit: int) -> list[Wish]:
        """What waits; first what a harvest has seen since is taken off the list.

        A source whose address is a new one is left to the next harvest, which begins anew there.
        """
        with self._store.writing() as connection:
            state = sources.find(connection, self._settings.name)
            if state is None or state.endpoint != self._settings.endpoint:
                return []
            self._give_way(leases.is_free(connection, leases.lease_name(state.name)))
            runs.prune(connection, state.id, KIND)  # there may be one every few minutes, for years
            good = runs.last_good(connection, state.name)
            if good is not None:
                refreshes.forget_seen(connection, state.id, int(good.started.timestamp()))
            return refreshes.oldest(connection, state.id, limit=limit)

    def _round(self, work: Work, wishes: list[Wish], end: float) -> None:
        work.client.escape_fully = bool(work.identity.get("escape_fully", True))
        try:
            rules = self._robots.rules(self._settings.url)
            for wished in wishes:
                if self._monotonic() >= end or not self._one(work, wished, rules):
                    break
                work.tally()
                work.show()
        except SourceBusy as exc:
            work.tell("busy", str(exc), weight=Weight.FATAL)
        except UpstreamError as exc:
            code = "busy" if isinstance(exc, UpstreamBusy) else "upstream"
            work.tell(code, describe(exc), weight=Weight.FATAL)

    def _one(self, work: Work, wished: Wish, rules: Rules) -> bool:
        """See to one wish; False where there is no point in going on."""
        self._stopper.check()
        if not self._is_allowed(work, wished, rules):
            return False
        try:
            found = self._fetch(work, wished, rules)
        except Unreachable as exc:  # perhaps it is this record: it goes to the end of the line
            self._settle(work, wished, str(exc))
            raise
        self._store_found(work, wished, found)
        if self._failures < MAX_FAILURES:
            return True
        work.tell("upstream", f"{self._failures} records in a row could not be had", weight=Weight.FATAL)
        return False

    def _is_allowed(self, work: Work, wished: Wish, rules: Rules) -> bool:
        request = record_request(wished.identifier, prefix=self._settings.formats[0])
        if rules.allows(work.client.address(request)):
            return True
        words = "the robots.txt of the source does not allow it to be asked; nothing was refreshed"
        work.tell(ROBOTS, words)
        with self._store.writing() as connection:
            refreshes.settle_all(connection, work.source.id, ROBOTS, now=self._seconds())
        return False

    def _fetch(self, work: Work, wished: Wish, rules: Rules) -> Found | None:
        """Ask for the record in each format of the source; None where the source does not have it."""
        found: Found = []
        for prefix in self._settings.formats:
            if rules.delay_seconds > self._settings.delay and work.client.traffic.requests:
                self._stopper.sleep(rules.delay_seconds)
            came = fetch_record(work, wished.identifier, prefix, failures=MAX_UNREACHABLE)
            if came is None:
                return None
            found.append((prefix, came))
        return found

    def _store_found(self, work: Work, wished: Wish, found: Found | None) -> None:
        rejects = [came for _, came in found or () if isinstance(came, Reject)]
        outcome = ABSENT if found is None else f"{REFUSED}: {rejects[0].reason}" if rejects else FETCHED
        self._failures = self._failures + 1 if rejects else 0
        work.start_afresh()
        with work.storing() as connection:
            self._give_way(leases.is_free(connection, leases.lease_name(work.name)))
            if not refreshes.is_unchanged(connection, wished):
                outcome, found = OVERTAKEN, None
            for prefix, came in found or ():
                bad = [came] if isinstance(came, Reject) and came.raw else []
                work.put(connection, prefix, came if isinstance(came, list) else [], bad)
                work.counters.pages += 1
            refreshes.settle(connection, wished.record_id, outcome, now=self._seconds())
        self._outcomes[outcome.partition(":")[0]] += 1
        for reject in rejects:
            work.tell(REFUSED, f"{wished.identifier} could not be had: {reject.reason}")

    def _settle(self, work: Work, wished: Wish, outcome: str) -> None:
        with work.store.writing() as connection:
            refreshes.settle(connection, wished.record_id, outcome, now=self._seconds())

    def _give_way(self, is_free: bool) -> None:
        if not is_free:
            raise SourceBusy(f"{self._settings.name} is being worked on; its records are refreshed later")

    def _sum_up(self, work: Work) -> None:
        work.tally()
        for outcome, words in _WORDS.items():
            if self._outcomes[outcome]:
                work.tell(outcome, words.format(self._outcomes[outcome]), weight=Weight.NOTE)

    def _seconds(self) -> int:
        return int(self._now().timestamp())
