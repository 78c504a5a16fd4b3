"""A harvest of an OAI-PMH repository: its lists, and what hangs on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from functools import partial
from pathlib import Path

from windrow.config.source_kinds import RepositorySettings
from windrow.harvest.completeness import ask_back, check_list
from windrow.harvest.ending import ListFailed, is_fatal
from windrow.harvest.identity import learn_identity, note_address
from windrow.harvest.lists import ListHarvest
from windrow.harvest.observer import Observer
from windrow.harvest.options import HarvestOptions
from windrow.harvest.quarantine import ask_again, report_waiting, settle_unmet
from windrow.harvest.reconcile import is_due, reconcile
from windrow.harvest.run import code_of, running, utc_now
from windrow.harvest.set_names import learn_set_names
from windrow.harvest.stopping import Stopper
from windrow.harvest.work import Work
from windrow.model.run import Outcome, Run, Weight
from windrow.sources.oai import OaiClient
from windrow.store import checkpoints, sources
from windrow.store.connection import Connection
from windrow.store.store import Store


class Runner:
    """Harvests one source once."""

    def __init__(
        self,
        settings: RepositorySettings,
        *,
        folder: Path,
        store: Store,
        client: OaiClient,
        observer: Observer,
        stopper: Stopper,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._settings = settings
        self._folder = folder
        self._store = store
        self._client = client
        self._observer = observer
        self._stopper = stopper
        self._now = now

    def run(self, options: HarvestOptions) -> Run:
        """Harvest; return the run as the store remembers it. Raises only what concerns the library itself."""
        try:
            arguments = {key: value for key, value in asdict(options).items() if value}
            with running(
                self._store,
                self._settings,
                "harvest",
                arguments=arguments,
                observer=self._observer,
                stopper=self._stopper,
                now=self._now,
            ) as attempt:
                work = Work.of(attempt, self._settings, self._client, folder=self._folder, options=options)
                attempt.before_end = partial(self._sum_up, work)
                attempt.at_end = partial(self._close, work)
                _note_move(work)
                attempt.check()
                learn_identity(work)
                self._lists(work)
        finally:
            self._client.close()
        if attempt.run.outcome is not Outcome.SKIPPED:
            self._store.settle()
        return attempt.run

    def _lists(self, work: Work) -> None:
        """Harvest every list, then what hangs on them. One list that fails leaves the others be."""
        prefixes = work.options.formats or work.settings.formats
        specs = work.options.sets or work.settings.sets
        failed: list[tuple[str, ListFailed]] = []
        harvested = [
            prefix for prefix in prefixes for spec in specs or ("",) if self._list(work, prefix, spec, failed)
        ]
        for label, failure in failed:
            weight = Weight.PROBLEM if harvested else Weight.FATAL
            work.tell(code_of(failure.cause), f"{label}: {failure}", weight=weight)
        if not harvested or work.options.is_adhoc:
            return
        learn_set_names(work)
        ask_again(work, prefixes)
        report_waiting(work, prefixes)
        if not failed:
            ask_back(work, prefixes, specs)
            self._compare(work, prefixes, specs)

    def _lists_of(self, work: Work) -> list[tuple[str, str]]:
        prefixes = work.options.formats or work.settings.formats
        specs = work.options.sets or work.settings.sets or ("",)
        return [(prefix, spec) for prefix in prefixes for spec in specs]

    def _list(self, work: Work, prefix: str, spec: str, failed: list[tuple[str, ListFailed]]) -> bool:
        label = f"{prefix} {spec}".strip()
        self._observer.started(work.name, label)
        harvest = ListHarvest(work, prefix, spec)
        try:
            harvest.run()
            check_list(work, harvest)
            harvest.finish()
        except ListFailed as failure:
            if is_fatal(failure.cause) and failure.cause is not None:
                raise failure.cause from failure
            failed.append((label, failure))
            return False
        if harvest.is_whole and not spec:
            settle_unmet(work, prefix)
        if harvest.is_resumed:
            self._list(work, prefix, spec, failed)  # what is new since the earlier run began
        return True

    def _compare(self, work: Work, prefixes: tuple[str, ...], specs: tuple[str, ...]) -> None:
        if is_due(work):
            reconcile(work, prefixes, specs)
        elif work.source.reconciled_at is None:
            with self._store.writing() as connection:
                sources.note(connection, work.source.id, reconciled_at=self._now())

    def _sum_up(self, work: Work) -> None:
        """Note what is known only at the end."""
        work.tally()
        note_address(work)
        _note_gaps(work)
        if work.client.escape_fully is False and work.identity.get("escape_fully") is not False:
            work.learn(escape_fully=False)

    def _close(self, work: Work, connection: Connection) -> None:
        """Close what has been settled, in the transaction that ends the run."""
        for prefix in work.options.formats or work.settings.formats:
            work.close_cases(connection, prefix)
        for prefix, spec in set(self._lists_of(work)) - set(work.settings.lists):
            # Asked for this once: no configured harvest would ever go on with it.
            checkpoints.discard_untouched(connection, work.source.id, prefix, spec)


def _note_move(work: Work) -> None:
    """Report that the address is another one than before."""
    known, source = work.attempt.known, work.source
    if known is None or known.endpoint == source.endpoint:
        return
    before = known.url if known.url != source.url else "the same with other secret parameters"
    words = f"the address was {before}; everything is harvested anew from {source.url}"
    if sources.is_same_repository(known, source.endpoint):
        words = f"the address was {before} and is {source.url} now; harvests go on where they were"
    work.tell("moved", words, weight=Weight.NOTE)


def _note_gaps(work: Work) -> None:
    """Report the fields that an unusual share of the records lacks."""
    for gap in work.samples.gaps():
        words = f"{gap.words()}; `windrow record show` shows what it says"
        work.tell(f"no-{gap.field}", words, weight=Weight.NOTE)
