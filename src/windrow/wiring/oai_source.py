"""The kind of source that is an OAI-PMH repository: its clients, probes, harvests and traces."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from windrow.config.loader import DEFAULT
from windrow.config.schema import SourceSettings
from windrow.config.secrets import find_password, mask_for_source
from windrow.config.source_kinds import RepositorySettings, kind_of
from windrow.errors import Interrupted, NotOai, Unreachable, UpstreamBusy, UpstreamError, UsageError
from windrow.model.set_layouts import Layout, Role
from windrow.net.client import HttpClient
from windrow.net.http_settings import HttpSettings, user_agent
from windrow.sources.oai_client import OaiClient
from windrow.wiring.source_kinds import Asking, Line, Probed, Shown, SourceKind, Steps, Watch

if TYPE_CHECKING:
    from windrow.config.schema import Config
    from windrow.harvest.oai.harvester import ListPreview
    from windrow.harvest.options import HarvestOptions
    from windrow.harvest.quarantine_retry import RetriedCase
    from windrow.harvest.trace import Trace
    from windrow.model.run import Run
    from windrow.model.set_assignment import RoleRules
    from windrow.net.politeness import Hosts, Wait
    from windrow.protocols.oai.repository_info import SetEntry
    from windrow.sources.repository_probe import ProbeReport
    from windrow.store.harvests.quarantine_cases import QuarantineCase
    from windrow.store.store import Store
    from windrow.wiring.library import Library


# A server that asks for time does answer, so it is given that time (`max_wait` at once).
PROBE_ATTEMPTS = 2
PROBE_TIMEOUT_SECONDS = 30.0
MAX_PROBE_WAITS = 50  # for one request
LATER = "Try again then; the server asked for that time."


def make_client(
    library: Library,
    settings: SourceSettings,
    *,
    sleep: Callable[[float], None] = time.sleep,
    on_wait: Callable[[Wait], None] | None = None,
    ignore_retry_after: bool = False,
    waits: int | None = None,
) -> OaiClient:
    """Return a client for a source. Clients of one library share its `hosts`.

    `waits` is how often one request may be asked to come back later; by default `attempts`.
    """
    as_repository(settings)
    http = make_http(
        settings,
        contact=library.config.library.contact,
        environ=library.environ,
        store=library.store,
        hosts=library.hosts,
        sleep=sleep,
        on_wait=on_wait,
        ignore_retry_after=ignore_retry_after,
        waits=waits,
    )
    return make_oai_client(settings, http, environ=library.environ)


def as_repository(settings: SourceSettings) -> RepositorySettings:
    """Return the settings of an OAI-PMH repository; UsageError for a source of another kind."""
    if not isinstance(settings, RepositorySettings):
        raise UsageError(
            f"{settings.name} is {kind_of(settings).label}: there is no repository to be asked",
            hint=f"`windrow harvest {settings.name}` looks at it, with --full at everything anew.",
        )
    return settings


@contextmanager
def open_probe_client(
    library: Library | None,
    config: Config,
    settings: SourceSettings,
    steps: Steps,
    *,
    environ: Mapping[str, str],
) -> Iterator[OaiClient]:
    """Yield a client for a source that may not exist yet. Ctrl-C ends only the requests.

    A person is waiting, so silence is reported sooner than in a nightly run.
    """
    settings = replace(
        settings,
        attempts=min(settings.attempts, PROBE_ATTEMPTS),
        timeout=min(settings.timeout, PROBE_TIMEOUT_SECONDS),
    )
    if library is not None:
        client = make_client(library, settings, on_wait=steps.wait, waits=MAX_PROBE_WAITS)
    else:
        contact = config.library.contact
        http = make_http(
            settings, contact=contact, environ=environ, on_wait=steps.wait, waits=MAX_PROBE_WAITS
        )
        client = make_oai_client(settings, http, environ=environ)
    try:
        yield client
    except UpstreamBusy as exc:
        exc.hint = exc.hint.replace(UpstreamBusy.hint, LATER)  # there is no flag here to override it
        raise
    except KeyboardInterrupt:
        raise Interrupted("interrupted; nothing was changed") from None
    finally:
        steps.done()
        client.close()


def make_oai_client(settings: SourceSettings, http: HttpClient, *, environ: Mapping[str, str]) -> OaiClient:
    """Return a client for the repository of a source, which sends its secrets and masks them in errors."""
    redact = mask_for_source(settings, environ).text
    return OaiClient(settings.url, http, query=settings.secret_query or "", redact=redact)


def make_http(
    settings: SourceSettings,
    *,
    contact: str,
    environ: Mapping[str, str],
    store: Store | None = None,
    hosts: Hosts | None = None,
    sleep: Callable[[float], None] = time.sleep,
    on_wait: Callable[[Wait], None] | None = None,
    ignore_retry_after: bool = False,
    waits: int | None = None,
) -> HttpClient:
    return HttpClient(
        HttpSettings(
            timeout_seconds=settings.timeout,
            deadline_seconds=settings.deadline,
            max_response_bytes=settings.max_response,
            attempts=settings.attempts,
            waits=waits,
            backoff_seconds=settings.backoff,
            max_wait_seconds=settings.max_wait,
            delay_seconds=settings.delay,
            user_agent=user_agent(contact or None),
            headers=settings.headers,
            username=settings.username,
            password=find_password(settings, environ=environ),
            proxy=settings.proxy,
            verify_tls=settings.verify_tls,
            ca_file=settings.ca_file,
            ignore_retry_after=ignore_retry_after,
            secret_path=settings.secret_path,
            public_query=settings.public_query,
        ),
        memory=store.memory if store else None,
        hosts=hosts,
        sleep=sleep,
        on_wait=on_wait,
    )


MAX_NAMES_LISTED = "Institutions of sets go before the one of the source. If they are parts of it:"
MAX_SETS_SAMPLED = 1000  # examined before a source is added
_TIMES = {"day": "by the day", "second": "by the second"}
_DELETIONS = {
    "persistent": "deletions are reported",
    "transient": "deletions are reported for a while",
    "no": "deletions are not reported",
}


class Repositories(SourceKind[RepositorySettings]):
    """OAI-PMH repositories."""

    def probe(self, settings: RepositorySettings, asking: Asking) -> Probed:
        """Probe the repository with the settings of the source."""
        is_named = asking.config.origins.get(f"sources.{settings.name}.formats") != DEFAULT
        with _settings_to_probe(settings, asking) as client:
            rules = asking.config.set_rules(settings.name)
            found = _introduce_source(client, settings, rules, asking.steps, is_named=is_named)
        hints = []
        recognised = found["sets"]
        if recognised and recognised["words"]:
            layout = f" ({recognised['layout']})" if recognised["layout"] else ""
            # Only the records show which community contains which, and only one page of them was read.
            first = ", by the first page of records" if Layout.DSPACE in recognised["layout"] else ""
            roles = f"Its sets{layout}: {recognised['words']}{first}. Other roles:"
            hints.append(f"{roles} windrow source sets {settings.name}")
        if settings.institution and recognised and recognised["roles"].get(Role.INSTITUTION.value):
            hints.append(f"{MAX_NAMES_LISTED} windrow source sets {settings.name} --level 1=department")
        words = _introduction(found)
        return Probed(words=words, values=found, hints=hints, moved_to=found["moved_to"])

    def check(self, settings: RepositorySettings, asking: Asking, *, prefix: str | None = None) -> Shown:
        """Send about a dozen requests, and explain each answer."""
        from windrow.sources.repository_probe import Probe  # noqa: PLC0415 - not needed for harvests

        library, steps = asking.library, asking.steps
        is_source = library is not None and settings.name in library.config.sources
        with _settings_to_probe(settings, asking) as client:
            report = Probe(
                client,
                prefix=prefix or (settings.formats[0] if is_source else None),
                on_step=steps.step,
                waits=steps.waits,
                delay_seconds=settings.delay,
                late_days=_late_days(library, settings.name),
                rules=asking.config.set_rules(settings.name),
            ).run()
        return _show_report(report, settings.name if is_source else None)

    def harvest(
        self, library: Library, settings: RepositorySettings, options: HarvestOptions, watch: Watch
    ) -> Run:
        from windrow.harvest.oai.harvester import Harvester  # noqa: PLC0415 - not needed for other kinds

        observer, stopper = watch.observer, watch.stopper
        client = make_client(
            library,
            settings,
            sleep=stopper.sleep,
            on_wait=lambda wait: observer.waiting(settings.name, wait),
            ignore_retry_after=watch.ignore_retry_after,
        )
        runner = Harvester(
            settings,
            folder=library.folder,
            store=library.store,
            client=client,
            observer=observer,
            stopper=stopper,
        )
        return runner.run(options)

    def preview(
        self, library: Library, settings: RepositorySettings, options: HarvestOptions, steps: Steps
    ) -> Iterator[Shown]:
        """Request the first page of each list."""
        from windrow.harvest.oai import harvester as looking  # noqa: PLC0415

        client = make_client(library, settings, on_wait=steps.wait, waits=MAX_PROBE_WAITS)
        try:
            for item in looking.preview_lists(settings, options, store=library.store, client=client):
                steps.done()
                yield Shown(
                    values=asdict(item), lines=list(_preview_lines(item)), has_problem=bool(item.problem)
                )
        finally:
            steps.done()
            client.close()

    def trace(
        self, library: Library, settings: RepositorySettings, identifier: str, steps: Steps | None
    ) -> Trace:
        """Request the record in one attempt; if that fails, the library's data are shown without it."""
        from windrow.harvest.trace import trace  # noqa: PLC0415

        hasty = replace(settings, attempts=1, timeout=min(settings.timeout, 20.0))
        return trace(
            library.store,
            settings,
            identifier,
            make_client=None
            if steps is None
            else lambda: make_client(library, hasty, on_wait=steps.wait, waits=MAX_PROBE_WAITS),
        )

    def retry(
        self, library: Library, settings: RepositorySettings, wanted: Sequence[QuarantineCase], watch: Watch
    ) -> tuple[Run | None, list[RetriedCase]]:
        from windrow.harvest.quarantine_retry import QuarantineRetry  # noqa: PLC0415

        observer, stopper = watch.observer, watch.stopper
        client = make_client(
            library, settings, sleep=stopper.sleep, on_wait=lambda wait: observer.waiting(settings.name, wait)
        )
        return QuarantineRetry(
            settings,
            folder=library.folder,
            store=library.store,
            client=client,
            observer=observer,
            stopper=stopper,
        ).run(wanted)


