"""What somebody looks for, as one tree: every language of queries parses into it, every index renders it.

A node's `str` is its canonical text, which `windrow.protocols.query` parses back to the same node. Make
combinations with `all_of`, `any_of`, `at_least`: they keep the tree in its plainest form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

# The fields that a search can name: one table for the box, for CQL, for RPN and for every index.


class FieldKind(StrEnum):
    """How the values of a field are compared with what is looked for."""

    WORDS = "words"  # word by word, folded
    EXACT = "exact"  # as a whole: a code, an address
    TREE = "tree"  # as a whole, or what lies below it: a set and its subsets
    NUMBER = "number"
    DATE = "date"  # as exactly as it is asked for: 2014-05 is all of May


MAX_SLOP = 100  # other words that may at most be between two words of a phrase, in a long text
MAX_SLOP_IN_SHORT_FIELDS = 10  # the same in all other fields


@dataclass(frozen=True, slots=True)
class QueryField:
    """A field: its name, how it is compared, and what else people call it."""

    name: str
    kind: FieldKind
    aliases: tuple[str, ...] = ()
    is_default: bool = False  # looked through where no field is named
    is_of_event: bool = False  # says something about one event of a document
    is_stemmed: bool = False  # a word finds its other forms, too


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
    QueryField("journal", _WORDS, ("series", "in"), is_default=True, is_stemmed=True),  # what it is part of
    QueryField("relation", _WORDS),
    QueryField("rights", _WORDS),  # as the record states them
    QueryField("access", _WORDS),  # what they come to: open, embargoed, restricted, metadata only
    QueryField("licence", _WORDS, ("license",)),
    QueryField("format", _WORDS),
    QueryField("identifier", _EXACT, ("id", "doi", "isbn", "issn", "urn", "hdl", "url"), is_default=True),
    QueryField("institution", _WORDS, ("university",), is_default=True, is_stemmed=True),
    QueryField("department", _WORDS, ("faculty",), is_default=True, is_stemmed=True),
    QueryField("unit", _EXACT),  # a department in its institution: unit="University › Department"
    QueryField("holding", _WORDS, is_default=True, is_stemmed=True),  # the collection of its repository
    QueryField("missing", _EXACT, ("without",)),  # what a record lacks: institution, department, title …
    QueryField("affiliation", _EXACT),  # each institution that took part: its own, and those of its people
    QueryField("source", _EXACT),  # where in the library it came from
    QueryField("set", FieldKind.TREE),
    QueryField("place", _WORDS, is_of_event=True),
    QueryField("period", _WORDS, is_of_event=True),
    QueryField("intensity", _WORDS, is_of_event=True),
    QueryField("kind", _WORDS, is_of_event=True),
    QueryField("time", _WORDS, is_of_event=True),
    QueryField("prerequisites", _WORDS, ("prerequisite",), is_stemmed=True),  # of a course
    QueryField("exam", _WORDS, ("degree",), is_stemmed=True),  # what it leads to
    QueryField("profession", _WORDS, ("occupation",), is_stemmed=True),  # what it is for
    QueryField("text", _WORDS, ("fulltext",), is_default=True, is_stemmed=True),  # of a file, page by page
    QueryField("notes", _WORDS, ("note",), is_default=True),  # all text that has no field of its own
    QueryField("folder", FieldKind.TREE, ("path",)),  # where a file lies
    QueryField("size", FieldKind.NUMBER, ("bytes",)),
    QueryField("media", _EXACT, ("mime",)),  # what a file is by its content: application/pdf
    QueryField("extra", _EXACT, ("other",)),  # of a file, what no other field has: name=value
    QueryField("initial", _EXACT),  # the first letter of the title; # for what begins with none
)

FIELDS = {field.name: field for field in _TABLE}
_NAMES = {name: field.name for field in _TABLE for name in (field.name, *field.aliases)}
DEFAULT_FIELDS = tuple(field.name for field in _TABLE if field.is_default)
EVENT_FIELDS = tuple(field.name for field in _TABLE if field.is_of_event)
STEMMED_FIELDS = tuple(field.name for field in _TABLE if field.is_stemmed)
LONG_FIELDS = ("description", "text")  # whole texts, where the others have a line or two
_SEPARATORS = {"set": ":", "folder": "/"}  # between a value of a tree and what lies below it


def find_field(name: str) -> str | None:
    """The name of the field that is meant by a name or an alias, in whatever case; None for none."""
    return _NAMES.get(name.casefold())


def max_slop(field: str | None) -> int:
    """How many other words may at most be between two words of a phrase in this field, or anywhere."""
    return MAX_SLOP if field in (None, "title", *LONG_FIELDS) else MAX_SLOP_IN_SHORT_FIELDS


def hierarchy_separator(field: str) -> str:
    """What stands between a value of this field and what lies below it; nothing where nothing does."""
    return _SEPARATORS.get(field, "")


def names_and_aliases() -> tuple[str, ...]:
    """Everything that a field can be called."""
    return tuple(_NAMES)


QUOTES = '"“”„«»'
OPERATORS = {"AND": "AND", "OR": "OR", "NOT": "NOT", "&&": "AND", "||": "OR"}  # as written, and what is meant
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
    """One word, in a field or anywhere. In a pattern `*` stands for any letters, `?` for one.

    In a field that is compared exactly it is the whole value. A text that comes to several words ("e-mail")
    wants them side by side; the pattern `*` wants any value at all.
    """

    text: str
    field: str | None = None
    is_pattern: bool = False
    edits: int = 0  # how many letters may differ
    boost: float = 1.0

    def __str__(self) -> str:
        end = (f"~{self.edits}" if self.edits else "") + _boosted(self.boost)
        return _prefixed(self.field) + _escaped(self) + end


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words side by side in one value, in this order and just as they stand.

    With `slop`, in either order: each word and the next one of the phrase are somewhere in one value with at
    most so many others between them.
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
    """A field has exactly this value as it stands, capitals and all: what a click on a count asks for.

    Only idle whitespace, and two ways to write the same letter, make no difference. A set has those below it.
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
    """All of these."""

    parts: tuple[Query, ...]

    def __str__(self) -> str:
        return " ".join(f"({part})" if isinstance(part, And | Or) else str(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Or:
    """One of these at least."""

    parts: tuple[Query, ...]

    def __str__(self) -> str:
        return " OR ".join(f"({part})" if isinstance(part, And | Or) else str(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class AtLeast:
    """At least so many of these: more than one, and not all of them. Make it with `at_least`."""

    number: int
    parts: tuple[Query, ...]

    def __str__(self) -> str:
        inner = " ".join(f"({part})" if isinstance(part, And | Or) else str(part) for part in self.parts)
        return f"({inner})~{self.number}"


@dataclass(frozen=True, slots=True)
class Not:
    """All documents but these."""

    part: Query

    def __str__(self) -> str:
        return f"-({self.part})" if isinstance(self.part, And | Or | Not) else f"-{self.part}"


@dataclass(frozen=True, slots=True)
class SameEvent:
    """Documents with one event for which all of this holds; what is negated, does not hold for that one.

    Only the event itself is asked: a word without a field may stand in any of its fields, and `language` is
    its own. Outside of this, a condition on a field of events wants some event that has it.
    """

    part: Query

    def __str__(self) -> str:
        return f"{EVENT}:({self.part})"


Query = Everything | Word | Phrase | Value | Range | And | Or | AtLeast | Not | SameEvent
NOTHING = Not(Everything())


def all_of(parts: Iterable[Query]) -> Query:
    """All of these, as plain as it can be said: no And in an And, nothing twice, nothing idle."""
    flat = (inner for part in parts for inner in (part.parts if isinstance(part, And) else (part,)))
    found = tuple(dict.fromkeys(part for part in flat if not isinstance(part, Everything)))
    if not found:
        return Everything()
    return found[0] if len(found) == 1 else And(found)


def any_of(parts: Iterable[Query]) -> Query:
    """One of these at least, as plain as it can be said; of nothing at all, no document."""
    flat = (inner for part in parts for inner in (part.parts if isinstance(part, Or) else (part,)))
    found = tuple(dict.fromkeys(flat))
    if not found:
        return NOTHING
    return found[0] if len(found) == 1 else Or(found)


def at_least(number: int, parts: Iterable[Query]) -> Query:
    """Return the condition that so many of these hold, in its plainest form."""
    found = tuple(dict.fromkeys(parts))
    if number >= len(found):
        return all_of(found)
    return any_of(found) if number <= 1 else AtLeast(number, found)


def exactly(field: str, text: str) -> Range:
    """Return the condition that a value of a field is just this text, but for case and diacritics."""
    return Range(field, text, text)


def is_exact(query: Range) -> bool:
    """Return whether a range has room for one text only."""
    return query.low is not None and query.low == query.high and query.is_low_inside and query.is_high_inside


def without_values(query: Query) -> Query:
    """Return a query without the single values among its alternatives: what can be marked in a text."""
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
    """Return the same condition with And and Or alone; grows quickly with the number of parts."""
    return any_of(all_of(chosen) for chosen in combinations(query.parts, query.number))


def quoted(text: str) -> str:
    """A text in quotation marks, as the query language writes it."""
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
    """The text of a word so that nothing in it means anything but itself; wildcards stay."""
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


# What results are sorted by: keys of fields, in whatever protocol they are asked for.


class Missing(StrEnum):
    """What becomes of a result without a value of a key."""

    HIGH = "high"  # sorted as if its value were above all others
    LOW = "low"
    OMIT = "omit"  # left out of the results
    FAIL = "fail"  # nothing is sorted


@dataclass(frozen=True, slots=True)
class SortKey:
    """One key of a sort: a field of `SORTABLE`, and how its values are compared."""

    field: str
    is_ascending: bool = True
    missing: Missing | str = Missing.HIGH  # any other text is taken as the value
    respects_case: bool = False


# Fields that results can be sorted by; those in NUMERIC as numbers. `added` is when a record came.
NUMERIC = ("year", "date", "pages", "size", "added")
SORTABLE = (
    *("title", "creator", "subject", "keyword", "publisher", "journal", "type", "language"),
    *("institution", "department", "source", "access", "licence", "period", "place"),
    *NUMERIC,
)
MOST_KEYS = 5
