"""One run of one source, from claim to outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path

from windrow.config.schema import SourceSettings
from windrow.errors import HttpRefused, Interrupted, UpstreamBusy, UpstreamError, WindrowError
from windrow.harvest.kept import Keeper
from windrow.harvest.listing import is_fatal
from windrow.harvest.lists import ListFailed, ListHarvest
from windrow.harvest.observer import Observer
from windrow.harvest.options import HarvestOptions
from windrow.harvest.reconcile import is_due, reconcile
from windrow.harvest.stopping import Stopper
from windrow.harvest.work import Work, describe, lease_name, utc_now
from windrow.model.run import Outcome, Problem, Run, Weight, judge
from windrow.sources.oai import OaiClient
from windrow.store import checkpoints, leases, quarantine, runs, sources
from windrow.store.sets import merge_duplicates, name_sets
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
        name = lease_name(self._settings.name)
        claim = leases.ourselves("windrow harvest")
        with self._store.writing() as connection:
            leases.take(connection, name, claim)
            source = sources.ensure(connection, self._settings.name, self._settings.url)
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
        try:
            is_interrupted = self._attempt(work)
            return self._end(work, is_interrupted=is_interrupted)
        finally:
            self._client.close()
            with self._store.writing() as connection:
                leases.release(connection, name, claim)

    def _attempt(self, work: Work) -> bool:
        """Do the stages; give True when somebody asked to stop."""
        try:
            self._identify(work)
            harvested = self._lists(work)
            if harvested and not work.options.is_adhoc:
                self._name_sets(work)
                self._compare(work, harvested)
        except Interrupted:
            return True
        except UpstreamError as exc:
            work.tell(_code(exc), describe(exc), weight=Weight.FATAL)
        return False

    def _identify(self, work: Work) -> None:
        """Ask what the repository says of itself, once. One that fails at that may still have records."""
        if work.identity.get("is_identified"):
            work.client.escape_fully = bool(work.identity.get("escape_fully", True))
            return
        self._observer.started(work.name, "Identify")
        try:
            identity = self._client.identify()
        except UpstreamError as exc:
            if is_fatal(exc) or (isinstance(exc, HttpRefused) and exc.status >= 500):
                raise
            work.tell("identify", f"Identify failed: {exc}", weight=Weight.NOTE)
            return
        facts = {key: value for key, value in asdict(identity).items() if key != "response_date"}
        work.learn(**facts, is_identified=True)

    def _lists(self, work: Work) -> list[str]:
        """Harvest every list; give the formats that came whole. One list that fails leaves the others be."""
        options, settings = work.options, work.settings
        failures: list[ListFailed] = []
        whole: list[str] = []
        wanted = [
            (prefix, spec)
            for prefix in options.formats or settings.formats
            for spec in options.sets or settings.sets or ("",)
        ]
        for prefix, spec in wanted:
            self._observer.started(work.name, f"{prefix} {spec}".strip())
            try:
                ListHarvest(work, prefix, spec).run(self._left_over(work, prefix, spec))
            except ListFailed as failure:
                if is_fatal(failure.cause) and failure.cause is not None:
                    raise failure.cause from failure
                failures.append(failure)
                work.tell(_code(failure.cause), f"{prefix} {spec}".strip() + f": {failure}")
            else:
                whole.append(prefix)
        if failures and not whole:
            work.problems = [_made_fatal(problem, failures) for problem in work.problems]
        return whole if not failures else []

    def _left_over(self, work: Work, prefix: str, spec: str) -> list[checkpoints.StoredWindow]:
        """What an earlier run left; a harvest of another kind starts anew."""
        with self._store.writing() as connection:
            left = checkpoints.left_over(connection, work.source.id, prefix, spec)
            if left and (work.options.is_full or work.options.is_adhoc):
                checkpoints.discard_list(connection, work.source.id, prefix, spec)
                return []
        if left and any(window.token for window in left):
            work.tell("resumed", "going on where an earlier run stopped", weight=Weight.NOTE)
        return left

    def _name_sets(self, work: Work) -> None:
        """Read ListSets when it never was, or when records are in sets without a name."""
        if work.source.sets_at is not None and not work.sets.unnamed and not work.options.is_full:
            return
        self._observer.started(work.name, "ListSets")
        try:
            listed = [(entry.spec, entry.name) for entry in self._client.sets()]
        except UpstreamError as exc:
            if getattr(exc, "code", "") != "noSetHierarchy":
                work.tell("sets", f"ListSets failed, so sets have no names: {exc}", weight=Weight.NOTE)
            listed = []
        with self._store.writing() as connection:
            name_sets(connection, work.source.id, listed)
            for spec, twin in merge_duplicates(connection, work.source.id):
                work.tell("set-twice", f"the set {spec} is {twin} listed again; they are one", weight=Weight.NOTE)
            sources.note(connection, work.source.id, sets_at=self._now())
        work.tally()

    def _compare(self, work: Work, harvested: list[str]) -> None:
        if is_due(work):
            reconcile(work, harvested[0], work.options.sets or work.settings.sets)
        elif work.source.reconciled_at is None:
            with self._store.writing() as connection:
                sources.note(connection, work.source.id, reconciled_at=self._now())

    def _end(self, work: Work, *, is_interrupted: bool) -> Run:
        """Write down how it went."""
        work.tally()
        if work.client.escape_fully is False and work.identity.get("escape_fully") is not False:
            work.learn(escape_fully=False)
        outcome = judge(work.problems, counters=work.counters, is_interrupted=is_interrupted)
        with self._store.writing() as connection:
            for prefix in work.options.formats or work.settings.formats:
                quarantine.resolve_stored(connection, work.source.id, work.run_id, prefix, now=self._now())
            runs.progress(connection, work.run_id, work.counters, work.claimed)
            runs.add_problems(connection, work.run_id, work.problems)
            runs.end(connection, work.run_id, outcome=outcome, now=self._now())
            run = runs.get(connection, work.run_id)
        assert run is not None
        if outcome is not Outcome.SKIPPED:
            self._store.settle()
        self._observer.ended(run)
        return run


def _code(exc: WindrowError | None) -> str:
    if isinstance(exc, UpstreamBusy):
        return "busy"
    return type(exc).__name__.lower() if exc is not None else "failed"


def _made_fatal(problem: Problem, failures: list[ListFailed]) -> Problem:
    is_failure = any(str(failure) in problem.message for failure in failures)
    return replace(problem, weight=Weight.FATAL) if is_failure else problem
