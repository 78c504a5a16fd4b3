"""`windrow crawl`: inspect, load, pause, reorder and continue the crawl of a web site."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.invocation import JSON, opened_library, print_json, source_names
from windrow.cli.terminal import plural, print_hint, print_line, print_table, printable
from windrow.errors import UsageError

if TYPE_CHECKING:
    from windrow.config.web_settings import WebSettings
    from windrow.harvest.web.status import CrawlStatus, HostStatus
    from windrow.sources.web.space import UrlSpace
    from windrow.sources.web.urls import WebAddress
    from windrow.store.frontier import Frontier, Limits, Page, PageState
    from windrow.wiring import Library

Source = Annotated[str, typer.Argument(metavar="SOURCE", help="The web site.", autocompletion=source_names)]
_LOAD_BATCH = 1_000  # addresses added in one transaction
_HOSTS_SHOWN = 20
_ORDERS = ("breadth", "newest", "oldest", "depth")

crawl_app = typer.Typer(
    help="Control the robot for web sites: its addresses, their order, whether it may go on.",
    no_args_is_help=True,
)


@crawl_app.command()
def status(source: Source, is_json: Annotated[bool, JSON] = False) -> None:
    """Show how far a crawl is, per host and overall."""
    from windrow.wiring.web_source import status_of

    with opened_library() as opened:
        settings = _settings(opened, source)
        found = status_of(opened, settings)
        if is_json:
            print_json(_status_as_dict(source, found))
            return
    if found is None:
        print_line(f"{source} has not been crawled yet.")
        print_hint(f"Next: windrow harvest {source}")
        return
    _show_status(source, found)


@crawl_app.command()
def check(
    source: Source,
    url: Annotated[str, typer.Argument(help="The address in question.")],
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Show whether an address would be fetched, and what decides that.

    No request is made: robots.txt is used as it is remembered. Exit code 1 if it would not be fetched.
    """
    from windrow.wiring.web_source import space_of

    with opened_library() as opened:
        settings = _settings(opened, source)
        _refuse_closed(opened, source)
        answer = _decide(opened, settings, space_of(settings), url)
    if is_json:
        print_json({"source": source, "url": url, **answer})
    else:
        word = "would be fetched" if answer["is_fetched"] else "would not be fetched"
        print_line(printable(f"{answer['address'] or url} {word}: {answer['reason']}."))
        if answer["rule"]:
            print_line(printable(f"  rule    {answer['rule']} ({answer['place']})"))
        print_line(printable(f"  robots  {answer['robots']}"))
        if answer["known"]:
            print_line(printable(f"  known   {answer['known']}"))
    raise typer.Exit(0 if answer["is_fetched"] else 1)


