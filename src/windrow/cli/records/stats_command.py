"""`windrow stats`: what the records add up to, as tables in a terminal and charts in files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from windrow.cli.indexed import check_indexed
from windrow.cli.state import JSON, library, print_json
from windrow.cli.stats_question import read_options
from windrow.cli.stats_view import show_table
from windrow.cli.terminal import hint, say
from windrow.errors import NotFound, UsageError

if TYPE_CHECKING:
    from windrow.config.schema import Config
    from windrow.finding.question import Question
    from windrow.stats.origin import Origin
    from windrow.stats.own_tables import OwnTables
    from windrow.stats.population import Population
    from windrow.stats.table import Table
    from windrow.wiring import Library

_FEW = 10  # rows of each table in the overview
_FILTER = "Only this {}; may be repeated."


def add_to(app: typer.Typer) -> None:
    """Put this command among the others."""
    app.command("stats")(stats)


def _only(name: str, *, of: str = "") -> typer.models.OptionInfo:
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
    institution: Annotated[list[str] | None, _only("institution")] = None,
    department: Annotated[list[str] | None, _only("department")] = None,
    year: Annotated[list[str] | None, _only("year", of="YEAR")] = None,
    type_: Annotated[list[str] | None, _only("type")] = None,
    language: Annotated[list[str] | None, _only("language", of="CODE")] = None,
    subject: Annotated[list[str] | None, _only("subject")] = None,
    keyword: Annotated[list[str] | None, _only("keyword")] = None,
    source: Annotated[list[str] | None, _only("source")] = None,
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
    with library() as opened:
        question = read_options(opened, " ".join(words or ()), pairs)
        own = own_tables(opened.config)
        names = _names(name, own, is_single=is_csv or bool(svg or png))
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
    """See that one thing at most goes to stdout."""
    from windrow.exports.target import STDOUT

    if is_csv + is_json + files.count(STDOUT) > 1:
        raise UsageError(
            "stdout holds one of CSV, JSON and a picture", hint="Write the others to files of their own."
        )


def own_tables(config: Config) -> OwnTables:
    """Return the owner's tables."""
    from windrow.stats.own_tables import OwnTables

    return OwnTables(config.path, config.tables, config.portal.year_starts)


def _names(name: str, own: OwnTables, *, is_single: bool) -> Sequence[str]:
    """Give the tables that a name stands for; for a file, one."""
    from windrow.stats.catalogue import OVERVIEW, find_page, pages_of, tables_of

    page, known = find_page(name, own), tables_of(own)
    if is_single and name in known:
        return (name,)
    found = OVERVIEW if not name else page.tables if page else (name,) if name in known else ()
    if not found:
        listed = ", ".join(dict.fromkeys((*(each.name for each in pages_of(own)), *known)))
        raise NotFound(f"there are no statistics {name!r}", hint=f"There are: {listed}.")
    if is_single and len(found) > 1:
        raise UsageError("a file holds one table", hint=f"Name one: {', '.join(found)}.")
    return found


def _population(opened: Library, question: Question, own: OwnTables) -> Population:
    from windrow.faces.shared.tongue import tongue
    from windrow.faces.statistics.naming import origin_of
    from windrow.stats.population import Population
    from windrow.store.overview import overviews

    check_indexed(opened, purpose="count in")
    collection = opened.config.collections.get(question.collection or "")
    title = collection.title if collection else opened.config.library.name

    def named(asked: Question) -> Origin:
        return origin_of(title, asked, tongue("en"))

    return Population(
        opened.index,
        question.query,
        named(question),
        datetime.now(UTC),
        institutions=tuple(question.filters.get("institution", ())),
        origin_of=lambda institutions: named(question.choosing("institution", institutions)),
        harvests=lambda: overviews(opened.store, opened.config.sources),
        own=own,
        wants_year=question.wants_year,
        types=opened.types.of_collection(question.collection or ""),
    )


def _tables(names: Sequence[str], population: Population) -> list[Table]:
    from windrow.stats.catalogue import make_table

    return [make_table(name, population) for name in names]


def _show(tables: Sequence[Table], own: OwnTables, *, is_overview: bool) -> None:
    from windrow.stats.catalogue import pages_of

    for place, table in enumerate(tables):
        if place:
            say()
        show_table(table, most=_FEW if is_overview else None)
    if is_overview:
        listed = ", ".join(page.name for page in pages_of(own))
        hint(f"\nMore: windrow stats NAME, which is one of {listed}.")


def _print_csv(table: Table) -> None:
    from windrow.stats.writing import as_csv

    sys.stdout.write(as_csv(table).replace("\r\n", "\n"))


def _print_json(tables: Sequence[Table], *, is_overview: bool) -> None:
    from windrow.stats.writing import as_json

    made = [as_json(table) for table in tables]
    print_json(made[0] if len(made) == 1 and not is_overview else made)


def _draw(table: Table, svg: str | None, png: str | None) -> None:
    from windrow.exports.target import writing_to
    from windrow.stats.charts.chart import picture_of
    from windrow.stats.drawing import Drawer

    picture = picture_of(table)
    if picture is None:
        raise UsageError("there is nothing to draw", hint=f"windrow stats {table.name} shows why.")
    drawer = Drawer()
    for target, draw in ((svg, drawer.file), (png, drawer.png)):
        if target:
            drawn = draw(picture)
            with writing_to(target) as file:
                file.write(drawn)
            hint(f"Wrote {target}")
    drawer.engine.close()
