"""What a repository supports: verbs it refuses or fails at, its identity, its set names and its dates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from shlex import quote

from windrow.config.network_values import MASK
from windrow.errors import HttpRefused, NotOai, OaiError, Unreachable, UpstreamBusy, UpstreamError
from windrow.harvest.oai.list_records import first_request
from windrow.harvest.oai.page_chain import WindowEnding, WindowResult, ask_interruptibly, is_fatal
from windrow.harvest.oai.run_context import HarvestContext
from windrow.harvest.oai.windows import DateRange
from windrow.model.record import Granularity
from windrow.model.run import Severity
from windrow.protocols.oai.page_parser import parse_page
from windrow.store import sources
from windrow.store.harvests.checkpoints import StoredWindow
from windrow.store.records.set_hierarchy import merge_duplicates, name_sets

# Verbs and arguments that a repository refuses or fails at are not tried in every harvest, but once a week.

SUSPENSION = timedelta(days=7)
_FAULT_STATUS = 500  # HTTP statuses from here on are faults that may be temporary


def is_suspended(work: HarvestContext, verb: str) -> bool:
    """Return whether this was refused lately. Full harvests try again in any case."""
    return not work.options.is_full and is_recent(work.identity, verb, now=work.now())


def is_recent(identity: Mapping[str, object], what: str, *, now: datetime) -> bool:
    """Return whether the repository refused or failed at a verb or an argument within the last week."""
    refused = identity.get(f"refused_{what}")
    return isinstance(refused, str) and now - datetime.fromisoformat(refused) < SUSPENSION


def note_refusal(work: HarvestContext, verb: str, error: UpstreamError) -> None:
    """Remember a refusal that will be the same tomorrow; temporary faults are ignored."""
    is_lasting = isinstance(error, OaiError | NotOai) or (
        isinstance(error, HttpRefused) and error.status < _FAULT_STATUS
    )
    if is_lasting:
        suspend_verb(work, verb)


FAILED = "failed_{}"  # identity key: the run in which a verb failed


def note_failure(work: HarvestContext, verb: str, error: UpstreamError) -> None:
    """Remember a refusal or failure; suspend the verb after failures in two runs, as retries take minutes."""
    note_refusal(work, verb, error)
    if isinstance(error, UpstreamBusy):
        return
    key = FAILED.format(verb)
    if work.identity.get(key) not in (None, work.run_id):
        suspend_verb(work, verb)
    work.learn(**{key: work.run_id})


def is_unavailable(work: HarvestContext, verb: str) -> bool:
    """Return whether this was refused lately, or has failed in this run."""
    return is_suspended(work, verb) or work.identity.get(FAILED.format(verb)) == work.run_id


def suspend_verb(work: HarvestContext, verb: str) -> None:
    work.learn(**{f"refused_{verb}": work.now().isoformat()})


# Identify is requested once, and again before a full harvest.


def learn_identity(work: HarvestContext) -> None:
    """Request Identify, unless it is known. A repository that fails at it may still have records."""
    work.client.escape_fully = bool(work.identity.get("escape_fully", True))
    if (work.identity.get("is_identified") and not work.options.is_full) or is_suspended(work, "Identify"):
        return
    work.observer.started(work.name, "Identify")
    try:
        identity = work.client.identify()
    except UpstreamError as exc:
        if is_fatal(exc):
            raise
        work.note("identify", f"Identify failed: {exc}", weight=Severity.NOTE)
        note_refusal(work, "Identify", exc)
        return
    facts = {key: value for key, value in asdict(identity).items() if key != "response_date"}
    if facts["granularity"] != work.identity.get("granularity"):
        facts["negotiated"] = None  # what was negotiated applied to the former statement
    work.learn(**facts, is_identified=True)


def note_address(work: HarvestContext) -> None:
    """Report that the repository has moved permanently, with the command that adopts its new address."""
    new = work.client.moved_to
    if new is None and not work.client.traffic.requests:
        return  # nothing was answered, so nothing is known
    if new != work.identity.get("moved_to"):
        work.learn(moved_to=new)
    if new is not None:
        words = (
            f"the repository has moved permanently to {new}; `{edit_command(work.name, new)}` takes that over"
        )
        work.note("moved-permanently", words, weight=Severity.NOTE)


def edit_command(name: str, url: str) -> str:
    """Return the command that changes a source's address; one with a secret must be filled in by hand."""
    return f"windrow source edit {name} --url {'URL' if MASK in url else quote(url)}"


