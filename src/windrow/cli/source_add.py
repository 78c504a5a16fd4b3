"""`windrow source add`: a new source in windrow.toml, once its repository has answered."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli import source_options as options
from windrow.cli.source_asking import Steps, asking, prospective
from windrow.cli.state import JSON, library, print_json
from windrow.cli.terminal import hint, printable, say
from windrow.config.schema import FILES
from windrow.errors import ConfigError, UpstreamError, UsageError, WindrowError

if TYPE_CHECKING:
    from windrow.config.schema import SourceSettings
    from windrow.sources.oai import OaiClient
    from windrow.wiring import Library

_TIMES = {"day": "by the day", "second": "by the second"}
_DELETIONS = {
    "persistent": "deletions are reported",
    "transient": "deletions are reported for a while",
    "no": "deletions are not reported",
}
MOST_SETS = 1000  # looked at before a source is added
_NOT_ADDED = "Nothing was added; --no-check adds it all the same."


def add(
    name: Annotated[str, typer.Argument(help="A short name: lower-case letters, digits, dots, dashes.")],
    place: Annotated[
        str,
        typer.Argument(metavar="URL|FOLDER", help="The OAI-PMH base URL; or a folder, with --kind files."),
    ],
    *,
    kind: options.Kind = None,
    url: Annotated[
        str | None, typer.Option("--url", metavar="URL", help="Of a folder: its public address.")
    ] = None,
    content: options.Content = None,
    skip: options.Skip = None,
    formats: options.Formats = None,
    sets: options.Sets = None,
    from_: options.From = None,
    until: options.Until = None,
    mode: options.Mode = None,
    window: options.Window = None,
    granularity: options.Grain = None,
    delay: options.Delay = None,
    timeout: options.Timeout = None,
    username: options.Username = None,
    password_env: options.PasswordEnv = None,
    password_file: options.PasswordFile = None,
    headers: options.RequestHeaders = None,
    public_query: options.PublicQuery = None,
    others: options.Others = None,
    no_check: Annotated[bool, typer.Option("--no-check", help="Do not ask the repository first.")] = False,
    is_again: Annotated[
        bool, typer.Option("--again", help="Add it although another source has its address.")
    ] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Add a source to the library.

    A repository is asked first who it is and what it offers, a folder is looked at; nothing is added where
    that fails, nor where another source has the same address.
    """
    from windrow.config import edit

    settings = options.given(
        **options.place(place, kind=kind, url=url, content=content),
        skip=skip,
        formats=formats,
        sets=sets,
        from_=from_,
        until=until,
        mode=mode,
        window=window,
        granularity=granularity,
        delay=delay,
        timeout=timeout,
        username=username,
        password_env=password_env,
        password_file=password_file,
        headers=headers,
        public_query=public_query,
        others=others,
    )
    settings, moved = options.part_from_secrets(settings)
    settings = {key: value for key, value in settings.items() if value is not None}
    with library() as opened:
        _refuse_taken(opened, name)
        known = {} if is_again else _addresses(opened, settings)
        query = str(settings.get("secret_query") or "")
        _refuse_known(opened, known, str(settings.get("folder") or settings["url"]), query)
        ask = _look if settings.get("kind") == FILES else _ask
        told = {} if no_check else ask(opened, name, settings, Steps(is_quiet=is_json))
        if told.get("moved_to"):
            _refuse_known(opened, known, told["moved_to"], query)
        similar = _but_for_the_scheme(known, settings)
        edit.add_source(opened.folder, name, settings, environ=os.environ)
        advice = _schedule(opened.folder, name)
    for words in moved:
        hint(words)
    if moved:
        options.warn_of_readers(opened.folder)
    if is_json:
        what = "folder" if settings.get("kind") == FILES else "repository"
        print_json(
            {"source": name, "settings": options.shown(settings), what: told or None, "same_address": similar}
        )
        return
    say(f"Added {name}{_introduction(told)}.")
    if told.get("moved_to"):
        from windrow.harvest.identity import edit_command

        hint(printable(f"It has moved permanently: {edit_command(name, told['moved_to'])}"))
    recognised = told.get("sets")
    if recognised and recognised["words"]:
        layout = f" ({recognised['layout']})" if recognised["layout"] else ""
        hint(printable(f"Its sets{layout}: {recognised['words']}. Other roles: windrow source sets {name}"))
    for other in similar:
        hint(
            f"{other} has the same address but for http and https. Are they one? windrow source remove {name}"
        )
    hint(f"Next: windrow harvest {name}")
    hint(advice)


def _schedule(folder: Path, name: str) -> str:
    """Say how the new source is harvested by itself, or how it could be."""
    from windrow.config.job_sources import sources_of
    from windrow.config.load import load

    config = load(folder, environ=os.environ)
    if config.sources[name].kind == FILES:
        return "While `windrow serve` runs, changes in the folder are noticed by themselves."
    covering = [job.name for job in config.jobs.values() if name in sources_of(job, config)]
    if covering:
        return f"The job {covering[0]} harvests it as well from now on: windrow schedule show {covering[0]}"
    job = "nightly" if "nightly" not in config.jobs else f"nightly-{name}"
    return f"By itself from then on: windrow schedule add {job} --daily --at 03:30 harvest {name}"


def _refuse_taken(opened: Library, name: str) -> None:
    taken = opened.config.sources.get(name)
    if taken is not None:
        raise ConfigError(
            f"there is already a source {name} ({taken.url})",
            hint=f"Choose another name, or change that one: windrow source edit {name}",
        )


