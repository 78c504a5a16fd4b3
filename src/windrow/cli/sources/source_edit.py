"""`windrow source edit`: settings of one source changed in windrow.toml, every other byte kept."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from windrow.cli import source_options as options
from windrow.cli.completion import source_names
from windrow.cli.source_sets import map_again
from windrow.cli.state import JSON, library, print_json
from windrow.cli.terminal import hint, plural, printable, say
from windrow.errors import UsageError

if TYPE_CHECKING:
    from windrow.config.schema import SourceSettings
    from windrow.wiring import Library


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
    changes = options.given(
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
    _apply(name, changes, is_moved=is_moved, is_json=is_json)


def _apply(name: str, changes: Mapping[str, object], *, is_moved: bool, is_json: bool) -> None:
    from windrow.config import edit as config
    from windrow.config.load import load

    with library() as opened:
        before = opened.source(name)
        changes, moved = options.part_from_secrets(dict(changes), public=before.public_query)
        if "url" in changes:
            changes, moved = _keep_secrets(opened, before, changes, moved)
        config.change_source(opened.folder, name, changes, environ=os.environ)
        opened.config = load(opened.folder, environ=os.environ)
        after = opened.config.sources[name]
        is_kept = _keeps_progress(opened, after, is_moved=is_moved) if "url" in changes else None
        is_other = (before.institution, before.set_roles) != (after.institution, after.set_roles)
        taken_in = map_again(opened) if is_other else 0
    for words in moved:
        hint(words)
    if moved:
        options.warn_of_readers(opened.folder)
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
        say(f"{name} is as it was.")
    for key, (old, new) in changed.items():
        say(printable(f"{name}: {key} was {old or 'not set'}, is now {new or 'not set'}"))
    if is_kept:
        hint("It is the same repository: harvests go on where they were.")
    elif is_kept is False:
        hint("The next harvest asks for everything again. Is it the same repository? Then add --moved.")
    if taken_in is None:
        hint("There is no index yet: windrow index")
    elif taken_in:
        hint(f"The index follows: {plural(taken_in, 'record')} taken in again. Nothing was harvested.")
    if "url" in changed:
        hint(f"Look it over: windrow source check {name}")
    if changed.keys() & {"content", "formats", "sets"}:
        hint(f"Next: windrow harvest {name}")


def _keep_secrets(
    opened: Library, before: SourceSettings, changes: dict[str, object], moved: list[str]
) -> tuple[dict[str, object], list[str]]:
    """Return the changes with the secrets that are written in the old address, and what was kept, in words.

    The new address replaces the old one in windrow.toml; its credentials and its key would go with it, which
    no reader could tell from the public address that is shown. What the changes set themselves comes first.
    """
    from windrow.config.document import read_document
    from windrow.config.schema import FILE_NAME, SOURCES
    from windrow.config.source_kinds import kind_of

    values = cast("Mapping[str, Any]", read_document(opened.folder / FILE_NAME).values)
    table = values.get(SOURCES, {}).get(before.name, {})
    written = {key: table[key] for key in ("url", "secret_query") if key in table}
    kept, words = options.part_from_secrets(written, public=before.public_query)
    if not kind_of(before).is_repository or not words:
        return changes, moved
    userinfo, at, _ = str(kept.pop("url")).partition("://")[2].rpartition("@")
    new = str(changes["url"])
    if options.CREDENTIALS.intersection(changes) or "@" in new.partition("://")[2].partition("/")[0]:
        kept = {key: value for key, value in kept.items() if key not in options.CREDENTIALS}
    elif at:  # a password without a user name, for which the settings have no place
        kept["url"] = new.replace("://", f"://{userinfo}@", 1)
        changes = {key: value for key, value in changes.items() if key != "url"}
    return kept | changes, moved or words


def _keeps_progress(opened: Library, settings: SourceSettings, *, is_moved: bool) -> bool | None:
    """Return whether harvests go on where they were at another address; None before the first harvest."""
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
    """What changed, from what to what, without what is secret."""
    from windrow.config.fields import fields_of

    changed = {}
    for field in fields_of(type(after)).values():
        old, new = getattr(before, field.attribute), getattr(after, field.attribute)
        if old != new:
            changed[field.key] = (field.show(old), field.show(new))
    return changed