REPOSITORY = Repositories()


def _settings_to_probe(settings: RepositorySettings, question: Asking) -> AbstractContextManager[OaiClient]:
    library = question.library
    environ = library.environ if library is not None else os.environ
    return open_probe_client(library, question.config, settings, question.steps, environ=environ)


def _late_days(library: Library | None, name: str) -> int | None:
    """Return by how many days a source has listed records late in past harvests."""
    from windrow.store import sources  # noqa: PLC0415

    if library is None:
        return None
    with library.store.reading() as connection:
        state = sources.find(connection, name)
    found = state.identity.get("late_days") if state is not None else None
    return found if isinstance(found, int) else None


def _introduce_source(
    client: OaiClient, source: RepositorySettings, rules: RoleRules, steps: Steps, *, is_named: bool
) -> dict[str, Any]:
    from windrow.model.record import parse_granularity  # noqa: PLC0415

    steps.step("Identify")
    identity = client.identify()
    steps.step("Formats")
    offered: list[str] = []
    try:
        offered = [item.prefix for item in client.formats()]
    except UpstreamError:
        if is_named:
            raise
    roles = _recognised(client, source, rules, steps)
    lacking = [prefix for prefix in source.formats if offered and prefix not in offered]
    if lacking:
        raise UsageError(
            f"the repository does not offer {', '.join(lacking)}; it offers {', '.join(offered)}",
            hint="Name one of those with --format.",
        )
    return {
        "name": identity.name,
        "granularity": parse_granularity(identity.granularity),
        "deletion": identity.deletion,
        "earliest": identity.earliest,
        "formats": offered,
        "moved_to": client.moved_to,
        "sets": roles,
    }


