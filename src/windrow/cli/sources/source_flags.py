"""The flags that `source add` and `source edit` share, and how they become settings of windrow.toml."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qsl, quote, urlsplit

import typer
from typer.core import TyperCommand, TyperOption

from windrow.cli.terminal import print_hint
from windrow.config.fields import Field, shorten, suggest
from windrow.config.kinds import FLAG, PATH, SettingError
from windrow.config.network_values import HEADERS, MASK, hide_in_path, split_url
from windrow.config.schema import FILE_NAME, OAI
from windrow.config.settings_reference import help_text, option_help
from windrow.config.source_kinds import (
    KindDescription,
    all_kinds,
    every_field,
    find_field,
    find_kind,
    kinds_with,
    readable_fields,
)
from windrow.errors import UsageError
from windrow.permissions import readers
from windrow.protocols.oai.oai_request import without_arguments


def _help(key: str) -> str:
    return help_text(f"sources.NAME.{key}")


Formats = Annotated[
    list[str] | None,
    typer.Option("--format", metavar="PREFIX", help=_help("formats") + " Repeatable."),
]
Sets = Annotated[list[str] | None, typer.Option("--set", metavar="SPEC", help=_help("sets") + " Repeatable.")]
From = Annotated[str | None, typer.Option("--from", metavar="DATE", help=_help("from"))]
Until = Annotated[str | None, typer.Option("--until", metavar="DATE", help=_help("until"))]
Mode = Annotated[str | None, typer.Option("--mode", metavar="auto|list|one-by-one", help=_help("mode"))]
Window = Annotated[str | None, typer.Option("--window", metavar="none|year|month|day", help=_help("window"))]
Grain = Annotated[
    str | None, typer.Option("--granularity", metavar="auto|day|second", help=_help("granularity"))
]
Delay = Annotated[str | None, typer.Option("--delay", metavar="TIME", help=_help("delay"))]
Timeout = Annotated[str | None, typer.Option("--timeout", metavar="TIME", help=_help("timeout"))]
Username = Annotated[str | None, typer.Option("--username", metavar="NAME", help=_help("username"))]
PasswordEnv = Annotated[str | None, typer.Option("--password-env", metavar="VAR", help=_help("password_env"))]
PasswordFile = Annotated[
    str | None, typer.Option("--password-file", metavar="FILE", help=_help("password_file"))
]
RequestHeaders = Annotated[
    list[str] | None, typer.Option("--header", metavar="'K: V'", help=_help("headers") + " Repeatable.")
]
PublicQuery = Annotated[
    list[str] | None,
    typer.Option("--public-query", metavar="NAME", help=_help("public_query") + " Repeatable."),
]
Institution = Annotated[str | None, typer.Option("--institution", metavar="NAME", help=_help("institution"))]
Kind = Annotated[str | None, typer.Option("--kind", metavar="oai|files|marc|web|…", help=_help("kind"))]
_WEB_SITE_HELP = " Of a web site: metadata or pages, which become records."
Content = Annotated[
    str | None,
    typer.Option(
        "--content", metavar="files|documents|metadata|pages", help=_help("content") + _WEB_SITE_HELP
    ),
]
Skip = Annotated[
    list[str] | None, typer.Option("--skip", metavar="PATTERN", help=_help("skip") + " Repeatable.")
]
Others = Annotated[
    list[str] | None,
    typer.Option(
        "--set-option",
        metavar="KEY=VALUE",
        help="Any other setting, as `windrow config show` names it. Repeatable.",
    ),
]

_DURATIONS = ("delay", "timeout", "interval", "revisit")
_KIND_FLAG_VALUES: ContextVar[dict[str, Any]] = ContextVar("what the flags of kinds say")
_KIND_PREFIX = "of_kind_"
_NAMED_AS_A_KEY = re.compile(
    r"(?:^|[_.-]|api|access)key$|token|secret|passw|pwd|credential|sess(?:ion)?_?id|(?:^|[_.-])(?:auth|sig|signature)$",
    re.IGNORECASE,
)
# A path segment that is random: twenty letters and digits, or a UUID.
_LIKE_A_KEY = re.compile(
    r"(?<=/)(?:(?=[A-Za-z_-]*\d[\w-]*\d)(?=[\d_-]*[A-Za-z])[A-Za-z0-9_]{20,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"
    r"(?=/|\?|$)"
)
CREDENTIALS = frozenset({"username", "password", "password_env", "password_file"})


class KindFlags(TyperCommand):
    """A command with additional flags for the options of the kinds of sources.

    Their values are returned by `kind_options`, by the names of the options.
    """

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters of the function, followed by the flags of kinds."""
        params = super().get_params(ctx)
        taken = {flag for param in params for flag in param.opts}
        for kind in all_kinds().values():
            for key in kind.flags:
                option = _flag(key, kind)
                if not taken.intersection(option.opts):
                    taken.update(option.opts)
                    params.append(option)
        return params

    def invoke(self, ctx: Any) -> Any:
        """Call the function with its own parameters; keep the values of the flags of kinds."""
        own = {param.name for param in self.params}
        said = {
            name: value for name, value in ctx.params.items() if name not in own and value not in (None, ())
        }
        _KIND_FLAG_VALUES.set({name.removeprefix(_KIND_PREFIX): value for name, value in said.items()})
        ctx.params = {name: value for name, value in ctx.params.items() if name in own}
        return super().invoke(ctx)


