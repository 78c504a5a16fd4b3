"""The status pages: sources with runs, quarantine and gaps; jobs; visits; state of the index.

`/status` is public, and is meant for those who provide the data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Protocol, runtime_checkable
from urllib.parse import quote

from windrow.config.schema import Config, SourceSettings
from windrow.config.source_kinds import kind_of
from windrow.index.checks import GapCounts
from windrow.index.generations import PinnedGeneration
from windrow.index.protocol import FacetRequest, Index
from windrow.model.field_gaps import DATE, PERSON, TITLE, Gap
from windrow.model.query import Everything, Value
from windrow.model.run import Problem, Run
from windrow.search.record_addresses import record_path
from windrow.store import runs, sources, visit_counts
from windrow.store.harvests import quarantine_cases
from windrow.store.harvests.quarantine_cases import QuarantineCase
from windrow.store.overview import (
    ListProgress,
    SourceOverview,
    list_overviews,
    outcome_word,
    read_list_progress,
)
from windrow.store.store import Store
from windrow.store.visit_counts import CRAWLER, SEARCH, VisitCount
from windrow.web.http.http_request import HttpRefusal, Request
from windrow.web.http.http_response import Response
from windrow.web.i18n.translation import message
from windrow.web.job_status import job_statuses, next_harvests
from windrow.web.layout.page_layout import PageLayout, render_page
from windrow.web.portal.portal_context import PortalContext, ShownFact

MAX_RUNS = 10  # shown on the page of a source
_MAX_SOURCES = 10_000
_UNASSIGNED = Value("institution", "missing")
MAX_CASES = 1000  # examined for their reasons
MAX_REASONS = 10


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A source in the list."""

    known: SourceOverview
    indexed: int  # records found by search
    is_enabled: bool
    is_configured: bool
    unassigned: int = 0  # records found by search without an institution
    gaps: tuple[Gap, ...] = ()  # fields missing from an unusual share of its records


@dataclass(frozen=True, slots=True)
class SourcePortrait:
    """The page of one source."""

    line: SourceLine
    url: str
    formats: Mapping[str, int]
    sets: int
    lists: tuple[ListProgress, ...]
    runs: tuple[tuple[Run, str], ...]
    problems: tuple[Problem, ...]  # of the last run
    reasons: tuple[tuple[str, int], ...]  # why records are in quarantine


def list_sources(
    store: Store, config: Config, index: Index, gaps: Mapping[str, tuple[Gap, ...]]
) -> list[SourceLine]:
    """Return all current and former sources, by name."""
    (counts,) = index.tally(Everything(), [FacetRequest("source", _MAX_SOURCES)])
    indexed = {each.value: each.count for each in counts.values}
    (lacking,) = index.tally(_UNASSIGNED, [FacetRequest("source", _MAX_SOURCES)])
    unassigned = {each.value: each.count for each in lacking.values}
    return [
        _source_line(
            known,
            config.sources.get(known.name),
            indexed.get(known.name, 0),
            unassigned=unassigned.get(known.name, 0),
            gaps=gaps.get(known.name, ()),
        )
        for known in list_overviews(store, config.sources)
    ]


def portray_source(
    store: Store, config: Config, index: Index, name: str, gaps: Mapping[str, tuple[Gap, ...]]
) -> SourcePortrait | None:
    """Return one source; None for an unknown name."""
    line = next((each for each in list_sources(store, config, index, gaps) if each.known.name == name), None)
    if line is None:
        return None
    settings = config.sources.get(name)
    url = settings.url if settings else line.known.url
    with store.reading() as connection:
        state = sources.find(connection, name)
        if state is None:
            return SourcePortrait(line, url, {}, 0, (), (), (), ())
        key = ("payloads", state.id)
        held = store.counts.get(connection, key, lambda: sources.count_payloads(connection, state.id))
        latest = runs.latest(connection, source=name, limit=MAX_RUNS)
        last = runs.get(connection, line.known.last.id) if line.known.last else None
        waiting = quarantine_cases.list_cases(connection, source=name, limit=MAX_CASES)
        return SourcePortrait(
            line,
            url,
            held,
            sources.count_sets(connection, state.id),
            tuple(read_list_progress(connection, state.id, _listed_sets(settings))),
            tuple((run, outcome_word(connection, run)) for run in latest),
            last.problems if last else (),
            tuple(Counter(_case_reasons(waiting)).most_common(MAX_REASONS)),
        )


def _case_reasons(waiting: Iterable[QuarantineCase]) -> Iterator[str]:
    """Return the reason of each case; once for a record with the same reason in several formats."""
    for _, reason in {(case.identifier or case.id, case.reason): None for case in waiting}:
        yield reason