def _recognised(
    client: OaiClient, source: RepositorySettings, rules: RoleRules, steps: Steps
) -> dict[str, Any] | None:
    """Return the roles recognized for a sample of the sets, with the first records; None if none are.

    Sends two requests, and one for each further page of sets. A repository that refuses them is added
    nevertheless, because harvests ask again. If it refuses only ListSets, the sets on its records are used.
    """
    from windrow.protocols.oai.oai_request import list_request  # noqa: PLC0415
    from windrow.protocols.oai.page_parser import parse_page  # noqa: PLC0415
    from windrow.sources.repository_findings import (  # noqa: PLC0415
        describe_layouts,
        describe_roles,
        judge_roles,
        recognise_roles,
    )

    listed: list[SetEntry] = []
    steps.step("Sets")
    with suppress(UpstreamError):
        listed.extend(islice(client.sets(), MAX_SETS_SAMPLED))
    try:
        steps.step("Identifiers")
        page = parse_page(client.ask(list_request("ListIdentifiers", prefix=source.formats[0])).body)
    except UpstreamError:
        return None
    roles = recognise_roles(listed, [record.sets for record in page.records], rules)
    finding = judge_roles(roles)
    if finding is None:
        return None
    return {**finding.facts, "words": describe_roles(roles), "layout": describe_layouts(roles)}


