"""The values of each field among the results, counted, each with the address that chooses or drops it.

Values of one field are alternatives, so a field is counted without its own filter: the numbers say what
would be found, not what is. Departments stand under their institutions where both are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from windrow.finding.filters import COLLECTION, EVENT_FILTERS, FILTERS, condition_of
from windrow.finding.folders import FOLDER, chosen_folder, folders_around, parent_of
from windrow.finding.question import Question
from windrow.finding.years import as_series
from windrow.index.protocol import MOST_VALUES, Counted, Counts, Index, Tally
from windrow.index.units import UNITS, with_departments
from windrow.model.expansion import Branch
from windrow.model.facts import department_in
from windrow.model.query import Query, all_of

FACETED = (*FILTERS, COLLECTION)
SHOWN = 10  # values of a facet
MOST_YEARS = 1000  # that a tally is asked for
MOST_OF_EVENTS = 200  # values of a field of events that are counted one by one

MOST_OF_CONCEPTS = 5_000  # values that are counted by their concepts
MOST_BRANCHES = 100  # concepts beside each other; longer lists have the values as they are

_OUTER, _INNER = "institution", "department"


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value: how many results have it, and where a click on it leads."""

    value: str
    count: int
    is_selected: bool
    address: str  # with it chosen, or dropped where it is
    within: tuple[FacetValue, ...] = ()  # departments of an institution, folders in a folder, concepts
    label: str = ""  # of a concept of a vocabulary; its value is its URI


@dataclass(frozen=True, slots=True)
class Facet:
    """One field: its values, and how many results are counted under values that are not shown."""

    field: str
    values: tuple[FacetValue, ...]
    others: int = 0
    is_tree: bool = False  # values have values of the same kind within them

    @property
    def is_selected(self) -> bool:
        """Is one of its values chosen?"""
        return any(value.is_selected for value in self.values)


def count_facets(
    index: Index, question: Question, fields: Sequence[str], *, limit: int = SHOWN
) -> tuple[Facet, ...]:
    """Count these fields, in their order; those that cannot be counted are left out.

    One pass for all fields without a filter of their own, and one more for each with one.
    """
    wanted = tuple(dict.fromkeys(name for name in fields if name in FACETED))
    counting = _Counting(index, question, wanted, limit)
    return _Making(index, question, counting.run(), limit).facets(wanted)


def is_of_concepts(question: Question, name: str, limit: int) -> bool:
    """Return whether a field is counted by the concepts of a vocabulary, unless several are bound to it."""
    expander = question.expander
    is_flat = name in EVENT_FILTERS or name in (_OUTER, _INNER) or limit > MOST_BRANCHES
    return expander is not None and name in expander.fields and not is_flat


