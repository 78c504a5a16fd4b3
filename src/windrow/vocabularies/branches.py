"""Counted values of a field as trees of concepts, for facets of a field that is bound to a vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from windrow.model.expansion import Branch, Branches
from windrow.store.vocabularies import Found

MOST_REMEMBERED = 100_000
MOST_ABOVE = 50_000  # concepts above the counted ones that are looked at


class Tree(Protocol):
    """The part of a `VocabularyView` that is needed here."""

    def named(self, texts: Sequence[str]) -> Mapping[str, Sequence[Found]]:
        """Return which concepts each text stands for."""

    def parents(self, uris: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return the concepts right above each of these that has any."""


class RememberedTree:
    """A tree that remembers what it was asked: the values of a field are the same for most questions."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._concepts: dict[str, str] = {}  # the URI of the concept that a value names; empty for none
        self._parents: dict[str, Sequence[str]] = {}

    def concepts_of(self, values: Iterable[str]) -> dict[str, str]:
        """Return the concept that each of these values names, the best where there are several."""
        wanted = list(values)
        missing = [value for value in wanted if value not in self._concepts]
        if missing:
            if len(self._concepts) > MOST_REMEMBERED:
                self._concepts = {}
                missing = wanted
            found = self._tree.named(missing)
            self._concepts |= {value: found[value][0].uri if value in found else "" for value in missing}
        known = self._concepts
        return {value: uri for value in wanted if (uri := known.get(value, ""))}

    def parents(self, uris: Iterable[str]) -> dict[str, Sequence[str]]:
        """Return the concepts right above each of these."""
        wanted = list(uris)
        missing = [uri for uri in wanted if uri not in self._parents]
        if missing:
            if len(self._parents) > MOST_REMEMBERED:
                self._parents = {}
                missing = wanted
            found = self._tree.parents(missing)
            self._parents |= {uri: found.get(uri, ()) for uri in missing}
        known = self._parents
        return {uri: known.get(uri, ()) for uri in wanted}


def branches(
    tree: RememberedTree, values: Mapping[str, int], chosen: Sequence[str], *, limit: int
) -> Branches:
    """Return the concepts that counted values name, under their top concepts, the most used first.

    A top concept that nothing else is beside gives way to what is below it if no value names it; else it
    shows what is right below it.
    """
    found = tree.concepts_of(values)
    weights: dict[str, int] = {}
    for value, uri in found.items():
        weights[uri] = weights.get(uri, 0) + values[value]
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
    if len(roots) == 1:
        paths.append(roots)
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


def _parents(tree: RememberedTree, uris: Sequence[str]) -> dict[str, Sequence[str]]:
    """Return the concepts right above each of these and of all those above them."""
    found: dict[str, Sequence[str]] = {}
    level = list(dict.fromkeys(uris))
    while level and len(found) < MOST_ABOVE:
        above = tree.parents(level)
        found.update(above)
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
