"""`windrow source add` and `windrow source edit`: sources in windrow.toml, with all other bytes kept."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from windrow.cli.invocation import JSON, opened_library, print_json, source_names
from windrow.cli.sources import source_flags as options
from windrow.cli.sources.sets_command import remap_records
from windrow.cli.sources.source_check import StepDisplay, hide_secrets, prospective_config
from windrow.cli.terminal import plural, print_hint, print_line, printable
from windrow.config.source_kinds import Place, kind_of
from windrow.errors import ConfigError, UsageError, WindrowError

if TYPE_CHECKING:
    from windrow.config.schema import Config, SourceSettings
    from windrow.wiring import Library
    from windrow.wiring.source_kinds import Probed

# `windrow source add`: adds a source once its repository has answered.

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
    from windrow.config import editor
    from windrow.wiring.source_kinds import Probed

    settings = options.settings_from_flags(
        **options.settings_from_place(place, kind=kind, url=url, content=content),
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
    settings, moved = options.split_secrets(settings)
    settings = {key: value for key, value in settings.items() if value is not None}
    with opened_library() as opened:
        _refuse_taken(opened, name)
        config = prospective_config(opened.folder, name, settings)
        source = config.sources[name]
        known = {} if is_again else _places(opened, source)
        _refuse_known(opened, known, source)
        told = Probed() if no_check else _probe(opened, config, source, StepDisplay(is_quiet=is_json))
        if told.moved_to:
            _refuse_known(opened, known, replace(source, url=told.moved_to))
        similar = _same_except_scheme(known, source)
        editor.add_source(opened.folder, name, settings, environ=os.environ)
        advice = _schedule(opened.folder, name)
    for words in moved:
        print_hint(words)
    if moved:
        options.warn_if_readable(opened.folder)
    if is_json:
        what = "repository" if kind_of(source).is_repository else kind_of(source).label.partition(" ")[2]
        values = dict(told.values) or None
        print_json(
            {
                "source": name,
                "settings": options.public_settings(settings),
                what: values,
                "same_address": similar,
            }
        )
        return
    print_line(printable(f"Added {name}{': ' * bool(told.words)}{told.words}."))
    if told.moved_to:
        from windrow.harvest.oai.capabilities import edit_command

        print_hint(printable(f"It has moved permanently: {edit_command(name, told.moved_to)}"))
    for words in told.hints:
        print_hint(printable(words))
    for other in similar:
        print_hint(
            f"{other} has the same address but for http and https. Are they one? windrow source remove {name}"
        )
    print_hint(f"Next: windrow harvest {name}")
    print_hint(advice)


def _schedule(folder: Path, name: str) -> str:
    """Return how the new source is harvested automatically, or how that can be set up."""
    from windrow.config.job_sources import sources_of
    from windrow.config.loader import load

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
    """Return the sources of the same kind by address, including addresses they have permanently moved to."""
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


def _same_except_scheme(known: Mapping[Place, str], new: SourceSettings) -> list[str]:
    """Return the sources whose address differs only in http and https."""
    if not kind_of(new).is_repository:
        return []
    _, rest = kind_of(new).place(new)
    return [name for (_, other), name in known.items() if other == rest]


def _probe(opened: Library, config: Config, source: SourceSettings, steps: StepDisplay) -> Probed:
    """Probe the source according to its kind; errors add that nothing was added."""
    from windrow.wiring.source_kinds import Asking, kind_for

    hide_secrets(config)
    try:
        return kind_for(source).probe(source, Asking(config=config, library=opened, steps=steps))
    except WindrowError as exc:
        exc.hint = f"{exc.hint} {_NOT_ADDED}".strip()
        raise


def edit(
    name: Annotated[str, typer.Argument(help="The source.", autocompletion=source_names)],
    *,
    url: Annotated[str | None, typer.Option("--url", metavar="URL", help="Where the source answers.")] = None,
    is_moved: Annotated[
        bool,
        typer.Option("--moved", help="With --url: the same repository, so harvests go on where they were."),
    ] = False,
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
    enabled: Annotated[
        bool | None,
        typer.Option("--enable/--disable", help="Whether it is harvested when no source is named."),
    ] = None,
    content: options.Content = None,
    skip: options.Skip = None,
    others: options.Others = None,
    unset: Annotated[
        list[str] | None, typer.Option("--unset", metavar="KEY", help="Back to the default; repeatable.")
    ] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Change settings of a source.

    Lists such as --format and --set replace what was there.
    """
    changes = options.settings_from_flags(
        url=options.base_url(url) if url else None,
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
        enabled=enabled,
        content=content,
        skip=skip,
        others=others,
    )
    options.check_keys(unset or ())
    changes |= dict.fromkeys(unset or ())
    if not changes:
        raise UsageError("there is nothing to change", hint="windrow source edit --help lists what can be.")
    if is_moved and url is None:
        raise UsageError("--moved goes with a new address", hint="Add --url URL.")
    _apply_changes(name, changes, is_moved=is_moved, is_json=is_json)


