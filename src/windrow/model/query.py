"""The query tree: all query languages are parsed into it, and all indexes evaluate it.

A node's `str` is its canonical text, which `windrow.protocols.query` parses back to the same node. Make
combinations with `all_of`, `any_of` and `at_least`, which simplify the tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

# The searchable fields: one table for the search box, CQL, RPN and every index.


class FieldKind(StrEnum):
    """How the values of a field are compared with a search term."""

    WORDS = "words"  # word by word, folded
    EXACT = "exact"  # as a whole: a code, an address
    TREE = "tree"  # as a whole, or below it in a hierarchy: a set and its subsets
    NUMBER = "number"
    DATE = "date"  # in the precision of the query: 2014-05 is all of May


MAX_SLOP = 100  # maximum of other words between two words of a phrase, in long texts
MAX_SLOP_IN_SHORT_FIELDS = 10  # the same in all other fields


@dataclass(frozen=True, slots=True)
class QueryField:
    """A field with its name, kind and aliases."""

    name: str
    kind: FieldKind
    aliases: tuple[str, ...] = ()
    is_default: bool = False  # searched if no field is named
    is_of_event: bool = False  # describes one event of a document
    is_stemmed: bool = False  # a word also matches its other forms


_WORDS, _EXACT = FieldKind.WORDS, FieldKind.EXACT
_TABLE = (
    QueryField("title", _WORDS, ("ti",), is_default=True, is_stemmed=True),
    QueryField("creator", _WORDS, ("author", "au", "by"), is_default=True),
    QueryField("contributor", _WORDS, ("advisor", "editor"), is_default=True),
    QueryField("subject", _WORDS, ("topic", "su"), is_default=True, is_stemmed=True),  # keywords too
    QueryField("keyword", _WORDS, ("keywords", "kw"), is_stemmed=True),  # subjects where there are none
    QueryField("description", _WORDS, ("abstract", "ab"), is_default=True, is_stemmed=True),
    QueryField("publisher", _WORDS, is_default=True, is_stemmed=True),
    QueryField("year", FieldKind.NUMBER, ("yr",), is_default=True),
    QueryField("date", FieldKind.DATE),
    QueryField("issued", FieldKind.NUMBER),  # the day that its year is counted by: 20190801
    QueryField("type", _WORDS, is_default=True, is_stemmed=True),
    QueryField("language", _EXACT, ("lang", "la")),
    QueryField("pages", FieldKind.NUMBER),
    QueryField("journal", _WORDS, ("series", "in"), is_default=True, is_stemmed=True),  # the containing work
    QueryField("relation", _WORDS),
    QueryField("rights", _WORDS),  # as written in the record
    QueryField("access", _WORDS),  # normalised: open, embargoed, restricted, metadata only
    QueryField("licence", _WORDS, ("license",)),
    QueryField("format", _WORDS),
    QueryField("identifier", _EXACT, ("id", "doi", "isbn", "issn", "urn", "hdl", "url"), is_default=True),
    QueryField("institution", _WORDS, ("university",), is_default=True, is_stemmed=True),
    QueryField("department", _WORDS, ("faculty",), is_default=True, is_stemmed=True),
    QueryField("unit", _EXACT),  # a department in its institution: unit="University › Department"
    QueryField("holding", _WORDS, is_default=True, is_stemmed=True),  # the collection of its repository
    QueryField("missing", _EXACT, ("without",)),  # what a record lacks: institution, department, title …
    QueryField("affiliation", _EXACT),  # all participating institutions, including those of its people
    QueryField("source", _EXACT),  # the source in the library
    QueryField("set", FieldKind.TREE),
    QueryField("place", _WORDS, is_of_event=True),
    QueryField("period", _WORDS, is_of_event=True),
    QueryField("intensity", _WORDS, is_of_event=True),
    QueryField("kind", _WORDS, is_of_event=True),
    QueryField("time", _WORDS, is_of_event=True),
    QueryField("prerequisites", _WORDS, ("prerequisite",), is_stemmed=True),  # of a course
    QueryField("exam", _WORDS, ("degree",), is_stemmed=True),  # the degrees of a course
    QueryField("profession", _WORDS, ("occupation",), is_stemmed=True),  # the occupations of a course
    QueryField("text", _WORDS, ("fulltext",), is_default=True, is_stemmed=True),  # of a file, page by page
    QueryField("notes", _WORDS, ("note",), is_default=True),  # all text that has no field of its own
    QueryField("folder", FieldKind.TREE, ("path",)),  # the folder of a file
    QueryField("size", FieldKind.NUMBER, ("bytes",)),
    QueryField("media", _EXACT, ("mime",)),  # of a file, detected from its content: application/pdf
    QueryField("extra", _EXACT, ("other",)),  # other facts of a file: name=value
    QueryField("initial", _EXACT),  # the first letter of the title; # if it has none
)

FIELDS = {field.name: field for field in _TABLE}
_NAMES = {name: field.name for field in _TABLE for name in (field.name, *field.aliases)}
DEFAULT_FIELDS = tuple(field.name for field in _TABLE if field.is_default)
EVENT_FIELDS = tuple(field.name for field in _TABLE if field.is_of_event)
STEMMED_FIELDS = tuple(field.name for field in _TABLE if field.is_stemmed)
LONG_FIELDS = ("description", "text")  # whole texts, where the others have a line or two
_SEPARATORS = {"set": ":", "folder": "/"}  # between a value of a hierarchy and the levels below it


def find_field(name: str) -> str | None:
    """Return the name of the field with this name or alias, in any case; None if there is none."""
    return _NAMES.get(name.casefold())


def max_slop(field: str | None) -> int:
    """Return the maximum number of other words between two words of a phrase in a field, or in any."""
    return MAX_SLOP if field in (None, "title", *LONG_FIELDS) else MAX_SLOP_IN_SHORT_FIELDS


def hierarchy_separator(field: str) -> str:
    return _SEPARATORS.get(field, "")


def names_and_aliases() -> tuple[str, ...]:
    return tuple(_NAMES)


QUOTES = '"“”„«»'
OPERATORS = {"AND": "AND", "OR": "OR", "NOT": "NOT", "&&": "AND", "||": "OR"}  # as written, and their meaning
EVENT = "event"  # written like a field: event:(place:Oslo period:autumn)
MOST_EDITS = 2

_ALWAYS = frozenset("\\()*?~^" + QUOTES)
_LEADING = frozenset("+-![{<>")
_TRAILING = frozenset(",;:!.")
_PLAIN_BOUND = re.compile(r"[0-9]+(?:-[0-9]+)*|[0-9]{4}/[0-9]{2}")
_SPANNED = (FieldKind.NUMBER, FieldKind.DATE)  # kinds whose ranges need no brackets


@dataclass(frozen=True, slots=True)
class Everything:
    """All documents."""

    def __str__(self) -> str:
        return "*"


@dataclass(frozen=True, slots=True)
class Word:
    """One word, in a field or anywhere. In a pattern `*` stands for any letters and `?` for one.

    In a field that is compared exactly it is the whole value. A text of several words ("e-mail") matches them
    in sequence; the pattern `*` matches any value.
    """

    text: str
    field: str | None = None
    is_pattern: bool = False
    edits: int = 0  # maximum number of differing letters
    boost: float = 1.0

    def __str__(self) -> str:
        end = (f"~{self.edits}" if self.edits else "") + _boosted(self.boost)
        return _prefixed(self.field) + _escaped(self) + end


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words in sequence in one value, without their other forms.

    With `slop`, in either order: each word and the next one occur in one value with at most that many other
    words between them.
    """

    words: tuple[str, ...]
    field: str | None = None
    slop: int = 0
    boost: float = 1.0

    def __str__(self) -> str:
        end = (f"~{self.slop}" if self.slop else "") + _boosted(self.boost)
        return _prefixed(self.field) + quoted(" ".join(self.words)) + end