# Set names come from ListSets, which is read once a week and when a record is in a set without a name.

SET_NAMES_MAX_AGE = timedelta(days=7)  # repositories rename their sets, which no record reveals


def learn_set_names(work: HarvestContext) -> None:
    """Request ListSets if it never answered, not within a week, or without a set that a record is in now."""
    asked = work.source.sets_at
    is_fresh = asked is not None and work.now() - asked < SET_NAMES_MAX_AGE
    if is_fresh and not work.groups.unnamed and not work.options.is_full:
        return
    if is_suspended(work, "ListSets"):
        return
    work.observer.started(work.name, "ListSets")
    listed, is_whole = _ask_sets(work)
    with work.store.writing() as connection:
        name_sets(connection, work.source.id, listed)
        twins = merge_duplicates(connection, work.source.id)
        if is_whole:
            sources.note(connection, work.source.id, sets_at=work.now())
    for spec, twin in twins:
        words = f"the set {spec} is {twin} listed again; they are one"
        work.note("set-twice", words, weight=Severity.NOTE)
    work.tally()


def _ask_sets(work: HarvestContext) -> tuple[list[tuple[str, str]], bool]:
    """Return the listed sets, and whether the list was complete."""
    listed: list[tuple[str, str]] = []

    def note_endless(reason: str) -> None:
        words = f"ListSets does not end ({reason}); it was read no further, so sets may lack their names"
        work.note("sets-endless", words, weight=Severity.NOTE)
        suspend_verb(work, "ListSets")

    try:
        for entry in work.client.sets(on_endless=note_endless):
            work.stopper.check()
            listed.append((entry.spec, entry.name))
    except UpstreamError as exc:
        if getattr(exc, "code", "") == "noSetHierarchy":
            return listed, True
        words = f"ListSets failed, so sets may lack their names: {exc}"
        work.note("sets", words, weight=Severity.NOTE)
        note_refusal(work, "ListSets", exc)
        return listed, False
    return listed, True


FROM, UNTIL = "from", "until"


