"""Facets: the values of each field among the results, counted, with the addresses that select or remove them.

Values of one field are alternatives, so a field is counted without its own filter: the count is what
selecting the value would find. Departments are nested in their institutions where both are requested. Years
are filled in to a series without gaps, and folders form a tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from windrow.index.protocol import (
    MAX_COUNTED_VALUES,
    UNITS,
    FacetCounts,
    FacetRequest,
    Index,
    ValueCount,
    nest_departments,
)
from windrow.model.counted_fields import split_department
from windrow.model.document_dates import is_year_label, starting_year, year_label
from windrow.model.query import Query, all_of
from windrow.model.thesaurus import ConceptBranch
from windrow.search.filters import COLLECTION, EVENT_FILTERS, FILTERS, filter_condition
from windrow.search.request import SearchRequest

# Years as a series for bar charts: every year from the first to the last, including empty ones.

MAX_BARS = 150


def fill_years(counts: FacetCounts) -> FacetCounts:
    """Return years in order without gaps; if they span too many, the range with most records."""
    known = ((starting_year(each.value), each.count) for each in counts.values)
    found = sorted((year, count) for year, count in known if year is not None and year >= 0)
    starts = int(any(is_year_label(each.value) for each in counts.values))
    kept = dict(_fullest(found))
    others = counts.others + sum(count for year, count in found if year not in kept)
    if not kept:
        return FacetCounts((), others)
    years = range(min(kept), max(kept) + 1)
    return FacetCounts(
        tuple(ValueCount(year_label(year, starts), kept.get(year, 0)) for year in years), others
    )


def _fullest(found: Sequence[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    """Return the range of at most MAX_BARS years with most records; the latest of several."""
    start, total, most, best = 0, 0, 0, (0, 0)
    for end, (year, count) in enumerate(found, start=1):
        total += count
        while year - found[start][0] >= MAX_BARS:
            total -= found[start][1]
            start += 1
        if total >= most:
            most, best = total, (start, end)
    return found[best[0] : best[1]]


# Folders as facet values: one level at a time, from the outermost inwards.

FOLDER = "folder"
_DEEPEST = 20  # ancestors of the selected folder that are shown


def list_open_folders(question: SearchRequest) -> list[str]:
    """Return the selected folder and its ancestors, outermost first; empty if several are selected."""
    chosen = question.filters.get(FOLDER, ())
    if len(chosen) != 1:
        return []
    return list(accumulate(chosen[0].split("/"), "{}/{}".format))[-_DEEPEST:]


def chosen_folder(question: SearchRequest) -> str:
    """Return the path prefix of the folders directly below the selected one."""
    around = list_open_folders(question)
    return f"{around[-1]}/" if around else ""


def parent_folder(path: str) -> str:
    return path.rpartition("/")[0]


FACETED = (*FILTERS, COLLECTION)
SHOWN = 10  # values of a facet
MAX_YEARS = 1000  # per tally
MAX_EVENT_VALUES = 200  # values of an event field that are counted one by one

MAX_CONCEPTS = 5_000  # values that are counted by concept
MAX_BRANCHES = 100  # sibling concepts; longer lists are shown flat

_OUTER, _INNER = "institution", "department"


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value: its count and the address of its link."""

    value: str
    count: int
    is_selected: bool
    address: str  # with the value selected, or removed if it is selected
    within: tuple[FacetValue, ...] = ()  # departments of an institution, subfolders, narrower concepts
    label: str = ""  # of a vocabulary concept, whose value is its URI


@dataclass(frozen=True, slots=True)
class Facet:
    """One field: its values, and how many results are counted under values not shown."""

    field: str
    values: tuple[FacetValue, ...]
    others: int = 0
    is_tree: bool = False  # values are nested in values of the same kind

    @property
    def is_selected(self) -> bool:
        return any(value.is_selected for value in self.values)


