"""The normalised view of one record for people, a pure function of the record's payload.

`Document` is a frozen dataclass. Its small values are named tuples: mapping makes about twenty for every
record, and a frozen dataclass takes three times as long to make. Values of different classes with the same
parts are therefore equal, which is harmless because each field holds only one class.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, make_dataclass
from enum import StrEnum
from typing import NamedTuple, cast

# The file behind a document, if it comes from a folder.


class Heading(NamedTuple):
    """An entry of a file's own table of contents."""

    title: str
    level: int = 1
    page: int | None = None  # the page it links to, counted from 1


class HeldFile(NamedTuple):
    """Facts about the file itself. Its title, creators and so on are fields of the document."""

    path: str  # relative to the source's folder, with slashes
    media_type: str  # detected from the content
    size: int  # bytes
    sha256: str  # in hexadecimal digits
    member: str = ""  # inside the archive at `path`; empty: the file itself
    text: tuple[str, ...] = ()  # by page; one part if there are no pages; none if there is no text
    is_paged: bool = False  # whether `text` has the file's own pages
    headings: tuple[Heading, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()  # technical ones, by the names in `model.file_content`

    @property
    def folder(self) -> str:
        """The file's folder, relative to the source's folder; empty for that folder itself."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        return (self.member or self.path).rpartition("/")[2]

    @property
    def has_words(self) -> bool:
        """Return whether there is text to read, and not only the page numbers of a scan."""
        return self.fact("text-layer") != "none" and any(map(str.strip, self.text))

    def fact(self, name: str) -> str:
        return next((value for key, value in self.facts if key == name), "")


class LinkKind(StrEnum):
    """The kind of resource that a link leads to."""

    LANDING = "landing"  # the page about the resource
    FULLTEXT = "fulltext"  # the resource itself
    THUMBNAIL = "thumbnail"
    LICENSE = "license"
    RELATED = "related"


class Text(NamedTuple):
    """Text in a language, which is an ISO 639 code or None if not stated."""

    value: str
    language: str | None = None


class Agent(NamedTuple):
    """A person or an organisation, as named in the record."""

    name: str
    role: str | None = None  # author, advisor, editor, publisher … in the words of the format
    identifier: str | None = None  # ORCID, GND, VIAF … as a URI where it is one
    affiliations: tuple[str, ...] = ()  # one institution each, in the record's order


class Subject(NamedTuple):
    """A topic, with the scheme and URI of its vocabulary if known."""

    value: str
    scheme: str | None = None
    uri: str | None = None
    language: str | None = None


class Link(NamedTuple):
    """An address and the kind of resource it leads to."""

    url: str
    kind: LinkKind
    label: str | None = None
    media_type: str | None = None


class Identifier(NamedTuple):
    """An identifier outside the repository: doi, isbn, issn, urn, hdl, arxiv, local."""

    scheme: str
    value: str


class DocumentDate(NamedTuple):
    """A date as written in the record, and its kind (issued, created, available …)."""

    text: str
    kind: str = "date"


class Event(NamedTuple):
    """An event in the life of the resource: its creation, an exhibition, one round of a course."""

    identifier: str | None = None
    period: str | None = None  # a term, an era
    kind: str | None = None
    intensity: str | None = None  # full time, half time …
    place: str | None = None
    language: str | None = None  # ISO 639 code
    time: str | None = None  # as written in the record


class Unit(NamedTuple):
    """A part of an institution that a record belongs to; at most one of the two may be unknown."""

    institution: str | None
    department: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """What a record states about one resource, in the same fields for all metadata formats.

    Every tuple keeps the record's order and has no empty or repeated values. `extra` holds what has no field
    here, under the format's own name (`dc:coverage`, `marc:856$u`, `dim:dc.format.content`), so that nothing
    is lost.
    """

    titles: tuple[Text, ...] = ()
    creators: tuple[Agent, ...] = ()
    contributors: tuple[Agent, ...] = ()
    subjects: tuple[Subject, ...] = ()  # from a vocabulary, or from the format's subject element
    keywords: tuple[str, ...] = ()  # free words, if the format distinguishes them from subjects
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
    file: HeldFile | None = None  # if the resource is a file in a folder source
    units: tuple[Unit, ...] = ()  # all units, from its sets; the first is institution and department
    collections: tuple[str, ...] = ()  # of its repository, by the names of its sets
    prerequisites: tuple[str, ...] = ()  # of a course
    exams: tuple[str, ...] = ()  # the degrees that it counts towards
    professions: tuple[str, ...] = ()  # the occupations that it prepares for

    @property
    def title(self) -> str | None:
        return self.titles[0].value if self.titles else None

    @property
    def landing(self) -> str | None:
        return next((link.url for link in self.links if link.kind is LinkKind.LANDING), None)

    @property
    def fulltext(self) -> str | None:
        return next((link.url for link in self.links if link.kind is LinkKind.FULLTEXT), None)


def document_units(document: Document) -> tuple[Unit, ...]:
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
    """Make a document from its fields in the model's order, five times as fast as `Document(…)`.

    Pass all fields that most formats fill; those for sets and courses are optional.

    A frozen dataclass sets its fields one by one past its own protection. This function sets them on an
    unprotected twin class with the same slots and then assigns `Document` as its class.
    """
    made = _Open(*values)
    made.__class__ = Document
    return cast("Document", made)
