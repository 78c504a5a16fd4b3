"""Counted values of a field as trees of concepts, for facets of a field that is bound to a vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from windrow.model.expansion import Branch, Branches
from windrow.store.vocabularies import Found

MOST_ABOVE = 50_000  # concepts above the counted ones that are looked at


class Tree(Protocol):
    """The part of a `VocabularyView` that is needed here."""

    def named(self, texts: Sequence[str]) -> Mapping[str, Sequence[Found]]:
        """Return which concepts each text stands for."""

    def parents(self, uris: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return the concepts right above each of these that has any."""


def branches(tree: Tree, values: Mapping[str, int], chosen: Sequence[str], *, limit: int) -> Branches:
    """Return the concepts that counted values name, under their top concepts, the most used first.

    A top concept that nothing else is beside, and that no value names, gives way to what is below it.
    """
    found = tree.named(list(values))
    weights: dict[str, int] = {}
    for value, each in found.items():
        weights[each[0].uri] = weights.get(each[0].uri, 0) + values[value]
    parents = _parents(tree, [*weights, *chosen])
    whole = _with_those_above(weights, parents)
    under: dict[str, list[str]] = {}
    for uri, above in parents.items():
        for one in above:
            under.setdefault(one, []).append(uri)
    roots = [uri for uri in whole if not parents.get(uri)]
    reached = _below(roots, under)
    roots += [uri for uri in weights if uri not in reached]  # in circles, which have no top
    while len(roots) == 1 and roots[0] not in weights and roots[0] not in chosen and under.get(roots[0]):
        roots = [uri for uri in under[roots[0]] if uri in whole]
    roots = _most_used(roots, whole)
    kept, paths = roots[:limit], [_path(uri, parents, roots) for uri in chosen]
    kept += [path[0] for path in paths if path and path[0] not in kept]
    made = tuple(
        _branch(uri, [path for path in paths if path and path[0] == uri], under, whole, limit) for uri in kept
    )
    unknown = tuple(value for value in values if value not in found)
    return Branches(made, unknown, sum(whole[uri] for uri in roots[limit:]))


def _branch(
    uri: str,
    paths: Sequence[Sequence[str]],
    under: Mapping[str, Sequence[str]],
    whole: Mapping[str, int],
    limit: int,
) -> Branch:
    """Return a concept with the way to each chosen one below it; a chosen one with what is right below it."""
    rest = [path[1:] for path in paths]
    inner: dict[str, list[Sequence[str]]] = {}
    for path in rest:
        if path:
            inner.setdefault(path[0], []).append(path)
    if any(not path for path in rest):
        counted = [each for each in under.get(uri, ()) if each in whole and each != uri]
        for each in _most_used(counted, whole)[:limit]:
            inner.setdefault(each, [])
    return Branch(uri, tuple(_branch(each, found, under, whole, limit) for each, found in inner.items()))


def _parents(tree: Tree, uris: Sequence[str]) -> dict[str, Sequence[str]]:
    """Return the concepts right above each of these and of all those above them."""
    found: dict[str, Sequence[str]] = {}
    level = list(dict.fromkeys(uris))
    while level and len(found) < MOST_ABOVE:
        above = tree.parents(level)
        found.update({uri: above.get(uri, ()) for uri in level})
        level = list(dict.fromkeys(one for each in above.values() for one in each if one not in found))
    return found


def _with_those_above(weights: Mapping[str, int], parents: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return how many records each concept has with those below it, at most: some may have several values."""
    whole: dict[str, int] = {}
    for uri, weight in weights.items():
        for each in _below([uri], parents):
            whole[each] = whole.get(each, 0) + weight
    return whole


def _below(start: Iterable[str], edges: Mapping[str, Sequence[str]]) -> set[str]:
    seen = set(start)
    left = list(seen)
    while left:
        for each in edges.get(left.pop(), ()):
            if each not in seen:
                seen.add(each)
                left.append(each)
    return seen


def _path(uri: str, parents: Mapping[str, Sequence[str]], roots: Sequence[str]) -> list[str]:
    """Return one way from a root down to a concept, the shortest; just the concept where there is none."""
    ways, seen = [[uri]], {uri}
    while ways:
        way = ways.pop(0)
        if way[0] in roots:
            return way
        for each in parents.get(way[0], ()):
            if each not in seen:
                seen.add(each)
                ways.append([each, *way])
    return [uri]


def _most_used(uris: Iterable[str], whole: Mapping[str, int]) -> list[str]:
    return sorted(dict.fromkeys(uris), key=lambda uri: (-whole.get(uri, 0), uri))
