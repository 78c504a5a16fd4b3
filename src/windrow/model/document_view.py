"""A document as a query sees it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from windrow.model.academic_years import issued_on
from windrow.model.concepts import ConceptTable
from windrow.model.days import days_of
from windrow.model.document import Document
from windrow.model.event_view import EventView
from windrow.model.facts import departments_of, facts_about, initials_of, institutions_of, keywords_of
from windrow.model.file_facts import extras_of, folders_of, media_of, sizes_of, text_language, texts_of
from windrow.model.normalising import access_and_licences, rights_words, type_words
from windrow.model.query_fields import DEFAULT_FIELDS, EVENT_FIELDS, FIELDS, FieldKind
from windrow.model.stems import is_stemmed
from windrow.model.view import View

# One word that nobody would look for: an address, a checksum or UUID, a number of few digits, a time stamp.
_NO_TEXT = re.compile(
    r"(?:https?|ftp|file)://|[0-9a-fA-F]{16,}$|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}$|\W*\d{0,4}\W*$"
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d"
)


class DocumentView(View):
    """One document of a source, with the sets it is in and its identifier there."""

    # Codes and addresses are compared as a whole, and are not taken apart into words.
    usual = tuple(name for name in DEFAULT_FIELDS if FIELDS[name].kind is not FieldKind.EXACT)

    def __init__(
        self,
        document: Document,
        *,
        source: str = "",
        sets: Collection[str] = (),
        identifier: str = "",
        types: ConceptTable | None = None,
    ) -> None:
        super().__init__()
        self._document = document
        self._places = {"source": (source,) if source else (), "set": tuple(sets)}
        self._identifier = identifier
        self._types = types
        self._events: tuple[EventView, ...] | None = None
        self._usual = usual_language(document)

    @property
    def events(self) -> Sequence[View]:
        """What happened to the thing, each to be asked by itself."""
        if self._events is None:
            self._events = tuple(map(EventView, self._document.events))
        return self._events

    def texts(self, field: str) -> list[tuple[str, str | None]]:
        """What stands in a field, each with the language it is in as far as that is sure.

        A thesis in Finnish has an abstract and keywords in English: where a value does not say its language,
        the document's only tells that it is none of those whose endings are known.
        """
        if field == "type":
            return list(self._type_words())
        spoken, usual = _SPOKEN.get(field), self._usual
        if spoken is None:
            return [(value, usual) for value in self.values(field)]
        return [(value, language or usual) for value, language in spoken(self._document) if value]

    def _counted(self, field: str) -> tuple[str, ...]:
        facts = facts_about(self._document, field, self._types)
        return super()._counted(field) if facts is None else facts

    def _look(self, field: str) -> Iterable[str]:
        if field == "identifier":
            return self._identifiers()
        if field == "type":
            return [value for value, _ in self._type_words()]
        if field in EVENT_FIELDS:
            return (value for event in self.events for value in event.values(field))
        look = _LOOKS.get(field)
        return self._places.get(field, ()) if look is None else look(self._document)

    def _type_words(self) -> Iterator[tuple[str, str | None]]:
        return type_words(tuple(self._document.types), self._usual, self._types)

    def _identifiers(self) -> Iterator[str]:
        yield self._identifier
        for name in self._document.names:
            yield name.value
        for link in self._document.links:
            yield link.url


def usual_language(document: Document) -> str | None:
    """The language of what does not say its own: the document's, if it is none whose endings are known."""
    languages = document.languages
    return languages[0] if len(languages) == 1 and not is_stemmed(languages[0]) else None


def formats_of(document: Document) -> list[str]:
    """What its files are said to be."""
    found = [link.media_type for link in document.links if link.media_type]
    if document.file is not None:
        found += media_of(document)
    if found:
        found = list(dict.fromkeys(found))
    for name, values in document.extra.items():
        if name.endswith("format"):
            found += filter(None, values)
    return found


