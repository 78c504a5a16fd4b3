"""Browsing structures: the values of a field, those of another within each, and the documents at the end.

What is listed is counted by the index, so a structure is built aside with every new index and changes with it
at once. `config.classifiers` says which structures there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from windrow.config.classifiers import EXTRA, Structure
from windrow.finding.filters import condition_of
from windrow.finding.folders import parent_of
from windrow.index.protocol import MOST_VALUES, Counted, Found, Index, Order, Tally
from windrow.model.collation import Collation, collation
from windrow.model.file_facts import extra_of
from windrow.model.query import Not, Query, Value, Word, all_of, any_of

MANY = 200  # values of the outer field, from which on they are listed letter by letter
MOST_WITHIN = 200  # values of the inner field that are listed within one of the outer
PER_PAGE = 50
_FOLDER = "folder"
_FIELDS = {"title": "initial", "format": "media"}  # what is counted, where it is called otherwise
_BACKWARDS = ("year", "month")  # the latest first
_A_FILE = Word("*", "media", is_pattern=True)
_UNLETTERED = ("year", "month", "size", "title")  # never so many that letters would help


@dataclass(frozen=True, slots=True)
class Class:
    """Documents that have a value in common; within it those of the inner field."""

    value: str
    count: int
    within: tuple[Class, ...] = ()


@dataclass(frozen=True, slots=True)
class Classes:
    """The values of one level, as far as a page has room for them."""

    field: str
    found: tuple[Class, ...]
    letters: tuple[tuple[str, int], ...] = ()  # where there are many: each with how many values it has
    letter: str = ""  # the one whose values these are
    is_cut: bool = False  # there are more than can be listed


@dataclass(frozen=True, slots=True)
class Level:
    """One field of a structure: how it is counted, and what finds the documents with a value."""

    field: str
    at: str = ""  # of folders, the one in which the others lie

    @property
    def counted(self) -> str:
        """The field that the index counts."""
        return "extra" if self.start else _FIELDS.get(self.field, self.field)

    @property
    def start(self) -> str:
        """How the facts of a field begin that has no place of its own."""
        if self.field == "contributor":
            return extra_of(self.field, "")
        return extra_of(self.field.removeprefix(EXTRA), "") if self.field.startswith(EXTRA) else ""

    def tally(self, limit: int, *, within: Tally | None = None) -> Tally:
        """What is asked of the index."""
        if self.field == _FOLDER:
            start = f"{self.at}/" if self.at else ""
            return Tally(_FOLDER, limit, is_by_value=True, within=within, prefix=start, is_flat=True)
        return Tally(self.counted, limit, is_by_value=True, within=within, prefix=self.start)

    def read(self, counted: Iterable[Counted], order: Collation) -> list[Class]:
        """What was counted, in the order in which it is listed in a language."""
        found = [Class(each.value.removeprefix(self.start), each.count) for each in counted if each.count]
        if self.field in _BACKWARDS:
            return found[::-1]
        if order.signs and self.field not in _UNLETTERED:
            found.sort(key=lambda each: (order.key(each.value), each.value))
        return found

    def condition(self, value: str) -> Query:
        """What finds the documents with a value."""
        if self.field == "month":  # counted are, of files, the months of their year
            return all_of((_A_FILE, Value(value[:4], "year"), Word(value, "date")))
        return condition_of(self.counted, self.start + value)


def outer_classes(
    index: Index, query: Query, structure: Structure, *, letter: str = "", language: str = ""
) -> Classes:
    """Give the first level: with the second within each where there are not many, else letter by letter."""
    level, order = Level(structure.fields[0]), collation(language)
    (counts,) = index.tally(query, [level.tally(MOST_VALUES)])
    found, is_cut = level.read(counts.values, order), bool(counts.others)
    if len(found) > MANY and level.field not in _UNLETTERED:
        return _under_letter(level.field, found, letter, order, is_cut=is_cut)
    if len(structure.fields) > 1 and found:
        found = _nested(index, query, structure, order)
    return Classes(level.field, tuple(found), is_cut=is_cut)


def inner_classes(
    index: Index, query: Query, structure: Structure, value: str, *, language: str = ""
) -> list[Classes]:
    """Give what lies within a value of the first level: folders in a folder, and the second level."""
    outer = Level(structure.fields[0], at=value)
    inside = all_of((query, outer.condition(value)))
    levels = [outer] if outer.field == _FOLDER else []
    levels += [Level(field) for field in structure.fields[1:]]
    counts = index.tally(inside, [level.tally(MOST_VALUES) for level in levels]) if levels else ()
    return [
        Classes(level.field, tuple(level.read(each.values, collation(language))), is_cut=bool(each.others))
        for level, each in zip(levels, counts, strict=True)
    ]


def documents(
    index: Index,
    query: Query,
    structure: Structure,
    chosen: Sequence[str],
    *,
    page: int = 1,
    language: str = "",
) -> Found:
    """Return a page of the documents with the chosen values, by title in the order of a language.

    Of a folder alone, those right in it.
    """
    levels = [Level(field) for field in structure.fields]
    parts = [level.condition(value) for level, value in zip(levels, chosen, strict=False)]
    if structure.fields == (_FOLDER,):
        parts.append(_right_in(index, query, chosen[0] if chosen else ""))
    wanted = all_of((query, *parts))
    start = (page - 1) * PER_PAGE
    return index.search(wanted, limit=PER_PAGE, offset=start, order=Order.TITLE, language=language)


def _nested(index: Index, query: Query, structure: Structure, order: Collation) -> list[Class]:
    outer, inner = map(Level, structure.fields)
    (counts,) = index.tally(query, [outer.tally(MANY, within=inner.tally(MOST_WITHIN))])
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
    """Files that lie in a folder itself, not further in; without a folder, in none."""
    if not folder:
        return all_of((_A_FILE, Not(Word("*", _FOLDER, is_pattern=True))))
    (counts,) = index.tally(query, [Level(_FOLDER, at=folder).tally(MOST_VALUES)])
    deeper = [Value(each.value, _FOLDER) for each in counts.values if parent_of(each.value) == folder]
    return Not(any_of(deeper)) if deeper else all_of(())