def kind_options() -> dict[str, object]:
    """Return the values of the flags of kinds as windrow.toml would have them."""
    settings: dict[str, object] = {}
    for key, value in _KIND_FLAG_VALUES.get({}).items():
        described = find_field(key).kind
        if described is PATH:
            settings[key] = str(Path(value).absolute())  # the library may be used from another working folder
        elif isinstance(value, str):
            settings[key] = described.parse(value)
        else:
            settings[key] = value if isinstance(value, bool) else [*value]
    return settings


def _flag(key: str, kind: KindDescription[Any]) -> TyperOption:
    """Return the flag for an option: boolean, repeatable for a list, otherwise with one value."""
    described, name = kind.fields[key], key.replace("_", "-")
    words, parameter = option_help(described), f"{_KIND_PREFIX}{key}"
    if described.kind is FLAG:
        return TyperOption(
            param_decls=[parameter, f"--{name}/--no-{name}"], is_flag=True, default=None, help=words
        )
    if isinstance(described.written, list):
        words += " Repeatable."
        return TyperOption(
            param_decls=[parameter, f"--{name}"], multiple=True, help=words, metavar=name.upper()
        )
    return TyperOption(
        param_decls=[parameter, f"--{name}"], help=words, metavar=_metavar(described.kind.label)
    )


def _metavar(label: str) -> str:
    """Return the placeholder for a value in the help: the label of its type without the explanation."""
    return label.partition(",")[0].upper()


def settings_from_flags(
    *, others: Sequence[str] | None, headers: Sequence[str] | None, **flags: object
) -> dict[str, object]:
    """Return the flags as settings of windrow.toml, by the names of the settings."""
    settings = {key.rstrip("_"): value for key, value in flags.items() if value not in (None, [])}
    for key, value in kind_options().items():
        before = settings.get(key)  # the argument after the name may be the first item of a list
        is_list = isinstance(before, list) and isinstance(value, list)
        settings[key] = [*before, *value] if is_list else value  # type: ignore[misc]
    for key in _DURATIONS:
        text = settings.get(key)
        if isinstance(text, str) and text.replace(".", "", 1).isdecimal():
            settings[key] = f"{text}s"  # --delay 2 can only mean seconds
    if headers:
        settings["headers"] = _headers(headers)
    for item in others or ():
        key, value = _option(item, settings.get("kind"))
        settings[key] = value
    for key, value in settings.items():
        _check(key, value, settings.get("kind"))
    return settings


def settings_from_place(
    given: str | None, *, kind: str | None, url: str | None, content: str | None = None
) -> dict[str, object]:
    """Return the settings for the place of a new source: an address, a folder, or what its kind takes."""
    described = _kind(kind)
    if content is not None and "content" not in described.fields:
        others = " or ".join(f"--kind {each.name}" for each in kinds_with("content"))
        raise UsageError(f"--content is not of {described.plural}", hint=f"Say {others}, or leave it away.")
    if url is not None and described.is_repository:
        raise UsageError(
            "--url is the public address of a folder", hint="Say --kind files, or leave it away."
        )
    if given is None and described.argument:
        raise UsageError(f"{described.label} needs its {described.argument}", hint="It follows the name.")
    if described.is_repository and given is not None:
        if "://" not in given and Path(given).is_dir():
            raise UsageError(
                f"{shorten(given)} is a folder", hint="Say --kind files, and --url with its public address."
            )
        return {"kind": kind, "url": base_url(given)}
    found = {"kind": kind, "content": content} | described.from_argument(given, url)
    if "url" not in found and described.default_url("new", found) is None:
        raise UsageError(
            f"{described.label} needs its public address", hint="Add --url https://www.example.org/"
        )
    return found


def _kind(name: object) -> KindDescription[Any]:
    try:
        return find_kind(name or OAI)
    except SettingError:
        known = list(all_kinds())
        words = f"neither {known[0]} nor {known[1]}" if len(known) == 2 else f"none of {', '.join(known)}"
        raise UsageError(f"--kind {shorten(str(name))} is {words}") from None


def _remark_on_pages(starts: object) -> list[str]:
    """Return remarks on start pages with parameters whose names suggest keys."""
    urls = starts if isinstance(starts, list | tuple) else ()
    queries = ";".join(str(url).partition("?")[2] for url in urls)
    names = {name for name in _parameter_names(queries) if _NAMED_AS_A_KEY.search(name)}
    if not names:
        return []
    return [
        "The addresses of pages are shown to everybody, with all their parameters. If"
        f" {', '.join(sorted(names))} in the address of a start page is secret, leave it out: `headers`, or"
        " `username` with `password_env`, are sent and never shown."
    ]


