"""`windrow stats`: statistics of records, as tables in a terminal and as charts in files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from windrow.cli.invocation import JSON, opened_library, print_json, require_index
from windrow.cli.terminal import plural, print_hint, print_line, print_table, printable
from windrow.errors import NotFound, UsageError

if TYPE_CHECKING:
    from windrow.config.schema import Config
    from windrow.search.request import SearchRequest
    from windrow.stats.own_tables import OwnTables
    from windrow.stats.population import Population
    from windrow.stats.table import Column, Origin, Row, Table
    from windrow.wiring import Library

# Mistakes in the words of a query are explained; wrong filters are errors, as in the portal's data files. A
# script trusts what is printed, so a meaningless filter must not be ignored.

StatisticsFilters = Sequence[tuple[str, str]]


def parse_search_options(opened: Library, words: str, filters: StatisticsFilters) -> SearchRequest:
    """Return the request for the words and filters of a command; UsageError for a wrong filter."""
    from windrow.search.request import read_request

    for name, value in filters:
        _check(opened, name, value)
    types = opened.types.of_collection(dict(filters).get("collection", ""))
    sources = opened.config.collection_sources
    question = read_request(
        [("q", words), *filters], collections=sources, types=types, expander=opened.expander
    )
    if question.notes:
        raise UsageError(printable(" ".join(note.fault for note in question.notes)))
    for mistake in question.mistakes:
        print_hint(printable(mistake.sentence))
    return question


def _check(opened: Library, name: str, value: str) -> None:
    if not value.strip():  # an unset variable of a script
        raise UsageError(f"--{name} is empty")
    if name == "source":
        _check_source(opened, value.strip())
    if name == "collection":
        _check_collection(opened, value.strip())


def _check_source(opened: Library, name: str) -> None:
    from windrow.model.query import Value

    # The records of a source that was only taken out of windrow.toml are still there.
    if not opened.index.count(Value(name, "source")):
        opened.source(name)


def _check_collection(opened: Library, name: str) -> None:
    known = opened.config.collections
    if name not in known:
        listed = ", ".join(sorted(known)) or "none yet"
        raise NotFound(f"there is no collection {name!r}", hint=f"The collections of this library: {listed}.")


# A table in a terminal: title, rows with a bar each, and notes on stderr.

_BAR = 24  # characters
_EIGHTHS = " ▏▎▍▌▋▊▉"


def show_table(table: Table, *, most: int | None = None) -> None:
    """Print a table, or `most` of its rows: the last ones for years, otherwise the first."""
    from windrow.stats.charts.chart import chart_title
    from windrow.stats.table import to_english

    print_line(printable(chart_title(table)), style="bold")
    rows = _shown_rows(table, most)
    if rows:
        _print_rows(table, rows)
    else:
        print_line(
            printable(to_english(table.summary)) if table.summary else "There are no numbers for this."
        )
    left = len(table.rows) - len(rows)
    if left:
        print_hint(f"and {plural(left, 'more row')}: windrow stats {table.name}")
    if most is None:
        for note in table.notes:
            leads = " ".join(f"{field}:{value}" for field, value in note.leads_to)
            print_hint(printable(to_english(note)) + (f" Find them: windrow search {leads}" if leads else ""))


def _shown_rows(table: Table, most: int | None) -> Sequence[Row]:
    from windrow.stats.table import Form

    if most is None:
        return table.rows
    is_by_year = table.drawing is not None and table.drawing.form is Form.SERIES
    return table.rows[-most:] if is_by_year else table.rows[:most]


def _print_rows(table: Table, rows: Sequence[Row]) -> None:
    from windrow.stats.table import ENGLISH

    cells = [
        [ENGLISH.cell(cell, column.kind) for cell, column in zip(row.cells, table.columns, strict=True)]
        for row in rows
    ]
    headings = [_column_heading(column) for column in table.columns]
    sides = "".join("r" if column.kind.is_number else " " for column in table.columns)
    lines = [[*line, bar] for line, bar in zip(cells, _bars(table, rows), strict=True)]
    print_table((*headings, ""), lines, right=sides)


def _column_heading(column: Column) -> str:
    """Return the heading of a column; names that come from the data are not translated."""
    return printable(column.label) if isinstance(column.label, str) else str(column.label).lower()


def _bars(table: Table, rows: Sequence[Row]) -> list[str]:
    """Return a bar for each row if the table has one bar per row; otherwise nothing."""
    from windrow.stats.table import Form

    drawing = table.drawing
    if drawing is None or drawing.form not in (Form.BARS, Form.SERIES, Form.HISTOGRAM):
        return [""] * len(rows)
    place = table.place(drawing.values[0])
    values = [_format_cell(row.cells[place]) for row in rows]
    largest = max(values, default=0)
    return [render_bar(value / largest if largest else 0) for value in values]


def render_bar(share: float) -> str:
    """Return a bar of this share of the full length, to an eighth of a character."""
    whole, rest = divmod(round(share * _BAR * 8), 8)
    return "█" * whole + (_EIGHTHS[rest] if rest else "") or ("▏" if share else "")


def _format_cell(cell: object) -> float:
    return float(cell) if isinstance(cell, int | float) else 0.0


_FEW = 10  # rows of each table in the overview
_FILTER = "Only this {}; may be repeated."


def add_stats(app: typer.Typer) -> None:
    app.command("stats")(stats)


def _table_names(name: str, *, of: str = "") -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(
        f"--{name}", metavar=of or "NAME", help=_FILTER.format(name)
    )
    return option


def stats(
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="Which statistics; without it an overview.")
    ] = "",
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[QUERY]...", help="Only records that this finds.")
    ] = None,
    institution: Annotated[list[str] | None, _table_names("institution")] = None,
    department: Annotated[list[str] | None, _table_names("department")] = None,
    year: Annotated[list[str] | None, _table_names("year", of="YEAR")] = None,
    type_: Annotated[list[str] | None, _table_names("type")] = None,
    language: Annotated[list[str] | None, _table_names("language", of="CODE")] = None,
    subject: Annotated[list[str] | None, _table_names("subject")] = None,
    keyword: Annotated[list[str] | None, _table_names("keyword")] = None,
    source: Annotated[list[str] | None, _table_names("source")] = None,
    collection: Annotated[
        str | None, typer.Option("--collection", metavar="NAME", help="Only this collection.")
    ] = None,
    is_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, for spreadsheets.")] = False,
    is_json: Annotated[bool, JSON] = False,
    svg: Annotated[
        str | None, typer.Option("--svg", metavar="FILE", help="Write the chart to a file.")
    ] = None,
    png: Annotated[
        str | None, typer.Option("--png", metavar="FILE", help="Write the chart to a file.")
    ] = None,
) -> None:
    """Show statistics of the records: of all, or of those that a search finds.

    A year may be a span: 2010..2014. What is wrong with a query is explained, and the rest of it counted; a
    year that is none, and a source or collection that is not there, are errors. --svg and --png draw besides
    what --csv or --json prints; without these, they draw and print nothing.
    """
    filters = {
        "institution": institution,
        "department": department,
        "year": year,
        "type": type_,
        "language": language,
        "subject": subject,
        "keyword": keyword,
        "source": source,
        "collection": [collection] if collection is not None else None,
    }
    pairs = [(field, value) for field, values in filters.items() for value in values or ()]
    _check_stdout(is_csv, is_json, svg, png)
    with opened_library() as opened:
        question = parse_search_options(opened, " ".join(words or ()), pairs)
        own = own_tables(opened.config)
        names = _chosen_tables(name, own, is_single=is_csv or bool(svg or png))
        tables = _tables(names, _population(opened, question, own))
    if is_csv:
        _print_csv(tables[0])
    elif is_json:
        _print_json(tables, is_overview=not name)
    elif not (svg or png):
        _show(tables, own, is_overview=not name)
    if svg or png:
        _draw(tables[0], svg, png)


def _check_stdout(is_csv: bool, is_json: bool, *files: str | None) -> None:
    """Refuse more than one output to stdout."""
    from windrow.exports.output_file import STDOUT

    if is_csv + is_json + files.count(STDOUT) > 1:
        raise UsageError(
            "stdout holds one of CSV, JSON and a picture", hint="Write the others to files of their own."
        )


def own_tables(config: Config) -> OwnTables:
    from windrow.stats.own_tables import OwnTables

    return OwnTables(config.path, config.tables, config.portal.year_starts)


def _chosen_tables(name: str, own: OwnTables, *, is_single: bool) -> Sequence[str]:
    """Return the tables with this name; only one if it goes to a file."""
    from windrow.stats.catalogue import OVERVIEW, find_page, list_pages, list_tables

    page, known = find_page(name, own), list_tables(own)
    if is_single and name in known:
        return (name,)
    found = OVERVIEW if not name else page.tables if page else (name,) if name in known else ()
    if not found:
        listed = ", ".join(dict.fromkeys((*(each.name for each in list_pages(own)), *known)))
        raise NotFound(f"there are no statistics {name!r}", hint=f"There are: {listed}.")
    if is_single and len(found) > 1:
        raise UsageError("a file holds one table", hint=f"Name one: {', '.join(found)}.")
    return found


def _population(opened: Library, question: SearchRequest, own: OwnTables) -> Population:
    from windrow.stats.population import Population
    from windrow.store.overview import list_overviews
    from windrow.web.i18n.translation import get_translator
    from windrow.web.i18n.value_labels import describe_origin

    require_index(opened, purpose="count in")
    collection = opened.config.collections.get(question.collection or "")
    title = collection.title if collection else opened.config.library.name

    def named(asked: SearchRequest) -> Origin:
        return describe_origin(title, asked, get_translator("en"))

    return Population(
        opened.index,
        question.query,
        named(question),
        datetime.now(UTC),
        institutions=tuple(question.filters.get("institution", ())),
        origin_of=lambda institutions: named(question.choosing("institution", institutions)),
        harvests=lambda: list_overviews(opened.store, opened.config.sources),
        own=own,
        wants_year=question.wants_year,
        types=opened.types.of_collection(question.collection or ""),
    )


def _tables(names: Sequence[str], population: Population) -> list[Table]:
    from windrow.stats.catalogue import make_table

    return [make_table(name, population) for name in names]


def _show(tables: Sequence[Table], own: OwnTables, *, is_overview: bool) -> None:
    from windrow.stats.catalogue import list_pages

    for place, table in enumerate(tables):
        if place:
            print_line()
        show_table(table, most=_FEW if is_overview else None)
    if is_overview:
        listed = ", ".join(page.name for page in list_pages(own))
        print_hint(f"\nMore: windrow stats NAME, which is one of {listed}.")


def _print_csv(table: Table) -> None:
    from windrow.stats.table_export import as_csv

    sys.stdout.write(as_csv(table).replace("\r\n", "\n"))


def _print_json(tables: Sequence[Table], *, is_overview: bool) -> None:
    from windrow.stats.table_export import as_json

    made = [as_json(table) for table in tables]
    print_json(made[0] if len(made) == 1 and not is_overview else made)


def _draw(table: Table, svg: str | None, png: str | None) -> None:
    from windrow.exports.output_file import open_output
    from windrow.stats.charts.chart import make_picture
    from windrow.stats.charts.drawing import Drawer

    picture = make_picture(table)
    if picture is None:
        raise UsageError("there is nothing to draw", hint=f"windrow stats {table.name} shows why.")
    drawer = Drawer()
    for target, draw in ((svg, drawer.file), (png, drawer.png)):
        if target:
            drawn = draw(picture)
            with open_output(target) as file:
                file.write(drawn)
            print_hint(f"Wrote {target}")
    drawer.engine.close()
