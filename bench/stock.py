"""A library stocked with the records of the search bench, without a repository to harvest them from.

Used by the parts `search`, `scale` and `gateway`. What is real: the store with its own writer, runs and
sets, the payloads in a format of DSpace's, everything read from there on. What is not: nobody was asked.
As a command it writes one batch: `python -m bench.stock LIBRARY FIRST RECORDS VERSION STEP`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

from bench import windrow
from bench.search import corpus
from windrow.harvest.run import Identity, running
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Document
from windrow.model.record import Record
from windrow.store import sources
from windrow.store.records.page_writer import PageWriter
from windrow.store.records.set_hierarchy import SetGroups
from windrow.store.store import Store, open_store

SOURCES = ("north", "east", "south", "west")
PREFIX = "kk"
PAGE = 1_000
KK = "http://kk/1.0"


def make(library: Path) -> None:
    """Make an empty library with its sources."""
    windrow.setup([windrow.executable() or "windrow", "init", str(library)])
    for name in SOURCES:
        add = ("source", "add", name, url(name), "--format", PREFIX, "--no-check")
        windrow.setup(windrow.command(library, *add))


def fill(library: Path, records: int, *, first: int = 1, version: int = 0, step: int = 1) -> None:
    """Put records into it, every so manieth, in a process that gives its memory back."""
    numbers = (str(number) for number in (first, records, version, step))
    line = [sys.executable, "-m", "bench.stock", str(library), *numbers]
    windrow.setup(line, limit_seconds=3600)


def url(source: str) -> str:
    """Give the address that a source has, at which nobody is."""
    return f"http://{source}.bench.example/oai"


def source_of(number: int) -> str:
    """Give the source that a record is from."""
    return SOURCES[number % len(SOURCES)]


def render(entry: Entry) -> bytes:
    """Give a record's payload; events have no place in the format."""
    fields = "".join(
        f'<kk:field schema="dc" element="{element}" qualifier="{qualifier}" language="{language}"'
        f' value="{escape(value)}"/>'
        for element, qualifier, value, language in _fields(entry.document)
    )
    landing, fulltext = (link.url for link in entry.document.links)
    return (
        f'<kk:metadata xmlns:kk="{KK}"><kk:link href="{landing}"/>{fields}'
        f'<kk:file bundle="ORIGINAL" href="{fulltext}" type="application/pdf"/></kk:metadata>'
    ).encode()


def _fields(document: Document) -> Iterator[tuple[str, str, str, str]]:
    language = document.languages[0]
    yield "title", "", document.titles[0].value, language
    yield from (("contributor", "author", agent.name, "") for agent in document.creators)
    yield "contributor", "organization", document.institution or "", ""
    yield "contributor", "department", document.department or "", ""
    yield from (("subject", "ysa", subject.value, "") for subject in document.subjects)
    yield from (("subject", "", keyword, "") for keyword in document.keywords)
    yield "description", "abstract", document.descriptions[0].value, language
    yield from (("publisher", "", publisher, "") for publisher in document.publishers)
    yield "date", "issued", document.dates[0].text, ""
    yield from (("type", "ontasot", kind, "") for kind in document.types)
    yield "language", "iso", language, ""
    if document.pages is not None:
        yield "format", "extent", f"{document.pages} s.", ""


def main(library: str, first: str, records: str, version: str, step: str = "1") -> None:
    """Write a batch: of each source its share, as one run."""
    store = open_store(Path(library))
    numbers = range(int(first), int(first) + int(records) * int(step), int(step))
    for name in SOURCES:
        mine = [number for number in numbers if source_of(number) == name]
        if mine:
            _write(store, name, mine, version=int(version))
    store.settle()
    store.close()


def _write(store: Store, name: str, numbers: list[int], *, version: int) -> None:
    with running(store, Identity(name, url(name)), "harvest", arguments={}) as attempt:
        with store.writing() as connection:
            format_id = sources.format_id(connection, PREFIX)
        groups = SetGroups(attempt.source.id)
        writer = PageWriter(attempt.source.id, format_id, run_id=attempt.run_id, groups=groups)
        for start in range(0, len(numbers), PAGE):
            page = [_record(number, version) for number in numbers[start : start + PAGE]]
            with store.writing() as connection:
                attempt.counters.add(writer.write(connection, page))


def _record(number: int, version: int) -> Record:
    entry = corpus.entry(number, version=version)
    return Record(entry.identifier, entry.stamp, entry.sets, False, render(entry))


if __name__ == "__main__":
    main(*sys.argv[1:])