class DateNegotiation:
    """Finds out which dates a repository accepts, and remembers that for later runs."""

    def __init__(self, work: HarvestContext) -> None:
        self._work = work
        self._is_tried = False
        self._worked: set[str] = set()  # arguments that were accepted in this run
        self._is_blamed = False  # requests without dates are answered, those with dates are not
        self._before: object = None

    def worked(self, stretch: DateRange) -> None:
        self._worked |= _arguments(stretch)

    def allowed(self, stretch: DateRange) -> DateRange:
        """Return the range without the arguments that the repository lately failed at."""
        since = None if self._may_drop(FROM) and is_suspended(self._work, FROM) else stretch.since
        until = None if self._may_drop(UNTIL) and is_suspended(self._work, UNTIL) else stretch.until
        return DateRange(since, until)

    def answer(
        self, result: WindowResult, window: StoredWindow, *, verb: str = "ListRecords"
    ) -> DateRange | None:
        """Return the range to request instead of the one refused; None if there is nothing else to try."""
        work = self._work
        stretch = DateRange(window.since, window.until)
        if not _arguments(stretch) - self._worked:
            return None
        is_failure = result.ending is WindowEnding.BROKEN
        if result.code != "badArgument" and not (is_failure and self._is_to_blame(result, window, verb)):
            return None
        if not self._is_tried and not self._worked and work.settings.granularity == "auto":
            self._flip(result)
            return stretch
        if self._is_tried and not self._worked:
            self._unflip()
        return self._without(result, window, verb) if self._is_blamed else self._dateless(result)

    def _dateless(self, result: WindowResult) -> DateRange | None:
        """Omit dates that the repository rejects with an error; that is cheap, so it is tried every time."""
        if not self._may_drop(FROM, UNTIL):
            return None
        words = f"{result.reason}; it takes no dates, so everything is asked for"
        self._work.note("no-dates", words, weight=Severity.NOTE)
        return DateRange(None, None)

    def _is_to_blame(self, result: WindowResult, window: StoredWindow, verb: str) -> bool:
        """Return whether requests fail because of these dates, while one without dates is answered.

        A server that is down fails at both, and a record that breaks its page leaves ListIdentifiers intact.
        """
        if self._is_blamed:
            return True
        if window.token or (isinstance(result.error, Unreachable) and not self._is_up()):
            return False
        if verb != "ListIdentifiers" and self._is_answered("ListIdentifiers", window):
            return False
        self._is_blamed = self._is_answered(verb, replace(window, since=None, until=None))
        return self._is_blamed

    def _is_up(self) -> bool:
        """Return whether the repository answers Identify, as it does if only this query never ends."""
        try:
            self._work.client.identify()
        except UpstreamBusy:
            raise
        except UpstreamError as exc:
            return not isinstance(exc, Unreachable)
        return True

    def _without(self, result: WindowResult, window: StoredWindow, verb: str) -> DateRange | None:
        """Omit `until` alone if that helps, else both, and remember that: the search costs many requests."""
        work = self._work
        failed, offered = _arguments(DateRange(window.since, window.until)), DateRange(None, None)
        if failed == {FROM, UNTIL} and self._may_drop(UNTIL):
            open_ended = replace(window, until=None)
            if self._is_answered(verb, open_ended):
                failed, offered = {UNTIL}, DateRange(window.since, None)
        names = " and ".join(f"`{name}`" for name in sorted(failed))
        if not self._may_drop(*failed):
            words = f"requests with {names} fail here, those without are answered: harvest it without dates"
            work.note("dates-fail", words, weight=Severity.NOTE)
            return None
        for name in failed:
            suspend_verb(work, name)
        words = f"{result.reason}; requests without {names} are answered, so everything is asked for"
        work.note("dates-fail", words, weight=Severity.NOTE)
        return offered

    def _is_answered(self, verb: str, window: StoredWindow) -> bool:
        work = self._work
        request = first_request(verb, work, window)
        try:
            page = parse_page(ask_interruptibly(work.client.ask, request, stopper=work.stopper).body)
        except UpstreamBusy:
            raise
        except UpstreamError:
            return False
        return all(fault.code == "noRecordsMatch" for fault in page.faults)

    def _may_drop(self, *names: str) -> bool:
        """Return whether these arguments may be omitted: not if the user wants only a part."""
        settings, options = self._work.settings, self._work.options
        wanted = {FROM: options.since or settings.from_, UNTIL: options.until or settings.until}
        return not options.is_adhoc and not any(wanted[name] for name in names)

    def _flip(self, result: WindowResult) -> None:
        work = self._work
        other = Granularity.DAY if work.granularity is Granularity.SECOND else Granularity.SECOND
        self._is_tried = True
        self._before = work.identity.get("negotiated")
        work.learn(negotiated=other.value)
        words = f"{result.reason}; trying again with dates by the {other}"
        work.note("granularity", words, weight=Severity.NOTE)

    def _unflip(self) -> None:
        """Restore the granularity; the next run starts from what Identify states."""
        self._work.learn(negotiated=self._before)


def _arguments(stretch: DateRange) -> set[str]:
    return {name for name, value in ((FROM, stretch.since), (UNTIL, stretch.until)) if value}
