"""Passwords and other secrets, fetched from where the settings say only when something needs them.

So `windrow config show` and every command that stays at home work without them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from windrow.config.notify import NotifySettings
from windrow.config.schema import HttpSettings
from windrow.errors import ConfigError

MOST_BYTES = 65536


def find_password(settings: HttpSettings | NotifySettings, *, environ: Mapping[str, str]) -> str | None:
    """Give the password, from the settings, its file or its variable; None where none is set.

    A ConfigError where the file or the variable is not there: going on without would look like success.
    """
    kept = _Kept(settings.password, settings.password_file, settings.password_env)
    return _find("password", kept, environ)


def find_webhook_secret(settings: NotifySettings, *, environ: Mapping[str, str]) -> str | None:
    """Give what a webhook is signed with, as `find_password` gives a password."""
    kept = _Kept(settings.webhook_secret, settings.webhook_secret_file, settings.webhook_secret_env)
    return _find("webhook_secret", kept, environ)


class _Kept(NamedTuple):
    """The three places where a secret may be."""

    value: str | None
    file: str | None
    variable: str | None


def _find(name: str, kept: _Kept, environ: Mapping[str, str]) -> str | None:
    if kept.variable:
        value = environ.get(kept.variable)
        if not value:
            raise ConfigError(f"{name}_env says {kept.variable}, which is not in the environment.")
        return value
    return _first_line(name, Path(kept.file)) if kept.file else kept.value


def _first_line(name: str, path: Path) -> str:
    try:
        with path.open("rb") as file:
            line = file.readline(MOST_BYTES).decode("utf-8").rstrip("\r\n")
    except OSError as exc:
        raise ConfigError(f"{name}_file {path} cannot be read: {exc.strerror}.") from exc
    except UnicodeDecodeError:
        raise ConfigError(f"{name}_file {path} is not UTF-8.") from None
    if not line:
        raise ConfigError(f"{name}_file {path} has nothing on its first line.")
    return line