def _apply_changes(name: str, changes: Mapping[str, object], *, is_moved: bool, is_json: bool) -> None:
    from windrow.config import editor as config
    from windrow.config.loader import load

    with opened_library() as opened:
        before = opened.source(name)
        changes, moved = options.split_secrets(dict(changes), public=before.public_query)
        if "url" in changes:
            changes, moved = _keep_secrets(opened, before, changes, moved)
        config.change_source(opened.folder, name, changes, environ=os.environ)
        opened.config = load(opened.folder, environ=os.environ)
        after = opened.config.sources[name]
        is_kept = _keeps_progress(opened, after, is_moved=is_moved) if "url" in changes else None
        is_other = (before.institution, before.set_roles) != (after.institution, after.set_roles)
        taken_in = remap_records(opened) if is_other else 0
    for words in moved:
        print_hint(words)
    if moved:
        options.warn_if_readable(opened.folder)
    changed = _difference(before, after)
    if is_json:
        print_json(
            {
                "source": name,
                "changed": {key: {"before": old, "after": new} for key, (old, new) in changed.items()},
            }
            | ({} if is_kept is None else {"harvested_anew": not is_kept})
        )
        return
    if not changed:
        print_line(f"{name} is as it was.")
    for key, (old, new) in changed.items():
        print_line(printable(f"{name}: {key} was {old or 'not set'}, is now {new or 'not set'}"))
    if is_kept:
        print_hint("It is the same repository: harvests go on where they were.")
    elif is_kept is False:
        print_hint("The next harvest asks for everything again. Is it the same repository? Then add --moved.")
    if taken_in is None:
        print_hint("There is no index yet: windrow index")
    elif taken_in:
        print_hint(f"The index follows: {plural(taken_in, 'record')} taken in again. Nothing was harvested.")
    if "url" in changed:
        print_hint(f"Look it over: windrow source check {name}")
    if changed.keys() & {"content", "formats", "sets"}:
        print_hint(f"Next: windrow harvest {name}")


def _keep_secrets(
    opened: Library, before: SourceSettings, changes: dict[str, object], moved: list[str]
) -> tuple[dict[str, object], list[str]]:
    """Return the changes with the secrets from the old address, and a list of what was kept.

    The new address replaces the old one in windrow.toml, and with it the credentials and keys in it. These
    are masked wherever the address is shown, so an owner who copies the shown address would lose them
    unknowingly. Settings in the changes take precedence.
    """
    from windrow.config.schema import FILE_NAME, SOURCES
    from windrow.config.source_kinds import kind_of
    from windrow.config.toml_document import read_document

    values = cast("Mapping[str, Any]", read_document(opened.folder / FILE_NAME).values)
    table = values.get(SOURCES, {}).get(before.name, {})
    written = {key: table[key] for key in ("url", "secret_query") if key in table}
    kept, words = options.split_secrets(written, public=before.public_query)
    if not kind_of(before).is_repository or not words:
        return changes, moved
    userinfo, at, _ = str(kept.pop("url")).partition("://")[2].rpartition("@")
    new = str(changes["url"])
    if options.CREDENTIALS.intersection(changes) or "@" in new.partition("://")[2].partition("/")[0]:
        kept = {key: value for key, value in kept.items() if key not in options.CREDENTIALS}
    elif at:  # a password without a user name has no setting of its own
        kept["url"] = new.replace("://", f"://{userinfo}@", 1)
        changes = {key: value for key, value in changes.items() if key != "url"}
    return kept | changes, moved or words


def _keeps_progress(opened: Library, settings: SourceSettings, *, is_moved: bool) -> bool | None:
    """Return whether harvests continue incrementally at the new address; None before the first harvest."""
    from windrow.config.source_kinds import kind_of
    from windrow.store import sources

    if not kind_of(settings).is_repository:
        return None
    with opened.store.writing() as connection:
        state = sources.find(connection, settings.name)
        if state is None or state.endpoint == settings.endpoint:
            return None
        is_same = is_moved or sources.is_same_repository(state, settings.endpoint)
        if is_same:
            sources.move(connection, settings.name, settings.url, settings.endpoint)
        return is_same


def _difference(before: SourceSettings, after: SourceSettings) -> dict[str, tuple[str, str]]:
    """Return the changed settings as (before, after), without secrets."""
    from windrow.config.fields import fields_of

    changed = {}
    for field in fields_of(type(after)).values():
        old, new = getattr(before, field.attribute), getattr(after, field.attribute)
        if old != new:
            changed[field.key] = (field.show(old), field.show(new))
    return changed
