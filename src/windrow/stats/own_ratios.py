"""Records divided by the owner's own numbers: theses per student admitted, by institution and year."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from windrow.index.protocol import EVERYTHING, MAX_COUNTED_VALUES, FacetRequest, Index
from windrow.model.document_dates import starting_year
from windrow.model.text.folding import fold
from windrow.stats.own_tables import OwnRow, OwnTable
from windrow.stats.population import YEARS, Population
from windrow.stats.table import Column, Drawing, Filter, Form, Kind, Message, Row, Table, message

PREFIX = "own-"
BY_YEAR, ROWS = "-years", "-rows"
MAX_NAMED = 10  # lines or institutions in a note
_INSTITUTIONS = FacetRequest("institution", MAX_COUNTED_VALUES)


class Joined(NamedTuple):
    """A row of the owner's table, with the records of its institution and year."""

    row: OwnRow
    names: tuple[str, ...]  # spellings of the institution in records
    records: int


@dataclass(frozen=True, slots=True)
class Join:
    """The owner's table joined with counted records."""

    own: OwnTable
    joined: tuple[Joined, ...]
    strangers: tuple[OwnRow, ...]  # rows whose institution no record of the library has
    lacking: tuple[str, ...]  # institutions with records but without numbers

    def ratio(self, records: int, number: float) -> float | None:
        """Return records per `per` of the number; None for zero."""
        return records * self.own.settings.per / number if number else None


def table_names(name: str) -> tuple[str, ...]:
    """Return the names of the statistics made with one of the owner's tables."""
    return tuple(f"{PREFIX}{name}{ending}" for ending in ("", BY_YEAR, ROWS))


def own_table(name: str, population: Population) -> Callable[[], Table] | None:
    """Return a function that makes the table with this name; None if it uses none of the owner's tables."""
    for known in population.own.settings:
        makers = dict(zip(table_names(known), (_by_institution, _by_year, _rows), strict=True))
        make = makers.get(name)
        if make is not None:
            found = make
            return lambda: found(name, population, join_table(population.own.get(known), population))
    return None


def find_unknown_institutions(own: OwnTable, index: Index) -> tuple[OwnRow, ...]:
    """Return the rows whose institution no record of the library has."""
    known = _spellings(index)
    return tuple(row for row in own.rows if fold(row.institution) not in known)


def join_table(own: OwnTable, population: Population) -> Join:
    """Join a table with the records of a population, for the selected institutions and years."""
    spellings = _spellings(population.index)
    chosen = frozenset(map(fold, population.institutions))
    (counts,) = population.tally(_INSTITUTIONS._replace(within=YEARS))
    counted = {
        (each.value, year.value): year.count for each in counts.values for year in each.within if year.count
    }
    found, strangers = [], []
    for row in own.rows:
        names = spellings.get(fold(row.institution), ())
        if not names:
            strangers.append(row)
        elif population.wants_year(row.year) and (not chosen or fold(row.institution) in chosen):
            records = sum(counted.get((name, row.year), 0) for name in names)
            found.append(Joined(row, names, records))
    with_number = {name for each in found for name in each.names}
    lacking = tuple(each.value for each in counts.values if each.value not in with_number)
    return Join(own, tuple(found), tuple(strangers), lacking)


def _spellings(index: Index) -> dict[str, tuple[str, ...]]:
    """Return the spellings of each institution in records, ignoring case and accents."""
    (counts,) = index.tally(EVERYTHING, [_INSTITUTIONS])
    found: dict[str, tuple[str, ...]] = {}
    for each in counts.values:
        found[fold(each.value)] = (*found.get(fold(each.value), ()), each.value)
    return found


def _by_institution(name: str, population: Population, join: Join) -> Table:
    """One row per institution, over all years that have a number."""
    groups: dict[str, list[Joined]] = {}
    for each in join.joined:
        groups.setdefault(fold(each.row.institution), []).append(each)
    rows = [_summed(join, each[0].names[0], each, _filter(each)) for each in groups.values()]
    rows.sort(key=lambda row: (-(_number(row.cells[3])), str(row.cells[0])))
    return _table(
        name,
        message("{ratio}, by institution", ratio=join.own.settings.ratio),
        population,
        join,
        (Column("institution", message("Institution")),),
        rows,
        Drawing(Form.BARS, "institution", ("ratio",), most=50),
    )


def _by_year(name: str, population: Population, join: Join) -> Table:
    """One row per year, over all institutions that have a number for it."""
    groups: dict[str, list[Joined]] = {}
    for each in join.joined:
        groups.setdefault(each.row.year, []).append(each)
    ordered = sorted(groups, key=lambda year: starting_year(year) or 0)
    return _table(
        name,
        message("{ratio}, by year", ratio=join.own.settings.ratio),
        population,
        join,
        (Column("year", message("Year")),),
        [_summed(join, year, groups[year]) for year in ordered],
        Drawing(
            Form.SERIES,
            "year",
            ("ratio",),
            most=100,
            incomplete=population.year_name(population.this_year),
        ),
    )


