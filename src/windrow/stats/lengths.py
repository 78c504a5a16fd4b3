"""Lengths: the distribution of page counts, their averages by institution and year, and files in numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from windrow.index.protocol import MAX_COUNTED_VALUES, FacetCounts, FacetRequest, ValueCount
from windrow.model.counted_fields import SIZE_CLASSES
from windrow.model.query import Word
from windrow.stats import rankings
from windrow.stats.population import Averages, Population, compute_averages, make_span
from windrow.stats.rankings import TOP
from windrow.stats.table import Cell, Column, Drawing, Form, Kind, Message, Row, Table, message
from windrow.stats.time_series import note_uncharted_years, tabulate_growth

# The distribution of page counts.

PAGES = FacetRequest("pages", MAX_COUNTED_VALUES, is_by_value=True)
MAX_BINS = 30
_WIDTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_TAIL = 0.99  # share of records below the open class at the end


def tabulate_pages(population: Population) -> Table:
    """Number of records by pages, in classes of equal width and an open one at the end."""
    (counts,) = population.tally(PAGES)
    found = compute_averages(counts.values)
    classes = make_classes(counts.values)
    rows = tuple(
        Row((_label(low, high), count, count / found.counted), (("pages", f"{low}..{high or ''}"),))
        for low, high, count in classes
    )
    return Table(
        "pages",
        message("Distribution of page counts"),
        (
            Column("pages", message("Pages")),
            Column("records", message("Records"), Kind.NUMBER),
            Column("share", message("Share of records with pages"), Kind.SHARE),
        ),
        rows,
        population.period(),
        population.origin,
        _page_notes(found, population.count(), counts.others),
        _page_summary(found),
        Drawing(Form.HISTOGRAM, "pages", ("records",), most=MAX_BINS + 1),
    )


def make_classes(counted: Sequence[ValueCount]) -> list[tuple[int, int | None, int]]:
    """Return classes as first and last page count (None: open) and number of records."""
    known = sorted((int(each.value), each.count) for each in counted)
    if not known:
        return []
    end = _tail(known)
    width = next((width for width in _WIDTHS if end // width < MAX_BINS), -(-end // MAX_BINS))
    edge = (end // width + 1) * width  # the first page count of the open class
    bins: dict[int, int] = dict.fromkeys(range(known[0][0] // width * width, edge, width), 0)
    for value, count in known:
        low = value // width * width if value < edge else edge
        bins[low] = bins.get(low, 0) + count
    return [(low, None if low >= edge else low + width - 1, count) for low, count in sorted(bins.items())]


def _tail(known: Iterable[tuple[int, int]]) -> int:
    """Return the page count that all but the longest few do not exceed."""
    listed = list(known)
    wanted = _TAIL * sum(count for _, count in listed)
    passed = 0
    for value, count in listed:
        passed += count
        if passed >= wanted:
            return value
    return listed[-1][0]


def _label(low: int, high: int | None) -> str | Message:
    if high is None:
        return message("{low} and more", low=low)
    return str(low) if low == high else f"{low}–{high}"


def _page_notes(found: Averages, total: int, others: int) -> tuple[Message, ...]:
    notes = []
    if found.mean is not None and found.median is not None:
        notes.append(
            message(
                "Mean {mean}, median {median}: half of the records have at most that many pages.",
                mean=found.mean,
                median=found.median,
            )
        )
    if total > found.counted:
        notes.append(
            message("Without a page count: {count} of {total}.", count=total - found.counted, total=total)
        )
    if others:
        notes.append(
            message(
                "Page counts beyond the first {most} different ones are left out.", most=MAX_COUNTED_VALUES
            )
        )
    return tuple(notes)


def _page_summary(found: Averages) -> Message | None:
    if found.median is None:
        return None
    return message(
        "Half of {count} records have at most {median} pages.", count=found.counted, median=found.median
    )


HOW = message(
    "The mean is the sum of all pages divided by the number of records with pages. The median is the middle "
    "one of these records in the order of their pages: a few very long ones do not move it."
)
_FIGURES = (
    Column("counted", message("Records with pages"), Kind.NUMBER),
    Column("mean", message("Mean pages"), Kind.DECIMAL),
    Column("median", message("Median pages"), Kind.DECIMAL),
)


def tabulate_lengths_by_institution(population: Population) -> Table:
    """Mean and median pages by institution."""
    (counts,) = population.tally(FacetRequest("institution", TOP, within=PAGES))
    rows = tuple(
        Row((each.value, *_figures(each.within)), (("institution", each.value),))
        for each in counts.values
        if each.within
    )
    return Table(
        "pages-by-institution",
        message("Pages per institution"),
        (Column("institution", message("Institution")), *_FIGURES),
        rows,
        population.period(),
        population.origin,
        (HOW, *_left_out(counts, len(counts.values) - len(rows))),
        drawing=Drawing(Form.GROUPED, "institution", ("median", "mean"), most=15),
    )


def tabulate_lengths_by_year(population: Population) -> Table:
    """Mean and median pages by year."""
    (counts,) = population.tally(FacetRequest("year", MAX_COUNTED_VALUES, is_by_value=True, within=PAGES))
    span = make_span(counts.values, this_year=population.this_year)
    rows = tuple(
        Row((name, *_figures(found.within if found else ())), (("year", name),))
        for name, found in ((population.year_name(year), found) for year, found in span.years)
    )
    return Table(
        "pages-by-year",
        message("Pages by year"),
        (Column("year", message("Year")), *_FIGURES),
        rows,
        population.period(),
        population.origin,
        (HOW, *note_uncharted_years(span, population)),
        drawing=Drawing(Form.LINES, "year", ("median", "mean"), most=100),
    )


def _figures(within: tuple[ValueCount, ...]) -> tuple[Cell, ...]:
    found = compute_averages(within)
    return tuple(found)


def _left_out(counts: FacetCounts, without: int) -> list[Message]:
    notes = []
    if without:
        notes.append(message("Institutions none of whose records has a page count: {count}.", count=without))
    if counts.others:
        notes.append(message("Institutions that are not listed have {count} records.", count=counts.others))
    return notes


# Files in numbers: by kind, size, length, language and year.

Make = Callable[[Population], Table]
FILES = "media"  # a field that every file has, and nothing else
_ANY = ("media", "*")  # matches the files among the records of a row
_KINDS = rankings.Values(
    "document-kinds",
    FILES,
    message("Documents by kind of file"),
    message("Kind of file"),
    message("Without a kind: {count} of {total}."),
    Kind.MEDIA,
    is_single=True,
)


def tabulate_file_kinds(population: Population) -> Table:
    """Number of files by kind of content."""
    return rankings.tabulate_most_used(_files(population), _KINDS)


def tabulate_file_sizes(population: Population) -> Table:
    """Number of files by size, in classes of powers of ten."""
    files = _files(population)
    (counts,) = files.tally(FacetRequest("size", len(SIZE_CLASSES)))
    known = {each.value: each.count for each in counts.values}
    total = sum(known.values())
    listed = [each for each in SIZE_CLASSES if each in known]
    rows = tuple(Row((each, known[each], known[each] / total), (("size", each),)) for each in listed)
    return Table(
        "document-sizes",
        message("Documents by size"),
        (
            Column("size", message("Size of file"), Kind.SIZE),
            Column("records", message("Records"), Kind.NUMBER),
            Column("share", message("Share of records"), Kind.SHARE),
        ),
        rows,
        files.period(),
        files.origin,
        drawing=Drawing(Form.HISTOGRAM, "size", ("records",)),
    )


def _of_files(name: str, title: Message, make: Make) -> Make:
    """Return a table restricted to files, under its own name."""

    def made(population: Population) -> Table:
        table = make(_files(population))
        rows = tuple(row._replace(filter=(*row.filter, _ANY)) if row.filter else row for row in table.rows)
        return replace(table, name=name, title=title, rows=rows)

    return made


def _files(population: Population) -> Population:
    return population.narrowed(Word("*", FILES, is_pattern=True))


def _languages(population: Population) -> Table:
    return rankings.tabulate_most_used(population, rankings.LANGUAGES)


TABLES: dict[str, Make] = {
    "document-kinds": tabulate_file_kinds,
    "document-sizes": tabulate_file_sizes,
    "document-pages": _of_files("document-pages", message("Documents by page count"), tabulate_pages),
    "document-languages": _of_files("document-languages", message("Documents by language"), _languages),
    "document-years": _of_files("document-years", message("Documents by year"), tabulate_growth),
}
