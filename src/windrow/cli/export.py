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
from windrow.errors import UsageError

if TYPE_CHECKING:
    from windrow.cli.ticker import Ticker
    from windrow.exports.entry import Entry, Tally
    from windrow.wiring import Library

Write = Callable[["Iterable[Entry]", IO[bytes]], None]


class Format(StrEnum):
    """What `windrow export` writes."""

    JSONL = "jsonl"
    CSV = "csv"
    XML = "xml"
    PARQUET = "parquet"


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
        Format, typer.Option("--format", "-f", help="JSON Lines, CSV, the raw XML, or Parquet.")
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
    from windrow.exports.target import STDOUT, writing_to
    from windrow.store.records import count

    write = _writer(kind)
    if output == STDOUT and is_json:
        raise UsageError("--json needs --output FILE: stdout already has the records")
    if output == STDOUT and kind is Format.PARQUET and sys.stdout.isatty():
        raise UsageError("Parquet is not for terminals", hint="Give --output FILE.")
    if query is not None and deleted:
        raise UsageError("--query finds no tombstones", hint="Leave out --deleted.")
    tally, ticker = Tally(), Ticker("exporting", is_quiet=is_json)
    with library() as opened:
        for name in sources or ():
            opened.source(name)
        with opened.store.reading() as connection, writing_to(output) as target:
            names = list(dict.fromkeys(sources or ()))
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
            try:
                write(_counted(found, tally, total, ticker), target)
            finally:
                ticker.clear()
    _report(tally, output, prefix, is_json=is_json)


def _matching(opened: Library, text: str, sources: Sequence[str]) -> tuple[int, Iterator[list[int]]]:
    """Return how many records a search finds, and their numbers in batches, in the order they came."""
    from windrow.cli.indexed import check_indexed
    from windrow.finding.question import read_question
    from windrow.finding.walking import walk
    from windrow.index.protocol import Order

    question = read_question([("q", text), ("sort", Order.NUMBER), *(("source", name) for name in sources)])
    if question.mistakes:  # a file must not have other records than were meant
        raise UsageError(" ".join(mistake.sentence for mistake in question.mistakes))
    check_indexed(opened, purpose="choose records")
    index = opened.index.newest()
    total = index.count(question.query)
    return total, walk(index, question, most=total)


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
