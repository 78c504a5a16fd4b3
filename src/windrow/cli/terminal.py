"""Output to a terminal: control characters removed, secrets masked, columns, and colour if it is a terminal.

Every command that shows harvested data prints through this module: titles, identifiers and error texts are
untrusted, and an escape character in them would be a command to the terminal.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, TextIO

import typer

if TYPE_CHECKING:
    from windrow.config.secrets import Mask

_STYLES: dict[str, dict[str, object]] = {
    "bold": {"bold": True},
    "dim": {"dim": True},
    "good": {"fg": "green", "bold": True},
    "warn": {"fg": "yellow", "bold": True},
    "bad": {"fg": "red", "bold": True},
    "bar": {"fg": "cyan"},
}
OUTCOME_STYLES = {
    "ok": "good",
    "partial": "warn",
    "failed": "bad",
    "skipped": "warn",
    "interrupted": "warn",
    "killed": "bad",
    "running": "bold",
}
_UNSAFE = frozenset(
    ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
)  # Cf includes the characters that change the writing direction
_HARMLESS = frozenset("\u00ad\u200c\u200d")  # soft hyphen and joiners are part of words
GAP = "  "
REQUEST_LOG = "windrow.requests"  # of everything that asks servers
_MIN_COLUMN_WIDTH = 16


class MaskedStream:
    """A stream that masks secrets in everything written to it; the rest is delegated to the original."""

    def __init__(self, stream: TextIO) -> None:
        self.masks: list[Mask] = []
        self._stream = stream

    def redact(self, text: str) -> str:
        for mask in self.masks:
            text = mask.text(text)
        return text

    def write(self, text: str) -> int:
        # Libraries may write bytes to find out what the stream accepts.
        return self._stream.write(self.redact(text) if isinstance(text, str) else text)

    def write_value(self, value: object, indent: int | None) -> None:
        """Write a value as JSON. Only its strings are masked, so numbers stay numbers."""
        made = json.dumps(self._redacted(value), ensure_ascii=False, indent=indent, default=self._as_text)
        self._stream.write(made + "\n")

    def _redacted(self, value: object) -> object:
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, Mapping):
            return {key: self._redacted(each) for key, each in value.items()}
        return list(map(self._redacted, value)) if isinstance(value, list | tuple) else value

    def _as_text(self, value: object) -> str:
        return self.redact(str(value))

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def masked_output() -> Iterator[None]:
    """Mask stdout and stderr with the masks added by `add_mask` during the block."""
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = MaskedStream(sys.stdout), MaskedStream(sys.stderr)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


def write_json(value: object, *, indent: int | None = None) -> None:
    stream = sys.stdout if isinstance(sys.stdout, MaskedStream) else MaskedStream(sys.stdout)
    stream.write_value(value, indent)


def add_mask(mask: Mask, *, in_errors_alone: bool = False) -> None:
    """Mask the secrets of a mask in all output from now on, including errors and tracebacks."""
    for stream in (sys.stderr,) if in_errors_alone else (sys.stdout, sys.stderr):
        if isinstance(stream, MaskedStream):
            stream.masks.append(mask)


def redact_error(text: str) -> str:
    return sys.stderr.redact(text) if isinstance(sys.stderr, MaskedStream) else text


def printable(text: str) -> str:
    """Return one harmless line: white space folded, control characters made visible."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible, " ".join(text.split())))


def printable_lines(text: str) -> str:
    """Return text with its line breaks and tabs, and all other control characters made harmless."""
    return "\n".join("".join(map(_visible, line.expandtabs())) for line in text.split("\n"))


def print_line(text: str = "", *, style: str = "", end: str = "\n") -> None:
    """Print a result on stdout, unchanged: the caller has made it safe."""
    styled = typer.style(text, **_STYLES[style]) if style else text  # type: ignore[arg-type]
    typer.echo(styled + end, nl=False, color=_colour())


class Verbosity(Enum):
    """How much is printed besides results and errors."""

    QUIET = "quiet"  # nothing
    NORMAL = "normal"
    VERBOSE = "verbose"  # every request to a server as well


_verbosity = {"is": Verbosity.NORMAL}


def set_verbosity(verbosity: Verbosity) -> None:
    """Set how much is printed from now on. Verbose turns on the log of requests."""
    _verbosity["is"] = verbosity
    log = logging.getLogger(REQUEST_LOG)
    log.handlers = [each for each in log.handlers if not isinstance(each, _RequestHandler)]
    log.setLevel(logging.INFO if verbosity is Verbosity.VERBOSE else logging.NOTSET)
    if verbosity is Verbosity.VERBOSE:
        log.addHandler(_RequestHandler())


