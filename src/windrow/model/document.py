"""The normalised view of one record for people: a pure function of its payload."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class LinkKind(StrEnum):
    """What a link leads to."""

    LANDING = "landing"  # the page about the thing
    FULLTEXT = "fulltext"  # the thing itself
    THUMBNAIL = "thumbnail"
    LICENSE = "license"
    RELATED = "related"


@dataclass(frozen=True, slots=True)
class Text:
    """Words in a language; the language is an ISO 639 code or None when nobody said."""

    value: str
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Agent:
    """A person or an organisation, as the record names it."""

    name: str
    role: str | None = None  # author, advisor, editor, publisher … as the format says
    identifier: str | None = None  # ORCID, GND, VIAF … as a URI where it is one
    affiliation: str | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """A topic; scheme and uri say which vocabulary it is from, where that is known."""

    value: str
    scheme: str | None = None
    uri: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """An address, told apart by what it leads to."""

    url: str
    kind: LinkKind
    label: str | None = None
    media_type: str | None = None


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier of the thing outside its repository: doi, isbn, issn, urn, hdl, arxiv, local."""

    scheme: str
    value: str


@dataclass(frozen=True, slots=True)
class Moment:
    """A date as the record has it, and what it is the date of (issued, created, available …)."""

    text: str
    kind: str = "date"


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
    dates: tuple[Moment, ...] = ()
    year: int | None = None  # of publication, from the best of the dates
    types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()  # ISO 639 codes, two letters where there are two
    pages: int | None = None
    links: tuple[Link, ...] = ()
    names: tuple[Name, ...] = ()
    rights: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()  # the journal, book or series it is part of; citations
    relations: tuple[str, ...] = ()
    institution: str | None = None
    department: str | None = None
    extra: dict[str, tuple[str, ...]] = field(default_factory=dict)

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
