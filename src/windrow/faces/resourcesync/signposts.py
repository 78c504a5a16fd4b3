"""The two documents that lead to the others: which sources there are, and what each offers."""

from __future__ import annotations

from windrow.faces.resourcesync.addresses import CAPABILITIES, CHANGES, DUMP, RESOURCES
from windrow.faces.resourcesync.desk import Desk, Paper
from windrow.faces.shared.leaf_readiness import check_laid_out
from windrow.store.leaves import shelves
from windrow.wire.resourcesync import LIST, Item, Link, render


def describe(desk: Desk) -> Paper:
    """Give the Source Description (8): a Capability List for each source."""
    with desk.store.reading() as connection:
        check_laid_out(connection)
        newest = desk.times.refresh(connection)
        names = [each.name for each in shelves(connection)]
    where = desk.addresses
    items = [Item(where.document(name, CAPABILITIES), facts={"capability": CAPABILITIES}) for name in names]
    body = render(LIST, {"capability": "description"}, [Link("describedby", where.about)], items)
    return Paper(("description", *names), desk.times.at(newest) if newest else 0, lambda: iter([body]))


def list_capabilities(desk: Desk, source: str) -> Paper:
    """Give the Capability List of a source (9)."""
    with desk.store.reading() as connection:
        newest = desk.times.refresh(connection)
        desk.shelf(connection, source)
    where = desk.addresses
    links = [Link("describedby", where.about), Link("up", where.description)]
    offered = (RESOURCES, CHANGES, DUMP)
    items = [Item(where.document(source, stem), facts={"capability": stem}) for stem in offered]
    body = render(LIST, {"capability": CAPABILITIES}, links, items)
    return Paper((CAPABILITIES, source), desk.times.at(newest), lambda: iter([body]))
