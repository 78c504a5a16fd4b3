"""A repository looked over before it is harvested: a dozen questions, and what the answers mean for Windrow.

Questions are asked here and in `token_probe` and `date_probe`; `findings` says what an answer means.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from windrow.errors import BadXml, HttpRefused, NotOai, OaiError, UpstreamError
from windrow.model.record import Record
from windrow.model.set_roles import NO_RULES, RoleRules
from windrow.model.stamp import Granularity, read_stamp, write_stamp
from windrow.net.politeness import Wait
from windrow.sources.asking import Asker, AskingEnded
from windrow.sources.date_probe import DateProbe
from windrow.sources.findings.delivery import judge_delivery, judge_speed
from windrow.sources.findings.finding import Finding, good, note, problem
from windrow.sources.findings.formats import judge_formats
from windrow.sources.findings.identity import judge_earliest, judge_identity, judge_overlap
from windrow.sources.findings.pages import judge_damage, judge_page, judge_stamps, stamps_of
from windrow.sources.findings.set_roles import judge_roles, recognise
from windrow.sources.findings.sets import judge_sets
from windrow.sources.oai import OaiClient, SetChain
from windrow.sources.token_probe import TokenProbe
from windrow.wire.oai.answers import Identity, SetEntry, parse_formats, parse_sets
from windrow.wire.oai.page import Page
from windrow.wire.oai.parse import parse_small
from windrow.wire.oai.request import Request, list_request, record_request

DEFAULT_PREFIX = "oai_dc"  # every repository must have it (OAI-PMH 2.0, 2.4)
MAX_SET_PAGES = 3


@dataclass(frozen=True, slots=True)
class Report:
    """What a probe found. `failure` is why the repository cannot be harvested; None: it can."""

    url: str
    findings: tuple[Finding, ...]
    failure: UpstreamError | None
    requests: int
    format: str
    identity: Identity | None
    moved_to: str | None = None  # where permanent redirects lead


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Probe:
    """Asks one repository about a dozen questions. `waits` grows while the client waits."""

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
        self._asker = Asker(client, on_step=on_step)
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

    def run(self) -> Report:
        """Ask everything that still makes sense, and report."""
        try:
            self._ask_all()
        except AskingEnded as ended:
            if self._is_harvestable:
                action = "stops a run there and goes on with the next"
                self._findings.append(problem("silence", f"then it would not answer: {ended.cause}", action))
            else:
                self._failure = ended.cause
        if self._asker.answers:
            self._findings += judge_delivery(self._asker.answers, self._waits)
        if self._asker.damaged:
            self._findings.append(note("cut", "a page came cut short", "asks for such pages again"))
        return Report(
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
        """Ask Identify. One that fails at it may still have records, so the next question decides."""
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
        """Ask which formats there are; False where the one that is wanted is not among them."""
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
        """Ask for the sets, some pages of them at most."""
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
        """Say what the sets are recognised as, by their names and by the records seen so far."""
        finding = judge_roles(recognise(self._sets_listed, [record.sets for record in records], self._rules))
        if finding is not None:
            self._findings.append(finding)

    def _first_page(self, is_known: bool) -> Page | None:
        """Ask for the first page of records; where that fails, find out what works instead."""
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
        """The whole list is refused: perhaps a short one is not."""
        self._failure = self._failure or refusal
        if isinstance(refusal, OaiError) and refusal.code == "cannotDisseminateFormat":
            return
        day = write_stamp(self._now(), Granularity.DAY)
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
        """The list cannot be read: perhaps identifiers and single records can."""
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
        """Follow the token; give the pages seen so far."""
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
            now = read_stamp(first.response_date or "") or self._now()
            self._findings.append(judge_earliest(identity, stamps_of(records), now))
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