def _source_line(
    known: SourceOverview,
    settings: SourceSettings | None,
    indexed: int,
    *,
    unassigned: int,
    gaps: tuple[Gap, ...],
) -> SourceLine:
    is_enabled = settings is not None and settings.enabled
    return SourceLine(known, indexed, is_enabled, settings is not None, unassigned, gaps)


def _listed_sets(settings: SourceSettings | None) -> list[tuple[str, str]]:
    if settings is None or not kind_of(settings).is_repository:
        return []
    return list(settings.lists)


DAYS_SHOWN = 30
WEEK_DAYS = 7
FAMILY_COLUMNS = 5  # families with a column of their own in the table of days


@dataclass(frozen=True, slots=True)
class VisitorFamily:
    """The number of visits of a family."""

    name: str
    today: int
    week: int
    month: int


@dataclass(frozen=True, slots=True)
class VisitDay:
    """Visits on one day: families with columns, other crawlers, all crawlers, search engines."""

    day: date
    families: tuple[int, ...]
    others: int
    crawlers: int
    searches: int


@dataclass(frozen=True, slots=True)
class VisitSummary:
    """Visits of the last days; lists are in descending order of frequency."""

    crawlers: Sequence[VisitorFamily]
    engines: Sequence[VisitorFamily]
    columns: Sequence[str]  # the names of the families in `days`
    days: Sequence[VisitDay]  # from today back to the first day with visits

    @property
    def all_crawlers(self) -> VisitorFamily:
        return _sum_families(self.crawlers)

    @property
    def all_engines(self) -> VisitorFamily:
        return _sum_families(self.engines)


def summarise_visits(store: Store) -> VisitSummary:
    """Return the visits of the last days including today, in UTC."""
    today = datetime.fromtimestamp(store.clock(), UTC).date()
    with store.reading() as connection:
        counted = visit_counts.since(connection, (today - timedelta(days=DAYS_SHOWN - 1)).isoformat())
    crawlers = _visitor_families([each for each in counted if each.kind == CRAWLER], today)
    engines = _visitor_families([each for each in counted if each.kind == SEARCH], today)
    columns = [family.name for family in crawlers[:FAMILY_COLUMNS]]
    return VisitSummary(crawlers, engines, columns, _visit_days(counted, columns, today))


def _visitor_families(counted: Sequence[VisitCount], today: date) -> list[VisitorFamily]:
    month = _by_family(counted)
    week = _by_family(each for each in counted if _age_days(each, today) < WEEK_DAYS)
    this = _by_family(each for each in counted if _age_days(each, today) == 0)
    ordered = sorted(month, key=lambda name: (-month[name], name))
    return [VisitorFamily(name, this[name], week[name], month[name]) for name in ordered]


def _visit_days(counted: Sequence[VisitCount], columns: Sequence[str], today: date) -> list[VisitDay]:
    if not counted:
        return []
    length = max(_age_days(each, today) for each in counted) + 1
    by_day: dict[str, list[VisitCount]] = {}
    for each in counted:
        by_day.setdefault(each.day, []).append(each)
    dates = (today - timedelta(days=age) for age in range(length))
    return [_visit_day(each, by_day.get(each.isoformat(), []), columns) for each in dates]


def _visit_day(day: date, counted: Sequence[VisitCount], columns: Sequence[str]) -> VisitDay:
    families = _by_family(each for each in counted if each.kind == CRAWLER)
    shown = tuple(families[name] for name in columns)
    total = families.total()
    searches = sum(each.count for each in counted if each.kind == SEARCH)
    return VisitDay(day, shown, total - sum(shown), total, searches)


def _by_family(counted: Iterable[VisitCount]) -> Counter[str]:
    sums: Counter[str] = Counter()
    for each in counted:
        sums[each.family] += each.count
    return sums


def _age_days(counted: VisitCount, today: date) -> int:
    """Return the age in days; 0 for the future, which a clock that was set back leaves behind."""
    return max(0, (today - date.fromisoformat(counted.day)).days)


def _sum_families(families: Sequence[VisitorFamily]) -> VisitorFamily:
    return VisitorFamily(
        "",
        sum(each.today for each in families),
        sum(each.week for each in families),
        sum(each.month for each in families),
    )


# An index can be pinned to an older generation; `/status` reports that, and since when.


@runtime_checkable
class _PinnableIndex(Protocol):
    """An index whose generation can be pinned."""

    @property
    def hold(self) -> PinnedGeneration | None:
        """Return the pin, with its time; None if there is none."""


