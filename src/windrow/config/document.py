"""windrow.toml as text and as plain values, before anything is known about settings.

`load` and `edit` read the file here; what cannot be read becomes a ConfigError with its place.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from windrow.config.layout import find_line
from windrow.errors import ConfigError

MOST_BYTES = 4 * 1024 * 1024
BYTE_ORDER_MARK = "\ufeff"  # some editors on Windows put it there; TOML does not allow it
_PLACE = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Document:
    """A TOML file: where it is, what it says word by word, what it says as values."""

    path: Path
    text: str = field(repr=False)  # may hold secrets
    values: Mapping[str, object] = field(repr=False)

    def problem(self, keys: tuple[str, ...], message: str, *, hint: str | None = None) -> ConfigError:
        """Make the error for something wrong at a key, with the line where it can be found."""
        line = find_line(self.text, keys)
        if line is None and keys[0].endswith("s"):  # [collection.NAME] counts as [collections.NAME]
            line = find_line(self.text, (keys[0].removesuffix("s"), *keys[1:]))
        place = f"{self.path}, line {line}" if line else f"{self.path}"
        return ConfigError(f"{place}: {message}", hint=hint)


def read_document(path: Path) -> Document:
    """Read a TOML file; a ConfigError names the line and column of what is not TOML."""
    return parse_document(path, read_text(path))


def read_text(path: Path) -> str:
    """Give the text of a file just as it is; a ConfigError where it cannot be had."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as exc:
        raise ConfigError(f"{path} cannot be read: {exc.strerror}.") from exc
    if len(content) > MOST_BYTES:
        raise ConfigError(f"{path} is larger than {MOST_BYTES} bytes; that cannot be a configuration.")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as exc:
        line = content.count(b"\n", 0, exc.start) + 1
        raise ConfigError(
            f"{path}, line {line}: this is not UTF-8.", hint="Save the file as UTF-8."
        ) from None


def parse_document(path: Path, text: str) -> Document:
    """Read the text of a TOML file, with the path for errors."""
    text = text.removeprefix(BYTE_ORDER_MARK)
    try:
        return Document(path, text, tomllib.loads(text))
    except RecursionError:
        raise ConfigError(f"{path}: this is nested too deeply.") from None
    except ValueError as exc:  # TOMLDecodeError, and plain ones for numbers of thousands of digits
        raise ConfigError(_explain(path, text, str(exc))) from None


def _explain(path: Path, text: str, message: str) -> str:
    match = _PLACE.fullmatch(message)
    if match is None:
        return f"{path}: this is not TOML: {message}."
    line = match[2] or text.count("\n") + 1
    column = match[3] or len(text) - text.rfind("\n")
    return f"{path}, line {line}, column {column}: this is not TOML: {match[1]}."
