"""The owner's own tables: CSV files with a number for each institution and year.

Lines that cannot be used are kept with their number and the reason, for commands, pages and `doctor`.
"""

from __future__ import annotations

import csv
import io
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from windrow.config.schema import TableSettings
from windrow.model.counted_fields import tidy_value
from windrow.model.document_dates import is_year_label, starting_year, year_label

COLUMNS = ("institution", "year", "number")
MAX_BYTES = 10_000_000
MAX_ROWS = 100_000
_MAX_SHOWN_LENGTH = 60
_DELIMITERS = (",", ";", "\t")
# A comma before one or two digits is a decimal comma; before three, it may be a thousands separator.
_DECIMALS = r"(?:\.[0-9]{1,6}|,[0-9]{1,2})?"
_NUMBER = re.compile(rf"[0-9]{{1,15}}{_DECIMALS}")
_GROUPED = re.compile(rf"[0-9]{{1,3}}(?:[ \u00a0\u202f][0-9]{{3}})+{_DECIMALS}")


class OwnRow(NamedTuple):
    """A number, with its line in the file."""

    institution: str
    year: str  # as years are counted: 2019 or 2019/20
    number: float
    line: int


class Fault(NamedTuple):
    """An unusable line and the reason. Line 0 is the whole file."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class OwnTable:
    """The content of a file."""

    settings: TableSettings
    rows: tuple[OwnRow, ...] = ()
    faults: tuple[Fault, ...] = ()


@dataclass(slots=True)
class OwnTables:
    """The tables of a library, read again when their files change. `folder` is the library's."""

    folder: Path = field(default_factory=Path)
    settings: Mapping[str, TableSettings] = field(default_factory=dict)
    year_starts: int = 0
    _read: dict[str, tuple[object, OwnTable]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, name: str) -> OwnTable:
        settings = self.settings[name]
        path = self.folder / settings.file
        try:
            found = path.stat()
            mark: object = (found.st_mtime_ns, found.st_size, found.st_ino)
        except OSError:
            mark = None
        with self._lock:
            known = self._read.get(name)
            if mark is None or known is None or known[0] != mark:
                known = self._read[name] = (mark, read_table(path, settings, self.year_starts))
        return known[1]


def read_table(path: Path, settings: TableSettings, year_starts: int = 0) -> OwnTable:
    """Read a file; errors are listed in the table's faults."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as exc:
        return _unusable(settings, f"{settings.file} cannot be read: {exc.strerror or exc}")
    if len(data) > MAX_BYTES:
        return _unusable(settings, f"{settings.file} has more than {MAX_BYTES:,} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _unusable(settings, f"{settings.file} is not UTF-8: save it as CSV in UTF-8")
    return parse_table(text, settings, year_starts)


def parse_table(text: str, settings: TableSettings, year_starts: int = 0) -> OwnTable:
    head = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        header = [tidy_value(name).casefold() for name in next(reader, [])]
        lacking = [name for name in COLUMNS if name not in header]
        if lacking:
            return _unusable(
                settings,
                f"line 1 of {settings.file} must name the columns {', '.join(COLUMNS)}; it lacks"
                f" {', '.join(lacking)}",
            )
        places = [header.index(name) for name in COLUMNS]
        return _collected(settings, _lines(reader, places, year_starts))
    except csv.Error as exc:
        return _unusable(settings, f"{settings.file} is not CSV: {exc}, on line {reader.line_num}")


def _collected(settings: TableSettings, found: Iterator[OwnRow | Fault]) -> OwnTable:
    rows: dict[tuple[str, str], OwnRow] = {}
    faults: list[Fault] = []
    for each in found:
        if isinstance(each, Fault):
            faults.append(each)
        elif len(rows) >= MAX_ROWS:
            faults.append(Fault(each.line, f"the lines from here on are not read: at most {MAX_ROWS:,} are"))
            break
        elif (first := rows.setdefault((each.institution, each.year), each)) is not each:
            faults.append(Fault(each.line, f"line {first.line} has the same institution and year"))
    return OwnTable(settings, tuple(rows.values()), tuple(faults))


def _lines(reader: Iterator[list[str]], places: Sequence[int], year_starts: int) -> Iterator[OwnRow | Fault]:
    line = 1
    for cells in reader:
        line, begun = reader.line_num, line + 1  # type: ignore[attr-defined]
        if not any(map(str.strip, cells)):
            continue
        institution, year, number = (
            tidy_value(cells[place]) if place < len(cells) else "" for place in places
        )
        yield _row(institution, year, number, begun, year_starts)


def _row(institution: str, year: str, number: str, line: int, year_starts: int) -> OwnRow | Fault:
    if not institution:
        return Fault(line, "it names no institution")
    first = starting_year(year)
    if first is None or first < 0:
        return Fault(line, f"{_shown(year)} is no year" if year else "it has no year")
    if is_year_label(year) != bool(year_starts):
        return Fault(line, f"years are counted as {year_label(first, year_starts)} here, and not as {year}")
    if not number:
        return Fault(line, "it has no number")
    if not (_NUMBER.fullmatch(number) or _GROUPED.fullmatch(number)):
        return Fault(line, f"{_shown(number)} is no number such as 1234 or 12.5")
    return OwnRow(institution, year, float(re.sub(r"\s", "", number).replace(",", ".")), line)


def _unusable(settings: TableSettings, reason: str) -> OwnTable:
    return OwnTable(settings, faults=(Fault(0, reason),))


def _shown(text: str) -> str:
    return f"“{text if len(text) <= _MAX_SHOWN_LENGTH else text[:_MAX_SHOWN_LENGTH] + '…'}”"