class _Counting:
    """Asks for all tallies with as few passes as there can be."""

    def __init__(self, index: Index, question: Question, fields: Sequence[str], limit: int) -> None:
        self._index = index
        self._question = question
        self._fields = fields
        self._limit = limit
        self._passes: dict[tuple[str, ...], dict[str, Tally]] = {}  # what is left out → what is counted

    def run(self) -> dict[str, Counts]:
        """Give what each field came to; nested departments under "nested"."""
        is_nested = _OUTER in self._fields and _INNER in self._fields
        # Where neither is chosen, institutions are counted together with their departments.
        is_once = is_nested and not (self._left_out(_OUTER) or self._left_out(_INNER))
        for name in self._fields:
            if not ((is_nested and name == _INNER) or (is_once and name == _OUTER)):
                self._want(name, self._left_out(name), self._tally(name))
        if is_nested:
            self._want("nested", self._left_out(_INNER), Tally(_OUTER, self._limit))
            self._want("units", self._left_out(_INNER), UNITS)
        is_inside = not is_nested and _INNER in self._fields and _OUTER in self._question.filters
        if is_inside:
            self._want(_INNER, self._left_out(_INNER), UNITS)
        found: dict[str, Counts] = {}
        for left_out, tallies in self._passes.items():
            query = self._question.query_without(*left_out)
            found |= zip(tallies, self._index.tally(query, list(tallies.values())), strict=True)
        if is_nested:
            found["nested"] = with_departments(found["nested"], found["units"], most=self._limit)
        if is_inside:
            found[_INNER] = self._inside_chosen(found[_INNER])
        found |= {_OUTER: found["nested"]} if is_once else {}
        for name in EVENT_FILTERS.keys() & found.keys():
            found[name] = self._of_same_event(name, found[name])
        if _OUTER in found and _INNER in self._question.filters:
            found[_OUTER] = self._having_departments(found[_OUTER])
        return found

    def _inside_chosen(self, units: Counts) -> Counts:
        """Count the departments of the institutions that were chosen: a record may have others elsewhere."""
        counts: dict[str, list[int]] = {}
        for each in units.values:
            for institution in self._question.filters[_OUTER]:
                if name := department_in(institution, each.value):
                    counts.setdefault(name, []).append(each.count)
        most = sorted(counts, key=lambda name: (-sum(counts[name]), name))
        question = self._question.choosing(_INNER, ())
        exact = [
            # Two of the institutions may share a record and the name of a department.
            Counted(name, self._index.count(question.adding(_INNER, name).query))
            if len(counts[name]) > 1
            else Counted(name, sum(counts[name]))
            for name in most[: self._limit]
        ]
        exact.sort(key=lambda each: (-each.count, each.value))
        return Counts(tuple(exact), sum(sum(counts[name]) for name in most[self._limit :]))

    def _having_departments(self, counts: Counts) -> Counts:
        """Count the institutions whose own departments were chosen: a record may have others elsewhere."""
        question = self._question.choosing(_OUTER, ())
        exact = (
            each._replace(count=self._index.count(question.adding(_OUTER, each.value).query))
            for each in counts.values
        )
        return Counts(tuple(each for each in exact if each.count), counts.others)

    def _of_same_event(self, name: str, counts: Counts) -> Counts:
        """Count the values of those events alone that have everything else that is asked of one event."""
        if not self._question.asks_of_events(name):
            return Counts(counts.values[: self._limit], counts.others + _sum(counts.values[self._limit :]))
        exact = [
            Counted(each.value, self._index.count(self._question.query_adding({name: each.value}, name)))
            for each in counts.values
        ]
        exact.sort(key=lambda each: (-each.count, each.value))
        found = [each for each in exact if each.count]
        return Counts(tuple(found[: self._limit]), counts.others + _sum(found[self._limit :]))

    def _want(self, key: str, left_out: tuple[str, ...], tally: Tally) -> None:
        self._passes.setdefault(left_out, {})[key] = tally

    def _left_out(self, name: str) -> tuple[str, ...]:
        if name == COLLECTION:
            return (name,) if self._question.collection is not None else ()
        return (name,) if name in self._question.filters else ()

    def _tally(self, name: str) -> Tally:
        if name == "year":
            return Tally(name, MOST_YEARS, is_by_value=True)
        if name == FOLDER:
            return Tally(name, self._limit, prefix=chosen_folder(self._question), is_flat=True)
        if name == "size":
            return Tally(name, MOST_VALUES, is_by_value=True)
        if name == COLLECTION:  # no document knows its collections, but each its one source
            return Tally("source", MOST_VALUES)
        if name in EVENT_FILTERS:
            return Tally(name, max(self._limit, MOST_OF_EVENTS))
        if is_of_concepts(self._question, name, self._limit):
            return Tally(name, MOST_OF_CONCEPTS)
        return Tally(name, self._limit)


