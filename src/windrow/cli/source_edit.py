"""`windrow source edit`: settings of one source changed in windrow.toml, every other byte kept."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from windrow.cli import source_options as options
from windrow.cli.completion import source_names
from windrow.cli.state import JSON, library, print_json
from windrow.cli.terminal import hint, printable, say
from windrow.errors import UsageError

if TYPE_CHECKING:
    from windrow.config.schema import SourceSettings


def edit(
    name: Annotated[str, typer.Argument(help="The source.", autocompletion=source_names)],
    *,
    url: Annotated[str | None, typer.Option("--url", metavar="URL", help="Where the source answers.")] = None,
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
        enabled=enabled,
        content=content,
        skip=skip,
        others=others,
    )
    options.check_keys(unset or ())
    changes |= dict.fromkeys(unset or ())
    if not changes:
        raise UsageError("there is nothing to change", hint="windrow source edit --help lists what can be.")
    _apply(name, changes, is_json=is_json)


def _apply(name: str, changes: Mapping[str, object], *, is_json: bool) -> None:
    from windrow.config import edit as config
    from windrow.config.load import load

    with library() as opened:
        before = opened.source(name)
        config.change_source(opened.folder, name, changes, environ=os.environ)
        after = load(opened.folder, environ=os.environ).sources[name]
    changed = _difference(before, after)
    if is_json:
        print_json(
            {
                "source": name,
                "changed": {key: {"before": old, "after": new} for key, (old, new) in changed.items()},
            }
        )
        return
    if not changed:
        say(f"{name} is as it was.")
    for key, (old, new) in changed.items():
        say(printable(f"{name}: {key} was {old or 'not set'}, is now {new or 'not set'}"))
    if "url" in changed:
        hint(f"Look it over: windrow source check {name}")
    if changed.keys() & {"content", "formats", "sets"}:
        hint(f"Next: windrow harvest {name}")


def _difference(before: SourceSettings, after: SourceSettings) -> dict[str, tuple[str, str]]:
    """What changed, from what to what, without what is secret."""
    from windrow.config.fields import fields_of

    changed = {}
    for field in fields_of(type(after)).values():
        old, new = getattr(before, field.attribute), getattr(after, field.attribute)
        if old != new:
            changed[field.key] = (field.show(old), field.show(new))
    return changed