def count_facets(
    index: Index, question: SearchRequest, fields: Sequence[str], *, limit: int = SHOWN
) -> tuple[Facet, ...]:
    """Count these fields in order; fields without facets are left out.

    Takes one pass for all fields without a filter of their own, and one more for each field with one.
    """
    wanted = tuple(dict.fromkeys(name for name in fields if name in FACETED))
    counting = _FacetCounter(index, question, wanted, limit)
    return _FacetBuilder(index, question, counting.run(), limit).facets(wanted)


def is_of_concepts(question: SearchRequest, name: str, limit: int) -> bool:
    """Return whether a field is counted by the concepts of the one vocabulary bound to it."""
    expander = question.expander
    is_flat = name in EVENT_FILTERS or name in (_OUTER, _INNER) or limit > MAX_BRANCHES
    return expander is not None and name in expander.fields and not is_flat


class _FacetCounter:
    """Requests all tallies in as few passes as possible."""

    def __init__(self, index: Index, question: SearchRequest, fields: Sequence[str], limit: int) -> None:
        self._index = index
        self._question = question
        self._fields = fields
        self._limit = limit
        self._passes: dict[tuple[str, ...], dict[str, FacetRequest]] = {}  # fields left out → fields counted

    def run(self) -> dict[str, FacetCounts]:
        """Return the counts of each field; nested departments are under "nested"."""
        is_nested = _OUTER in self._fields and _INNER in self._fields
        # Where neither is selected, institutions are counted together with their departments.
        is_once = is_nested and not (self._left_out(_OUTER) or self._left_out(_INNER))
        for name in self._fields:
            if not ((is_nested and name == _INNER) or (is_once and name == _OUTER)):
                self._want(name, self._left_out(name), self._tally(name))
        if is_nested:
            self._want("nested", self._left_out(_INNER), FacetRequest(_OUTER, self._limit))
            self._want("units", self._left_out(_INNER), UNITS)
        is_inside = not is_nested and _INNER in self._fields and _OUTER in self._question.filters
        if is_inside:
            self._want(_INNER, self._left_out(_INNER), UNITS)
        found: dict[str, FacetCounts] = {}
        for left_out, tallies in self._passes.items():
            query = self._question.query_without(*left_out)
            found |= zip(tallies, self._index.tally(query, list(tallies.values())), strict=True)
        if is_nested:
            found["nested"] = nest_departments(found["nested"], found["units"], most=self._limit)
        if is_inside:
            found[_INNER] = self._inside_chosen(found[_INNER])
        found |= {_OUTER: found["nested"]} if is_once else {}
        for name in EVENT_FILTERS.keys() & found.keys():
            found[name] = self._of_same_event(name, found[name])
        if _OUTER in found and _INNER in self._question.filters:
            found[_OUTER] = self._having_departments(found[_OUTER])
        return found

    def _inside_chosen(self, units: FacetCounts) -> FacetCounts:
        """Count departments of the selected institutions only: a record may have others elsewhere."""
        counts: dict[str, list[int]] = {}
        for each in units.values:
            for institution in self._question.filters[_OUTER]:
                if name := split_department(institution, each.value):
                    counts.setdefault(name, []).append(each.count)
        most = sorted(counts, key=lambda name: (-sum(counts[name]), name))
        question = self._question.choosing(_INNER, ())
        exact = [
            # Two of the institutions may share a record and the name of a department.
            ValueCount(name, self._index.count(question.adding(_INNER, name).query))
            if len(counts[name]) > 1
            else ValueCount(name, sum(counts[name]))
            for name in most[: self._limit]
        ]
        exact.sort(key=lambda each: (-each.count, each.value))
        return FacetCounts(tuple(exact), sum(sum(counts[name]) for name in most[self._limit :]))

    def _having_departments(self, counts: FacetCounts) -> FacetCounts:
        """Count institutions of the selected departments only: a record may have others elsewhere."""
        question = self._question.choosing(_OUTER, ())
        exact = (
            each._replace(count=self._index.count(question.adding(_OUTER, each.value).query))
            for each in counts.values
        )
        return FacetCounts(tuple(each for each in exact if each.count), counts.others)

    def _of_same_event(self, name: str, counts: FacetCounts) -> FacetCounts:
        """Count the values of only those events that meet all other conditions on one event."""
        if not self._question.asks_of_events(name):
            return FacetCounts(
                counts.values[: self._limit], counts.others + _sum(counts.values[self._limit :])
            )
        exact = [
            ValueCount(each.value, self._index.count(self._question.query_adding({name: each.value}, name)))
            for each in counts.values
        ]
        exact.sort(key=lambda each: (-each.count, each.value))
        found = [each for each in exact if each.count]
        return FacetCounts(tuple(found[: self._limit]), counts.others + _sum(found[self._limit :]))

    def _want(self, key: str, left_out: tuple[str, ...], tally: FacetRequest) -> None:
        self._passes.setdefault(left_out, {})[key] = tally

    def _left_out(self, name: str) -> tuple[str, ...]:
        if name == COLLECTION:
            return (name,) if self._question.collection is not None else ()
        return (name,) if name in self._question.filters else ()

    def _tally(self, name: str) -> FacetRequest:
        if name == "year":
            return FacetRequest(name, MAX_YEARS, is_by_value=True)
        if name == FOLDER:
            return FacetRequest(name, self._limit, prefix=chosen_folder(self._question), is_flat=True)
        if name == "size":
            return FacetRequest(name, MAX_COUNTED_VALUES, is_by_value=True)
        if name == COLLECTION:  # a document has one source but does not name its collections
            return FacetRequest("source", MAX_COUNTED_VALUES)
        if name in EVENT_FILTERS:
            return FacetRequest(name, max(self._limit, MAX_EVENT_VALUES))
        if is_of_concepts(self._question, name, self._limit):
            return FacetRequest(name, MAX_CONCEPTS)
        return FacetRequest(name, self._limit)


