"""Irregularities in a vocabulary, and values of records that name none of its concepts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from windrow.index.protocol import Index, ValueCount
from windrow.model.query import Query
from windrow.store.connection import Connection
from windrow.store.store import Store
from windrow.store.vocabulary import concepts
from windrow.store.vocabulary import concepts as rows
from windrow.store.vocabulary.concepts import Oddities, Oddity
from windrow.vocabularies.vocabulary_view import VocabularyView

MOST_EXAMPLES = 10
_VALUES_AT_ONCE = 1_000
# Titles of the checks in reports.
TITLES = {
    "circle": "circles of broader concepts",
    "missing_label": "concepts without a preferred label",
    "orphan": "orphans, which no other concept is related to",
    "several_parents": "concepts with several broader ones",
    "own_neighbour": "concepts related to themselves",
    "missing_concept": "references to concepts that do not exist",
    "same_notation": "concepts with a notation that others have",
    "same_label": "concepts with a preferred label that others have",
    "several_labels": "concepts with several preferred labels in one language",
    "top_below_another": "top concepts with a broader one",
}


class Unmatched(NamedTuple):
    """Values of one bound field of a collection, by whether they name a concept."""

    collection: str
    field: str
    matched: int  # distinct values
    unmatched: int
    records: int  # occurrences of values that name no concept: a record may have several
    examples: tuple[ValueCount, ...]  # the most used of these


def check_vocabulary(store: Store, name: str, *, limit: int = MOST_EXAMPLES) -> dict[str, Oddities]:
    view = VocabularyView(store, name)
    view.vocabulary  # noqa: B018 - raises if it does not exist
    with store.reading() as connection:
        number = rows.list_revisions(connection)[name][0]
        found = {"circle": _cycles_of_relation(connection, number, limit)}
        for kind in [each for each in TITLES if each != "circle"]:
            found[kind] = concepts.find_oddities(connection, number, kind, limit=limit)
    return {kind: each for kind, each in found.items() if each.total}


def find_unmatched(
    view: VocabularyView,
    index: Index,
    collection: str,
    field: str,
    query: Query,
    *,
    limit: int = MOST_EXAMPLES,
) -> Unmatched:
    """Return the values of a field in the records of a query that name no concept of the vocabulary."""
    matched = missing = records = 0
    most: list[ValueCount] = []
    for some in _values(index, field, query):
        known = view.named([each.value for each in some])
        without = [each for each in some if each.value not in known]
        matched += len(some) - len(without)
        missing += len(without)
        records += sum(each.count for each in without)
        most = sorted([*most, *without], key=lambda each: (-each.count, each.value))[:limit]
    return Unmatched(collection, field, matched, missing, records, tuple(most))


def find_cycles(edges: Iterable[tuple[int, int]]) -> Iterator[list[int]]:
    """Yield the groups of concepts that are their own ancestors (strongly connected components; Tarjan)."""
    under: dict[int, list[int]] = {}
    for one, other in edges:
        under.setdefault(one, []).append(other)
    order: dict[int, int] = {}
    lowest: dict[int, int] = {}
    stack: list[int] = []
    stacked: set[int] = set()
    for start in list(under):
        if start in order:
            continue
        way: list[tuple[int, Iterator[int]]] = [(start, iter(under[start]))]
        order[start] = lowest[start] = len(order)
        stack.append(start)
        stacked.add(start)
        while way:
            here, rest = way[-1]
            for each in rest:
                if each not in order:
                    order[each] = lowest[each] = len(order)
                    stack.append(each)
                    stacked.add(each)
                    way.append((each, iter(under.get(each, ()))))
                    break
                if each in stacked:
                    lowest[here] = min(lowest[here], order[each])
            else:
                way.pop()
                if way:
                    lowest[way[-1][0]] = min(lowest[way[-1][0]], lowest[here])
                if lowest[here] == order[here]:
                    group: list[int] = []
                    while not group or group[-1] != here:
                        group.append(stack.pop())
                    stacked.difference_update(group)
                    if len(group) > 1:
                        yield group


def _cycles_of_relation(connection: Connection, number: int, limit: int) -> Oddities:
    found = list(find_cycles(concepts.list_edges(connection, number)))
    shown: list[Oddity] = []
    for group in found[:limit]:
        uris = sorted(concepts.find_uri(connection, each) for each in group[:limit])
        more = f" and {len(group) - limit:,} more" if len(group) > limit else ""
        shown.append(Oddity(uris[0], " ".join(uris) + more))
    return Oddities(len(found), tuple(shown))


def _values(index: Index, field: str, query: Query) -> Iterator[Sequence[ValueCount]]:
    after = ""
    while some := index.values(field, after=after, limit=_VALUES_AT_ONCE, query=query):
        yield some
        after = some[-1].value
