"""The flags that `source add` and `source edit` share, and how they become settings of windrow.toml."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated
from urllib.parse import parse_qsl, quote, urlsplit

import typer

from windrow.cli.terminal import hint
from windrow.config.addresses import HEADERS, MASK, split_url
from windrow.config.describe import help_text
from windrow.config.documents import DOCUMENTS
from windrow.config.fields import Field, fields_of
from windrow.config.kinds import SettingError
from windrow.config.layers import shorten, suggest
from windrow.config.schema import FILE_NAME, FILES, OAI, SourceSettings
from windrow.errors import UsageError
from windrow.permissions import readers
from windrow.wire.oai.request import without_arguments


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
Kind = Annotated[str | None, typer.Option("--kind", metavar="oai|files", help=_help("kind"))]
Content = Annotated[str | None, typer.Option("--content", metavar="files|documents", help=_help("content"))]
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

_DURATIONS = ("delay", "timeout")
CREDENTIALS = frozenset({"username", "password", "password_env", "password_file"})


def given(
    *, others: Sequence[str] | None, headers: Sequence[str] | None, **flags: object
) -> dict[str, object]:
    """Give what the flags say as windrow.toml would have it, by the names of the settings."""
    settings = {key.rstrip("_"): value for key, value in flags.items() if value not in (None, [])}
    for key in _DURATIONS:
        text = settings.get(key)
        if isinstance(text, str) and text.replace(".", "", 1).isdecimal():
            settings[key] = f"{text}s"  # --delay 2 can only mean seconds
    if headers:
        settings["headers"] = _headers(headers)
    for item in others or ():
        key, value = _option(item)
        settings[key] = value
    for key, value in settings.items():
        try:
            _known(key).read(value)
        except SettingError as exc:
            raise UsageError(f"{key} {exc}") from None
    return settings


def place(given: str, *, kind: str | None, url: str | None, content: str | None = None) -> dict[str, object]:
    """Give what the place of a new source says: a repository's address, or a folder and its address."""
    if kind not in (None, OAI, FILES):
        raise UsageError(f"--kind {shorten(kind)} is neither {OAI} nor {FILES}")
    if kind == FILES:
        return {"kind": kind, "folder": str(Path(given).absolute()), "content": content} | _address(
            url, content
        )
    if content is not None:
        raise UsageError("--content is of a folder", hint="Say --kind files, or leave it away.")
    if url is not None:
        raise UsageError(
            "--url is the public address of a folder", hint="Say --kind files, or leave it away."
        )
    if "://" not in given and Path(given).is_dir():
        raise UsageError(
            f"{shorten(given)} is a folder", hint="Say --kind files, and --url with its public address."
        )
    return {"kind": kind, "url": base_url(given)}


def _address(url: str | None, content: str | None) -> dict[str, object]:
    """Give the public address of a folder; one of documents needs none, for the library shows them."""
    if url is None:
        if content == DOCUMENTS:
            return {}
        raise UsageError("a folder needs its public address", hint="Add --url https://www.example.org/")
    address = url.strip()
    return {"url": address if address.endswith("/") or "?" in address else f"{address}/"}


def part_from_secrets(
    settings: dict[str, object], *, public: Sequence[str] = ()
) -> tuple[dict[str, object], list[str]]:
    """Return settings whose address holds no secret, and what was moved out of it, in words.

    `public` names the parameters that are no secret where the settings do not say so themselves.
    """
    url = settings.get("url")
    if not isinstance(url, str) or settings.get("kind") == FILES:
        return settings, []
    named = settings.get("public_query", public)
    found = split_url(url, frozenset(named if isinstance(named, list | tuple) else ()))
    moved: dict[str, object] = {}
    words = []
    bare = found.url
    if found.password and not found.username:  # the settings have no place for a password alone
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


def warn_of_readers(folder: Path) -> None:
    """Say so where others can read the settings that a secret has just been written to."""
    file = folder / FILE_NAME
    if readers(file):
        hint(f"Others can read {FILE_NAME}, which has a secret in it: chmod go= {file.resolve()}")


def _parameter_names(query: str) -> list[str]:
    """Return the names of parameters; one that stands alone may itself be the key."""
    return [piece.partition("=")[0] if "=" in piece else MASK for piece in re.split("[&;]", query) if piece]


def shown(settings: Mapping[str, object]) -> dict[str, str]:
    """Give settings for people, without what is secret."""
    fields = fields_of(SourceSettings)
    return {
        key: fields[key].show(fields[key].read(value)) for key, value in settings.items() if value is not None
    }


def base_url(url: str) -> str:
    """Give an address without the OAI-PMH arguments that come along when it is copied from a browser."""
    try:
        parts = urlsplit(url.strip())
        pairs = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError:
        return url  # the configuration says what is wrong with it
    if not any(name == "verb" for name, _ in pairs):
        return url.strip()
    return without_arguments(url.strip())


def _headers(lines: Sequence[str]) -> object:
    try:
        return HEADERS.parse("\n".join(lines))
    except SettingError:
        raise UsageError("--header must be written as 'Name: value'") from None


def _option(item: str) -> tuple[str, object]:
    key, equals, text = item.partition("=")
    key = key.strip()
    if not equals:
        raise UsageError(f"--set-option {shorten(item)} has no value", hint="Write it as KEY=VALUE.")
    return key, _known(key).kind.parse(text)


def _known(key: str) -> Field:
    """Give the description of a setting, or say which there are."""
    fields = fields_of(SourceSettings)
    if key not in fields:
        raise UsageError(
            f"a source has no setting {shorten(key)}.{suggest(key, fields)}",
            hint=f"It has: {', '.join(fields)}.",
        )
    return fields[key]


def check_keys(keys: Sequence[str]) -> None:
    """Refuse names that are no settings."""
    for key in keys:
        _known(key)
