"""`windrow export` writes records in a format for other programs; `windrow sitemap` writes sitemaps."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from windrow.cli.invocation import JSON, opened_library, print_json, source_names, stopping_on_signals
from windrow.cli.progress import Ticker
from windrow.cli.terminal import plural, print_hint, print_line
from windrow.config.settings_reference import help_text
from windrow.errors import NotFound, UsageError

if TYPE_CHECKING:
    from windrow.exports.entries import Entry, ExportCounts
    from windrow.store.connection import Connection
    from windrow.web.sitemaps.sitemap_folder import WrittenFolder
    from windrow.wiring import Library

Write = Callable[["Iterable[Entry]", IO[bytes]], None]


class Format(StrEnum):
    """The formats of `windrow export`."""

    JSONL = "jsonl"
    CSV = "csv"
    XML = "xml"
    PARQUET = "parquet"
    SQLITE = "sqlite"


_WRITERS = {
    Format.JSONL: "windrow.exports.jsonl_export",
    Format.CSV: "windrow.exports.csv_export",
    Format.XML: "windrow.exports.xml_export",
    Format.PARQUET: "windrow.exports.parquet_export",
}


def add_export(app: typer.Typer) -> None:
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
    from windrow.cli.progress import Ticker
    from windrow.exports.entries import ExportCounts, entries, entries_by_number
    from windrow.exports.output_file import STDOUT
    from windrow.store.records.record_reader import count_records

    write = None if kind is Format.SQLITE else _writer(kind)
    if output == STDOUT and kind is Format.SQLITE:
        raise UsageError("an SQLite database is a file", hint="Give --output FILE.")
    if output == STDOUT and is_json:
        raise UsageError("--json needs --output FILE: stdout already has the records")
    if output == STDOUT and kind is Format.PARQUET and sys.stdout.isatty():
        raise UsageError("Parquet is not for terminals", hint="Give --output FILE.")
    if query is not None and deleted:
        raise UsageError("--query finds no tombstones", hint="Leave out --deleted.")
    tally, ticker = ExportCounts(), Ticker("exporting", is_quiet=is_json)
    with opened_library() as opened:
        names = _chosen_sources(opened, sources or (), collection)
        with opened.store.reading() as connection:
            is_mapped = kind is not Format.XML
            if query is not None:
                total, numbers = _matching_numbers(opened, query, names)
                found = entries_by_number(connection, tally, numbers, prefix=prefix, is_mapped=is_mapped)
            else:
                total = count_records(connection, sources=names, include_deleted=deleted)
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


def _matching_numbers(opened: Library, text: str, sources: Sequence[str]) -> tuple[int, Iterator[list[int]]]:
    """Return the number of records that a search finds, and their numbers in batches, in storage order."""
    from windrow.cli.invocation import require_index
    from windrow.index.protocol import Order
    from windrow.search.request import read_request
    from windrow.search.results import walk_results

    pairs = [("q", text), ("sort", Order.NUMBER.value), *(("source", name) for name in sources)]
    question = read_request(pairs, expander=opened.expander)
    if question.mistakes:  # a file must not contain other records than were asked for
        raise UsageError(" ".join(mistake.sentence for mistake in question.mistakes))
    require_index(opened, purpose="choose records")
    index = opened.index.newest()
    total = index.count(question.query)
    return total, walk_results(index, question, most=total)


def _chosen_sources(opened: Library, sources: Sequence[str], collection: str | None) -> list[str]:
    """Return the names of the sources to export; without a choice, all of them."""
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
    from windrow.exports.output_file import open_output

    with open_output(output) as target:
        write(found, target)


def _write_database(
    opened: Library, connection: Connection, found: Iterable[Entry], output: str, names: Sequence[str]
) -> None:
    from windrow.exports import sqlite_export
    from windrow.exports.output_file import open_output_file

    config = opened.config
    facts = sqlite_export.LibraryFacts(
        config.library.name,
        {name: source.kind for name, source in config.sources.items()},
        {name: (each.title, each.sources) for name, each in config.collections.items()},
        config.portal.year_starts,
        opened.types.of_source,
    )
    with open_output_file(output) as path:
        sqlite_export.write(found, path, connection, facts, sources=names)


def _writer(kind: Format) -> Write:
    module = import_module(_WRITERS[kind])
    if kind is Format.PARQUET:
        module.load()  # report a missing package now, not after reading the library
    write: Write = module.write
    return write


def _counted(found: Iterable[Entry], tally: ExportCounts, total: int, ticker: Ticker) -> Iterator[Entry]:
    for entry in found:
        yield entry
        ticker(tally.written + tally.lacking, total)


def _report(tally: ExportCounts, output: str, prefix: str | None, *, is_json: bool) -> None:
    if is_json:
        print_json(
            {"output": output, "written": tally.written, "lacking": tally.lacking, "unmapped": tally.unmapped}
        )
        return
    where = "" if output == "-" else f" to {output}"
    if output != "-" or not tally.written:
        print_hint(f"{plural(tally.written, 'record')} written{where}")
    if tally.lacking:
        print_hint(f"{plural(tally.lacking, 'record')} left out: not held in {prefix or 'any format'}")
    if tally.unmapped:
        print_hint(f"{plural(tally.unmapped, 'record')} without a document; `windrow rebuild` says why")


# `windrow sitemap`: sitemaps as files, for libraries whose web server serves them.

sitemap_app = typer.Typer(
    help="Write sitemaps for search engines to a folder; `windrow serve` has them at /sitemap.xml.",
    no_args_is_help=True,
)


@sitemap_app.callback()
def keep_sitemap_group() -> None:
    """Keep the verb: a group with a single command would lose it."""


@sitemap_app.command("write")
def write(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to; it is made if it is not there.")],
    url: Annotated[str | None, typer.Option("--url", help=help_text("serve.url"))] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Write sitemap.xml and the files it names to a folder; of those, only what changed since last time."""
    from windrow.store.published import list_pages

    with opened_library({"serve.url": url}) as opened, stopping_on_signals() as stopper:
        from windrow.vocabularies.vocabulary_directory import VocabularyDirectory
        from windrow.web.sitemaps.sitemap_files import Sitemaps, page_paths, vocabulary_paths
        from windrow.web.sitemaps.sitemap_folder import write_sitemap_folder

        list_pages.update_list_pages(opened.store, heed=stopper.check)
        ticker = Ticker("sitemaps", is_quiet=is_json)
        more = partial(vocabulary_paths, VocabularyDirectory(opened.store))
        sitemaps = Sitemaps(_public_url(opened), page_paths(opened.config.collections), more=more)

        def heed(done: int, total: int) -> None:
            stopper.check()
            ticker(done, total)

        try:
            done = write_sitemap_folder(opened.store, sitemaps, folder, on_progress=heed)
        finally:
            ticker.clear()
    _show_written_sitemaps(done, folder, is_json=is_json)


def _public_url(opened: Library) -> str:
    url = opened.config.serve.url
    if not url:
        raise UsageError(
            "sitemaps name whole addresses, and this library's public one is not known",
            hint="Set url in [serve], or give it with --url.",
        )
    return url.rstrip("/")


def _show_written_sitemaps(done: WrittenFolder, folder: Path, *, is_json: bool) -> None:
    if is_json:
        print_json({"files": done.files, "written": done.written, "removed": done.removed})
        return
    print_line(
        f"{folder / 'sitemap.xml'} names {plural(done.files, 'file')}: {done.written:,} new or changed",
        end="",
    )
    print_line(f", {done.removed:,} removed" if done.removed else "")