def _addresses(opened: Library, settings: Mapping[str, object]) -> dict[tuple[str, str], str]:
    """Return the sources of the same kind by their addresses, and by those they have moved to permanently."""
    from windrow.store import sources

    if settings.get("kind") == FILES:
        folders = ((name, each.folder) for name, each in opened.config.sources.items() if each.folder)
        return {_place(folder): name for name, folder in folders}
    repositories = {name: each for name, each in opened.config.sources.items() if each.kind != FILES}
    known: dict[tuple[str, str], str] = {}
    with opened.store.reading() as connection:
        for name, each in repositories.items():
            state = sources.find(connection, name)
            moved_to = state.identity.get("moved_to") if state else None
            if isinstance(moved_to, str):
                known[_place(moved_to, each.secret_query or "")] = name
    return known | {_place(each.url, each.secret_query or ""): name for name, each in repositories.items()}


def _place(place: str, query: str = "") -> tuple[str, str]:
    """Return an address, with its secret parameters, or a folder as `_addresses` has it."""
    from windrow.config.addresses import comparable, endpoint

    if "://" not in place:
        return FILES, str(Path(place).resolve())
    address, _, parameters = endpoint(place, query).partition("#")
    scheme, rest = comparable(address)
    return scheme, f"{rest}#{parameters}"


def _refuse_known(opened: Library, known: Mapping[tuple[str, str], str], place: str, query: str) -> None:
    from windrow.config.addresses import mask_url

    other = known.get(_place(place, query))
    if other is None:
        return
    found = opened.config.sources[other]
    shown = mask_url(place)
    if found.kind != FILES and _place(found.url, found.secret_query or "") != _place(place, query):
        message, remedy = f"{shown} is where the source {other} has moved to", f"--url {shown}"
    else:
        message, remedy = f"{shown} is already the source {other}", "--format PREFIX --set SPEC"
    raise ConfigError(
        message,
        hint=f"Change that one: windrow source edit {other} {remedy}. Or add it all the same: --again.",
    )


def _but_for_the_scheme(known: Mapping[tuple[str, str], str], settings: Mapping[str, object]) -> list[str]:
    """Return the sources whose address is the same but for http and https."""
    if settings.get("kind") == FILES:
        return []
    _, rest = _place(str(settings["url"]), str(settings.get("secret_query") or ""))
    return [name for (_, other), name in known.items() if other == rest]


def _ask(opened: Library, name: str, settings: Mapping[str, object], steps: Steps) -> dict[str, Any]:
    """Ask the repository about itself, as the source would; an error says that nothing was added."""
    config = prospective(opened.folder, name, settings)
    source = config.sources[name]
    with asking(opened, config, source, steps) as client:
        try:
            return _learn(client, source, steps, is_named="formats" in settings)
        except UpstreamError as exc:
            exc.hint = f"{exc.hint} {_NOT_ADDED}".strip()
            raise


def _look(opened: Library, name: str, settings: Mapping[str, object], steps: Steps) -> dict[str, Any]:
    """Look at a folder, as the source would; an error says that nothing was added."""
    from windrow.cli.folder_view import survey
    from windrow.wiring.folders import published

    source = prospective(opened.folder, name, settings).sources[name]
    steps.step("Looking")
    try:
        return survey(published(opened, source)).as_dict()
    except WindrowError as exc:
        exc.hint = f"{exc.hint} {_NOT_ADDED}".strip()
        raise
    finally:
        steps.done()


def _learn(client: OaiClient, source: SourceSettings, steps: Steps, *, is_named: bool) -> dict[str, Any]:
    from windrow.model.stamp import read_granularity

    steps.step("Identify")
    identity = client.identify()
    steps.step("Formats")
    offered: list[str] = []
    try:
        offered = [item.prefix for item in client.formats()]
    except UpstreamError:
        if is_named:
            raise
    roles = _recognised(client, source, steps)
    lacking = [prefix for prefix in source.formats if offered and prefix not in offered]
    if lacking:
        raise UsageError(
            f"the repository does not offer {', '.join(lacking)}; it offers {', '.join(offered)}",
            hint=f"Name one of those with --format. {_NOT_ADDED}",
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


def _recognised(client: OaiClient, source: SourceSettings, steps: Steps) -> dict[str, Any] | None:
    """Return what the sets are recognised as, from some of them and the first records; None where none are.

    Two requests, and one more for each further page of sets. A repository that refuses them is added all the
    same: harvests ask again.
    """
    from windrow.sources.findings.set_roles import judge_roles, layout_words, recognise, role_words
    from windrow.wire.oai.parse import parse_page
    from windrow.wire.oai.request import list_request

    try:
        steps.step("Sets")
        listed = list(islice(client.sets(), MOST_SETS))
        if not listed:
            return None
        steps.step("Identifiers")
        page = parse_page(client.ask(list_request("ListIdentifiers", prefix=source.formats[0])).body)
    except UpstreamError:
        return None
    roles = recognise(listed, [record.sets for record in page.records], source.set_roles)
    finding = judge_roles(roles)
    facts = dict(finding.facts) if finding else {}
    return {**facts, "words": role_words(roles), "layout": layout_words(roles)}


def _introduction(told: Mapping[str, Any]) -> str:
    """The repository in half a line, each thing only where it said so."""
    if not told:
        return ""
    if "files" in told:
        from windrow.cli.folder_view import in_words

        return f": {in_words(told)}"
    parts = [
        f"dates {_TIMES[told['granularity']]}" if told["granularity"] else "",
        _DELETIONS.get(told["deletion"], ""),
        f"offers {', '.join(told['formats'])}" if told["formats"] else "",
    ]
    return printable(f": {told['name'] or 'a repository without a name'} ({'; '.join(filter(None, parts))})")
