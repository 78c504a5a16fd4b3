"""`windrow export`: records out of the library, in a format others read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from importlib import import_module
from typing import IO, TYPE_CHECKING, Annotated

import typer

from windrow.cli.completion import source_names
from windrow.cli.state import library, print_json
from windrow.cli.terminal import hint, plural
from windrow.errors import NotFound, UsageError

if TYPE_CHECKING:
    from windrow.cli.ticker import Ticker
    from windrow.exports.entry import Entry, Tally
    from windrow.store.connection import Connection
    from windrow.wiring import Library

Write = Callable[["Iterable[Entry]", IO[bytes]], None]


class Format(StrEnum):
    """What `windrow export` writes."""

    JSONL = "jsonl"
    CSV = "csv"
    XML = "xml"
    PARQUET = "parquet"
    SQLITE = "sqlite"


_WRITERS = {
    Format.JSONL: "windrow.exports.jsonl",
    Format.CSV: "windrow.exports.flat",
    Format.XML: "windrow.exports.raw_xml",
    Format.PARQUET: "windrow.exports.parquet",
}


def add_to(app: typer.Typer) -> None:
    """Put this command among the others."""
    app.command("export")(export)


def export(
    *,
    kind: Annotated[
        Format,
        typer.Option("--format", "-f", help="JSON Lines, CSV, the raw XML, Parquet, or an SQLite database."),
    ] = Format.JSONL,
    sources: Annotated[
        list[str] | None,
        typer.Option(
            "--source",
            "-s",
            metavar="NAME",
            help="Only this source; repeatable.",
            autocompletion=source_names,
        ),
    ] = None,
    collection: Annotated[
        str | None, typer.Option("--collection", metavar="NAME", help="Only the sources of this collection.")
    ] = None,
    prefix: Annotated[
        str | None,
        typer.Option(
            "--metadata", metavar="PREFIX", help="The metadata format to take; else the one that says most."
        ),
    ] = None,
    query: Annotated[
        str | None,
        typer.Option("--query", "-q", metavar="QUERY", help="Only what this search finds, never more."),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to; - is stdout.")
    ] = "-",
    deleted: Annotated[bool, typer.Option("--deleted", help="Tombstones too.")] = False,
    is_json: Annotated[
        bool, typer.Option("--json", help="With --output FILE: print what was done as JSON.")
    ] = False,
) -> None:
    """Write the library's records to a file or to stdout, one after another."""
    from windrow.cli.ticker import Ticker
    from windrow.exports.entry import Tally, entries, entries_of
    from windrow.exports.target import STDOUT
    from windrow.store.records import count

    write = None if kind is Format.SQLITE else _writer(kind)
    if output == STDOUT and kind is Format.SQLITE:
        raise UsageError("an SQLite database is a file", hint="Give --output FILE.")
    if output == STDOUT and is_json:
        raise UsageError("--json needs --output FILE: stdout already has the records")
    if output == STDOUT and kind is Format.PARQUET and sys.stdout.isatty():
        raise UsageError("Parquet is not for terminals", hint="Give --output FILE.")
    if query is not None and deleted:
        raise UsageError("--query finds no tombstones", hint="Leave out --deleted.")
    tally, ticker = Tally(), Ticker("exporting", is_quiet=is_json)
    with library() as opened:
        names = _chosen(opened, sources or (), collection)
        with opened.store.reading() as connection:
            is_mapped = kind is not Format.XML
            if query is not None:
                total, numbers = _matching(opened, query, names)
                found = entries_of(connection, tally, numbers, prefix=prefix, is_mapped=is_mapped)
            else:
                total = count(connection, sources=names, include_deleted=deleted)
                found = entries(
                    connection,
                    tally,
                    sources=names,
                    prefix=prefix,
                    include_deleted=deleted,
                    is_mapped=is_mapped,
                )
            counted = _counted(found, tally, total, ticker)
            try:
                if write is None:
                    _write_database(opened, connection, counted, output, names)
                else:
                    _write_stream(write, counted, output)
            finally:
                ticker.clear()
    _report(tally, output, prefix, is_json=is_json)


def _matching(opened: Library, text: str, sources: Sequence[str]) -> tuple[int, Iterator[list[int]]]:
    """Return how many records a search finds, and their numbers in batches, in the order they came."""
    from windrow.cli.indexed import check_indexed
    from windrow.finding.question import read_question
    from windrow.finding.walking import walk
    from windrow.index.protocol import Order

    pairs = [("q", text), ("sort", Order.NUMBER.value), *(("source", name) for name in sources)]
    question = read_question(pairs, expander=opened.expander)
    if question.mistakes:  # a file must not have other records than were meant
        raise UsageError(" ".join(mistake.sentence for mistake in question.mistakes))
    check_indexed(opened, purpose="choose records")
    index = opened.index.newest()
    total = index.count(question.query)
    return total, walk(index, question, most=total)


def _chosen(opened: Library, sources: Sequence[str], collection: str | None) -> list[str]:
    """Return the names of the sources to export; none means all of them."""
    for name in sources:
        opened.source(name)
    if collection is None:
        return list(dict.fromkeys(sources))
    found = opened.config.collections.get(collection)
    if found is None:
        known = ", ".join(sorted(opened.config.collections)) or "none yet"
        raise NotFound(
            f"there is no collection {collection!r}", hint=f"The collections of this library: {known}."
        )
    names = [name for name in found.sources if not sources or name in sources]
    if not names:
        raise UsageError(
            f"no source named with --source is in the collection {collection}",
            hint=f"Its sources: {', '.join(found.sources)}.",
        )
    return names


def _write_stream(write: Write, found: Iterable[Entry], output: str) -> None:
    from windrow.exports.target import writing_to

    with writing_to(output) as target:
        write(found, target)


def _write_database(
    opened: Library, connection: Connection, found: Iterable[Entry], output: str, names: Sequence[str]
) -> None:
    from windrow.exports import relational
    from windrow.exports.target import writing_file

    config = opened.config
    facts = relational.LibraryFacts(
        config.library.name,
        {name: source.kind for name, source in config.sources.items()},
        {name: (each.title, each.sources) for name, each in config.collections.items()},
        config.portal.year_starts,
        opened.types.of_source,
    )
    with writing_file(output) as path:
        relational.write(found, path, connection, facts, sources=names)


def _writer(kind: Format) -> Write:
    module = import_module(_WRITERS[kind])
    if kind is Format.PARQUET:
        module.load()  # say now that it is not installed, not after reading a library
    write: Write = module.write
    return write


def _counted(found: Iterable[Entry], tally: Tally, total: int, ticker: Ticker) -> Iterator[Entry]:
    for entry in found:
        yield entry
        ticker(tally.written + tally.lacking, total)


def _report(tally: Tally, output: str, prefix: str | None, *, is_json: bool) -> None:
    if is_json:
        print_json(
            {"output": output, "written": tally.written, "lacking": tally.lacking, "unmapped": tally.unmapped}
        )
        return
    where = "" if output == "-" else f" to {output}"
    if output != "-" or not tally.written:
        hint(f"{plural(tally.written, 'record')} written{where}")
    if tally.lacking:
        hint(f"{plural(tally.lacking, 'record')} left out: not held in {prefix or 'any format'}")
    if tally.unmapped:
        hint(f"{plural(tally.unmapped, 'record')} without a document; `windrow rebuild` says why")