@dataclass(frozen=True, slots=True)
class Value:
    """An exact value of a field, case-sensitive: the query for a counted value.

    Only redundant whitespace and Unicode normalisation (NFC) are ignored. A set includes those below it.
    """

    text: str
    field: str

    def __str__(self) -> str:
        return f"{self.field}={quoted(self.text)}"


@dataclass(frozen=True, slots=True)
class Range:
    """Values from low to high, either of which may be open."""

    field: str
    low: str | None = None
    high: str | None = None
    is_low_inside: bool = True
    is_high_inside: bool = True

    def __str__(self) -> str:
        bounds = [bound for bound in (self.low, self.high) if bound is not None]
        is_plain = FIELDS[self.field].kind in _SPANNED and all(map(_PLAIN_BOUND.fullmatch, bounds))
        if is_plain and bounds and self.is_low_inside and self.is_high_inside:
            return f"{self.field}:{self.low or ''}..{self.high or ''}"
        low, high = ("" if bound is None else quoted(bound) for bound in (self.low, self.high))
        start, end = "[" if self.is_low_inside else "{", "]" if self.is_high_inside else "}"
        return f"{self.field}:{start}{low}..{high}{end}"


@dataclass(frozen=True, slots=True)
class And:
    """All of these conditions."""

    parts: tuple[Query, ...]

    def __str__(self) -> str:
        return " ".join(f"({part})" if isinstance(part, And | Or) else str(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Or:
    """At least one of these conditions."""

    parts: tuple[Query, ...]

    def __str__(self) -> str:
        return " OR ".join(f"({part})" if isinstance(part, And | Or) else str(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class AtLeast:
    """At least `number` of these conditions, but more than one and not all. Make it with `at_least`."""

    number: int
    parts: tuple[Query, ...]

    def __str__(self) -> str:
        inner = " ".join(f"({part})" if isinstance(part, And | Or) else str(part) for part in self.parts)
        return f"({inner})~{self.number}"


@dataclass(frozen=True, slots=True)
class Not:
    """All documents that do not match the condition."""

    part: Query

    def __str__(self) -> str:
        return f"-({self.part})" if isinstance(self.part, And | Or | Not) else f"-{self.part}"


@dataclass(frozen=True, slots=True)
class SameEvent:
    """Documents with one event that meets the whole condition; a negation applies to the same event.

    Only the event itself is searched: a word without a field may occur in any of its fields, and `language`
    is its own. Outside of this node, a condition on a field of events matches any event.
    """

    part: Query

    def __str__(self) -> str:
        return f"{EVENT}:({self.part})"


Query = Everything | Word | Phrase | Value | Range | And | Or | AtLeast | Not | SameEvent
NOTHING = Not(Everything())


def all_of(parts: Iterable[Query]) -> Query:
    """Return the conjunction in its simplest form: flat, without duplicates and without Everything."""
    flat = (inner for part in parts for inner in (part.parts if isinstance(part, And) else (part,)))
    found = tuple(dict.fromkeys(part for part in flat if not isinstance(part, Everything)))
    if not found:
        return Everything()
    return found[0] if len(found) == 1 else And(found)


def any_of(parts: Iterable[Query]) -> Query:
    """Return the disjunction in its simplest form; for no parts, a query that matches nothing."""
    flat = (inner for part in parts for inner in (part.parts if isinstance(part, Or) else (part,)))
    found = tuple(dict.fromkeys(flat))
    if not found:
        return NOTHING
    return found[0] if len(found) == 1 else Or(found)


def at_least(number: int, parts: Iterable[Query]) -> Query:
    """Return the condition that at least `number` of these hold, in its simplest form."""
    found = tuple(dict.fromkeys(parts))
    if number >= len(found):
        return all_of(found)
    return any_of(found) if number <= 1 else AtLeast(number, found)


def exactly(field: str, text: str) -> Range:
    """Return the condition that a value of a field is this text, ignoring case and diacritics."""
    return Range(field, text, text)


def is_exact(query: Range) -> bool:
    return query.low is not None and query.low == query.high and query.is_low_inside and query.is_high_inside


def without_values(query: Query) -> Query:
    """Return a query without the `Value` alternatives, which cannot be highlighted in a text."""
    match query:
        case Or(parts):
            return any_of(
                without_values(part) for part in parts if not (isinstance(part, Range) and is_exact(part))
            )
        case And(parts):
            return all_of(map(without_values, parts))
        case AtLeast(number, parts):
            return at_least(number, map(without_values, parts))
        case _:
            return query


def spelled_out(query: AtLeast) -> Query:
    """Return the same condition with And and Or alone; its size grows quickly with the number of parts."""
    return any_of(all_of(chosen) for chosen in combinations(query.parts, query.number))


def quoted(text: str) -> str:
    return (
        '"'
        + "".join(f"\\{letter}" if letter in QUOTES or letter == "\\" else letter for letter in text)
        + '"'
    )


def _prefixed(field: str | None) -> str:
    return f"{field}:" if field else ""


def _boosted(boost: float) -> str:
    return "" if boost == 1 else "^" + f"{boost:.6f}".rstrip("0").rstrip(".")


def _escaped(word: Word) -> str:
    """Escape a word so that it is parsed literally, except for its wildcards."""
    text, last = word.text, len(word.text) - 1
    if text in OPERATORS:
        return f"\\{text}"
    special = _ALWAYS - {"*", "?"} if word.is_pattern else _ALWAYS
    if word.field is None:
        special |= {":", "="}
    elif FIELDS[word.field].kind in _SPANNED:
        special |= {"."}

    def is_special(place: int, letter: str) -> bool:
        is_edge = (place == 0 and letter in _LEADING) or (place == last and letter in _TRAILING)
        return is_edge or letter in special or letter.isspace()

    return "".join(
        f"\\{letter}" if is_special(place, letter) else letter for place, letter in enumerate(text)
    )


# Sort keys: fields, independent of the protocol of a request.


class Missing(StrEnum):
    """The position of results without a value of a sort key."""

    HIGH = "high"  # sorted as if the value were above all others
    LOW = "low"
    OMIT = "omit"  # left out of the results
    FAIL = "fail"  # the sort fails


@dataclass(frozen=True, slots=True)
class SortKey:
    """One sort key: a field of `SORTABLE` and how its values are compared."""

    field: str
    is_ascending: bool = True
    missing: Missing | str = Missing.HIGH  # any other text is used as the value
    respects_case: bool = False


# Fields that results can be sorted by; those in NUMERIC as numbers. `added` is when a record was first
# stored.
NUMERIC = ("year", "date", "pages", "size", "added")
SORTABLE = (
    *("title", "creator", "subject", "keyword", "publisher", "journal", "type", "language"),
    *("institution", "department", "source", "access", "licence", "period", "place"),
    *NUMERIC,
)
MOST_KEYS = 5
