"""The fields that a search can name: one table for the box, for CQL, for RPN and for every index."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FieldKind(StrEnum):
    """How the values of a field are compared with what is looked for."""

    WORDS = "words"  # word by word, folded
    EXACT = "exact"  # as a whole: a code, an address
    TREE = "tree"  # as a whole, or what lies below it: a set and its subsets
    NUMBER = "number"
    DATE = "date"  # as exactly as it is asked for: 2014-05 is all of May


LOOSEST = 100  # other words that may at most be between two words of a phrase, in a long text
LOOSEST_IN_SHORT = 10  # the same in all other fields


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


def field_named(name: str) -> str | None:
    """The name of the field that is meant by a name or an alias, in whatever case; None for none."""
    return _NAMES.get(name.casefold())


def loosest(field: str | None) -> int:
    """How many other words may at most be between two words of a phrase in this field, or anywhere."""
    return LOOSEST if field in (None, "title", *LONG_FIELDS) else LOOSEST_IN_SHORT


def separator(field: str) -> str:
    """What stands between a value of this field and what lies below it; nothing where nothing does."""
    return _SEPARATORS.get(field, "")


def names_and_aliases() -> tuple[str, ...]:
    """Everything that a field can be called."""
    return tuple(_NAMES)
