"""Browsing without a search: lists of institutions, letters, years, types, languages and new records.

All lists take a request, so a collection or any search result can be browsed the same way. Configured
browsing structures (`config.collection_values.Structure`) combine two fields.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from windrow.config.collection_values import EXTRA, Structure
from windrow.index.protocol import (
    EVERYTHING,
    MAX_COUNTED_VALUES,
    UNITS,
    FacetRequest,
    FoundDocuments,
    Hit,
    Index,
    Order,
    ValueCount,
    nest_departments,
)
from windrow.model.counted_fields import extra_value
from windrow.model.file_content import PICTURES as KINDS
from windrow.model.file_content import UNPICTURED
from windrow.model.query import Not, Query, Value, Word, all_of, any_of
from windrow.model.text.collation import Collation, collation
from windrow.model.text.folding import fold
from windrow.search.facets import parent_folder
from windrow.search.filters import filter_condition
from windrow.search.request import SearchRequest

LETTERED = ("creator", "subject", "keyword", "publisher")  # fields with too many values for one page
LISTED = ("institution", "department", "type", "language", "year", "source", "set")
VALUES_PER_PAGE = 100
MAX_INSTITUTIONS = 500
MAX_DEPARTMENTS = 200  # of one institution
MAX_LISTED = 1000
MAX_NEWEST = 100
MAX_SORTED = 2000  # values with a common prefix that are sorted at once
_DEEPEST = 30  # longest common prefix
_MAX_LEAPS = 500
_LAST = "\U0010ffff"  # sorts after every letter
OTHER = "#"  # values that do not begin with a letter


@dataclass(frozen=True, slots=True)
class LetterPage:
    """Values of a field under one letter, with a cursor for the next page."""

    field: str
    initials: tuple[ValueCount, ...]  # every initial, with its number of documents
    letter: str  # the letter shown; empty for all
    values: tuple[ValueCount, ...]
    next: str | None  # the value after which the next page starts


@dataclass(frozen=True, slots=True)
class ValueList:
    """All values of a field with few values, and the number of documents missing from the list."""

    field: str
    values: tuple[ValueCount, ...]
    others: int = 0
    without: int = 0  # documents without a value, if counted


def list_institutions(
    index: Index, question: SearchRequest | None = None, *, language: str = ""
) -> ValueList:
    """Return institutions sorted for a language, each with its departments."""
    query, order = (question or SearchRequest()).query, collation(language)
    found, units = index.tally(query, [FacetRequest("institution", MAX_INSTITUTIONS), UNITS])
    counts = nest_departments(found, units, most=MAX_DEPARTMENTS)
    values = (counted._replace(within=_by_name(counted.within, order)) for counted in counts.values)
    return ValueList(
        "institution", _by_name(values, order), counts.others, count_without(index, "institution", query)
    )


def count_without(index: Index, field: str, query: Query = EVERYTHING) -> int:
    """Return the number of documents without a field, as found by `missing=` and its name."""
    return index.count(all_of((query, Value(field, "missing"))))


def list_values(index: Index, field: str, question: SearchRequest | None = None) -> ValueList:
    """Return the values of a field with few values: years in order, others by use."""
    tally = FacetRequest(field, MAX_LISTED, is_by_value=field == "year")
    (counts,) = index.tally((question or SearchRequest()).query, [tally])
    return ValueList(field, counts.values, counts.others)


def list_under_letter(
    index: Index,
    field: str,
    question: SearchRequest | None = None,
    *,
    letter: str = "",
    after: str = "",
    limit: int = VALUES_PER_PAGE,
    language: str = "",
) -> LetterPage:
    """Return a page of the values of a field under a letter, A to Z; `after` is the previous page's `next`.

    Values that do not begin with a letter are under "#". An unknown letter has no values. Letters and values
    are sorted for the language.
    """
    query, order = (question or SearchRequest()).query, collation(language)
    initials = tuple(index.initials(field, query=query, language=language))
    chosen = order.letter(letter)
    if letter.strip() == OTHER:
        has_any = any(each.value == OTHER for each in initials)
        values = _unlettered(index, field, query, after=after, limit=limit + 1) if has_any else []
    elif order.signs:
        walk = _Walk(index, field, query, order, (order.key(after), after))
        values = list(islice(walk.values(order.prefix(letter)), limit + 1))
    else:
        values = index.values(field, prefix=chosen, after=after, limit=limit + 1, query=query)
    shown = tuple(values[:limit])
    following = shown[-1].value if len(values) > limit else None
    return LetterPage(field, initials, OTHER if letter.strip() == OTHER else chosen, shown, following)


def list_newest(index: Index, question: SearchRequest | None = None, *, limit: int = 20) -> tuple[Hit, ...]:
    query = (question or SearchRequest()).query
    return index.search(query, limit=min(limit, MAX_NEWEST), order=Order.ADDED).hits


def _unlettered(index: Index, field: str, query: Query, *, after: str, limit: int) -> list[ValueCount]:
    """Return values that begin with no letter. They lie between alphabets, each of which is skipped."""
    found: list[ValueCount] = []
    for _ in range(_MAX_LEAPS):
        page = index.values(field, after=after, limit=limit, query=query)
        for counted in page:
            initial = fold(counted.value)[:1]
            if initial.isalpha():
                after = _last_beside(initial) + _LAST
                break
            found.append(counted)
            after = counted.value
        else:
            if len(page) < limit:
                break
        if len(found) >= limit:
            break
    return found[:limit]


@lru_cache(maxsize=1024)
def _last_beside(letter: str) -> str:
    """Return the last letter before the next non-letter by code point: z for a."""
    code = ord(letter)
    while code < sys.maxunicode and chr(code + 1).isalpha():
        code += 1
    return chr(code)


def _by_name(values: Iterable[ValueCount], order: Collation) -> tuple[ValueCount, ...]:
    return tuple(sorted(values, key=lambda counted: order.key(counted.value)))


@dataclass(frozen=True, slots=True)
class _Walk:
    """Iterates over values in the order of a language, from an index in the order of folded letters.

    Where few values share a prefix, they are sorted here; where many do, the next letters are visited one by
    one in the order of the language. So a page reads a few thousand values at most.
    """

    index: Index
    field: str
    query: Query
    order: Collation
    after: tuple[str, str]  # sort key and value of the last value shown

    def values(self, prefix: str) -> Iterator[ValueCount]:
        """Yield the values whose keys begin with a prefix."""
        last = self.after[0]
        if last > prefix and not last.startswith(prefix):
            return  # all of them come before
        start = self.order.folded(prefix)
        found = self.index.values(self.field, prefix=start, limit=MAX_SORTED + 1, query=self.query)
        if len(found) <= MAX_SORTED or len(prefix) >= _DEEPEST:
            yield from self._sorted(found, prefix)
            return
        yield from self._sorted([each for each in found if fold(each.value) == start], prefix)
        last_sign = max(self.order.signs)
        following = list(self._following(start))
        signs = [sign for sign in self.order.signs if fold(self.order.signs[sign]) in following]
        for letter in (*(each for each in following if each < last_sign), *signs):
            yield from self.values(prefix + letter)
        for letter in (each for each in following if each > last_sign):
            yield from self.values(prefix + letter)

    def _following(self, start: str) -> Iterator[str]:
        after = start
        for _ in range(_MAX_LEAPS):
            page = self.index.values(self.field, prefix=start, after=after, limit=2, query=self.query)
            longer = [folded for each in page if len(folded := fold(each.value)) > len(start)]
            if not longer:
                return
            yield longer[0][len(start)]
            after = longer[0][: len(start) + 1] + _LAST

    def _sorted(self, found: Iterable[ValueCount], prefix: str) -> list[ValueCount]:
        keyed = ((self.order.key(each.value), each.value, each) for each in found)
        kept = [each for each in keyed if each[0].startswith(prefix) and each[:2] > self.after]
        return [each for _, _, each in sorted(kept)]


# Browsing structures: the values of a field, those of another field within each, and the documents at the
# end. The index counts the values, so a structure needs no upkeep and changes at once with every new index.
# `config.collection_values` defines the structures.

MANY = 200  # values of the outer field above which they are listed by letter
MAX_WITHIN = 200  # values of the inner field listed within one of the outer
DOCUMENTS_PER_PAGE = 50
_FOLDER = "folder"
_FIELDS = {"title": "initial", "format": "media"}  # counted fields with another name
_BACKWARDS = ("year", "month")  # latest first
_A_FILE = Word("*", "media", is_pattern=True)
_UNLETTERED = ("year", "month", "size", "title")  # never enough values for letters


@dataclass(frozen=True, slots=True)
class Class:
    """Documents with a common value; `within` are the values of the inner field."""

    value: str
    count: int
    within: tuple[Class, ...] = ()


@dataclass(frozen=True, slots=True)
class Classes:
    """The values of one level, as many as a page shows."""

    field: str
    found: tuple[Class, ...]
    letters: tuple[tuple[str, int], ...] = ()  # if there are many: each with its number of values
    letter: str = ""  # the letter shown
    is_cut: bool = False  # there are more than can be listed


@dataclass(frozen=True, slots=True)
class Level:
    """One field of a structure: how it is counted, and the query for a value."""

    field: str
    at: str = ""  # of folders, the parent

    @property
    def counted(self) -> str:
        return "extra" if self.start else _FIELDS.get(self.field, self.field)

    @property
    def start(self) -> str:
        """The prefix of extra values of a field that has no index field of its own."""
        if self.field == "contributor":
            return extra_value(self.field, "")
        return extra_value(self.field.removeprefix(EXTRA), "") if self.field.startswith(EXTRA) else ""

    def tally(self, limit: int, *, within: FacetRequest | None = None) -> FacetRequest:
        if self.field == _FOLDER:
            start = f"{self.at}/" if self.at else ""
            return FacetRequest(_FOLDER, limit, is_by_value=True, within=within, prefix=start, is_flat=True)
        return FacetRequest(self.counted, limit, is_by_value=True, within=within, prefix=self.start)

    def read(self, counted: Iterable[ValueCount], order: Collation) -> list[Class]:
        """Return the counted values as listed in a language."""
        found = [Class(each.value.removeprefix(self.start), each.count) for each in counted if each.count]
        if self.field in _BACKWARDS:
            return found[::-1]
        if order.signs and self.field not in _UNLETTERED:
            found.sort(key=lambda each: (order.key(each.value), each.value))
        return found

    def condition(self, value: str) -> Query:
        """Return the query for the documents with a value."""
        if self.field == "month":  # for files, the months of their year are counted
            return all_of((_A_FILE, Value(value[:4], "year"), Word(value, "date")))
        return filter_condition(self.counted, self.start + value)


def list_outer_classes(
    index: Index, query: Query, structure: Structure, *, letter: str = "", language: str = ""
) -> Classes:
    """Return the first level: with the second level nested if there are few values, else by letter."""
    level, order = Level(structure.fields[0]), collation(language)
    (counts,) = index.tally(query, [level.tally(MAX_COUNTED_VALUES)])
    found, is_cut = level.read(counts.values, order), bool(counts.others)
    if len(found) > MANY and level.field not in _UNLETTERED:
        return _under_letter(level.field, found, letter, order, is_cut=is_cut)
    if len(structure.fields) > 1 and found:
        found = _nested(index, query, structure, order)
    return Classes(level.field, tuple(found), is_cut=is_cut)


def list_inner_classes(
    index: Index, query: Query, structure: Structure, value: str, *, language: str = ""
) -> list[Classes]:
    """Return what is within a value of the first level: subfolders and the second level."""
    outer = Level(structure.fields[0], at=value)
    inside = all_of((query, outer.condition(value)))
    levels = [outer] if outer.field == _FOLDER else []
    levels += [Level(field) for field in structure.fields[1:]]
    counts = index.tally(inside, [level.tally(MAX_COUNTED_VALUES) for level in levels]) if levels else ()
    return [
        Classes(level.field, tuple(level.read(each.values, collation(language))), is_cut=bool(each.others))
        for level, each in zip(levels, counts, strict=True)
    ]


def list_documents(
    index: Index,
    query: Query,
    structure: Structure,
    chosen: Sequence[str],
    *,
    page: int = 1,
    language: str = "",
) -> FoundDocuments:
    """Return a page of the documents with the selected values, by title in the order of a language.

    For a folder alone, these are the documents directly in it.
    """
    levels = [Level(field) for field in structure.fields]
    parts = [level.condition(value) for level, value in zip(levels, chosen, strict=False)]
    if structure.fields == (_FOLDER,):
        parts.append(_right_in(index, query, chosen[0] if chosen else ""))
    wanted = all_of((query, *parts))
    start = (page - 1) * DOCUMENTS_PER_PAGE
    return index.search(wanted, limit=DOCUMENTS_PER_PAGE, offset=start, order=Order.TITLE, language=language)


def _nested(index: Index, query: Query, structure: Structure, order: Collation) -> list[Class]:
    outer, inner = map(Level, structure.fields)
    (counts,) = index.tally(query, [outer.tally(MANY, within=inner.tally(MAX_WITHIN))])
    within = {each.value.removeprefix(outer.start): each.within for each in counts.values}
    return [
        Class(each.value, each.count, tuple(inner.read(within.get(each.value, ()), order)))
        for each in outer.read(counts.values, order)
    ]


def _under_letter(
    field: str, found: Sequence[Class], letter: str, order: Collation, *, is_cut: bool
) -> Classes:
    letters: dict[str, list[Class]] = {}
    for each in found:
        letters.setdefault(order.initial(each.value), []).append(each)
    ordered = sorted(letters, key=order.place)
    chosen = letter if letter in letters else ordered[0]
    counted = tuple((each, len(letters[each])) for each in ordered)
    return Classes(field, tuple(letters[chosen]), counted, chosen, is_cut)


def _right_in(index: Index, query: Query, folder: str) -> Query:
    """Return the query for files directly in a folder; without a folder, in none."""
    if not folder:
        return all_of((_A_FILE, Not(Word("*", _FOLDER, is_pattern=True))))
    (counts,) = index.tally(query, [Level(_FOLDER, at=folder).tally(MAX_COUNTED_VALUES)])
    deeper = [Value(each.value, _FOLDER) for each in counts.values if parent_folder(each.value) == folder]
    return Not(any_of(deeper)) if deeper else all_of(())


# Pictures: the query for documents shown in the gallery.

# All media that can be rendered directly, except those for which rendering failed.
PICTURES: Query = all_of(
    (any_of([Value(kind, "media") for kind in KINDS]), Not(Value(extra_value(*UNPICTURED), "extra")))
)
