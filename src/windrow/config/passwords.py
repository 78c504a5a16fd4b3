"""The password of a source, fetched from where the settings say only when a request needs it.

So `windrow config show` and every command that stays at home work without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from windrow.config.schema import HttpSettings
from windrow.errors import ConfigError

MOST_BYTES = 65536


def find_password(settings: HttpSettings, *, environ: Mapping[str, str]) -> str | None:
    """Give the password, from the settings, its file or its variable; None where none is set.

    A ConfigError where the file or the variable is not there: going on without would look like success.
    """
    if settings.password_env:
        value = environ.get(settings.password_env)
        if not value:
            raise ConfigError(f"password_env says {settings.password_env}, which is not in the environment.")
        return value
    if settings.password_file:
        return _first_line(Path(settings.password_file))
    return settings.password


def _first_line(path: Path) -> str:
    try:
        with path.open("rb") as file:
            line = file.readline(MOST_BYTES).decode("utf-8").rstrip("\r\n")
    except OSError as exc:
        raise ConfigError(f"password_file {path} cannot be read: {exc.strerror}.") from exc
    except UnicodeDecodeError:
        raise ConfigError(f"password_file {path} is not UTF-8.") from None
    if not line:
        raise ConfigError(f"password_file {path} has no password on its first line.")
    return line