@crawl_app.command()
def urls(
    source: Source,
    *,
    is_new: Annotated[bool, typer.Option("--new", help="Not fetched so far.")] = False,
    is_pending: Annotated[bool, typer.Option("--pending", help="Waiting to be fetched.")] = False,
    is_failed: Annotated[
        bool, typer.Option("--failed", help="Failed: unavailable at the moment, or dropped.")
    ] = False,
    is_unavailable: Annotated[
        bool, typer.Option("--unavailable", help="Failed, and to be tried again.")
    ] = False,
    is_dropped: Annotated[bool, typer.Option("--dropped", help="Dropped after too many failures.")] = False,
    is_missing: Annotated[bool, typer.Option("--missing", help="Without a record in the library.")] = False,
    is_start: Annotated[bool, typer.Option("--start", help="The start pages.")] = False,
    is_all: Annotated[bool, typer.Option("--all", help="All known addresses. [the default]")] = False,
    host: Annotated[str | None, typer.Option("--host", metavar="HOST", help="Those of one host.")] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", help="Found since a date, or so long ago: 2026-01-31, 14d."),
    ] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Print the addresses that the robot knows, one a line.

    The lists can be edited and loaded again: windrow crawl urls NAME --new | windrow crawl select NAME |
    windrow crawl load NAME
    """
    del is_all
    found_since = _parse_time(since)
    with opened_library() as opened:
        _settings(opened, source)
        _refuse_closed(opened, source)
        with _open_frontier(opened, source) as (frontier, connection):
            if frontier is None:
                return
            pages = frontier.pages(
                connection,
                states=_states(
                    is_pending=is_pending,
                    is_failed=is_failed,
                    is_unavailable=is_unavailable,
                    is_dropped=is_dropped,
                ),
                host=host.lower() if host else None,
                since=found_since,
                is_new=is_new,
                has_record=False if is_missing else None,
                starts_only=is_start,
            )
            if is_json:
                print_json([_page_as_dict(page) for page in pages])
                return
            for page in pages:
                sys.stdout.write(f"{page.url}\n")


@crawl_app.command()
def select(source: Source) -> None:
    """Read addresses from standard input, and print those that the rules of a source allow.

    Each is printed in its one spelling, and once.
    """
    from windrow.wiring.web_source import space_of

    with opened_library() as opened:
        space = space_of(_settings(opened, source))
        _refuse_closed(opened, source)
    seen: set[str] = set()
    for line in _lines():
        decision = space.decide(line)
        if decision.is_allowed and decision.address is not None and decision.address.url not in seen:
            seen.add(decision.address.url)
            sys.stdout.write(f"{decision.address.url}\n")


@crawl_app.command()
def load(
    source: Source,
    *,
    is_forced: Annotated[
        bool,
        typer.Option("--force", help="Fetch pages again that are not due, changed or not."),
    ] = False,
    is_start: Annotated[bool, typer.Option("--start", help="The start pages.")] = False,
    is_all: Annotated[bool, typer.Option("--all", help="All known addresses.")] = False,
    is_missing: Annotated[
        bool, typer.Option("--missing", help="Known addresses without a record in the library.")
    ] = False,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", help="Of those: found since a date, or so long ago."),
    ] = None,
    is_harvesting: Annotated[bool, typer.Option("--harvest", help="Harvest afterwards.")] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Queue addresses: those on standard input, or known ones.

    The rules of the source hold. A known address is fetched again when it is due, or now with --force.
    """
    from windrow.wiring.web_source import space_of

    with opened_library() as opened:
        settings = _settings(opened, source)
        space = space_of(settings)
        _refuse_closed(opened, source)
        if is_start or is_all or is_missing:
            wanted = _known_urls(opened, source, space, is_start, is_all, is_missing, _parse_time(since))
        elif since is not None:
            raise UsageError("--since goes with --all or --missing", hint="windrow crawl load --help")
        else:
            wanted = list(_lines())
        counts = _load(opened, settings, space, wanted, is_forced=is_forced)
        if is_json:
            print_json({"source": source, **counts})
        else:
            print_line(
                f"{plural(counts['new'], 'new address', 'new addresses')}, {counts['known']:,} known"
                f" ({counts['queued']:,} queued), {counts['refused']:,} outside the rules."
            )
    if is_harvesting:
        from windrow.cli.sources.harvest_command import harvest

        harvest([source], is_json=is_json)


@crawl_app.command("open")
def open_(source: Source, is_json: Annotated[bool, JSON] = False) -> None:
    """Continue a crawl that was paused or closed."""
    _set_state(source, "open", is_json=is_json)


@crawl_app.command()
def pause(source: Source, is_json: Annotated[bool, JSON] = False) -> None:
    """Make no requests until the crawl is opened again, also across restarts. Addresses can be loaded."""
    _set_state(source, "paused", is_json=is_json)


@crawl_app.command()
def close(source: Source, is_json: Annotated[bool, JSON] = False) -> None:
    """End a crawl that runs; take no addresses and answer no questions about them until it is opened."""
    _set_state(source, "closed", is_json=is_json)


