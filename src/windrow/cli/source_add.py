"""`windrow source add`: a new source in windrow.toml, once its repository has answered."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from windrow.cli import source_options as options
from windrow.cli.source_asking import Steps, hide_secrets, prospective
from windrow.cli.state import JSON, library, print_json
from windrow.cli.terminal import hint, printable, say
from windrow.config.source_kinds import Place, kind_of
from windrow.errors import ConfigError, WindrowError

if TYPE_CHECKING:
    from windrow.config.schema import Config, SourceSettings
    from windrow.wiring import Library
    from windrow.wiring.source_kinds import Probed

_NOT_ADDED = "Nothing was added; --no-check adds it all the same."


def add(
    name: Annotated[str, typer.Argument(help="A short name: lower-case letters, digits, dots, dashes.")],
    place: Annotated[
        str | None,
        typer.Argument(metavar="URL|FOLDER", help="The OAI-PMH base URL; or a folder, with --kind files."),
    ] = None,
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
    institution: options.Institution = None,
    others: options.Others = None,
    no_check: Annotated[
        bool, typer.Option("--no-check", help="Add it without asking or looking first.")
    ] = False,
    is_again: Annotated[
        bool, typer.Option("--again", help="Add it although another source has its address.")
    ] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Add a source to the library.

    A repository is asked first who it is and what it offers, a folder is looked at, the host of a web site
    is asked for its robots.txt; nothing is added where that fails, nor where another source has the same
    address.
    """
    from windrow.config import edit
    from windrow.wiring.source_kinds import Probed

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
        institution=institution,
        others=others,
    )
    settings, moved = options.part_from_secrets(settings)
    settings = {key: value for key, value in settings.items() if value is not None}
    with library() as opened:
        _refuse_taken(opened, name)
        config = prospective(opened.folder, name, settings)
        source = config.sources[name]
        known = {} if is_again else _places(opened, source)
        _refuse_known(opened, known, source)
        told = Probed() if no_check else _probe(opened, config, source, Steps(is_quiet=is_json))
        if told.moved_to:
            _refuse_known(opened, known, replace(source, url=told.moved_to))
        similar = _but_for_the_scheme(known, source)
        edit.add_source(opened.folder, name, settings, environ=os.environ)
        advice = _schedule(opened.folder, name)
    for words in moved:
        hint(words)
    if moved:
        options.warn_of_readers(opened.folder)
    if is_json:
        what = "repository" if kind_of(source).is_repository else kind_of(source).label.partition(" ")[2]
        values = dict(told.values) or None
        print_json(
            {"source": name, "settings": options.shown(settings), what: values, "same_address": similar}
        )
        return
    say(printable(f"Added {name}{': ' * bool(told.words)}{told.words}."))
    if told.moved_to:
        from windrow.harvest.identity import edit_command

        hint(printable(f"It has moved permanently: {edit_command(name, told.moved_to)}"))
    for words in told.hints:
        hint(printable(words))
    for other in similar:
        hint(
            f"{other} has the same address but for http and https. Are they one? windrow source remove {name}"
        )
    hint(f"Next: windrow harvest {name}")
    hint(advice)


def _schedule(folder: Path, name: str) -> str:
    """Return how the new source is harvested by itself, or how it could be."""
    from windrow.config.job_sources import sources_of
    from windrow.config.load import load

    config = load(folder, environ=os.environ)
    if kind_of(config.sources[name]).advice:
        return kind_of(config.sources[name]).advice.replace("{name}", name)
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


def _places(opened: Library, new: SourceSettings) -> dict[Place, str]:
    """Return the sources of the same kind by their places, and by those they have moved to permanently."""
    from windrow.store import sources

    kind = kind_of(new)
    alike = {name: each for name, each in opened.config.sources.items() if kind_of(each).name == kind.name}
    known: dict[Place, str] = {}
    with opened.store.reading() as connection:
        for name, each in alike.items():
            state = sources.find(connection, name)
            moved_to = state.identity.get("moved_to") if state else None
            if isinstance(moved_to, str):
                known[kind.place(replace(each, url=moved_to))] = name
    return known | {kind.place(each): name for name, each in alike.items()}


def _refuse_known(opened: Library, known: Mapping[Place, str], new: SourceSettings) -> None:
    kind = kind_of(new)
    other = known.get(kind.place(new))
    if other is None:
        return
    found = opened.config.sources[other]
    shown = kind.shown_place(new)
    if kind.place(found) != kind.place(new):
        message, remedy = f"{shown} is where the source {other} has moved to", f"--url {shown}"
    else:
        message, remedy = f"{shown} is already the source {other}", "--format PREFIX --set SPEC"
    raise ConfigError(
        message,
        hint=f"Change that one: windrow source edit {other} {remedy}. Or add it all the same: --again.",
    )


def _but_for_the_scheme(known: Mapping[Place, str], new: SourceSettings) -> list[str]:
    """Return the sources whose address is the same but for http and https."""
    if not kind_of(new).is_repository:
        return []
    _, rest = kind_of(new).place(new)
    return [name for (_, other), name in known.items() if other == rest]


def _probe(opened: Library, config: Config, source: SourceSettings, steps: Steps) -> Probed:
    """Look at the source as its kind does; an error says that nothing was added."""
    from windrow.wiring.source_kinds import Asking, kind_for

    hide_secrets(config)
    try:
        return kind_for(source).probe(source, Asking(config=config, library=opened, steps=steps))
    except WindrowError as exc:
        exc.hint = f"{exc.hint} {_NOT_ADDED}".strip()
        raise