class _Making:
    """Makes facets of what was counted."""

    def __init__(self, index: Index, question: Question, counts: Mapping[str, Counts], limit: int) -> None:
        self._index = index
        self._question = question
        self._counts = counts
        self._limit = limit

    def facets(self, fields: Sequence[str]) -> tuple[Facet, ...]:
        """Give one for each field; departments that stand under their institutions have none of their own."""
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
            counts = Counts(kept, counts.others + _sum(counts.values[self._limit :]))
        if name == "year":
            counts = as_series(counts)
        listed = list(self._values(name, counts.values))
        missing = list(self._missing(name, {value.value for value in listed}))
        others = max(counts.others - sum(value.count for value in missing), 0)
        return Facet(name, (*listed, *missing), others)

    def _concepts(self, name: str, counts: Counts) -> Facet | None:
        """Return the concepts of a field with what is below them; values that name none stand beside them."""
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

    def _branch(self, name: str, branch: Branch) -> FacetValue:
        question, uri = self._question, branch.uri
        within = tuple(self._branch(name, each) for each in branch.within)
        made = self._value(
            name, uri, self._index.count(self._asked(name, uri)), tuple(each for each in within if each.count)
        )
        label = question.expander and question.expander.label(
            name, uri, question.language, question.collection
        )
        return replace(made, label=label or uri)

    def _values(self, name: str, counted: Iterable[Counted]) -> Iterable[FacetValue]:
        nested = self._counts.get("nested") if name == _OUTER else None
        inner = {each.value: each.within for each in nested.values} if nested else {}
        for value, count, _ in counted:
            within = tuple(self._inner(value, each) for each in inner.get(value, ()))
            yield self._value(name, value, count, within)

    def _missing(self, name: str, shown: set[str]) -> Iterable[FacetValue]:
        """The values that are chosen and not shown so far, with their counts; spans of years are none."""
        for value in self._question.filters.get(name, ()):
            if value not in shown and ".." not in value:
                yield self._value(name, value, self._index.count(self._asked(name, value)), ())

    def _asked(self, name: str, value: str) -> Query:
        if name in EVENT_FILTERS:
            return self._question.query_adding({name: value}, name)
        condition = self._question.narrowed(condition_of(name, value))
        return all_of((self._question.query_without(name), condition))

    def _folders(self, counts: Counts) -> tuple[FacetValue, ...]:
        """The folders below the one that is chosen, inside it and those around it."""
        values = tuple(self._folder(each.value, each.count) for each in counts.values)
        query = self._question.query_without(FOLDER)
        for path in reversed(folders_around(self._question)):
            count = self._index.count(all_of((query, condition_of(FOLDER, path))))
            values = (replace(self._folder(path, count), within=values),)
        return values

    def _folder(self, path: str, count: int) -> FacetValue:
        """A folder takes the place of the one that was chosen; chosen again, its own parent does."""
        is_selected = self._question.is_chosen(FOLDER, path)
        wanted = parent_of(path) if is_selected else path
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
        else:  # a year within a span: only this one of them
            changed = question.choosing(name, (value,))
        return changed.address()

    def _inner(self, outer: str, counted: Counted) -> FacetValue:
        """A department: chosen together with its institution, for others have one of the same name."""
        is_selected = self._question.is_chosen(_INNER, counted.value)
        if is_selected:
            changed = self._question.removing(_INNER, counted.value)
        else:
            # The first one narrows the search to its own institution, which is what was counted.
            others = self._question.filters.get(_OUTER, ()) if _INNER in self._question.filters else ()
            changed = self._question.choosing(_OUTER, (*others, outer)).adding(_INNER, counted.value)
        return FacetValue(counted.value, counted.count, is_selected, changed.address())


def _all(values: Iterable[FacetValue]) -> Iterable[FacetValue]:
    """Return values with all those within them."""
    for value in values:
        yield value
        yield from _all(value.within)


def _sum(counted: Iterable[Counted]) -> int:
    return sum(each.count for each in counted)


def _collections(question: Question, counts: Counts) -> list[Counted]:
    by_source = {counted.value: counted.count for counted in counts.values}
    return [
        Counted(name, sum(by_source.get(source, 0) for source in set(sources)))
        for name, sources in question.collections.items()
    ]
