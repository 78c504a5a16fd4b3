"""The normalised view of one record for people: a pure function of its payload.

A document is a frozen dataclass; the small values in it are named tuples, because mapping makes some twenty
for every record and a frozen dataclass takes three times as long to make. Values of different classes with
the same parts are therefore equal, which nothing minds: each field holds one class only.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, make_dataclass
from enum import StrEnum
from typing import NamedTuple, cast

# A file behind a document: where it lies in its folder, what it is made of, and its text page by page.


class Heading(NamedTuple):
    """An entry of a file's own table of contents."""

    title: str
    level: int = 1
    page: int | None = None  # the page it leads to, the first being 1


class HeldFile(NamedTuple):
    """What the library knows of the file itself. Its title, creators and so on are the document's."""

    path: str  # from its folder on, with slashes
    media_type: str  # by its content
    size: int  # bytes
    sha256: str  # in hexadecimal digits
    member: str = ""  # inside the archive at `path`; empty: the file itself
    text: tuple[str, ...] = ()  # page by page; one where it has no pages; none where it has no text
    is_paged: bool = False  # whether `text` has the file's own pages
    headings: tuple[Heading, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()  # technical ones by the names in `model.extract`

    @property
    def folder(self) -> str:
        """The folder it lies in, from the source's folder on; empty: that itself."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        """What it is called, without its folders."""
        return (self.member or self.path).rpartition("/")[2]

    @property
    def has_words(self) -> bool:
        """Return whether there is text to read, and not only the page numbers of a scan."""
        return self.fact("text-layer") != "none" and any(map(str.strip, self.text))

    def fact(self, name: str) -> str:
        """The first fact of a name, or nothing."""
        return next((value for key, value in self.facts if key == name), "")


class LinkKind(StrEnum):
    """What a link leads to."""

    LANDING = "landing"  # the page about the thing
    FULLTEXT = "fulltext"  # the thing itself
    THUMBNAIL = "thumbnail"
    LICENSE = "license"
    RELATED = "related"


class Text(NamedTuple):
    """Words in a language; the language is an ISO 639 code or None when nobody said."""

    value: str
    language: str | None = None


class Agent(NamedTuple):
    """A person or an organisation, as the record names it."""

    name: str
    role: str | None = None  # author, advisor, editor, publisher … as the format says
    identifier: str | None = None  # ORCID, GND, VIAF … as a URI where it is one
    affiliations: tuple[str, ...] = ()  # each institution by itself, in the record's order


class Subject(NamedTuple):
    """A topic; scheme and uri say which vocabulary it is from, where that is known."""

    value: str
    scheme: str | None = None
    uri: str | None = None
    language: str | None = None


class Link(NamedTuple):
    """An address, told apart by what it leads to."""

    url: str
    kind: LinkKind
    label: str | None = None
    media_type: str | None = None


class Identifier(NamedTuple):
    """An identifier of the thing outside its repository: doi, isbn, issn, urn, hdl, arxiv, local."""

    scheme: str
    value: str


class DocumentDate(NamedTuple):
    """A date as the record has it, and what it is the date of (issued, created, available …)."""

    text: str
    kind: str = "date"


class Event(NamedTuple):
    """Something that happens to the thing or with it: a making, a showing, a round of a course."""

    identifier: str | None = None
    period: str | None = None  # a term, an era
    kind: str | None = None
    intensity: str | None = None  # full time, half time …
    place: str | None = None
    language: str | None = None  # ISO 639 code
    time: str | None = None  # as the record has it


class Unit(NamedTuple):
    """A part of an institution that a record belongs to; either may be unknown, but not both."""

    institution: str | None
    department: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """What a record says about one thing, in the same fields whatever format it came in.

    Every tuple keeps the record's order and holds no empty and no repeated value.
    `extra` holds what no field here has a place for, by the format's own name for it
    (`dc:coverage`, `marc:856$u`, `dim:dc.format.content`): nothing is thrown away.
    """

    titles: tuple[Text, ...] = ()
    creators: tuple[Agent, ...] = ()
    contributors: tuple[Agent, ...] = ()
    subjects: tuple[Subject, ...] = ()  # from a vocabulary, or from the format's subject element
    keywords: tuple[str, ...] = ()  # free words, where the format tells them from subjects
    descriptions: tuple[Text, ...] = ()  # abstract first; plain text, markup removed
    publishers: tuple[str, ...] = ()
    dates: tuple[DocumentDate, ...] = ()
    year: int | None = None  # of publication, from the best of the dates
    types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()  # ISO 639 codes, two letters where there are two
    pages: int | None = None
    links: tuple[Link, ...] = ()
    names: tuple[Identifier, ...] = ()
    rights: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()  # the journal, book or series it is part of; citations
    relations: tuple[str, ...] = ()
    institution: str | None = None
    department: str | None = None
    extra: dict[str, tuple[str, ...]] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    file: HeldFile | None = None  # where the thing is a file in a folder that the library reads
    units: tuple[Unit, ...] = ()  # all it belongs to, from its sets; the first is institution and department
    collections: tuple[str, ...] = ()  # of its repository, by the names of its sets
    prerequisites: tuple[str, ...] = ()  # what a course asks for
    exams: tuple[str, ...] = ()  # the degrees that it counts towards
    professions: tuple[str, ...] = ()  # the occupations that it prepares for

    @property
    def title(self) -> str | None:
        """The first title's words."""
        return self.titles[0].value if self.titles else None

    @property
    def landing(self) -> str | None:
        """The address of the page about the thing."""
        return next((link.url for link in self.links if link.kind is LinkKind.LANDING), None)

    @property
    def fulltext(self) -> str | None:
        """The address of the thing itself."""
        return next((link.url for link in self.links if link.kind is LinkKind.FULLTEXT), None)


def document_units(document: Document) -> tuple[Unit, ...]:
    """Return every unit that a document belongs to, whether its sets or its metadata name it."""
    if document.units or not (document.institution or document.department):
        return document.units
    return (Unit(document.institution, document.department),)


_OPTIONAL = ("units", "collections", "prerequisites", "exams", "professions")  # most formats have none
_Open = make_dataclass(
    "_Open",
    [
        (item.name, object, field(default=())) if item.name in _OPTIONAL else (item.name, object)
        for item in fields(Document)
    ],
    slots=True,
)


def make_document(*values: object) -> Document:
    """A document with these fields in the model's order: `Document(…)` in a fifth of its time.

    All that most formats fill are given; what sets and courses add may be.

    A frozen dataclass sets its fields one by one around its own lock. This sets them on a twin without a lock
    and the same slots, and then says what it is.
    """
    made = _Open(*values)
    made.__class__ = Document
    return cast("Document", made)
