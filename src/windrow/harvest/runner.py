"""One run of one source, from claim to outcome."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from windrow.config.schema import SourceSettings
from windrow.errors import Interrupted, StoreError, UpstreamBusy, UpstreamError, WindrowError
from windrow.harvest.completeness import ask_back, check_list
from windrow.harvest.ending import ListFailed, is_fatal
from windrow.harvest.identity import learn_identity, note_address
from windrow.harvest.kept import Keeper
from windrow.harvest.lists import ListHarvest
from windrow.harvest.observer import Observer
from windrow.harvest.options import HarvestOptions
from windrow.harvest.quarantine import ask_again, settle_unmet
from windrow.harvest.reconcile import is_due, reconcile
from windrow.harvest.set_names import learn_set_names
from windrow.harvest.stopping import Stopper
from windrow.harvest.work import Work, describe, utc_now
from windrow.model.run import Outcome, Run, Weight, judge
from windrow.sources.oai import OaiClient
from windrow.store import checkpoints, leases, runs, sources
from windrow.store.store import Store


class Runner:
    """Harvests one source once."""

    def __init__(
        self,
        settings: SourceSettings,
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
        """Harvest; give the run as the store remembers it. Raises only what concerns the library itself."""
        name = leases.lease_name(self._settings.name)
        claim = leases.ourselves("windrow harvest")
        with self._store.writing() as connection:
            leases.take(connection, name, claim)
            known = sources.find(connection, self._settings.name)
            source = sources.ensure(
                connection, self._settings.name, self._settings.url, self._settings.endpoint
            )
            arguments = {key: value for key, value in asdict(options).items() if value}
            run_id = runs.start(connection, source.id, "harvest", now=self._now(), arguments=arguments)
        work = Work(
            settings=self._settings,
            options=options,
            store=self._store,
            client=self._client,
            source=source,
            run_id=run_id,
            keeper=Keeper(self._folder, run_id),
            observer=self._observer,
            stopper=self._stopper,
            now=self._now,
            identity=dict(source.identity),
        )
        if known is not None and known.endpoint != source.endpoint:
            before = known.url if known.url != source.url else "the same with other secret parameters"
            words = f"the address was {before}; everything is harvested anew from {source.url}"
            if sources.is_same_repository(known, source.endpoint):
                words = f"the address was {before} and is {source.url} now; harvests go on where they were"
            work.tell("moved", words, weight=Weight.NOTE)
        try:
            return self._guarded(work)
        finally:
            self._client.close()
            with suppress(StoreError), self._store.writing() as connection:
                leases.release(connection, name, claim)

    def _guarded(self, work: Work) -> Run:
        """Attempt it and write down how it went, whatever happens on the way."""
        try:
            return self._end(work, is_interrupted=self._attempt(work))
        except KeyboardInterrupt:
            self._abandon(work, Outcome.INTERRUPTED)
            raise
        except WindrowError:  # the library's own trouble, or a setting's: the person must hear of it
            self._abandon(work, Outcome.FAILED)
            raise
        except Exception as exc:  # noqa: BLE001 - the worker loop: one source's defect leaves the others be
            place = traceback.extract_tb(exc.__traceback__)[-1]
            words = f"{type(exc).__name__}: {exc} ({Path(place.filename).name}, line {place.lineno})"
            work.tell("unexpected", f"a defect of Windrow, please report it: {words}", weight=Weight.FATAL)
            return self._end(work, is_interrupted=False)

    def _attempt(self, work: Work) -> bool:
        """Do the stages; give True when somebody asked to stop."""
        try:
            self._stopper.check()
            learn_identity(work)
            self._lists(work)
        except Interrupted:
            return True
        except UpstreamError as exc:
            work.tell(_code(exc), describe(exc), weight=Weight.FATAL)
        return False

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
            work.tell(_code(failure.cause), f"{label}: {failure}", weight=weight)
        if not harvested or work.options.is_adhoc:
            return
        learn_set_names(work)
        ask_again(work, prefixes)
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
        return True

    def _compare(self, work: Work, prefixes: tuple[str, ...], specs: tuple[str, ...]) -> None:
        if is_due(work):
            reconcile(work, prefixes, specs)
        elif work.source.reconciled_at is None:
            with self._store.writing() as connection:
                sources.note(connection, work.source.id, reconciled_at=self._now())

    def _end(self, work: Work, *, is_interrupted: bool) -> Run:
        """Write down how it went."""
        work.tally()
        note_address(work)
        _note_gaps(work)
        if work.client.escape_fully is False and work.identity.get("escape_fully") is not False:
            work.learn(escape_fully=False)
        with self._store.writing() as connection:
            for prefix in work.options.formats or work.settings.formats:
                work.close_cases(connection, prefix)
            for prefix, spec in set(self._lists_of(work)) - set(work.settings.lists):
                # Asked for this once: no configured harvest would ever go on with it.
                checkpoints.discard_untouched(connection, work.source.id, prefix, spec)
            outcome = judge(work.told(), counters=work.counters, is_interrupted=is_interrupted)
            runs.progress(connection, work.run_id, work.counters, work.claimed)
            runs.add_problems(connection, work.run_id, work.told())
            runs.end(connection, work.run_id, outcome=outcome, now=self._now())
            run = runs.get(connection, work.run_id)
        assert run is not None
        if outcome is not Outcome.SKIPPED:
            self._store.settle()
        self._observer.ended(run)
        return run

    def _abandon(self, work: Work, outcome: Outcome) -> None:
        """Leave no run open behind an error on its way out, if the library still takes anything."""
        with suppress(StoreError), self._store.writing() as connection:
            runs.progress(connection, work.run_id, work.counters, work.claimed)
            runs.add_problems(connection, work.run_id, work.told())
            runs.end(connection, work.run_id, outcome=outcome, now=self._now())


def _note_gaps(work: Work) -> None:
    """Report the fields that an unusual share of the records lacks."""
    for gap in work.samples.gaps():
        words = f"{gap.words()}; `windrow record show` shows what it says"
        work.tell(f"no-{gap.field}", words, weight=Weight.NOTE)


def _code(exc: WindrowError | None) -> str:
    if isinstance(exc, UpstreamBusy):
        return "busy"
    return type(exc).__name__.lower() if exc is not None else "failed"
