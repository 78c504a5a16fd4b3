"""The first request of each list, asked and looked at; nothing is stored. What `harvest --dry-run` shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from windrow.config.source_kinds import RepositorySettings
from windrow.errors import UpstreamError
from windrow.harvest import windows
from windrow.harvest.options import HarvestOptions
from windrow.harvest.refusals import is_recent
from windrow.harvest.run import describe, utc_now
from windrow.harvest.windows import Stretch
from windrow.model.stamp import Granularity, read_granularity
from windrow.sources.oai import OaiClient
from windrow.store import checkpoints, sources
from windrow.store.checkpoints import Cursor
from windrow.store.store import Store
from windrow.wire.oai.page import Page
from windrow.wire.oai.parse import parse_records
from windrow.wire.oai.request import Request, list_request


@dataclass(frozen=True, slots=True)
class Preview:
    """What one list would begin with."""

    source: str
    format: str
    spec: str
    url: str
    since: str | None
    until: str | None
    windows: int = 1
    is_resumed: bool = False  # an earlier run stopped on the way: the next one goes on there
    promised: int | None = None  # in the first window; None: the repository does not say
    page_size: int = 0
    has_more: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _Known:
    """What the library knows of a source before it asks."""

    earliest: str
    granularity: Granularity
    is_from_refused: bool = False  # requests with `from` failed lately: everything is asked for


def preview(
    settings: RepositorySettings, options: HarvestOptions, *, store: Store, client: OaiClient
) -> Iterator[Preview]:
    """Ask for the first page of each list of a source; give what came, one list after another."""
    known = _known(settings, store, client)
    for prefix in options.formats or settings.formats:
        for spec in options.sets or settings.sets or ("",):
            planned = _plan(settings, options, store, known, (prefix, spec))
            planned = replace(planned, url=client.address(_request(planned)))
            try:
                yield _ask(planned, client) if planned.windows else replace(planned, promised=0)
            except UpstreamError as exc:
                yield replace(planned, problem=describe(exc))


def _known(settings: RepositorySettings, store: Store, client: OaiClient) -> _Known:
    """What Identify said: last time, or now where there was no last time."""
    with store.reading() as connection:
        state = sources.find(connection, settings.name)
    identity = dict(state.identity) if state else {}
    if not identity.get("is_identified"):
        try:
            told = client.identify()
        except UpstreamError:  # the list may answer all the same; if not, that says why
            pass
        else:
            identity = {"earliest": told.earliest, "granularity": told.granularity}
    found = str(identity.get("negotiated") or identity.get("granularity") or "")
    if settings.granularity != "auto":
        found = settings.granularity
    is_ours = found in (Granularity.DAY.value, Granularity.SECOND.value)
    granularity = Granularity(found) if is_ours else read_granularity(found)
    is_refused = is_recent(identity, "from", now=utc_now())
    return _Known(str(identity.get("earliest", "")), granularity or Granularity.DAY, is_refused)


def _plan(
    settings: RepositorySettings, options: HarvestOptions, store: Store, known: _Known, key: tuple[str, str]
) -> Preview:
    prefix, spec = key
    cursor, left = _progress(settings, store, prefix, spec)
    is_anew = options.is_full or options.is_adhoc
    unfinished = [window for window in left if window.state != checkpoints.DONE] if not is_anew else []
    if unfinished:
        first = unfinished[0]
        return Preview(
            settings.name, prefix, spec, "", first.since, first.until, len(unfinished), is_resumed=True
        )
    since = options.since or settings.from_
    if cursor is not None and not is_anew:
        since = settings.from_ if known.is_from_refused else cursor.next_from or since
    stretches = windows.plan(
        settings.window if cursor is None or options.is_full else "none",
        windows.fit(Stretch(since, options.until or settings.until), known.granularity),
        earliest=known.earliest,
        now=utc_now(),
        granularity=known.granularity,
    )
    begin = stretches[0] if stretches else Stretch(since, options.until or settings.until)
    return Preview(settings.name, prefix, spec, "", begin.since, begin.until, len(stretches))


def _progress(
    settings: RepositorySettings, store: Store, prefix: str, spec: str
) -> tuple[Cursor | None, list[checkpoints.StoredWindow]]:
    with store.reading() as connection:
        state = sources.find(connection, settings.name)
        if state is None:
            return None, []
        cursor = checkpoints.cursor(connection, state.id, prefix, spec)
        return cursor, checkpoints.left_over(connection, state.id, prefix, spec)


def _request(planned: Preview) -> Request:
    return list_request(
        "ListRecords",
        prefix=planned.format,
        spec=planned.spec or None,
        since=planned.since,
        until=planned.until,
    )


def _ask(planned: Preview, client: OaiClient) -> Preview:
    page = parse_records(client.ask(_request(planned)).body)
    told = replace(planned, page_size=len(page.records) + len(page.rejects))
    for fault in page.faults:
        if fault.code == "noRecordsMatch":
            return replace(told, promised=0)
        return replace(told, problem=f"{fault.code}: {fault.text}".strip(": "))
    return replace(told, promised=_promised(page), has_more=bool(page.token and page.token.value))


def _promised(page: Page) -> int | None:
    if page.token is not None and page.token.size is not None:
        return page.token.size
    return None if page.token and page.token.value else len(page.records) + len(page.rejects)