def split_secrets(
    settings: dict[str, object], *, public: Sequence[str] = ()
) -> tuple[dict[str, object], list[str]]:
    """Return the settings with secrets moved out of the address, and a list of what was moved.

    `public` names parameters that are not secret, in addition to those in the settings.
    """
    url = settings.get("url")
    if not isinstance(url, str) or not _kind(settings.get("kind")).is_repository:
        return settings, _remark_on_pages(settings.get("start"))
    named = settings.get("public_query", public)
    found = split_url(url, frozenset(named if isinstance(named, list | tuple) else ()))
    moved: dict[str, object] = {}
    words = []
    bare = hide_in_path(found.url, str(settings.get("secret_path") or ""))
    if bare == found.url and _LIKE_A_KEY.search(bare):
        words.append(
            "A part of the path of this address looks like a key. It is shown wherever the address is, unless"
            " it is the setting `secret_path`: windrow source edit NAME --set-option secret_path=KEY"
        )
    if found.password and not found.username:  # a password alone has no setting
        scheme, _, rest = found.url.partition("://")
        bare = f"{scheme}://:{quote(found.password, safe='')}@{rest}"
        words.append("The password in the address stays there, in windrow.toml; it is sent and never shown.")
    if found.username:
        twice = CREDENTIALS.intersection(settings)
        if twice:
            raise UsageError(
                f"the address has credentials in it, and {min(twice)} is given as well",
                hint="Give them once; best as --username with --password-env or --password-file.",
            )
        moved["username"] = found.username
        words.append("The user name in the address is now the setting `username`.")
        if found.password is not None:
            moved |= {"password": found.password, "password_env": None, "password_file": None}
            words[-1] = (
                "The user name and password in the address are now the settings `username` and `password`;"
                " --password-env keeps the password out of windrow.toml."
            )
    if found.query:
        moved["secret_query"] = "&".join(filter(None, (found.query, str(settings.get("secret_query") or ""))))
        names = ", ".join(_parameter_names(found.query))
        words.append(
            f"Parameters of the address are now the setting `secret_query`, sent and never shown: {names}."
            " Name those that everybody may see with --public-query."
        )
    return settings | {"url": bare} | moved, words


def warn_if_readable(folder: Path) -> None:
    """Warn if others can read the settings file to which a secret was just written."""
    file = folder / FILE_NAME
    if readers(file):
        print_hint(f"Others can read {FILE_NAME}, which has a secret in it: chmod go= {file.resolve()}")


def _parameter_names(query: str) -> list[str]:
    """Return the names of parameters; one without a value may itself be the key."""
    return [piece.partition("=")[0] if "=" in piece else MASK for piece in re.split("[&;]", query) if piece]


def public_settings(settings: Mapping[str, object]) -> dict[str, str]:
    """Return settings for display, without secrets."""
    fields = readable_fields(_kind(settings.get("kind")))
    return {
        key: fields[key].show(fields[key].read(value)) for key, value in settings.items() if value is not None
    }


def base_url(url: str) -> str:
    """Return an address without the OAI-PMH arguments of an address copied from a browser."""
    try:
        parts = urlsplit(url.strip())
        pairs = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError:
        return url  # the configuration reports what is wrong with it
    if not any(name == "verb" for name, _ in pairs):
        return url.strip()
    return without_arguments(url.strip())


def _headers(lines: Sequence[str]) -> object:
    try:
        return HEADERS.parse("\n".join(lines))
    except SettingError:
        raise UsageError("--header must be written as 'Name: value'") from None


def _option(item: str, kind: object) -> tuple[str, object]:
    key, equals, text = item.partition("=")
    key = key.strip()
    if not equals:
        raise UsageError(f"--set-option {shorten(item)} has no value", hint="Write it as KEY=VALUE.")
    for field in (found := _known_fields(key, kind)):
        with suppress(SettingError):
            value = field.kind.parse(text)
            field.read(value)
            return key, value
    return key, found[0].kind.parse(text)


def _known_fields(key: str, kind: object = None) -> list[Field]:
    """Return the descriptions of a setting, for one kind or for all kinds that have it."""
    if kind is not None:
        fields = readable_fields(_kind(kind))
        if key in fields:
            return [fields[key]]
    found = [each.fields[key] for each in kinds_with(key)]
    if not found:
        fields = every_field() if kind is None else _kind(kind).fields
        raise UsageError(
            f"a source has no setting {shorten(key)}.{suggest(key, fields)}",
            hint=f"It has: {', '.join(fields)}.",
        )
    return found


def check_keys(keys: Sequence[str]) -> None:
    for key in keys:
        _known_fields(key)


def _check(key: str, value: object, kind: object) -> None:
    """Refuse a value that is invalid for the setting in the named kind, or in every kind that has it."""
    problems = []
    for field in _known_fields(key, kind):
        try:
            field.read(value)
        except SettingError as exc:
            problems.append(exc)
        else:
            return
    raise UsageError(f"{key} {problems[0]}")
