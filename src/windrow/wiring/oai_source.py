"""The kind of source that is an OAI-PMH repository: how one is asked, harvested, previewed, traced."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from windrow.config.load import DEFAULT
from windrow.config.source_kinds import RepositorySettings
from windrow.errors import NotOai, Unreachable, UpstreamBusy, UpstreamError, UsageError
from windrow.model.set_layouts import Layout, Role
from windrow.wiring.asking import LATER, MOST_WAITS, asking, make_client
from windrow.wiring.source_kinds import Asking, Line, Probed, Shown, SourceKind, Steps, Watch

if TYPE_CHECKING:
    from windrow.harvest.options import HarvestOptions
    from windrow.harvest.preview import Preview
    from windrow.harvest.retry import Retried
    from windrow.harvest.trace import Trace
    from windrow.model.run import Run
    from windrow.model.set_roles import RoleRules
    from windrow.sources.oai import OaiClient
    from windrow.sources.probe import Report
    from windrow.store.cases import Case
    from windrow.wire.oai.answers import SetEntry
    from windrow.wiring.library import Library

ALSO_NAMED = "Institutions of sets go before the one of the source. If they are parts of it:"
MOST_SETS = 1000  # looked at before a source is added
_TIMES = {"day": "by the day", "second": "by the second"}
_DELETIONS = {
    "persistent": "deletions are reported",
    "transient": "deletions are reported for a while",
    "no": "deletions are not reported",
}


class Repositories(SourceKind[RepositorySettings]):
    """OAI-PMH repositories."""

    def probe(self, settings: RepositorySettings, asking: Asking) -> Probed:
        """Ask the repository about itself, as the source would."""
        is_named = asking.config.origins.get(f"sources.{settings.name}.formats") != DEFAULT
        with _asked(settings, asking) as client:
            rules = asking.config.set_rules(settings.name)
            found = _learn(client, settings, rules, asking.steps, is_named=is_named)
        hints = []
        recognised = found["sets"]
        if recognised and recognised["words"]:
            layout = f" ({recognised['layout']})" if recognised["layout"] else ""
            # Which communities lie in which shows in the records, and of these only a page was looked at.
            first = ", by the first page of records" if Layout.DSPACE in recognised["layout"] else ""
            roles = f"Its sets{layout}: {recognised['words']}{first}. Other roles:"
            hints.append(f"{roles} windrow source sets {settings.name}")
        if settings.institution and recognised and recognised["roles"].get(Role.INSTITUTION.value):
            hints.append(f"{ALSO_NAMED} windrow source sets {settings.name} --level 1=department")
        words = _introduction(found)
        return Probed(words=words, values=found, hints=hints, moved_to=found["moved_to"])

    def check(self, settings: RepositorySettings, asking: Asking, *, prefix: str | None = None) -> Shown:
        """Ask about a dozen questions, and say what each answer means."""
        from windrow.sources.probe import Probe  # noqa: PLC0415 - not needed for harvests

        library, steps = asking.library, asking.steps
        is_source = library is not None and settings.name in library.config.sources
        with _asked(settings, asking) as client:
            report = Probe(
                client,
                prefix=prefix or (settings.formats[0] if is_source else None),
                on_step=steps.step,
                waits=steps.waits,
                delay_seconds=settings.delay,
                late_days=_late_days(library, settings.name),
                rules=asking.config.set_rules(settings.name),
            ).run()
        return _shown(report, settings.name if is_source else None)

    def harvest(
        self, library: Library, settings: RepositorySettings, options: HarvestOptions, watch: Watch
    ) -> Run:
        """Harvest its lists."""
        from windrow.harvest.runner import Runner  # noqa: PLC0415 - not needed for other kinds

        observer, stopper = watch.observer, watch.stopper
        client = make_client(
            library,
            settings,
            sleep=stopper.sleep,
            on_wait=lambda wait: observer.waiting(settings.name, wait),
            ignore_retry_after=watch.ignore_retry_after,
        )
        runner = Runner(
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
        """Ask for the first page of each list."""
        from windrow.harvest import preview as looking  # noqa: PLC0415

        client = make_client(library, settings, on_wait=steps.wait, waits=MOST_WAITS)
        try:
            for item in looking.preview(settings, options, store=library.store, client=client):
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
        """Ask the repository for the record, in one try: what the library knows can be shown without."""
        from windrow.harvest.trace import trace  # noqa: PLC0415

        hasty = replace(settings, attempts=1, timeout=min(settings.timeout, 20.0))
        return trace(
            library.store,
            settings,
            identifier,
            make_client=None
            if steps is None
            else lambda: make_client(library, hasty, on_wait=steps.wait, waits=MOST_WAITS),
        )

    def retry(
        self, library: Library, settings: RepositorySettings, wanted: Sequence[Case], watch: Watch
    ) -> tuple[Run | None, list[Retried]]:
        """Ask for each record again."""
        from windrow.harvest.retry import Retry  # noqa: PLC0415

        observer, stopper = watch.observer, watch.stopper
        client = make_client(
            library, settings, sleep=stopper.sleep, on_wait=lambda wait: observer.waiting(settings.name, wait)
        )
        return Retry(
            settings,
            folder=library.folder,
            store=library.store,
            client=client,
            observer=observer,
            stopper=stopper,
        ).run(wanted)


REPOSITORY = Repositories()


def _asked(settings: RepositorySettings, question: Asking) -> AbstractContextManager[OaiClient]:
    library = question.library
    environ = library.environ if library is not None else os.environ
    return asking(library, question.config, settings, question.steps, environ=environ)


def _late_days(library: Library | None, name: str) -> int | None:
    """Return by how many days harvests of a source have met records that were listed late."""
    from windrow.store import sources  # noqa: PLC0415

    if library is None:
        return None
    with library.store.reading() as connection:
        state = sources.find(connection, name)
    found = state.identity.get("late_days") if state is not None else None
    return found if isinstance(found, int) else None


def _learn(
    client: OaiClient, source: RepositorySettings, rules: RoleRules, steps: Steps, *, is_named: bool
) -> dict[str, Any]:
    from windrow.model.stamp import read_granularity  # noqa: PLC0415

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
        "granularity": read_granularity(identity.granularity),
        "deletion": identity.deletion,
        "earliest": identity.earliest,
        "formats": offered,
        "moved_to": client.moved_to,
        "sets": roles,
    }


def _recognised(
    client: OaiClient, source: RepositorySettings, rules: RoleRules, steps: Steps
) -> dict[str, Any] | None:
    """Return what the sets are recognised as, from some of them and the first records; None where none are.

    Two requests, and one more for each further page of sets. A repository that refuses them is added all the
    same: harvests ask again. Where it refuses ListSets only, the sets on its records are looked at.
    """
    from windrow.sources.findings.set_roles import judge_roles, layout_words, recognise, role_words  # noqa: PLC0415
    from windrow.wire.oai.parse import parse_page  # noqa: PLC0415
    from windrow.wire.oai.request import list_request  # noqa: PLC0415

    listed: list[SetEntry] = []
    steps.step("Sets")
    with suppress(UpstreamError):
        listed.extend(islice(client.sets(), MOST_SETS))
    try:
        steps.step("Identifiers")
        page = parse_page(client.ask(list_request("ListIdentifiers", prefix=source.formats[0])).body)
    except UpstreamError:
        return None
    roles = recognise(listed, [record.sets for record in page.records], rules)
    finding = judge_roles(roles)
    if finding is None:
        return None
    return {**finding.facts, "words": role_words(roles), "layout": layout_words(roles)}


def _introduction(told: dict[str, Any]) -> str:
    """The repository in half a line, each thing only where it said so."""
    parts = [
        f"dates {_TIMES[told['granularity']]}" if told["granularity"] else "",
        _DELETIONS.get(told["deletion"], ""),
        f"offers {', '.join(told['formats'])}" if told["formats"] else "",
    ]
    return f"{told['name'] or 'a repository without a name'} ({'; '.join(filter(None, parts))})"


def _shown(report: Report, name: str | None) -> Shown:
    from windrow.harvest.identity import edit_command  # noqa: PLC0415
    from windrow.sources.findings.finding import brief  # noqa: PLC0415

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
        line = Line(f"It cannot be harvested: {brief(str(failure))}", "bad")
        hints = [_advice(failure)]
        return Shown(values=values, lines=[line], findings=report.findings, hints=hints, failure=failure)
    requests = f"{report.requests:,} request{'' if report.requests == 1 else 's'}"
    hints = [f"Next: windrow source add NAME {report.moved_to or report.url}"] if name is None else []
    if name is not None and report.moved_to is not None:
        hints = [f"It has moved: {edit_command(name, report.moved_to)}"]
    line = Line(f"It can be harvested: {_tally(report)} ({requests}).", "good")
    return Shown(values=values, lines=[line], findings=report.findings, hints=hints)


def _tally(report: Report) -> str:
    counts = {
        grade: sum(item.grade == grade for item in report.findings) for grade in ("good", "note", "problem")
    }
    problems = _plural(counts["problem"], "problem") if counts["problem"] else "no problems"
    return f"{counts['good']} good, {_plural(counts['note'], 'note')}, {problems}"


def _advice(failure: UpstreamError) -> str:
    """What to do next; the errors' own hints send people here."""
    if isinstance(failure, NotOai) and failure.hint == NotOai.hint:
        return "Is this the OAI-PMH base URL? It often ends in /oai, /oai/request, /cgi/oai2 or /oai2d."
    if isinstance(failure, UpstreamBusy):
        return LATER
    if isinstance(failure, Unreachable):
        return "Check the address in a browser, and the network from here."
    return failure.hint or "Ask the people who run the repository, and show them this."


def _preview_lines(item: Preview) -> Iterator[Line]:
    from windrow.harvest.windows import Stretch  # noqa: PLC0415

    yield Line(f"{item.source}: {f'{item.format} {item.spec}'.strip()}", "bold")
    yield Line(f"  {item.url}", "dim")
    begin = (
        "would go on where an earlier run stopped, from" if item.is_resumed else "would ask for records from"
    )
    windows = f", the first of {item.windows:,} windows" if item.windows > 1 else ""
    yield Line(f"  {begin} {Stretch(item.since, item.until)}{windows}")
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
