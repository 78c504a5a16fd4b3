"""The kind of source that is a web site: how it is probed, crawled and previewed, and its status."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windrow.config.secrets import find_password
from windrow.config.web_settings import WebSettings
from windrow.errors import SourceBusy, UsageError, install_hint
from windrow.wiring.source_kinds import (
    Asking,
    Fact,
    Line,
    Probed,
    Shown,
    SourceKind,
    Steps,
    Watch,
    refuse_meaningless,
)

if TYPE_CHECKING:
    from windrow.config.schema import Config
    from windrow.harvest.options import HarvestOptions
    from windrow.harvest.run import Attempt
    from windrow.harvest.web.crawl import Crawl, Ending
    from windrow.harvest.web.settings import CrawlSettings
    from windrow.harvest.web.status import CrawlStatus
    from windrow.model.run import Run
    from windrow.sources.web.space import UrlSpace
    from windrow.store.frontier import Limits
    from windrow.wiring.library import Library

_PACKAGES = ("aiohttp", "regex", "extruct")
_MOST_HOSTS_CHECKED = 5
_PREVIEWED = 20
_MOST_HOSTS_SHOWN = 10  # by `facts`; `windrow crawl status` lists all
_STATES = {
    "open": "open",
    "paused": "paused until further notice",
    "closed": "closed until further notice",
}
WARC_FOLDER = Path("files/warc")


class WebSites(SourceKind[WebSettings]):
    """Web sites."""

    def probe(self, settings: WebSettings, asking: Asking) -> Probed:
        """Read the rules, and request the robots.txt of the first start page's host."""
        crawl = crawl_settings(settings, asking.config)
        contact_of(settings, asking.config)
        asking.steps.step("robots.txt")
        try:
            found = _robots_of(crawl, 1)
        finally:
            asking.steps.done()
        for host, state, is_allowed, line in found:
            if state == "unavailable":
                if "private network" in line:
                    raise UsageError(line, hint="Is it a site of your own? Add it with --private.")
                raise UsageError(
                    f"the robots.txt of {host} is unavailable, so nothing may be fetched there: {line}",
                    hint="Try again later.",
                )
            if not is_allowed:
                raise UsageError(
                    f"the robots.txt of {host} keeps robots from the start page ({line})",
                    hint="Ask the operators of the site, or start at another page.",
                )
        values = _crawl_values(crawl, settings)
        return Probed(words=_robots_words(values), values=values)

    def check(self, settings: WebSettings, asking: Asking, *, prefix: str | None = None) -> Shown:
        """Check the rules, and request the robots.txt of the first start pages' hosts."""
        del prefix
        crawl = crawl_settings(settings, asking.config)
        asking.steps.step("robots.txt")
        try:
            found = _robots_of(crawl, _MOST_HOSTS_CHECKED)
        finally:
            asking.steps.done()
        values = _crawl_values(crawl, settings)
        lines = [Line(f"{_robots_words(values)}.")]
        for host, state, is_allowed, line in found:
            allowed = "its start page is allowed" if is_allowed else f"its start page is not: {line}"
            words = {"none": "has no robots.txt", "unavailable": "its robots.txt is unavailable"}.get(
                state, "has a robots.txt"
            )
            lines.append(Line(f"{host}: {words}; {allowed}", style="" if is_allowed else "bad"))
        robots = [{"host": host, "robots": state, "is_allowed": ok} for host, state, ok, _ in found]
        return Shown(
            values={**values, "hosts": robots},
            lines=lines,
            has_problem=not any(is_allowed for _, _, is_allowed, _ in found),
        )

    def harvest(self, library: Library, settings: WebSettings, options: HarvestOptions, watch: Watch) -> Run:
        """Crawl until nothing is due."""
        from windrow.harvest.run import running  # noqa: PLC0415 - not needed everywhere

        refuse_meaningless(settings, options)
        contact_of(settings, library.config)
        crawl = crawl_settings(settings, library.config, library)
        _refuse_halted(library, settings)
        arguments = {key: value for key, value in asdict(options).items() if value}
        with running(
            library.store,
            settings,
            "harvest",
            arguments=arguments,
            observer=watch.observer,
            stopper=watch.stopper,
            is_shared=True,
        ) as attempt:
            _crawl(crawl, library, attempt, options, watch)
        return attempt.run

    def preview(
        self, library: Library, settings: WebSettings, options: HarvestOptions, steps: Steps
    ) -> Iterator[Shown]:
        """Show how many addresses a harvest would request, and the first of them, without requesting any."""
        from windrow.store import sources  # noqa: PLC0415 - not needed everywhere
        from windrow.store.frontier import NEVER, Frontier, PageState  # noqa: PLC0415

        del steps
        crawl = crawl_settings(settings, library.config, library)
        most = options.limit or _PREVIEWED
        with library.store.reading() as connection:
            state = sources.find(connection, settings.name)
            if state is None:
                urls, due = list(crawl.space.starts), len(crawl.space.starts)
            else:
                addresses = Frontier(state.id)
                until = NEVER if options.is_full else time.time()
                urls, due = [], addresses.due(connection, until)
                asked = [PageState.QUEUED, PageState.DONE, PageState.RETRY, PageState.ROBOTS]
                for page in addresses.pages(connection, states=asked) if due else ():
                    if page.state is PageState.QUEUED or page.due_at <= until:
                        urls.append(page.url)
                    if len(urls) >= most:
                        break
        words = f"{due:,} addresses are due; the first of them:"
        if due < 2:
            words = "1 address is due:" if due else "No address is due now."
        lines = [Line(words, style="bold")]
        lines += [Line(f"  {url}") for url in urls[:most]]
        yield Shown(values={"source": settings.name, "due": due, "urls": urls[:most]}, lines=lines)

    def facts(self, library: Library, settings: WebSettings) -> Sequence[Fact]:
        status = status_of(library, settings)
        if status is None:
            return ()
        from windrow.store.frontier import ControlState, PageState  # noqa: PLC0415 - not needed everywhere

        workers, words = status.workers, _STATES[status.state.value]
        if status.state is ControlState.OPEN and workers:
            facts = [Fact("crawl", "running", is_public=True)]
            if workers > 1:
                facts.append(Fact("processes", "{count}", is_public=True, values={"count": workers}))
        else:
            facts = [Fact("crawl", words, is_public=True)]
        if status.state is not ControlState.OPEN:
            facts.append(Fact("to go on", f"windrow crawl open {settings.name}"))
        amounts = {"known": status.known, "waiting": status.queued}
        facts.append(Fact("addresses", "{known} known, {waiting} waiting", is_public=True, values=amounts))
        failed = status.counts.get(PageState.RETRY, 0)
        if failed:
            words = "{count}, to be tried again"
            facts.append(Fact("unavailable", words, is_public=True, values={"count": failed}))
        slowest = status.slowest
        if slowest is not None and status.seconds_left:
            count, unit = _in_units(status.seconds_left)
            words = f"at least {{count}} {unit}, because of {{host}}"
            facts.append(
                Fact("time left", words, is_public=True, values={"count": count, "host": slowest.name})
            )
        waiting = sorted(status.hosts, key=lambda host: -host.queued) if len(status.hosts) > 1 else ()
        for host in waiting[:_MOST_HOSTS_SHOWN]:
            words = "{waiting} waiting, {done} fetched, {failed} failed"
            counts = {"waiting": host.queued, "done": host.done, "failed": host.failed + host.dropped}
            facts.append(Fact(host.name, words, is_public=True, values=counts))
        return facts

    def problems(self, library: Library, settings: WebSettings) -> Iterator[tuple[str, str]]:
        """Yield what prevents the crawl from continuing."""
        missing = [name for name in _PACKAGES if find_spec(name) is None]
        if missing:
            yield (
                f"the robot needs packages that are not installed: {', '.join(missing)}",
                f"{install_hint('robot')}.",
            )
            return
        if not (settings.contact or library.config.library.contact):
            yield "the robot has no contact address", f"windrow source edit {settings.name} --contact ADDRESS"
        status = status_of(library, settings)
        if status is None:
            return
        if status.state.value != "open":
            yield f"the crawl of {settings.name} is {status.state}", f"windrow crawl open {settings.name}"
        for host in status.hosts:
            if host.robots == "unavailable" and host.queued:
                words = "address waits" if host.queued == 1 else "addresses wait"
                yield (
                    f"the robots.txt of {host.name} is unavailable; {host.queued:,} {words}",
                    f"Open {host.name}/robots.txt in a browser.",
                )


