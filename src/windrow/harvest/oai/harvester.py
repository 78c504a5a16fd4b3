"""Harvest an OAI-PMH repository: its lists, then set names, quarantine retries and reconciliation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from windrow.config.source_kinds import RepositorySettings
from windrow.errors import UpstreamError
from windrow.harvest.oai import windows
from windrow.harvest.oai.capabilities import is_recent, learn_identity, learn_set_names, note_address
from windrow.harvest.oai.completeness import check_list, recheck_vanished
from windrow.harvest.oai.list_harvest import ListHarvest
from windrow.harvest.oai.page_chain import ListFailed, is_fatal
from windrow.harvest.oai.reconcile import is_due, reconcile
from windrow.harvest.oai.run_context import HarvestContext
from windrow.harvest.oai.windows import DateRange
from windrow.harvest.options import HarvestOptions, Observer, Stopper
from windrow.harvest.quarantine_retry import close_unmet_cases, report_open_cases, retry_quarantined
from windrow.harvest.run import describe, problem_code, running, utc_now
from windrow.model.record import Granularity, parse_granularity
from windrow.model.run import Outcome, Run, Severity
from windrow.protocols.oai.oai_page import Page
from windrow.protocols.oai.oai_request import Request, list_request
from windrow.protocols.oai.page_parser import parse_records
from windrow.sources.oai_client import OaiClient
from windrow.store import sources
from windrow.store.connection import Connection
from windrow.store.harvests import checkpoints
from windrow.store.harvests.checkpoints import Cursor
from windrow.store.store import Store


class Harvester:
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
        """Harvest and return the stored run. Raises only errors of the library itself."""
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
                work = HarvestContext.of(
                    attempt, self._settings, self._client, folder=self._folder, options=options
                )
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

    def _lists(self, work: HarvestContext) -> None:
        """Harvest every list, then do what depends on them. A list that fails does not stop the others."""
        prefixes = work.options.formats or work.settings.formats
        specs = work.options.sets or work.settings.sets
        failed: list[tuple[str, ListFailed]] = []
        harvested = [
            prefix for prefix in prefixes for spec in specs or ("",) if self._list(work, prefix, spec, failed)
        ]
        for label, failure in failed:
            weight = Severity.PROBLEM if harvested else Severity.FATAL
            work.note(problem_code(failure.cause), f"{label}: {failure}", weight=weight)
        if not harvested or work.options.is_adhoc:
            return
        learn_set_names(work)
        retry_quarantined(work, prefixes)
        report_open_cases(work, prefixes)
        if not failed:
            recheck_vanished(work, prefixes, specs)
            self._compare(work, prefixes, specs)

    def _lists_of(self, work: HarvestContext) -> list[tuple[str, str]]:
        prefixes = work.options.formats or work.settings.formats
        specs = work.options.sets or work.settings.sets or ("",)
        return [(prefix, spec) for prefix in prefixes for spec in specs]

    def _list(
        self, work: HarvestContext, prefix: str, spec: str, failed: list[tuple[str, ListFailed]]
    ) -> bool:
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
            close_unmet_cases(work, prefix)
        if harvest.is_resumed:
            self._list(work, prefix, spec, failed)  # fetch what is new since the earlier run started
        return True

    def _compare(self, work: HarvestContext, prefixes: tuple[str, ...], specs: tuple[str, ...]) -> None:
        if is_due(work):
            reconcile(work, prefixes, specs)
        elif work.source.reconciled_at is None:
            with self._store.writing() as connection:
                sources.note(connection, work.source.id, reconciled_at=self._now())

    def _sum_up(self, work: HarvestContext) -> None:
        work.tally()
        note_address(work)
        _note_gaps(work)
        if work.client.escape_fully is False and work.identity.get("escape_fully") is not False:
            work.learn(escape_fully=False)

    def _close(self, work: HarvestContext, connection: Connection) -> None:
        """Close settled cases, in the transaction that ends the run."""
        for prefix in work.options.formats or work.settings.formats:
            work.close_cases(connection, prefix)
        for prefix, spec in set(self._lists_of(work)) - set(work.settings.lists):
            # Requested only this once: no configured harvest would ever resume it.
            checkpoints.discard_untouched(connection, work.source.id, prefix, spec)


def _note_move(work: HarvestContext) -> None:
    """Report that the source has another address than before."""
    known, source = work.attempt.known, work.source
    if known is None or known.endpoint == source.endpoint:
        return
    before = known.url if known.url != source.url else "the same with other secret parameters"
    words = f"the address was {before}; everything is harvested anew from {source.url}"
    if sources.is_same_repository(known, source.endpoint):
        words = f"the address was {before} and is {source.url} now; harvests go on where they were"
    work.note("moved", words, weight=Severity.NOTE)


def _note_gaps(work: HarvestContext) -> None:
    for gap in work.samples.gaps():
        words = f"{gap.words()}; `windrow record show` shows what it says"
        work.note(f"no-{gap.field}", words, weight=Severity.NOTE)


# `harvest --dry-run`: request the first page of each list and store nothing.


@dataclass(frozen=True, slots=True)
class ListPreview:
    """The planned first request of one list, and what it returned."""

    source: str
    format: str
    spec: str
    url: str
    since: str | None
    until: str | None
    windows: int = 1
    is_resumed: bool = False  # an earlier run stopped midway, and the next one resumes there
    promised: int | None = None  # in the first window; None if the repository does not state it
    page_size: int = 0
    has_more: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _KnownRepository:
    """Facts about a repository that are available before the first request."""

    earliest: str
    granularity: Granularity
    is_from_refused: bool = False  # requests with `from` failed lately, so everything is requested


def preview_lists(
    settings: RepositorySettings, options: HarvestOptions, *, store: Store, client: OaiClient
) -> Iterator[ListPreview]:
    """Request the first page of each list of a source and yield a preview of each list."""
    known = _known_repository(settings, store, client)
    for prefix in options.formats or settings.formats:
        for spec in options.sets or settings.sets or ("",):
            planned = _plan(settings, options, store, known, (prefix, spec))
            planned = replace(planned, url=client.address(_request(planned)))
            try:
                yield _request_preview(planned, client) if planned.windows else replace(planned, promised=0)
            except UpstreamError as exc:
                yield replace(planned, problem=describe(exc))


def _known_repository(settings: RepositorySettings, store: Store, client: OaiClient) -> _KnownRepository:
    """Return the facts from Identify, as stored, or else requested now."""
    with store.reading() as connection:
        state = sources.find(connection, settings.name)
    identity = dict(state.identity) if state else {}
    if not identity.get("is_identified"):
        try:
            identified = client.identify()
        except UpstreamError:  # the list may work all the same; if not, its own error explains why
            pass
        else:
            identity = {"earliest": identified.earliest, "granularity": identified.granularity}
    found = str(identity.get("negotiated") or identity.get("granularity") or "")
    if settings.granularity != "auto":
        found = settings.granularity
    is_ours = found in (Granularity.DAY.value, Granularity.SECOND.value)
    granularity = Granularity(found) if is_ours else parse_granularity(found)
    is_refused = is_recent(identity, "from", now=utc_now())
    return _KnownRepository(str(identity.get("earliest", "")), granularity or Granularity.DAY, is_refused)


def _plan(
    settings: RepositorySettings,
    options: HarvestOptions,
    store: Store,
    known: _KnownRepository,
    key: tuple[str, str],
) -> ListPreview:
    prefix, spec = key
    cursor, left = _progress(settings, store, prefix, spec)
    is_anew = options.is_full or options.is_adhoc
    unfinished = [window for window in left if window.state != checkpoints.DONE] if not is_anew else []
    if unfinished:
        first = unfinished[0]
        return ListPreview(
            settings.name, prefix, spec, "", first.since, first.until, len(unfinished), is_resumed=True
        )
    since = options.since or settings.from_
    if cursor is not None and not is_anew:
        since = settings.from_ if known.is_from_refused else cursor.next_from or since
    stretches = windows.plan_windows(
        settings.window if cursor is None or options.is_full else "none",
        windows.fit_range(DateRange(since, options.until or settings.until), known.granularity),
        earliest=known.earliest,
        now=utc_now(),
        granularity=known.granularity,
    )
    begin = stretches[0] if stretches else DateRange(since, options.until or settings.until)
    return ListPreview(settings.name, prefix, spec, "", begin.since, begin.until, len(stretches))


def _progress(
    settings: RepositorySettings, store: Store, prefix: str, spec: str
) -> tuple[Cursor | None, list[checkpoints.StoredWindow]]:
    with store.reading() as connection:
        state = sources.find(connection, settings.name)
        if state is None:
            return None, []
        cursor = checkpoints.cursor(connection, state.id, prefix, spec)
        return cursor, checkpoints.find_unfinished(connection, state.id, prefix, spec)


def _request(planned: ListPreview) -> Request:
    return list_request(
        "ListRecords",
        prefix=planned.format,
        spec=planned.spec or None,
        since=planned.since,
        until=planned.until,
    )


def _request_preview(planned: ListPreview, client: OaiClient) -> ListPreview:
    page = parse_records(client.ask(_request(planned)).body)
    previewed = replace(planned, page_size=len(page.records) + len(page.rejects))
    for fault in page.faults:
        if fault.code == "noRecordsMatch":
            return replace(previewed, promised=0)
        return replace(previewed, problem=f"{fault.code}: {fault.text}".strip(": "))
    return replace(previewed, promised=_stated_size(page), has_more=bool(page.token and page.token.value))


def _stated_size(page: Page) -> int | None:
    if page.token is not None and page.token.size is not None:
        return page.token.size
    return None if page.token and page.token.value else len(page.records) + len(page.rejects)