def notes_of(document: Document) -> list[str]:
    """Return all text of a document that no other field has: leftovers, relations, affiliations, places.

    Addresses, checksums and short numbers are no text.
    """
    return list(filter(is_text, remarks_of(document)))


def remarks_of(document: Document) -> Iterable[str]:
    """Return the values that `notes_of` takes its text from, each once.

    Rights and formats have fields of their own, which a search must name: the same sentence stands in every
    record of a source.
    """
    found: list[str] = []
    for name, values in document.extra.items():
        if name[-6:] != "format":
            found += values
    found += document.relations
    found += document.prerequisites
    found += document.exams
    found += document.professions
    for agents in (document.creators, document.contributors):
        for agent in agents:
            if agent.affiliations:
                found += agent.affiliations
    for link in document.links:
        if link.label:
            found.append(link.label)
    for event in document.events:  # terms and kinds are the same few words in all records
        if event.place:
            found.append(event.place)
    return dict.fromkeys(found)


def is_text(value: str) -> bool:
    """Return whether a value is for people to read: no address, checksum, short number or time stamp."""
    return " " in value or _NO_TEXT.match(value) is None


def _access_words(document: Document) -> Iterator[tuple[str, str | None]]:
    return rights_words("access", (access_and_licences(document)[0],))


def _licence_words(document: Document) -> Iterator[tuple[str, str | None]]:
    return rights_words("licence", access_and_licences(document)[1])


def _number(value: int | None) -> tuple[str, ...]:
    return () if value is None else (str(value),)


_LOOKS: Mapping[str, Callable[[Document], Iterable[str]]] = {
    "title": lambda document: (text.value for text in document.titles),
    "creator": lambda document: (agent.name for agent in document.creators),
    "contributor": lambda document: (agent.name for agent in document.contributors),
    "subject": lambda document: (*(subject.value for subject in document.subjects), *document.keywords),
    "keyword": keywords_of,
    "description": lambda document: (text.value for text in document.descriptions),
    "publisher": lambda document: document.publishers,
    "year": lambda document: _number(document.year),
    "issued": lambda document: _number(issued_on(document)),
    "date": days_of,
    "language": lambda document: document.languages,
    "pages": lambda document: _number(document.pages),
    "journal": lambda document: document.sources,
    "relation": lambda document: document.relations,
    "prerequisites": lambda document: document.prerequisites,
    "exam": lambda document: document.exams,
    "profession": lambda document: document.professions,
    "rights": lambda document: document.rights,
    "access": lambda document: [words for words, _ in _access_words(document)],
    "licence": lambda document: [words for words, _ in _licence_words(document)],
    "format": formats_of,
    "institution": institutions_of,
    "department": departments_of,
    "holding": lambda document: document.collections,
    "unit": lambda document: facts_about(document, "unit") or (),
    "missing": lambda document: facts_about(document, "missing") or (),
    "affiliation": lambda document: facts_about(document, "affiliation") or (),
    "text": texts_of,
    "notes": notes_of,
    "folder": folders_of,
    "size": sizes_of,
    "media": media_of,
    "extra": extras_of,
    "initial": initials_of,
}
_SPOKEN: Mapping[str, Callable[[Document], Iterable[tuple[str, str | None]]]] = {
    "title": lambda document: document.titles,
    "description": lambda document: document.descriptions,
    "subject": lambda document: chain(
        ((subject.value, subject.language) for subject in document.subjects),
        ((keyword, None) for keyword in document.keywords),
    ),
    "keyword": lambda document: (
        ((keyword, None) for keyword in document.keywords)
        if document.keywords
        else ((subject.value, subject.language) for subject in document.subjects)
    ),
    "text": lambda document: ((page, text_language(document)) for page in texts_of(document)),
    "access": _access_words,
    "licence": _licence_words,
}
EXACT_DEFAULTS = tuple(name for name in DEFAULT_FIELDS if FIELDS[name].kind is FieldKind.EXACT)