WEB_SITES = WebSites()


def _crawl(
    settings: CrawlSettings, library: Library, attempt: Attempt, options: HarvestOptions, watch: Watch
) -> None:
    """Crawl within a run, and report problems."""
    from windrow.harvest.web.crawl import Crawl, Ending  # noqa: PLC0415 - an optional dependency

    watch.observer.started(attempt.name, "crawl")

    def show(crawl: Crawl) -> None:
        queued = crawl.progress.queued
        watch.observer.advanced(attempt.name, attempt.counters, attempt.counters.pages + queued)

    documents = None
    if settings.media_types:
        from windrow.harvest.web.documents import DocumentReader  # noqa: PLC0415 - few sites need it

        documents = DocumentReader(library.pool)
    crawl = Crawl(
        settings,
        store=library.store,
        source_id=attempt.source.id,
        run_id=attempt.run_id,
        stopper=watch.stopper,
        counters=attempt.counters,
        on_progress=lambda _: show(crawl),
        on_stored=attempt.progress,
        documents=documents,
        most_pages=options.limit,
        is_full=options.is_full,
    )
    ending: Ending | None = None
    try:
        ending = asyncio.run(crawl.run())
    finally:
        for problem in crawl.report.problems():
            attempt.note(problem.code, problem.message, weight=problem.weight, url=problem.url)
    if ending is Ending.CLOSED:
        attempt.note("closed", f"the crawl was closed: windrow crawl open {attempt.name}")
    if ending is Ending.LIMIT:
        attempt.note("limit", f"stopped after {options.limit:,} addresses, as asked for")
    if ending is Ending.STOPPED:
        attempt.check()


