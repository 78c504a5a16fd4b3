"""A library as crawlers meet it: several sources, some records deleted, some not for everybody, some odd."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote
from xml.sax.saxutils import escape

from windrow.harvest.run import Identity, running
from windrow.model.record import Record
from windrow.search.record_addresses import record_path
from windrow.store import sources
from windrow.store.records.page_writer import PageWriter
from windrow.store.records.set_hierarchy import SetGroups, guard_set
from windrow.store.store import Store, open_store
from windrow.wiring import create_library

ODD = (
    "oai:odd.example:a/b/c",
    "oai:odd.example:a%2Fb",
    "oai:odd.example:a?b=c",
    "oai:odd.example:a#b",
    "oai:odd.example:two words",
    "oai:odd.example:åäö/漢字",
    "oai:odd.example:\"quoted\" & 'so'",
    "oai:odd.example:a;b,c=d+e",
    "oai:odd.example:<b>",
    "oai:odd.example:a//b",
    "oai:odd.example:a/../b",
    "oai:odd.example:ends/",
    "/oai:odd.example:begins",
    "https://odd.example/index.php?id=1&lang=fi",
    "oai:odd.example:100%",
    "oai:odd.example:\\back",
    "oai:odd.example:{1}|[2]^`~",
)
PAGE = 500
DECLARATIONS = (
    b' xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"'
)


@dataclass
class Stock:
    """What was put into a library: the paths of what everybody may see, and of what nobody should meet."""

    folder: Path
    live: set[str] = field(default_factory=set)
    hidden: set[str] = field(default_factory=set)


def stocked(folder: Path, *, hay: int, oats: int) -> Stock:
    """Make a library of so many records of two sources, and a third with odd identifiers."""
    stock = Stock(create_library(folder))
    store = open_store(folder)
    _write(store, stock, "hay", (f"oai:hay.example:10024/{number}" for number in range(hay)))
    _write(store, stock, "oats", (f"oai:oats.example:{number}" for number in range(oats)))
    _write(store, stock, "odd-1.x", ODD)
    store.settle()
    store.close()
    return stock


def more(stock: Stock, name: str, identifiers: Iterable[str]) -> None:
    """Let further records of a source come."""
    store = open_store(stock.folder)
    _write(store, stock, name, identifiers)
    store.close()


def path_of(url: str) -> str:
    """Give the path of an address of a server, as crawlers differ in what they write with a per cent sign."""
    return unquote(url.partition("//")[2].partition("/")[2])


def _write(store: Store, stock: Stock, name: str, identifiers: Iterable[str]) -> None:
    """Put records in, of each hundred some deleted, in the same run or later, and one with a guard."""
    url = f"https://{name}.example/oai"
    with running(store, Identity(name, url), "harvest", arguments={}) as attempt:
        with store.writing() as connection:
            format_id = sources.format_id(connection, "oai_dc")
        groups = SetGroups(attempt.source.id)
        writer = PageWriter(attempt.source.id, format_id, run_id=attempt.run_id, groups=groups)
        everything = list(identifiers)
        later = []
        for start in range(0, len(everything), PAGE):
            page = []
            for number, identifier in enumerate(everything[start : start + PAGE], start):
                is_deleted, is_guarded = number % 100 == 37, number % 100 == 53
                page.append(_record(identifier, is_deleted=is_deleted, is_guarded=is_guarded))
                if number % 100 == 71:
                    later.append(_record(identifier, is_deleted=True))
                is_hidden = is_deleted or is_guarded or number % 100 == 71
                (stock.hidden if is_hidden else stock.live).add(record_path(name, identifier))
            with store.writing() as connection:
                attempt.counters.add(writer.write(connection, page))
        with store.writing() as connection:
            attempt.counters.add(writer.write(connection, later))


def _record(identifier: str, *, is_deleted: bool, is_guarded: bool = False) -> Record:
    if is_deleted:
        return Record(identifier, "2024-05-02", (), True)
    payload = f"<oai_dc:dc><dc:title>On {escape(identifier)}</dc:title></oai_dc:dc>".encode()
    sets = (guard_set("staff"),) if is_guarded else ()
    return Record(identifier, "2024-05-01", sets, False, payload, None, DECLARATIONS)
