"""The settings as windrow.toml has them now, for who shows jobs: those are added while it serves."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from windrow.config.load import load
from windrow.config.schema import FILE_NAME, Config
from windrow.errors import WindrowError

_Looks = tuple[int, int, int]


def current(config: Config) -> Config:
    """Give these settings as they are now; as they were, where the file is gone or wrong."""
    try:
        found = (config.path / FILE_NAME).stat()
    except OSError:
        return config
    return _read(config.path, (found.st_mtime_ns, found.st_size, found.st_ino)) or config


@lru_cache(maxsize=16)
def _read(folder: Path, looks: _Looks) -> Config | None:  # noqa: ARG001 - another look is another file
    try:
        return load(folder, environ=os.environ)
    except (WindrowError, OSError):
        return None