class _FacetBuilder:
    """Builds facets from counts."""

    def __init__(
        self, index: Index, question: SearchRequest, counts: Mapping[str, FacetCounts], limit: int
    ) -> None:
        self._index = index
        self._question = question
        self._counts = counts
        self._limit = limit

    def facets(self, fields: Sequence[str]) -> tuple[Facet, ...]:
        """Return a facet for each field; nested departments have none of their own."""
        is_nested = "nested" in self._counts
        return tuple(self._facet(name) for name in fields if not (is_nested and name == _INNER))

    def _facet(self, name: str) -> Facet:
        counts = self._counts[name]
        if name == COLLECTION:
            return Facet(name, tuple(self._values(name, _collections(self._question, counts))))
        if name == FOLDER:
            return Facet(name, self._folders(counts), counts.others, is_tree=True)
        if is_of_concepts(self._question, name, self._limit):
            found = self._concepts(name, counts)
            if found is not None:
                return found
            kept = counts.values[: self._limit]
            counts = FacetCounts(kept, counts.others + _sum(counts.values[self._limit :]))
        if name == "year":
            counts = fill_years(counts)
        listed = list(self._values(name, counts.values))
        missing = list(self._missing(name, {value.value for value in listed}))
        others = max(counts.others - sum(value.count for value in missing), 0)
        return Facet(name, (*listed, *missing), others)

    def _concepts(self, name: str, counts: FacetCounts) -> Facet | None:
        """Return the concept tree of a field; values without a concept are listed beside it."""
        question, expander = self._question, self._question.expander
        assert expander is not None
        values = {each.value: each.count for each in counts.values}
        chosen = question.filters.get(name, ())
        found = expander.branches(
            name,
            values,
            [value for value in chosen if expander.label(name, value, "", question.collection)],
            limit=self._limit,
            collection=question.collection,
        )
        if found is None or not found.roots:
            return None
        concepts = [self._branch(name, each) for each in found.roots]
        unknown = [self._value(name, value, values[value], ()) for value in found.unknown]
        listed = sorted((*concepts, *unknown), key=lambda each: (-each.count, each.value))
        kept = [each for each in listed if each.count or each.is_selected]
        shown = [
            each for place, each in enumerate(kept) if place < self._limit or each.is_selected or each.within
        ]
        left = sum(each.count for each in kept) - sum(each.count for each in shown)
        missing = self._missing(name, {each.value for each in _all(shown)})
        return Facet(name, (*shown, *missing), found.others + left + counts.others, is_tree=True)

    def _branch(self, name: str, branch: ConceptBranch) -> FacetValue:
        question, uri = self._question, branch.uri
        within = tuple(self._branch(name, each) for each in branch.within)
        made = self._value(
            name, uri, self._index.count(self._asked(name, uri)), tuple(each for each in within if each.count)
        )
        label = question.expander and question.expander.label(
            name, uri, question.language, question.collection
        )
        return replace(made, label=label or uri)

    def _values(self, name: str, counted: Iterable[ValueCount]) -> Iterable[FacetValue]:
        nested = self._counts.get("nested") if name == _OUTER else None
        inner = {each.value: each.within for each in nested.values} if nested else {}
        for value, count, _ in counted:
            within = tuple(self._inner(value, each) for each in inner.get(value, ()))
            yield self._value(name, value, count, within)

    def _missing(self, name: str, shown: set[str]) -> Iterable[FacetValue]:
        """Yield the selected values not shown yet, with their counts; year ranges are skipped."""
        for value in self._question.filters.get(name, ()):
            if value not in shown and ".." not in value:
                yield self._value(name, value, self._index.count(self._asked(name, value)), ())

    def _asked(self, name: str, value: str) -> Query:
        if name in EVENT_FILTERS:
            return self._question.query_adding({name: value}, name)
        condition = self._question.narrowed(filter_condition(name, value))
        return all_of((self._question.query_without(name), condition))

    def _folders(self, counts: FacetCounts) -> tuple[FacetValue, ...]:
        """Return the folders below the selected one, nested in it and its ancestors."""
        values = tuple(self._folder(each.value, each.count) for each in counts.values)
        query = self._question.query_without(FOLDER)
        for path in reversed(list_open_folders(self._question)):
            count = self._index.count(all_of((query, filter_condition(FOLDER, path))))
            values = (replace(self._folder(path, count), within=values),)
        return values

    def _folder(self, path: str, count: int) -> FacetValue:
        """A folder replaces the selected one; selecting it again selects its parent."""
        is_selected = self._question.is_chosen(FOLDER, path)
        wanted = parent_folder(path) if is_selected else path
        changed = self._question.choosing(FOLDER, (wanted,) if wanted else ())
        return FacetValue(path, count, is_selected, changed.address())

    def _value(self, name: str, value: str, count: int, within: tuple[FacetValue, ...]) -> FacetValue:
        is_selected = self._question.is_chosen(name, value)
        return FacetValue(value, count, is_selected, self._toggled(name, value, is_selected), within)

    def _toggled(self, name: str, value: str, is_selected: bool) -> str:
        question = self._question
        if not is_selected:
            changed = question.adding(name, value)
        elif name == COLLECTION or value in question.filters[name]:
            changed = question.removing(name, value)
        else:  # a year within a range: only this one
            changed = question.choosing(name, (value,))
        return changed.address()

    def _inner(self, outer: str, counted: ValueCount) -> FacetValue:
        """Return a department: selected with its institution, as others use the same name."""
        is_selected = self._question.is_chosen(_INNER, counted.value)
        if is_selected:
            changed = self._question.removing(_INNER, counted.value)
        else:
            # The first one narrows the search to its own institution, which is what was counted.
            others = self._question.filters.get(_OUTER, ()) if _INNER in self._question.filters else ()
            changed = self._question.choosing(_OUTER, (*others, outer)).adding(_INNER, counted.value)
        return FacetValue(counted.value, counted.count, is_selected, changed.address())


def _all(values: Iterable[FacetValue]) -> Iterable[FacetValue]:
    for value in values:
        yield value
        yield from _all(value.within)


def _sum(counted: Iterable[ValueCount]) -> int:
    return sum(each.count for each in counted)


def _collections(question: SearchRequest, counts: FacetCounts) -> list[ValueCount]:
    by_source = {counted.value: counted.count for counted in counts.values}
    return [
        ValueCount(name, sum(by_source.get(source, 0) for source in set(sources)))
        for name, sources in question.collections.items()
    ]