def _introduction(told: dict[str, Any]) -> str:
    """Return the repository in half a line, with what it reported about itself."""
    parts = [
        f"dates {_TIMES[told['granularity']]}" if told["granularity"] else "",
        _DELETIONS.get(told["deletion"], ""),
        f"offers {', '.join(told['formats'])}" if told["formats"] else "",
    ]
    return f"{told['name'] or 'a repository without a name'} ({'; '.join(filter(None, parts))})"


def _show_report(report: ProbeReport, name: str | None) -> Shown:
    from windrow.harvest.oai.capabilities import edit_command  # noqa: PLC0415
    from windrow.sources.repository_findings import shorten  # noqa: PLC0415

    failure = report.failure
    values = {
        "url": report.url,
        "is_harvestable": failure is None,
        "moved_to": report.moved_to,
        "reason": str(failure) if failure else None,
        "hint": _advice(failure) if failure else None,
        "format": report.format,
        "requests": report.requests,
        "findings": [
            {
                "topic": item.topic,
                "grade": item.grade.value,
                "found": item.found,
                "windrow": item.action,
                "facts": dict(item.facts),
            }
            for item in report.findings
        ],
    }
    if failure is not None:
        line = Line(f"It cannot be harvested: {shorten(str(failure))}", "bad")
        hints = [_advice(failure)]
        return Shown(values=values, lines=[line], findings=report.findings, hints=hints, failure=failure)
    requests = f"{report.requests:,} request{'' if report.requests == 1 else 's'}"
    hints = [f"Next: windrow source add NAME {report.moved_to or report.url}"] if name is None else []
    if name is not None and report.moved_to is not None:
        hints = [f"It has moved: {edit_command(name, report.moved_to)}"]
    line = Line(f"It can be harvested: {_count_findings(report)} ({requests}).", "good")
    return Shown(values=values, lines=[line], findings=report.findings, hints=hints)


def _count_findings(report: ProbeReport) -> str:
    counts = {
        grade: sum(item.grade == grade for item in report.findings) for grade in ("good", "note", "problem")
    }
    problems = _plural(counts["problem"], "problem") if counts["problem"] else "no problems"
    return f"{counts['good']} good, {_plural(counts['note'], 'note')}, {problems}"


def _advice(failure: UpstreamError) -> str:
    """Return what to do next; the hints of the errors themselves refer people to this command."""
    if isinstance(failure, NotOai) and failure.hint == NotOai.hint:
        return "Is this the OAI-PMH base URL? It often ends in /oai, /oai/request, /cgi/oai2 or /oai2d."
    if isinstance(failure, UpstreamBusy):
        return LATER
    if isinstance(failure, Unreachable):
        return "Check the address in a browser, and the network from here."
    return failure.hint or "Ask the people who run the repository, and show them this."


def _preview_lines(item: ListPreview) -> Iterator[Line]:
    from windrow.harvest.oai.windows import DateRange  # noqa: PLC0415

    yield Line(f"{item.source}: {f'{item.format} {item.spec}'.strip()}", "bold")
    yield Line(f"  {item.url}", "dim")
    begin = (
        "would go on where an earlier run stopped, from" if item.is_resumed else "would ask for records from"
    )
    windows = f", the first of {item.windows:,} windows" if item.windows > 1 else ""
    yield Line(f"  {begin} {DateRange(item.since, item.until)}{windows}")
    if item.problem:
        yield Line(f"  {item.problem}", "bad")
    elif item.promised == 0:
        yield Line("  nothing new")
    elif item.promised is None:
        yield Line(f"  {_plural(item.page_size, 'record')} on the first page; how many in all is not said")
    else:
        pages = f", {item.page_size:,} on the first page" if item.has_more else ", on one page"
        yield Line(f"  {_plural(item.promised, 'record')}{pages}")


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun if count == 1 else noun + 's'}"
