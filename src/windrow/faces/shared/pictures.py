"""The pictures that settings name: read and checked. What is wrong with one is told with its line."""

from __future__ import annotations

from pathlib import Path

from windrow.config.document import read_document
from windrow.config.schema import FILE_NAME, Config
from windrow.errors import ConfigError

MOST_PICTURE_BYTES = 1_000_000
KINDS = {
    ".svg": b"image/svg+xml",
    ".png": b"image/png",
    ".jpg": b"image/jpeg",
    ".jpeg": b"image/jpeg",
    ".webp": b"image/webp",
}
_STARTS = {".png": b"\x89PNG\r\n", ".jpg": b"\xff\xd8\xff", ".jpeg": b"\xff\xd8\xff", ".webp": b"RIFF"}
_LOGO = "logo"


def read_logo(config: Config, name: str, *section: str) -> tuple[str, bytes]:
    """Give the ending and the content of the picture that a section names; ConfigError where it is none."""
    path = (config.path / name).resolve()
    problem, body = _look(path, config.path.resolve())
    if problem:
        raise _wrong(config, section, f"{name} {problem}.")
    return path.suffix.lower(), body


def _look(path: Path, folder: Path) -> tuple[str, bytes]:
    """Say what is wrong with a picture, or nothing, and give what is in it."""
    suffix = path.suffix.lower()
    if not path.is_relative_to(folder):
        return "leads out of the library folder", b""
    if suffix not in KINDS:
        return f"leads to {path.name}, which is no picture", b""
    try:
        with path.open("rb") as file:
            body = file.read(MOST_PICTURE_BYTES + 1)
    except OSError as exc:
        return f"cannot be read: {exc.strerror}", b""
    if len(body) > MOST_PICTURE_BYTES:
        return f"is larger than {MOST_PICTURE_BYTES:,} bytes", b""
    is_whole = b"<svg" in body[:4096] if suffix == ".svg" else body.startswith(_STARTS[suffix])
    return "" if is_whole else "is not a picture of the kind that its name says", body


def _wrong(config: Config, section: tuple[str, ...], problem: str) -> ConfigError:
    key = ".".join((*section, _LOGO))
    message, hint = f"{key}: {problem}", "It must be a picture in the library folder."
    origin = config.origins.get(key, FILE_NAME)
    if origin != FILE_NAME:  # a variable of the environment
        return ConfigError(f"{origin}: {message}", hint=hint)
    return read_document(config.path / FILE_NAME).problem((*section, _LOGO), message, hint=hint)