def _refuse_halted(library: Library, settings: WebSettings) -> None:
    """Postpone a crawl that the operator has paused or closed."""
    status = status_of(library, settings)
    if status is not None and status.state.value != "open":
        raise SourceBusy(
            f"the crawl of {settings.name} is {status.state}", hint=f"windrow crawl open {settings.name}"
        )


def contact_of(settings: WebSettings, config: Config) -> str:
    """Return how operators of a site can contact the owner of the robot; UsageError if that is not set."""
    contact = settings.contact or config.library.contact
    if not contact:
        raise UsageError(
            "the robot needs a contact address, so that the operators of the site can reach you",
            hint="Add one with --contact robot@example.edu, or for all sources as contact in [library].",
        )
    return contact


def space_of(settings: WebSettings) -> UrlSpace:
    """Return the URL space of a source; ConfigError names the invalid line."""
    _need_packages()
    from windrow.sources.web.space import UrlSpace, read_rules, read_starts  # noqa: PLC0415 - an optional dependency

    return UrlSpace(
        read_starts(_path(settings.start_file), settings.start),
        read_rules(_path(settings.allow_file), settings.allow, what="allow"),
        read_rules(_path(settings.exclude_file), settings.exclude, what="exclude"),
    )


def crawl_settings(settings: WebSettings, config: Config, library: Library | None = None) -> CrawlSettings:
    space = space_of(settings)
    from windrow.harvest.web.settings import CrawlSettings  # noqa: PLC0415 - an optional dependency
    from windrow.net.http_settings import user_agent  # noqa: PLC0415
    from windrow.sources.web.fetch import FetchSettings  # noqa: PLC0415

    contact = settings.contact or config.library.contact
    environ = library.environ if library is not None else {}
    return CrawlSettings(
        space,
        FetchSettings(
            user_agent=user_agent(contact or None),
            contact=contact,
            timeout_seconds=min(settings.timeout, settings.page_time),
            deadline_seconds=settings.page_time,
            wire_bytes=settings.max_page,
            body_bytes=2 * settings.max_page,
            connections=settings.connections,
            private=settings.private,
            verify_tls=settings.verify_tls,
            ca_file=settings.ca_file,
            proxy=settings.proxy,
            headers=settings.headers,
            username=settings.username,
            password=find_password(settings, environ=environ),
            credential_origins=_origins(space),
            keeps_wire=settings.warc,
        ),
        interval_seconds=settings.interval,
        host_intervals=dict(settings.host_intervals),
        revisit_seconds=settings.revisit,
        host_revisits=dict(settings.host_revisits),
        retry_seconds=settings.retry,
        attempts=settings.attempts,
        patience_seconds=settings.max_wait,
        connections=settings.connections,
        connections_per_host=settings.parallel,
        limits=limits_of(settings),
        most_depth=settings.max_depth,
        content=settings.content,
        require=settings.require,
        media_types=frozenset(settings.media_types),
        rdfa=settings.rdfa,
        follows_listings=settings.listings,
        warc_folder=library.folder / WARC_FOLDER / settings.name if library and settings.warc else None,
    )