def _rows(name: str, population: Population, join: Join) -> Table:
    """One row per institution and year, as in the owner's table."""
    ordered = sorted(join.joined, key=lambda each: (each.names[0], starting_year(each.row.year) or 0))
    rows = [
        Row(
            (
                each.names[0],
                each.row.year,
                each.records,
                _whole(each.row.number),
                join.ratio(each.records, each.row.number),
            ),
            _filter([each]),
        )
        for each in ordered
    ]
    columns = (Column("institution", message("Institution")), Column("year", message("Year")))
    title = message("{ratio}, by institution and year", ratio=join.own.settings.ratio)
    return _table(name, title, population, join, columns, rows, None)


def _summed(join: Join, name: str, found: Sequence[Joined], filter_: Filter = ()) -> Row:
    records, number = sum(each.records for each in found), sum(each.row.number for each in found)
    return Row((name, records, _whole(number), join.ratio(records, number)), filter_)


def _whole(number: float) -> float:
    return int(number) if number.is_integer() else number


def _filter(found: Sequence[Joined]) -> Filter:
    """Return the filter for the records of an institution's rows; empty if none matches exactly these."""
    names = {name for each in found for name in each.names}
    years = sorted({starting_year(each.row.year) or 0: each.row.year for each in found}.items())
    if len(names) != 1 or years[-1][0] - years[0][0] != len(years) - 1:
        return ()
    first, last = years[0][1], years[-1][1]
    return (("institution", names.pop()), ("year", first if first == last else f"{first}..{last}"))


def _table(
    name: str,
    title: Message,
    population: Population,
    join: Join,
    leading: tuple[Column, ...],
    rows: Iterable[Row],
    drawing: Drawing | None,
) -> Table:
    settings = join.own.settings
    number = Column("number", verbatim(settings.title), _number_kind(join))
    ratio = Column("ratio", verbatim(settings.ratio), Kind.RATIO)
    years = sorted({starting_year(each.row.year) or 0: each.row.year for each in join.joined}.items())
    period = "" if not years else years[0][1] if len(years) == 1 else f"{years[0][1]}–{years[-1][1]}"
    return Table(
        name,
        title,
        (*leading, Column("records", message("Records"), Kind.NUMBER), number, ratio),
        tuple(rows),
        period,
        population.origin,
        _notes(join, population),
        drawing=drawing,
    )


def _number_kind(join: Join) -> Kind:
    return Kind.NUMBER if all(each.row.number.is_integer() for each in join.joined) else Kind.DECIMAL


def verbatim(text: str) -> Message:
    """Return the owner's words as a message that is not translated."""
    return Message("{words}", (("words", text),))


def _notes(join: Join, population: Population) -> tuple[Message, ...]:
    settings, faults = join.own.settings, join.own.faults
    where = f"{settings.source} ({settings.url})" if settings.url else settings.source
    counted = sum(each.records for each in join.joined)
    notes = [
        message("{title}: numbers from {source}.", title=settings.title, source=where),
        message(
            "Records count where the numbers have their institution and year: {count} of {total}.",
            count=counted,
            total=population.count(),
        ),
    ]
    if settings.per > 1:
        notes.append(message("{ratio}: records for each {per}.", ratio=settings.ratio, per=settings.per))
    if join.lacking:
        notes.append(
            message(
                "Institutions with records and without a number: {count} ({names}).",
                count=len(join.lacking),
                names=_listed(join.lacking, "; "),
            )
        )
    if join.strangers:
        lines = [f"{row.line} “{row.institution}”" for row in join.strangers]
        notes.append(
            message(
                "Lines of {file} whose institution no record has: {count} ({lines}).",
                file=settings.file,
                count=len(lines),
                lines=_listed(lines, "; "),
            )
        )
    if faults:
        notes.append(
            message(
                "Lines of {file} that are not used: {count} ({lines}).",
                file=settings.file,
                count=len(faults),
                lines=_listed([str(fault.line) if fault.line else "–" for fault in faults], ", "),
            )
        )
    return tuple(notes)


def fault_words(line: int, reason: str) -> str:
    """Return a fault with its line number."""
    return f"{line}: {reason}" if line else reason


def _listed(words: Sequence[str], between: str) -> str:
    more = ["…"] if len(words) > MAX_NAMED else []
    return between.join([*words[:MAX_NAMED], *more])


def _number(cell: object) -> float:
    return float(cell) if isinstance(cell, int | float) else -1.0
