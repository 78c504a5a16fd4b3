"""Store the outcome of a visit in the frontier and as a record, with the addresses it leads to.

Failures are retried with growing pauses, redirects are followed as links, traps are detected and closed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from windrow.formats.wir.page_tags import page_deviations
from windrow.harvest.web.records import RecordKeeper
from windrow.harvest.web.report import Report
from windrow.harvest.web.settings import METADATA, CrawlSettings
from windrow.harvest.web.visits import HTML_TYPES, LISTING_TYPES, WITH_CONTENT, Result
from windrow.model.run import Counters
from windrow.model.web_page import FETCHED_KINDS, Page
from windrow.sources.web.fetch import REDIRECTS, Answer
from windrow.sources.web.robots import LONGEST_REST_SECONDS, RobotsPolicy
from windrow.sources.web.urls import FAMILY_END, BadUrl, WebAddress, is_number_host, web_address
from windrow.store import frontier
from windrow.store.connection import Connection
from windrow.store.frontier import Found, Frontier, PageState, Visit

_GONE = frozenset({404, 410})
_LATER = frozenset({408, 425, 429})
_HOST_FAILURES = frozenset({"dns", "connect", "tls"})  # failures of the host, not of one page
HOST_TROUBLES = _HOST_FAILURES | {"private"}
_LONGEST_RETRY_SECONDS = 30 * 86_400.0
_MOST_HOST_FAILURES = 3  # consecutive
_MOST_WAITS = 3  # of one page in one run, if its host asks to be left alone for a while
_HOST_REST_SECONDS = 3600.0
_CUTS = frozenset(
    {"meta", "items", "microdata", "json-ld", "headings", "depth"}
)  # parts of a page that were lost to a limit
_MOST_REPEATS = 100  # consecutive pages with known content: a trap
_MOST_BARREN = 1_000  # pages without metadata under one prefix, if only metadata is wanted
_WITH_HOST = re.compile(r"https?://[^/?#\s]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Fetched:
    """A stored page, with what is needed to detect traps."""

    url: str
    has_record: bool
    is_repeat: bool  # another address has shown the same content


class OutcomeWriter:
    """Stores the outcomes of one crawl's visits, in transactions that the caller owns."""

    def __init__(
        self,
        settings: CrawlSettings,
        addresses: Frontier,
        records: RecordKeeper,
        *,
        report: Report,
        counters: Counters,
        clock: Callable[[], float],
    ) -> None:
        self._settings = settings
        self._frontier = addresses
        self._records = records
        self._report = report
        self._counters = counters
        self._clock = clock
        self.had = 0  # pages that returned content, or have not changed
        self.headed: set[int] = set()  # pages whose media type was requested, and is wanted
        self.closed_prefixes: dict[str, str] = {}  # with the limit or the trap that closed each
        self._fetched: dict[str, list[_Fetched]] = {}  # by prefix, in the current transaction
        self._waits: Counter[int] = Counter()
        self._long_waits: Counter[str] = Counter()  # by host, consecutive
        self._host_failures: Counter[str] = Counter()
        self._known: dict[str, None] = {}  # recently seen addresses, to save database queries

    def roll_back(self) -> None:
        """Discard the state of a transaction that was rolled back."""
        self._fetched.clear()
        self._known.clear()

    def store(self, connection: Connection, result: Result) -> float:
        """Store the outcome of a page; return how long its host asks to be left alone."""
        row = result.row
        if result.robots is not None:
            self._store_robots(connection, result)
            return 0.0
        if result.verdict == "closed":
            return 0.0
        if result.verdict:
            self._store_refusal(connection, result)
            return 0.0
        if result.failure is not None and result.is_head and result.failure.code not in HOST_TROUBLES:
            self.headed.add(row.id)  # some servers hang or disconnect on HEAD requests
            self._requeue(connection, row)
            return 0.0
        if result.failure is not None:
            return self._store_failure(connection, row, result.failure.code, str(result.failure))
        assert result.answer is not None
        return self._store_answer(connection, result, result.answer)

    def _store_robots(self, connection: Connection, result: Result) -> None:
        """Store a robots.txt; the page that it decides about stays in the queue."""
        assert result.robots is not None
        origin, answer = result.robots
        frontier.remember_robots(
            connection,
            origin,
            state=answer.state.value,
            body=answer.text,
            until=answer.until,
            reason=answer.reason,
        )
        if answer.code in HOST_TROUBLES:  # the host itself is unreachable, and with it this page
            self._store_failure(connection, result.row, answer.code, answer.reason)
        if self._settings.follows_listings:
            sitemaps = RobotsPolicy(answer).sitemaps()
            self._add(connection, sitemaps, result.row, kind=frontier.LISTING, is_named=True)

    def _store_refusal(self, connection: Connection, result: Result) -> None:
        """Store that a page is not requested: by a rule, by robots.txt, or because its prefix is a trap."""
        row = result.row
        self._records.lose(connection, row)
        state = PageState.ROBOTS if result.verdict == "robots" else PageState.EXCLUDED
        if result.verdict == "robots":
            self._report.count("robots", row.host, url=row.url)
        if result.verdict == "bounded":
            kind = self.closed_prefixes.get(result.message, "")
            kind = kind if kind.startswith("limit-") else "limit-closed"
            self._report.count(kind, result.message, url=row.url)
        self._finish(
            connection,
            row,
            state=state,
            outcome=result.verdict,
            message=result.message,
            due_at=self._clock() + self._settings.revisit(row.host),
            is_visited=False,
        )

    def _store_failure(
        self, connection: Connection, row: frontier.Page, code: str, message: str, *, wait: float = 0.0
    ) -> float:
        """Store a failed request: it is retried with growing pauses, and dropped in the end."""
        settings, failures, asked = self._settings, row.failures + 1, wait
        status = int(code.removeprefix("status-")) if code.removeprefix("status-").isdecimal() else None
        kind = "status-5xx" if status is not None and status >= 500 else code
        kind = "status-429" if kind in ("status-408", "status-425") else kind
        if status is not None and status < 500 and kind != "status-429":
            kind = "status-4xx"
        if code in _HOST_FAILURES:
            self._host_failures[row.host] += 1
            if self._host_failures[row.host] >= _MOST_HOST_FAILURES:
                self._report.count("host-down", row.host, url=row.url)
                wait = _HOST_REST_SECONDS
        else:
            self._host_failures.pop(row.host, None)
        if wait > settings.patience_seconds and code not in _HOST_FAILURES:
            wait = self._long_wait(row.host, wait)
        is_short = 0 < wait <= settings.patience_seconds and not self._long_waits[row.host]
        if is_short and self._waits[row.id] < _MOST_WAITS:
            self._waits[row.id] += 1
            self._counters.retries += 1
            self._requeue(connection, row, outcome=code, message=message, status=status)
            return wait
        self._report.count(kind, row.host, url=row.url)
        is_dropped = failures >= settings.attempts
        if is_dropped:
            self._report.count("dropped", row.host, url=row.url)
            self._records.lose(connection, row)
        pause = max(asked, min(settings.retry_seconds * 4.0 ** min(failures - 1, 20), _LONGEST_RETRY_SECONDS))
        self._finish(
            connection,
            row,
            state=PageState.DROPPED if is_dropped else PageState.RETRY,
            outcome=code,
            message=message,
            status=status,
            due_at=self._clock() + pause,
            failures=failures,
            keeps=not is_dropped,
        )
        return wait

    def _long_wait(self, host: str, wait: float) -> float:
        """Return the pause for a host that demands more time than a run waits.

        The first such demand counts as long as a run waits, as it may concern only one address. If the next
        address demands the same, it applies to the whole host.
        """
        self._long_waits[host] += 1
        return wait if self._long_waits[host] > 1 else self._settings.patience_seconds

    def _finish(
        self,
        connection: Connection,
        row: frontier.Page,
        *,
        state: PageState,
        outcome: str,
        due_at: float,
        message: str = "",
        status: int | None = None,
        failures: int = 0,
        target: str | None = None,
        keeps: bool = False,
        is_visited: bool = True,
    ) -> None:
        """Store a visit without content; with `keeps`, the known content is kept."""
        self._frontier.finish(
            connection,
            [
                Visit(
                    row.id,
                    state,
                    due_at,
                    outcome,
                    message,
                    status=status,
                    failures=failures,
                    etag=row.etag if keeps else None,
                    last_modified=row.last_modified if keeps else None,
                    media_type=row.media_type,
                    digest=row.digest if keeps else "",
                    payload_digest=row.payload_digest if keeps else "",
                    identifier=row.identifier if keeps else None,
                    target=target,
                    is_visited=is_visited,
                )
            ],
        )

    def _store_answer(self, connection: Connection, result: Result, answer: Answer) -> float:
        row, status = result.row, answer.status
        self._host_failures.pop(row.host, None)
        if status not in _LATER and status < 500:
            self._long_waits.pop(row.host, None)
        revisit = self._clock() + self._settings.revisit(row.host)
        if status in REDIRECTS:
            self._store_redirect(connection, row, answer)
        elif status == 304 and (row.etag or row.last_modified):
            self.had += 1
            self._finish(
                connection,
                row,
                state=PageState.DONE,
                outcome="unchanged",
                status=status,
                due_at=revisit,
                keeps=True,
            )
            if row.id in self._records.asked_again:  # decided while this request was pending
                self._frontier.force_pages(connection, [row.id])
        elif status == 304:
            return self._store_failure(connection, row, "unexpected-304", "304 without a condition")
        elif status in _GONE:
            self._records.lose(connection, row)
            self._report.count("gone", row.host, url=row.url)
            self._finish(connection, row, state=PageState.DONE, outcome="gone", status=status, due_at=revisit)
        elif answer.method == "HEAD" and status >= 400 and status not in _LATER and status != 503:
            self.headed.add(row.id)  # some servers refuse only HEAD
            self._requeue(connection, row)
        elif status in _LATER or status >= 500:
            wait = min(answer.wait_seconds() or 0.0, LONGEST_REST_SECONDS)
            code = f"status-{status}"
            return self._store_failure(connection, row, code, f"status {status} {answer.reason}", wait=wait)
        elif status >= 400:
            self._report.count("refused", row.host, url=row.url)
            if row.identifier is not None:
                return self._store_failure(connection, row, f"status-{status}", f"status {status}")
            self._finish(
                connection, row, state=PageState.DONE, outcome="refused", status=status, due_at=revisit
            )
        elif status not in WITH_CONTENT:
            outcome = f"status-{status}"
            self._report.count("odd-status", row.host, url=row.url)
            if row.identifier is not None:
                return self._store_failure(connection, row, outcome, f"status {status}")
            self._finish(
                connection, row, state=PageState.DONE, outcome=outcome, status=status, due_at=revisit
            )
        elif answer.method == "HEAD":
            self._store_head(connection, row, answer, revisit)
        else:
            self._store_content(connection, result, answer, revisit)
        return 0.0

    def _requeue(
        self,
        connection: Connection,
        row: frontier.Page,
        *,
        outcome: str = "head",
        message: str = "",
        status: int | None = None,
    ) -> None:
        """Leave a page in the queue, to be requested again in this run."""
        self._finish(
            connection,
            row,
            state=PageState.QUEUED,
            outcome=outcome,
            message=message,
            status=status,
            due_at=self._clock(),
            failures=row.failures,
            keeps=True,
            is_visited=False,
        )

    def _store_head(self, connection: Connection, row: frontier.Page, answer: Answer, revisit: float) -> None:
        """Request an address whose suffix looks binary in full only if its media type can be read."""
        if answer.media_type in HTML_TYPES | LISTING_TYPES | self._settings.media_types:
            self.headed.add(row.id)
            self._requeue(connection, row)
            return
        self._finish(
            connection,
            row,
            state=PageState.DONE,
            outcome="other-type",
            message=answer.media_type,
            status=answer.status,
            due_at=revisit,
        )

    def _store_redirect(self, connection: Connection, row: frontier.Page, answer: Answer) -> None:
        """Store a redirect; its target is checked like any link."""
        self._records.lose(connection, row)
        target, outcome = None, "redirect"
        try:
            target = web_address(answer.headers.get("location", ""), row.url).url
        except BadUrl:
            self._report.count("redirect-nowhere", row.host, url=row.url)
            outcome = "redirect-nowhere"
        if "location" not in answer.headers:
            target, outcome = None, "redirect-nowhere"
        if target is not None and self._leads_back(connection, row, target):
            self._report.count("redirect-loop", row.host, url=row.url)
            outcome = "redirect-loop"
        elif target is not None and row.hops + 1 > self._settings.most_hops:
            self._report.count("redirect-chain", row.host, url=row.url)
            outcome = "redirect-chain"
        elif target is not None:
            self._add(connection, [target], row, hops=row.hops + 1, depth=row.depth, kind=row.kind)
            if row.is_start and not self._settings.space.decide(target).is_allowed:
                outcome = "redirect-outside"
        self._finish(
            connection,
            row,
            state=PageState.DONE,
            outcome=outcome,
            status=answer.status,
            due_at=self._clock() + self._settings.revisit(row.host),
            target=target,
        )

    def _leads_back(self, connection: Connection, row: frontier.Page, target: str) -> bool:
        """Return whether a chain of redirects returns to its start."""
        seen = {row.url}
        for _ in range(self._settings.most_hops + 1):
            if target in seen:
                return True
            seen.add(target)
            following = self._frontier.find(connection, target)
            if following is None or following.target is None:
                return False
            target = following.target
        return True

    def _store_content(self, connection: Connection, result: Result, answer: Answer, revisit: float) -> None:
        row, page, address = result.row, result.page, result.address
        assert address is not None
        counters = self._counters
        counters.pages += 1
        self.had += 1
        identifier, digest, payload_digest, outcome, message = None, "", "", "ok", ""
        if page is not None:
            kept = self._records.keep(connection, row, page, answer)
            identifier, digest, payload_digest = kept.identifier, kept.digest, kept.payload_digest
            self._report_page(row, page, is_record=identifier is not None)
            if not page.is_nofollow:
                self._follow(connection, row, page)
            outcome = "record" if identifier is not None else "ok"
        else:
            self._records.lose(connection, row)
            if result.parse_failure is not None:
                outcome, message = f"parse-{result.parse_failure.code}", result.parse_failure.message
                self._report.count(outcome, row.host, url=row.url)
            elif result.is_bad_listing:
                outcome = "listing"
                self._report.count("listing", row.host, url=row.url)
            elif result.listed or result.listings:
                outcome = "listing-read"
                self._add(connection, result.listed, row)
                self._add(connection, result.listings, row, kind=row.kind)
            elif answer.media_type not in HTML_TYPES:
                outcome, message = "other-type", answer.media_type
        self._frontier.finish(
            connection,
            [
                Visit(
                    row.id,
                    PageState.DONE,
                    revisit,
                    outcome,
                    message,
                    status=answer.status,
                    etag=answer.validator("etag"),
                    last_modified=answer.validator("last-modified"),
                    media_type=answer.media_type,
                    digest=digest,
                    payload_digest=payload_digest,
                    identifier=identifier,
                )
            ],
        )
        # a page that is requested every day is still one page
        if page is not None and row.visited_at is None:
            fetched = _Fetched(address.url, identifier is not None, kept.is_repeat)
            for prefix in dict.fromkeys((address.prefix, address.family)):
                self._fetched.setdefault(prefix, []).append(fetched)

    def _report_page(self, row: frontier.Page, page: Page, *, is_record: bool) -> None:
        """Report what a page forbids, which limits it reached, and what is wrong with its events."""
        if page.is_noindex:
            self._report.count("noindex", row.host, url=row.url)
        for remark in page.remarks:
            if remark.code in ("links", "urls"):
                self._report.count("limit-links", row.url)
            elif remark.code in _CUTS:
                self._report.count("limit-page", row.host, url=row.url)
        for deviation in page_deviations(page.tags) if is_record else ():
            self._report.count(f"event-{deviation.name.lower()}", row.host, url=row.url)

    def count_prefixes(self, connection: Connection) -> None:
        """Detect traps: prefixes whose pages repeat each other, or have no metadata."""
        for prefix, pages in self._fetched.items():
            fetched, records, repeats, closed = self._frontier.count_prefix(
                connection,
                prefix,
                has_record=[page.has_record for page in pages],
                is_repeat=[page.is_repeat for page in pages],
            )
            if closed:
                self.closed_prefixes[prefix] = closed
                continue
            is_folder = not prefix.endswith(FAMILY_END)
            is_barren = self._settings.content == METADATA and not records and fetched >= _MOST_BARREN
            kind = ""
            if repeats >= _MOST_REPEATS:
                kind = "trap-repeats"
            elif is_folder and fetched >= self._settings.limits.pages_per_prefix:
                kind = "limit-prefix"
            elif is_folder and is_barren:
                kind = "trap-barren"
            if kind:
                self._frontier.close_prefix(connection, prefix, kind)
                self.closed_prefixes[prefix] = kind
                if kind != "limit-prefix":
                    self._report.count(kind, prefix, url=pages[-1].url)
        self._fetched.clear()

    def _follow(self, connection: Connection, row: frontier.Page, page: Page) -> None:
        urls = [link.url for link in page.links if link.kind in FETCHED_KINDS and not link.nofollow]
        self._add(connection, urls, row)

    def _add(
        self,
        connection: Connection,
        urls: Iterable[str],
        row: frontier.Page,
        *,
        depth: int | None = None,
        hops: int = 0,
        kind: str = frontier.PAGE,
        is_named: bool = False,
    ) -> None:
        """Add the addresses that a page leads to, within the rules and limits.

        A sitemap may be on another host only if a robots.txt names it (sitemaps.org).
        """
        depth = row.depth + 1 if depth is None else depth
        if depth > self._settings.most_depth:
            self._report.count("limit-depth", web_address(row.url).prefix, url=row.url)
            return
        found: dict[str, Found] = {}
        for url in urls:
            if url in self._known:  # already normalised, as most are
                continue
            try:
                address = web_address(url) if _WITH_HOST.match(url) else web_address(url, row.url)
            except BadUrl as exc:
                self._count_bad(exc, row, url)
                continue
            if address.url in self._known or address.url in found:
                continue
            if kind == frontier.PAGE and not self._settings.space.decide_address(address).is_allowed:
                continue
            if kind == frontier.LISTING and not is_named and address.host != row.host:
                continue
            found[address.url] = found_page(address, depth=depth, hops=hops, found_on=row.id, kind=kind)
        added = self._frontier.add(connection, found.values(), self._settings.limits)
        for (limit, name), times in (added.refused or {}).items():
            place = _domain(name) if limit == "hosts" else name
            self._report.count(f"limit-{limit}", place, url=row.url, times=times)
        if not added.refused:
            self._remember(found)

    def _remember(self, urls: Iterable[str]) -> None:
        if len(self._known) > 50_000:
            for url in list(self._known)[:25_000]:
                del self._known[url]
        self._known.update(dict.fromkeys(urls))

    def _count_bad(self, exc: BadUrl, row: frontier.Page, url: str) -> None:
        kind = {"long": "limit-long", "segments": "limit-segments", "repeats": "limit-path-repeats"}.get(
            exc.code
        )
        if kind is not None:
            self._report.count(kind, web_address(row.url).prefix, url=url)


def found_page(
    address: WebAddress,
    *,
    depth: int = 0,
    hops: int = 0,
    is_start: bool = False,
    found_on: int | None = None,
    kind: str = frontier.PAGE,
) -> Found:
    return Found(address.url, address.host, address.prefix, depth, hops, is_start, found_on, kind)


def _domain(host: str) -> str:
    """Return the domain of a host: the name of a trap that has a host for every name."""
    domain = host.partition(".")[2]
    return host if is_number_host(host) or "." not in domain else domain