def limits_of(settings: WebSettings) -> Limits:
    """Return how many addresses a crawl may request."""
    from windrow.store.frontier import Limits  # noqa: PLC0415 - not needed everywhere

    return Limits(settings.max_host_pages, settings.max_prefix_pages, settings.max_hosts)


def _origins(space: UrlSpace) -> frozenset[str]:
    """Return the origins that may receive credentials: those of the start pages, over TLS if used."""
    from windrow.sources.web.urls import web_address  # noqa: PLC0415 - an optional dependency

    origins = {web_address(start).origin for start in space.starts}
    return frozenset(origins | {f"https://{each.partition('://')[2]}" for each in origins})


def status_of(library: Library, settings: WebSettings) -> CrawlStatus | None:
    """Return the progress of a source's crawl; None before its first run."""
    from windrow.harvest.web.status import crawl_status  # noqa: PLC0415 - not needed everywhere
    from windrow.store import sources  # noqa: PLC0415

    own = dict(settings.host_intervals)

    def interval(host: str) -> float:
        return own.get(host, own.get(host.rpartition(":")[0] or host, settings.interval))

    with library.store.reading() as connection:
        state = sources.find(connection, settings.name)
        return None if state is None else crawl_status(connection, state.id, interval)


def duration_words(seconds: float) -> str:
    """Return a duration in words, in the largest suitable unit."""
    count, unit = _in_units(seconds)
    return f"{count:,} {unit}" if count != 1 else f"1 {unit.removesuffix('s')}"


def _in_units(seconds: float) -> tuple[int, str]:
    """Return a duration in the largest unit of which there are at least two."""
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return round(seconds / size), unit
    return round(seconds), "seconds"


def _need_packages() -> None:
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"web sites need packages that are not installed: {', '.join(missing)}",
            hint=f"{install_hint('robot')}.",
        )


def _path(text: str | None) -> Path | None:
    return Path(text) if text else None


def _crawl_values(crawl: CrawlSettings, settings: WebSettings) -> dict[str, Any]:
    space = crawl.space
    return {
        "start": len(space.starts),
        "allow": len(space.allow),
        "exclude": len(space.exclude),
        "interval_seconds": settings.interval,
        "revisit_seconds": settings.revisit,
        "content": settings.content,
    }


def _robots_words(values: dict[str, Any]) -> str:
    starts = f"{values['start']:,} start page{'s' if values['start'] != 1 else ''}"
    rules = f"{values['allow']:,} allow and {values['exclude']:,} exclude rules"
    return f"{starts}, {rules}, one request to a host every {values['interval_seconds']:g} s"


def _robots_of(crawl: CrawlSettings, most: int) -> list[tuple[str, str, bool, str]]:
    """Request the robots.txt of the first start pages' hosts, as `ask_robots` does."""
    from windrow.harvest.web.probe import ask_robots  # noqa: PLC0415 - an optional dependency

    return asyncio.run(ask_robots(crawl, most))