def is_quiet() -> bool:
    return _verbosity["is"] is Verbosity.QUIET


def is_verbose() -> bool:
    return _verbosity["is"] is Verbosity.VERBOSE


class _RequestHandler(logging.Handler):
    """Prints requests on stderr as it is now, where secrets are masked."""

    def emit(self, record: logging.LogRecord) -> None:
        print_hint(printable(record.getMessage()))


def print_hint(text: str, *, is_problem: bool = False) -> None:
    """Print on stderr; with --quiet, only what reports a problem."""
    if is_problem or not is_quiet():
        typer.echo(typer.style(text, dim=True), err=True, color=_colour())


def print_error(message: str, advice: str = "") -> None:
    typer.echo(
        typer.style("error:", fg="red", bold=True) + " " + printable_lines(message), err=True, color=_colour()
    )
    if advice:
        print_hint(f"       {printable_lines(advice)}", is_problem=True)


def print_table(
    headers: Sequence[str], rows: Iterable[Sequence[str]], *, right: str = "", styles: Sequence[str] = ()
) -> None:
    """Print a table; on a terminal its widest columns are cut to fit.

    `right` has an r for each right-aligned column: " rr". `styles` has one style per row.
    """
    lines = [tuple(map(printable, row)) for row in rows]
    widths = _fit_widths([max(map(display_width, cells)) for cells in zip(headers, *lines, strict=True)])
    sides = right.ljust(len(headers))
    print_line(_aligned_row(headers, widths, sides), style="dim")
    for index, line in enumerate(lines):
        print_line(_aligned_row(line, widths, sides), style=styles[index] if styles else "")


def _aligned_row(cells: Sequence[str], widths: Sequence[int], sides: str) -> str:
    padded = []
    for whole, size, side in zip(cells, widths, sides, strict=False):
        cell = shorten(whole, size)
        space = " " * (size - display_width(cell))
        padded.append(space + cell if side == "r" else cell + space)
    return cut_to_terminal(GAP.join(padded).rstrip())


def _fit_widths(widths: list[int]) -> list[int]:
    """Return widths that fit the terminal, by narrowing the widest columns within limits."""
    if not sys.stdout.isatty():
        return widths
    excess = sum(widths) + len(GAP) * (len(widths) - 1) - terminal_width()
    fitted = list(widths)
    while excess > 0 and max(fitted) > _MIN_COLUMN_WIDTH:
        widest = fitted.index(max(fitted))
        second = max([size for size in fitted if size < fitted[widest]], default=_MIN_COLUMN_WIDTH)
        taken = min(excess, max(1, fitted[widest] - max(second, _MIN_COLUMN_WIDTH)))
        fitted[widest] -= taken
        excess -= taken
    return fitted


def cut_to_terminal(line: str) -> str:
    """Return a line cut to the terminal's width; off a terminal, unchanged."""
    return shorten(line, terminal_width()) if sys.stdout.isatty() else line


def shorten(text: str, most: int) -> str:
    """Return text of at most this many columns, with an ellipsis where it was cut."""
    if display_width(text) <= most:
        return text
    used, kept = 1, []
    for letter in text:
        used += display_width(letter)
        if used > most:
            break
        kept.append(letter)
    return "".join(kept).rstrip() + "…"


def display_width(text: str) -> int:
    """Return the number of columns of a line: two for East Asian wide letters, none for combining marks."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))


def terminal_width() -> int:
    return shutil.get_terminal_size().columns


def format_time(when: datetime | None) -> str:
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if when else "never"


def format_iso_time(text: str) -> str:
    """Return an ISO 8601 time for people; other text unchanged."""
    try:
        return format_time(datetime.fromisoformat(text))
    except ValueError:
        return printable(text)


def plural(count: int, noun: str, many: str = "") -> str:
    """Return a count with its noun: "1 record", "2 records"."""
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def _visible(letter: str) -> str:
    if letter in _HARMLESS or unicodedata.category(letter) not in _UNSAFE:
        return letter
    code = ord(letter)
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else f"\\u{code:04x}"


def _colour() -> bool | None:
    """Return whether to use colour; None leaves the decision to Typer."""
    is_plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return False if is_plain else None
