"""The files of a library in numbers: by kind, size, length, language and year."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from windrow.index.protocol import Tally
from windrow.model.file_facts import SIZE_CLASSES
from windrow.model.query import Word
from windrow.stats import most_used
from windrow.stats.growth import growth
from windrow.stats.message import Message, message
from windrow.stats.pages import pages
from windrow.stats.population import Population
from windrow.stats.table import Column, Drawing, Form, Kind, Row, Table

Make = Callable[[Population], Table]
FILES = "media"  # the field that every file has, and nothing else
_ANY = ("media", "*")  # finds the files among the records that a row is about
_KINDS = most_used.Values(
    "document-kinds",
    FILES,
    message("Documents by kind of file"),
    message("Kind of file"),
    message("Without a kind: {count} of {total}."),
    Kind.MEDIA,
    is_single=True,
)


def kinds(population: Population) -> Table:
    """How many files there are of each kind, by what is in them."""
    return most_used.most_used(_files(population), _KINDS)


def sizes(population: Population) -> Table:
    """How many files are of which size, in classes that grow by tens."""
    files = _files(population)
    (counts,) = files.tally(Tally("size", len(SIZE_CLASSES)))
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
    """A table of the files alone, under a name of its own."""

    def made(population: Population) -> Table:
        table = make(_files(population))
        rows = tuple(row._replace(filter=(*row.filter, _ANY)) if row.filter else row for row in table.rows)
        return replace(table, name=name, title=title, rows=rows)

    return made


def _files(population: Population) -> Population:
    return population.narrowed(Word("*", FILES, is_pattern=True))


def _languages(population: Population) -> Table:
    return most_used.most_used(population, most_used.LANGUAGES)


TABLES: dict[str, Make] = {
    "document-kinds": kinds,
    "document-sizes": sizes,
    "document-pages": _of_files("document-pages", message("Documents by page count"), pages),
    "document-languages": _of_files("document-languages", message("Documents by language"), _languages),
    "document-years": _of_files("document-years", message("Documents by year"), growth),
}
