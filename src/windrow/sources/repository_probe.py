"""The probe of a repository before a harvest: a dozen requests, and what the responses mean for Windrow.

This module sends the requests, including those on dates and resumption tokens; `repository_findings` judges
the responses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from windrow.errors import BadXml, HttpRefused, NotOai, OaiError, Unreachable, UpstreamBusy, UpstreamError
from windrow.model.record import (
    Granularity,
    Record,
    format_datestamp,
    parse_datestamp,
    parse_granularity,
    truncate_to_granularity,
)
from windrow.model.set_assignment import NO_RULES, RoleRules
from windrow.net.client import Answer
from windrow.net.politeness import Wait
from windrow.protocols.oai.oai_page import Page
from windrow.protocols.oai.oai_request import Request, list_request, record_request
from windrow.protocols.oai.page_parser import parse_page, parse_records, parse_small
from windrow.protocols.oai.repository_info import Identity, SetEntry, parse_formats, parse_sets
from windrow.sources.oai_client import OaiClient, SetChain, as_error
from windrow.sources.repository_findings import (
    Finding,
    good,
    judge_damage,
    judge_delivery,
    judge_earliest,
    judge_formats,
    judge_identity,
    judge_overlap,
    judge_page,
    judge_roles,
    judge_sets,
    judge_speed,
    judge_stamps,
    note,
    problem,
    readable_stamps,
    recognise_roles,
)

# The requests of a probe: sent one after the other, each announced first, with all responses kept.

_MAX_SILENCES = 2  # one request may be too much for a server; after a second timeout it counts as down


class ProbeAborted(Exception):
    """Further requests to this server are pointless; `cause` is the reason."""

    def __init__(self, cause: UpstreamError) -> None:
        super().__init__(str(cause))
        self.cause = cause


class ProbeClient:
    """Sends requests to one repository and keeps all responses. OAI-PMH errors are raised as OaiError."""

    def __init__(self, client: OaiClient, *, on_step: Callable[[str], None]) -> None:
        self.client = client
        self.answers: list[Answer] = []
        self.damaged = 0  # truncated pages that were requested again
        self._on_step = on_step
        self._silences = 0

    def answer(self, step: str, request: Request) -> Answer:
        """Announce a step and return its raw response."""
        self._on_step(step)
        try:
            answer = self.client.ask(request)
        except UpstreamBusy as exc:
            raise ProbeAborted(exc) from exc
        except Unreachable as exc:
            self._silences += 1
            if not self.answers or self._silences >= _MAX_SILENCES:
                raise ProbeAborted(exc) from exc
            raise
        self.answers.append(answer)
        return answer

    def page(self, step: str, request: Request) -> Page:
        """Announce a step and return its page of records or headers."""
        parse = parse_page if request.verb == "ListIdentifiers" else parse_records
        try:
            page = parse(self.answer(step, request).body)
        except BadXml as exc:
            if not exc.is_truncated or self.damaged:
                raise
            self.damaged += 1  # retry as a harvest does, but only once in a probe
            page = parse(self.answer(f"{step}, again", request).body)
        for fault in page.faults:
            raise as_error(fault)
        return page


# Dates: are `from` and `until` honoured, at which granularity, and what does "nothing new" look like?

_EVERYTHING = "asks for everything at every harvest, and stores only what changed"
_ALL_AGAIN = "recognises what it has and stores nothing twice, but fetches everything every time"


@dataclass(slots=True)
class DateProbe:
    """Requests the time of one known record, and changes since the server's current time."""

    asker: ProbeClient
    prefix: str
    said: str  # the granularity in Identify
    records: Sequence[Record]
    now: str | None  # the server's clock, from its responses
    _taken: Granularity | None = field(default=None, init=False)
    _is_ignored: bool = field(default=False, init=False)

    def findings(self) -> list[Finding]:
        """Send the requests, and judge how dates can be used."""
        moments = sorted(readable_stamps(self.records))
        if not moments:
            return []
        found = self._window(moments[len(moments) // 2])
        if self._taken is not None and not self._is_ignored:
            found += self._nothing_new(self._taken)
        return found

    def _window(self, moment: datetime) -> list[Finding]:
        told = parse_granularity(self.said) or Granularity.DAY
        other = Granularity.DAY if told is Granularity.SECOND else Granularity.SECOND
        refusal = failure = ""
        for granularity in (told, other):
            try:
                page = self.asker.page(f"A window of one {granularity}", self._request(moment, granularity))
            except OaiError as exc:
                if exc.code != "badArgument":
                    return self._odd(exc, moment, granularity)
                refusal = str(exc)
            except Unreachable as exc:
                failure = str(exc)
                break
            except UpstreamError as exc:
                failure = str(exc)
            else:
                self._taken = granularity
                return [self._honoured(page, moment, granularity, told)]
        if failure:
            return [problem("dates", f"requests with dates fail: {failure}", _EVERYTHING)]
        return [problem("dates", f"it takes no dates ({refusal})", _EVERYTHING)]

    def _request(self, moment: datetime, granularity: Granularity) -> Request:
        stamp = format_datestamp(moment, granularity)
        return list_request("ListRecords", prefix=self.prefix, since=stamp, until=stamp)

    def _odd(self, exc: OaiError, moment: datetime, granularity: Granularity) -> list[Finding]:
        if exc.code == "noRecordsMatch":
            self._taken = granularity
            stamp = format_datestamp(moment, granularity)
            words = f"asked for {stamp}, when it has a record, it says there is none"
            action = "may miss changes: try the setting `granularity`, or harvest with --full now and then"
            return [problem("dates", words, action)]
        return [
            problem("dates", f"a request with dates is refused ({exc})", "can only harvest it as a whole")
        ]

    def _honoured(self, page: Page, moment: datetime, granularity: Granularity, told: Granularity) -> Finding:
        facts = {"granularity": granularity.value, "said": self.said}
        outside = [
            found for found in readable_stamps(page.records) if not _is_within(found, moment, granularity)
        ]
        if outside and all(_is_within(found, moment, Granularity.DAY) for found in outside):
            words = f"dates by the {granularity} are taken, but count as whole days"
            return note("dates", words, "gets a little twice and stores it once", **facts)
        if outside:
            self._is_ignored = True
            return problem(
                "dates", "dates are ignored: records from outside the window came", _ALL_AGAIN, **facts
            )
        if granularity is not told:
            words = f"Identify says dates by the {told}, but only dates by the {granularity} are taken"
            return note("dates", words, f"finds out and asks by the {granularity}", **facts)
        words = f"dates by the {granularity} are honoured"
        return good("dates", words, "asks only for what is new", **facts)

    def _nothing_new(self, granularity: Granularity) -> list[Finding]:
        now = parse_datestamp(self.now or "")
        if now is None:
            return []
        since = format_datestamp(now, granularity)
        try:
            page = self.asker.page(
                "What is new", list_request("ListRecords", prefix=self.prefix, since=since)
            )
        except OaiError as exc:
            return self._said_nothing(exc)
        except UpstreamError as exc:
            return [problem("new", f"asked for what is new, it fails: {exc}", _EVERYTHING)]
        if not page.records:
            return [note("new", "nothing new is an empty list here, not an error", "takes both")]
        start = truncate_to_granularity(now, granularity)
        if any(found < start for found in readable_stamps(page.records)):
            return [problem("new", "asked for what is new, it sends what is old", _ALL_AGAIN)]
        return []

    def _said_nothing(self, exc: OaiError) -> list[Finding]:
        found = []
        if exc.code != "noRecordsMatch":
            action = "reports that as a failed harvest until something is new"
            found.append(note("new", f"nothing new is called {exc} here", action, code=exc.code))
        status = self.asker.answers[-1].status
        if status >= 400:
            words = f"OAI-PMH errors come with HTTP status {status}"
            found.append(note("error-status", words, "reads them all the same", status=status))
        return found


def _is_within(found: datetime, moment: datetime, granularity: Granularity) -> bool:
    return truncate_to_granularity(found, granularity) == truncate_to_granularity(moment, granularity)


# Resumption tokens: the second page is requested twice, as after a broken connection.

_PLAIN = re.compile(r"[\w.~-]+", re.ASCII)
_ON_LOSS = "starts the window again where a token is lost, and stores nothing twice"


@dataclass(slots=True)
class TokenProbe:
    """Follows the token of a first page once; `second` is the resulting page."""

    asker: ProbeClient
    request: Request
    first: Page
    second: Page | None = None

    def findings(self) -> list[Finding]:
        """Send the requests, and judge how tokens behave."""
        token = self.first.token.value if self.first.token else ""
        if not token:
            return []
        found = _characters(token)
        following = self.request.with_token(token)
        try:
            self.second = self.asker.page("The second page", following)
        except OaiError as exc:
            if not self._unescaped(following, found):
                found.append(_refused(exc))
        except UpstreamError as exc:
            action = "tries again, then fetches the rest one by one"
            found.append(problem("tokens", f"the second page cannot be had: {exc}", action))
        if self.second is None:
            return found
        if not self.second.records and not self.second.rejects:
            action = "goes on, unless ten come in a row"
            found.append(note("tokens", "the second page is empty, and has a token all the same", action))
        return [*found, self._again(following, self.second)]

    def _unescaped(self, following: Request, found: list[Finding]) -> bool:
        """Try the token unescaped: some servers compare it before decoding."""
        if not found or not self.asker.client.escape_fully:
            return False
        self.asker.client.escape_fully = False
        try:
            self.second = self.asker.page("The second page, its token unescaped", following)
        except UpstreamError:
            self.asker.client.escape_fully = True
            return False
        found[:] = [note("tokens", "tokens must come back unescaped", "finds out and sends them so")]
        return True

    def _again(self, following: Request, second: Page) -> Finding:
        if _names(second) == _names(self.first):
            words = "the token of the first page brings the first page again"
            return problem("tokens", words, "notices, stops, and checks with ListIdentifiers")
        try:
            again = self.asker.page("The second page once more", following)
        except UpstreamError as exc:
            return note("tokens", f"a token works only once ({_short(exc)})", _ON_LOSS, is_reusable=False)
        if _names(again) != _names(second):
            words = "asked twice with one token, it goes on instead of repeating the page"
            action = "compares the count with what was promised, and fetches what lacks"
            return note("tokens", words, action, is_reusable=False)
        token = dict(following.arguments)["resumptionToken"]
        if second.token and second.token.value == token:
            words = "the token on the second page leads back to the second page"
            return problem("tokens", words, "notices, stops, and checks with ListIdentifiers")
        words = "a token can be used again"
        return good("tokens", words, "goes on where it was after a broken connection", is_reusable=True)


def _characters(token: str) -> list[Finding]:
    if _PLAIN.fullmatch(token):
        return []
    odd = "".join(dict.fromkeys(letter for letter in token if not _PLAIN.fullmatch(letter)))
    words = f"tokens hold characters that mean something in an address ({odd[:20]})"
    return [note("token-characters", words, "escapes them, once", characters=odd[:200])]


def _refused(exc: OaiError) -> Finding:
    words = f"it refuses its own token ({_short(exc)})"
    return problem("tokens", words, "cuts the list into windows of time, and those into smaller ones")


def _names(page: Page) -> list[str]:
    return [record.identifier for record in page.records]


def _short(exc: UpstreamError) -> str:
    text = str(exc)
    return text if len(text) <= 100 else text[:99] + "…"


DEFAULT_PREFIX = "oai_dc"  # mandatory for every repository (OAI-PMH 2.0 §2.4)
MAX_SET_PAGES = 3


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """The result of a probe. `failure` is why the repository cannot be harvested, or None."""

    url: str
    findings: tuple[Finding, ...]
    failure: UpstreamError | None
    requests: int
    format: str
    identity: Identity | None
    moved_to: str | None = None  # the target of permanent redirects


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Probe:
    """Sends about a dozen requests to one repository. `waits` grows while the client waits."""

    def __init__(
        self,
        client: OaiClient,
        *,
        prefix: str | None = None,
        on_step: Callable[[str], None] = lambda _: None,
        waits: Sequence[Wait] = (),
        delay_seconds: float = 0.0,
        late_days: int | None = None,
        rules: RoleRules = NO_RULES,
        now: Callable[[], datetime] = _utc_now,
    ) -> None:
        self._asker = ProbeClient(client, on_step=on_step)
        self._wanted = prefix
        self._prefix = prefix or DEFAULT_PREFIX
        self._waits = waits
        self._delay = delay_seconds
        self._late_days = late_days
        self._rules = rules
        self._sets_listed: list[SetEntry] = []
        self._now = now
        self._identity: Identity | None = None
        self._failure: UpstreamError | None = None
        self._is_harvestable = False
        self._findings: list[Finding] = []

    def run(self) -> ProbeReport:
        """Send all requests that still make sense, and report."""
        try:
            self._ask_all()
        except ProbeAborted as ended:
            if self._is_harvestable:
                action = "stops a run there and goes on with the next"
                self._findings.append(problem("silence", f"then it would not answer: {ended.cause}", action))
            else:
                self._failure = ended.cause
        if self._asker.answers:
            self._findings += judge_delivery(self._asker.answers, self._waits)
        if self._asker.damaged:
            self._findings.append(note("cut", "a page came cut short", "asks for such pages again"))
        return ProbeReport(
            self._asker.client.url,
            tuple(self._findings),
            None if self._is_harvestable else self._failure,
            self._asker.client.traffic.sent,
            self._prefix,
            self._identity,
            self._asker.client.moved_to,
        )

    def _ask_all(self) -> None:
        is_known = self._identify()
        if is_known:
            if not self._formats():
                return
            self._sets()
        first = self._first_page(is_known)
        if first is None:
            return
        pages = self._follow(first)
        records = [record for page in pages for record in page.records]
        self._findings += judge_damage(pages)
        self._roles(records)
        self._dates(first, records)
        self._identifiers(first)
        self._single(first)

    def _identify(self) -> bool:
        """Request Identify. The next request decides: a repository that fails here may still have records."""
        try:
            answer = self._asker.answer("Identify", Request("Identify"))
            self._identity = identity = self._asker.client.identity_of(answer)
            repairs = parse_small(answer.body)[1]
        except UpstreamError as exc:
            self._failure = exc
            return False
        client = self._asker.client
        self._findings += judge_identity(
            identity, asked=client.url, arrived=answer.url, moved_to=client.moved_to, now=self._now()
        )
        if repairs:
            words = "Identify is not well-formed XML: " + "; ".join(repairs[:3])
            self._findings.append(problem("xml", words, "repairs it"))
        return True

    def _formats(self) -> bool:
        try:
            offered = parse_formats(self._asker.answer("Formats", Request("ListMetadataFormats")).body)
        except UpstreamError as exc:
            self._findings.append(
                note("formats", f"ListMetadataFormats fails: {exc}", f"asks for {self._prefix}")
            )
            return True
        self._findings.append(judge_formats(offered))
        prefixes = [item.prefix for item in offered]
        if self._wanted is None and prefixes and DEFAULT_PREFIX not in prefixes:
            self._prefix = prefixes[0]
        elif self._wanted and prefixes and self._wanted not in prefixes:
            words = f"it does not offer {self._wanted}; it offers {', '.join(prefixes[:20])}"
            self._failure = UpstreamError(words, hint="Name one of those with --format.")
            return False
        return True

    def _sets(self) -> None:
        """Request the sets, a few pages at most."""
        entries: list[SetEntry] = []
        request, size, token, chain = Request("ListSets"), None, "", SetChain()
        try:
            for number in range(MAX_SET_PAGES):
                step = "Sets" if not number else f"Sets, page {number + 1}"
                page = parse_sets(self._asker.answer(step, request).body)
                entries += page.entries
                size = page.token.size if page.token and page.token.size else size
                token = page.token.value if page.token else ""
                objection = chain.objection(page)
                if objection is not None:
                    words = f"ListSets does not end: {objection}"
                    self._findings.append(note("sets", words, "notices, and reads no further"))
                    return
                if not token:
                    break
                request = request.with_token(token)
        except OaiError as exc:
            is_plain = exc.code == "noSetHierarchy"
            words = "there are no sets" if is_plain else f"ListSets is refused ({exc})"
            self._findings.append((good if is_plain else note)("sets", words, "harvests it as one whole"))
        except UpstreamError as exc:
            self._findings.append(note("sets", f"ListSets fails: {exc}", "shows sets without their names"))
        else:
            self._findings.append(judge_sets(entries, is_whole=not token, size=size))
        self._sets_listed = entries

    def _roles(self, records: list[Record]) -> None:
        """Report the roles of sets, recognised by their names and by the records so far."""
        finding = judge_roles(
            recognise_roles(self._sets_listed, [record.sets for record in records], self._rules)
        )
        if finding is not None:
            self._findings.append(finding)

    def _first_page(self, is_known: bool) -> Page | None:
        """Request the first page of records; if that fails, find out what works instead."""
        request = list_request("ListRecords", prefix=self._prefix)
        try:
            page = self._asker.page(f"Records as {self._prefix}", request)
        except OaiError as exc:
            if exc.code == "noRecordsMatch":
                self._is_harvestable = True
                self._findings.append(note("size", "there are no records now", "looks again at each harvest"))
            else:
                self._refused(exc)
            return None
        except (BadXml, NotOai, HttpRefused) as exc:
            if isinstance(exc, HttpRefused) and exc.status == 413:
                self._refused(exc)
            else:
                self._broken(exc)
            return None
        except UpstreamError as exc:
            self._failure = self._failure or exc
            return None
        self._is_harvestable = True
        if not is_known:
            words = f"Identify fails: {self._failure}"
            self._findings.append(problem("identify", words, "asks by the day and goes on without"))
        self._findings += judge_page(page, self._prefix)
        return page

    def _refused(self, refusal: UpstreamError) -> None:
        """The whole list is refused: try a short one."""
        self._failure = self._failure or refusal
        if isinstance(refusal, OaiError) and refusal.code == "cannotDisseminateFormat":
            return
        day = format_datestamp(self._now(), Granularity.DAY)
        request = list_request("ListRecords", prefix=self._prefix, since=day)
        try:
            self._asker.page("A shorter list", request)
        except OaiError as exc:
            if exc.code != "noRecordsMatch":
                return
        except UpstreamError:
            return
        self._is_harvestable = True
        action = "cuts the history into windows that are short enough"
        self._findings.append(problem("lists", f"it refuses to list everything at once ({refusal})", action))

    def _broken(self, failure: UpstreamError) -> None:
        """The list cannot be read: try identifiers and single records."""
        self._failure = self._failure or failure
        try:
            page = self._asker.page("Identifiers", list_request("ListIdentifiers", prefix=self._prefix))
            live = next((record for record in page.records if not record.is_deleted), None)
            if live is not None:
                self._asker.page("One record", record_request(live.identifier, prefix=self._prefix))
        except UpstreamError:
            return
        self._is_harvestable = live is not None
        action = "fetches identifiers first, then each record by itself, which is slow"
        self._findings.append(problem("lists", f"ListRecords fails: {failure}", action))

    def _follow(self, first: Page) -> list[Page]:
        """Follow the token; return the pages so far."""
        request = list_request("ListRecords", prefix=self._prefix)
        place = len(self._asker.answers) - 1
        probe = TokenProbe(self._asker, request, first)
        self._findings += probe.findings()
        answers = self._asker.answers[place : place + 2 if probe.second else place + 1]
        size = first.token.size if first.token else len(first.records)
        speed = judge_speed(answers, page_size=len(first.records), claimed=size, delay=self._delay)
        self._findings.append(speed)
        return [first, probe.second] if probe.second else [first]

    def _dates(self, first: Page, records: list[Record]) -> None:
        identity = self._identity or Identity()
        self._findings += judge_stamps(records, identity.granularity)
        probe = DateProbe(self._asker, self._prefix, identity.granularity, records, first.response_date)
        self._findings += probe.findings()
        if self._identity is not None:
            now = parse_datestamp(first.response_date or "") or self._now()
            self._findings.append(judge_earliest(identity, readable_stamps(records), now))
        self._findings.append(
            judge_overlap(identity, [each.spec for each in self._sets_listed], late_days=self._late_days)
        )

    def _identifiers(self, first: Page) -> None:
        try:
            page = self._asker.page("Identifiers", list_request("ListIdentifiers", prefix=self._prefix))
        except UpstreamError as exc:
            action = "cannot check whether a list came whole, nor find what vanished"
            self._findings.append(problem("identifiers", f"ListIdentifiers fails: {exc}", action))
            return
        ours, theirs = first.token, page.token
        if ours and theirs and ours.size and theirs.size and ours.size != theirs.size:
            words = f"ListIdentifiers promises {theirs.size:,}, ListRecords {ours.size:,}"
            self._findings.append(note("identifiers", words, "tells in the run what was lacking"))
            return
        action = "can check that a list came whole"
        self._findings.append(good("identifiers", "ListIdentifiers works", action))

    def _single(self, first: Page) -> None:
        live = next((record for record in first.records if not record.is_deleted), None)
        if live is None:
            return
        try:
            page = self._asker.page("One record", record_request(live.identifier, prefix=self._prefix))
        except UpstreamError as exc:
            action = "cannot fetch single records where a list breaks"
            self._findings.append(problem("record", f"GetRecord fails: {exc}", action))
            return
        names = [record.identifier for record in page.records]
        if names != [live.identifier]:
            words = "GetRecord brings another record than the one asked for"
            self._findings.append(problem("record", words, "cannot fetch single records where a list breaks"))
            return
        self._findings.append(
            good("record", "GetRecord works", "can fetch single records where a list breaks")
        )