@crawl_app.command()
def order(
    source: Source,
    ordering: Annotated[str, typer.Argument(metavar="|".join(_ORDERS), help="What comes first.")],
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Choose which address of a host comes first, also while the crawl runs.

    breadth: the one with the fewest links from a start page; depth: the one with the most; newest and
    oldest: by when it was found.
    """
    from dataclasses import replace

    from windrow.store.frontier import Ordering

    if ordering not in _ORDERS:
        raise UsageError(f"there is no order {ordering!r}", hint=f"It is one of {', '.join(_ORDERS)}.")
    with opened_library() as opened:
        _settings(opened, source)
        with _open_frontier_for_writing(opened, source) as (frontier, connection):
            control = replace(frontier.control(connection), ordering=Ordering(ordering))
            frontier.set_control(connection, control)
    if is_json:
        print_json({"source": source, "order": ordering})
    else:
        print_line(f"{source} is crawled {ordering} first from now on.")


def _settings(opened: Library, name: str) -> WebSettings:
    """Return the settings of a web site; UsageError for a source of another kind."""
    from windrow.config.web_settings import WebSettings

    settings = opened.source(name)
    if not isinstance(settings, WebSettings):
        sites = [each for each, found in opened.config.sources.items() if isinstance(found, WebSettings)]
        known = f"The web sites of this library: {', '.join(sorted(sites))}." if sites else ""
        raise UsageError(
            f"{name} is not a web site",
            hint=known or "Add one: windrow source add NAME URL --kind web --contact ADDRESS",
        )
    return settings


@contextmanager
def _open_frontier(opened: Library, name: str) -> Iterator[tuple[Any, Any]]:
    """Yield the frontier of a source and a connection to read it; None before the first run."""
    from windrow.store import sources
    from windrow.store.frontier import Frontier

    with opened.store.reading() as connection:
        state = sources.find(connection, name)
        yield (Frontier(state.id) if state else None), connection


@contextmanager
def _open_frontier_for_writing(opened: Library, name: str) -> Iterator[tuple[Frontier, Any]]:
    """Yield the frontier of a source and a connection to write to it; a new source is registered."""
    from windrow.store import sources
    from windrow.store.frontier import Frontier

    settings = opened.source(name)
    with opened.store.writing() as connection:
        yield Frontier(sources.ensure(connection, name, settings.url).id), connection


def _set_state(name: str, word: str, *, is_json: bool) -> None:
    from dataclasses import replace

    from windrow.store.crawl_workers import CrawlWorkers
    from windrow.store.frontier import ControlState

    with opened_library() as opened:
        _settings(opened, name)
        with _open_frontier_for_writing(opened, name) as (frontier, connection):
            control = frontier.control(connection)
            frontier.set_control(connection, replace(control, state=ControlState(word)))
            workers = CrawlWorkers(frontier.source_id).count(connection)
    if is_json:
        print_json({"source": name, "state": word, "workers": workers})
        return
    print_line(f"The crawl of {name} is {word}.")
    if word == "open" and not workers:
        print_hint(f"Next: windrow harvest {name}")
    elif word != "open" and workers:
        print_hint(
            f"{plural(workers, 'process')} at work: requests under way are finished, no others are made."
        )


def _refuse_closed(opened: Library, name: str) -> None:
    with _open_frontier(opened, name) as (frontier, connection):
        if frontier is not None and frontier.control(connection).state.value == "closed":
            raise UsageError(
                f"the crawl of {name} is closed: it takes no addresses and answers no questions about them",
                hint=f"windrow crawl open {name}",
            )


def _states(*, is_pending: bool, is_failed: bool, is_unavailable: bool, is_dropped: bool) -> list[PageState]:
    from windrow.store.frontier import PageState

    states = []
    if is_pending:
        states.append(PageState.QUEUED)
    if is_failed or is_unavailable:
        states.append(PageState.RETRY)
    if is_failed or is_dropped:
        states.append(PageState.DROPPED)
    return states


def _parse_time(text: str | None) -> float | None:
    """Return a date, or a duration before now, as a Unix time in seconds."""
    from datetime import UTC, datetime

    from windrow.config.kinds import parse_duration

    if text is None:
        return None
    try:
        return time.time() - parse_duration(text)
    except ValueError:
        pass
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"{text!r} is neither a date nor a duration", hint="For example 2026-01-31, or 14d."
        ) from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def _lines() -> Iterator[str]:
    """Yield the addresses on standard input, without comments and empty lines."""
    if sys.stdin.isatty():
        print_hint("Addresses, one a line; Ctrl-D ends them:")
    for line in sys.stdin:
        address = line.strip()
        if address and not address.startswith("#"):
            yield address


def _known_urls(
    opened: Library,
    name: str,
    space: UrlSpace,
    is_start: bool,
    is_all: bool,
    is_missing: bool,
    since: float | None,
) -> list[str]:
    found = dict.fromkeys(space.starts if is_start else ())
    with _open_frontier(opened, name) as (frontier, connection):
        if frontier is not None and (is_all or is_missing):
            pages: Iterable[Page] = frontier.pages(
                connection, since=since, has_record=False if is_missing and not is_all else None
            )
            found.update(dict.fromkeys(page.url for page in pages))
    return list(found)


def _load(
    opened: Library, settings: WebSettings, space: UrlSpace, wanted: Iterable[str], *, is_forced: bool
) -> dict[str, int]:
    from windrow.store.frontier import Found

    found: dict[str, Found] = {}
    counts = {"new": 0, "known": 0, "queued": 0, "refused": 0}
    for line in wanted:
        decision = space.decide(line)
        address = decision.address
        if not decision.is_allowed or address is None:
            counts["refused"] += 1
            continue
        found[address.url] = Found(address.url, address.host, address.prefix)
    pages = list(found.values())
    for start in range(0, len(pages), _LOAD_BATCH):
        some = pages[start : start + _LOAD_BATCH]
        with _open_frontier_for_writing(opened, settings.name) as (frontier, connection):
            known = [each.url for each in some if frontier.find(connection, each.url) is not None]
            counts["new"] += frontier.add(connection, some).new
            counts["known"] += len(known)
            if is_forced:
                counts["queued"] += frontier.force(connection, known)
            else:
                counts["queued"] += frontier.queue_due(connection, known)
    return counts


def _decide(opened: Library, settings: WebSettings, space: UrlSpace, url: str) -> dict[str, Any]:
    """Return what decides about an address: a rule, the stored robots.txt, or a limit."""
    from windrow.sources.web.robots import RobotsAnswer, RobotsPolicy, RobotsState
    from windrow.store import frontier as frontiers
    from windrow.wiring.web_source import limits_of

    decision = space.decide(url)
    answer: dict[str, Any] = {
        "is_fetched": decision.is_allowed,
        "decided_by": "rule" if decision.rule else decision.verdict.value,
        "reason": decision.reason,
        "address": decision.address.url if decision.address else None,
        "rule": decision.rule.pattern if decision.rule else None,
        "place": decision.rule.place if decision.rule else None,
        "robots": "not consulted",
        "known": None,
    }
    if decision.address is None:
        return answer
    with _open_frontier(opened, settings.name) as (frontier, connection):
        page = frontier.find(connection, decision.address.url) if frontier is not None else None
        remembered = frontiers.robots_of(connection, decision.address.origin)
        if frontier is not None and (page is None or page.visited_at is None):
            limit = _limit(
                frontier, connection, decision.address, limits_of(settings), is_known=page is not None
            )
        else:
            limit = ""
    if page is not None:
        answer["known"] = _describe_page(page)
    if remembered is None:
        answer["robots"], is_allowed = "not fetched yet", True
    else:
        policy = RobotsPolicy(RobotsAnswer(RobotsState(remembered[0]), *remembered[1:]))
        line = policy.line_for(decision.address.url)
        answer["robots"] = {
            RobotsState.NONE: "there is none: everything is allowed",
            RobotsState.UNAVAILABLE: f"unavailable ({remembered[3]}): nothing is fetched for now",
        }.get(policy.answer.state, line or "no line is about this address")
        is_allowed = policy.allows(decision.address.url)
    if not decision.is_allowed:
        return answer
    if not is_allowed:
        answer |= {
            "is_fetched": False,
            "decided_by": "robots.txt",
            "reason": f"robots.txt: {answer['robots']}",
        }
    elif limit:
        answer |= {"is_fetched": False, "decided_by": "limit", "reason": limit}
    return answer


def _limit(
    frontier: Frontier, connection: Any, address: WebAddress, limits: Limits, *, is_known: bool
) -> str:
    """Return the limit that excludes an address that was never requested; "" if there is none."""
    from windrow.store.frontier import Found

    for prefix in (address.prefix, address.family):
        closed = frontier.prefix_counts(connection, prefix)[3]
        if closed:
            return f"no more addresses under {prefix} are asked for ({closed})"
    found = Found(address.url, address.host, address.prefix)
    refused = None if is_known else frontier.refusal(connection, found, limits)
    if refused is None:
        return ""
    words = {"hosts": "the crawl has as many hosts as it may", "host": "its host has too many addresses"}
    return words.get(refused[0], f"there are too many addresses under {refused[1]}")


def _describe_page(page: Page) -> str:
    outcome = f", {page.outcome}" if page.outcome else ""
    status = f" (status {page.status})" if page.status else ""
    record = f"; record {page.identifier}" if page.identifier else ""
    visited = f"; fetched {_iso(page.visited_at)}, due {_iso(page.due_at)}" if page.visited_at else ""
    return f"{page.state.value}{outcome}{status}{record}{visited}"


def _page_as_dict(page: Page) -> dict[str, Any]:
    return {
        "url": page.url,
        "state": page.state.value,
        "outcome": page.outcome or None,
        "message": page.message or None,
        "status": page.status,
        "failures": page.failures,
        "depth": page.depth,
        "found": _iso(page.found_at),
        "visited": _iso(page.visited_at),
        "due": _iso(page.due_at),
        "record": page.identifier,
        "redirects_to": page.target,
    }


def _iso(seconds: float | None) -> str | None:
    from datetime import UTC, datetime

    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _status_as_dict(name: str, found: CrawlStatus | None) -> dict[str, Any]:
    if found is None:
        return {"source": name, "state": "open", "workers": 0, "known": 0, "queued": 0, "hosts": []}
    slowest = found.slowest
    return {
        "source": name,
        "state": found.state.value,
        "order": found.ordering.value,
        "workers": found.workers,
        "known": found.known,
        "queued": found.queued,
        "states": {state.value: count for state, count in found.counts.items()},
        "seconds_left": found.seconds_left,
        "slowest_host": slowest.name if slowest else None,
        "hosts": [
            {
                "host": host.name,
                "queued": host.queued,
                "done": host.done,
                "failed": host.failed,
                "dropped": host.dropped,
                "refused": host.refused,
                "next": _iso(host.next_at) if host.next_at else None,
                "interval_seconds": host.interval_seconds,
                "robots": host.robots or None,
            }
            for host in found.hosts
        ],
    }


def _show_status(name: str, found: CrawlStatus) -> None:
    from windrow.wiring.web_source import duration_words

    at_work = f", {plural(found.workers, 'process')} at work" if found.workers else ""
    print_line(f"The crawl of {name} is {found.state}{at_work}; {found.ordering} first.", style="bold")
    print_line(f"{plural(found.known, 'address', 'addresses')} known, {found.queued:,} waiting.")
    if found.slowest is not None:
        words = duration_words(found.seconds_left)
        print_line(printable(f"At least {words} to go, because of {found.slowest.name}."))
    rows = [_host_row(host) for host in found.hosts[:_HOSTS_SHOWN]]
    headings = ("host", "queued", "done", "failed", "dropped", "refused", "next", "robots.txt")
    print_table(headings, rows, right=" rrrrr  ")
    if len(found.hosts) > _HOSTS_SHOWN:
        print_hint(
            f"and {len(found.hosts) - _HOSTS_SHOWN:,} further hosts: windrow crawl status {name} --json"
        )
    if found.state.value != "open":
        print_hint(f"To go on: windrow crawl open {name}")


def _host_row(host: HostStatus) -> list[str]:
    amounts = (host.queued, host.done, host.failed, host.dropped, host.refused)
    following = f"in {max(0, host.next_at - time.time()):.0f} s" if host.next_at else "now"
    return [
        printable(host.name),
        *(f"{amount:,}" for amount in amounts),
        following if host.queued else "–",
        host.robots or "not fetched",
    ]