def pinned_since(index: Index) -> datetime | None:
    """Return since when the index has been pinned; None if it follows the library."""
    hold = index.hold if isinstance(index, _PinnableIndex) else None
    if hold is None:
        return None
    try:
        found = datetime.fromisoformat(hold.since)
    except ValueError:  # edited by hand: the index is pinned all the same
        return datetime.fromtimestamp(0, UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


# If another version of Windrow has rebuilt the index, `/status` reports that, and what to do.


@runtime_checkable
class _FollowedIndex(Protocol):
    """An index that processes of other versions may rebuild."""

    @property
    def is_overtaken(self) -> bool:
        """Return whether one has, since this process started."""

    @property
    def has_other_settings(self) -> bool:
        """Return whether it was rebuilt with settings that this process has not read."""


def is_overtaken(index: Index) -> bool:
    """Return whether this process must be restarted: another version has rebuilt the index."""
    return isinstance(index, _FollowedIndex) and index.is_overtaken


def has_other_settings(index: Index) -> bool:
    """Return whether the settings differ, rather than the version."""
    return isinstance(index, _FollowedIndex) and index.has_other_settings


# The label of an outcome, and its explanation.
OUTCOMES: Mapping[str, tuple[str, str]] = {
    "ok": (message("ok"), message("Everything came as it should.")),
    "partial": (message("partial"), message("It came, but something was repaired, left out or not checked.")),
    "failed": (message("failed"), message("It could not be harvested. What was there before is kept.")),
    "skipped": (
        message("skipped"),
        message("It asked to be left alone for a while; the next run tries again."),
    ),
    "interrupted": (message("interrupted"), message("Somebody stopped it; the next run goes on from there.")),
    "running": (message("running"), message("It is being harvested at this moment.")),
    "killed": (message("killed"), message("The run ended without a word; the next one goes on from there.")),
    "never": (message("never"), message("It was not harvested yet.")),
}
RUN_KINDS: Mapping[str, str] = {
    "harvest": message("harvest"),
    "reconcile": message("reconcile"),
    "retry": message("retry"),
    "rebuild": message("rebuild"),
    "refresh": message("refresh"),
    "merge": message("merging"),
    "drop": message("dropping"),
    "hide": message("hiding"),
}

# What an unusual share of a source's records lacks.
MISSING_FIELD_MESSAGES: Mapping[str, str] = {
    TITLE: message("{percent} % of the records have no title"),
    DATE: message("{percent} % of the records have no date"),
    PERSON: message("{percent} % of the records have no person"),
}


MAX_FACTS = 2  # shown in the list; the page of a source has them all


class StatusView:
    """The view of `/status` and `/status/SOURCE`."""

    def __init__(self, room: PortalContext) -> None:
        self._room = room
        self._gaps = GapCounts()

    def __call__(self, request: Request, rest: str) -> Response:
        name = rest.strip("/")
        frame = self._room.frames.frame(request)
        return self._one(frame, name) if name else self._all(frame)

    def _all(self, frame: PageLayout) -> Response:
        room = self._room
        jobs = job_statuses(room.store, room.config)
        return render_page(
            frame,
            "portal/status.html",
            title=frame.tongue.say("Where the records come from"),
            canonical="/status",
            facts=self._facts_of_all(frame),
            lines=list_sources(room.store, room.config, room.index, self._gaps.of(room.index, room.config)),
            jobs=jobs,
            next_harvests=next_harvests(jobs),
            coming=summarise_visits(room.store),
            held_since=pinned_since(room.index),
            is_overtaken=is_overtaken(room.index),
            has_other_settings=has_other_settings(room.index),
            outcomes=OUTCOMES,
            ways=self._room.ways(frame),
            lacking=MISSING_FIELD_MESSAGES,
        )

    def _facts_of_all(self, frame: PageLayout) -> dict[str, list[ShownFact]]:
        found = {name: self._room.source_facts(name)[:MAX_FACTS] for name in self._room.config.sources}
        return {name: [fact.shown(frame.tongue) for fact in facts] for name, facts in found.items() if facts}

    def _one(self, frame: PageLayout, name: str) -> Response:
        room = self._room
        found = portray_source(
            room.store, room.config, room.index, name, self._gaps.of(room.index, room.config)
        )
        if found is None:
            raise HttpRefusal(404, "There is no such source.")
        return render_page(
            frame,
            "portal/source.html",
            title=found.line.known.title or name,
            canonical=f"/status/{quote(name)}",
            source=found,
            facts=[fact.shown(frame.tongue) for fact in room.source_facts(name)],
            is_whole=_is_complete(found),
            record_path=record_path,
            next_harvest=next_harvests(job_statuses(room.store, room.config)).get(name),
            outcomes=OUTCOMES,
            kinds=RUN_KINDS,
            lacking=MISSING_FIELD_MESSAGES,
            ways=self._room.ways(frame),
        )


def _is_complete(found: SourcePortrait) -> bool:
    """Return whether every list was harvested to its end, and none is unfinished."""
    return all(each.next_from is not None and not each.unfinished for each in found.lists)
